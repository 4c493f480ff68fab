// Values of a machine file as text.
#pragma once

#include <google/protobuf/message.h>

#include <string>

#include "sim/machine/Schema.h"

namespace smreplay::machine {

// The value of a leaf: "128", "0, 8, 16", "true", "gddr7".
std::string value_text(const google::protobuf::Message& leaf, LeafKind kind);

// A string field of a leaf ("unit", "source", "note", "benchmark"); empty where the leaf has none.
std::string field_text(const google::protobuf::Message& leaf, const char* field);

}  // namespace smreplay::machine
