// A difference as a short paragraph, for people in a hurry.
//
//   B (v1 split.c96) is 1.31x slower than A (v0 split.c96): 98,765 cycles against 75,393, +31.0 % of the issue slots of
//   A. The largest parts: +23.1 % long_scoreboard at split.cu:88 (mostly before DEPBAR.LE at 0x12e0), because each warp
//   instruction there costs 12.4 slots of it instead of 5.1; ... Against it: -2.0 % barrier at split.cu:93, because ...
//   B executes 12.0 % more warp instructions (LDL +1,204,224, STL +602,112). Beside it: warps per SM 4 -> 8, ...
//
// "because" is arithmetic, not a guess: a term is (instructions executed there) x (slots for each), and the factor that
// moved the term more is named. What the counters say stands behind "Beside it": it goes along, it is not proven to
// cause.
#pragma once

#include <string>

#include "sim/views/DiffFormat.h"

namespace smreplay::views {

struct DiffWordsOptions {
  size_t with_it = 3;              // parts in the direction of the difference
  size_t against_it = 2;           // parts in the other direction
  double least_of_greatest = 0.1;  // parts below this share of the greatest are not worth a word
};

// How a run is called in the text; the label stands in brackets where the name is first said.
struct DiffName {
  std::string name, label;
};

// One line without a newline.
std::string diff_words(const attribution::Diff& diff, const DiffName& a, const DiffName& b,
                       const DiffWordsOptions& options = {});

}  // namespace smreplay::views
