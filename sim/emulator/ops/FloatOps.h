// Translators of floating-point and conversion instructions.
#pragma once

#include "sim/emulator/FloatFormats.h"
#include "sim/emulator/RoundingScope.h"
#include "sim/emulator/ops/LaneOps.h"

namespace smreplay::emulator {

bool translate_fadd(MicroOpBuilder& b);
bool translate_fmul(MicroOpBuilder& b);
bool translate_ffma(MicroOpBuilder& b);
bool translate_fmnmx(MicroOpBuilder& b);
bool translate_fmnmx3(MicroOpBuilder& b);
bool translate_fset(MicroOpBuilder& b);
bool translate_fsetp(MicroOpBuilder& b);
bool translate_fchk(MicroOpBuilder& b);
bool translate_mufu(MicroOpBuilder& b);
bool translate_dadd(MicroOpBuilder& b);
bool translate_dmul(MicroOpBuilder& b);
bool translate_dfma(MicroOpBuilder& b);
bool translate_dsetp(MicroOpBuilder& b);

bool translate_hadd2(MicroOpBuilder& b);
bool translate_hmul2(MicroOpBuilder& b);
bool translate_hfma2(MicroOpBuilder& b);
bool translate_hmnmx2(MicroOpBuilder& b);
bool translate_hset2(MicroOpBuilder& b);
bool translate_hsetp2(MicroOpBuilder& b);

bool translate_f2f(MicroOpBuilder& b);
bool translate_f2fp(MicroOpBuilder& b);
bool translate_f2i(MicroOpBuilder& b);
bool translate_i2f(MicroOpBuilder& b);  // I2F, I2FP
bool translate_frnd(MicroOpBuilder& b);

// The rounding mode that the modifiers name, nearest without one.
inline Rounding rounding_of(const MicroOpBuilder& b) {
  using isa::Modifier;
  if (b.has(Modifier::kRZ) || b.has(Modifier::kTRUNC)) return Rounding::kZero;
  if (b.has(Modifier::kRM) || b.has(Modifier::kFLOOR)) return Rounding::kDown;
  if (b.has(Modifier::kRP) || b.has(Modifier::kCEIL)) return Rounding::kUp;
  return Rounding::kNearest;
}

// The comparisons of FSETP, DSETP, HSETP2, in the order of their encoding.
enum class FloatCompare : uint8_t {
  kFalse,
  kLt,
  kEq,
  kLe,
  kGt,
  kNe,
  kGe,
  kNum,
  kNan,
  kLtu,
  kEqu,
  kLeu,
  kGtu,
  kNeu,
  kGeu,
  kTrue,
};

inline bool float_compare_of(const MicroOpBuilder& b, FloatCompare& compare) {
  using isa::Modifier;
  static constexpr std::pair<Modifier, FloatCompare> kNames[] = {
      {Modifier::kLT, FloatCompare::kLt},   {Modifier::kEQ, FloatCompare::kEq},   {Modifier::kLE, FloatCompare::kLe},
      {Modifier::kGT, FloatCompare::kGt},   {Modifier::kNE, FloatCompare::kNe},   {Modifier::kGE, FloatCompare::kGe},
      {Modifier::kNUM, FloatCompare::kNum}, {Modifier::kNAN, FloatCompare::kNan}, {Modifier::kLTU, FloatCompare::kLtu},
      {Modifier::kEQU, FloatCompare::kEqu}, {Modifier::kLEU, FloatCompare::kLeu}, {Modifier::kGTU, FloatCompare::kGtu},
      {Modifier::kNEU, FloatCompare::kNeu}, {Modifier::kGEU, FloatCompare::kGeu}, {Modifier::kT, FloatCompare::kTrue},
      {Modifier::kF, FloatCompare::kFalse}};
  for (const auto& [modifier, value] : kNames) {
    if (!b.has(modifier)) continue;
    compare = value;
    return true;
  }
  return false;
}

// Lanes for which a `compare` b, from the three basic relations.
template <class Less, class Equal, class Unordered>
Mask compare_lanes(FloatCompare compare, Less less, Equal equal, Unordered unordered) {
  const Mask u = collect_lanes(unordered);
  if (compare == FloatCompare::kNan) return u;
  if (compare == FloatCompare::kNum) return ~u;
  const Mask lt = collect_lanes(less);
  const Mask eq = collect_lanes(equal);
  const Mask gt = ~(lt | eq | u);
  switch (compare) {
    case FloatCompare::kFalse:
      return 0;
    case FloatCompare::kLt:
      return lt;
    case FloatCompare::kEq:
      return eq;
    case FloatCompare::kLe:
      return lt | eq;
    case FloatCompare::kGt:
      return gt;
    case FloatCompare::kNe:
      return lt | gt;
    case FloatCompare::kGe:
      return gt | eq;
    case FloatCompare::kLtu:
      return lt | u;
    case FloatCompare::kEqu:
      return eq | u;
    case FloatCompare::kLeu:
      return lt | eq | u;
    case FloatCompare::kGtu:
      return gt | u;
    case FloatCompare::kNeu:
      return ~eq;
    case FloatCompare::kGeu:
      return gt | eq | u;
    default:
      return kAllLanes;
  }
}

}  // namespace smreplay::emulator
