// Barriers, whole-warp latencies, and rates of the whole chip.
#include <algorithm>

#include "sim/calibrate/BenchmarkList.h"

namespace smreplay::calibrate {
namespace {

constexpr uint32_t kRepeats = 12;  // of Device.cuh
constexpr uint32_t kOneCtaPerSm = 120 * 1024;
constexpr uint64_t kMiB = 1 << 20;

std::string text(const char* s) { return s; }

Benchmark barrier(const std::string& kernel, uint32_t warps, uint32_t delay) {
  Benchmark b;
  b.name = "barrier";
  b.parameters = {{"op", kernel}, {"warps", int64_t{warps}}, {"delay", int64_t{delay}}};
  b.readings = Readings::kWarpPairs;
  b.simulated = delay == 0;
  b.kernel = kernel;
  b.threads = 32 * warps;
  b.arguments = {delay, 0, 0, 0};
  b.words = warps * kRepeats * 2;
  b.warps = warps == 32 ? ~0U : (1U << warps) - 1;
  return b;
}

}  // namespace

std::vector<Benchmark> barrier_list() {
  std::vector<Benchmark> list;
  for (const uint32_t warps : {1U, 2U, 4U, 8U, 16U, 32U}) {
    for (const uint32_t delay : {0U, 1U, 2U, 4U, 16U, 64U}) list.push_back(barrier("stagger", warps, delay));
  }
  for (const char* behind : {"nothing", "FFMA_1", "FFMA_4", "FFMA_16", "FFMA_64", "FFMA_256", "branch", "MUFU", "SHFL",
                             "LDS", "LDS_and_use", "STS", "LDG", "STG"}) {
    for (const uint32_t delay : {0U, 4000U}) list.push_back(barrier(text("hold_") + behind, 8, delay));
  }
  return list;
}

std::vector<Benchmark> latency_list(const Card& card) {
  std::vector<Benchmark> list;
  struct Still {
    const char* name;
    uint32_t bytes;
  };
  for (const auto& [name, bytes] :
       {Still{"LDG_32", 8}, {"LDG_64", 8}, {"LDG_128", 16}, {"LDG_64_L2", 8}, {"LDL_32", 0}}) {
    // Pitch 0: one address for the whole warp, so that a wide load has its width and one line.
    std::vector<uint32_t> pitches = {0};
    for (const uint32_t pitch : {8U, 16U, 32U, 64U, 128U}) {
      if (bytes != 0 && pitch >= bytes) pitches.push_back(pitch);
    }
    for (const uint32_t pitch : pitches) {
      for (const uint32_t lanes : {1U, 32U}) {
        for (const uint32_t n : {8U, 40U}) {
          Benchmark b;
          b.name = "still_chase";
          b.parameters = {{"op", text(name)}, {"n", int64_t{n}}, {"pitch", int64_t{pitch}}, {"lanes", int64_t{lanes}}};
          b.kernel = text("still_") + name + "_" + std::to_string(n);
          b.threads = lanes;
          b.arguments = {pitch, 0, 0, 0};
          b.words = 2 * kRepeats;
          list.push_back(b);
        }
      }
    }
  }
  // An SM of the other half, an SM of the same: which numbers lie where, nobody knows beforehand.
  constexpr uint32_t kLines = 1024, kStride = 4224;
  uint64_t window = 64 * kMiB;
  const auto pair = [&](uint32_t first, uint32_t second) {
    Benchmark b;
    b.name = "first_touch";
    b.parameters = {{"first", int64_t{first}}, {"second", int64_t{second}}, {"stride", int64_t{kStride}}};
    b.kernel = "first_touch";
    b.ctas = card.sms;
    b.threads = 1;
    b.dynamic_shared_bytes = std::min(kOneCtaPerSm, card.shared_per_cta - 1024);
    b.data_offset = window;
    b.arguments = {first, second, kLines, kStride};
    b.words = 2 * kLines;
    b.flush = true;
    b.simulated = false;
    window += 8 * kMiB;
    list.push_back(b);
  };
  for (const uint32_t second : {1U, 2U, 4U, 8U, 16U, 24U, 32U, 48U, 64U, 80U, 96U, 112U, 130U, 131U}) {
    if (second < card.sms) pair(0, second);
  }
  if (card.sms > 64) pair(64, 0);
  if (card.sms > 131) pair(131, 0);
  return list;
}

std::vector<Benchmark> chip_list(const Card& card) {
  std::vector<Benchmark> list;
  const auto add = [&](const char* name, const std::string& kernel, Parameters parameters, uint32_t ctas,
                       uint32_t threads, std::array<uint32_t, 4> arguments) -> Benchmark& {
    Benchmark b;
    b.name = name;
    b.parameters = std::move(parameters);
    b.parameters.insert(b.parameters.begin(), {"op", kernel});
    b.readings = Readings::kCtaTimes;
    b.simulated = false;
    b.kernel = kernel;
    b.ctas = ctas;
    b.threads = threads;
    b.arguments = arguments;
    b.words = 4 * ctas;
    list.push_back(b);
    return list.back();
  };
  for (const char* kernel : {"mix_4_0", "mix_3_1", "mix_2_2", "mix_1_3", "mix_0_4"}) {
    for (const uint32_t window : {23U, 30U}) {  // log2 of bytes each of what is read and what is written: L2, DRAM
      const uint32_t turns = window == 23 ? 400 : 200;
      const uint32_t ctas = 4 * card.sms, threads = 512;
      add("mix", kernel,
          {{"log2_window", int64_t{window}},
           {"turns", int64_t{turns}},
           {"ctas", int64_t{ctas}},
           {"threads", int64_t{threads}}},
          ctas, threads, {turns, window, 0, 0});
    }
  }
  struct Pattern {
    const char* name;
    uint32_t lane, warp, cta;
  };
  for (const char* kernel : {"atomics_RED_ADD", "atomics_RED_ADD_F32", "atomics_ATOM_ADD", "atomics_ATOM_CAS",
                             "atomics_ATOMS_ADD", "atomics_ATOMS_CAS"}) {
    const bool shared = std::string(kernel).find("ATOMS") != std::string::npos;
    for (const auto& [name, lane, warp, cta] : {Pattern{"same", 0, 0, 0},
                                                {"same_in_warp", 0, 128, 4096},
                                                {"line", 4, 128, 4096},
                                                {"sectors", 32, 1024, 32768},
                                                {"lines", 128, 4096, 131072}}) {
      if (shared && lane > 4) continue;
      for (const uint32_t ctas : {1U, card.sms}) {
        for (const uint32_t threads : {32U, 1024U}) {
          if (shared && ctas != 1) continue;
          const uint32_t turns = 32;
          add("atomics", kernel,
              {{"pattern", text(name)},
               {"ctas", int64_t{ctas}},
               {"threads", int64_t{threads}},
               {"turns", int64_t{turns}}},
              ctas, threads, {turns, lane, warp, cta})
              .dynamic_shared_bytes = shared ? 4096 : 0;
        }
      }
    }
  }
  // The first turns come from DRAM; the second launch over the same window from L2.
  uint64_t window = 1024 * kMiB;
  for (const uint32_t bytes : {16U, 128U, 512U, 2048U, 8192U, 32768U}) {
    for (const uint32_t pieces : {1U, 4U}) {
      for (const uint32_t ctas : {1U, card.sms}) {
        if (pieces * bytes > 65536) continue;
        for (const char* from : {"dram", "l2"}) {
          constexpr uint32_t kTurns = 16;
          Benchmark& b = add(
              "bulk_copy", "bulk_copy",
              {{"from", text(from)}, {"bytes", int64_t{bytes}}, {"pieces", int64_t{pieces}}, {"ctas", int64_t{ctas}}},
              ctas, 32, {kTurns, bytes, pieces, bytes * pieces});
          b.readings = Readings::kPairs;
          b.words = 2 * ctas * kTurns;
          b.dynamic_shared_bytes = std::max(1024U, bytes * pieces);
          b.data_offset = window;
          b.flush = text(from) == "dram";
        }
      }
    }
  }
  return list;
}

std::vector<Benchmark> state_list(const Card& card) {
  struct State {
    const char* kernel;
    uint32_t warps, turns, filler_pitch, pitch;
  };
  // Pitch 128 of LDS: 32-way conflict, 32 cycles in the data path; of LDG: 32 lines.
  constexpr State kStates[] = {{"state_alone_LDS", 4, 4000, 4, 0},
                               {"state_alone_LDS", 4, 800, 128, 0},
                               {"state_alone_LDSM", 4, 4000, 16, 0},
                               {"state_alone_STS", 4, 4000, 16, 0},
                               {"state_alone_LDG", 4, 4000, 4, 0},
                               {"state_alone_LDG", 4, 800, 128, 0},
                               {"state_alone_SHFL", 4, 4000, 4, 0},
                               {"state_alone_MUFU", 4, 4000, 4, 0},
                               {"state_alone_LDS", 16, 1500, 4, 0},
                               {"state_LDS_behind_LDS", 8, 1500, 4, 4},
                               {"state_LDS_behind_LDS", 8, 400, 128, 4},
                               {"state_LDG_behind_LDS", 8, 400, 128, 4},
                               {"state_LDS_behind_LDG", 8, 400, 128, 4},
                               {"state_LDG_behind_LDG", 8, 400, 128, 4},
                               {"state_MUFU_behind_LDS", 8, 400, 128, 4},
                               {"state_STS_behind_LDS", 8, 400, 128, 4},
                               {"state_MUFU_behind_MUFU", 8, 1500, 4, 4},
                               {"state_SHFL_behind_LDS", 8, 400, 128, 4},
                               {"state_chase_behind_LDS", 8, 400, 128, 4},
                               {"state_guard_and_load", 1, 4000, 4, 0},
                               {"state_HMMA_chain_behind_HMMA", 8, 4000, 0, 0},
                               {"state_BAR_behind_LDS", 16, 400, 128, 4},
                               {"state_branch", 1, 40000, 0, 0},
                               {"state_FFMA", 16, 4000, 0, 0}};
  std::vector<Benchmark> list;
  for (const State& state : kStates) {
    Benchmark b;
    b.name = "states";
    b.parameters = {
        {"op", text(state.kernel)}, {"warps", int64_t{state.warps}}, {"filler_pitch", int64_t{state.filler_pitch}}};
    b.kernel = state.kernel;
    b.ctas = card.sms;
    b.threads = 32 * state.warps;
    b.dynamic_shared_bytes = std::min(kOneCtaPerSm, card.shared_per_cta - 1024);
    b.simulated = false;
    b.arguments = {state.turns, state.filler_pitch, state.pitch, 0};
    list.push_back(b);
  }
  return list;
}

std::vector<Part> all_parts(const Card& card) {
  return {{"core", core_list()},
          {"shared", shared_list()},
          {"levels", level_list()},
          {"dispatch", dispatch_list(card)},
          {"bandwidth", bandwidth_list(card)},
          {"queue", burst_list()},
          {"ports", port_list()},
          {"barrier", barrier_list()},
          {"latency", latency_list(card)},
          {"chip", chip_list(card)},
          {"l1", l1_list()},
          {"states", state_list(card), true},
          {"counters", counter_list(card), true}};
}

}  // namespace smreplay::calibrate
