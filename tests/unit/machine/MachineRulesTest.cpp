// Each rule between values: a machine that breaks it is refused, and the error points at the key.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sim/machine/MachineConfig.h"
#include "sim/machine/MachineRules.h"
#include "tests/unit/machine/TestMachines.h"

namespace smreplay::machine {
namespace {

struct Case {
  std::vector<std::string> overrides;
  const char* key;  // that the first error must name
};

TEST(MachineRules, BuiltInMachinesAreConsistent) {
  for (const std::string name : kBuiltIn) {
    for (const Error& error : validate_machine(name)) ADD_FAILURE() << error.text();
  }
}

TEST(MachineRules, EachIsEnforced) {
  const std::vector<Case> cases = {
      {{"occupancy.carveouts=0,16KiB,8KiB,100KiB"}, "occupancy.carveouts"},
      {{"occupancy.carveouts=0,8KiB,64KiB"}, "occupancy.carveouts"},
      {{"memory.l1_ways=48"}, "occupancy.carveouts"},
      {{"occupancy.shared_per_cta_optin=100KiB"}, "occupancy.shared_per_cta_optin"},
      {{"occupancy.shared_per_cta_default=100KiB"}, "occupancy.shared_per_cta_default"},
      {{"occupancy.max_warps=50"}, "occupancy.max_warps"},
      {{"occupancy.max_threads_per_cta=1000"}, "occupancy.max_threads_per_cta"},
      {{"occupancy.register_unit=300"}, "occupancy.registers"},
      {{"occupancy.registers_per_cta=131072"}, "occupancy.registers_per_cta"},
      {{"front_end.l0_ways=31"}, "front_end.l0_bytes"},
      {{"front_end.l1_ways=15"}, "front_end.l1_bytes"},
      {{"front_end.const_line_bytes=48"}, "front_end.const_l1_bytes"},
      {{"register_file.banks=3"}, "register_file.banks"},
      {{"memory.bank_count=33"}, "memory.bank_count"},
      {{"memory.bank_bytes=3"}, "memory.bank_bytes"},
      {{"l2.slices=63"}, "l2.bytes"},
      {{"l2.far_extra_cycles=10"}, "l2.far_extra_cycles"},
      {{"interconnect.gpcs=12", "sm_count=10"}, "interconnect.gpcs"},
      {{"dram.kind=ddr"}, "dram.kind"},
      {{"dram.bank_groups=3"}, "dram.banks"},
      {{"dram.row_bytes=2064", "dram.burst_bytes=32"}, "dram.row_bytes"},
      {{"dram.interleave_bytes=192"}, "dram.interleave_bytes"},
      {{"dram.interleave_bytes=64"}, "dram.interleave_bytes"},
      {{"dram.rc=80"}, "dram.rc"},
      {{"dram.ccd_l=1"}, "dram.ccd_l"},
      {{"dram.rrd_l=3"}, "dram.rrd_l"},
      {{"dram.wtr_l=3"}, "dram.wtr_l"},
      {{"dram.write_low=32"}, "dram.write_low"},
      {{"dram.queue_entries=16"}, "dram.write_low"},
      {{"dram.rfc_per_bank=300"}, "dram.rfc_per_bank"},
      {{"dram.rfc_all_bank=4000"}, "dram.rfc_all_bank"},
      {{"timing.ffma.latency=3"}, "timing.ffma.latency"},
      {{"hazards.raw.alu.alu=5"}, "timing.alu.latency"},
      {{"timing.umov.latency=1"}, "timing.umov.latency"},
      {{"timing.lds.latency=27"}, "timing.lds.latency"},
      {{"timing.stg.read_release_64=21"}, "timing.stg.read_release"},
  };
  for (const Case& c : cases) {
    const std::vector<Error> errors = validate_machine("rtx_pro_6000", c.overrides);
    ASSERT_FALSE(errors.empty()) << c.overrides.front();
    EXPECT_EQ(errors.front().code, "machine-inconsistent");
    EXPECT_EQ(errors.front().message.rfind(std::string(c.key) + " must ", 0), 0U)
        << c.overrides.front() << ": " << errors.front().message;
    // The place is the command line where the key itself was set, else the file's, with what was set beside it.
    if (c.overrides.front().starts_with(std::string(c.key) + "=")) {
      EXPECT_EQ(errors.front().file, "--set") << errors.front().text();
    } else {
      EXPECT_TRUE(errors.front().file == "--set" || errors.front().line > 0) << errors.front().text();
      EXPECT_TRUE(errors.front().file == "--set" ||
                  errors.front().message.find("--set " + c.overrides.front()) != std::string::npos)
          << errors.front().text();
    }
  }
}

TEST(MachineRules, AllBrokenOnesAreReported) {
  EXPECT_GE(validate_machine("h200", {"register_file.banks=3", "memory.bank_count=33", "dram.kind=ddr"}).size(), 3U);
}

}  // namespace
}  // namespace smreplay::machine
