// Machine files: every key stated with source and confidence; what is wrong is named with its place.
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "sim/machine/LoadMachine.h"
#include "sim/machine/MachineConfig.h"
#include "sim/machine/MachineFile.h"
#include "sim/machine/Schema.h"
#include "tests/unit/machine/TestMachines.h"

namespace smreplay::machine {
namespace {

Error error_of(const std::string& text) {
  const Result<MachineFile> file = parse_machine_file("test.txtpb", text);
  EXPECT_FALSE(file);
  if (file) return {};
  EXPECT_EQ(file.error().exit, ExitCode::kBadConfiguration);
  EXPECT_EQ(file.error().file, "test.txtpb");
  return file.error();
}

TEST(MachineFile, BuiltInMachinesLoadByNameAndByPath) {
  EXPECT_EQ(machine_names(), std::vector<std::string>({"h200", "rtx_pro_6000"}));
  for (const std::string name : kBuiltIn) {
    const Result<Machine> built_in = load_machine(name);
    ASSERT_TRUE(built_in) << built_in.error().text();
    const Result<Machine> file = load_machine("configs/machines/" + name + ".txtpb");
    ASSERT_TRUE(file) << file.error().text();
    EXPECT_EQ(built_in->hash, file->hash);
    EXPECT_EQ(built_in->hash.size(), 64U);
  }
}

TEST(MachineFile, EveryKeyHasSourceConfidenceAndRange) {
  for (const std::string name : kBuiltIn) {
    const Result<MachineConfig> config = MachineConfig::load(name);
    ASSERT_TRUE(config) << config.error().text();
    EXPECT_EQ(config->keys().size(), all_keys().size());
    for (const std::string& key : config->keys()) {
      const Result<Explanation> e = config->explain(key);
      ASSERT_TRUE(e) << e.error().text();
      EXPECT_FALSE(e->sources.empty()) << key;
      EXPECT_NE(e->confidence, "CONFIDENCE_UNKNOWN") << key;
      EXPECT_GT(e->line, 0) << key;
      EXPECT_EQ((e->exact ? 1 : 0) + (e->either ? 1 : 0) + (e->low.empty() ? 0 : 1), 1) << key;
      const Result<Range> range = config->range(key);
      ASSERT_TRUE(range) << key;
      ASSERT_EQ(range->low.size(), range->value.size()) << key;
      ASSERT_EQ(range->high.size(), range->value.size()) << key;
      for (size_t i = 0; i < range->value.size(); ++i) {
        EXPECT_LE(range->low[i], range->value[i]) << key;
        EXPECT_LE(range->value[i], range->high[i]) << key;
      }
    }
  }
}

TEST(MachineFile, NothingThatIsOnlyAssumedIsExactUnlessThePartHasNoSuchThing) {
  for (const std::string name : kBuiltIn) {
    const Result<MachineConfig> config = MachineConfig::load(name);
    ASSERT_TRUE(config);
    for (const std::string& key : config->assumed()) {
      const Result<Explanation> e = config->explain(key);
      ASSERT_TRUE(e);
      EXPECT_TRUE(!e->exact || e->note.find("not used") != std::string::npos) << name << " " << key;
    }
  }
}

TEST(MachineFile, WhatRestsOnAGuessOrAnUnreviewedSourceAloneIsAssumed) {
  const std::set<std::string> weak = {"GUESS", "ZB", "M25SIM", "ASH"};
  for (const std::string name : kBuiltIn) {
    const Result<MachineConfig> config = MachineConfig::load(name);
    ASSERT_TRUE(config);
    for (const std::string& key : config->keys()) {
      const Result<Explanation> e = config->explain(key);
      ASSERT_TRUE(e);
      if (!weak.contains(e->source) && e->source.find("GUESS") == std::string::npos) continue;
      EXPECT_EQ(e->confidence, "ASSUMED") << name << " " << key << " from " << e->source;
    }
  }
}

TEST(MachineFile, EverySourceIsUsed) {
  for (const std::string name : kBuiltIn) {
    const Result<MachineFile> file = parse_machine_file(name, machine_text(name));
    ASSERT_TRUE(file) << file.error().text();
    const Result<MachineConfig> config = MachineConfig::load(name);
    ASSERT_TRUE(config);
    std::string named;
    for (const std::string& key : config->keys()) named += config->explain(key)->source + ", ";
    for (const spec::Source& source : file->spec.sources()) {
      EXPECT_NE(named.find(source.key() + ", "), std::string::npos) << name << ": " << source.key();
    }
  }
}

TEST(MachineFile, UnknownKeyNamesTheNearest) {
  const std::string good = machine_text();
  const Error error = error_of(edited(good, "\nl2 {", "slices", "slizes"));
  EXPECT_EQ(error.code, "machine-unknown-key");
  EXPECT_EQ(error.message, "unknown key 'slizes'; did you mean 'slices'?");
  EXPECT_EQ(error.line, line_of(good, "  slices {"));
  EXPECT_EQ(error.column, 3);
}

TEST(MachineFile, MissingKeyIsNamedAtItsGroup) {
  const std::string good = machine_text();
  const std::string line = "  far_extra_cycles { value: 0 unit: \"cycle\"";
  const size_t begin = good.find(line);
  ASSERT_NE(begin, std::string::npos);
  std::string text = good;
  text.erase(begin, good.find("\n  ", begin + 1) - begin);
  const Error error = error_of(text);
  EXPECT_EQ(error.code, "machine-missing-key");
  EXPECT_EQ(error.message, "key 'l2.far_extra_cycles' is missing");
  EXPECT_EQ(error.line, line_of(good, "\nl2 {") + 1);
}

TEST(MachineFile, WrongType) {
  const std::string good = machine_text();
  const int line = line_of(good, "sm_count {");
  for (const char* value : {"\"many\"", "-1", "1.5", "true", "99999999999999999999999"}) {
    const Error error = error_of(edited(good, "sm_count {", "value: 188", std::string("value: ") + value));
    EXPECT_EQ(error.code, "machine-type") << value << ": " << error.text();
    EXPECT_EQ(error.line, line) << value;
    EXPECT_GT(error.column, 1) << value;
  }
}

TEST(MachineFile, OutOfRange) {
  const std::string good = machine_text();
  const Error error = error_of(edited(good, "sm_count {", "value: 188", "value: 0"));
  EXPECT_EQ(error.code, "machine-range");
  EXPECT_EQ(error.message, "sm_count: 0 SM is outside the allowed range 1 to 1024 SM");
  EXPECT_EQ(error.line, line_of(good, "sm_count {"));
  EXPECT_EQ(error.column, 12);
}

TEST(MachineFile, UnitOfAnotherKind) {
  const Error error = error_of(edited(machine_text(), "\nl2 {", "\"MiB\"", "\"MHz\""));
  EXPECT_EQ(error.code, "machine-unit");
  EXPECT_EQ(error.message, "l2.bytes: unit 'MHz' does not convert to 'byte'");
}

TEST(MachineFile, NoSourceUnknownSourceNoConfidence) {
  const std::string good = machine_text();
  EXPECT_EQ(error_of(edited(good, "sm_count {", " source: \"CNC, DS\"", "")).code, "machine-source");
  EXPECT_EQ(error_of(edited(good, "sm_count {", " confidence: VENDOR", "")).code, "machine-source");
  const Error error = error_of(edited(good, "sm_count {", "\"CNC, DS\"", "\"CNC, DX\""));
  EXPECT_EQ(error.code, "machine-source");
  EXPECT_NE(error.message.find("'DX'"), std::string::npos) << error.message;
}

TEST(MachineFile, LowAboveValue) {
  EXPECT_EQ(error_of(edited(machine_text(), "core_clock {", "low: 2400", "low: 2650")).code, "machine-range");
}

TEST(MachineFile, ExactlyOneRange) {
  const std::string good = machine_text();
  const Error none = error_of(edited(good, "sm_count {", " exact: true", ""));
  EXPECT_EQ(none.code, "machine-no-range");
  EXPECT_EQ(none.message, "sm_count: needs a range: low and high, or exact: true where the value is no estimate");
  EXPECT_EQ(none.line, line_of(good, "sm_count {"));
  EXPECT_EQ(error_of(edited(good, "core_clock {", "low: 2400", "low: 2400 exact: true")).code, "machine-no-range");
  EXPECT_EQ(error_of(edited(good, "  kind {", " exact: true", "")).code, "machine-no-range");
  EXPECT_EQ(error_of(edited(good, "  refresh_per_bank {", " either: true", "")).code, "machine-no-range");
}

TEST(MachineFile, BoundsOfAList) {
  const std::string good = machine_text();
  EXPECT_EQ(error_of(edited(good, "  membar_cycles {", "low: [7, 186, 920]", "low: [7, 186]")).code, "machine-range");
  EXPECT_EQ(error_of(edited(good, "  membar_cycles {", "low: [7, 186, 920]", "")).code, "machine-range");
  EXPECT_EQ(error_of(edited(good, "  membar_cycles {", "low: [7, 186", "low: [7, 187")).code, "machine-range");
  EXPECT_EQ(error_of(edited(good, "  membar_cycles {", "high: [53, 285, 2900]", "high: [53, 285, 200000]")).code,
            "machine-range");
}

TEST(MachineFile, BrokenText) {
  for (const std::string text : {"sm_count {", "}", "\x01\x02", "sm { value: 90", "sm: 90"}) {
    const Error error = error_of(text);
    EXPECT_TRUE(error.code == "machine-syntax" || error.code == "machine-type") << text << ": " << error.text();
  }
  EXPECT_EQ(error_of("").code, "machine-missing-key");
  const std::string good = machine_text();
  EXPECT_EQ(error_of(good + "sm { value: 90 }").code, "machine-syntax");                    // stated twice
  for (size_t cut = 0; cut < good.size(); cut += 997) (void)error_of(good.substr(0, cut));  // truncated anywhere
}

TEST(MachineFile, MissingFileAndUnknownName) {
  const Result<Machine> no_file = load_machine("no/such/file.txtpb");
  ASSERT_FALSE(no_file);
  EXPECT_EQ(no_file.error().code, "machine-not-found");
  EXPECT_EQ(no_file.error().exit, ExitCode::kBadConfiguration);
  const Result<Machine> no_name = load_machine("h20");
  ASSERT_FALSE(no_name);
  EXPECT_NE(no_name.error().message.find("did you mean 'h200'?"), std::string::npos) << no_name.error().message;
  EXPECT_FALSE(load_machine("configs/machines/"));  // a folder
}

}  // namespace
}  // namespace smreplay::machine
