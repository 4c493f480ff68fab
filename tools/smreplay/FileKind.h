// What a file is that turned out not to be what was expected: for the error's message.
#pragma once

#include <string>

namespace smreplay::tool {

// "a result of 'smreplay run'", "a trace", "a cubin or another ELF file"; empty: not known, or not readable. Looks at
// the beginning of the file, and of JSON at its keys.
std::string file_kind(const std::string& file);

}  // namespace smreplay::tool
