// occupancy: how many CTAs of a kernel fit on an SM, what limits them, and what would let one more in.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "sim/machine/MachineConfig.h"
#include "sim/machine/Occupancy.h"
#include "sim/views/TextTable.h"
#include "sim/views/Units.h"
#include "tools/smreplay/Carveout.h"
#include "tools/smreplay/LaunchInput.h"
#include "tools/smreplay/Verbs.h"
#include "tools/smreplay/WholeNumber.h"

namespace smreplay::tool {
namespace {

using machine::KernelResources;
using machine::Machine;
using machine::OccupancyReport;
using views::TextTable;
using Json = nlohmann::ordered_json;

struct Arguments {
  LaunchSelection launch;
  KernelResources kernel{.threads = 128, .registers = 32};
  std::string given;  // the first of the options that say what a kernel needs; empty: none
  uint64_t ctas = 0;
};

// The least of the registers or bytes at which fewer CTAs fit: (CTAs, greatest value that still allows them).
struct CurvePoint {
  uint32_t ctas = 0;
  uint32_t value = 0;
};

template <class Set>
std::vector<CurvePoint> curve(const Machine& m, KernelResources kernel, uint32_t first, uint32_t last, uint32_t step,
                              Set set) {
  std::vector<CurvePoint> points;
  for (uint32_t value = first; value <= last; value += step) {
    set(kernel, value);
    const uint32_t ctas = machine::occupancy(m, kernel).ctas;
    if (ctas == 0) break;
    if (points.empty() || points.back().ctas != ctas) points.push_back({ctas, value});
    points.back().value = value;
  }
  return points;
}

std::vector<CurvePoint> register_curve(const Machine& m, const KernelResources& kernel) {
  return curve(m, kernel, 1, m.occupancy.max_registers_per_thread, 1,
               [](KernelResources& k, uint32_t value) { k.registers = value; });
}

std::vector<CurvePoint> shared_curve(const Machine& m, const KernelResources& kernel) {
  KernelResources all_dynamic = kernel;
  all_dynamic.static_shared = 0;
  return curve(m, all_dynamic, 0, m.occupancy.shared_per_cta_optin, m.occupancy.shared_unit,
               [](KernelResources& k, uint32_t value) { k.dynamic_shared = value; });
}

std::string curve_text(const char* what, const std::vector<CurvePoint>& points) {
  std::string text = fmt::format("{:<28}", what);
  const char* separator = "";
  for (const CurvePoint& point : points) {
    text += fmt::format("{}{} CTA{} up to {}", separator, point.ctas, point.ctas == 1 ? "" : "s", point.value);
    separator = ", ";
  }
  return text + "\n";
}

std::string limits_table(const Machine& m, const KernelResources& kernel, const OccupancyReport& report) {
  using Align = TextTable::Align;
  TextTable table({Align::kLeft, Align::kRight, Align::kRight, Align::kRight});
  table.header({"limit", "CTAs", "a CTA takes", "an SM has"});
  const auto number = [](uint64_t value) { return views::with_separators(value); };
  const uint32_t warps_per_cta = report.ctas > 0 ? report.warps / report.ctas : 0;
  table.row({"warps", number(report.by_warps), number(warps_per_cta), number(m.occupancy.max_warps)});
  table.row(
      {"registers", number(report.by_registers), number(report.registers_per_cta), number(m.occupancy.registers)});
  table.row({"shared memory", number(report.by_shared), number(report.shared_per_cta), number(report.carveout_bytes)});
  table.row({"CTAs", number(report.by_ctas), "1", number(m.occupancy.max_ctas)});
  table.row({"barriers", number(report.by_barriers), number(kernel.barriers), number(m.occupancy.barriers)});
  return table.text(2);
}

std::string next_step_text(const machine::NextStep& step, const KernelResources& kernel) {
  std::string changes;
  const auto change = [&changes](const std::string& text) { changes += (changes.empty() ? "" : ", ") + text; };
  if (step.threads != 0) change(fmt::format("at most {} threads (now {})", step.threads, kernel.threads));
  if (step.registers != 0)
    change(fmt::format("at most {} registers per thread (now {})", step.registers, kernel.registers));
  if (step.no_shared) change("no shared memory");
  if (step.shared != 0) {
    change(fmt::format("at most {} B of shared memory (now {})", step.shared,
                       kernel.static_shared + kernel.dynamic_shared));
  }
  return fmt::format("  {} CTA{} per SM: {}\n", step.ctas, step.ctas == 1 ? "" : "s", changes);
}

std::string text_of(const Machine& m, const Arguments& a, const OccupancyReport& report) {
  std::string text = fmt::format("{}: {} threads, {} registers, {} B static and {} B dynamic shared memory\n\n", m.name,
                                 a.kernel.threads, a.kernel.registers, a.kernel.static_shared, a.kernel.dynamic_shared);
  text += fmt::format("{} CTA{} per SM, {} of {} warps ({}), limited by {}\n", report.ctas, report.ctas == 1 ? "" : "s",
                      report.warps, m.occupancy.max_warps, views::percent(report.warps, m.occupancy.max_warps),
                      machine::limiter_names(report.limiters));
  text += "\n" + limits_table(m, a.kernel, report);
  text += fmt::format(
      "  A CTA's shared memory includes {} B that the driver reserves and is rounded up to {} B; its registers to {} a "
      "warp.\n",
      m.occupancy.shared_reserved_per_cta, m.occupancy.shared_unit, m.occupancy.register_unit);
  text += "\n" + carveout_text(m, a.kernel, report);
  text += "\n" + curve_text("registers per thread:", register_curve(m, a.kernel));
  text += curve_text("bytes of shared memory:", shared_curve(m, a.kernel));
  const std::vector<machine::NextStep> steps = machine::next_steps(m, a.kernel);
  text +=
      steps.empty() ? "\nNo smaller kernel of this kind would let one more CTA in.\n" : "\nOne more CTA would need\n";
  for (const machine::NextStep& step : steps) text += next_step_text(step, a.kernel);
  if (a.ctas > 0) {
    const machine::Waves waves = machine::waves(m, report.ctas, a.ctas);
    text += fmt::format("\nA grid of {} CTAs: {} full wave{} of {}, then {}\n", a.ctas, waves.full,
                        waves.full == 1 ? "" : "s", waves.slots, waves.tail);
  }
  return text;
}

std::string json_of(const Machine& m, const Arguments& a, const OccupancyReport& report) {
  const auto curve_json = [](const std::vector<CurvePoint>& points) {
    Json list = Json::array();
    for (const CurvePoint& point : points) list.push_back({{"ctas", point.ctas}, {"up_to", point.value}});
    return list;
  };
  Carveout taken;
  Json sizes = Json::array();
  for (const Carveout& c : carveouts(m, a.kernel, report)) {
    if (c.taken) taken = c;
    sizes.push_back({{"bytes", c.shared_bytes}, {"l1_bytes", c.l1_bytes}, {"ctas", c.ctas}, {"taken", c.taken}});
  }
  Json root = {{"schema_version", 1},
               {"machine", m.name},
               {"machine_hash", m.hash},
               {"kernel",
                {{"threads", a.kernel.threads},
                 {"registers_per_thread", a.kernel.registers},
                 {"static_shared_bytes", a.kernel.static_shared},
                 {"dynamic_shared_bytes", a.kernel.dynamic_shared}}},
               {"ctas_per_sm", report.ctas},
               {"warps_per_sm", report.warps},
               {"max_warps_per_sm", m.occupancy.max_warps},
               {"limiter", machine::limiter_names(report.limiters)},
               {"ctas_by_limit",
                {{"warps", report.by_warps},
                 {"registers", report.by_registers},
                 {"shared_memory", report.by_shared},
                 {"ctas", report.by_ctas},
                 {"barriers", report.by_barriers}}},
               {"registers_per_cta", report.registers_per_cta},
               {"shared_bytes_per_cta", report.shared_per_cta},
               {"carveout_bytes", taken.shared_bytes},
               {"l1_bytes", taken.l1_bytes},
               {"carveouts", std::move(sizes)},
               {"by_registers_per_thread", curve_json(register_curve(m, a.kernel))},
               {"by_shared_bytes", curve_json(shared_curve(m, a.kernel))}};
  if (a.ctas > 0) {
    const machine::Waves waves = machine::waves(m, report.ctas, a.ctas);
    root["grid"] = {
        {"ctas", a.ctas}, {"ctas_per_wave", waves.slots}, {"full_waves", waves.full}, {"tail_ctas", waves.tail}};
  }
  return root.dump(1) + "\n";
}

Result<ExitCode> run(const Context& context, Arguments a) {
  if (Status format = check_format(context); !format) return format.error();
  if (Status selection = check_selection(a.launch); !selection) return selection.error();
  if (!a.launch.input.empty() && !a.given.empty()) {
    return Error{
        ExitCode::kUsage, "usage",
        fmt::format("{} describes a kernel by itself; the resources of '{}' are known", a.given, a.launch.input),
        "smreplay"};
  }
  if (a.launch.input.empty() && (a.launch.concurrency > 0 || !a.launch.launch.empty() || !a.launch.kernel.empty())) {
    return Error{ExitCode::kUsage, "usage", "-C, --launch and --kernel choose within an INPUT, but none is named",
                 "smreplay"};
  }
  const Result<Machine> m = machine::load_machine(context.options.machine, context.options.settings);
  if (!m) return m.error();
  machine::Grid grid;
  if (!a.launch.input.empty()) {
    const Result<LaunchInput> input = resolve_launch(context, *m, a.launch);
    if (!input) return input.error();
    const Result<LoadedLaunch> loaded = load(*input, *m);
    if (!loaded) return loaded.error();
    a.kernel = resources_of(loaded->program(), loaded->launch());
    grid = grid_of(loaded->launch());
    a.ctas = grid.ctas();
  }
  if (Status possible = machine::check_launch(*m, a.kernel, grid); !possible) return possible.error();
  const OccupancyReport report = machine::occupancy(*m, a.kernel);
  return finish(context, context.options.format == "json" ? json_of(*m, a, report) : text_of(*m, a, report));
}

}  // namespace

void add_occupancy(CLI::App& app, Context& context) {
  CLI::App* verb = app.add_subcommand("occupancy", "CTAs per SM, the limiter, and what would let one more in");
  verb->footer(
      "Examples:\n"
      "  smreplay occupancy --threads 128 --registers 255 --shared 61504\n"
      "  smreplay occupancy v0 -C 96 -m h200\n"
      "  smreplay occupancy k.launch.txtpb --format json");
  auto a = std::make_shared<Arguments>();
  add_launch_options(*verb, a->launch, false);
  const auto resource = [&](const char* name, auto& value, const char* text) {
    return verb->add_option(name, value, text)->check(whole_number());
  };
  const std::vector<CLI::Option*> options = {
      resource("--threads", a->kernel.threads, "threads per CTA")->capture_default_str(),
      resource("--registers", a->kernel.registers, "registers per thread")->capture_default_str(),
      resource("--static-shared", a->kernel.static_shared, "bytes of static shared memory per CTA"),
      resource("--shared", a->kernel.dynamic_shared, "bytes of dynamic shared memory per CTA"),
      resource("--barriers", a->kernel.barriers, "named barriers per CTA")->capture_default_str(),
      resource("--ctas", a->ctas, "CTAs of the grid, for the waves")};
  verb->callback([&context, a, options] {
    for (const CLI::Option* option : options) {
      if (a->given.empty() && option->count() > 0) a->given = option->get_name();
    }
    context.action = [&context, a] { return run(context, *a); };
  });
}

}  // namespace smreplay::tool
