// Register-file read ports and the register-file cache of one sub-core.
//
// A fixed-latency instruction reserves its operand reads at the Allocate stage, two cycles after issue, in a window of
// read_window cycles; each bank gives read_ports registers a cycle. If the window is full the instruction is held, and
// the pipeline behind it too. An operand whose previous read in the same position asked for `.reuse` comes from the
// cache and needs no port. Source: Huerta et al., MICRO 2025, sections on the register file and its cache (measured,
// Ampere).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/engine/Clock.h"
#include "sim/sm/StaticTable.h"

namespace smreplay::sm {

class RegisterPorts {
 public:
  explicit RegisterPorts(const machine::RegisterFileSpec& spec) : spec_(&spec) {}

  // Reserves the reads of `instruction` of `warp` issued at `now`; returns the cycles that it is held at Allocate.
  uint32_t reserve(const StaticInstruction& instruction, uint16_t warp, engine::Cycle now);

 private:
  static constexpr uint32_t kBanks = 4;  // upper bounds of what a machine file may ask for
  static constexpr uint32_t kSlots = 4;
  static constexpr uint32_t kHorizon = 64;
  struct CacheEntry {
    uint16_t warp = 0xffff;
    uint8_t reg = 0;
  };
  void move_to(engine::Cycle now);
  bool fits(uint32_t bank, uint32_t offset, uint32_t window, uint32_t count) const;
  void take(uint32_t bank, uint32_t offset, uint32_t count);

  const machine::RegisterFileSpec* spec_;
  engine::Cycle base_ = 0;
  std::array<std::array<uint8_t, kHorizon>, kBanks> used_{};  // ring by cycle: ports taken
  std::array<std::array<CacheEntry, kSlots>, kBanks> cache_{};
};

}  // namespace smreplay::sm
