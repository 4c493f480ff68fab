// calibrate: a machine file from measurements. On the card present, from kept readings, or on the simulated GPU, where
// the readings must come out as the machine file that it was given (a round trip).
#include <memory>

#include "sim/calibrate/RawFile.h"
#include "tools/smreplay/CalibrateFile.h"
#include "tools/smreplay/CalibrateMufu.h"
#include "tools/smreplay/CalibrateRun.h"
#include "tools/smreplay/Output.h"
#include "tools/smreplay/Verbs.h"

namespace smreplay::tool {
namespace {

struct Arguments {
  std::string from_raw;
  std::string raw;
  bool simulate = false;
  CalibrateRunOptions run;
  CalibrateFileOptions file;
};

Result<ExitCode> run(const Context& context, const Arguments& a) {
  if (!a.from_raw.empty()) {
    const Result<calibrate::RawFile> raw = calibrate::RawFile::read(a.from_raw);
    if (!raw) return raw.error();
    return machine_file_from(context, *raw, a.file);
  }
  const Result<std::string> text = a.simulate ? read_simulated(context, a.run) : read_gpu(context, a.run);
  if (!text) return text.error();
  if (a.run.under_profiler) return ExitCode::kDone;
  if (!a.raw.empty()) {
    if (Status written = write_output(a.raw, *text); !written) return written.error();
  }
  if (a.simulate) return round_trip(context, *text, a.run.parts.empty());
  const Result<calibrate::RawFile> raw = calibrate::RawFile::parse(*text, "readings");
  if (!raw) return raw.error();
  return machine_file_from(context, *raw, a.file);
}

void add_profiler_options(CLI::App& verb, CalibrateRunOptions& run) {
  CLI::Option* ncu = verb.add_option("--ncu", run.ncu, "path of Nsight Compute, for its counters; default: ncu on PATH")
                         ->type_name("FILE");
  verb.add_flag("--no-profile", run.no_profile, "no counters")->excludes(ncu);
  verb.add_flag("--under-profiler", run.under_profiler, "launch, read nothing: what the profiler is pointed at")
      ->group("");  // not shown
}

void add_mufu(CLI::App& verb, Context& context) {
  CLI::App* mufu = verb.add_subcommand("mufu", "records the special function unit over all mantissas");
  mufu->footer(
      "Each sweep is 2^23 results; printed is how far they are from the correctly rounded ones and from the "
      "emulator's.\n"
      "Examples:\n"
      "  smreplay calibrate mufu sin.mufu --function sin,cos       from the GPU present\n"
      "  smreplay calibrate mufu sin.mufu --compare                a kept recording; exit code 1: one other than\n"
      "                                                            TANH differs, which the emulator has bit for bit\n"
      "  smreplay calibrate mufu sin.mufu --compare --unpack words/    for kernels/probe/explore_mufu.py");
  const auto o = std::make_shared<CalibrateMufuOptions>();
  mufu->add_option("FILE", o->file, "the recording")->required();
  mufu->add_option("--function", o->functions, "only these, comma-separated: sqrt, sin, cos, tanh, ex2, lg2, rcp, rsq")
      ->type_name("NAME,...")
      ->delimiter(',')
      ->check(CLI::IsMember({"sqrt", "sin", "cos", "tanh", "ex2", "lg2", "rcp", "rsq"}));
  CLI::Option* compare = mufu->add_flag("--compare", o->compare, "read the recording instead of making it");
  mufu->add_flag("--simulate", o->simulate, "record the emulator's unit")->excludes(compare);
  mufu->add_option("--unpack", o->unpack, "also write each sweep's words, <function>.<sign><exponent>.u32")
      ->type_name("DIR");
  mufu->add_option("--microbenchmarks", o->microbenchmarks, "folder of packed microbenchmarks")
      ->type_name("DIR")
      ->excludes(compare);
  mufu->add_option("--device", o->device, "number of the GPU")->excludes(compare);
  mufu->callback([&context, o] { context.action = [&context, o] { return calibrate_mufu(context, *o); }; });
}

}  // namespace

void add_calibrate(CLI::App& app, Context& context) {
  CLI::App* verb = app.add_subcommand("calibrate", "a machine file from measurements of a GPU");
  verb->footer(
      "Examples:\n"
      "  smreplay calibrate -o mine.txtpb --raw readings.jsonl    measures the GPU present (exit code 6 without one)\n"
      "  smreplay calibrate --from-raw configs/measurements/h200-2026-11-30 --check configs/machines/h200.txtpb\n"
      "  smreplay calibrate --simulate -m h200                    does the simulated GPU read as its machine file?");
  verb->require_subcommand(0, 1);
  add_mufu(*verb, context);
  auto a = std::make_shared<Arguments>();
  CLI::Option* from_raw =
      verb->add_option("--from-raw", a->from_raw, "readings: a raw file, or a folder of raw*.jsonl[.zst]")
          ->type_name("PATH");
  verb->add_option("--raw", a->raw, "keep the readings in this file")->type_name("FILE")->excludes(from_raw);
  CLI::Option* simulate = verb->add_flag("--simulate", a->simulate, "measure the simulated GPU")->excludes(from_raw);
  verb->add_option(
          "--part", a->run.parts,
          "only this part: core, shared, levels, dispatch, bandwidth, queue, ports, barrier, latency, chip, l1; "
          "counters, by Nsight Compute; states, for a profiler that is run by hand")
      ->type_name("NAME")
      ->excludes(from_raw);
  add_profiler_options(*verb, a->run);
  verb->add_option("--microbenchmarks", a->run.microbenchmarks,
                   "folder of packed microbenchmarks instead of the data folder's")
      ->type_name("DIR")
      ->excludes(from_raw);
  verb->add_option("--device", a->run.device, "number of the GPU")->excludes(from_raw)->excludes(simulate);
  CLI::Option* base = verb->add_option("--base", a->file.base, "machine that has the keys which no reading gives")
                          ->type_name("MACHINE")
                          ->excludes(simulate);
  verb->add_option("--check", a->file.check, "exit with 1 unless this file is what the readings give")
      ->type_name("FILE")
      ->excludes(base)
      ->excludes(simulate);
  verb->callback([&context, verb, a] {
    if (!verb->get_subcommands().empty()) return;
    context.action = [&context, a] { return run(context, *a); };
  });
}

}  // namespace smreplay::tool
