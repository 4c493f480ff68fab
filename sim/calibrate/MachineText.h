// Rewrites leaves of a machine file (protobuf text format) in place: what is not rewritten keeps its bytes.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/isa/Result.h"

namespace smreplay::calibrate {

// Fields of a leaf in order of writing, as text: {"value", "12"}, {"unit", "\"cycle\""}. Strings keep their quotes, and
// strings in several pieces are joined.
using Fields = std::vector<std::pair<std::string, std::string>>;

// One `key { value: ... }`.
struct MachineLeaf {
  size_t begin = 0, end = 0;  // its place in the text, from the key to the closing brace
  size_t indent = 0;          // columns before the key
  Fields fields;

  const std::string* field(std::string_view name) const;  // null: not there
};

// All leaves by dotted path. Error (exit 3): machine-syntax.
Result<std::map<std::string, MachineLeaf>> machine_leaves(std::string_view text);

// The text with the leaves in `changes` (path: fields) rendered anew: one line where it fits into 120 columns,
// otherwise its fields filled into lines. Errors: those of machine_leaves; machine-unknown-key.
Result<std::string> rewrite_machine(const std::string& text, const std::map<std::string, Fields>& changes);

}  // namespace smreplay::calibrate
