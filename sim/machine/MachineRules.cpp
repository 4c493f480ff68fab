#include "sim/machine/MachineRules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <string>

#include "sim/machine/Schema.h"

namespace smreplay::machine {
namespace {

constexpr uint32_t kWarpThreads = 32;
constexpr uint32_t kLineBytes = 128;  // of L1 and L2
constexpr uint32_t kKibibyte = 1024;

// A rule names the key that an error points at, and says what must hold.
struct Rule {
  const char* key;
  const char* must;
  std::function<bool(const Machine&)> holds;
  std::function<std::string(const Machine&)> hint = {};  // the nearest values that would do
};

bool power_of_two(uint32_t value) { return std::has_single_bit(value); }

bool carveouts_fit_l1(const Machine& m) {
  const uint64_t set_bytes = uint64_t{m.memory.l1_ways} * kLineBytes;
  return std::all_of(m.occupancy.carveouts.begin(), m.occupancy.carveouts.end(), [&](uint32_t carveout) {
    return carveout < m.memory.l1_total_bytes && (m.memory.l1_total_bytes - carveout) % set_bytes == 0;
  });
}

uint64_t l2_step(const Machine& m) { return uint64_t{m.l2.slices} * m.l2.ways * kLineBytes; }

std::string nearest_multiples(uint64_t value, uint64_t step) {
  const uint64_t below = value / step * step;
  const auto size = [](uint64_t bytes) {
    return bytes % kKibibyte == 0 ? fmt::format("{}KiB", bytes / kKibibyte) : fmt::format("{}B", bytes);
  };
  return below == 0 ? fmt::format("the least is {}", size(step))
                    : fmt::format("the nearest are {} and {}", size(below), size(below + step));
}

const std::vector<Rule>& rules() {
  static const std::vector<Rule> kRules = {
      // Occupancy.
      {"occupancy.carveouts", "ascend and end with occupancy.shared_per_sm",
       [](const Machine& m) {
         const auto& c = m.occupancy.carveouts;
         return !c.empty() && std::is_sorted(c.begin(), c.end(), std::less_equal<>()) &&
                c.back() == m.occupancy.shared_per_sm;
       }},
      {"occupancy.carveouts", "each leave a whole number of L1 sets (memory.l1_ways lines of 128 bytes)",
       carveouts_fit_l1},
      {"occupancy.shared_per_cta_optin", "with occupancy.shared_reserved_per_cta fit in occupancy.shared_per_sm",
       [](const Machine& m) {
         return uint64_t{m.occupancy.shared_per_cta_optin} + m.occupancy.shared_reserved_per_cta <=
                m.occupancy.shared_per_sm;
       }},
      {"occupancy.shared_per_cta_default", "be at most occupancy.shared_per_cta_optin",
       [](const Machine& m) { return m.occupancy.shared_per_cta_default <= m.occupancy.shared_per_cta_optin; }},
      {"occupancy.max_warps", "be a multiple of subcores",
       [](const Machine& m) { return m.occupancy.max_warps % m.subcores == 0; }},
      {"occupancy.max_threads_per_cta", "be whole warps, at most occupancy.max_warps",
       [](const Machine& m) {
         return m.occupancy.max_threads_per_cta % kWarpThreads == 0 &&
                m.occupancy.max_threads_per_cta / kWarpThreads <= m.occupancy.max_warps;
       }},
      {"occupancy.registers", "be a multiple of occupancy.register_unit and of occupancy.warp_granularity",
       [](const Machine& m) {
         return m.occupancy.registers % m.occupancy.register_unit == 0 &&
                m.occupancy.registers % m.occupancy.warp_granularity == 0;
       }},
      {"occupancy.registers_per_cta", "be at most occupancy.registers",
       [](const Machine& m) { return m.occupancy.registers_per_cta <= m.occupancy.registers; }},
      // Front end and registers.
      {"front_end.l0_bytes", "be a whole number of sets (front_end.l0_ways lines)",
       [](const Machine& m) {
         return m.front_end.l0_bytes % (uint64_t{m.front_end.l0_ways} * m.front_end.line_bytes) == 0;
       }},
      {"front_end.l1_bytes", "be a whole number of sets (front_end.l1_ways lines)",
       [](const Machine& m) {
         return m.front_end.l1_bytes % (uint64_t{m.front_end.l1_ways} * m.front_end.line_bytes) == 0;
       }},
      {"front_end.line_bytes", "be a power of two",
       [](const Machine& m) { return power_of_two(m.front_end.line_bytes); }},
      {"front_end.const_l1_bytes", "be a multiple of front_end.const_line_bytes",
       [](const Machine& m) { return m.front_end.const_l1_bytes % m.front_end.const_line_bytes == 0; }},
      {"register_file.banks", "be a power of two",
       [](const Machine& m) { return power_of_two(m.register_file.banks); }},
      // Memory inside the SM.
      {"memory.bank_count", "be a power of two", [](const Machine& m) { return power_of_two(m.memory.bank_count); }},
      {"memory.bank_bytes", "be a power of two", [](const Machine& m) { return power_of_two(m.memory.bank_bytes); }},
      // L2.
      {"l2.bytes", "be a whole number of sets in every slice (l2.ways lines of 128 bytes)",
       [](const Machine& m) { return m.l2.bytes % l2_step(m) == 0; },
       [](const Machine& m) { return nearest_multiples(m.l2.bytes, l2_step(m)); }},
      {"l2.partitions", "divide l2.slices", [](const Machine& m) { return m.l2.slices % m.l2.partitions == 0; }},
      {"l2.far_extra_cycles", "be 0 where l2.partitions is 1",
       [](const Machine& m) { return m.l2.partitions > 1 || m.l2.far_extra_cycles == 0; }},
      {"interconnect.gpcs", "be at most sm_count", [](const Machine& m) { return m.interconnect.gpcs <= m.sm_count; }},
      // DRAM.
      {"dram.kind", "be gddr7 or hbm3e",
       [](const Machine& m) { return m.dram.kind == "gddr7" || m.dram.kind == "hbm3e"; }},
      {"dram.banks", "be a multiple of dram.bank_groups",
       [](const Machine& m) { return m.dram.banks % m.dram.bank_groups == 0; }},
      {"dram.row_bytes", "be a multiple of dram.burst_bytes",
       [](const Machine& m) { return m.dram.row_bytes % m.dram.burst_bytes == 0; }},
      {"dram.interleave_bytes", "be whole lines of 128 bytes and divide dram.row_bytes",
       [](const Machine& m) {
         return m.dram.interleave_bytes % kLineBytes == 0 && m.dram.row_bytes % m.dram.interleave_bytes == 0;
       }},
      {"dram.rc", "be at least dram.ras + dram.rp",
       [](const Machine& m) { return m.dram.rc >= m.dram.ras + m.dram.rp; }},
      {"dram.ccd_l", "be at least dram.ccd_s", [](const Machine& m) { return m.dram.ccd_l >= m.dram.ccd_s; }},
      {"dram.rrd_l", "be at least dram.rrd_s", [](const Machine& m) { return m.dram.rrd_l >= m.dram.rrd_s; }},
      {"dram.wtr_l", "be at least dram.wtr_s", [](const Machine& m) { return m.dram.wtr_l >= m.dram.wtr_s; }},
      {"dram.write_low", "be below dram.write_high, and that at most dram.queue_entries",
       [](const Machine& m) {
         return m.dram.write_low < m.dram.write_high && m.dram.write_high <= m.dram.queue_entries;
       }},
      {"dram.rfc_per_bank", "leave time between refreshes of a channel (dram.refi / dram.banks)",
       [](const Machine& m) {
         return !m.dram.refresh_per_bank || uint64_t{m.dram.rfc_per_bank} * m.dram.banks < m.dram.refi;
       }},
      {"dram.rfc_all_bank", "be below dram.refi", [](const Machine& m) { return m.dram.rfc_all_bank < m.dram.refi; }},
  };
  return kRules;
}

constexpr std::array<const char*, isa::kTimingClasses> kClassNames = {
#define SMREPLAY_TIMING_CLASS(name, pipe) #name,
#include "sim/isa/timing_classes.def"
#undef SMREPLAY_TIMING_CLASS
};

// The latency of a fixed class is stated twice: as timing.<class>.latency, for all its results, and on the diagonal of
// the hazard table, for the operand pair that comes first.
void check_diagonal(const Machine& m, const std::function<void(const std::string&, const std::string&)>& fail) {
  for (size_t c = 0; c < isa::kTimingClasses; ++c) {
    const uint8_t group = m.hazards.group_of[c];
    const uint32_t own = std::max(m.hazards.raw[group][group], m.hazards.raw_uniform[group][group]);
    if (own <= m.timing[c].latency) continue;
    fail(fmt::format("timing.{}.latency", kClassNames[c]),
         fmt::format("be at least the distance {} of hazard group '{}' to itself", own, m.hazards.groups[group]));
  }
}

void check_widths(const Machine& m, const std::function<void(const std::string&, const std::string&)>& fail) {
  for (size_t c = 0; c < isa::kTimingClasses; ++c) {
    const ClassTiming& t = m.timing[c];
    if (t.latency_64 < t.latency || t.latency_128 < t.latency_64) {
      fail(fmt::format("timing.{}.latency", kClassNames[c]), "not exceed the latency of wider accesses");
    }
    if (t.read_release_64 < t.read_release || t.read_release_128 < t.read_release_64) {
      fail(fmt::format("timing.{}.read_release", kClassNames[c]), "not exceed that of wider accesses");
    }
  }
}

std::string text_field(const google::protobuf::Message& message, const char* name) {
  const auto* field = message.GetDescriptor()->FindFieldByName(name);
  return field == nullptr ? std::string() : message.GetReflection()->GetString(message, field);
}

// What was set on the command line (Overrides.h), and whether this key was.
struct Overridden {
  bool key = false;
  std::string all;  // "--set l2.ways=7 --set ..."
};

Overridden overridden(const MachineFile& file, const std::string& path) {
  Overridden result;
  for (const Key& key : all_keys()) {
    const google::protobuf::Message* message = leaf(file.spec, key);
    if (message == nullptr || text_field(*message, "source") != "OVERRIDE") continue;
    if (key.path == path) result.key = true;
    result.all += (result.all.empty() ? "" : " ") + text_field(*message, "note");
  }
  return result;
}

}  // namespace

std::vector<Error> broken_rules(const Machine& machine, const MachineFile& file) {
  std::vector<Error> errors;
  const auto fail = [&](const std::string& key, const std::string& must) {
    const Overridden set = overridden(file, key);
    const std::string message = fmt::format("{} must {}", key, must);
    if (set.key) {
      errors.push_back(Error{ExitCode::kBadConfiguration, "machine-inconsistent", message, "--set"});
      return;
    }
    const Place place = place_of(file, key);
    errors.push_back(Error{ExitCode::kBadConfiguration, "machine-inconsistent",
                           set.all.empty() ? message : fmt::format("{} (with {})", message, set.all), file.name,
                           place.line, place.column});
  };
  for (const Rule& rule : rules()) {
    if (rule.holds(machine)) continue;
    fail(rule.key, rule.hint ? fmt::format("{}: {}", rule.must, rule.hint(machine)) : rule.must);
  }
  check_diagonal(machine, fail);
  check_widths(machine, fail);
  return errors;
}

}  // namespace smreplay::machine
