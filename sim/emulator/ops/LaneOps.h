// Lane-wise handlers from a function of scalars: map2(w, op, mask, f) stores f(a, b) for each lane.
#pragma once

#include <bit>
#include <cstdint>

#include "sim/emulator/MicroOp.h"
#include "sim/emulator/MicroOpBuilder.h"
#include "sim/emulator/Warp.h"

namespace smreplay::emulator {

template <class F>
[[gnu::always_inline]] inline void map1(Warp& w, const MicroOp& op, Mask mask, F f) {
  Row s0;
  const uint32_t* a = w.read(op.src[0], s0);
  store_lanes(w.row(op.dst), mask, [=](int l) { return f(a[l]); });
}

template <class F>
[[gnu::always_inline]] inline void map2(Warp& w, const MicroOp& op, Mask mask, F f) {
  Row s0, s1;
  const uint32_t* a = w.read(op.src[0], s0);
  const uint32_t* b = w.read(op.src[1], s1);
  store_lanes(w.row(op.dst), mask, [=](int l) { return f(a[l], b[l]); });
}

template <class F>
[[gnu::always_inline]] inline void map3(Warp& w, const MicroOp& op, Mask mask, F f) {
  Row s0, s1, s2;
  const uint32_t* a = w.read(op.src[0], s0);
  const uint32_t* b = w.read(op.src[1], s1);
  const uint32_t* c = w.read(op.src[2], s2);
  store_lanes(w.row(op.dst), mask, [=](int l) { return f(a[l], b[l], c[l]); });
}

inline float as_float(uint32_t bits) { return std::bit_cast<float>(bits); }
inline uint32_t bits_of(float value) { return std::bit_cast<uint32_t>(value); }
inline double as_double(uint64_t bits) { return std::bit_cast<double>(bits); }
inline uint64_t bits_of(double value) { return std::bit_cast<uint64_t>(value); }
inline int32_t as_signed(uint32_t x) { return static_cast<int32_t>(x); }
inline int64_t as_signed(uint64_t x) { return static_cast<int64_t>(x); }

// A predicate as one word per lane: 0 or 1.
inline void expand(Mask predicate, Row& row) {
  for (int l = 0; l < kLanes; ++l) row.lane[l] = (predicate >> l) & 1U;
}

// Writes p and its complement combined with an accumulator, as the SETP instructions do.
enum class Combine : uint8_t { kAnd, kOr, kXor };

inline Mask combine(Combine how, Mask a, Mask b) {
  switch (how) {
    case Combine::kAnd:
      return a & b;
    case Combine::kOr:
      return a | b;
    case Combine::kXor:
      return a ^ b;
  }
  return 0;
}

inline Combine combine_of(const MicroOpBuilder& b) {
  if (b.has(isa::Modifier::kOR)) return Combine::kOr;
  if (b.has(isa::Modifier::kXOR)) return Combine::kXor;
  return Combine::kAnd;
}

inline void write_setp(Warp& w, const MicroOp& op, Mask mask, Mask condition) {
  const auto how = static_cast<Combine>(op.imm2);
  const Mask accumulator = w.read(op.predicate[0]);
  w.write_predicate(op.predicate_out[0], combine(how, condition, accumulator), mask);
  w.write_predicate(op.predicate_out[1], combine(how, ~condition, accumulator), mask);
}

}  // namespace smreplay::emulator
