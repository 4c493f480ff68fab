// Protobuf text format with exact error places: file:line:col, unknown names with the nearest valid one.
#pragma once

#include <google/protobuf/message.h>
#include <google/protobuf/text_format.h>

#include <string>
#include <string_view>
#include <vector>

#include "sim/isa/Result.h"

namespace smreplay::trace {

// Parses `text` into `message`. Error codes: `prefix` + "-syntax", "-unknown-key", "-unknown-value"; exit code 3.
// `places` receives where each field stood.
Status parse_text(const std::string& text, const std::string& file, const std::string& prefix,
                  google::protobuf::Message& message, google::protobuf::TextFormat::ParseInfoTree& places);

// The candidate that takes the fewest edits to become `name`; empty where none is close.
std::string nearest(std::string_view name, const std::vector<std::string>& candidates);

// "; did you mean 'x'?" or "".
std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace smreplay::trace
