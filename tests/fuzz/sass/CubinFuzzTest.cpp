// Damaged cubins: cut short, with flipped bits, with random bytes. The reader answers with a cubin or with an error
// that carries a code and exit 4; it never crashes. Run with the sanitizers in ./check --full.
#include <gtest/gtest.h>

#include <random>

#include "sim/isa/OperandParser.h"
#include "sim/sass/Cubin.h"
#include "tests/unit/sass/TestFiles.h"

namespace smreplay::sass {
namespace {

constexpr uint64_t kSeed = 20240607;
constexpr int kFlipsPerCubin = 3000;

size_t little_endian(const std::vector<uint8_t>& bytes, size_t at, size_t count) {
  size_t value = 0;
  for (size_t i = 0; i < count; ++i) value |= size_t{bytes[at + i]} << (8 * i);
  return value;
}

size_t section_headers(const std::vector<uint8_t>& bytes) { return little_endian(bytes, 0x28, 8); }

size_t section_headers_end(const std::vector<uint8_t>& bytes) {
  constexpr size_t kSectionHeaderBytes = 64;
  return section_headers(bytes) + kSectionHeaderBytes * little_endian(bytes, 0x3c, 2);
}

void expect_answer(const std::vector<uint8_t>& bytes) {
  const auto cubin = read_cubin(bytes);
  if (cubin) return;
  EXPECT_FALSE(cubin.error().code.empty());
  EXPECT_FALSE(cubin.error().message.empty());
  EXPECT_EQ(cubin.error().exit, ExitCode::kBadInput);
}

TEST(CubinFuzz, Truncation) {
  constexpr size_t kStep = 97;
  for (const std::string& path : all_cubins()) {
    const auto bytes = read_bytes(path);
    for (size_t n = 0; n < bytes.size(); n += kStep) {
      const std::vector<uint8_t> cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(n));
      expect_answer(cut);
      if (n < section_headers_end(bytes)) {
        EXPECT_FALSE(read_cubin(cut)) << path << " cut to " << n;
      }
    }
  }
}

TEST(CubinFuzz, FlippedBits) {
  std::mt19937_64 random(kSeed);
  for (const std::string& path : all_cubins()) {
    const auto bytes = read_bytes(path);
    for (int i = 0; i < kFlipsPerCubin; ++i) {
      auto damaged = bytes;
      const uint64_t flips = 1 + random() % 4;
      for (uint64_t k = 0; k < flips; ++k) {
        damaged[random() % damaged.size()] ^= static_cast<uint8_t>(1U << (random() % 8));
      }
      expect_answer(damaged);
    }
  }
}

// The headers decide what is read where: every byte of them takes every extreme value.
TEST(CubinFuzz, Headers) {
  for (const std::string& path : all_cubins()) {
    const auto bytes = read_bytes(path);
    constexpr size_t kElfHeaderBytes = 64;
    for (size_t at = 0; at < bytes.size(); ++at) {
      if (at == kElfHeaderBytes) at = section_headers(bytes);
      for (const int value : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
        auto damaged = bytes;
        damaged[at] = static_cast<uint8_t>(value);
        expect_answer(damaged);
      }
    }
  }
}

TEST(OperandFuzz, RandomTextIsRefusedOrParsed) {
  constexpr std::string_view kAlphabet = "RUPZTcxdescg[]{}|.,+-~!0123456789ABHSB_ \"$`()N";
  std::mt19937_64 random(kSeed);
  for (int i = 0; i < 200'000; ++i) {
    std::string text;
    const uint64_t length = random() % 24;
    for (uint64_t k = 0; k < length; ++k) text += kAlphabet[random() % kAlphabet.size()];
    for (const auto part : isa::split_operands(text)) (void)isa::parse_operand(part);
  }
}

}  // namespace
}  // namespace smreplay::sass
