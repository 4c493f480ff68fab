#include "sim/calibrate/Pack.h"

#include <zstd.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>

namespace smreplay::calibrate {
namespace {

constexpr std::string_view kMagic = "smreplay pack 1\n";
constexpr int kLevel = 19;
constexpr uint64_t kMostBytes = uint64_t{1} << 28;

Error bad(const char* code, const char* message, const std::string& path) {
  return Error{ExitCode::kBadInput, code, message, path};
}

template <typename Integer>
void append(std::string& bytes, Integer value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);  // x86-64 is little-endian
}

template <typename Integer>
bool take(std::string_view& bytes, Integer& value) {
  if (bytes.size() < sizeof value) return false;
  std::memcpy(&value, bytes.data(), sizeof value);
  bytes.remove_prefix(sizeof value);
  return true;
}

}  // namespace

std::string pack(const PackEntries& entries) {
  std::string bytes(kMagic);
  for (const auto& [name, contents] : entries) {
    append(bytes, static_cast<uint32_t>(name.size()));
    append(bytes, static_cast<uint64_t>(contents.size()));
    bytes += name;
    bytes += contents;
  }
  std::string frame(ZSTD_compressBound(bytes.size()), '\0');
  frame.resize(ZSTD_compress(frame.data(), frame.size(), bytes.data(), bytes.size(), kLevel));
  return frame;
}

Result<PackEntries> read_pack(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return bad("pack-missing", "the pack cannot be opened", path);
  const std::string frame((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const unsigned long long size = ZSTD_getFrameContentSize(frame.data(), frame.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN || size > kMostBytes) {
    return bad("pack-corrupt", "no zstd frame of a known size", path);
  }
  std::string bytes(size, '\0');
  const size_t got = ZSTD_decompress(bytes.data(), bytes.size(), frame.data(), frame.size());
  if (ZSTD_isError(got) != 0 || got != size || !bytes.starts_with(kMagic)) {
    return bad("pack-corrupt", "the pack is damaged", path);
  }
  PackEntries entries;
  std::string_view rest = std::string_view(bytes).substr(kMagic.size());
  while (!rest.empty()) {
    uint32_t name = 0;
    uint64_t length = 0;
    if (!take(rest, name) || !take(rest, length) || rest.size() < name || rest.size() - name < length) {
      return bad("pack-corrupt", "an entry reaches beyond the pack", path);
    }
    entries.emplace_back(rest.substr(0, name), rest.substr(name, length));
    rest.remove_prefix(name + length);
  }
  return entries;
}

}  // namespace smreplay::calibrate
