#include "sim/attribution/Diff.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>

#include "sim/attribution/DiffConditions.h"
#include "sim/attribution/DiffEmpty.h"
#include "sim/attribution/DiffFacts.h"
#include "sim/attribution/DiffShape.h"

namespace smreplay::attribution {
namespace {

constexpr double kPercent = 100;

uint64_t magnitude(int64_t value) { return static_cast<uint64_t>(std::llabs(value)); }

// From the clock and the size of the chip, so that two runs on one machine get the very same number.
double slot_ns(const Result& r) {
  constexpr double kNsPerMs = 1e6;
  const double slots_per_ms = static_cast<double>(r.core_clock_khz) * r.sm_count * r.schedulers_per_sm;
  return slots_per_ms > 0 ? kNsPerMs / slots_per_ms : 0;
}

DiffSide side_of(const InstructionRow& row) {
  return {.pc = row.pc, .text = row.text, .source = source_of(row), .executed = row.executed, .slots = row.issue_slots};
}

// In the order of a's code, then what only b has.
std::vector<DiffPair> pair_instructions(const Result& a, const Result& b, const std::vector<IndexPair>& pairs) {
  std::vector<DiffPair> out(a.instructions.size());
  for (size_t i = 0; i < out.size(); ++i) out[i].a = side_of(a.instructions[i]);
  std::vector<bool> in_pair(b.instructions.size(), false);
  for (const auto& [i, j] : pairs) {
    out[i].b = side_of(b.instructions[j]);
    in_pair[j] = true;
  }
  for (size_t j = 0; j < in_pair.size(); ++j) {
    if (!in_pair[j]) out.push_back({std::nullopt, side_of(b.instructions[j])});
  }
  return out;
}

// Each side's slots go to its own source line, so the sums by line do not hang on the pairs of instructions.
std::vector<DiffPair> pair_lines(const Result& a, const Result& b, const std::vector<LineMatch>& matches) {
  const auto by_line = [](const Result& result) {
    std::map<SourceKey, DiffSide> lines;
    for (const InstructionRow& row : result.instructions) {
      DiffSide& line = lines[source_of(row)];
      line.source = source_of(row);
      line.executed += row.executed;
      for (size_t s = 0; s < row.issue_slots.size(); ++s) line.slots[s] += row.issue_slots[s];
    }
    return lines;
  };
  std::map<SourceKey, DiffSide> lines_a = by_line(a), lines_b = by_line(b);
  std::map<SourceKey, SourceKey> partner;
  partner[{}] = {};  // what has no line
  for (const LineMatch& match : matches) partner[match.a] = match.b;
  std::vector<DiffPair> out;
  DiffPair without_line;
  for (auto& [key, side] : lines_a) {
    DiffPair pair;
    pair.a = std::move(side);
    if (const auto to = partner.find(key); to != partner.end()) {
      if (const auto found = lines_b.find(to->second); found != lines_b.end()) {
        pair.b = std::move(found->second);
        lines_b.erase(found);
      }
    }
    if (key.line == 0) {
      without_line = std::move(pair);
    } else {
      out.push_back(std::move(pair));
    }
  }
  for (auto& [key, side] : lines_b) {
    if (key.line == 0) {
      without_line.b = std::move(side);
    } else {
      out.push_back({std::nullopt, std::move(side)});
    }
  }
  if (without_line.a || without_line.b) out.push_back(std::move(without_line));
  return out;
}

void add_states(const Result& a, const Result& b, Diff& out) {
  for (size_t s = 0; s < sm::kWarpStates; ++s) {
    DiffTerm term{std::string(sm::name(static_cast<sm::WarpState>(s))), {}};
    for (const InstructionRow& row : a.instructions) term.slots.a += static_cast<int64_t>(row.issue_slots[s]);
    for (const InstructionRow& row : b.instructions) term.slots.b += static_cast<int64_t>(row.issue_slots[s]);
    out.states.push_back(std::move(term));
  }
  const EmptySlots empty_a = split_empty(a), empty_b = split_empty(b);
  out.sms_without_cta = {empty_a.sms_without_cta, empty_b.sms_without_cta};
  out.empty = {{"empty_launch", {empty_a.launch, empty_b.launch}},
               {"empty_idle_sms", {empty_a.idle_sms, empty_b.idle_sms}},
               {"empty_tail", {empty_a.tail, empty_b.tail}},
               {"empty_gap", {empty_a.gap, empty_b.gap}}};
  if (empty_a.unsplit != 0 || empty_b.unsplit != 0) {
    out.empty.push_back({"empty_unsplit", {empty_a.unsplit, empty_b.unsplit}});
    out.unnamed = out.empty.back().slots;
    out.unnamed_gross = magnitude(out.unnamed.delta());
  }
  for (const DiffTerm& term : out.empty) out.gross += magnitude(term.slots.delta());
  out.states.insert(out.states.end(), out.empty.begin(), out.empty.end());
}

void add_executed(Diff& out) {
  std::map<std::string, Sides> by_mnemonic;
  for (const DiffPair& pair : out.instructions) {
    if (pair.a) by_mnemonic[shape_of(pair.a->text).mnemonic].a += static_cast<int64_t>(pair.a->executed);
    if (pair.b) by_mnemonic[shape_of(pair.b->text).mnemonic].b += static_cast<int64_t>(pair.b->executed);
  }
  for (const auto& [mnemonic, executed] : by_mnemonic) out.executed.push_back({mnemonic, executed});
  std::stable_sort(out.executed.begin(), out.executed.end(), [](const DiffExecuted& x, const DiffExecuted& y) {
    return magnitude(x.executed.delta()) > magnitude(y.executed.delta());
  });
}

void add_names(Diff& out) {
  int64_t owned = 0, paired = 0;
  for (const DiffPair& pair : out.instructions) {
    const Sides slots = pair.slots();
    owned += slots.a + slots.b;
    out.gross += magnitude(slots.delta());
    if (pair.a && pair.b) {
      ++out.paired;
      paired += slots.a + slots.b;
    } else {
      ++(pair.a ? out.only_a : out.only_b);
    }
    if (pair.named()) continue;
    out.unnamed.a += slots.a;
    out.unnamed.b += slots.b;
    out.unnamed_gross += magnitude(slots.delta());
  }
  out.paired_percent = owned > 0 ? kPercent * static_cast<double>(paired) / static_cast<double>(owned) : kPercent;
}

}  // namespace

int64_t DiffSide::sum() const { return static_cast<int64_t>(std::accumulate(slots.begin(), slots.end(), uint64_t{0})); }

Sides DiffPair::slots() const { return {a ? a->sum() : 0, b ? b->sum() : 0}; }

Sides DiffPair::slots(size_t state) const {
  return {a ? static_cast<int64_t>(a->slots[state]) : 0, b ? static_cast<int64_t>(b->slots[state]) : 0};
}

Sides DiffPair::executed() const {
  return {a ? static_cast<int64_t>(a->executed) : 0, b ? static_cast<int64_t>(b->executed) : 0};
}

double Diff::delta_ns(const Sides& slots) const {
  return static_cast<double>(slots.b) * slot_ns_b - static_cast<double>(slots.a) * slot_ns_a;
}

double Diff::percent_of_a(const Sides& slots) const {
  return time_ns_a > 0 ? kPercent * delta_ns(slots) / time_ns_a : 0;
}

double Diff::unnamed_percent() const {
  return gross > 0 ? kPercent * static_cast<double>(unnamed_gross) / static_cast<double>(gross) : 0;
}

smreplay::Result<Diff> diff(const Result& a, const Result& b, const DiffOptions& options) {
  for (const Result* result : {&a, &b}) {
    if (const Status sums = check_account(*result); !sums) return sums.error();
  }
  Diff out;
  out.caveats = conflicting_conditions(a, b);
  if (!out.caveats.empty() && !options.across_machines) {
    std::string list;
    for (const std::string& caveat : out.caveats) list += (list.empty() ? "" : "; ") + caveat;
    return Error{ExitCode::kBadConfiguration, "diff-conditions",
                 "not like with like: " + list + "; run both alike, or say --across-machines to compare all the same"};
  }
  for (std::string& other : other_work(a, b)) out.caveats.push_back(std::move(other));
  out.total = {static_cast<int64_t>(a.issue_slots_total), static_cast<int64_t>(b.issue_slots_total)};
  out.cycles = {static_cast<int64_t>(a.elapsed_cycles), static_cast<int64_t>(b.elapsed_cycles)};
  out.time_ns_a = a.time_ns;
  out.time_ns_b = b.time_ns;
  out.slot_ns_a = slot_ns(a);
  out.slot_ns_b = slot_ns(b);
  const InstructionMatch matched = match(a.instructions, b.instructions);
  add_states(a, b, out);
  out.instructions = pair_instructions(a, b, matched.pairs);
  out.lines = pair_lines(a, b, matched.lines);
  add_executed(out);
  add_names(out);
  out.facts = differing_facts(a, b);
  return out;
}

}  // namespace smreplay::attribution
