// Choice of the frame, normalisation of paths.
#include "sim/sass/SourceTable.h"

#include <algorithm>
#include <filesystem>

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

const SourceFrame& choose(const SourceFrames& frames, const std::string& root) {
  const auto under_root = std::find_if(frames.begin(), frames.end(),
                                       [&](const SourceFrame& frame) { return !below(frame.file, root).empty(); });
  if (under_root != frames.end()) return *under_root;
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
  SourceTable table;
  table.lines.resize(instructions);
  for (const auto& [offset, chain] : frames) {
    const size_t index = offset / isa::kInstructionBytes;
    if (index >= instructions || chain.empty()) continue;
    const SourceFrame& frame = choose(chain, root);
    const std::string name = normalise_path(frame.file, root);
    auto file = std::find(table.files.begin(), table.files.end(), name);
    if (file == table.files.end()) file = table.files.insert(file, name);
    table.lines[index] = isa::SourceLine{static_cast<uint32_t>(file - table.files.begin()), frame.line};
  }
  return table;
}

}  // namespace smreplay::sass
