// A Result as JSON, and back. The format is versioned: fields may be added within a schema_version, none is renamed or
// removed. docs/FORMATS.md describes it. Stall states stand by name, those that are 0 left out.
#pragma once

#include <string>

#include "sim/attribution/Result.h"
#include "sim/isa/Result.h"

namespace smreplay::views {

// The same Result gives the same bytes.
std::string to_json(const attribution::Result& result);

// Errors (exit 4), with `file` as place: result-syntax, result-version, result-field (missing, or of another type).
Result<attribution::Result> from_json(const std::string& text, const std::string& file);

}  // namespace smreplay::views
