#include "sim/attribution/Simulate.h"

#include <algorithm>
#include <memory>

#include "sim/attribution/Fold.h"
#include "sim/engine/Invariant.h"
#include "sim/gpu/Chip.h"
#include "sim/gpu/Prefetcher.h"
#include "sim/machine/Occupancy.h"

namespace smreplay::attribution {
namespace {

constexpr uint32_t kLanes = 32;
constexpr size_t kPrefetchedCtas = 64;

uint64_t extent(uint32_t n) { return std::max(1U, n); }

Error fail(ExitCode exit, std::string code, std::string message) {
  return Error{.exit = exit, .code = std::move(code), .message = std::move(message), .file = {}};
}

std::string cache_state(const trace::proto::LaunchSpec& launch) {
  if (launch.cache_state() == trace::proto::COLD) return launch.cold_code() ? "cold, code too" : "cold";
  return "warm after " + std::to_string(std::max(1U, launch.warm_runs())) + " runs";
}

void describe(const isa::Program& program, const trace::proto::LaunchSpec& launch, LaunchFacts& facts) {
  facts.kernel = program.kernel;
  facts.launch_name = launch.name();
  facts.description = launch.description();
  const auto fill = [](const trace::proto::Dim3& from, uint32_t* to) {
    to[0] = static_cast<uint32_t>(extent(from.x()));
    to[1] = static_cast<uint32_t>(extent(from.y()));
    to[2] = static_cast<uint32_t>(extent(from.z()));
  };
  fill(launch.grid(), facts.grid);
  fill(launch.block(), facts.block);
  facts.ctas = uint64_t{facts.grid[0]} * facts.grid[1] * facts.grid[2];
  const uint32_t threads = facts.block[0] * facts.block[1] * facts.block[2];
  facts.warps_per_cta = (threads + kLanes - 1) / kLanes;
  facts.registers_per_thread = program.resources.registers_per_thread;
  facts.static_shared_bytes = program.resources.static_shared_bytes;
  facts.dynamic_shared_bytes = launch.dynamic_shared_bytes();
  facts.local_bytes_per_thread = program.resources.local_bytes_per_thread;
  facts.cache_state = cache_state(launch);
}

smreplay::Result<machine::OccupancyReport> place_ctas(const isa::Program& program,
                                                      const trace::proto::LaunchSpec& launch,
                                                      const machine::Machine& machine, Result& result) {
  machine::KernelResources kernel;
  kernel.threads = result.launch.block[0] * result.launch.block[1] * result.launch.block[2];
  kernel.registers = program.resources.registers_per_thread;
  kernel.static_shared = program.resources.static_shared_bytes;
  kernel.dynamic_shared = launch.dynamic_shared_bytes();
  kernel.barriers = std::max(1U, program.resources.barriers);
  const machine::Grid grid{result.launch.grid[0], result.launch.grid[1], result.launch.grid[2]};
  if (const Status fits = machine::check_launch(machine, kernel, grid); !fits) return fits.error();
  constexpr uint32_t kKibibyte = 1024;
  if (launch.shared_carveout_kb() > 0) {
    kernel.carveout_bytes = static_cast<uint32_t>(launch.shared_carveout_kb()) * kKibibyte;
  }
  const machine::OccupancyReport report = machine::occupancy(machine, kernel);
  OccupancyFacts& facts = result.occupancy;
  facts.ctas_per_sm = report.ctas;
  facts.warps_per_sm = report.warps;
  facts.max_warps_per_sm = machine.occupancy.max_warps;
  facts.limiter = machine::limiter_names(report.limiters);
  // Without a preference the driver takes the least carve-out that holds the CTAs and leaves the rest to L1 (assumed).
  const bool preferred = launch.shared_carveout_kb() > 0;
  facts.carveout_bytes = preferred ? report.carveout_bytes : report.tight_carveout_bytes;
  facts.l1_bytes = preferred ? report.l1_bytes : report.tight_l1_bytes;
  const machine::Waves waves = machine::waves(machine, report.ctas, result.launch.ctas);
  facts.full_waves = waves.full;
  facts.tail_ctas = waves.tail;
  return report;
}

// Runs the launch on `chip` once; the source is read ahead where threads allow it.
smreplay::Result<gpu::ChipCounts> run_chip(gpu::Chip& chip, trace::CtaSource& source, const SimulateOptions& options) {
  gpu::ChipOptions chip_options;
  chip_options.threads = std::max(1U, options.threads);
  if (options.cycle_limit > 0) chip_options.cycle_limit = options.cycle_limit;
  chip_options.progress = options.progress;
  if (chip_options.threads > 1 && options.overlap_source) {
    gpu::Prefetcher ahead(source, kPrefetchedCtas);
    return chip.run(ahead, chip_options);
  }
  return chip.run(source, chip_options);
}

}  // namespace

struct Session::State {
  explicit State(const machine::Machine& m) : machine(m) {}
  machine::Machine machine;
  // Made at the first launch: its clocks may be the launch's. Its address map and clocks stay for the whole session.
  std::unique_ptr<memory::MemorySystem> memory;
};

Session::Session(const machine::Machine& machine) : state_(std::make_unique<State>(machine)) {}
Session::~Session() = default;

smreplay::Result<Result> Session::run(const isa::Program& program, const trace::proto::LaunchSpec& launch,
                                      trace::CtaSource& source, const SimulateOptions& options) {
  machine::Machine& machine = state_->machine;
  if (program.sm != machine.sm) {
    return fail(ExitCode::kBadInput, "arch-mismatch",
                "the program is compiled for sm_" + std::to_string(program.sm) + ", " + machine.name + " is sm_" +
                    std::to_string(machine.sm) + "; choose a machine of that architecture or recapture the kernel");
  }
  constexpr double kKhzPerMhz = 1e3;
  const auto clock_khz = static_cast<uint64_t>(launch.core_clock_mhz() * kKhzPerMhz);
  if (clock_khz > 0 && clock_khz != machine.core_clock_khz) {
    if (state_->memory != nullptr) {
      return fail(ExitCode::kBadConfiguration, "session-clock", "launches of one session need the same core clock");
    }
    machine.core_clock_khz = clock_khz;
  }
  Result result;
  result.provenance = options.provenance;
  result.provenance.machine_hash = machine.hash;
  describe(program, launch, result.launch);
  const auto placed = place_ctas(program, launch, machine, result);
  if (!placed) return placed.error();

  gpu::LaunchShape shape;
  shape.ctas = result.launch.ctas;
  shape.warps_per_cta = result.launch.warps_per_cta;
  shape.ctas_per_sm = placed->ctas;
  shape.l1_bytes = result.occupancy.l1_bytes;
  shape.warm_code = !launch.cold_code();
  shape.every_cycle = options.every_cycle;
  try {
    if (state_->memory == nullptr) state_->memory = std::make_unique<memory::MemorySystem>(machine);
    if (launch.cache_state() == trace::proto::COLD) state_->memory->cold();
    state_->memory->clear_counters();
    gpu::Chip chip(program, machine, shape, *state_->memory);
    const auto counts = run_chip(chip, source, options);
    if (!counts) return counts.error();
    fold(program, machine, *counts, result);
    check_invariants(program, *counts, result);
  } catch (const engine::ModelLimit& e) {
    return fail(ExitCode::kModelLimit, "model-limit", e.what());
  } catch (const engine::InvariantBroken& e) {
    return fail(ExitCode::kInvariantBroken, "invariant-broken", e.what());
  }
  for (const InvariantCheck& check : result.invariants) {
    if (check.violations == 0) continue;
    return fail(
        ExitCode::kInvariantBroken, "invariant-broken",
        "invariant " + check.name + ": " + std::to_string(check.violations) + " violations; first: " + check.detail);
  }
  return result;
}

smreplay::Result<Result> simulate(const isa::Program& program, const trace::proto::LaunchSpec& launch,
                                  const machine::Machine& machine, trace::CtaSource& source,
                                  const SimulateOptions& options) {
  Session session(machine);
  if (launch.cache_state() == trace::proto::COLD) return session.run(program, launch, source, options);
  if (!options.restart) {
    return fail(ExitCode::kBadConfiguration, "cache-state-restart",
                "launch '" + launch.name() +
                    "' asks for warm caches: it has to run more than once, and its source gives its CTAs only once");
  }
  for (uint32_t i = 0; i < std::max(1U, launch.warm_runs()); ++i) {
    const auto again = options.restart();
    if (!again) return again.error();
    if (const auto warmed = session.run(program, launch, **again, options); !warmed) return warmed.error();
  }
  return session.run(program, launch, source, options);
}

}  // namespace smreplay::attribution
