#include "sim/machine/Occupancy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace smreplay::machine {
namespace {

constexpr uint32_t kWarpThreads = 32;
constexpr uint32_t kMaxPercent = 100;
// The header lets 256 registers pass although an instruction can name 255 only; check_launch is strict.
constexpr uint32_t kHeaderRegisterSlack = 1;

template <class T>
T round_up(T value, T unit) {
  return (value + unit - 1) / unit * unit;
}

uint32_t warps_of(uint32_t threads) { return (threads + kWarpThreads - 1) / kWarpThreads; }

uint64_t registers_per_warp(const machine::Occupancy& o, uint32_t registers) {
  return round_up<uint64_t>(uint64_t{registers} * kWarpThreads, o.register_unit);
}

// Registers as the launch counts them: a CTA's warps in whole groups, one warp per sub-core.
uint64_t registers_for_launch(const machine::Occupancy& o, const KernelResources& kernel) {
  return registers_per_warp(o, kernel.registers) * round_up(warps_of(kernel.threads), o.warp_granularity);
}

uint64_t shared_use(const machine::Occupancy& o, const KernelResources& kernel) {
  return uint64_t{kernel.static_shared} + kernel.dynamic_shared + o.shared_reserved_per_cta;
}

uint64_t shared_limit(const machine::Occupancy& o, const KernelResources& kernel) {
  return uint64_t{o.shared_reserved_per_cta} +
         (kernel.shared_opt_in ? o.shared_per_cta_optin : o.shared_per_cta_default);
}

// The least supported carve-out of at least `bytes`; the largest where none is.
uint32_t carveout_for(const machine::Occupancy& o, uint64_t bytes) {
  const auto found = std::lower_bound(o.carveouts.begin(), o.carveouts.end(), bytes,
                                      [](uint32_t carveout, uint64_t wanted) { return carveout < wanted; });
  return found == o.carveouts.end() ? o.carveouts.back() : *found;
}

uint32_t preferred_carveout(const machine::Occupancy& o, const KernelResources& kernel, uint64_t allocated) {
  if (kernel.carveout_bytes > 0) return std::max(carveout_for(o, kernel.carveout_bytes), carveout_for(o, allocated));
  if (kernel.carveout_percent < 0) return o.carveouts.back();
  const uint32_t percent = std::min(static_cast<uint32_t>(kernel.carveout_percent), kMaxPercent);
  const uint64_t wanted = uint64_t{o.shared_per_sm} * percent / kMaxPercent;
  return std::max(carveout_for(o, wanted), carveout_for(o, allocated));
}

uint32_t ctas_by_registers(const machine::Occupancy& o, const KernelResources& kernel) {
  if (kernel.registers > o.max_registers_per_thread + kHeaderRegisterSlack) return 0;
  if (registers_for_launch(o, kernel) > o.registers_per_cta) return 0;
  const uint64_t per_warp = registers_per_warp(o, kernel.registers);
  if (per_warp == 0) return o.max_ctas;
  const uint64_t warps_per_subcore = o.registers / o.warp_granularity / per_warp;
  return static_cast<uint32_t>(warps_per_subcore * o.warp_granularity / warps_of(kernel.threads));
}

bool fits(const Machine& machine, const KernelResources& kernel, uint32_t ctas) {
  return occupancy(machine, kernel).ctas >= ctas;
}

Error too_much(std::string code, std::string message) {
  return Error{ExitCode::kBadConfiguration, std::move(code), std::move(message), "", 0, 0};
}

}  // namespace

OccupancyReport occupancy(const Machine& machine, const KernelResources& kernel) {
  const machine::Occupancy& o = machine.occupancy;
  OccupancyReport report;
  const uint32_t warps = warps_of(kernel.threads);
  const uint64_t use = shared_use(o, kernel);
  const uint64_t allocated = round_up<uint64_t>(use, o.shared_unit);
  report.registers_per_cta = static_cast<uint32_t>(registers_per_warp(o, kernel.registers) * warps);
  report.shared_per_cta = static_cast<uint32_t>(allocated);
  report.carveout_bytes = preferred_carveout(o, kernel, allocated);

  if (warps > 0 && kernel.threads <= o.max_threads_per_cta) {
    report.by_warps = o.max_warps / warps;
    report.by_registers = ctas_by_registers(o, kernel);
  }
  report.by_shared = use > shared_limit(o, kernel) ? 0
                     : allocated == 0              ? o.max_ctas
                                                   : static_cast<uint32_t>(report.carveout_bytes / allocated);
  report.by_ctas = o.max_ctas;
  report.by_barriers = kernel.barriers == 0 ? o.barriers : o.barriers / kernel.barriers;

  const std::array<std::pair<uint32_t, Limiter>, 5> limits = {{{report.by_warps, kLimitWarps},
                                                               {report.by_registers, kLimitRegisters},
                                                               {report.by_shared, kLimitShared},
                                                               {report.by_ctas, kLimitCtas},
                                                               {report.by_barriers, kLimitBarriers}}};
  report.ctas = std::min_element(limits.begin(), limits.end())->first;
  for (const auto& [ctas, limiter] : limits) {
    if (ctas == report.ctas) report.limiters |= limiter;
  }
  report.warps = report.ctas * warps;
  report.l1_bytes = machine.memory.l1_total_bytes - report.carveout_bytes;
  report.tight_carveout_bytes = carveout_for(o, allocated * report.ctas);
  report.tight_l1_bytes = machine.memory.l1_total_bytes - report.tight_carveout_bytes;
  return report;
}

std::vector<NextStep> next_steps(const Machine& machine, const KernelResources& kernel) {
  const uint32_t target = occupancy(machine, kernel).ctas + 1;
  std::vector<NextStep> steps;
  // With the CTA as large as it is: the registers and the shared memory that the target leaves, both where both limit.
  KernelResources lean = kernel;
  while (lean.registers > 1 && occupancy(machine, lean).by_registers < target) --lean.registers;
  const uint32_t unit = machine.occupancy.shared_unit;
  uint32_t shared = kernel.static_shared + kernel.dynamic_shared;
  lean.static_shared = 0;
  lean.dynamic_shared = shared;
  while (shared > 0 && occupancy(machine, lean).by_shared < target) {
    shared = (shared - 1) / unit * unit;
    lean.dynamic_shared = shared;
  }
  if (fits(machine, lean, target)) {
    NextStep step;
    step.ctas = occupancy(machine, lean).ctas;
    if (lean.registers != kernel.registers) step.registers = lean.registers;
    if (shared != kernel.static_shared + kernel.dynamic_shared) {
      step.shared = shared;
      step.no_shared = shared == 0;
    }
    steps.push_back(step);
  }
  // With smaller CTAs of the same threads and the same shared memory each.
  for (uint32_t warps = warps_of(kernel.threads); warps-- > 1;) {
    KernelResources small = kernel;
    small.threads = warps * kWarpThreads;
    if (!fits(machine, small, target)) continue;
    steps.push_back({occupancy(machine, small).ctas, small.threads, 0, 0, false});
    break;
  }
  return steps;
}

Waves waves(const Machine& machine, uint32_t ctas_per_sm, uint64_t ctas) {
  Waves result;
  result.slots = uint64_t{ctas_per_sm} * machine.sm_count;
  if (result.slots == 0) return result;
  result.full = ctas / result.slots;
  result.tail = ctas % result.slots;
  return result;
}

Status check_launch(const Machine& machine, const KernelResources& kernel, const Grid& grid) {
  const machine::Occupancy& o = machine.occupancy;
  const std::array<std::pair<uint64_t, uint32_t>, 3> dimensions = {
      {{grid.x, o.max_grid_x}, {grid.y, o.max_grid_y}, {grid.z, o.max_grid_z}}};
  for (size_t i = 0; i < dimensions.size(); ++i) {
    const auto [size, limit] = dimensions[i];
    if (size >= 1 && size <= limit) continue;
    return too_much("launch-grid",
                    fmt::format("grid.{} is {}; {} allows 1 to {}", "xyz"[i], size, machine.name, limit));
  }
  if (kernel.threads < 1 || kernel.threads > o.max_threads_per_cta) {
    return too_much("launch-threads", fmt::format("{} threads per CTA; {} allows 1 to {}", kernel.threads, machine.name,
                                                  o.max_threads_per_cta));
  }
  if (kernel.registers > o.max_registers_per_thread) {
    return too_much("launch-registers", fmt::format("{} registers per thread; {} allows {}", kernel.registers,
                                                    machine.name, o.max_registers_per_thread));
  }
  if (const uint64_t needed = registers_for_launch(o, kernel); needed > o.registers_per_cta) {
    return too_much("launch-registers",
                    fmt::format("a CTA of {} threads with {} registers each takes {} registers; {} has {} per CTA",
                                kernel.threads, kernel.registers, needed, machine.name, o.registers_per_cta));
  }
  if (shared_use(o, kernel) > shared_limit(o, kernel)) {
    return too_much(
        "launch-shared",
        fmt::format("{} + {} bytes of static and dynamic shared memory per CTA; {} allows {}{}", kernel.static_shared,
                    kernel.dynamic_shared, machine.name, shared_limit(o, kernel) - o.shared_reserved_per_cta,
                    kernel.shared_opt_in ? "" : " without opting in"));
  }
  if (kernel.barriers > o.barriers) {
    return too_much("launch-barriers", fmt::format("{} named barriers per CTA; {} has {} per SM", kernel.barriers,
                                                   machine.name, o.barriers));
  }
  return Ok{};
}

std::string limiter_names(uint32_t limiters) {
  constexpr std::array<std::pair<Limiter, const char*>, 5> kNames = {{{kLimitWarps, "warps"},
                                                                      {kLimitRegisters, "registers"},
                                                                      {kLimitShared, "shared memory"},
                                                                      {kLimitCtas, "CTAs"},
                                                                      {kLimitBarriers, "barriers"}}};
  std::string names;
  for (const auto& [limiter, name] : kNames) {
    if ((limiters & limiter) != 0) names += (names.empty() ? "" : ", ") + std::string(name);
  }
  return names;
}

}  // namespace smreplay::machine
