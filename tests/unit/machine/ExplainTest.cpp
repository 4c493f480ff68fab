// What `config explain`, `show` and `diff` are made of.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

#include "sim/machine/MachineConfig.h"
#include "sim/machine/MachineFile.h"
#include "sim/machine/Schema.h"
#include "tests/unit/machine/TestMachines.h"

namespace smreplay::machine {
namespace {

TEST(Explain, EveryKeyIsDocumentedInTheSchema) {
  for (const Key& key : all_keys()) EXPECT_FALSE(documentation(key).empty()) << key.path;
}

TEST(Explain, DocumentationIsTheCommentOfTheField) {
  EXPECT_EQ(documentation(*find_key("sm_count")), "SMs that are enabled on the part.");
}

TEST(Explain, OneKey) {
  const Result<MachineConfig> config = MachineConfig::load("rtx_pro_6000");
  ASSERT_TRUE(config);
  const Result<Explanation> e = config->explain("l2.bytes");
  ASSERT_TRUE(e);
  EXPECT_EQ(e->value, "128");
  EXPECT_EQ(e->unit, "MiB");
  EXPECT_EQ(e->confidence, "VENDOR");
  EXPECT_EQ(e->source, "DS, MDK");
  ASSERT_EQ(e->sources.size(), 2U);
  EXPECT_EQ(e->sources[1].rfind("MDK: ", 0), 0U);
  const std::string shown = text(*e);
  for (const char* part : {"l2.bytes = 128 MiB", "Capacity.", "VENDOR", "configs/machines/rtx_pro_6000.txtpb:"}) {
    EXPECT_NE(shown.find(part), std::string::npos) << part << " in\n" << shown;
  }
}

TEST(Explain, RangesAsTheyAreWrittenAndInCanonicalUnits) {
  const Result<MachineConfig> config = MachineConfig::load("rtx_pro_6000");
  ASSERT_TRUE(config);
  EXPECT_EQ(range_text(*config->explain("core_clock")), "2400 to 2700 MHz");
  EXPECT_EQ(range_text(*config->explain("l2.bytes")), "exact");
  EXPECT_EQ(range_text(*config->explain("dram.refresh_per_bank")), "true or false");
  EXPECT_EQ(range_text(*config->explain("memory.membar_cycles")), "7, 186, 920 to 53, 285, 2900 cycle");
  EXPECT_NE(text(*config->explain("l2.slice_cycles")).find("for the sum that it closes"), std::string::npos);
  const Result<Range> l0 = config->range("front_end.l0_bytes");
  ASSERT_TRUE(l0);
  EXPECT_EQ(l0->low, std::vector<uint64_t>({8192}));
  EXPECT_EQ(l0->step, 1024U);
  EXPECT_TRUE(l0->moves());
  EXPECT_FALSE(config->range("l2.bytes")->moves());
  EXPECT_TRUE(config->range("dram.address_map")->choice);
  EXPECT_TRUE(config->range("name")->value.empty());
  EXPECT_EQ(config->range("dram.chanels").error().code, "machine-unknown-key");
}

TEST(Explain, WhatIsSetForARunHasNoRange) {
  const Result<MachineConfig> config = MachineConfig::load("rtx_pro_6000", {"l2.slice_cycles=61"});
  ASSERT_TRUE(config);
  EXPECT_EQ(range_text(*config->explain("l2.slice_cycles")), "exact");
  EXPECT_FALSE(config->range("l2.slice_cycles")->closes);
  const Result<MachineConfig> further = config->with({"l2.miss_cycles=61"});
  ASSERT_TRUE(further);
  EXPECT_EQ(further->hash(), MachineConfig::load("rtx_pro_6000", {"l2.slice_cycles=61", "l2.miss_cycles=61"})->hash());
  EXPECT_FALSE(config->with({"l2.ways=7"}));
}

TEST(Explain, OneCellOfTheHazardTable) {
  const Result<MachineConfig> config = MachineConfig::load("rtx_pro_6000");
  ASSERT_TRUE(config);
  const Result<Explanation> e = config->explain("hazards.raw_predicate.dual.branch");
  ASSERT_TRUE(e) << e.error().text();
  EXPECT_EQ(e->value, "13");
  EXPECT_EQ(e->documentation, "Producer ISETP, FSETP. Consumer group branch.");
  EXPECT_GT(e->line, 0);
}

TEST(Explain, UnknownKeyNamesTheNearest) {
  const Result<MachineConfig> config = MachineConfig::load("h200");
  ASSERT_TRUE(config);
  const Result<Explanation> e = config->explain("dram.chanels");
  ASSERT_FALSE(e);
  EXPECT_EQ(e.error().message, "unknown key 'dram.chanels'; did you mean 'dram.channels'?");
  EXPECT_EQ(config->keys("l2").front(), "l2.bytes");
  EXPECT_EQ(config->keys("l2.bytes").size(), 1U);
  EXPECT_TRUE(config->keys("l3").empty());
}

TEST(EffectiveText, LoadsAgainWithTheSameHash) {
  for (const std::string name : kBuiltIn) {
    const Result<MachineConfig> config = MachineConfig::load(name, {"sm_count=100", "core_clock=2GHz"});
    ASSERT_TRUE(config) << config.error().text();
    const std::string path = testing::TempDir() + "/effective_" + name + ".txtpb";
    std::ofstream(path) << config->effective_text();
    const Result<MachineConfig> again = MachineConfig::load(path);
    std::remove(path.c_str());
    ASSERT_TRUE(again) << again.error().text();
    EXPECT_EQ(again->hash(), config->hash());
    EXPECT_TRUE(diff_machines(*config, *again).empty());
  }
}

TEST(Hash, DependsOnValuesAlone) {
  const std::string path = testing::TempDir() + "/respelled.txtpb";
  std::string respelled =
      edited(machine_text("h200"), "core_clock {", "value: 1980 unit: \"MHz\"", "value: 1980000 unit: \"kHz\"");
  std::ofstream(path) << "# another comment\n"
                      << edited(respelled, "core_clock {", "confidence: VENDOR", "confidence: MEASURED");
  const Result<MachineConfig> config = MachineConfig::load(path), built_in = MachineConfig::load("h200");
  std::remove(path.c_str());
  ASSERT_TRUE(config) << config.error().text();
  ASSERT_TRUE(built_in);
  EXPECT_EQ(config->hash(), built_in->hash());
}

TEST(Diff, NamesWhatDiffersInCanonicalUnits) {
  const Result<MachineConfig> left = MachineConfig::load("rtx_pro_6000");
  const Result<MachineConfig> right = MachineConfig::load("rtx_pro_6000", {"core_clock=2GHz", "sm_count=170"});
  ASSERT_TRUE(left && right);
  const std::vector<Difference> differences = diff_machines(*left, *right);
  ASSERT_EQ(differences.size(), 2U);
  EXPECT_EQ(differences[0].key, "sm_count");
  EXPECT_EQ(differences[1].left, "2617000");
  EXPECT_EQ(differences[1].right, "2000000");
  EXPECT_EQ(differences[1].unit, "kHz");
  EXPECT_EQ(text(differences), "sm_count    188 -> 170 SM\ncore_clock  2617000 -> 2000000 kHz\n");
}

}  // namespace
}  // namespace smreplay::machine
