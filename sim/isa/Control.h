// The control code of a 128-bit SASS instruction (Volta to Blackwell), bits 105..125.
//
// Source: decoded from ptxas output for sm_90 and sm_120; field names follow Huerta et al., MICRO 2025.
#pragma once

#include <cstdint>

namespace smreplay::isa {

inline constexpr int kScoreboards = 6;
inline constexpr uint8_t kNoScoreboard = 7;

struct Control {
  uint8_t stall = 0;                         // cycles until this warp may issue again, 0..15
  bool yield = false;                        // bit 109 is stored inverted; true: the warp yields the next cycle
  uint8_t write_scoreboard = kNoScoreboard;  // counter released when the result is written; 7: none
  uint8_t read_scoreboard = kNoScoreboard;   // counter released when the sources have been read; 7: none
  uint8_t wait_mask = 0;                     // bit i: scoreboard i must be zero before issue
  uint8_t reuse = 0;                         // bit i: operand slot i (A, B, C, fourth) is kept in the reuse cache

  friend bool operator==(const Control&, const Control&) = default;
};

constexpr Control decode_control(uint64_t high_word) {
  const uint64_t c = high_word >> 41U;
  return Control{static_cast<uint8_t>(c & 15U),          ((c >> 4U) & 1U) == 0,
                 static_cast<uint8_t>((c >> 5U) & 7U),   static_cast<uint8_t>((c >> 8U) & 7U),
                 static_cast<uint8_t>((c >> 11U) & 63U), static_cast<uint8_t>((c >> 17U) & 15U)};
}

}  // namespace smreplay::isa
