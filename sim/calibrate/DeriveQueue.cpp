// The memory queue of a sub-core, its operand link and what is behind it, from bursts with rewritten control codes
// (benchmark "queue": BurstList.cpp).
//
// E(n) is the time from the reading before the first instruction to the reading behind the n-th. While the queue has
// room, E(n) = n + 1. An instruction with r source registers holds the operand link for k cycles, k proportional to r,
// and its slot until the link has taken it: with q slots and b cycles before the link starts, E(n) = b + 2 + k (n - q).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/calibrate/Derive.h"

namespace smreplay::calibrate {
namespace {

constexpr size_t kRepeats = 12;  // of Device.cuh
constexpr size_t kCold = 3;
constexpr int64_t kOneWarp = 1;          // mask of the warps that issue
constexpr int64_t kRegisterBytes = 128;  // of a warp
constexpr int64_t kConflictPitch = 128;  // bytes between lanes: 32 ways, 32 lines

int64_t nearest(double v) { return static_cast<int64_t>(std::nearbyint(v)); }

// An operation of the list: its pitch without conflicts and its source registers, addresses and data.
struct Operation {
  const char* name;
  int64_t pitch;
  int64_t sources;
};
constexpr Operation kOperations[] = {{"LDS_32", 4, 1},   {"LDSM_1", 16, 1},  {"LDL_32", 0, 1},     {"LDG_32", 4, 2},
                                     {"STS_32", 4, 2},   {"STL_32", 0, 2},   {"SHFL", 4, 2},       {"STG_32", 4, 3},
                                     {"STS_128", 16, 5}, {"STG_128", 16, 6}, {"LDGSTS_128", 16, 3}};

// Elapsed cycles of one warp.
double elapsed(const RawFile& raw, const std::string& op, const std::string& until, int64_t n, int64_t pitch) {
  const RawLine& line =
      raw.one("queue", {{"op", op}, {"until", until}, {"n", n}, {"warps", kOneWarp}, {"pitch", pitch}});
  std::vector<double> cycles;
  for (size_t r = kCold; r < kRepeats; ++r) cycles.push_back(line.samples.at(2 * r + 1) - line.samples.at(2 * r));
  return median(cycles);
}

// Cycles per instruction once the queue is full.
double per_instruction(const RawFile& raw, const Operation& op, const char* until) {
  constexpr int64_t kFew = 16, kMany = 24;
  return (elapsed(raw, op.name, until, kMany, op.pitch) - elapsed(raw, op.name, until, kFew, op.pitch)) /
         (kMany - kFew);
}

void operand_link(const DerivationContext& c) {
  double least = INFINITY;
  std::string text;
  double bytes = 0;
  for (const Operation& op : kOperations) {
    const double cycles = per_instruction(c.raw, op, "issue");
    least = std::min(least, cycles);
    bytes += static_cast<double>(op.sources * kRegisterBytes) / cycles / static_cast<double>(std::size(kOperations));
    text += fmt::format("{}{} {:g}", text.empty() ? "" : ", ", op.name, cycles);
  }
  c.set("memory.agu_interval",
        {{nearest(least)}, fmt::format("{:g} cycles per LDS.32 of one warp, queue full", least), {}, {}});
  c.set("memory.operand_bytes_per_cycle",
        {{nearest(bytes)}, "cycles per instruction of one warp, queue full: " + text, {}, {}});
}

// The pair of slots and base cycles that comes closest to all operations.
void queue_depth(const DerivationContext& c) {
  constexpr int64_t kMostSlots = 32, kMostBase = 32, kN = 16;
  struct Reading {
    double each, elapsed;
  };
  std::vector<Reading> readings;
  for (const Operation& op : kOperations) {
    readings.push_back({per_instruction(c.raw, op, "issue"), elapsed(c.raw, op.name, "issue", kN, op.pitch)});
  }
  int64_t slots = 0, base = 0;
  double best = INFINITY;
  for (int64_t q = 1; q <= kMostSlots; ++q) {
    for (int64_t b = 0; b <= kMostBase; ++b) {
      double error = 0;
      for (const Reading& reading : readings) {
        const double predicted = static_cast<double>(b + 2) + reading.each * static_cast<double>(kN - q);
        error += std::abs(predicted - reading.elapsed);
      }
      if (error >= best) continue;
      best = error;
      slots = q;
      base = b;
    }
  }
  const std::string note = fmt::format("bursts of {} operations, {} slots and {} cycles: {:.2f} cycles off on average",
                                       readings.size(), slots, base, best / static_cast<double>(readings.size()));
  c.set("memory.queue_entries", {{slots}, note, {}, {}});
  c.set("memory.operand_base_cycles", {{base}, note, {}, {}});
}

// Behind the queue: of n instructions of 32-way conflicts the last one issues when the queue has a slot again. By then
// so many have begun their passes, one every `each` cycles, the first one when its operands have crossed the link; the
// others wait in the queue or in the buffer. What is in the data path or on its way back holds no entry.
void buffer(const DerivationContext& c) {
  constexpr int64_t kN = 32, kFew = 16, kMany = 24;
  const auto e = [&](const char* until, int64_t n) { return elapsed(c.raw, "LDS_32", until, n, kConflictPitch); };
  const double each = (e("result", kMany) - e("result", kFew)) / (kMany - kFew);
  const double link = static_cast<double>(c.number("memory.operand_base_cycles") + c.number("memory.agu_interval"));
  // Both instructions issue one cycle before a reading behind them.
  const auto begun = static_cast<int64_t>(1 + std::floor((e("issue", kN) - e("issue", 1) - link) / each));
  c.set("memory.buffer_entries",
        {{kN - begun - c.number("memory.queue_entries")},
         fmt::format("LDS.32 with 32-way conflicts of one sub-core: number {} issues after {:g} cycles, when {} have "
                     "begun and the queue is full",
                     kN, e("issue", kN) - 1, begun),
         {},
         {}});
}

void special_functions(const DerivationContext& c) {
  const auto e = [&](int64_t n) { return elapsed(c.raw, "MUFU_EX2", "issue", n, 4); };
  int64_t slots = 1;
  while (slots < 10 && e(slots + 1) == static_cast<double>(slots + 2)) ++slots;
  c.set("memory.xu_queue_entries", {{slots},
                                    fmt::format("MUFU.EX2 of one warp: {} issue at once, the next {:g} cycles later",
                                                slots, e(slots + 1) - e(slots)),
                                    {},
                                    {}});
}

void return_link(const DerivationContext& c) {
  constexpr double kBytes = 512;
  for (const auto& [op, key] : {std::pair("LDS_128", "memory.return_shared_bytes_per_cycle"),
                                std::pair("LDG_128", "memory.return_global_bytes_per_cycle")}) {
    const double cycles = per_instruction(c.raw, {op, 16, 1}, "result");
    c.set(key, {{nearest(kBytes / cycles)}, fmt::format("{:g} cycles per {} of one warp", cycles, op), {}, {}});
  }
}

// From issue until an instruction that waits for the read scoreboard can issue: the reading behind one instruction.
void read_release(const DerivationContext& c) {
  struct Key {
    const char* op;
    int64_t pitch;
    const char* key;
  };
  constexpr Key kKeys[] = {{"LDS_32", 4, "lds.read_release"},
                           {"LDS_64", 8, "lds.read_release_64"},
                           {"LDS_128", 16, "lds.read_release_128"},
                           {"LDSM_1", 16, "ldsm.read_release"},
                           {"LDSM_4", 16, "ldsm.read_release_128"},
                           {"STS_32", 4, "sts.read_release"},
                           {"STS_128", 16, "sts.read_release_128"},
                           {"LDG_32", 4, "ldg.read_release"},
                           {"LDG_64", 8, "ldg.read_release_64"},
                           {"LDG_128", 16, "ldg.read_release_128"},
                           {"STG_32", 4, "stg.read_release"},
                           {"STG_128", 16, "stg.read_release_128"},
                           {"LDL_32", 0, "ldl.read_release"},
                           {"STL_32", 0, "stl.read_release"},
                           {"LDGSTS_128", 16, "ldgsts.read_release_128"},
                           {"SHFL", 4, "shfl.read_release"},
                           {"MUFU_EX2", 4, "mufu.read_release"}};
  for (const auto& [op, pitch, key] : kKeys) {
    const double cycles = elapsed(c.raw, op, "read", 1, pitch) - 1;
    const int64_t value = nearest(cycles);  // the slot of the queue is seen to be free a cycle before or after
    c.set(fmt::format("timing.{}", key),
          {{value},
           fmt::format("{:g} cycles until a wait for the operands of one {} ends", cycles, op),
           value - 1,
           value + 1});
  }
}

// LDL has a 32-bit address: the link takes it in 2 cycles less than an LDG's.
void local_latency(const DerivationContext& c) {
  const double ldl = elapsed(c.raw, "LDL_32", "result", 1, 0) - 1, ldg = elapsed(c.raw, "LDG_32", "result", 1, 4) - 1;
  c.set("timing.ldl.latency", {{nearest(ldl)},
                               fmt::format("{:g} cycles until a wait for one LDL.32 of a warp ends", ldl),
                               nearest(ldl),
                               nearest(ldl)});
  for (const char* width : {"_64", "_128"}) {
    const int64_t wide = c.number(fmt::format("timing.ldg.latency{}", width)) - nearest(ldg - ldl);
    c.set(fmt::format("timing.ldl.latency{}", width),
          {{wide}, fmt::format("as LDG, less the {:g} cycles between LDG.32 and LDL.32", ldg - ldl), wide, wide});
  }
}

}  // namespace

std::vector<Derivation> queue_derivations() {
  return {{"operand_link", operand_link},           {"queue_depth", queue_depth}, {"buffer", buffer},
          {"special_functions", special_functions}, {"return_link", return_link}, {"read_release", read_release},
          {"local_latency", local_latency}};
}

}  // namespace smreplay::calibrate
