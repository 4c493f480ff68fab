// The launch files behind experiment cells: what a GPU has to run to measure the same.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/experiment/Cell.h"

namespace smreplay::tool {

// <folder>/<capture>/{split,combine}.<cell>.launch.txtpb, beside copies of the capture's Programs and cubins, as a
// launch file wants them; gives a list "capture cell key" as text. Cells without a binary are left out.
Result<std::string> write_launches(const std::filesystem::path& captures,
                                   const std::vector<experiment::CellRequest>& cells, const machine::Machine& machine,
                                   const std::filesystem::path& folder);

}  // namespace smreplay::tool
