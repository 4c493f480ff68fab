// Each timing gate is tight: the later command is not ready a tick before the gate opens and ready when it does.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sim/memory/DramGates.h"

namespace smreplay::memory {
namespace {

using enum DramCommand;

constexpr uint32_t kBank = 0, kSameGroup = 1, kOtherGroup = 4;
constexpr uint32_t kGate = 1000;  // the gate under test; all others are 0
constexpr engine::Cycle kStart = 5;

struct Case {
  std::string name;
  uint32_t machine::Dram::*parameter;
  DramCommand first, second;
  std::vector<uint32_t> bound, free;  // banks of the second command that must wait, that need not
  engine::Cycle expected = kStart + kGate;
};

class DramGate : public testing::TestWithParam<Case> {};

TEST_P(DramGate, IsTight) {
  const Case& c = GetParam();
  machine::Dram dram;
  dram.banks = 16;
  dram.bank_groups = 4;
  dram.burst_ticks = 0;
  dram.*c.parameter = kGate;
  DramGates gates(dram);
  gates.issue(c.first, kBank, kStart, kGate);
  for (const uint32_t bank : c.bound) EXPECT_EQ(gates.earliest(c.second, bank), c.expected) << "bank " << bank;
  for (const uint32_t bank : c.free) EXPECT_LE(gates.earliest(c.second, bank), kStart) << "bank " << bank;
}

INSTANTIATE_TEST_SUITE_P(
    All, DramGate,
    testing::Values(
        Case{"rc", &machine::Dram::rc, kActivate, kActivate, {kBank}, {kSameGroup, kOtherGroup}},
        Case{"rrd_l", &machine::Dram::rrd_l, kActivate, kActivate, {kBank, kSameGroup}, {kOtherGroup}},
        Case{"rrd_s", &machine::Dram::rrd_s, kActivate, kActivate, {kBank, kSameGroup, kOtherGroup}, {}},
        Case{"ras", &machine::Dram::ras, kActivate, kPrecharge, {kBank}, {kSameGroup, kOtherGroup}},
        Case{"rcd_read", &machine::Dram::rcd_read, kActivate, kRead, {kBank}, {kSameGroup, kOtherGroup}},
        Case{"rcd_write", &machine::Dram::rcd_write, kActivate, kWrite, {kBank}, {kSameGroup, kOtherGroup}},
        Case{"rp", &machine::Dram::rp, kPrecharge, kActivate, {kBank}, {kSameGroup, kOtherGroup}},
        Case{"rp_refresh", &machine::Dram::rp, kPrecharge, kRefresh, {kBank}, {kSameGroup, kOtherGroup}},
        Case{"rfc", &machine::Dram::cl, kRefresh, kActivate, {kBank}, {kSameGroup, kOtherGroup}},
        Case{"rtp", &machine::Dram::rtp, kRead, kPrecharge, {kBank}, {kSameGroup, kOtherGroup}},
        Case{"ccd_l_read", &machine::Dram::ccd_l, kRead, kRead, {kBank, kSameGroup}, {kOtherGroup}},
        Case{"ccd_l_write", &machine::Dram::ccd_l, kWrite, kWrite, {kBank, kSameGroup}, {kOtherGroup}},
        Case{"ccd_s_read", &machine::Dram::ccd_s, kRead, kRead, {kBank, kSameGroup, kOtherGroup}, {}},
        Case{"ccd_s_write", &machine::Dram::ccd_s, kWrite, kWrite, {kBank, kSameGroup, kOtherGroup}, {}},
        Case{"burst_read", &machine::Dram::burst_ticks, kRead, kRead, {kBank, kSameGroup, kOtherGroup}, {}},
        Case{"burst_write", &machine::Dram::burst_ticks, kWrite, kWrite, {kBank, kSameGroup, kOtherGroup}, {}},
        Case{"rtw", &machine::Dram::rtw, kRead, kWrite, {kBank, kSameGroup, kOtherGroup}, {}},
        Case{"wtr_l", &machine::Dram::wtr_l, kWrite, kRead, {kBank, kSameGroup}, {kOtherGroup}},
        Case{"wtr_s", &machine::Dram::wtr_s, kWrite, kRead, {kBank, kSameGroup, kOtherGroup}, {}},
        Case{"wtr_cwl", &machine::Dram::cwl, kWrite, kRead, {kBank, kSameGroup, kOtherGroup}, {}},
        Case{"wtr_burst", &machine::Dram::burst_ticks, kWrite, kRead, {kBank, kSameGroup, kOtherGroup}, {}},
        Case{"wr", &machine::Dram::wr, kWrite, kPrecharge, {kBank}, {kSameGroup, kOtherGroup}},
        Case{"wr_cwl", &machine::Dram::cwl, kWrite, kPrecharge, {kBank}, {kSameGroup, kOtherGroup}},
        Case{"wr_burst", &machine::Dram::burst_ticks, kWrite, kPrecharge, {kBank}, {kSameGroup, kOtherGroup}}),
    [](const testing::TestParamInfo<Case>& info) { return info.param.name; });

TEST(DramGate, TheFifthActivateWaitsForTheWindow) {
  machine::Dram dram;
  dram.banks = 16;
  dram.bank_groups = 4;
  dram.rrd_s = 3;
  dram.faw = 50;
  DramGates gates(dram);
  for (uint32_t i = 0; i < 4; ++i) {
    EXPECT_EQ(gates.earliest(kActivate, i * 4), i * 3);
    gates.issue(kActivate, i * 4, i * 3);
  }
  EXPECT_EQ(gates.earliest(kActivate, 1), 50U);
  gates.issue(kActivate, 1, 50);
  EXPECT_EQ(gates.earliest(kActivate, 5), 53U);  // the second of the first four lets go at 53
}

}  // namespace
}  // namespace smreplay::memory
