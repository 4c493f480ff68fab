#include "tools/smreplay/ConfirmKit.h"

#include <fmt/format.h>

#include <system_error>

#include "sim/trace/OutputFile.h"
#include "tools/smreplay/Version.h"

namespace smreplay::tool {
namespace fs = std::filesystem;
namespace {

constexpr const char* kLibraries[] = {"libtbb.so.12"};  // what has no static library and lies beside the binary
constexpr const char* kMicrobenchmarks = "microbench";

constexpr const char* kScript = R"sh(#!/bin/sh
# ./run.sh: runs every launch of plan.json on the GPU present and writes one file, measurement.json.zst: times of an
# interleaved series, and, where Nsight Compute is found and its counters are allowed, counts and stall samples per
# instruction. Options go to "smreplay confirm measure" (--help): ./run.sh --ncu /opt/nvidia/nsight-compute/ncu
#
# ./run.sh --calibrate: measures the card itself: readings.jsonl, raw readings of the microbenchmarks; machine.txtpb,
# the machine file from them; calibrate.txt, what was derived and what was not; special.mufu, the special function unit
# over all mantissas. Options go to "smreplay calibrate" (--help).
# ./run.sh --calibrate --simulate -m MACHINE: tries the way with the simulated GPU: round_trip.txt instead of a machine
# file. ./run.sh --calibrate --part NAME: that part alone, without special.mufu.
cd "$(dirname "$0")" || exit 1
[ "$1" = --calibrate ] || exec ./smreplay confirm measure plan -o measurement.json.zst "$@"
shift
simulate= part= device= last=
for option in "$@"; do
  [ "$last" = --device ] && device="--device $option"
  case $option in
    --simulate) simulate=--simulate ;;
    --part*) part=yes ;;
    --device=*) device=$option ;;
  esac
  last=$option
done
if [ -n "$simulate" ]; then
  ./smreplay calibrate --microbenchmarks microbench --raw readings.jsonl -o round_trip.txt "$@"
else
  ./smreplay calibrate --microbenchmarks microbench --raw readings.jsonl -o machine.txtpb "$@" 2> calibrate.txt
fi
status=$?
[ -f calibrate.txt ] && cat calibrate.txt >&2
if [ -n "$part" ] || [ $status -eq 6 ]; then exit $status; fi
# Its own process: what fails here does not take the readings along.
./smreplay calibrate mufu special.mufu --microbenchmarks microbench $simulate $device > mufu.txt || echo "no special.mufu" >&2
exit $status
)sh";

// Fields: version, architecture, cases, minutes.
constexpr const char* kReadme = R"md(# smreplay confirm kit

Made by smreplay {0} for GPUs of compute capability sm_{1}. It runs {2} launches of a sparse MLA decode kernel on your card and
writes what it measured to one file, `measurement.json.zst`.

    ./run.sh                about {3} minutes
    ./run.sh --help         options: repeats, a time limit, the path of ncu
    ./run.sh --calibrate    a minute or two: measures the card itself

Needs an NVIDIA driver, a CPU with AVX2 and glibc 2.35 or later (Ubuntu 22.04, Debian 12); 8 GB of GPU memory; no toolkit, no
network. Nothing is compiled on your machine: the cubins in `plan/` are the ones that were replayed, each checked against its
hash before it runs.

* Best on an otherwise idle card. Clocks are read, not set.
* Counters need permission: run as root, or allow them for all users (NVIDIA: ERR_NVGPUCTRPERM). Without them, or without
  Nsight Compute, the launches are timed only, and the file says so.
* The file holds: name of the GPU, driver, clocks, date, times, counts and stall samples. It holds no host name, no serial
  number and no address.

`./run.sh --calibrate` runs the microbenchmarks in `microbench/` and writes `readings.jsonl` (raw readings), `machine.txtpb` (the
machine file of your card, to simulate with), `calibrate.txt` (what was derived and what was not) and `special.mufu` (results of the special
function unit). Without Nsight Compute, or without permission for its counters, a few values stay as in the base file; `calibrate.txt`
names them.

Send `measurement.json.zst` back, and after `--calibrate` also `readings.jsonl` and `special.mufu`. Where it came from, `smreplay confirm --import measurement.json.zst` compares it with the
predictions that `plan/plan.json` lists.
)md";

Status failed(const fs::path& path, const std::error_code& why) {
  return Error{ExitCode::kBadConfiguration, "output-failed", "cannot write: " + why.message(), path.string()};
}

Status write(const fs::path& path, const std::string& text) {
  Result<trace::OutputFile> file = trace::OutputFile::create(path.string());
  if (!file) return file.error();
  if (Status done = file->write(text); !done) return done;
  return file->commit();
}

Status copy_over(const fs::path& from, const fs::path& to) {
  std::error_code why;
  fs::copy_file(from, to, fs::copy_options::overwrite_existing, why);
  if (why) return failed(to, why);
  return Ok{};
}

Status copy_program(const Context& context, const fs::path& folder) {
  const fs::path program = context.program_path;
  if (Status done = copy_over(program, folder / "smreplay"); !done) return done;
  for (const char* name : kLibraries) {
    std::error_code ignored;
    const fs::path library = program.parent_path() / name;
    if (!fs::exists(library, ignored)) continue;
    if (Status done = copy_over(library, folder / name); !done) return done;
  }
  return Ok{};
}

// What `calibrate` needs on a card of this architecture and, to try the way, on the simulated GPU.
Status copy_microbenchmarks(const Context& context, uint32_t sm, const fs::path& folder) {
  const Result<fs::path> data = context.data_folder();
  if (!data) return data.error();
  std::error_code why;
  fs::create_directories(folder / kMicrobenchmarks, why);
  if (why) return failed(folder / kMicrobenchmarks, why);
  for (const char* ending : {".cubins", ".programs"}) {
    const std::string name = "sm" + std::to_string(sm) + ending;
    const fs::path from = *data / "kernels" / "microbench" / "built" / name;
    if (Status done = copy_over(from, folder / kMicrobenchmarks / name); !done) return done;
  }
  return Ok{};
}

}  // namespace

Result<PlanFolder> write_kit(const Context& context, const machine::Machine& machine, const ConfirmScope& scope,
                             const fs::path& folder) {
  std::error_code why;
  if (fs::exists(folder, why) && !fs::is_empty(folder, why)) {
    return Error{ExitCode::kBadConfiguration, "confirm-folder", "there is something in this folder already",
                 folder.string()};
  }
  const fs::path plan_folder = folder / "plan";
  fs::create_directories(plan_folder, why);
  if (why) return failed(plan_folder, why).error();
  auto written = write_plan(context, machine, scope, plan_folder);
  if (!written) return written;
  if (Status done = copy_program(context, folder); !done) return done.error();
  if (Status done = copy_microbenchmarks(context, machine.sm, folder); !done) return done.error();
  constexpr size_t kCasesPerMinute = 24;
  const size_t cases = written->plan.cases.size();
  const std::string readme =
      fmt::format(fmt::runtime(kReadme), kVersion, machine.sm, cases, 1 + cases / kCasesPerMinute);
  if (Status done = write(folder / "README.md", readme); !done) return done.error();
  if (Status done = write(folder / "run.sh", kScript); !done) return done.error();
  constexpr auto kExecutable = fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec;
  fs::permissions(folder / "run.sh", kExecutable, fs::perm_options::add, why);
  if (why) return failed(folder / "run.sh", why).error();
  return written;
}

}  // namespace smreplay::tool
