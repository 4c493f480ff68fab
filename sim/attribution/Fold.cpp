#include "sim/attribution/Fold.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

namespace smreplay::attribution {
namespace {

constexpr size_t kSelected = static_cast<size_t>(sm::WarpState::kSelected);

void add(StateCounts& to, const StateCounts& from) {
  for (size_t s = 0; s < to.size(); ++s) to[s] += from[s];
}

uint64_t sum(const StateCounts& counts) { return std::accumulate(counts.begin(), counts.end(), uint64_t{0}); }

uint64_t sum(const PlaceCounts& counts) { return std::accumulate(counts.begin(), counts.end(), uint64_t{0}); }

std::vector<WaitRow> fold_waits(const isa::Program& program, const std::vector<sm::Wait>& waits) {
  std::vector<WaitRow> rows;
  for (const sm::Wait& wait : waits) {
    rows.push_back({program.instructions[wait.producer].pc, std::string(sm::name(wait.state)), wait.warp_cycles});
  }
  // The order in which they occurred depends on the partition; this one does not.
  std::sort(rows.begin(), rows.end(), [](const WaitRow& a, const WaitRow& b) {
    return std::tuple(sum(b.warp_cycles), a.producer_pc, a.state) <
           std::tuple(sum(a.warp_cycles), b.producer_pc, b.state);
  });
  return rows;
}

void fold_instructions(const isa::Program& program, const sm::Ledger& ledger, Result& result) {
  std::map<std::pair<uint32_t, uint32_t>, LineRow> lines;
  for (size_t i = 0; i < program.instructions.size(); ++i) {
    InstructionRow row;
    row.pc = program.instructions[i].pc;
    row.text = program.instructions[i].text;
    if (i < program.lines.size() && program.lines[i].line > 0) {
      row.file = program.files[program.lines[i].file];
      row.line = program.lines[i].line;
    }
    row.executed = ledger.executed[i];
    row.thread_executed = ledger.thread_executed[i];
    row.warp_cycles = ledger.warp_cycles[i];
    row.issue_slots = ledger.issue_slots[i];
    row.waits_for = fold_waits(program, ledger.waits.of(i));
    add(result.warp_cycles, row.warp_cycles);
    add(result.issue_slots, row.issue_slots);
    result.warp_instructions += row.executed;
    result.thread_instructions += row.thread_executed;
    const auto key =
        i < program.lines.size() ? std::pair(program.lines[i].file, program.lines[i].line) : std::pair(0U, 0U);
    LineRow& line = lines[row.line > 0 ? key : std::pair(0U, 0U)];
    line.file = row.file;
    line.line = row.line;
    line.executed += row.executed;
    add(line.warp_cycles, row.warp_cycles);
    add(line.issue_slots, row.issue_slots);
    result.instructions.push_back(std::move(row));
  }
  for (auto& [key, row] : lines) result.lines.push_back(std::move(row));
}

LatencyFacts fold_latency(const memory::LatencyHistogram& histogram) {
  LatencyFacts facts;
  facts.count = histogram.count();
  facts.mean_ns = histogram.mean_ns();
  facts.p10_ns = histogram.quantile_ns(0.10);
  facts.p50_ns = histogram.quantile_ns(0.50);
  facts.p90_ns = histogram.quantile_ns(0.90);
  facts.p99_ns = histogram.quantile_ns(0.99);
  const auto& bins = histogram.bins();
  for (size_t i = 0; i < bins.size(); ++i) {
    if (bins[i] == 0) continue;
    const double from = static_cast<double>(i) * memory::LatencyHistogram::kBinNs;
    facts.bins.push_back({from, from + memory::LatencyHistogram::kBinNs, bins[i]});
  }
  return facts;
}

void fold_memory(const machine::Machine& machine, const gpu::ChipCounts& counts, Result& result) {
  MemoryFacts& m = result.memory;
  m.l1_requests = counts.sm_memory.l1_requests;
  m.l1_sectors = counts.sm_memory.l1_sectors;
  m.l1_sector_hits = counts.sm_memory.l1_sector_hits;
  m.shared_wavefronts = counts.sm_memory.shared_wavefronts;
  m.shared_bank_conflicts = counts.sm_memory.shared_bank_conflicts;
  m.local_sectors = counts.sm_memory.local_sectors;
  m.local_sector_hits = counts.sm_memory.local_sector_hits;
  const auto& l2 = counts.memory.l2;
  m.l2_sectors = std::accumulate(l2.sectors.begin(), l2.sectors.end(), uint64_t{0});
  m.l2_sector_hits = std::accumulate(l2.hit_sectors.begin(), l2.hit_sectors.end(), uint64_t{0});
  m.dram_read_bytes = counts.memory.dram_read_bytes;
  m.dram_write_bytes = counts.memory.dram_write_bytes;
  m.dram_row_hits = counts.memory.dram.row_hits;
  m.dram_row_misses = counts.memory.dram.row_misses + counts.memory.dram.row_conflicts;
  const machine::Dram& dram = machine.dram;
  constexpr double kHertzPerKhz = 1e3;
  m.dram_peak_bytes_per_second = static_cast<double>(dram.channels) * dram.burst_bytes *
                                 static_cast<double>(dram.clock_khz) * kHertzPerKhz / dram.burst_ticks;
  constexpr double kNanosecondsPerSecond = 1e9;
  const double moved = static_cast<double>(m.dram_read_bytes + m.dram_write_bytes);
  m.dram_use_percent = 100.0 * moved / (m.dram_peak_bytes_per_second * result.time_ns / kNanosecondsPerSecond);
  m.dram_latency = fold_latency(counts.memory.dram_latency);
  m.l2_latency = fold_latency(counts.memory.l2_latency);
}

std::string place(const isa::Program& program, uint32_t index) {
  const isa::Instruction& in = program.instructions[index];
  std::string out = in.text + " (pc " + std::to_string(in.pc);
  if (index < program.lines.size() && program.lines[index].line > 0) {
    out += ", " + program.files[program.lines[index].file] + ":" + std::to_string(program.lines[index].line);
  }
  return out + ")";
}

}  // namespace

void fold(const isa::Program& program, const machine::Machine& machine, const gpu::ChipCounts& counts, Result& result) {
  constexpr double kNanosecondsPerKhzTick = 1e6;
  result.machine = machine.name;
  result.compute_capability = machine.sm;
  result.sm_count = machine.sm_count;
  result.schedulers_per_sm = machine.subcores;
  result.core_clock_khz = machine.core_clock_khz;
  result.elapsed_cycles = counts.elapsed;
  result.time_ns =
      static_cast<double>(counts.elapsed) * kNanosecondsPerKhzTick / static_cast<double>(machine.core_clock_khz);
  const uint64_t active = std::accumulate(counts.active_cycles.begin(), counts.active_cycles.end(), uint64_t{0});
  result.sm_active_percent =
      100.0 * static_cast<double>(active) / (static_cast<double>(counts.elapsed) * machine.sm_count);
  fold_instructions(program, counts.ledger, result);
  result.issue_slots_total = counts.elapsed * machine.sm_count * machine.subcores;
  result.issue_slots_empty = result.issue_slots_total - counts.owned_slots;
  result.residency = counts.ledger.residency;
  fold_memory(machine, counts, result);
  result.instruction_cache_misses = counts.sm.l0_misses;
  result.instruction_stream_hits = counts.sm.l0_stream_hits;
  for (const sm::CtaCompletion& c : counts.completions) result.ctas.push_back({c.linear_id, c.sm, c.started, c.cycle});
  std::sort(result.ctas.begin(), result.ctas.end(),
            [](const CtaSpan& a, const CtaSpan& b) { return a.linear_id < b.linear_id; });
}

void check_invariants(const isa::Program& program, const gpu::ChipCounts& counts, Result& result) {
  const uint64_t states = sum(result.warp_cycles);
  InvariantCheck cycles{.name = "1 warp-cycles", .checked = states, .violations = 0, .detail = {}};
  if (states != result.residency || result.warp_cycles[kSelected] != result.warp_instructions) {
    cycles.violations = 1;
    cycles.detail = "the states sum to " + std::to_string(states) + " warp-cycles, the residency is " +
                    std::to_string(result.residency);
  }
  result.invariants.push_back(cycles);

  // The slots that the ledger owns and those that the schedulers counted are two separate sums.
  const uint64_t owned = sum(result.issue_slots);
  InvariantCheck slots{.name = "2 issue slots", .checked = result.issue_slots_total, .violations = 0, .detail = {}};
  if (owned + result.issue_slots_empty != result.issue_slots_total || owned > result.issue_slots_total) {
    slots.violations = 1;
    slots.detail = std::to_string(owned) + " owned and " + std::to_string(result.issue_slots_empty) +
                   " empty issue slots of " + std::to_string(result.issue_slots_total);
  }
  result.invariants.push_back(slots);

  // Each cycle on a scoreboard has a producer and a place: by instruction, two separate sums.
  InvariantCheck waits{.name = "3 causes", .checked = 0, .violations = 0, .detail = {}};
  for (const InstructionRow& row : result.instructions) {
    uint64_t named = 0;
    for (const WaitRow& wait : row.waits_for) named += sum(wait.warp_cycles);
    const uint64_t waited = row.warp_cycles[static_cast<size_t>(sm::WarpState::kLongScoreboard)] +
                            row.warp_cycles[static_cast<size_t>(sm::WarpState::kShortScoreboard)];
    waits.checked += waited;
    if (named == waited) continue;
    if (waits.violations++ == 0) {
      waits.detail = row.text + " waits " + std::to_string(waited) + " cycles for scoreboards, " +
                     std::to_string(named) + " of them with a cause";
    }
  }
  result.invariants.push_back(waits);

  InvariantCheck hazards{
      .name = "6 hazards", .checked = counts.ledger.hazard_checks, .violations = counts.violation_count, .detail = {}};
  if (!counts.violations.empty()) {
    const sm::HazardViolation& v = counts.violations.front();
    hazards.detail = place(program, v.consumer) + " uses register " + std::to_string(v.reg) + " of " +
                     place(program, v.producer) +
                     (v.missing < 0 ? " before it is written" : " " + std::to_string(v.missing) + " cycles too early");
  }
  result.invariants.push_back(hazards);
}

}  // namespace smreplay::attribution
