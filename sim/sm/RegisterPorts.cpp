#include "sim/sm/RegisterPorts.h"

#include <algorithm>

namespace smreplay::sm {
namespace {
// Issue at t, Control at t + 1, Allocate at t + 2; reads happen in the cycles after Allocate.
constexpr uint32_t kFirstReadCycle = 3;
}  // namespace

void RegisterPorts::move_to(engine::Cycle now) {
  if (now - base_ >= kHorizon) {
    for (auto& bank : used_) bank.fill(0);
  } else {
    for (engine::Cycle c = base_; c < now; ++c) {
      for (auto& bank : used_) bank[c % kHorizon] = 0;
    }
  }
  base_ = now;
}

bool RegisterPorts::fits(uint32_t bank, uint32_t offset, uint32_t window, uint32_t count) const {
  uint32_t free = 0;
  for (uint32_t c = 0; c < window; ++c) free += spec_->read_ports - used_[bank][(base_ + offset + c) % kHorizon];
  return free >= count;
}

void RegisterPorts::take(uint32_t bank, uint32_t offset, uint32_t count) {
  for (uint32_t c = 0; count > 0; ++c) {
    uint8_t& used = used_[bank][(base_ + offset + c) % kHorizon];
    const uint32_t n = std::min(count, spec_->read_ports - used);
    used = static_cast<uint8_t>(used + n);
    count -= n;
  }
}

uint32_t RegisterPorts::reserve(const StaticInstruction& instruction, uint16_t warp, engine::Cycle now) {
  if (instruction.port_reads.empty()) return 0;
  move_to(now);
  std::array<uint32_t, kBanks> need{};
  for (const PortRead& read : instruction.port_reads) {
    const uint32_t bank = read.reg % spec_->banks;
    CacheEntry& entry = cache_[bank][read.slot];
    const bool hit = entry.warp == warp && entry.reg == read.reg;
    if (!hit) ++need[bank];
    // A read of the same bank and position without .reuse drops what was kept there.
    entry = read.reuse ? CacheEntry{warp, read.reg} : CacheEntry{};
  }
  const uint32_t window = instruction.mma ? spec_->read_window_mma : spec_->read_window;
  uint32_t held = 0;
  const auto all_fit = [&] {
    for (uint32_t bank = 0; bank < spec_->banks; ++bank) {
      if (!fits(bank, kFirstReadCycle + held, window, need[bank])) return false;
    }
    return true;
  };
  // An instruction that needs more reads than a window has alone widens it.
  while (held < kHorizon / 2 && !all_fit()) ++held;
  for (uint32_t bank = 0; bank < spec_->banks; ++bank) take(bank, kFirstReadCycle + held, need[bank]);
  return held;
}

}  // namespace smreplay::sm
