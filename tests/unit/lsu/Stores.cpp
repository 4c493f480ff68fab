// A load that hits the L1 behind stores of its warp, against an H200.
//
// Measured on an H200 (driver 580.159.04, core clock 1980 MHz, 2026-12-01): K stores of 128 bits a lane, then a load of
// a line that is in the L1, by one warp and by one warp in each of four sub-cores; cycles by which the stores delay the
// first warp's result. One store's operands cross to the SM in 12 cycles, its 512 bytes leave for the L2 in 16.
#include <gtest/gtest.h>

#include <cstdio>
#include <vector>

#include "tests/unit/lsu/LsuHarness.h"

namespace smreplay::sm::test {
namespace {

constexpr uint64_t kLoaded = 1U << 20U;
constexpr uint32_t kStoreBytes = 512;  // of a warp
constexpr Cycle kStart = 2000;         // the loaded lines are there
constexpr Cycle kStep = 4;             // between a warp's stores: what ptxas leaves

struct Reading {
  uint32_t subcores, stores;
  double delay;
};

Cycle result_behind(uint32_t subcores, uint32_t stores) {
  Harness h(machine_named("h200"));
  const auto of = [&](MemoryOp op, uint32_t s) {
    op.subcore = static_cast<uint8_t>(s);
    op.warp = static_cast<uint16_t>(s);
    return op;
  };
  for (uint32_t s = 0; s < subcores; ++s) h.push(of(h.load(4, kLoaded + 4096 * s, 4), s), 1 + s);
  std::vector<uint32_t> left(subcores, stores + 1);
  std::vector<Cycle> from(subcores, kStart);
  uint32_t first = 0, open = subcores;
  for (Cycle now = kStart; open > 0; ++now) {
    h.run_until(now + 1);
    for (uint32_t s = 0; s < subcores; ++s) {
      if (left[s] == 0 || now < from[s] || !h.unit().has_room(static_cast<uint8_t>(s))) continue;
      MemoryOp op = h.store(16, (uint64_t{s} * stores + left[s]) * kStoreBytes, 16);
      op.operand_registers = 6;
      if (left[s] == 1) {
        op = h.load(4, kLoaded + 4096 * s, 4);
        op.operand_registers = 2;
      }
      const uint32_t token = h.push(of(op, s), now);
      if (left[s] == 1 && s == 0) first = token;
      from[s] = now + kStep;
      if (--left[s] == 0) --open;
    }
  }
  h.drain();
  return h.time(first, EventKind::kResultWritten);
}

TEST(Stores, ALoadBehindThemWaitsAsOnAnH200) {
  const Reading readings[] = {{1, 4, 55},   {1, 8, 103}, {1, 16, 199}, {1, 24, 295}, {1, 32, 403},
                              {1, 48, 659}, {4, 4, 123}, {4, 8, 363},  {4, 12, 635}, {4, 16, 875}};
  constexpr double kCycles = 40;  // two of the ten are 38 off, the others at most 22
  for (const Reading& r : readings) {
    const auto delay = static_cast<double>(result_behind(r.subcores, r.stores) - result_behind(r.subcores, 0));
    std::printf("%u sub-cores, %2u stores: %3.0f cycles, H200 %3.0f\n", r.subcores, r.stores, delay, r.delay);
    EXPECT_NEAR(delay, r.delay, kCycles) << r.subcores << " sub-cores, " << r.stores << " stores";
  }
}

}  // namespace
}  // namespace smreplay::sm::test
