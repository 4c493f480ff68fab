// The account of differences as JSON, versioned: fields may be added within a schema_version, none is renamed or
// removed. docs/DIFF.md describes it. The same inputs give the same bytes.
#pragma once

#include <string>
#include <vector>

#include "sim/attribution/Diff.h"
#include "sim/views/DiffFormat.h"

namespace smreplay::views {

inline constexpr int kDiffSchemaVersion = 1;

// diffs[i] compares inputs[0] with inputs[i + 1]. Instructions and lines that were never there in a slot are left out.
std::string diff_json(const std::vector<DiffInput>& inputs, const std::vector<attribution::Diff>& diffs,
                      const std::string& tool_version);

}  // namespace smreplay::views
