// docs/MACHINES.md lists what nobody measured; the list must be the files'. This test prints the text that belongs
// there.
#include <gtest/gtest.h>

#include "sim/machine/MachineConfig.h"
#include "tests/unit/machine/TestMachines.h"

namespace smreplay::machine {
namespace {

TEST(MachineDocument, ListsTheAssumedParameters) {
  const std::string document = file_text("docs/MACHINES.md");
  for (const std::string name : kBuiltIn) {
    const Result<MachineConfig> config = MachineConfig::load(name);
    ASSERT_TRUE(config) << config.error().text();
    const std::string table = assumed_table(*config);
    EXPECT_NE(document.find(table), std::string::npos)
        << "docs/MACHINES.md is out of date: the table of " << name << " must read\n"
        << table;
  }
}

}  // namespace
}  // namespace smreplay::machine
