#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <string_view>

#include "sim/views/DiffFormat.h"
#include "sim/views/DiffStaticView.h"
#include "sim/views/TextTable.h"
#include "sim/views/Units.h"

namespace smreplay::views {
namespace {

using attribution::ProgramLoop;
using attribution::StaticFacts;
using Align = TextTable::Align;
using Inputs = std::vector<StaticInput>;

class Table {
 public:
  explicit Table(const Inputs& inputs) : inputs_(inputs), table_(columns(inputs.size())) {
    std::vector<std::string> header = {""};
    for (size_t i = 0; i < inputs.size(); ++i) header.push_back(letter(i));
    table_.header(header);
  }
  void row(const std::string& name, const std::function<std::string(const StaticFacts&)>& cell) {
    std::vector<std::string> cells = {name};
    for (const StaticInput& input : inputs_) cells.push_back(cell(input.facts));
    table_.row(cells);
  }
  void count(const std::string& name, const std::function<uint64_t(const StaticFacts&)>& value) {
    row(name, [&value](const StaticFacts& f) { return with_separators(value(f)); });
  }
  // Of the main loop; "-" where there is none.
  void of_loop(const std::string& name, const std::function<uint64_t(const ProgramLoop&, const StaticFacts&)>& value) {
    row(name, [&value](const StaticFacts& f) {
      return f.loop() == nullptr ? std::string("-") : with_separators(value(*f.loop(), f));
    });
  }
  std::string text() const { return table_.text(0); }

 private:
  static std::vector<Align> columns(size_t inputs) {
    std::vector<Align> all(inputs + 1, Align::kRight);
    all.front() = Align::kLeft;
    return all;
  }
  const Inputs& inputs_;
  TextTable table_;
};

uint64_t warps(const StaticFacts& f) {
  constexpr uint64_t kWarpThreads = 32;
  return (f.threads + kWarpThreads - 1) / kWarpThreads;
}

uint64_t find(const std::map<std::string, uint32_t>& counts, const std::string& name) {
  const auto found = counts.find(name);
  return found == counts.end() ? 0 : found->second;
}

std::string address_range(const StaticFacts& f) {
  if (f.loop() == nullptr) return "none";
  return fmt::format("{:#x}..{:#x}", f.loop()->first * isa::kInstructionBytes, f.loop()->last * isa::kInstructionBytes);
}

void resource_rows(Table& table) {
  table.count("registers per thread", [](const StaticFacts& f) { return f.registers; });
  table.count("stack, bytes per thread", [](const StaticFacts& f) { return f.local_bytes; });
  table.row("local loads / stores in the code (LDL / STL)",
            [](const StaticFacts& f) { return fmt::format("{} / {}", f.spill_loads, f.spill_stores); });
  table.count("shared memory, static bytes", [](const StaticFacts& f) { return f.static_shared; });
  table.row("shared memory, dynamic bytes",
            [](const StaticFacts& f) { return f.has_launch ? with_separators(f.dynamic_shared) : std::string("-"); });
  table.row("threads per CTA",
            [](const StaticFacts& f) { return f.threads > 0 ? with_separators(f.threads) : std::string("-"); });
  table.count("instructions in the code", [](const StaticFacts& f) { return f.instructions; });
  table.row("CTAs per SM", [](const StaticFacts& f) {
    if (!f.has_launch) return std::string("-");
    return f.launchable ? std::to_string(f.occupancy.ctas) : std::string("refused");
  });
  table.row("warps per SM",
            [](const StaticFacts& f) { return f.launchable ? std::to_string(f.occupancy.warps) : std::string("-"); });
  table.row("limited by", [](const StaticFacts& f) {
    return f.launchable ? machine::limiter_names(f.occupancy.limiters) : std::string("-");
  });
}

void loop_rows(Table& table, const Inputs& inputs) {
  table.row("main loop", address_range);
  table.of_loop("per trip and warp: instructions",
                [](const ProgramLoop& loop, const StaticFacts&) { return loop.instructions(); });
  std::set<std::string> classes;
  for (const StaticInput& input : inputs) {
    if (input.facts.loop() == nullptr) continue;
    for (const auto& [name, count] : input.facts.loop()->classes) classes.insert(name);
  }
  for (const std::string& name : classes) {
    table.of_loop("  " + name,
                  [&name](const ProgramLoop& loop, const StaticFacts&) { return find(loop.classes, name); });
  }
  constexpr std::array<std::string_view, 12> kMnemonics = {"HMMA", "HGMMA", "LDSM", "LDGSTS", "LDG",  "LDS",
                                                           "STS",  "LDL",   "STL",  "BAR",    "SHFL", "MUFU"};
  for (const std::string_view view : kMnemonics) {
    const std::string name(view);
    const bool there = std::any_of(inputs.begin(), inputs.end(), [&name](const StaticInput& input) {
      return input.facts.loop() != nullptr && find(input.facts.loop()->mnemonics, name) > 0;
    });
    if (!there) continue;
    table.of_loop("  " + name,
                  [&name](const ProgramLoop& loop, const StaticFacts&) { return find(loop.mnemonics, name); });
  }
  table.of_loop("  bytes loaded from global memory",
                [](const ProgramLoop& loop, const StaticFacts&) { return loop.global_load_bytes; });
  table.of_loop("  multiply-adds of matrix instructions",
                [](const ProgramLoop& loop, const StaticFacts&) { return loop.multiply_adds; });
  table.row("per trip, all warps of a CTA: instructions", [](const StaticFacts& f) {
    if (f.loop() == nullptr || f.threads == 0) return std::string("-");
    return with_separators(f.loop()->instructions() * warps(f));
  });
  const bool work =
      std::any_of(inputs.begin(), inputs.end(), [](const StaticInput& i) { return i.facts.work.has_value(); });
  if (!work) return;
  table.row("  multiply-adds executed",
            [](const StaticFacts& f) { return f.work ? with_separators(f.work->executed) : "-"; });
  table.row("  multiply-adds the tile needs",
            [](const StaticFacts& f) { return f.work ? with_separators(f.work->needed) : "-"; });
  table.row("  executed over needed", [](const StaticFacts& f) {
    return f.work ? times(static_cast<double>(f.work->executed) / static_cast<double>(f.work->needed))
                  : std::string("-");
  });
}

std::string compared(const StaticInput& a, const StaticInput& b, const std::string& name) {
  const StaticFacts &x = a.facts, &y = b.facts;
  std::string text = fmt::format("{} against {}: ", name, letter(0));
  text += x.registers == y.registers
              ? "as many registers"
              : signed_count(int64_t{y.registers} - int64_t{x.registers}) + " registers per thread";
  const int64_t spills = int64_t{y.spill_loads} + y.spill_stores - x.spill_loads - x.spill_stores;
  text += spills == 0 ? ", as many local loads and stores"
                      : fmt::format(", {} local loads and stores", signed_count(spills));
  if (x.loop() != nullptr && y.loop() != nullptr) {
    const auto all = [](const StaticFacts& f) { return static_cast<double>(f.loop()->instructions() * warps(f)); };
    text += fmt::format("; a trip round the main loop takes {} the instructions per warp",
                        times(static_cast<double>(y.loop()->instructions()) / x.loop()->instructions()));
    if (x.threads > 0 && y.threads > 0) text += fmt::format(", {} per CTA", times(all(y) / all(x)));
  }
  if (x.launchable && y.launchable && x.occupancy.warps != y.occupancy.warps) {
    text += fmt::format("; {} instead of {} warps per SM", y.occupancy.warps, x.occupancy.warps);
  }
  return text + ".\n";
}

}  // namespace

std::string static_diff_text(const Inputs& inputs, const machine::Machine& machine) {
  TextTable heading({Align::kLeft, Align::kLeft, Align::kLeft});
  for (size_t i = 0; i < inputs.size(); ++i) {
    const StaticFacts& f = inputs[i].facts;
    heading.row({letter(i), inputs[i].label, fmt::format("{}, by {}", f.kernel, f.producer)});
  }
  std::string text = heading.text(0) + "on " + machine.name + ", without running\n\n";
  Table table(inputs);
  resource_rows(table);
  loop_rows(table, inputs);
  text += table.text() + "\n";
  for (const StaticInput& input : inputs) {
    if (input.facts.has_launch && !input.facts.launchable)
      text += input.label + " cannot be launched: " + input.facts.refusal + "\n";
  }
  if (std::any_of(inputs.begin(), inputs.end(), [](const StaticInput& i) { return !i.facts.has_launch; })) {
    text += "-: a Program alone has no launch; --launch FILE gives one.\n";
  }
  for (size_t i = 1; i < inputs.size(); ++i) text += compared(inputs.front(), inputs[i], letter(i));
  return text;
}

}  // namespace smreplay::views
