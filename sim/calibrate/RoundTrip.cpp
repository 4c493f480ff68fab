#include "sim/calibrate/RoundTrip.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "sim/calibrate/Derive.h"

namespace smreplay::calibrate {
namespace {

constexpr double kRate = 0.02;
constexpr double kOneCycle = 1;

// The numbers of a field: "12" or "[1, 2, 3]".
std::vector<double> numbers_of(const std::string& text) {
  std::vector<double> numbers;
  for (const char* at = text.c_str(); *at != '\0';) {
    char* end = nullptr;
    const double value = std::strtod(at, &end);
    if (end == at) {
      ++at;
    } else {
      numbers.push_back(value);
      at = end;
    }
  }
  return numbers;
}

double scale_of(const std::string& unit) {
  if (unit == "KiB") return 1024;
  if (unit == "MiB") return 1048576;
  return 1;
}

std::string unit_of(const MachineLeaf& leaf) {
  const std::string* unit = leaf.field("unit");
  return unit == nullptr || unit->size() < 2 ? "" : unit->substr(1, unit->size() - 2);
}

// One published number. A reading that is missing is named and counts as missed.
template <typename Read>
void add(std::vector<Check>& checks, const std::string& name, double expected, double tolerance, const char* source,
         Read read) {
  Check check = {name, expected, NAN, tolerance, source};
  try {
    check.read = read();
  } catch (const Missing& missing) {
    check.note = "not read: " + missing.what;
  }
  checks.push_back(check);
}

double per_step(const RawFile& raw, const std::string& level, int64_t footprint) {
  const RawLine& line = raw.one("chase", {{"level", level}, {"footprint", footprint}, {"steps", int64_t{256}}});
  return typical(line) / static_cast<double>(line.number("steps"));
}

double queue(const RawFile& raw, int64_t n) {
  const RawLine& line = raw.one("queue", {{"op", std::string("LDG_32")},
                                          {"n", n},
                                          {"until", std::string("issue")},
                                          {"warps", int64_t{1}},
                                          {"pitch", int64_t{4}}});
  return line.samples.back() - line.samples.at(line.samples.size() - 2);
}

double accumulators(const RawFile& raw, int64_t streams) {
  if (streams == 1) return slope(raw, "chain", {{"op", std::string("HMMA16816")}}).value;
  const RawLine& line = raw.one("accumulators", {{"op", std::string("HMMA16816")}, {"streams", streams}});
  return typical(line) / static_cast<double>(line.number("n"));
}

// Share of the bus that a read of all SMs reaches.
double bus_share(const RawFile& raw) {
  const RawLine& line = raw.one("bus_share");
  double slowest = 0;
  for (const double cycles : line.samples) slowest = std::max(slowest, cycles);
  const double bytes = static_cast<double>(line.number("bytes_per_sm")) * static_cast<double>(line.samples.size());
  return bytes / slowest / static_cast<double>(line.number("bus_millibytes_per_cycle")) * 1000;
}

}  // namespace

Result<std::vector<Check>> check_keys(const RawFile& raw, const std::string& machine) {
  const auto leaves = machine_leaves(machine);
  if (!leaves) return leaves.error();
  const Result<Derived> derived = derive(raw, machine);
  if (!derived) return derived.error();
  std::vector<Check> checks;
  for (const auto& [key, value] : derived->values) {
    const auto leaf = leaves->find(key);
    if (leaf == leaves->end() || !value.measured) continue;
    const std::string unit = unit_of(leaf->second);
    const std::vector<double> file = numbers_of(*leaf->second.field("value"));
    const double scale = scale_of(unit), read_scale = value.unit.empty() ? scale : scale_of(value.unit);
    for (size_t i = 0; i < file.size() && i < value.value.size(); ++i) {
      const std::string name = file.size() == 1 ? key : fmt::format("{}[{}]", key, i);
      const double expected = file[i] * scale;
      const double tolerance = unit == "cycle" ? kOneCycle : kRate * expected;
      checks.push_back({name, expected, static_cast<double>(value.value[i]) * read_scale, tolerance, value.note});
    }
  }
  return checks;
}

std::vector<Check> check_published(const RawFile& raw, const std::string& machine_name) {
  std::vector<Check> checks;
  if (machine_name != "rtx_pro_6000") return checks;
  // Those chases hold address arithmetic: 7 cycles a step (head of the machine file), which ours do not.
  constexpr int64_t kMiB = 1 << 20;
  constexpr double kArithmetic = 7;
  constexpr const char* kChase = "markdewing/AI_kernels, latency, less 7 cycles of address arithmetic";
  struct Level {
    const char* name;
    const char* level;
    int64_t footprint;
    double cycles, tolerance;
  };
  constexpr Level kLevels[] = {{"L1 hit in a chase", "L1", 32 << 10, 44.1, kOneCycle},
                               {"L2 hit in a chase of 1 MiB", "L2", kMiB, 352, kOneCycle},
                               {"L2 hit in a chase of 116 MiB", "L2", 116 * kMiB, 364, kRate * 364},
                               {"DRAM in a chase of 200 MiB", "L2", 200 * kMiB, 860, kRate * 860}};
  for (const Level& level : kLevels) {
    add(checks, level.name, level.cycles - kArithmetic, level.tolerance, kChase,
        [&] { return per_step(raw, level.level, level.footprint); });
  }
  struct Accumulators {
    int64_t streams;
    double cycles;
  };
  for (const Accumulators& a : {Accumulators{1, 28.8}, {2, 16.9}, {4, 15.9}}) {
    add(checks, fmt::format("HMMA.16816.F32, {} accumulators", a.streams), a.cycles, kOneCycle, "zartbot/micro_arch",
        [&] { return accumulators(raw, a.streams); });
  }
  const double kStaircase[] = {2, 3, 4, 5, 6, 13, 17};
  for (size_t i = 0; i < std::size(kStaircase); ++i) {
    add(checks, fmt::format("memory queue, instruction {}", i + 1), kStaircase[i], kOneCycle,
        "Huerta et al., MICRO 2025 (RTX A6000)", [&] { return queue(raw, static_cast<int64_t>(i + 1)); });
  }
  add(checks, "DRAM reads, share of the bus", 0.915, kRate * 0.915, "zartbot/micro_arch: 91 to 92 % on a sibling",
      [&] { return bus_share(raw); });
  return checks;
}

}  // namespace smreplay::calibrate
