// Double precision: DADD, DMUL, DFMA, DSETP. IEEE 754 with a rounding mode; a NaN result is 0xfff8000000000000.
#include <cmath>

#include "sim/emulator/ops/FloatOps.h"

namespace smreplay::emulator {
namespace {

constexpr uint64_t kNan64 = 0xfff8000000000000ULL;

struct Operands {
  Row scratch[6];
  const uint32_t* p[6];
  Operands(Warp& w, const MicroOp& op, int count) {
    for (int i = 0; i < count; ++i) p[i] = w.read(op.src[i], scratch[i]);
  }
  double at(int operand, int l) const { return as_double(pair(p[2 * operand], p[2 * operand + 1], l)); }
};

template <int OperandCount, class F>
void arithmetic(Warp& w, const MicroOp& op, Mask mask, F f) {
  const Operands in(w, op, 2 * OperandCount);
  const RoundingScope scope(static_cast<Rounding>(op.imm2));
  uint32_t* d = w.row(op.dst);
  store_lanes64(d, d + kRowWords, mask, [&](int l) {
    const double v = f(in, l);
    return v != v ? kNan64 : bits_of(v);
  });
}

bool take(MicroOpBuilder& b, int operands) {
  if (!b.dst()) return false;
  for (int i = 0; i < operands; ++i) {
    if (!b.src64(2 * i, Number::kFloat)) return false;
  }
  b.op.imm2 = static_cast<uint32_t>(rounding_of(b));
  return !b.more();
}

void dsetp(Warp& w, const MicroOp& op, Mask mask) {
  const Operands in(w, op, 4);
  const Mask c = compare_lanes(
      static_cast<FloatCompare>(op.target), [&](int l) { return in.at(0, l) < in.at(1, l); },
      [&](int l) { return in.at(0, l) == in.at(1, l); },
      [&](int l) { return std::isnan(in.at(0, l)) || std::isnan(in.at(1, l)); });
  write_setp(w, op, mask, c);
}

}  // namespace

bool translate_dadd(MicroOpBuilder& b) {
  return take(b, 2) && b.run([](Warp& w, const MicroOp& op, Mask m) {
    arithmetic<2>(w, op, m, [](const Operands& in, int l) { return in.at(0, l) + in.at(1, l); });
  });
}

bool translate_dmul(MicroOpBuilder& b) {
  return take(b, 2) && b.run([](Warp& w, const MicroOp& op, Mask m) {
    arithmetic<2>(w, op, m, [](const Operands& in, int l) { return in.at(0, l) * in.at(1, l); });
  });
}

bool translate_dfma(MicroOpBuilder& b) {
  return take(b, 3) && b.run([](Warp& w, const MicroOp& op, Mask m) {
    arithmetic<3>(w, op, m, [](const Operands& in, int l) { return std::fma(in.at(0, l), in.at(1, l), in.at(2, l)); });
  });
}

bool translate_dsetp(MicroOpBuilder& b) {
  FloatCompare compare;
  if (!float_compare_of(b, compare)) return false;
  b.op.target = static_cast<uint32_t>(compare);
  b.op.imm2 = static_cast<uint32_t>(combine_of(b));
  return b.dst_predicate(0) && b.dst_predicate(1) && b.src64(0, Number::kFloat) && b.src64(2, Number::kFloat) &&
         b.predicate(0) && !b.more() && b.run(dsetp);
}

}  // namespace smreplay::emulator
