// The unloaded latencies of the parts add up to the pointer chases that were published (docs/MACHINES.md; the heads of
// the machine files have the same sums).
#include <gtest/gtest.h>

#include "sim/engine/Clock.h"
#include "sim/machine/LoadMachine.h"

namespace smreplay::machine {
namespace {

using engine::ClockRatio;

uint64_t l1_hit(const Machine& m) { return m.of(isa::TimingClass::ldg).latency_64; }

uint64_t l2_hit(const Machine& m) {
  const ClockRatio to_core(m.l2.clock_khz, m.core_clock_khz);
  return m.memory.miss_base_cycles + m.interconnect.request_cycles + to_core.ceil(m.l2.slice_cycles) +
         m.interconnect.reply_cycles + m.memory.fill_to_use_cycles;
}

// A row conflict: a chase over more than the open rows hold finds the bank open on another row.
uint64_t dram_access(const Machine& m) {
  const ClockRatio to_core(m.l2.clock_khz, m.core_clock_khz);
  const ClockRatio dram_to_core(m.dram.clock_khz, m.core_clock_khz);
  return l2_hit(m) + to_core.ceil(m.l2.miss_cycles) + m.dram.controller_cycles +
         dram_to_core.ceil(m.dram.rp + m.dram.rcd_read + m.dram.cl + m.dram.burst_ticks);
}

TEST(LatencySum, RtxPro6000) {
  const Result<Machine> m = load_machine("rtx_pro_6000");
  ASSERT_TRUE(m) << m.error().text();
  // MDK's chase has about this much address arithmetic in each step: 39.6 where RRZE's bare chase has 32.0.
  constexpr uint64_t kAddressArithmetic = 7;
  EXPECT_EQ(l1_hit(*m) + kAddressArithmetic, 44U);        // 44.1 measured
  EXPECT_EQ(l2_hit(*m) + kAddressArithmetic, 352U);       // 352 measured
  EXPECT_EQ(dram_access(*m) + kAddressArithmetic, 860U);  // 856 to 864 measured
}

TEST(LatencySum, H200) {
  const Result<Machine> m = load_machine("h200");
  ASSERT_TRUE(m) << m.error().text();
  // configs/measurements/h200-2026-11-30, docs/CALIBRATION.md.
  EXPECT_EQ(l1_hit(*m), 32U);                                 // 32.0 measured
  EXPECT_EQ(l2_hit(*m), 280U);                                // 280 measured, lines of the near half or copied there
  EXPECT_EQ(dram_access(*m), 530U);                           // 530 measured, near half
  EXPECT_EQ(dram_access(*m) + m->l2.far_extra_cycles, 710U);  // 710 measured, far half
}

TEST(LatencySum, Bandwidths) {
  const Result<Machine> rtx = load_machine("rtx_pro_6000"), h200 = load_machine("h200");
  ASSERT_TRUE(rtx && h200);
  const auto dram_gb_s = [](const Machine& m) {
    return static_cast<double>(m.dram.channels) * m.dram.burst_bytes / m.dram.burst_ticks *
           static_cast<double>(m.dram.clock_khz) / 1e6;
  };
  const auto l2_tb_s = [](const Machine& m) {
    return static_cast<double>(m.l2.slices) * m.l2.slice_sectors_per_cycle * 32 * static_cast<double>(m.l2.clock_khz) /
           1e9;
  };
  EXPECT_DOUBLE_EQ(dram_gb_s(*rtx), 1792);   // data sheet
  EXPECT_NEAR(dram_gb_s(*h200), 4814, 0.5);  // 6016 bits at 3201 MHz by the driver; data sheet: 4800
  EXPECT_NEAR(l2_tb_s(*rtx), 8.7, 0.05);     // measured
  EXPECT_NEAR(l2_tb_s(*h200), 10.25, 0.05);  // slices and clock from counters; 9.7 measured through the SMs
}

}  // namespace
}  // namespace smreplay::machine
