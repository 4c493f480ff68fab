// calibrate: a machine file from measurements. On the card present, from kept readings, or on the simulated GPU, where
// the readings must come out as the machine file that it was given (a round trip).
#include <memory>

#include "sim/calibrate/RawFile.h"
#include "tools/smreplay/CalibrateFile.h"
#include "tools/smreplay/Verbs.h"

namespace smreplay::tool {
namespace {

struct Arguments {
  std::string from_raw;
  CalibrateFileOptions file;
};

Result<ExitCode> run(const Context& context, const Arguments& a) {
  if (!a.from_raw.empty()) {
    const Result<calibrate::RawFile> raw = calibrate::RawFile::read(a.from_raw);
    if (!raw) return raw.error();
    return machine_file_from(context, *raw, a.file);
  }
  return Error{ExitCode::kUsage, "usage", "nothing to calibrate from: give --from-raw", "smreplay"};
}

}  // namespace

void add_calibrate(CLI::App& app, Context& context) {
  CLI::App* verb = app.add_subcommand("calibrate", "a machine file from measurements of a GPU");
  verb->footer(
      "Examples:\n"
      "  smreplay calibrate --from-raw configs/measurements/h200-2026-11-30 --check configs/machines/h200.txtpb\n"
      "  smreplay calibrate --from-raw readings/ -o mine.txtpb    a machine file from readings taken elsewhere");
  auto a = std::make_shared<Arguments>();
  verb->add_option("--from-raw", a->from_raw, "readings: a raw file, or a folder of raw*.jsonl[.zst]")
      ->type_name("PATH");
  CLI::Option* base = verb->add_option("--base", a->file.base, "machine that has the keys which no reading gives")
                          ->type_name("MACHINE");
  verb->add_option("--check", a->file.check, "exit with 1 unless this file is what the readings give")
      ->type_name("FILE")
      ->excludes(base);
  verb->callback([&context, a] { context.action = [&context, a] { return run(context, *a); }; });
}

}  // namespace smreplay::tool
