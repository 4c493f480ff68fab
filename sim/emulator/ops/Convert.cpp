// Conversions: F2F, F2FP, F2I, I2F, I2FP, FRND and their uniform twins.
//
// The types stand in the text as destination, then source; what is left out is F32 (floats) or S32 (integers). Float to
// integer clamps; NaN gives zero with .NTZ and the most negative value (unsigned: largest) without [PTX cvt, inferred].
#include <cmath>
#include <limits>

#include "sim/emulator/ops/FloatOps.h"

namespace smreplay::emulator {
namespace {

using isa::Modifier;

enum class FloatType : uint8_t { kF16, kBf16, kF32, kF64, kE4M3, kE5M2 };
enum class IntegerType : uint8_t { kU8, kS8, kU16, kS16, kU32, kS32, kU64, kS64 };

bool float_type(Modifier m, FloatType& type) {
  switch (m) {
    case Modifier::kF16:
      type = FloatType::kF16;
      return true;
    case Modifier::kBF16:
      type = FloatType::kBf16;
      return true;
    case Modifier::kF32:
      type = FloatType::kF32;
      return true;
    case Modifier::kF64:
      type = FloatType::kF64;
      return true;
    case Modifier::kE4M3:
      type = FloatType::kE4M3;
      return true;
    case Modifier::kE5M2:
      type = FloatType::kE5M2;
      return true;
    default:
      return false;
  }
}

bool integer_type(Modifier m, IntegerType& type) {
  switch (m) {
    case Modifier::kU8:
      type = IntegerType::kU8;
      return true;
    case Modifier::kS8:
      type = IntegerType::kS8;
      return true;
    case Modifier::kU16:
      type = IntegerType::kU16;
      return true;
    case Modifier::kS16:
      type = IntegerType::kS16;
      return true;
    case Modifier::kU32:
      type = IntegerType::kU32;
      return true;
    case Modifier::kS32:
      type = IntegerType::kS32;
      return true;
    case Modifier::kU64:
      type = IntegerType::kU64;
      return true;
    case Modifier::kS64:
      type = IntegerType::kS64;
      return true;
    default:
      return false;
  }
}

// The float types named, in order; at most two.
int float_types(const MicroOpBuilder& b, FloatType (&types)[2]) {
  int n = 0;
  for (const Modifier m : b.instruction.modifiers.list()) {
    FloatType t;
    if (!float_type(m, t)) continue;
    if (n == 2) return -1;
    types[n++] = t;
  }
  return n;
}

bool is_wide(IntegerType t) { return t == IntegerType::kU64 || t == IntegerType::kS64; }

// What a conversion handler needs, packed in MicroOp::imm2: types, rounding, flags.
struct Plan {
  uint8_t to = 0, from = 0;
  Rounding rounding = Rounding::kNearest;
  uint8_t flags = 0;
  uint32_t pack() const {
    return to | uint32_t{from} << 8U | static_cast<uint32_t>(rounding) << 16U | uint32_t{flags} << 24U;
  }
  static Plan of(const MicroOp& op) {
    return {static_cast<uint8_t>(op.imm2), static_cast<uint8_t>(op.imm2 >> 8U),
            static_cast<Rounding>((op.imm2 >> 16U) & 3U), static_cast<uint8_t>(op.imm2 >> 24U)};
  }
};
enum PlanFlags : uint8_t { kFtz = 1, kSat = 2, kNanToZero = 4, kRelu = 8, kUpperBytes = 16 };

// `shift` selects a half of the word.
double load_float(FloatType type, const uint32_t* low, const uint32_t* high, int l, bool ftz, uint32_t shift) {
  switch (type) {
    case FloatType::kF16:
      return static_cast<double>(half_to_float(static_cast<uint16_t>(low[l] >> shift)));
    case FloatType::kBf16:
      return static_cast<double>(bf16_to_float(static_cast<uint16_t>(low[l] >> shift)));
    case FloatType::kF64:
      return as_double(pair(low, high, l));
    default:
      return static_cast<double>(as_float(ftz ? flush(low[l]) : low[l]));
  }
}

// A double rounded to fp32 in a given mode, without relying on the host's mode.
uint32_t to_single(double v, Rounding rounding) {
  if (std::isnan(v)) return kNan32;
  const float nearest = static_cast<float>(v);
  const auto back = static_cast<double>(nearest);
  if (rounding == Rounding::kNearest || back == v) return bits_of(nearest);
  const float up = back > v ? nearest : std::nextafter(nearest, std::numeric_limits<float>::infinity());
  const float down = back < v ? nearest : std::nextafter(nearest, -std::numeric_limits<float>::infinity());
  if (rounding == Rounding::kUp) return bits_of(up);
  if (rounding == Rounding::kDown) return bits_of(down);
  return bits_of(v > 0 ? down : up);
}

double round_to_integer(double v, Rounding rounding) {
  switch (rounding) {
    case Rounding::kNearest:
      return std::nearbyint(v);
    case Rounding::kDown:
      return std::floor(v);
    case Rounding::kUp:
      return std::ceil(v);
    case Rounding::kZero:
      return std::trunc(v);
  }
  return v;
}

uint64_t to_integer(double v, IntegerType type, bool nan_to_zero) {
  const auto clamp = [&](double low, double high, uint64_t lowest, uint64_t highest) -> uint64_t {
    if (v <= low) return lowest;
    if (v >= high) return highest;
    return v < 0 ? static_cast<uint64_t>(static_cast<int64_t>(v)) : static_cast<uint64_t>(v);
  };
  constexpr uint64_t kMin32 = 0x80000000ULL, kMin64 = 0x8000000000000000ULL;
  if (std::isnan(v)) {
    if (nan_to_zero) return 0;
    return is_wide(type) ? kMin64 : kMin32;
  }
  switch (type) {
    case IntegerType::kU8:
      return clamp(0, 255, 0, 255);
    case IntegerType::kS8:
      return clamp(-128, 127, static_cast<uint64_t>(int64_t{-128}), 127);
    case IntegerType::kU16:
      return clamp(0, 65535, 0, 65535);
    case IntegerType::kS16:
      return clamp(-32768, 32767, static_cast<uint64_t>(int64_t{-32768}), 32767);
    case IntegerType::kU32:
      return clamp(0, 4294967295.0, 0, 0xffffffffULL);
    case IntegerType::kS32:
      return clamp(-2147483648.0, 2147483647.0, kMin32, 0x7fffffffULL);
    case IntegerType::kU64:
      return clamp(0, 18446744073709551616.0, 0, UINT64_MAX);
    case IntegerType::kS64:
      return clamp(-9223372036854775808.0, 9223372036854775808.0, kMin64, INT64_MAX);
  }
  return 0;
}

void f2i(Warp& w, const MicroOp& op, Mask mask) {
  const Plan plan = Plan::of(op);
  const auto to = static_cast<IntegerType>(plan.to);
  const auto from = static_cast<FloatType>(plan.from);
  Row s[2], low, high;
  const uint32_t* a = w.read(op.src[0], s[0]);
  const uint32_t* ah = w.read(op.src[1], s[1]);
  for (int l = 0; l < kLanes; ++l) {
    const double v = load_float(from, a, ah, l, (plan.flags & kFtz) != 0, op.imm);
    const uint64_t r = to_integer(round_to_integer(v, plan.rounding), to, (plan.flags & kNanToZero) != 0);
    low.lane[l] = static_cast<uint32_t>(r);
    high.lane[l] = static_cast<uint32_t>(r >> 32U);
  }
  uint32_t* d = w.row(op.dst);
  blend(d, low.lane, mask);
  if (is_wide(to)) blend(d + kRowWords, high.lane, mask);
}

// 64-bit integer to fp32 in a rounding mode: through a double only where that is exact.
uint32_t integer_to_single(bool negative, uint64_t magnitude, Rounding rounding) {
  constexpr int kSingleBits = 24;
  if (magnitude == 0) return 0;
  const int shift = 64 - std::countl_zero(magnitude) - kSingleBits;
  uint64_t kept = magnitude;
  if (shift > 0) {
    kept = magnitude >> shift;
    const uint64_t rest = magnitude & ((uint64_t{1} << shift) - 1);
    const uint64_t half = uint64_t{1} << (shift - 1);
    bool up = false;
    switch (rounding) {
      case Rounding::kNearest:
        up = rest > half || (rest == half && (kept & 1U) != 0);
        break;
      case Rounding::kUp:
        up = rest != 0 && !negative;
        break;
      case Rounding::kDown:
        up = rest != 0 && negative;
        break;
      case Rounding::kZero:
        break;
    }
    kept += up ? 1 : 0;
  }
  const float value = std::ldexp(static_cast<float>(kept), shift > 0 ? shift : 0);
  return bits_of(negative ? -value : value);
}

void i2f(Warp& w, const MicroOp& op, Mask mask) {
  const Plan plan = Plan::of(op);
  const auto to = static_cast<FloatType>(plan.to);
  const auto from = static_cast<IntegerType>(plan.from);
  const uint32_t shift = op.imm;  // byte selection of narrow sources
  Row s[2], low, high;
  const uint32_t* a = w.read(op.src[0], s[0]);
  const uint32_t* ah = w.read(op.src[1], s[1]);
  for (int l = 0; l < kLanes; ++l) {
    const uint32_t x = a[l] >> shift;
    int64_t value = 0;
    uint64_t magnitude = 0;
    switch (from) {
      case IntegerType::kU8:
        value = static_cast<uint8_t>(x);
        break;
      case IntegerType::kS8:
        value = static_cast<int32_t>(x << 24U) >> 24;
        break;
      case IntegerType::kU16:
        value = static_cast<uint16_t>(x);
        break;
      case IntegerType::kS16:
        value = static_cast<int16_t>(x);
        break;
      case IntegerType::kU32:
        value = x;
        break;
      case IntegerType::kS32:
        value = as_signed(x);
        break;
      case IntegerType::kS64:
      case IntegerType::kU64:
        value = as_signed(pair(a, ah, l));
        break;
    }
    const bool negative = from != IntegerType::kU64 && value < 0;
    magnitude = negative ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
    if (to == FloatType::kF64) {
      const double d = negative ? -static_cast<double>(magnitude) : static_cast<double>(magnitude);
      low.lane[l] = static_cast<uint32_t>(bits_of(d));
      high.lane[l] = static_cast<uint32_t>(bits_of(d) >> 32U);
    } else {
      const uint32_t single = integer_to_single(negative, magnitude, plan.rounding);
      low.lane[l] = to == FloatType::kF16    ? float_to_half(single)
                    : to == FloatType::kBf16 ? float_to_bf16(single)
                                             : single;
    }
  }
  uint32_t* d = w.row(op.dst);
  blend(d, low.lane, mask);
  if (to == FloatType::kF64) blend(d + kRowWords, high.lane, mask);
}

void i2f_s32(Warp& w, const MicroOp& op, Mask mask) {
  map1(w, op, mask, [](uint32_t x) { return bits_of(static_cast<float>(as_signed(x))); });
}

void f2f(Warp& w, const MicroOp& op, Mask mask) {
  const Plan plan = Plan::of(op);
  const auto to = static_cast<FloatType>(plan.to);
  const auto from = static_cast<FloatType>(plan.from);
  Row s[2], low, high;
  const uint32_t* a = w.read(op.src[0], s[0]);
  const uint32_t* ah = w.read(op.src[1], s[1]);
  for (int l = 0; l < kLanes; ++l) {
    const double v = load_float(from, a, ah, l, (plan.flags & kFtz) != 0, op.imm);
    if (to == FloatType::kF64) {
      constexpr uint64_t kNan64 = 0xfff8000000000000ULL;
      const uint64_t r = std::isnan(v) ? kNan64 : bits_of(v);
      low.lane[l] = static_cast<uint32_t>(r);
      high.lane[l] = static_cast<uint32_t>(r >> 32U);
      continue;
    }
    uint32_t r = to_single(v, to == FloatType::kF32 ? plan.rounding : Rounding::kNearest);
    const bool zero = plan.rounding == Rounding::kZero;
    if (to == FloatType::kF16)
      r = zero ? float_to_half_zero(r) : float_to_half(r);
    else if (to == FloatType::kBf16)
      r = zero ? float_to_bf16_zero(r) : float_to_bf16(r);
    else if ((plan.flags & kFtz) != 0)
      r = flush(r);
    low.lane[l] = r;
  }
  uint32_t* d = w.row(op.dst);
  blend(d, low.lane, mask);
  if (to == FloatType::kF64) blend(d + kRowWords, high.lane, mask);
}

void frnd(Warp& w, const MicroOp& op, Mask mask) {
  const Plan plan = Plan::of(op);
  const bool ftz = (plan.flags & kFtz) != 0;
  const Rounding rounding = plan.rounding;
  map1(w, op, mask, [=](uint32_t x) {
    const double v = static_cast<double>(as_float(ftz ? flush(x) : x));
    return canonical(bits_of(static_cast<float>(round_to_integer(v, rounding))));
  });
}

void frnd64(Warp& w, const MicroOp& op, Mask mask) {
  const Plan plan = Plan::of(op);
  Row s[2];
  const uint32_t* a = w.read(op.src[0], s[0]);
  const uint32_t* ah = w.read(op.src[1], s[1]);
  uint32_t* d = w.row(op.dst);
  store_lanes64(d, d + kRowWords, mask,
                [=](int l) { return bits_of(round_to_integer(as_double(pair(a, ah, l)), plan.rounding)); });
}

// F2FP.BF16.F32.PACK_AB: the first source goes to the upper half.
void pack_bf16(Warp& w, const MicroOp& op, Mask mask) {
  map2(w, op, mask, [](uint32_t a, uint32_t b) { return float_to_bf16(a) << 16U | float_to_bf16(b); });
}

void pack_f16(Warp& w, const MicroOp& op, Mask mask) {
  map2(w, op, mask, [](uint32_t a, uint32_t b) {
    return static_cast<uint32_t>(float_to_half(a)) << 16U | static_cast<uint32_t>(float_to_half(b));
  });
}

void pack_16_general(Warp& w, const MicroOp& op, Mask mask) {
  const Plan plan = Plan::of(op);
  const bool bf16 = static_cast<FloatType>(plan.to) == FloatType::kBf16;
  const bool relu = (plan.flags & kRelu) != 0;
  const bool zero = plan.rounding == Rounding::kZero;
  const bool finite = (plan.flags & kSat) != 0;
  map2(w, op, mask, [=](uint32_t a, uint32_t b) {
    const auto one = [=](uint32_t x) -> uint32_t {
      if (relu && !is_nan_bits(x) && as_signed(x) < 0) x = 0;
      uint32_t r = bf16 ? (zero ? float_to_bf16_zero(x) : float_to_bf16(x))
                        : static_cast<uint32_t>(zero ? float_to_half_zero(x) : float_to_half(x));
      const uint32_t infinity = bf16 ? 0x7f80U : 0x7c00U;
      if (finite && (r & 0x7fffU) == infinity) --r;
      return r;
    };
    return one(a) << 16U | one(b);
  });
}

// To fp8, always saturating; the other half comes from the third source.
template <bool E5>
void pack_fp8(Warp& w, const MicroOp& op, Mask mask) {
  map3(w, op, mask, [](uint32_t a, uint32_t b, uint32_t c) {
    constexpr Fp8Format kFormat = E5 ? kE5M2 : kE4M3;
    return (c & 0xffffU) << 16U | static_cast<uint32_t>(float_to_fp8(as_float(a), kFormat)) << 8U |
           float_to_fp8(as_float(b), kFormat);
  });
}

// Two fp8 values to two halves, exact: by table.
struct UnpackTable {
  uint16_t half[256];
  uint16_t bf16[256];
  explicit UnpackTable(const Fp8Format& f) {
    for (int i = 0; i < 256; ++i) {
      const uint32_t x = bits_of(fp8_to_float(static_cast<uint8_t>(i), f));
      half[i] = float_to_half(x);
      bf16[i] = static_cast<uint16_t>(float_to_bf16(x));
    }
  }
};
const UnpackTable& unpack_table(bool e5m2) {
  static const UnpackTable kTables[2] = {UnpackTable(kE4M3), UnpackTable(kE5M2)};
  return kTables[e5m2 ? 1 : 0];
}

void unpack_fp8(Warp& w, const MicroOp& op, Mask mask) {
  const Plan plan = Plan::of(op);
  const UnpackTable& t = unpack_table(static_cast<FloatType>(plan.from) == FloatType::kE5M2);
  const uint16_t* table = static_cast<FloatType>(plan.to) == FloatType::kBf16 ? t.bf16 : t.half;
  const uint32_t shift = op.imm;
  Row s;
  const uint32_t* a = w.read(op.src[0], s);
  store_lanes(w.row(op.dst), mask, [=](int l) {
    const uint32_t x = a[l] >> shift;
    return table[x & 255U] | static_cast<uint32_t>(table[(x >> 8U) & 255U]) << 16U;
  });
}

// e4m3 to fp16 without a table: the magnitude's seven bits, shifted to the half's exponent, are the value times 2^-8
// (subnormals included); NaN (all seven set) apart.
void unpack_e4m3_half(Warp& w, const MicroOp& op, Mask mask) {
  const uint32_t shift = op.imm;
  Row s;
  const uint32_t* a = w.read(op.src[0], s);
  const __m256i low_byte = _mm256_set1_epi32(255);
  Row result;
  for (int i = 0; i < kLanes; i += 8) {
    const __m256i v = _mm256_srl_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(a + i)),
                                       _mm_cvtsi32_si128(static_cast<int>(shift)));
    const __m256i bytes = _mm256_or_si256(_mm256_and_si256(v, low_byte),
                                          _mm256_slli_epi32(_mm256_and_si256(_mm256_srli_epi32(v, 8), low_byte), 16));
    const __m256i magnitude = _mm256_and_si256(bytes, _mm256_set1_epi32(0x007f007f));
    const __m256i sign = _mm256_slli_epi32(_mm256_and_si256(bytes, _mm256_set1_epi32(0x00800080)), 8);
    const __m256i scaled = _mm256_slli_epi16(magnitude, 7);
    // Times 2^8 in fp32, where nothing is lost, and back.
    const auto times = [](__m128i h) {
      return _mm256_cvtps_ph(_mm256_mul_ps(_mm256_cvtph_ps(h), _mm256_set1_ps(256.0F)), _MM_FROUND_TO_NEAREST_INT);
    };
    const __m128i lo = times(_mm256_castsi256_si128(scaled));
    const __m128i hi = times(_mm256_extracti128_si256(scaled, 1));
    __m256i r = _mm256_or_si256(_mm256_set_m128i(hi, lo), sign);
    const __m256i nan = _mm256_cmpeq_epi16(magnitude, _mm256_set1_epi32(0x007f007f));
    r = _mm256_blendv_epi8(r, _mm256_set1_epi16(kNan16), nan);
    _mm256_store_si256(reinterpret_cast<__m256i*>(result.lane + i), r);
  }
  blend(w.row(op.dst), result.lane, mask);
}

bool select_shift(const isa::Operand& o, uint32_t& shift) {
  switch (o.select) {
    case isa::Select::kWhole:
    case isa::Select::kB0:
    case isa::Select::kH0H0:
    case isa::Select::kH0:
      shift = 0;
      return true;
    case isa::Select::kB1:
      shift = 8;
      return true;
    case isa::Select::kB2:
    case isa::Select::kH1H1:
    case isa::Select::kH1:
      shift = 16;
      return true;
    case isa::Select::kB3:
      shift = 24;
      return true;
    default:
      return false;
  }
}

// A source with a byte or half selection, which goes to op.imm.
bool take_selected(MicroOpBuilder& b, int slot) {
  isa::Operand o = b.take();
  if (o.negate || o.absolute || !select_shift(o, b.op.imm)) return false;
  o.select = isa::Select::kWhole;
  return b.src_of(o, slot, Number::kInteger);
}

// A float source of any type in slot 0.
bool take_float(MicroOpBuilder& b, FloatType type) {
  if (type == FloatType::kF64) return b.src64(0, Number::kFloat);
  if (type == FloatType::kF32) return b.src(0, Number::kFloat);
  return take_selected(b, 0);
}

}  // namespace

bool translate_f2i(MicroOpBuilder& b) {
  Plan plan;
  auto to = IntegerType::kS32;
  auto from = FloatType::kF32;
  for (const Modifier m : b.instruction.modifiers.list()) {
    integer_type(m, to);
    float_type(m, from);
  }
  plan.to = static_cast<uint8_t>(to);
  plan.from = static_cast<uint8_t>(from);
  plan.rounding = rounding_of(b);
  plan.flags = static_cast<uint8_t>((b.has(Modifier::kFTZ) ? kFtz : 0) | (b.has(Modifier::kNTZ) ? kNanToZero : 0));
  b.op.imm2 = plan.pack();
  if (!b.dst()) return false;
  return take_float(b, from) && !b.more() && b.run(f2i);
}

bool translate_i2f(MicroOpBuilder& b) {
  Plan plan;
  auto to = FloatType::kF32;
  auto from = IntegerType::kS32;
  for (const Modifier m : b.instruction.modifiers.list()) {
    integer_type(m, from);
    float_type(m, to);
  }
  plan.to = static_cast<uint8_t>(to);
  plan.from = static_cast<uint8_t>(from);
  plan.rounding = rounding_of(b);
  b.op.imm2 = plan.pack();
  if (!b.dst()) return false;
  if (is_wide(from) ? !b.src64(0) : !take_selected(b, 0)) return false;
  if (b.more()) return false;
  if (to == FloatType::kF32 && from == IntegerType::kS32 && plan.rounding == Rounding::kNearest && b.op.imm == 0) {
    return b.run(i2f_s32);
  }
  return b.run(i2f);
}

bool translate_f2f(MicroOpBuilder& b) {
  FloatType types[2];
  if (float_types(b, types) != 2) return false;
  Plan plan;
  plan.to = static_cast<uint8_t>(types[0]);
  plan.from = static_cast<uint8_t>(types[1]);
  plan.rounding = rounding_of(b);
  plan.flags = b.has(Modifier::kFTZ) ? kFtz : 0;
  b.op.imm2 = plan.pack();
  if (!b.dst()) return false;
  return take_float(b, types[1]) && !b.more() && b.run(f2f);
}

bool translate_frnd(MicroOpBuilder& b) {
  Plan plan;
  plan.rounding = rounding_of(b);
  plan.flags = b.has(Modifier::kFTZ) ? kFtz : 0;
  b.op.imm2 = plan.pack();
  if (b.has(Modifier::kF16) || b.has(Modifier::kBF16)) return false;
  if (b.has(Modifier::kF64)) return b.dst() && b.src64(0, Number::kFloat) && !b.more() && b.run(frnd64);
  return b.dst() && b.src(0, Number::kFloat) && !b.more() && b.run(frnd);
}

bool translate_f2fp(MicroOpBuilder& b) {
  FloatType types[2];
  if (float_types(b, types) != 2) return false;
  Plan plan;
  plan.to = static_cast<uint8_t>(types[0]);
  plan.from = static_cast<uint8_t>(types[1]);
  plan.rounding = rounding_of(b);
  plan.flags = static_cast<uint8_t>((b.has(Modifier::kRELU) ? kRelu : 0) | (b.has(Modifier::kSATFINITE) ? kSat : 0));
  b.op.imm2 = plan.pack();
  if (!b.dst()) return false;
  const bool to_fp8 = types[0] == FloatType::kE4M3 || types[0] == FloatType::kE5M2;
  const bool from_fp8 = types[1] == FloatType::kE4M3 || types[1] == FloatType::kE5M2;
  if (b.has(Modifier::kUNPACK_B) && from_fp8 && !to_fp8) {
    if (!take_selected(b, 0) || b.more()) return false;
    const bool common = types[0] == FloatType::kF16 && types[1] == FloatType::kE4M3;
    return b.run(common ? unpack_e4m3_half : unpack_fp8);
  }
  if (types[1] != FloatType::kF32) return false;
  if (b.has(Modifier::kPACK_AB_MERGE_C) && to_fp8) {
    if (!b.src(0, Number::kFloat) || !b.src(1, Number::kFloat) || !b.src(2) || b.more()) return false;
    return !b.has(Modifier::kRELU) && b.run(types[0] == FloatType::kE5M2 ? pack_fp8<true> : pack_fp8<false>);
  }
  if (!b.has(Modifier::kPACK_AB) || to_fp8) return false;
  if (!b.src(0, Number::kFloat) || !b.src(1, Number::kFloat) || b.more()) return false;
  const bool simple = plan.flags == 0 && plan.rounding == Rounding::kNearest;
  if (!simple) return b.run(pack_16_general);
  return b.run(types[0] == FloatType::kBf16 ? pack_bf16 : pack_f16);
}

}  // namespace smreplay::emulator
