// The result on one screen: what ran, how long it took and why. Plain text, at most 110 columns.
//
//   sparse_mla_split, launch c96, cold caches, on RTX PRO 6000 Blackwell
//   Time       98,765 cycles, 40.8 us at 2.42 GHz; 1,234,567 warp instructions
//   Waves      576 CTAs: 3 full waves of 188 and 12 more; SM active 97.0 %
//   Tail       7,012 cycles (7.1 %) from the first SM that has run out of work to the end
//   ...
//   State               issue slots              warp-cycles
//   selected                 14.2 %  #.........       14.2 %
//   long_scoreboard          51.0 %  #####.....       51.3 %
//
// Shares of issue slots answer "where did the time go"; shares of warp-cycles answer "what did the warps do".
#pragma once

#include <cstddef>
#include <string>

#include "sim/attribution/Result.h"

namespace smreplay::views {

struct TextOptions {
  size_t top_instructions = 8;
  size_t top_waits = 6;
  size_t top_lines = 8;
};

std::string text_summary(const attribution::Result& result, const TextOptions& options = {});

}  // namespace smreplay::views
