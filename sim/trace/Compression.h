// zstd frames with a known content size. Compression is a function of the bytes alone (level 19, one thread); the bytes
// that come out depend on the zstd release, which Debian's release pins.
#pragma once

#include <string>
#include <string_view>

#include "sim/isa/Result.h"

namespace smreplay::trace {

std::string compress(std::string_view bytes);

// The most bytes that `size` bytes can take compressed.
size_t compressed_bound(size_t size);

// Precondition: `size` was checked against a limit. An Error ("trace-corrupt") where the frame is broken or does not
// hold exactly `size` bytes.
Result<std::string> decompress(std::string_view frame, size_t size);

}  // namespace smreplay::trace
