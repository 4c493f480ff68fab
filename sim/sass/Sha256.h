// SHA-256 (FIPS 180-4), for naming what a Program was made from.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace smreplay::sass {

class Sha256 {
 public:
  void update(std::span<const uint8_t> bytes);
  // The digest in lower-case hexadecimal. Call once.
  std::string finish();

 private:
  static constexpr size_t kBlockBytes = 64;

  void compress(const uint8_t* block);

  std::array<uint32_t, 8> state_{0x6a09e667U, 0xbb67ae85U, 0x3c6ef372U, 0xa54ff53aU,
                                 0x510e527fU, 0x9b05688cU, 0x1f83d9abU, 0x5be0cd19U};
  std::array<uint8_t, kBlockBytes> buffer_{};
  size_t buffered_ = 0;
  uint64_t total_bytes_ = 0;
};

}  // namespace smreplay::sass
