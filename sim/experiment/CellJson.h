// A CellResult as compact JSON: what the cache keeps and what prediction files hold.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sim/experiment/Cell.h"

namespace smreplay::experiment {

inline constexpr int kCellSchemaVersion = 2;

std::string to_json(const CellResult& cell);

// Nothing where the text is no cell of this schema: a cache entry that cannot be read is computed anew.
std::optional<CellResult> cell_from_json(std::string_view text);

}  // namespace smreplay::experiment
