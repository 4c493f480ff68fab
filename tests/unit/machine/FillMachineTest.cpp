// Every key of the schema reaches the Machine, and every timing class has its place in the schema.
#include <gtest/gtest.h>

#include <string>

#include "sim/machine/FillMachine.h"
#include "sim/machine/LoadMachine.h"
#include "sim/machine/MachineFile.h"
#include "sim/machine/Schema.h"
#include "tests/unit/machine/TestMachines.h"

namespace smreplay::machine {
namespace {

template <class T>
void add(std::string& bytes, const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}
// The bytes from one member up to another of the same struct; no padding lies between those used here.
template <class A, class B>
void add_between(std::string& bytes, const A& first, const B& end) {
  bytes.append(reinterpret_cast<const char*>(&first), reinterpret_cast<const char*>(&end));
}
void add(std::string& bytes, const std::vector<std::vector<uint32_t>>& matrix) {
  for (const auto& row : matrix) {
    for (const uint32_t cycles : row) add(bytes, cycles);
  }
}

// All values of a machine as bytes: two machines with one fingerprint are equal to the model.
std::string fingerprint(const Machine& m) {
  std::string bytes = m.name + '\0' + m.dram.kind + '\0';
  for (const uint32_t value : {m.sm, m.sm_count, m.subcores, m.launch_cycles, m.cta_dispatch_interval,
                               m.cta_start_cycles, m.cta_end_cycles, m.hazards.predicate_to_guard}) {
    add(bytes, value);
  }
  add(bytes, m.core_clock_khz);
  add_between(bytes, m.occupancy, m.occupancy.carveouts);
  for (const uint32_t carveout : m.occupancy.carveouts) add(bytes, carveout);
  for (const uint32_t size : {m.occupancy.max_grid_x, m.occupancy.max_grid_y, m.occupancy.max_grid_z}) add(bytes, size);
  add(bytes, m.front_end);
  add(bytes, m.register_file);
  add(bytes, m.timing);
  add(bytes, m.hazards.raw);
  add(bytes, m.hazards.raw_uniform);
  add(bytes, m.hazards.raw_predicate);
  add(bytes, m.memory);
  add(bytes, m.interconnect);
  add(bytes, m.l2);
  for (const uint32_t count : {m.dram.channels, m.dram.bank_groups, m.dram.banks}) add(bytes, count);
  add(bytes, m.dram.clock_khz);
  add_between(bytes, m.dram.row_bytes, m.dram.refresh_per_bank);
  add(bytes, m.dram.refresh_per_bank);
  bytes.append(reinterpret_cast<const char*>(&m.dram.queue_entries),
               reinterpret_cast<const char*>(&m.dram.address_map + 1));
  return bytes;
}

void change(const Key& key, google::protobuf::Message& leaf) {
  switch (key.kind) {
    case LeafKind::kInteger: {
      auto& integer = static_cast<spec::Integer&>(leaf);
      integer.set_value(integer.value() + 1);
      return;
    }
    case LeafKind::kIntegerList: {
      auto& list = static_cast<spec::IntegerList&>(leaf);
      const int last = list.value_size() - 1;
      list.set_value(last, list.value(last) + 1);
      return;
    }
    case LeafKind::kText:
      static_cast<spec::Text&>(leaf).mutable_value()->append("!");
      return;
    case LeafKind::kFlag:
      static_cast<spec::Flag&>(leaf).set_value(!static_cast<spec::Flag&>(leaf).value());
      return;
  }
}

TEST(FillMachine, EveryKeyReachesTheMachine) {
  const Result<MachineFile> file = parse_machine_file("test", machine_text());
  ASSERT_TRUE(file) << file.error().text();
  const spec::MachineSpec spec = canonical(file->spec);
  const std::string before = fingerprint(*fill_machine(spec));
  EXPECT_EQ(before, fingerprint(*fill_machine(spec)));
  for (const Key& key : all_keys()) {
    spec::MachineSpec changed = spec;
    change(key, *mutable_leaf(changed, key));
    EXPECT_NE(before, fingerprint(*fill_machine(changed))) << key.path;
  }
}

TEST(FillMachine, TimingClassesAreThoseOfTheInstructionSet) {
  const auto* timing = spec::Timing::descriptor();
  EXPECT_EQ(timing->field_count(), static_cast<int>(isa::kTimingClasses));
#define SMREPLAY_TIMING_CLASS(name, pipe) EXPECT_NE(timing->FindFieldByName(#name), nullptr) << #name;
#include "sim/isa/timing_classes.def"
#undef SMREPLAY_TIMING_CLASS
}

TEST(FillMachine, HazardRowsAreGroups) {
  for (const auto* matrix :
       {spec::VectorHazards::descriptor(), spec::UniformHazards::descriptor(), spec::PredicateHazards::descriptor()}) {
    for (int i = 0; i < matrix->field_count(); ++i) {
      const auto& groups = hazard_groups();
      EXPECT_NE(std::find(groups.begin(), groups.end(), matrix->field(i)->name()), groups.end())
          << matrix->field(i)->name();
    }
  }
}

TEST(FillMachine, ValuesArriveInCanonicalUnits) {
  const Result<Machine> m = load_machine("rtx_pro_6000");
  ASSERT_TRUE(m) << m.error().text();
  EXPECT_EQ(m->core_clock_khz, 2617000U);
  EXPECT_EQ(m->l2.bytes, 128ULL << 20);
  EXPECT_EQ(m->occupancy.carveouts, std::vector<uint32_t>({0, 8192, 16384, 32768, 65536, 102400}));
  EXPECT_EQ(m->of(isa::TimingClass::ffma).latency, 4U);
  EXPECT_EQ(m->of(isa::TimingClass::mufu).latency_128, m->of(isa::TimingClass::mufu).latency);
  const auto& groups = m->hazards.groups;
  const auto group = [&](isa::TimingClass c) { return m->hazards.group_of[static_cast<size_t>(c)]; };
  EXPECT_EQ(groups[group(isa::TimingClass::imad)], "fma");
  EXPECT_EQ(m->hazards.raw[group(isa::TimingClass::alu)][group(isa::TimingClass::alu_dual)], 5U);
  EXPECT_EQ(m->hazards.raw[group(isa::TimingClass::hmma_16816_f32)][group(isa::TimingClass::alu)], 28U);
  EXPECT_EQ(m->hazards.raw_predicate[group(isa::TimingClass::alu_dual)][group(isa::TimingClass::branch)], 13U);
}

}  // namespace
}  // namespace smreplay::machine
