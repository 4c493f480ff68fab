// Reads a result that `run --format json -o FILE` kept.
#pragma once

#include <string>

#include "sim/attribution/Result.h"
#include "sim/isa/Result.h"

namespace smreplay::tool {

// Errors (exit 4): file-missing, those of views::from_json, and result-account where the accounts of the result do not
// close, as those of every run do.
Result<attribution::Result> read_result(const std::string& file);

}  // namespace smreplay::tool
