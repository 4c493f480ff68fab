// The levels of memory: chases, bandwidth, dispatch and launches.
#include <algorithm>
#include <bit>

#include "sim/calibrate/BenchmarkList.h"

namespace smreplay::calibrate {
namespace {

constexpr uint32_t kRepeats = 24;  // of Device.cuh: kSteadyRepeats
constexpr uint32_t kLine = 128;
constexpr uint64_t kMiB = 1 << 20;
constexpr uint32_t kOneCtaPerSm = 200 * 1024;
constexpr uint32_t kMostInL2 = 64;  // MiB: greater windows are read from DRAM

std::string text(const char* s) { return s; }

Setup ring(uint32_t lines, uint32_t stride, bool shuffled) {
  constexpr uint32_t kThreads = 256;
  const auto bits = static_cast<uint32_t>(std::bit_width(lines - 1));
  return {"link_ring",
          (lines + kThreads - 1) / kThreads,
          kThreads,
          {lines, stride, std::max(1U, bits), shuffled ? 1U : 0U}};
}

Benchmark chase(const char* level, uint32_t bits, uint32_t steps, const std::string& kernel, uint32_t lines,
                uint32_t stride, uint32_t warm) {
  Benchmark b;
  b.name = "chase";
  b.parameters = {{"level", text(level)},
                  {"bits", int64_t{bits}},
                  {"steps", int64_t{steps}},
                  {"stride", int64_t{stride}},
                  {"footprint", int64_t{lines} * stride},
                  {"lines", int64_t{lines}},
                  {"warm", int64_t{warm}}};
  b.setup = {ring(lines, stride, true)};
  b.kernel = kernel + "_" + std::to_string(steps);
  b.threads = 1;
  b.arguments = {warm, 0, 0, 0};
  b.words = 2 * kRepeats;
  return b;
}

Benchmark stamped(const char* level, const char* kernel, uint32_t lines, uint32_t stride, bool shuffled, uint32_t warm,
                  uint32_t steps) {
  Benchmark b;
  b.name = "stamped_chase";
  b.parameters = {{"level", text(level)},
                  {"stride", int64_t{stride}},
                  {"footprint", int64_t{lines} * stride},
                  {"warm", int64_t{warm}}};
  b.setup = {ring(lines, stride, shuffled)};
  b.kernel = kernel;
  b.threads = 1;
  b.arguments = {warm, steps, 0, 0};
  b.words = 2 * steps;
  return b;
}

// Brings `mib` MiB of the window into the L2.
Setup touch(const Card& card, uint32_t mib) {
  constexpr uint32_t kThreads = 512;
  const auto turns = static_cast<uint32_t>(mib * kMiB / (16 * kThreads * card.sms) + 1);
  return {"touch", card.sms, kThreads, {turns, 0, 0, 0}};
}

// A chase while the other SMs stream through `window` MiB with `threads` each. The ring lies a MiB behind the window:
// in the L2 with it, or, for a window that the L2 does not hold, in DRAM.
Benchmark loaded_chase(const Card& card, const char* level, uint32_t window, uint32_t threads, uint32_t in_flight) {
  constexpr uint32_t kSteps = 2000, kLeastThreads = 32;
  constexpr uint32_t kL2Lines = 4096, kDramLines = 65536, kDramStride = 17 * kLine;
  const bool in_l2 = window <= kMostInL2;
  Benchmark b;
  b.name = "loaded_chase";
  b.parameters = {{"level", text(level)},
                  {"threads", int64_t{threads}},
                  {"loads_in_flight", int64_t{in_flight}},
                  {"steps", int64_t{kSteps}},
                  {"bytes_per_turn", int64_t{in_flight} * threads * 16}};
  Setup link = in_l2 ? ring(kL2Lines, kLine, true) : ring(kDramLines, kDramStride, true);
  link.data_offset = (window + 1) * kMiB;
  b.setup = {link};
  if (in_l2) b.setup.push_back(touch(card, window + 2));
  b.readings = Readings::kCtaTurns;
  b.kernel = "loaded_chase_" + std::to_string(in_flight);
  b.ctas = card.sms;
  b.threads = std::max(kLeastThreads, threads);
  b.dynamic_shared_bytes = std::min(kOneCtaPerSm, card.shared_per_cta - 1024);
  b.arguments = {kSteps, window, threads, 0};
  b.words = 4 * card.sms;
  b.flush = !in_l2;
  b.simulated = false;
  return b;
}

}  // namespace

std::vector<Benchmark> level_list() {
  std::vector<Benchmark> list;
  for (const uint32_t steps : {64U, 256U}) {
    list.push_back(chase("L1", 32, steps, "chase_LDG_32", 64, kLine, 256));
    list.push_back(chase("L1", 64, steps, "chase_LDG_64", 64, kLine, 256));
  }
  for (const uint32_t steps : {12U, 44U}) list.push_back(chase("L1", 128, steps, "chase_LDG_128", 8, kLine, 0));
  for (const uint32_t kib : {32U, 64U, 128U, 160U, 192U, 208U, 224U, 240U, 256U, 288U, 320U}) {
    const uint32_t lines = kib * 1024 / kLine;
    list.push_back(chase("L1", 64, 256, "chase_LDG_64", lines, kLine, 3 * lines));
  }
  constexpr uint32_t kAlmostL2 = 118784;  // KiB, of 128 MiB: read whole once before
  for (const uint32_t kib : {128U, 256U, 512U, 1024U, 2048U, 4096U, 8192U, 12288U, 16384U, 20480U, 24576U, 28672U,
                             32768U, 40960U, 49152U, 65536U, 102400U, kAlmostL2, 204800U}) {
    const uint32_t lines = kib * 1024 / kLine;
    Benchmark b = chase("L2", 64, 256, "chase_LDG_64_L2", lines, kLine,
                        kib <= 65536       ? 2 * lines
                        : kib == kAlmostL2 ? lines
                                           : lines / 8);
    b.simulated = kib <= 2048 || kib >= kAlmostL2;
    list.push_back(b);
  }
  list.push_back(stamped("L1", "stamped_LDG_64", 64, kLine, true, 256, 256));
  list.push_back(stamped("L2", "stamped_LDG_64_L2", 1024, kLine, false, 2048, 1024));
  // Lines that nobody read for 200 MiB; then in address order, where open rows and changes of channel show as steps.
  list.push_back(stamped("DRAM", "stamped_LDG_64_L2", 200 * kMiB / kLine, kLine, true, 1000, 4096));
  list.back().flush = true;
  for (const uint32_t stride : {32U, 64U, 128U, 256U, 512U, 1024U, 2048U, 4096U, 8192U, 16384U}) {
    const auto lines = static_cast<uint32_t>(std::min<uint64_t>(200 * kMiB / stride, uint64_t{1} << 21));
    Benchmark b = stamped("DRAM-ordered", "stamped_LDG_64_L2", lines, stride, false, 0, 1024);
    b.flush = true;
    b.simulated = false;
    list.push_back(b);
  }
  return list;
}

std::vector<Benchmark> bandwidth_list(const Card& card) {
  std::vector<Benchmark> list;
  const uint32_t alone = std::min(kOneCtaPerSm, card.shared_per_cta - 1024);
  constexpr uint32_t kL2Window = 16, kDramWindow = 2048;
  const auto stream = [&](const char* level, bool write, uint32_t in_flight, uint32_t window, uint32_t sms,
                          uint32_t threads) {
    const uint64_t block = uint64_t{in_flight} * threads * 16;
    const uint64_t bytes = std::min<uint64_t>(2 * kMiB, block * 256);
    Benchmark b;
    b.name = "bandwidth";
    b.parameters = {{"level", text(level)},
                    {"write", int64_t{write}},
                    {"window", static_cast<int64_t>(window * kMiB)},
                    {"sms", int64_t{sms}},
                    {"threads", int64_t{threads}},
                    {"loads_in_flight", int64_t{in_flight}},
                    {"bytes_per_sm", static_cast<int64_t>(bytes / block * block)}};
    b.readings = Readings::kCtaCycles;
    b.kernel = text(write ? "stream_write_" : "stream_read_") + std::to_string(in_flight);
    b.ctas = sms;
    b.threads = threads;
    b.dynamic_shared_bytes = alone;
    b.arguments = {static_cast<uint32_t>(bytes / block), window, 0, 0};
    b.words = 4 * sms;
    b.flush = window > kMostInL2;
    if (!b.flush) b.setup = {touch(card, window)};
    b.simulated = false;
    list.push_back(b);
  };
  for (const uint32_t sms : {1U, 2U, 4U, 8U, 16U, 32U, 64U, 96U, card.sms}) {
    if (sms > card.sms) continue;
    for (const uint32_t threads : {128U, 512U, 1024U}) {
      for (const uint32_t in_flight : {1U, 4U, 8U}) {
        stream("L2", false, in_flight, kL2Window, sms, threads);
        stream("DRAM", false, in_flight, kDramWindow, sms, threads);
      }
    }
    stream("L2", true, 4, kL2Window, sms, 512);
    stream("DRAM", true, 4, kDramWindow, sms, 512);
  }
  for (const uint32_t mib : {4U, 8U, 24U, 32U, 40U, 48U}) stream("L2", false, 8, mib, card.sms, 1024);

  // All SMs read DRAM once, with as much in flight as helps: the share of the bus that they reach.
  {
    constexpr uint32_t kThreads = 1024, kInFlight = 8, kTurns = 2, kWindow = 1024;
    Benchmark b;
    b.name = "bus_share";
    b.parameters = {{"bytes_per_sm", int64_t{kTurns} * kInFlight * kThreads * 16},
                    {"bus_millibytes_per_cycle", static_cast<int64_t>(card.bus_bytes_per_cycle * 1000)}};
    b.readings = Readings::kCtaCycles;
    b.kernel = "stream_read_" + std::to_string(kInFlight);
    b.ctas = card.sms;
    b.threads = kThreads;
    b.dynamic_shared_bytes = alone;
    b.arguments = {kTurns, kWindow, 0, 0};
    b.words = 4 * card.sms;
    b.flush = true;
    list.push_back(b);
  }

  for (const uint32_t threads : {0U, 32U, 64U, 128U, 256U, 512U, 1024U}) {
    for (const uint32_t in_flight : {1U, 4U}) {
      list.push_back(loaded_chase(card, "L2", kL2Window, threads, in_flight));
      list.push_back(loaded_chase(card, "DRAM", kDramWindow, threads, in_flight));
    }
  }
  return list;
}

std::vector<Benchmark> dispatch_list(const Card& card) {
  std::vector<Benchmark> list;
  const uint32_t alone = std::min(kOneCtaPerSm, card.shared_per_cta - 1024);
  struct Work {
    const char* name;
    uint32_t ctas, base, step, factor, shared;
  };
  for (const Work& work : {Work{"equal", 384, 40000, 0, 0, alone / 2},
                           {"rising", 384, 20000, 100, 1, alone / 2},
                           {"mixed", 384, 20000, 1, 40503, alone / 2},
                           {"equal", 384, 40000, 0, 0, alone},
                           {"short", 1320, 1000, 0, 0, alone}}) {
    Benchmark b;
    b.name = "dispatch";
    b.parameters = {{"work", text(work.name)},
                    {"ctas", int64_t{work.ctas}},
                    {"shared", int64_t{work.shared}},
                    {"threads", int64_t{128}}};
    b.readings = Readings::kCtaTimes;
    b.kernel = "timed_work";
    b.ctas = work.ctas;
    b.threads = 128;
    b.dynamic_shared_bytes = work.shared;
    b.arguments = {work.base, work.step, work.factor, 0};
    b.words = 4 * work.ctas;
    b.simulated = false;
    list.push_back(b);
  }
  // Empty kernels that wait for each other alone: what one takes of the GPU's time, without the host's.
  for (const uint32_t queued : {4U, 36U}) {
    constexpr uint32_t kBusyCycles = 600'000;  // the host queues 36 launches meanwhile
    Benchmark b;
    b.name = "queued_launch";
    b.parameters = {{"ctas", int64_t{card.sms}}, {"threads", int64_t{128}}, {"n", int64_t{queued}}};
    b.readings = Readings::kEventNs;
    b.ahead = Setup{"timed_work", 1, 32, {kBusyCycles, 0, 0, 0}};
    b.kernel = "empty";
    b.queued = queued;
    b.launches = 9;
    b.ctas = card.sms;
    b.threads = 128;
    b.simulated = false;
    list.push_back(b);
  }
  const auto empty = [&](uint32_t ctas, uint32_t threads, uint32_t shared) {
    Benchmark b;
    b.name = "empty_launch";
    b.parameters = {{"ctas", int64_t{ctas}}, {"threads", int64_t{threads}}, {"shared", int64_t{shared}}};
    b.readings = Readings::kEventNs;
    b.kernel = "empty";
    b.launches = 7;
    b.ctas = ctas;
    b.threads = threads;
    b.dynamic_shared_bytes = shared;
    b.simulated = false;
    list.push_back(b);
  };
  for (const uint32_t threads : {32U, 128U, 512U}) {
    for (const uint32_t times : {1U, 2U, 10U, 100U, 1000U}) empty(times * card.sms, threads, 0);
    for (const uint32_t times : {1U, 10U, 100U}) empty(times * card.sms, threads, alone);
  }
  return list;
}

}  // namespace smreplay::calibrate
