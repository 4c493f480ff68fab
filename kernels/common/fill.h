// Buffer contents of a launch (sim/trace/launch.proto, message Fill), as pure functions of (kind, seed, position).
//
// One code for the CPU (emulator, float64 reference) and the GPU (runner): integer arithmetic only, and every float is
// put together from its bits, so both sides see the same bytes. Access is random: any aligned 8-byte word of a buffer
// can be produced alone, so a 100 MB pool of KV tokens costs only what a kernel touches of it.
//
// Word w of a buffer is its bytes [8w, 8w + 8), little-endian. Randomness is splitmix64 over (seed, counter): Steele,
// Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014 (finaliser "variant 13" of D. Stafford).
#pragma once

#include <cstdint>

#if defined(__CUDACC__)
#define SMREPLAY_HOST_DEVICE __host__ __device__
#else
#define SMREPLAY_HOST_DEVICE
#endif

namespace smreplay::kernels {

enum class FillKind : uint32_t { Poison, Zero, Byte, RandomU32, RandomBf16, KvPages, Indices, ConstantU32, RandomF32 };

// A Fill message without Protobuf (FillFromProto.h converts). Which fields count depends on the kind.
struct FillSpec {
  FillKind kind = FillKind::Poison;
  uint64_t seed = 0;
  uint32_t value = 0;             // Byte: the byte; ConstantU32: the word; RandomU32: modulus (0: all 32 bits)
  int32_t max_exponent = 0;       // RandomBf16, RandomF32: |x| in [2^(max_exponent - 3), 2^(max_exponent + 1))
  uint32_t page_size = 0;         // KvPages: tokens per page
  uint32_t tokens = 0;            // Indices: size of the pool
  uint32_t row_length = 0;        // Indices: entries per row
  uint32_t valid = 0;             // Indices: entries k >= valid are -1
  uint32_t masked_per_mille = 0;  // Indices: each valid entry is -1 with this probability
};

// The layout of one KV token and one page (docs/KERNELS.md, section 2).
struct KvLayout {
  static constexpr uint32_t kNopeBytes = 448;                      // fp8 e4m3
  static constexpr uint32_t kRopeBytes = 128;                      // 64 x bf16
  static constexpr uint32_t kDataBytes = kNopeBytes + kRopeBytes;  // per token, in the data section
  static constexpr uint32_t kScaleBytes = 8;                       // 7 x UE8M0 and one pad byte, in the footer
  SMREPLAY_HOST_DEVICE static constexpr uint64_t page_bytes(uint32_t page_size) {
    const uint64_t payload = uint64_t{page_size} * (kDataBytes + kScaleBytes);
    return (payload + kDataBytes - 1) / kDataBytes * kDataBytes;
  }
};

namespace fill_detail {

inline constexpr uint64_t kPoisonWord = 0xA5A5A5A5A5A5A5A5ULL;
inline constexpr uint64_t kEveryByte = 0x0101010101010101ULL;
inline constexpr uint64_t kGolden = 0x9E3779B97F4A7C15ULL;

SMREPLAY_HOST_DEVICE constexpr uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

SMREPLAY_HOST_DEVICE constexpr uint64_t random_word(uint64_t seed, uint64_t counter) {
  return mix(mix(seed + kGolden) + (counter + 1) * kGolden);
}

// Uniform in [0, bound) from 32 random bits (multiply-shift); bound 0: all 32 bits.
SMREPLAY_HOST_DEVICE constexpr uint32_t bounded(uint32_t bits, uint32_t bound) {
  return bound == 0 ? bits : static_cast<uint32_t>((uint64_t{bits} * bound) >> 32);
}

// Four bf16 from one random word: sign and 7 mantissa bits random, exponent one of four.
SMREPLAY_HOST_DEVICE constexpr uint64_t random_bf16x4(uint64_t random, int32_t max_exponent) {
  constexpr int32_t kBias = 127;
  uint64_t word = 0;
  for (uint32_t lane = 0; lane < 4; ++lane) {
    const auto bits = static_cast<uint32_t>(random >> (16 * lane)) & 0xFFFFu;
    const uint32_t sign = bits >> 15;
    const auto exponent = static_cast<uint32_t>(max_exponent + kBias) - ((bits >> 7) & 3u);
    word |= uint64_t{(sign << 15) | ((exponent & 0xFFu) << 7) | (bits & 0x7Fu)} << (16 * lane);
  }
  return word;
}

// Two fp32 from one random word: sign and 23 mantissa bits random, exponent one of four.
SMREPLAY_HOST_DEVICE constexpr uint64_t random_f32x2(uint64_t random, int32_t max_exponent) {
  constexpr int32_t kBias = 127;
  uint64_t word = 0;
  for (uint32_t lane = 0; lane < 2; ++lane) {
    const auto bits = static_cast<uint32_t>(random >> (32 * lane));
    const auto exponent = static_cast<uint32_t>(max_exponent + kBias) - ((bits >> 23) & 3u);
    word |= uint64_t{(bits & 0x80000000u) | ((exponent & 0xFFu) << 23) | (bits & 0x7FFFFFu)} << (32 * lane);
  }
  return word;
}

// Eight fp8 e4m3 from one random word: all 256 codes but the two NaNs (0x7F, 0xFF), which become the largest finite
// value.
SMREPLAY_HOST_DEVICE constexpr uint64_t random_e4m3x8(uint64_t random) {
  constexpr uint64_t kMagnitude = 0x7F * kEveryByte;
  const uint64_t is_nan = (((random & kMagnitude) + kEveryByte) >> 7) & kEveryByte;
  return random - is_nan;  // 0x7F -> 0x7E, 0xFF -> 0xFE: the lowest bit of such a byte is set, nothing is borrowed
}

// Scales 2^-8 .. 2^-5 (UE8M0 code 119 + 2 random bits): uniform e4m3 codes have an r.m.s. near 2^7, so values come out
// around one.
SMREPLAY_HOST_DEVICE constexpr uint64_t random_scales(uint64_t random) {
  constexpr uint64_t kSevenBytes = (uint64_t{1} << 56) - 1;
  return ((119 * kEveryByte) + (random & (3 * kEveryByte))) & kSevenBytes;
}

// A bijection of [0, size): a four-round Feistel network on the next even number of bits, walked until it lands inside.
SMREPLAY_HOST_DEVICE constexpr uint32_t permute(uint64_t seed, uint32_t position, uint32_t size) {
  uint32_t half = 1;
  while (half < 16 && (uint64_t{1} << (2 * half)) < size) ++half;
  const uint32_t mask = (1u << half) - 1;
  uint32_t x = position;
  do {
    uint32_t left = x >> half, right = x & mask;
    for (uint32_t round = 0; round < 4; ++round) {
      const uint32_t next = left ^ (static_cast<uint32_t>(random_word(seed + round, right)) & mask);
      left = right;
      right = next;
    }
    x = (left << half) | right;
  } while (x >= size);
  return x;
}

// No two entries of the whole buffer name the same token as long as there are no more entries than tokens.
SMREPLAY_HOST_DEVICE constexpr uint32_t index_entry(const FillSpec& spec, uint64_t element) {
  constexpr uint32_t kInvalid = 0xFFFFFFFFu;
  if (spec.row_length == 0 || spec.tokens == 0) return kInvalid;
  if (element % spec.row_length >= spec.valid) return kInvalid;
  const auto dice = static_cast<uint32_t>(random_word(spec.seed ^ kGolden, element));
  if (bounded(dice, 1000) < spec.masked_per_mille) return kInvalid;
  return permute(spec.seed, static_cast<uint32_t>(element % spec.tokens), spec.tokens);
}

SMREPLAY_HOST_DEVICE constexpr uint64_t kv_word(const FillSpec& spec, uint64_t word) {
  if (spec.page_size == 0) return kPoisonWord;
  const uint64_t offset = word * 8;
  const uint64_t in_page = offset % KvLayout::page_bytes(spec.page_size);
  const uint64_t footer = uint64_t{spec.page_size} * KvLayout::kDataBytes;
  const uint64_t random = random_word(spec.seed, word);
  if (in_page < footer) {
    return in_page % KvLayout::kDataBytes < KvLayout::kNopeBytes ? random_e4m3x8(random) : random_bf16x4(random, 0);
  }
  const bool is_scale = in_page < footer + uint64_t{spec.page_size} * KvLayout::kScaleBytes;
  return is_scale ? random_scales(random) : kPoisonWord;
}

SMREPLAY_HOST_DEVICE constexpr uint64_t pair(uint32_t low, uint32_t high) { return (uint64_t{high} << 32) | low; }

}  // namespace fill_detail

// Word `word` (bytes [8 word, 8 word + 8)) of a buffer with these contents.
SMREPLAY_HOST_DEVICE constexpr uint64_t fill_word(const FillSpec& spec, uint64_t word) {
  using namespace fill_detail;
  switch (spec.kind) {
    case FillKind::Poison:
      return kPoisonWord;
    case FillKind::Zero:
      return 0;
    case FillKind::Byte:
      return (spec.value & 0xFFu) * kEveryByte;
    case FillKind::ConstantU32:
      return pair(spec.value, spec.value);
    case FillKind::RandomU32: {
      const uint64_t random = random_word(spec.seed, word);
      return pair(bounded(static_cast<uint32_t>(random), spec.value),
                  bounded(static_cast<uint32_t>(random >> 32), spec.value));
    }
    case FillKind::RandomBf16:
      return random_bf16x4(random_word(spec.seed, word), spec.max_exponent);
    case FillKind::RandomF32:
      return random_f32x2(random_word(spec.seed, word), spec.max_exponent);
    case FillKind::KvPages:
      return kv_word(spec, word);
    case FillKind::Indices:
      return pair(index_entry(spec, 2 * word), index_entry(spec, 2 * word + 1));
  }
  return kPoisonWord;
}

SMREPLAY_HOST_DEVICE constexpr uint8_t fill_byte(const FillSpec& spec, uint64_t byte) {
  return static_cast<uint8_t>(fill_word(spec, byte / 8) >> (8 * (byte % 8)));
}

// Writes bytes [offset, offset + bytes) of the buffer to `out`.
SMREPLAY_HOST_DEVICE constexpr void fill_range(const FillSpec& spec, uint64_t offset, uint64_t bytes, uint8_t* out) {
  const uint64_t end = offset + bytes;
  while (offset < end) {
    const uint64_t word = fill_word(spec, offset / 8);
    do {
      *out++ = static_cast<uint8_t>(word >> (8 * (offset % 8)));
      ++offset;
    } while (offset < end && offset % 8 != 0);
  }
}

}  // namespace smreplay::kernels
