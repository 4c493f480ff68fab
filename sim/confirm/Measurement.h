// What a GPU was measured to do with the plan's launches: times of an interleaved series, and, where the profiler's
// counters were allowed, executions and stall samples per instruction. Nothing in it names a host.
//
// As JSON (schema_version 1), field by field as below; `states` of an instruction are samples by the names of
// sim/sm/WarpState.h, those that are 0 left out. A file whose name ends in .zst is one zstd frame around that JSON.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/attribution/Result.h"
#include "sim/confirm/Plan.h"
#include "sim/isa/Result.h"

namespace smreplay::confirm {

inline constexpr int kMeasurementSchemaVersion = 1;

inline constexpr const char* kDryRunName = "emulator";  // in the place of a GPU's name

struct GpuFacts {
  std::string name;    // "NVIDIA H200"
  std::string driver;  // "580.159.04"; empty: not read
  uint32_t compute = 0;
  uint32_t multiprocessors = 0;
  uint32_t max_sm_mhz = 0;
};

// What the management library said of the clocks between runs of the series. 0: not read. It says what the clock is set
// to; an H200 that "runs at 1980 MHz" counts 1777 to 1874 million SM cycles a second under the profiler.
struct ClockRange {
  uint32_t sm_mhz_min = 0, sm_mhz_median = 0, sm_mhz_max = 0;
  uint32_t memory_mhz = 0;
};

// One launch of the plan, timed. A case that is `again` is the null experiment: the same launch, loaded a second time.
struct TimedCase {
  std::string id;  // PlanCase::id
  bool again = false;
  uint32_t registers = 0, local_bytes = 0, static_shared_bytes = 0, dynamic_shared_bytes = 0;
  uint32_t resident_ctas = 0;               // per SM, as the driver says
  std::vector<std::vector<double>> rounds;  // microseconds of each run; a round loads everything anew
};

struct ProfiledInstruction {
  uint32_t pc = 0;
  std::string text;
  uint64_t executed = 0, thread_executed = 0;
  attribution::StateCounts states{};  // samples
};

struct ProfiledCase {
  std::string id;
  bool again = false;
  uint64_t elapsed_cycles = 0;   // sm__cycles_elapsed.max
  double time_ns = 0;            // gpu__time_duration.sum
  double sm_mhz = 0;             // sm__cycles_elapsed.avg.per_second; 0: not given
  uint64_t dram_read_bytes = 0;  // dram__bytes_read.sum
  std::vector<ProfiledInstruction> instructions;
};

struct Measurement {
  std::string date;  // UTC, "2026-11-30T21:50:00Z"
  std::string tool_version;
  GpuFacts gpu;
  ClockRange clocks;
  std::string flush;        // how the L2 was emptied before a timed run: "read" (clean lines stay), "overwritten"
  std::string profiler;     // version; empty: timed only
  std::string no_counters;  // why there is no profile
  Plan plan;                // what was run, and which predictions existed then
  std::vector<TimedCase> timed;
  std::vector<ProfiledCase> profiled;

  // The emulator stood in for a GPU: its times are no measurement.
  bool dry_run() const { return gpu.name == kDryRunName; }
  // The clock to simulate at: the median of what the profiler counted, else what the management library said; 0:
  // unknown.
  uint32_t sm_mhz() const;
  const TimedCase* find_timed(const std::string& id, bool again = false) const;
  const ProfiledCase* find_profiled(const std::string& id, bool again = false) const;
};

std::string to_json(const Measurement& measurement);
// Errors (exit 4), with `file` as place: measurement-syntax, measurement-version.
Result<Measurement> measurement_from_json(const std::string& text, const std::string& file);

// Files by name; .zst is compressed. Errors: output-failed (exit 3); file-missing and those of the reader (exit 4).
Status write_measurement(const Measurement& measurement, const std::string& file);
Result<Measurement> read_measurement(const std::string& file);

}  // namespace smreplay::confirm
