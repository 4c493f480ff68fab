// trace: what is in a trace file, and whether it is whole and consistent.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "sim/trace/TraceInfo.h"
#include "sim/views/Units.h"
#include "tools/smreplay/FileKind.h"
#include "tools/smreplay/Verbs.h"

namespace smreplay::tool {
namespace {

using trace::TraceInfo;
using Json = nlohmann::ordered_json;

constexpr std::array<const char*, trace::kMemorySpaces> kSpaces = {"none",   "global",  "local",
                                                                   "shared", "generic", "constant"};

std::string text_of(const TraceInfo& i) {
  const auto& grid = i.launch.grid();
  const auto& block = i.launch.block();
  const auto extent = [](uint32_t left_out_is_one) { return std::max(1U, left_out_is_one); };
  std::string text =
      fmt::format("kernel      {} (sm_{}), {} instructions, {} registers, {} B local memory per thread\n", i.kernel,
                  i.sm, i.static_instructions, i.resources.registers_per_thread, i.resources.local_bytes_per_thread);
  text += fmt::format("source      {}, by {}\n", i.provenance.source.empty() ? "unknown" : i.provenance.source,
                      i.provenance.producer);
  text += fmt::format(
      "launch      {}: grid ({}, {}, {}), block ({}, {}, {}), {} B static and {} B dynamic shared memory\n",
      i.launch.name(), extent(grid.x()), extent(grid.y()), extent(grid.z()), extent(block.x()), extent(block.y()),
      extent(block.z()), i.resources.static_shared_bytes, i.launch.dynamic_shared_bytes());
  text += fmt::format("executed    {} CTAs, {} warps, {} warp instructions, {} thread instructions\n",
                      views::with_separators(i.ctas), views::with_separators(i.warps),
                      views::with_separators(i.instructions), views::with_separators(i.thread_instructions));
  text += fmt::format("paths       {} distinct\naccesses    ", views::with_separators(i.distinct_paths));
  const char* separator = "";
  for (size_t space = 1; space < i.accesses.size(); ++space) {
    if (i.accesses[space] == 0) continue;
    text += fmt::format("{}{}: {} by warps, {} by threads", separator, kSpaces[space],
                        views::with_separators(i.accesses[space]), views::with_separators(i.thread_accesses[space]));
    separator = "; ";
  }
  text +=
      fmt::format("\nfile        {} bytes, {:.3f} bytes per warp instruction, format {}, written by smreplay {}\n",
                  views::with_separators(i.file_bytes), i.bytes_per_instruction(), i.format_version, i.tool_version);
  return text;
}

std::string json_of(const TraceInfo& i) {
  Json accesses = Json::object();
  for (size_t space = 1; space < i.accesses.size(); ++space) {
    accesses[kSpaces[space]] = {{"warps", i.accesses[space]}, {"threads", i.thread_accesses[space]}};
  }
  const Json root = {{"schema_version", 1},
                     {"format_version", i.format_version},
                     {"tool_version", i.tool_version},
                     {"kernel", i.kernel},
                     {"sm", i.sm},
                     {"producer", i.provenance.producer},
                     {"source", i.provenance.source},
                     {"launch", i.launch.name()},
                     {"static_instructions", i.static_instructions},
                     {"ctas", i.ctas},
                     {"warps", i.warps},
                     {"warp_instructions", i.instructions},
                     {"thread_instructions", i.thread_instructions},
                     {"distinct_paths", i.distinct_paths},
                     {"accesses", accesses},
                     {"file_bytes", i.file_bytes},
                     {"bytes_per_warp_instruction", i.bytes_per_instruction()}};
  return root.dump(1) + "\n";
}

Error named_kind(Error error, const std::string& file) {
  const std::string kind = file_kind(file);
  if (!kind.empty() && kind != "a trace") error.message = "this is " + kind + ", not a trace";
  return error;
}

Result<ExitCode> info(const Context& context, const std::string& file) {
  if (Status format = check_format(context); !format) return format.error();
  const Result<TraceInfo> found = trace::trace_info(file);
  if (!found) return named_kind(found.error(), file);
  return finish(context, context.options.format == "json" ? json_of(*found) : text_of(*found));
}

Result<ExitCode> check(const Context& context, const std::string& file) {
  if (Status none = check_no_result(context); !none) return none.error();
  const Result<TraceInfo> found = trace::check_trace(file);
  if (!found) return named_kind(found.error(), file);
  context.terminal.note(fmt::format("{}: sound, {} warp instructions in {} CTAs", file,
                                    views::with_separators(found->instructions), views::with_separators(found->ctas)));
  return ExitCode::kDone;
}

}  // namespace

void add_trace(CLI::App& app, Context& context) {
  CLI::App* verb = app.add_subcommand("trace", "what is in a trace file, and whether it is sound");
  verb->require_subcommand(1);
  verb->footer("Examples:\n  smreplay trace info k.trace\n  smreplay trace check k.trace");
  auto file = std::make_shared<std::string>();
  const auto add = [&](const char* name, const char* text, auto action) {
    CLI::App* sub = verb->add_subcommand(name, text);
    sub->add_option("FILE", *file, "a trace")->required();
    sub->callback(
        [&context, file, action] { context.action = [&context, file, action] { return action(context, *file); }; });
  };
  add("info", "kernel, launch, counts, sizes", info);
  add("check", "reads everything and checks it against the Program", check);
}

}  // namespace smreplay::tool
