#include "sim/views/DiffWords.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "sim/attribution/DiffShape.h"
#include "sim/views/Units.h"

namespace smreplay::views {
namespace {

using attribution::Diff;
using attribution::DiffPair;
using attribution::Sides;

constexpr size_t kSelected = static_cast<size_t>(sm::WarpState::kSelected);

// A state of a source line, or a kind of emptiness (line null).
struct Part {
  const DiffPair* line = nullptr;
  size_t state = 0;
  std::string name;
  Sides slots;
  double percent = 0;
  bool follows = false;  // moves with the elapsed time only: SMs without a CTA, as many on both sides
};

std::string words_of_empty(const std::string& name) {
  if (name == "empty_launch") return "empty slots of the launch itself";
  if (name == "empty_idle_sms") return "empty slots of SMs without a CTA";
  if (name == "empty_tail") return "empty slots of SMs that have run out of CTAs (tail)";
  if (name == "empty_gap") return "empty slots between CTAs and where warps have left early";
  return "empty slots";
}

std::vector<Part> parts_of(const Diff& diff) {
  std::vector<Part> parts;
  for (const DiffPair& line : diff.lines) {
    for (size_t s = 0; s < sm::kWarpStates; ++s) {
      const Sides slots = line.slots(s);
      const double percent = diff.percent_of_a(slots);
      if (percent == 0) continue;
      parts.push_back({&line, s, std::string(sm::name(static_cast<sm::WarpState>(s))), slots, percent, false});
    }
  }
  for (const attribution::DiffTerm& term : diff.empty) {
    const double percent = diff.percent_of_a(term.slots);
    if (percent == 0) continue;
    const bool follows = term.name == "empty_idle_sms" && diff.sms_without_cta.delta() == 0;
    parts.push_back({nullptr, 0, words_of_empty(term.name), term.slots, percent, follows});
  }
  std::stable_sort(parts.begin(), parts.end(),
                   [](const Part& x, const Part& y) { return std::abs(x.percent) > std::abs(y.percent); });
  return parts;
}

bool on_line(const DiffPair& instruction, const DiffPair& line) {
  const bool a = instruction.a && line.a && instruction.a->source == line.a->source;
  const bool b = instruction.b && line.b && instruction.b->source == line.b->source;
  return a || b;
}

// The instruction of the line that moved the state most, where it makes up at least half of it.
std::string main_instruction(const Diff& diff, const Part& part) {
  const DiffPair* best = nullptr;
  for (const DiffPair& instruction : diff.instructions) {
    if (!on_line(instruction, *part.line)) continue;
    const double percent = diff.percent_of_a(instruction.slots(part.state));
    if (percent * part.percent <= 0) continue;
    if (best == nullptr || std::abs(percent) > std::abs(diff.percent_of_a(best->slots(part.state))))
      best = &instruction;
  }
  if (best == nullptr || 2 * std::abs(diff.percent_of_a(best->slots(part.state))) < std::abs(part.percent)) return {};
  const attribution::DiffSide& side = best->b ? *best->b : *best->a;
  return fmt::format(" (mostly {} {} at {:#x})", part.state == kSelected ? "of" : "before",
                     attribution::shape_of(side.text).opcode, side.pc);
}

std::string because(const Part& part, const std::string& a, const std::string& b) {
  const Sides executed = part.line->executed();
  if (executed.a == 0) return fmt::format("code that only {} runs", b);
  if (executed.b == 0) return fmt::format("code that only {} runs", a);
  if (part.slots.b == 0) return fmt::format("where {} does not wait like that", b);
  if (part.slots.a == 0) return fmt::format("where {} does not wait like that", a);
  const auto ratio = static_cast<double>(executed.b) / static_cast<double>(executed.a);
  const double each_a = static_cast<double>(part.slots.a) / static_cast<double>(executed.a);
  const double each_b = static_cast<double>(part.slots.b) / static_cast<double>(executed.b);
  const double by_count = static_cast<double>(executed.b - executed.a) * each_a;
  const double by_wait = static_cast<double>(executed.b) * (each_b - each_a);
  if (part.state == kSelected || std::abs(by_count) > std::abs(by_wait)) {
    return fmt::format("because {} warp instructions run there", times(ratio) + " as many");
  }
  return fmt::format("because each warp instruction there costs {:.2f} slots of it instead of {:.2f}", each_b, each_a);
}

std::string part_text(const Diff& diff, const Part& part, const std::string& a, const std::string& b) {
  std::string head = signed_percent(part.percent) + " " + part.name;
  if (part.line == nullptr) return head;
  const std::string place = part.line->a || part.line->b ? place_of(*part.line) : "?";
  return fmt::format("{} at {}{}, {}", head, place, main_instruction(diff, part), because(part, a, b));
}

std::string list(const Diff& diff, const std::vector<Part>& parts, bool positive, size_t at_most, double least,
                 const std::string& a, const std::string& b) {
  std::string text;
  size_t named = 0;
  for (const Part& part : parts) {
    if (named == at_most || std::abs(part.percent) < least) break;
    if (part.follows || (part.percent > 0) != positive) continue;
    text += (named++ == 0 ? "" : "; ") + part_text(diff, part, a, b);
  }
  return text;
}

std::string verdict(const Diff& diff, const std::string& a, const std::string& b, const std::string& short_a) {
  const std::string cycles = fmt::format("{} cycles against {}", with_separators(static_cast<uint64_t>(diff.cycles.b)),
                                         with_separators(static_cast<uint64_t>(diff.cycles.a)));
  if (diff.delta_ns(diff.total) == 0) return fmt::format("{} takes exactly as long as {}: {}.", b, a, cycles);
  const bool slower = diff.time_ns_b > diff.time_ns_a;
  const double ratio = slower ? diff.time_ns_b / diff.time_ns_a : diff.time_ns_a / diff.time_ns_b;
  const char* whole = diff.slot_ns_a == diff.slot_ns_b ? "issue slots" : "elapsed time";
  return fmt::format("{} is {} {} than {}: {}, {} of the {} of {}.", b, times(ratio), slower ? "slower" : "faster", a,
                     cycles, signed_percent(diff.percent_of_a(diff.total)), whole, short_a);
}

std::string executed_text(const Diff& diff, const std::string& b) {
  Sides all;
  for (const attribution::DiffExecuted& row : diff.executed) {
    all.a += row.executed.a;
    all.b += row.executed.b;
  }
  constexpr double kPercent = 100;
  constexpr size_t kMnemonics = 3;
  std::string mnemonics;
  for (size_t i = 0; i < std::min(kMnemonics, diff.executed.size()); ++i) {
    const attribution::DiffExecuted& row = diff.executed[i];
    if (row.executed.delta() == 0) break;
    mnemonics += fmt::format("{}{} {}", i == 0 ? "" : ", ", row.mnemonic, signed_count(row.executed.delta()));
  }
  if (mnemonics.empty()) return fmt::format(" Both execute the same instructions.");
  if (all.delta() == 0 || all.a == 0) return fmt::format(" {} executes other instructions ({}).", b, mnemonics);
  return fmt::format(" {} executes {:.1f} % {} warp instructions ({}).", b,
                     kPercent * static_cast<double>(std::llabs(all.delta())) / static_cast<double>(all.a),
                     all.delta() > 0 ? "more" : "fewer", mnemonics);
}

// The counters that changed by at least a tenth, the telling ones first.
std::string facts_text(const Diff& diff) {
  constexpr std::array<std::string_view, 14> kTelling = {"CTAs per SM",
                                                         "warps per SM",
                                                         "CTAs",
                                                         "full waves",
                                                         "L1 hits",
                                                         "L2 sectors",
                                                         "local memory sectors",
                                                         "wavefronts for bank conflicts",
                                                         "mean latency of DRAM reads",
                                                         "DRAM read",
                                                         "L2 hits",
                                                         "DRAM use",
                                                         "registers per thread",
                                                         "shared memory per CTA"};
  constexpr double kLeastChange = 0.1;
  constexpr size_t kAtMost = 5;
  std::string text;
  size_t named = 0;
  for (const std::string_view name : kTelling) {
    for (const attribution::DiffFact& fact : diff.facts) {
      if (fact.name != name || std::abs(fact.b - fact.a) < kLeastChange * std::max(fact.a, fact.b)) continue;
      if (named++ == kAtMost) return text + ".";
      text += fmt::format("{}{} {} -> {}", named == 1 ? " Beside it: " : ", ", name, fact_value(fact.a, fact.unit),
                          fact_value(fact.b, fact.unit));
    }
  }
  return text.empty() ? text : text + ".";
}

}  // namespace

std::string diff_words(const Diff& diff, const DiffName& a, const DiffName& b, const DiffWordsOptions& options) {
  const auto with_label = [](const DiffName& n) { return n.label.empty() ? n.name : n.name + " (" + n.label + ")"; };
  std::string text = verdict(diff, with_label(a), with_label(b), a.name);
  const std::vector<Part> parts = parts_of(diff);
  // Emptiness can outgrow all code; what a part of code has to reach is measured by code.
  auto greatest = std::find_if(parts.begin(), parts.end(), [](const Part& part) { return part.line != nullptr; });
  if (greatest == parts.end()) {
    greatest = std::find_if(parts.begin(), parts.end(), [](const Part& part) { return !part.follows; });
  }
  if (greatest != parts.end()) {
    const double total = diff.delta_ns(diff.total);
    const bool positive = total == 0 ? greatest->percent > 0 : total > 0;
    const double least = std::abs(greatest->percent) * options.least_of_greatest;
    const std::string with = list(diff, parts, positive, options.with_it, least, a.name, b.name);
    const std::string against = list(diff, parts, !positive, options.against_it, least, a.name, b.name);
    if (!with.empty()) text += " The largest parts: " + with + ".";
    if (!against.empty()) text += " Against it: " + against + ".";
  }
  for (const Part& part : parts) {
    if (!part.follows) continue;
    text += fmt::format(" {} are the {} SMs that have no CTA in both: they follow the elapsed time.",
                        signed_percent(part.percent), diff.sms_without_cta.a);
  }
  text += executed_text(diff, b.name);
  text += facts_text(diff);
  if (diff.unnamed_percent() > attribution::kUnnamedLimitPercent) {
    text += fmt::format(
        " {:.1f} % of what moved has neither a counterpart nor a source line: build with line tables (-lineinfo).",
        diff.unnamed_percent());
  }
  return text;
}

}  // namespace smreplay::views
