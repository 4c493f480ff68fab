// The sub-core's pipes, instruction caches, shared memory and synchronisation.
#include "sim/calibrate/BenchmarkList.h"

namespace smreplay::calibrate {
namespace {

constexpr uint32_t kRepeats = 24;  // of Device.cuh: kSteadyRepeats
constexpr uint32_t kPasses = 6;    // of instruction_cache.cu
constexpr uint32_t kInstructionBytes = 16;

std::string text(const char* s) { return s; }

// One launch of one CTA whose warps write `repeats` pairs each.
Benchmark pairs(const char* name, const std::string& kernel, Parameters parameters, uint32_t warps,
                uint32_t repeats = kRepeats) {
  Benchmark b;
  b.name = name;
  b.parameters = std::move(parameters);
  b.kernel = kernel;
  b.threads = 32 * warps;
  b.words = warps * repeats * 2;
  return b;
}

void add_arithmetic(std::vector<Benchmark>& list, const char* op) {
  constexpr uint32_t kManyStreams = 16, kFewStreams = 8;
  const bool few = text(op) == "DFMA" || text(op) == "HFMA2";
  const auto add = [&](const char* name, uint32_t n, uint32_t streams, uint32_t warps) {
    list.push_back(
        pairs(name, text(name) + "_" + op + "_" + std::to_string(n),
              {{"op", text(op)}, {"n", int64_t{n}}, {"streams", int64_t{streams}}, {"warps", int64_t{warps}}}, warps));
  };
  for (const uint32_t n : {64U, 320U}) add("chain", n, 1, 1);
  for (const uint32_t warps : {1U, 4U, 16U}) {
    for (const uint32_t n : {64U, 320U}) add("stream", n, few ? kFewStreams : kManyStreams, warps);
  }
}

}  // namespace

std::vector<Benchmark> core_list() {
  std::vector<Benchmark> list;
  for (const char* op : {"FFMA", "LOP3", "FMNMX", "IADD3", "IMAD", "HFMA2", "DFMA", "HMMA16816", "MUFU_EX2", "RCP_TANH",
                         "MUFU_RSQ", "POPC", "I2F_F2I", "SHFL", "LDC"}) {
    add_arithmetic(list, op);
  }
  for (const uint32_t streams : {2U, 4U}) {
    list.push_back(pairs("accumulators", "accumulators_HMMA16816_" + std::to_string(streams),
                         {{"op", text("HMMA16816")}, {"n", int64_t{320}}, {"streams", int64_t{streams}}}, 1));
  }
  for (const uint32_t reads : {0U, 1U}) {
    list.push_back(
        pairs("special_register", "special_register_" + std::to_string(reads), {{"reads", int64_t{reads}}}, 1));
  }
  for (const uint32_t kib : {1U, 8U, 16U, 24U, 32U, 40U, 64U, 96U, 120U, 128U, 160U, 256U}) {
    for (const uint32_t warps : {1U, 4U}) {
      Benchmark b = pairs("straight_line", "straight_line_" + std::to_string(kib),
                          {{"kib", int64_t{kib}},
                           {"warps", int64_t{warps}},
                           {"passes", int64_t{kPasses}},
                           {"instructions", int64_t{kib * 1024 / kInstructionBytes}}},
                          warps, kPasses);
      // Other code goes first on every SM, so that the first pass is cold.
      b.setup = {{kib == 256 ? "straight_line_160" : "straight_line_256", 1024, 128, {}}};
      list.push_back(b);
    }
  }
  return list;
}

std::vector<Benchmark> shared_list() {
  std::vector<Benchmark> list;
  const auto chase = [&](const char* kernel, const char* op, uint32_t log2_ways) {
    for (const uint32_t n : {64U, 256U}) {
      Benchmark b = pairs("shared_chase", text("shared_chase_") + kernel + "_" + std::to_string(n),
                          {{"op", text(op)}, {"n", int64_t{n}}, {"ways", int64_t{1} << log2_ways}}, 1);
      b.arguments = {log2_ways, 0, 0, 0};
      list.push_back(b);
    }
  };
  for (uint32_t log2_ways = 0; log2_ways <= 5; ++log2_ways) chase("LDS_32", "LDS.32", log2_ways);
  for (const auto& [kernel, op] : {std::pair("LDS_64", "LDS.64"),
                                   {"LDS_128", "LDS.128"},
                                   {"LDSM_1", "LDSM.1"},
                                   {"LDSM_2", "LDSM.2"},
                                   {"LDSM_4", "LDSM.4"}}) {
    chase(kernel, op, 0);
  }

  const auto synchronisation = [&](const char* kernel, const char* op, uint32_t warps) {
    for (const uint32_t n : {4U, 20U}) {
      list.push_back(pairs("synchronisation", text("sync_") + kernel + "_" + std::to_string(n),
                           {{"op", text(op)}, {"n", int64_t{n}}, {"warps", int64_t{warps}}}, warps));
    }
  };
  for (const uint32_t warps : {1U, 2U, 3U, 4U, 6U, 8U, 12U, 16U, 20U, 24U, 28U, 32U})
    synchronisation("BAR", "BAR", warps);
  for (const auto& [kernel, op] : {std::pair("MEMBAR_CTA", "MEMBAR.CTA"),
                                   {"MEMBAR_GPU", "MEMBAR.GPU"},
                                   {"MEMBAR_SYS", "MEMBAR.SYS"},
                                   {"STG_MEMBAR_GPU", "STG+MEMBAR.GPU"},
                                   {"ATOMS", "ATOMS"},
                                   {"LDGSTS_32", "LDGSTS.32+wait"},
                                   {"LDGSTS_128", "LDGSTS.128+wait"},
                                   {"LDGSTS_128_L2", "LDGSTS.128.L2+wait"}}) {
    synchronisation(kernel, op, 1);
  }
  // Near or far is a matter of the address, in blocks whose size is not known.
  for (const uint64_t offset : {0U, 4U << 10, 16U << 10, 64U << 10, 256U << 10, 1U << 20, 2U << 20, 4U << 20}) {
    for (const uint32_t n : {4U, 20U}) {
      Benchmark b = pairs(
          "synchronisation", "sync_ATOMG_" + std::to_string(n),
          {{"op", text("ATOMG")}, {"n", int64_t{n}}, {"warps", int64_t{1}}, {"offset", static_cast<int64_t>(offset)}},
          1);
      b.data_offset = offset;
      list.push_back(b);
    }
  }

  struct Sustained {
    const char* kernel;
    const char* op;
    uint32_t bytes, window;
  };
  constexpr uint32_t kInL1 = 16384, kInL2 = 1 << 20, kBurst = 8, kIterations = 64, kShared = 16384 + 8192;
  const auto sustained = [&](const Sustained& s, uint32_t warps, uint32_t log2_ways) {
    Benchmark b = pairs("sustained", text("sustained_") + s.kernel,
                        {{"op", text(s.op)},
                         {"bytes", int64_t{s.bytes}},
                         {"warps", int64_t{warps}},
                         {"ways", int64_t{1} << log2_ways},
                         {"window", int64_t{s.window}},
                         {"instructions", int64_t{warps * kBurst * kIterations}}},
                        warps, 1);
    b.readings = Readings::kSpan;
    b.launches = 3;
    b.dynamic_shared_bytes = kShared;
    b.arguments = {s.window, log2_ways, 0, 0};
    list.push_back(b);
  };
  constexpr Sustained kAll[] = {{"LDS_32", "LDS.32", 4, kInL1},
                                {"LDS_64", "LDS.64", 8, kInL1},
                                {"LDS_128", "LDS.128", 16, kInL1},
                                {"LDSM_1", "LDSM.1", 4, kInL1},
                                {"LDSM_2", "LDSM.2", 8, kInL1},
                                {"LDSM_4", "LDSM.4", 16, kInL1},
                                {"STS_32", "STS.32", 4, kInL1},
                                {"STS_64", "STS.64", 8, kInL1},
                                {"STS_128", "STS.128", 16, kInL1},
                                {"LDG_32", "LDG.32", 4, kInL1},
                                {"LDG_64", "LDG.64", 8, kInL1},
                                {"LDG_128", "LDG.128", 16, kInL1},
                                {"LDG_128_L2", "LDG.128.L2", 16, kInL2},
                                {"STG_32", "STG.32", 4, kInL2},
                                {"STG_128", "STG.128", 16, kInL2},
                                {"LDL_32", "LDL.32", 4, kInL1},
                                {"LDL_128", "LDL.128", 16, kInL1},
                                {"STL_32", "STL.32", 4, kInL1},
                                {"STL_128", "STL.128", 16, kInL1},
                                {"LDGSTS_32", "LDGSTS.32", 4, kInL1},
                                {"LDGSTS_64", "LDGSTS.64", 8, kInL1},
                                {"LDGSTS_128", "LDGSTS.128", 16, kInL1},
                                {"LDGSTS_128_L2", "LDGSTS.128.L2", 16, kInL2}};
  for (const Sustained& s : kAll) {
    for (const uint32_t warps : {1U, 4U, 8U, 16U, 32U}) sustained(s, warps, 0);
  }
  for (uint32_t log2_ways = 1; log2_ways <= 5; ++log2_ways) {
    sustained(kAll[0], 16, log2_ways);
    sustained({"STS_32", "STS.32", 4, kInL1}, 16, log2_ways);
  }
  return list;
}

}  // namespace smreplay::calibrate
