#include "tools/smreplay/ExperimentLaunches.h"

#include <fmt/format.h>
#include <google/protobuf/text_format.h>

#include <set>

#include "sim/trace/OutputFile.h"

namespace smreplay::tool {
namespace fs = std::filesystem;
namespace {

constexpr const char* kCaptureFiles[] = {"split.program", "combine.program", "split.cubin", "combine.cubin",
                                         "build.json"};

// "c96.c4.T360.padded"
std::string cell_name(const experiment::CellRequest& cell) {
  return fmt::format("c{}.{}.T{}{}", cell.concurrency, cell.launch_class, cell.options.target_ctas,
                     cell.options.pad_to_one_cta ? ".padded" : "");
}

Status output_failed(const fs::path& path, const std::error_code& why) {
  return Error{ExitCode::kBadConfiguration, "output-failed", "cannot write: " + why.message(), path.string()};
}

Status copy_capture(const fs::path& from, const fs::path& to) {
  std::error_code failed;
  fs::create_directories(to, failed);
  if (failed) return output_failed(to, failed);
  for (const char* name : kCaptureFiles) {
    if (!fs::exists(from / name, failed)) continue;
    fs::copy_file(from / name, to / name, fs::copy_options::overwrite_existing, failed);
    if (failed) return output_failed(to / name, failed);
  }
  return Ok{};
}

Status write_launch(const fs::path& folder, const std::string& stem, trace::proto::LaunchSpec launch,
                    const std::string& after) {
  launch.set_name(stem);
  launch.set_after(after);
  std::string text;
  google::protobuf::TextFormat::PrintToString(launch, &text);
  Result<trace::OutputFile> file = trace::OutputFile::create((folder / (stem + ".launch.txtpb")).string());
  if (!file) return file.error();
  if (Status done = file->write("# by smreplay experiment launches\n" + text); !done) return done.error();
  return file->commit();
}

}  // namespace

Result<std::string> write_launches(const fs::path& captures, const std::vector<experiment::CellRequest>& cells,
                                   const machine::Machine& machine, const fs::path& folder) {
  std::string list;
  std::set<std::string> written;
  for (const experiment::CellRequest& request : cells) {
    if (!experiment::capture_exists(captures, request, machine.sm)) continue;
    if (!written.insert(request.label()).second) continue;
    const auto cell = experiment::prepare(captures, request, machine);
    if (!cell) return cell.error();
    const fs::path capture = experiment::capture_folder(captures, request, machine.sm);
    const fs::path to = folder / capture.filename();
    if (Status copied = copy_capture(capture, to); !copied) return copied.error();
    const std::string name = cell_name(request), split = "split." + name;
    if (Status done = write_launch(to, split, cell->launches.split, ""); !done) return done.error();
    if (Status done = write_launch(to, "combine." + name, cell->launches.combine, split + ".launch.txtpb"); !done) {
      return done.error();
    }
    list += fmt::format("{} {} {}\n", capture.filename().string(), name, cell->key);
  }
  return list;
}

}  // namespace smreplay::tool
