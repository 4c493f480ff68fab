#include "sim/experiment/CellStore.h"

#include <fstream>
#include <iterator>

#include "sim/experiment/CellJson.h"
#include "sim/trace/OutputFile.h"

namespace smreplay::experiment {
namespace fs = std::filesystem;

fs::path CellStore::file_of(const std::string& key) const { return folder_ / (key + ".json"); }

std::optional<CellResult> CellStore::find(const std::string& key) const {
  const std::optional<std::string> text = find_text(key);
  if (!text) return std::nullopt;
  std::optional<CellResult> cell = cell_from_json(*text);
  if (cell && cell->key != key) return std::nullopt;
  return cell;
}

Status CellStore::keep(const CellResult& cell) const { return keep_text(cell.key, to_json(cell)); }

std::optional<std::string> CellStore::find_text(const std::string& key) const {
  std::ifstream file(file_of(key), std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

Status CellStore::keep_text(const std::string& key, const std::string& text) const {
  std::error_code failed;
  fs::create_directories(folder_, failed);
  Result<trace::OutputFile> file = trace::OutputFile::create(file_of(key).string());
  if (!file) return file.error();
  if (Status written = file->write(text); !written) return written.error();
  return file->commit();
}

}  // namespace smreplay::experiment
