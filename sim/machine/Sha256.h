// SHA-256 (FIPS 180-4), for the hash of a configuration.
#pragma once

#include <string>
#include <string_view>

namespace smreplay::machine {

// 64 lower-case hexadecimal digits.
std::string sha256_hex(std::string_view bytes);

}  // namespace smreplay::machine
