// Byte columns: variable-length integers, 7 bits per byte, low bits first, top bit set on all but the last byte
// (LEB128); signed values are zigzag-folded first. Reading past the end or a malformed integer throws Corrupt, which
// the public functions of this folder turn into an Error; it never leaves them.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace smreplay::trace {

class Corrupt : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

constexpr uint64_t zigzag(int64_t v) { return (static_cast<uint64_t>(v) << 1U) ^ static_cast<uint64_t>(v >> 63); }
constexpr int64_t unzigzag(uint64_t v) { return static_cast<int64_t>((v >> 1U) ^ (~(v & 1U) + 1U)); }

// Bytes that the variable-length form of `v` takes.
constexpr uint32_t varint_bytes(uint64_t v) {
  uint32_t n = 1;
  for (; v >= 128; v >>= 7U) ++n;
  return n;
}

class ByteWriter {
 public:
  void byte(uint8_t v) { bytes_.push_back(static_cast<char>(v)); }
  void varint(uint64_t v) {
    for (; v >= 128; v >>= 7U) byte(static_cast<uint8_t>(v | 128U));
    byte(static_cast<uint8_t>(v));
  }
  void signed_varint(int64_t v) { varint(zigzag(v)); }
  size_t size() const { return bytes_.size(); }
  std::string take() { return std::exchange(bytes_, {}); }

 private:
  std::string bytes_;
};

class ByteReader {
 public:
  ByteReader() = default;
  ByteReader(std::string_view bytes, const char* column) : bytes_(bytes), column_(column) {}
  uint8_t byte() {
    if (at_ >= bytes_.size()) fail("ends early");
    return static_cast<uint8_t>(bytes_[at_++]);
  }
  uint64_t varint() {
    uint64_t v = 0;
    for (uint32_t shift = 0; shift < 64; shift += 7) {
      const uint64_t b = byte();
      if (shift == 63 && b > 1) break;
      v |= (b & 127U) << shift;
      if (b < 128) return v;
    }
    fail("holds an integer of more than 64 bits");
  }
  int64_t signed_varint() { return unzigzag(varint()); }
  // An integer that may not exceed `max`.
  uint64_t bounded(uint64_t max, const char* what) {
    const uint64_t v = varint();
    if (v > max) fail("gives " + std::to_string(v) + " " + what + ", more than " + std::to_string(max));
    return v;
  }
  bool at_end() const { return at_ == bytes_.size(); }
  size_t left() const { return bytes_.size() - at_; }
  [[noreturn]] void fail(const std::string& how) const {
    throw Corrupt("column '" + std::string(column_) + "' " + how + " at byte " + std::to_string(at_));
  }

 private:
  std::string_view bytes_;
  const char* column_ = "";
  size_t at_ = 0;
};

}  // namespace smreplay::trace
