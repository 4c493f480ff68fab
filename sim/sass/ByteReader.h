// Little-endian reads from a byte span with every bound checked.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace smreplay::sass {

class ByteReader {
 public:
  explicit ByteReader(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  size_t size() const { return bytes_.size(); }

  // An unsigned integer of sizeof(T) bytes at `offset`; nullopt beyond the end.
  template <class T>
  std::optional<T> read(uint64_t offset) const {
    const auto part = slice(offset, sizeof(T));
    if (!part) return std::nullopt;
    uint64_t value = 0;
    for (size_t i = 0; i < sizeof(T); ++i) value |= uint64_t{(*part)[i]} << (8 * i);
    return static_cast<T>(value);
  }

  std::optional<std::span<const uint8_t>> slice(uint64_t offset, uint64_t length) const {
    if (offset > bytes_.size() || length > bytes_.size() - offset) return std::nullopt;
    return bytes_.subspan(static_cast<size_t>(offset), static_cast<size_t>(length));
  }

  // A zero-terminated string at `offset`; nullopt where no zero follows.
  std::optional<std::string_view> string(uint64_t offset) const {
    if (offset >= bytes_.size()) return std::nullopt;
    const std::string_view rest(reinterpret_cast<const char*>(bytes_.data()) + offset,
                                bytes_.size() - static_cast<size_t>(offset));
    const auto end = rest.find('\0');
    if (end == std::string_view::npos) return std::nullopt;
    return rest.substr(0, end);
  }

 private:
  std::span<const uint8_t> bytes_;
};

}  // namespace smreplay::sass
