// One launch of a kernel of kernels/microbench, and what its readings become: a line of the raw file.
//
// The list of them (BenchmarkList.h) is the same for a GPU and for the simulated one; who runs it implements Target.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "sim/calibrate/ControlPatch.h"

namespace smreplay::calibrate {

using ParameterValue = std::variant<int64_t, std::string>;
using Parameters = std::vector<std::pair<std::string, ParameterValue>>;  // in the order of the raw file

// How the words of `out` become samples.
enum class Readings : uint8_t {
  kPairs,      // (begin, end) after (begin, end): their differences
  kWarpPairs,  // per warp of `warps` and repeat a pair: both, less the earliest begin of the repeat; warps in order
  kSpan,       // the same pairs, one of each warp: from the first begin to the last end
  kCtaTimes,   // per CTA clock begin, end, ns begin, ns end: cycles, then ns of both since the first CTA's begin
  kCtaCycles,  // the same words: cycles
  kCtaTurns,   // per CTA clock begin, end, turns that it made, 0: cycles, turns
  kEventNs,    // no words: nanoseconds of the launch, by events
  kWords,      // the words themselves
  kNone,       // nothing is read: a profiler counts
};

// A launch that prepares the window: writes a ring, brings lines into the L2.
struct Setup {
  std::string kernel;
  uint32_t ctas = 1;
  uint32_t threads = 32;
  std::array<uint32_t, 4> arguments = {};
  uint64_t data_offset = 0;  // behind the benchmark's own
};

struct Benchmark {
  std::string name;  // of the raw line
  Parameters parameters;
  Readings readings = Readings::kPairs;

  std::vector<Setup> setup;    // before each launch, in order
  std::optional<Setup> ahead;  // within the timed events, before the kernel: keeps the GPU busy while launches queue up
  std::string kernel;
  uint32_t queued = 1;  // launches of the kernel within one pair of events
  std::optional<BurstPatch> patch;
  uint32_t launches = 1;  // the samples of all follow each other
  uint32_t ctas = 1;
  uint32_t threads = 32;
  uint32_t dynamic_shared_bytes = 0;
  uint64_t data_offset = 0;                // of the window in device memory
  std::array<uint32_t, 4> arguments = {};  // a, b, c, d of the kernel
  uint32_t words = 0;                      // of `out` that are read back
  uint32_t warps = 0;                      // kWarpPairs: bit mask of the warps that wrote readings
  bool flush = false;                      // the L2 holds nothing of the window when it starts
  bool simulated = true;  // also on the simulated GPU, which knows no SM numbers and no time that steers code
};

// The unit of a benchmark's samples.
const char* unit(Readings readings);

// Samples of a benchmark from the words that its kernel wrote.
std::vector<int64_t> samples(const Benchmark& benchmark, const std::vector<uint32_t>& words);

// The line of the raw file, without newline.
std::string raw_line(const Benchmark& benchmark, const std::vector<int64_t>& samples);

}  // namespace smreplay::calibrate
