// Choice of the frame, normalisation of paths.
#include "sim/sass/SourceTable.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "sim/isa/Instruction.h"

namespace smreplay::sass {
namespace {

namespace fs = std::filesystem;

// The path relative to `root`; empty where it lies elsewhere.
std::string below(const std::string& path, const std::string& root) {
  if (root.empty()) return {};
  const fs::path relative = fs::path(path).lexically_normal().lexically_relative(fs::path(root).lexically_normal());
  if (relative.empty() || *relative.begin() == ".." || relative == ".") return {};
  return relative.generic_string();
}

// Where the author's sources are. Compilers that are given relative paths record them: those are the project's too.
class Project {
 public:
  // Without a frame under `root`, the project is the folder of the kernel's own file.
  Project(const std::map<uint32_t, SourceFrames>& frames, const std::string& root) : root_(root) {
    for (const auto& [offset, chain] : frames) {
      for (const SourceFrame& frame : chain) {
        if (holds(frame)) return;
      }
    }
    for (const auto& [offset, chain] : frames) {
      if (!chain.empty()) root_ = fs::path(chain.back().file).parent_path().string();
    }
  }
  bool holds(const SourceFrame& frame) const {
    const fs::path path = fs::path(frame.file).lexically_normal();
    if (path.is_relative()) return *path.begin() != "..";
    return !below(frame.file, root_).empty();
  }

 private:
  std::string root_;
};

// The project's file of which the code names most lines: the kernel's body, be it in a header that the .cu file only
// instantiates, and not the header of small helpers that the body calls. Ties: the file that comes first by name.
std::string body_file(const std::map<uint32_t, SourceFrames>& frames, const Project& project) {
  std::map<std::string, std::set<uint32_t>> lines;
  for (const auto& [offset, chain] : frames) {
    for (const SourceFrame& frame : chain) {
      if (project.holds(frame)) lines[frame.file].insert(frame.line);
    }
  }
  const auto most = std::max_element(lines.begin(), lines.end(),
                                     [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
  return most == lines.end() ? std::string() : most->first;
}

const SourceFrame& choose(const SourceFrames& frames, const Project& project, const std::string& body) {
  const auto in_body =
      std::find_if(frames.begin(), frames.end(), [&](const SourceFrame& frame) { return frame.file == body; });
  if (in_body != frames.end()) return *in_body;
  const auto own =
      std::find_if(frames.begin(), frames.end(), [&](const SourceFrame& frame) { return project.holds(frame); });
  if (own != frames.end()) return *own;
  return *std::find_if(frames.begin(), frames.end(),
                       [&](const SourceFrame& frame) { return frame.file == frames.back().file; });
}

}  // namespace

std::string normalise_path(const std::string& path, const std::string& root) {
  std::string relative = below(path, root);
  if (!relative.empty()) return relative;
  return fs::path(path).filename().generic_string();
}

SourceTable build_source_table(const std::map<uint32_t, SourceFrames>& frames, size_t instructions,
                               const std::string& root) {
  const Project project(frames, root);
  const std::string body = body_file(frames, project);
  SourceTable table;
  table.lines.resize(instructions);
  for (const auto& [offset, chain] : frames) {
    const size_t index = offset / isa::kInstructionBytes;
    if (index >= instructions || chain.empty()) continue;
    const SourceFrame& frame = choose(chain, project, body);
    const std::string name = normalise_path(frame.file, root);
    auto file = std::find(table.files.begin(), table.files.end(), name);
    if (file == table.files.end()) file = table.files.insert(file, name);
    table.lines[index] = isa::SourceLine{static_cast<uint32_t>(file - table.files.begin()), frame.line};
  }
  return table;
}

}  // namespace smreplay::sass
