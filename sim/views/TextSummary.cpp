#include "sim/views/TextSummary.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/attribution/DiffEmpty.h"
#include "sim/views/TextTable.h"
#include "sim/views/Units.h"

namespace smreplay::views {
namespace {

using attribution::InstructionRow;
using attribution::LatencyFacts;
using attribution::LineRow;
using attribution::MemoryFacts;
using attribution::StateCounts;
using sm::WarpState;
using Align = TextTable::Align;

constexpr size_t kWidth = 110;
constexpr size_t kSelected = static_cast<size_t>(WarpState::kSelected);

uint64_t sum(const StateCounts& counts) { return std::accumulate(counts.begin(), counts.end(), uint64_t{0}); }

uint64_t stalled(const StateCounts& counts) { return sum(counts) - counts[kSelected]; }

std::string share(uint64_t part, uint64_t whole) {
  return percent(static_cast<double>(part), static_cast<double>(whole));
}

// The states other than selected, largest first: "long_scoreboard 12.3 %, wait 2.0 %".
std::string main_stalls(const StateCounts& counts, uint64_t whole, size_t at_most) {
  std::vector<std::pair<uint64_t, std::string_view>> states;
  for (size_t i = 0; i < counts.size(); ++i) {
    if (i != kSelected && counts[i] > 0) states.emplace_back(counts[i], sm::name(static_cast<WarpState>(i)));
  }
  std::stable_sort(states.begin(), states.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text;
  for (size_t i = 0; i < std::min(at_most, states.size()); ++i) {
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", states[i].second, share(states[i].first, whole));
  }
  return text;
}

std::string place(const std::string& file, uint32_t line) {
  if (file.empty() || line == 0) return "?";
  return fmt::format("{}:{}", file.substr(file.rfind('/') + 1), line);
}

std::string heading(const attribution::Result& r) {
  const auto& l = r.launch;
  const auto extent = [](const uint32_t(&d)[3]) { return fmt::format("({}, {}, {})", d[0], d[1], d[2]); };
  return fmt::format(
      "{}, launch {}, {} caches, on {}\n"
      "  grid {}, block {}, {} registers, {} shared memory, {} B local memory per thread\n\n",
      l.kernel, l.launch_name, l.cache_state, r.machine, extent(l.grid), extent(l.block), l.registers_per_thread,
      bytes(l.static_shared_bytes + l.dynamic_shared_bytes), l.local_bytes_per_thread);
}

// How the work ends: when the first SM is idle for good, and how many never had any.
struct Tail {
  uint64_t cycles = 0;
  uint32_t unused_sms = 0;
};

Tail tail_of(const attribution::Result& r) {
  std::vector<uint64_t> last_end(r.sm_count, 0);
  uint64_t end = 0;
  for (const attribution::CtaSpan& cta : r.ctas) {
    if (cta.sm < last_end.size()) last_end[cta.sm] = std::max(last_end[cta.sm], cta.end);
    end = std::max(end, cta.end);
  }
  Tail tail;
  for (const uint64_t last : last_end) {
    if (last == 0) {
      ++tail.unused_sms;
    } else {
      tail.cycles = std::max(tail.cycles, end - last);
    }
  }
  return tail;
}

std::string times(const attribution::Result& r) {
  const auto& o = r.occupancy;
  const Tail tail = tail_of(r);
  std::string text =
      fmt::format("Time       {} cycles, {} at {}; {} warp instructions\n", with_separators(r.elapsed_cycles),
                  duration(r.time_ns * 1e-9), clock(r.core_clock_khz), with_separators(r.warp_instructions));
  text += fmt::format("Waves      {} CTAs: {} full wave{} of {} and {} more; SM active {:.1f} %",
                      with_separators(r.launch.ctas), o.full_waves, o.full_waves == 1 ? "" : "s",
                      uint64_t{o.ctas_per_sm} * r.sm_count, o.tail_ctas, r.sm_active_percent);
  text += tail.unused_sms > 0 ? fmt::format("; {} of {} SMs have no work\n", tail.unused_sms, r.sm_count) : "\n";
  text += fmt::format("Tail       {} cycles ({}) from the first SM that has run out of work to the end\n",
                      with_separators(tail.cycles), share(tail.cycles, r.elapsed_cycles));
  text += fmt::format("Occupancy  {} CTA{} per SM, {} of {} warps, limited by {}; {} L1\n\n", o.ctas_per_sm,
                      o.ctas_per_sm == 1 ? "" : "s", o.warps_per_sm, o.max_warps_per_sm, o.limiter, bytes(o.l1_bytes));
  return text;
}

// Why slots have no warp: "Empty      between CTAs 30.1 %, no CTA left 2.0 %".
std::string empty_text(const attribution::Result& r) {
  if (r.issue_slots_empty == 0 || r.ctas.empty()) return "";
  const attribution::EmptySlots empty = attribution::split_empty(r);
  const std::pair<const char*, int64_t> parts[] = {{"launch", empty.launch},
                                                   {"an SM between CTAs (dispatch)", empty.gap},
                                                   {"no CTA left", empty.tail},
                                                   {"SMs without any CTA", empty.idle_sms}};
  std::string text;
  for (const auto& [name, slots] : parts) {
    if (slots <= 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "Empty      " : ", ", name,
                        share(static_cast<uint64_t>(slots), r.issue_slots_total));
  }
  return text + "\n\n";
}

std::string state_table(const attribution::Result& r) {
  TextTable table({Align::kLeft, Align::kRight, Align::kLeft, Align::kRight}, kWidth);
  table.header({"State", "issue slots", "", "warp-cycles"});
  std::vector<size_t> order;
  for (size_t i = 0; i < sm::kWarpStates; ++i) {
    if (r.issue_slots[i] > 0 || r.warp_cycles[i] > 0) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&r](size_t a, size_t b) { return r.issue_slots[a] > r.issue_slots[b]; });
  const auto slots_bar = [&r](uint64_t slots) {
    return bar(static_cast<double>(slots), static_cast<double>(r.issue_slots_total));
  };
  for (const size_t i : order) {
    table.row({std::string(sm::name(static_cast<WarpState>(i))), share(r.issue_slots[i], r.issue_slots_total),
               slots_bar(r.issue_slots[i]), share(r.warp_cycles[i], r.residency)});
  }
  table.row({"empty (no warp)", share(r.issue_slots_empty, r.issue_slots_total), slots_bar(r.issue_slots_empty), ""});
  return table.text(0) + "\n";
}

// Issue slots of schedulers that have a warp: what an instruction or a source line can have a share of.
uint64_t occupied_slots(const attribution::Result& r) { return r.issue_slots_total - r.issue_slots_empty; }

std::string top_instructions(const attribution::Result& r, size_t count) {
  std::vector<const InstructionRow*> order;
  for (const InstructionRow& i : r.instructions) {
    if (stalled(i.issue_slots) > 0) order.push_back(&i);
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const auto* a, const auto* b) { return stalled(a->issue_slots) > stalled(b->issue_slots); });
  order.resize(std::min(order.size(), count));
  TextTable table({Align::kRight, Align::kRight, Align::kRight, Align::kLeft, Align::kLeft, Align::kLeft}, kWidth);
  table.header({"stalled", "executed", "pc", "source", "main stall", "waiting instruction"});
  for (const InstructionRow* i : order) {
    table.row({share(stalled(i->issue_slots), occupied_slots(r)), with_separators(i->executed),
               fmt::format("0x{:04x}", i->pc), place(i->file, i->line),
               main_stalls(i->issue_slots, occupied_slots(r), 1), i->text});
  }
  return "Top instructions (of the issue slots with a warp)\n" + table.text(2) + "\n";
}

// The largest pairs of waiting instruction and producer, with the place in which the producer was meanwhile.
std::string top_waits(const attribution::Result& r, size_t count) {
  struct Pair {
    const InstructionRow* waiting;
    const attribution::WaitRow* wait;
    uint64_t cycles;
  };
  std::vector<Pair> pairs;
  attribution::PlaceCounts all{};
  for (const InstructionRow& i : r.instructions) {
    for (const attribution::WaitRow& w : i.waits_for) {
      pairs.push_back({&i, &w, std::accumulate(w.warp_cycles.begin(), w.warp_cycles.end(), uint64_t{0})});
      for (size_t p = 0; p < all.size(); ++p) all[p] += w.warp_cycles[p];
    }
  }
  if (pairs.empty()) return "";
  std::stable_sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) { return a.cycles > b.cycles; });
  pairs.resize(std::min(pairs.size(), count));
  const auto place_shares = [&r](const attribution::PlaceCounts& places) {
    std::vector<std::string> cells;
    for (const uint64_t cycles : places) cells.push_back(cycles == 0 ? "" : share(cycles, r.residency));
    return cells;
  };
  TextTable table({Align::kRight, Align::kRight, Align::kRight, Align::kRight, Align::kRight, Align::kRight,
                   Align::kRight, Align::kLeft, Align::kLeft},
                  kWidth);
  std::vector<std::string> header = {"waits", "at pc"};
  for (size_t p = 0; p < sm::kPlaces; ++p) header.emplace_back(sm::name(static_cast<sm::Place>(p)));
  header.insert(header.end(), {"source", "waited for"});
  table.header(header);
  const auto row = [&](uint64_t cycles, std::string pc, const attribution::PlaceCounts& places, std::string source,
                       std::string text) {
    std::vector<std::string> cells = {share(cycles, r.residency), std::move(pc)};
    for (std::string& cell : place_shares(places)) cells.push_back(std::move(cell));
    cells.push_back(std::move(source));
    cells.push_back(std::move(text));
    table.row(cells);
  };
  row(std::accumulate(all.begin(), all.end(), uint64_t{0}), "all", all, "", "");
  for (const Pair& pair : pairs) {
    const auto producer = std::lower_bound(r.instructions.begin(), r.instructions.end(), pair.wait->producer_pc,
                                           [](const InstructionRow& i, uint32_t pc) { return i.pc < pc; });
    if (producer == r.instructions.end()) continue;
    row(pair.cycles, fmt::format("0x{:04x}", pair.waiting->pc), pair.wait->warp_cycles,
        place(pair.waiting->file, pair.waiting->line), fmt::format("0x{:04x} {}", producer->pc, producer->text));
  }
  return "Waits on scoreboards (of the warp-cycles), and where what they waited for was\n" + table.text(2) + "\n";
}

std::string top_lines(const attribution::Result& r, size_t count) {
  std::vector<const LineRow*> order;
  for (const LineRow& line : r.lines) order.push_back(&line);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto* a, const auto* b) { return sum(a->issue_slots) > sum(b->issue_slots); });
  order.resize(std::min(order.size(), count));
  TextTable table({Align::kRight, Align::kRight, Align::kLeft, Align::kLeft}, kWidth);
  table.header({"slots", "issued", "source", "main stalls"});
  for (const LineRow* line : order) {
    table.row({share(sum(line->issue_slots), occupied_slots(r)), share(line->issue_slots[kSelected], occupied_slots(r)),
               place(line->file, line->line), main_stalls(line->issue_slots, occupied_slots(r), 3)});
  }
  return "Top source lines (of the issue slots with a warp)\n" + table.text(2) + "\n";
}

std::string latency_text(const char* level, const LatencyFacts& l) {
  if (l.count == 0) return fmt::format("{}: none", level);
  return fmt::format("{}: mean {:.0f}, p10 {:.0f}, p50 {:.0f}, p90 {:.0f}, p99 {:.0f} ns", level, l.mean_ns, l.p10_ns,
                     l.p50_ns, l.p90_ns, l.p99_ns);
}

std::string memory_text(const attribution::Result& r) {
  const MemoryFacts& m = r.memory;
  const double rate =
      r.time_ns > 0 ? static_cast<double>(m.dram_read_bytes + m.dram_write_bytes) / (r.time_ns * 1e-9) : 0;
  std::string text = fmt::format(
      "Memory     L1 hits {} of {} sectors; L2 hits {} of {} sectors\n"
      "           shared memory: {} wavefronts, {} of them for bank conflicts\n",
      share(m.l1_sector_hits, m.l1_sectors), with_separators(m.l1_sectors), share(m.l2_sector_hits, m.l2_sectors),
      with_separators(m.l2_sectors), with_separators(m.shared_wavefronts),
      share(m.shared_bank_conflicts, m.shared_wavefronts));
  text += fmt::format("DRAM       {:.1f} % of {} used ({}); {} read, {} written; row hits {}\n", m.dram_use_percent,
                      bytes_per_second(m.dram_peak_bytes_per_second), bytes_per_second(rate),
                      bytes(static_cast<double>(m.dram_read_bytes)), bytes(static_cast<double>(m.dram_write_bytes)),
                      share(m.dram_row_hits, m.dram_row_hits + m.dram_row_misses));
  text += fmt::format("Latency    {}\n           {}\n", latency_text("of DRAM reads at the SM", m.dram_latency),
                      latency_text("of L2 hits at the SM", m.l2_latency));
  return text;
}

std::string invariants_text(const attribution::Result& r) {
  std::string text;
  for (const attribution::InvariantCheck& i : r.invariants) {
    text += text.empty() ? "Checked    " : "; ";
    text += i.violations == 0 ? i.name + " ok"
                              : fmt::format("{} BROKEN {} times: {}", i.name, with_separators(i.violations), i.detail);
  }
  return text.empty() ? "" : text + "\n";
}

}  // namespace

std::string text_summary(const attribution::Result& result, const TextOptions& options) {
  return heading(result) + times(result) + state_table(result) + empty_text(result) +
         top_instructions(result, options.top_instructions) + top_waits(result, options.top_waits) +
         top_lines(result, options.top_lines) + memory_text(result) + invariants_text(result);
}

}  // namespace smreplay::views
