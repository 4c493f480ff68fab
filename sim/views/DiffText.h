// Two or more results beside each other on a screen: what was compared, the difference in words, and its terms by
// state, by source line and by instruction. All shares are of the first run's elapsed issue slots.
//
//   A  v0 split.c96   75,393 cycles  28.8 us   sparse_mla_split on RTX PRO 6000 Blackwell, cold caches
//   B  v1 split.c96   98,765 cycles  37.7 us   ...
//
//   B is 1.31x slower than A: ...
//
//   State                     A   B - A
//   selected             14.2 %  +1.2 %
//   ...
#pragma once

#include <string>
#include <vector>

#include "sim/attribution/Diff.h"
#include "sim/views/DiffFormat.h"

namespace smreplay::views {

struct DiffTextOptions {
  size_t top_lines = 8;
  size_t top_instructions = 10;
};

// diffs[i] compares inputs[0] with inputs[i + 1].
std::string diff_text(const std::vector<DiffInput>& inputs, const std::vector<attribution::Diff>& diffs,
                      const DiffTextOptions& options = {});

}  // namespace smreplay::views
