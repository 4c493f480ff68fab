#include "tools/smreplay/ExperimentLaunches.h"

#include <fmt/format.h>
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <set>

#include "sim/trace/OutputFile.h"

namespace smreplay::tool {
namespace fs = std::filesystem;
namespace {

std::string folder_name(const experiment::CellRequest& cell) {
  std::string name = cell.label();
  std::replace(name.begin(), name.end(), ' ', '.');
  std::replace(name.begin(), name.end(), '=', '-');
  return name;
}

Status write_launch(const fs::path& path, trace::proto::LaunchSpec launch, const fs::path& capture,
                    const std::string& after) {
  std::error_code failed;
  launch.set_program(fs::relative(capture / launch.program(), path.parent_path(), failed).string());
  launch.set_after(after);
  std::string text;
  google::protobuf::TextFormat::PrintToString(launch, &text);
  Result<trace::OutputFile> file = trace::OutputFile::create(path.string());
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
    const std::string name = folder_name(request);
    if (!written.insert(name).second) continue;
    const auto cell = experiment::prepare(captures, request, machine);
    if (!cell) return cell.error();
    std::error_code failed;
    fs::create_directories(folder / name, failed);
    const fs::path capture = fs::absolute(experiment::capture_folder(captures, request, machine.sm));
    const fs::path to = fs::absolute(folder / name);
    if (Status done = write_launch(to / "split.launch.txtpb", cell->launches.split, capture, ""); !done) {
      return done.error();
    }
    if (Status done = write_launch(to / "combine.launch.txtpb", cell->launches.combine, capture, "split.launch.txtpb");
        !done) {
      return done.error();
    }
    list += fmt::format("{} {} {}\n", name, capture.filename().string(), cell->key);
  }
  return list;
}

}  // namespace smreplay::tool
