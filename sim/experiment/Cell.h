// A cell of an experiment's table: one (split, combine) pair of launches on one machine under one version of the model,
// simulated, and what is kept of it. Everything a cell depends on is in its key.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "sim/attribution/Result.h"
#include "sim/experiment/Relaunch.h"
#include "sim/isa/Result.h"
#include "sim/machine/Machine.h"

namespace smreplay::experiment {

// Resources that the machine is told instead of the binary's own; zeros: its own.
struct WhatIf {
  uint32_t registers = 0;     // per thread
  uint32_t shared_bytes = 0;  // dynamic, per CTA of the split
};

// What identifies a cell for people.
struct CellRequest {
  std::string writing;        // "plain331"
  std::string configuration;  // "v0"
  uint32_t concurrency = 0;
  std::string launch_class;  // of the suite: "c4"
  RelaunchOptions options;   // target_ctas already scaled to the machine
  WhatIf what_if;

  // "plain331-v0 C=96 c4 T512 padded"
  std::string label() const;
};

// A request with its files read: ready to run, and to be looked up.
struct PreparedCell {
  CellRequest request;
  isa::Program split, combine;
  LaunchPair launches;
  isa::Program placed_split;  // what the timing side sees: split, and its launch, with the resources of the
  trace::proto::LaunchSpec placed_launch;  // what-if; the emulator runs the real ones
  std::string key;                         // SHA-256 of programs, launches, machine and model version
};

// What is kept of a launch.
struct LaunchFigures {
  uint64_t elapsed_cycles = 0;
  double time_ns = 0;
  uint64_t warp_instructions = 0;
  uint64_t ctas = 0, full_waves = 0, tail_ctas = 0, tail_cycles = 0;  // tail: first SM out of work to the end
  uint32_t ctas_per_sm = 0, warps_per_sm = 0, idle_sms = 0;
  std::string limiter;
  uint32_t registers = 0, shared_bytes = 0, local_bytes = 0;
  double sm_active_percent = 0;
  double dram_use_percent = 0, dram_latency_ns = 0;  // mean, loaded, request to reply
  uint64_t dram_read_bytes = 0, dram_write_bytes = 0, l2_sectors = 0, l2_sector_hits = 0;
  uint64_t issue_slots_total = 0, issue_slots_empty = 0;
  attribution::StateCounts issue_slots{};
};

struct CellResult {
  std::string key, label, model_version;
  uint32_t splits = 0, tiles_per_split = 0;  // of a request and head group
  LaunchFigures split, combine;
};

// SHA-256 of the sources that a cell's numbers depend on, taken when the library was built.
std::string model_version();

// Folder of the capture: <captures>/<writing>-<configuration>-sm<architecture>.
std::filesystem::path capture_folder(const std::filesystem::path& captures, const CellRequest& request, uint32_t sm);

// True where the capture's folder holds the split kernel's Program.
bool capture_exists(const std::filesystem::path& captures, const CellRequest& request, uint32_t sm);

// Reads the capture's launches for this concurrency and changes them as requested. Errors: those of the readers, and
// experiment-launch.
Result<PreparedCell> prepare(const std::filesystem::path& captures, const CellRequest& request,
                             const machine::Machine& machine);

struct RunOptions {
  uint32_t threads = 1;
  std::string tool_version;
};

// Emulates and simulates split, from flushed caches, then combine, which finds in the L2 what the split left. Errors:
// those of the emulator and of Session::run().
Result<CellResult> run(const PreparedCell& cell, const machine::Machine& machine, const RunOptions& options);

LaunchFigures figures_of(const attribution::Result& result);

}  // namespace smreplay::experiment
