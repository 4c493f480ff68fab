// capture: a kernel as it was compiled, and its launch, become a Program or a trace.
#include <fmt/format.h>

#include <memory>

#include "sim/emulator/Emulator.h"
#include "sim/machine/LoadMachine.h"
#include "sim/trace/ProgramIo.h"
#include "sim/trace/TraceWriter.h"
#include "sim/views/Units.h"
#include "tools/smreplay/Architecture.h"
#include "tools/smreplay/LaunchInput.h"
#include "tools/smreplay/LaunchSource.h"
#include "tools/smreplay/Output.h"
#include "tools/smreplay/ProgramInput.h"
#include "tools/smreplay/Verbs.h"
#include "tools/smreplay/Version.h"

namespace smreplay::tool {
namespace {

struct Arguments {
  LaunchSelection launch;
  ProgramOptions program;
  uint64_t instruction_limit = emulator::kDefaultInstructionLimit;
  bool machine_named = false, limit_given = false;
};

Result<ExitCode> write_program(const Context& context, const isa::Program& program) {
  const std::string& output = context.options.output;
  remove_on_interrupt(output);
  if (Status written = trace::write_program(output, program); !written) return written.error();
  context.terminal.note(fmt::format("{}: {} for sm_{}, {} instructions", output, program.kernel, program.sm,
                                    program.instructions.size()));
  return ExitCode::kDone;
}

Result<ExitCode> write_trace(const Context& context, LoadedLaunch& loaded, uint64_t instruction_limit) {
  const std::string& output = context.options.output;
  loaded.instruction_limit = instruction_limit;
  Result<LaunchSource> source = open_source(loaded, "");
  if (!source) return source.error();
  for (const std::string& note : source->notes) context.terminal.note("note: " + note);
  remove_on_interrupt(output);
  Result<trace::TraceWriter> writer = trace::TraceWriter::create(output, loaded.program(), loaded.launch(), kVersion);
  if (!writer) return writer.error();
  Progress progress(context.terminal, "emulate");
  const uint64_t total = grid_of(loaded.launch()).ctas();
  for (uint64_t done = 0;; ++done) {
    const Result<std::shared_ptr<const trace::CtaTrace>> cta = source->ctas->next();
    if (!cta) return cta.error();
    if (*cta == nullptr) break;
    if (Status added = writer->add(**cta); !added) return added.error();
    progress.update(done + 1, total);
  }
  if (Status complete = writer->finish(); !complete) return complete.error();
  progress.finish();
  context.terminal.note(fmt::format("{}: {} CTAs, {} warp instructions, {}", output, views::with_separators(total),
                                    views::with_separators(writer->instructions()),
                                    views::bytes(static_cast<double>(writer->bytes()))));
  return ExitCode::kDone;
}

Error usage(std::string message) { return Error{ExitCode::kUsage, "usage", std::move(message), "smreplay"}; }

Result<ExitCode> capture(const Context& context, const Arguments& a) {
  const std::string& output = context.options.output;
  const bool to_program = output.ends_with(".program");
  if (!to_program && !output.ends_with(".trace")) {
    return Error{ExitCode::kUsage, "capture-output",
                 "say what to make: -o NAME.program (static) or -o NAME.trace (with a launch)", "smreplay"};
  }
  if (context.options.format != "text") return usage("--format: this verb writes a Program or a trace");
  const Result<machine::Machine> machine = machine::load_machine(context.options.machine, context.options.settings);
  if (!machine) return machine.error();
  if (to_program && a.limit_given) return usage("--instruction-limit: nothing is executed for a .program");
  if (!is_program_source(a.launch.input)) {
    if (Status selection = check_selection(a.launch); !selection) return selection.error();
    if (const std::string option = given_option(a.program); !option.empty()) {
      return usage(fmt::format("{} is for compiled kernels; '{}' is captured already", option, a.launch.input));
    }
    const Result<LaunchInput> input = resolve_launch(context, *machine, a.launch);
    if (!input) return input.error();
    Result<LoadedLaunch> loaded = load(*input, *machine);
    if (!loaded) return loaded.error();
    return to_program ? write_program(context, loaded->program()) : write_trace(context, *loaded, a.instruction_limit);
  }
  if (a.launch.concurrency > 0 || !a.launch.kernel.empty()) {
    return usage(fmt::format("{} chooses within an embedded capture; '{}' takes {}",
                             a.launch.concurrency > 0 ? "-C" : "--kernel", a.launch.input,
                             a.launch.concurrency > 0 ? "--launch FILE" : "--symbol NAME"));
  }
  if (Status options = check_program_options(a.launch.input, a.program); !options) return options.error();
  if (to_program && !a.launch.launch.empty()) return usage("--launch: a .program has no launch, a .trace has one");
  if (!to_program && a.launch.launch.empty()) {
    return Error{ExitCode::kUsage, "launch-missing", "a trace needs a launch: --launch FILE", "smreplay"};
  }
  Result<isa::Program> program = make_program(context, a.launch.input, a.program, machine->sm);
  if (!program) return program.error();
  // A Program belongs to no machine; but one that was named is meant, and a trace is held against its limits.
  if (a.machine_named || !to_program) {
    if (Status fits = check_architecture(program->sm, *machine, a.launch.input); !fits) return fits.error();
  }
  if (to_program) return write_program(context, *program);
  Result<LoadedLaunch> loaded = load_with_program(a.launch.launch, std::move(*program), *machine);
  if (!loaded) return loaded.error();
  return write_trace(context, *loaded, a.instruction_limit);
}

}  // namespace

void add_capture(CLI::App& app, Context& context) {
  CLI::App* verb = app.add_subcommand("capture", "makes a Program (.program) or a trace (.trace) of a kernel");
  verb->footer(
      "INPUT: a .cubin, a folder of Triton's cache, a .cu (needs nvcc), a .launch.txtpb, or an embedded capture.\n"
      "Examples:\n"
      "  smreplay capture k.cubin -o k.program\n"
      "  smreplay capture k.cubin --launch k.launch.txtpb -o k.trace\n"
      "  smreplay capture ~/.triton/cache/ABC123 --symbol my_kernel -o k.program\n"
      "  smreplay capture k.cu -m h200 --nvcc-option=-DN=4 -o k.program\n"
      "  smreplay capture kernels/triton/split_plain.py --build plain331-v0-sm120 -o split.program\n"
      "  smreplay capture v0 -C 96 -o v0-c96.trace");
  auto arguments = std::make_shared<Arguments>();
  add_launch_options(*verb, arguments->launch, true);
  verb->get_option("INPUT")->description(
      "a compiled kernel, its source, its launch, or an embedded capture: see below");
  add_program_options(*verb, arguments->program);
  add_instruction_limit(*verb, arguments->instruction_limit);
  verb->callback([&context, &app, verb, arguments] {
    arguments->machine_named = app.count("--machine") > 0;
    arguments->limit_given = verb->count("--instruction-limit") > 0;
    context.action = [&context, arguments] { return capture(context, *arguments); };
  });
}

}  // namespace smreplay::tool
