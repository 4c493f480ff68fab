// The memory queue of a sub-core and the ports of its register file, with rewritten control codes.
#include <bit>

#include "sim/calibrate/BenchmarkList.h"

namespace smreplay::calibrate {
namespace {

constexpr uint32_t kRepeats = 12;  // of Device.cuh
constexpr uint32_t kShared = 33 * 1024;
constexpr uint32_t kOneWarp = 0x1, kFourSubcores = 0xf;

struct Operation {
  const char* name;
  uint32_t pitch;      // bytes between lanes without conflicts
  bool results;        // it writes registers under a scoreboard
  uint32_t spread;     // another pitch that costs more passes; 0: none
  uint32_t most = 32;  // instructions of the kernel's burst
};
constexpr Operation kOperations[] = {
    {"LDS_32", 4, true, 128},
    {"LDS_64", 8, true, 0},
    {"LDS_128", 16, true, 0, 24},
    {"LDSM_1", 16, true, 0},
    {"LDSM_4", 16, true, 0, 24},
    {"STS_32", 4, false, 128},
    {"STS_128", 16, false, 0},
    {"LDG_32", 4, true, 128},
    {"LDG_64", 8, true, 0},
    {"LDG_128", 16, true, 0, 24},
    {"LDG_128_L2", 16, true, 0, 24},
    {"STG_32", 4, false, 0},
    {"STG_128", 16, false, 0},
    {"LDL_32", 0, true, 0},
    {"STL_32", 0, false, 0},
    {"LDGSTS_128", 16, false, 0, 24},
    {"LDGSTS_128_L2", 16, false, 0, 24},
    {"SHFL", 4, true, 0},
    {"MUFU_EX2", 4, true, 0},
};

constexpr uint32_t kCounts[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 20, 24, 32};

// Warps that issue: one; two to four of one sub-core; one each of two to four sub-cores; two and four of all.
constexpr uint32_t kMasks[] = {0x1, 0x11, 0x111, 0x1111, 0x3, 0x7, 0xf, 0xff, 0xffff};

const char* name_of(WaitFor wait) {
  switch (wait) {
    case WaitFor::kNothing:
      return "issue";
    case WaitFor::kReads:
      return "read";
    case WaitFor::kResults:
      return "result";
  }
  return "";
}

Benchmark burst(const Operation& op, uint32_t count, WaitFor wait, uint32_t mask, uint32_t pitch) {
  Benchmark b;
  b.name = "queue";
  b.parameters = {{"op", std::string(op.name)},
                  {"n", int64_t{count}},
                  {"until", std::string(name_of(wait))},
                  {"warps", int64_t{mask}},
                  {"pitch", int64_t{pitch}}};
  b.readings = Readings::kWarpPairs;
  b.kernel = std::string("burst_") + op.name;
  b.patch = BurstPatch{count, wait, std::nullopt};
  const uint32_t warps = 32 - static_cast<uint32_t>(std::countl_zero(mask));
  b.threads = 32 * warps;
  b.dynamic_shared_bytes = kShared;
  b.arguments = {mask, pitch, 0, 0};
  b.words = warps * kRepeats * 2;
  b.warps = mask;
  b.simulated = mask == kOneWarp || mask == kFourSubcores;
  return b;
}

}  // namespace

std::vector<Benchmark> burst_list() {
  std::vector<Benchmark> list;
  for (const Operation& op : kOperations) {
    for (const uint32_t count : kCounts) {
      if (count > op.most) continue;
      for (const uint32_t mask : kMasks) list.push_back(burst(op, count, WaitFor::kNothing, mask, op.pitch));
      for (const uint32_t mask : {0x1U, 0x1111U, 0xfU}) {
        list.push_back(burst(op, count, WaitFor::kReads, mask, op.pitch));
        if (op.results) list.push_back(burst(op, count, WaitFor::kResults, mask, op.pitch));
      }
      if (op.spread == 0) continue;
      for (const uint32_t mask : {0x1U, 0xfU}) {
        list.push_back(burst(op, count, WaitFor::kNothing, mask, op.spread));
        list.push_back(burst(op, count, WaitFor::kReads, mask, op.spread));
        if (op.results) list.push_back(burst(op, count, WaitFor::kResults, mask, op.spread));
      }
    }
  }
  return list;
}

std::vector<Benchmark> port_list() {
  constexpr SourceRegisters kSources[] = {{4, 5, 6, 0}, {4, 6, 8, 0}, {5, 7, 9, 0},   {4, 6, 7, 0},
                                          {4, 5, 7, 0}, {4, 4, 4, 0}, {4, 4, 6, 0},   {4, 6, 6, 0},
                                          {4, 6, 8, 1}, {4, 6, 8, 2}, {4, 6, 8, 4},   {4, 6, 8, 3},
                                          {4, 6, 8, 7}, {4, 6, 7, 1}, {255, 6, 8, 0}, {255, 255, 8, 0}};
  constexpr Operation kFfma = {"FFMA", 4, true, 0};
  std::vector<Benchmark> list;
  for (const SourceRegisters& sources : kSources) {
    for (const uint32_t count : {8U, 32U}) {
      for (const uint32_t mask : {0x1U, 0x11U}) {
        Benchmark b = burst(kFfma, count, WaitFor::kNothing, mask, kFfma.pitch);
        b.name = "ports";
        b.parameters = {{"op", std::string("FFMA")},      {"n", int64_t{count}},     {"warps", int64_t{mask}},
                        {"a", int64_t{sources.a}},        {"b", int64_t{sources.b}}, {"c", int64_t{sources.c}},
                        {"reuse", int64_t{sources.reuse}}};
        b.patch->sources = sources;
        list.push_back(b);
      }
    }
  }
  return list;
}

}  // namespace smreplay::calibrate
