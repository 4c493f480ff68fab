// Latency and interval of the sub-core's pipes; capacities of the instruction caches.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/calibrate/Derive.h"

namespace smreplay::calibrate {
namespace {

// Benchmark, instructions of the class in a step, timing class.
struct Chain {
  const char* op;
  int count;
  const char* timing;
};
constexpr Chain kChains[] = {{"FFMA", 1, "ffma"},      {"IMAD", 1, "imad"},   {"LOP3", 1, "alu"},
                             {"FMNMX", 2, "alu_dual"}, {"DFMA", 1, "fp64"},   {"HMMA16816", 1, "hmma_16816_f32"},
                             {"MUFU_EX2", 1, "mufu"},  {"POPC", 1, "xu_int"}, {"LDC", 1, "ldc"}};

Match op_match(const char* op) { return {{"op", std::string(op)}}; }

void latencies(const DerivationContext& c) {
  for (const auto& [op, count, timing] : kChains) {
    const Slope s = slope(c.raw, "chain", op_match(op)).by(count);
    c.set(fmt::format("timing.{}.latency", timing), rounded(s, fmt::format("per {} in a dependent chain", op)));
  }
  const Slope shfl = slope(c.raw, "chain", op_match("SHFL"));
  for (const char* width : {"", "_64", "_128"}) {
    c.set(fmt::format("timing.shfl.latency{}", width), rounded(shfl, "per SHFL in a dependent chain"));
  }
  // I2FP runs in the ALU; its distance to F2I is that of the hazard table's cell alu -> mio, one more than the chain's.
  const Slope pair = slope(c.raw, "chain", op_match("I2F_F2I")), alu = slope(c.raw, "chain", op_match("LOP3"));
  c.set("timing.xu_convert.latency",
        rounded(pair, "per I2FP and F2I in a dependent chain, less the ALU's latency and 1", -alu.value - 1));
  const double read = typical(c.raw.one("special_register", {{"reads", int64_t{1}}}));
  const double none = typical(c.raw.one("special_register", {{"reads", int64_t{0}}}));
  c.set("timing.s2r.latency",
        {{static_cast<int64_t>(std::nearbyint(read - none))},
         fmt::format("{:g} cycles around S2R and its user, {:g} around the user alone", read, none),
         {},
         {}});
}

// Cycles of the longest stream until the slowest warp of a repeat is done: till then the unit has work, whichever warp
// runs ahead. No slope: at the shorter length one warp of four starts late on an H200.
double until_the_last_warp(const RawLine& line) {
  std::vector<double> slowest(kRepeatsPerWarp, 0);
  for (size_t i = 0; i < line.samples.size(); ++i) {
    double& cycles = slowest[i % kRepeatsPerWarp];
    cycles = std::max(cycles, line.samples[i]);
  }
  slowest.erase(slowest.begin(), slowest.begin() + kColdReadings);
  return median(slowest);
}

// From one warp a sub-core: of several, the scheduler lets one run ahead, and the warps' own times overlap little.
void intervals(const DerivationContext& c) {
  for (const auto& [op, count, timing] : kChains) {
    const Slope s = slope(c.raw, "stream", {{"op", std::string(op)}, {"warps", int64_t{4}}}).by(count);
    c.set(fmt::format("timing.{}.interval", timing),
          rounded(s, fmt::format("per {}, independent, one warp a sub-core", op)));
  }
  constexpr int64_t kLongest = 320, kWarpsPerSubcore = 4;
  const double cycles = until_the_last_warp(
      c.raw.one("stream", {{"op", std::string("I2F_F2I")}, {"n", kLongest}, {"warps", int64_t{16}}}));
  const double each = cycles / static_cast<double>(kLongest * kWarpsPerSubcore);
  c.set("timing.xu_convert.interval",
        {{static_cast<int64_t>(std::nearbyint(each))},
         fmt::format("{:.2f} per F2I with an I2FP each, four warps a sub-core, until the last one is done", each),
         {},
         {}});
}

// The last size whose warm passes run at full speed, and the last before the next step. The loop is two lines longer
// than its straight line: at exactly the capacity the lines of two sets miss, which counts as held up to half of the
// step.
void instruction_caches(const DerivationContext& c) {
  constexpr double kFullSpeed = 1.15;  // cycles per instruction
  constexpr double kHalf = 0.5;
  constexpr int64_t kOnThePlateau = 64, kBeyond = 160;  // KiB
  std::map<int64_t, double> warm;                       // KiB: cycles per instruction of the last pass
  for (const RawLine* line : c.raw.all("straight_line", {{"warps", int64_t{1}}})) {
    warm[line->number("kib")] = line->samples.back() / static_cast<double>(line->number("instructions"));
  }
  const auto at = [&](int64_t kib) {
    const auto found = warm.find(kib);
    if (found == warm.end()) throw Missing{fmt::format("straight_line of {} KiB", kib)};
    return found->second;
  };
  const auto last_below = [&](double limit) {
    int64_t last = 0;
    for (const auto& [kib, cycles] : warm) {
      if (cycles < limit) last = kib;
    }
    return last;
  };
  const auto note = [&](int64_t a, int64_t b, int64_t d) {
    return fmt::format("straight-line code: {:.2f} cycles per instruction at {} KiB, {:.2f} at {}, {:.2f} at {}", at(a),
                       a, at(b), b, at(d), d);
  };
  c.set("front_end.l0_bytes", {{last_below(kFullSpeed)}, note(24, 32, 40), {}, {}});
  c.set("front_end.l1_bytes",
        {{last_below(at(kOnThePlateau) + kHalf * (at(kBeyond) - at(kOnThePlateau)))}, note(120, 128, 160), {}, {}});
}

}  // namespace

std::vector<Derivation> core_derivations() {
  return {{"latencies", latencies}, {"intervals", intervals}, {"instruction_caches", instruction_caches}};
}

}  // namespace smreplay::calibrate
