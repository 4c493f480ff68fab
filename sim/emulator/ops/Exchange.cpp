// Exchange between lanes: SHFL, VOTE, MATCH, REDUX, ELECT and uniform twins.
#include "sim/emulator/ops/DataOps.h"

namespace smreplay::emulator {
namespace {

using isa::Modifier;

enum class ShuffleMode : uint32_t { kIdx, kUp, kDown, kButterfly };

// src[0] value, src[1] lane operand, src[2]: clamp in bits 0..4, segment mask in bits 8..12 [PTX shfl.sync]. A lane
// whose source is out of range keeps its own value. The value of an inactive lane is what its register holds.
template <ShuffleMode Mode>
void shfl(Warp& w, const MicroOp& op, Mask mask) {
  Row s[3], result, in_range;
  const uint32_t* a = w.read(op.src[0], s[0]);
  const uint32_t* b = w.read(op.src[1], s[1]);
  const uint32_t* c = w.read(op.src[2], s[2]);
  for (uint32_t l = 0; l < kLanes; ++l) {
    const uint32_t lane = b[l] & 31U;
    const uint32_t clamp = c[l] & 31U, segment = (c[l] >> 8U) & 31U;
    const uint32_t lowest = l & segment;
    const uint32_t limit = lowest | (clamp & ~segment);
    uint32_t source = 0;
    bool good = false;
    if constexpr (Mode == ShuffleMode::kUp) {
      good = static_cast<int32_t>(l - lane) >= static_cast<int32_t>(limit);
      source = l - lane;
    } else {
      if constexpr (Mode == ShuffleMode::kIdx) source = lowest | (lane & ~segment);
      if constexpr (Mode == ShuffleMode::kDown) source = l + lane;
      if constexpr (Mode == ShuffleMode::kButterfly) source = l ^ lane;
      good = source <= limit;
    }
    source = good ? source & 31U : l;
    in_range.lane[l] = good ? kAllLanes : 0;
    result.lane[l] = a[source];
  }
  blend(w.row(op.dst), result.lane, mask);
  w.write_predicate(op.predicate_out[0], sign_bits(in_range.lane), mask);
}

enum class VoteMode : uint32_t { kAll, kAny, kEqual };

// VOTE: lanes of `mask`; VOTEU writes uniform registers, so all their lanes.
void vote(Warp& w, const MicroOp& op, Mask mask) {
  if (mask == 0) return;
  const Mask ballot = w.read(op.predicate[0]) & mask;
  bool result = false;
  switch (static_cast<VoteMode>(op.imm)) {
    case VoteMode::kAll:
      result = ballot == mask;
      break;
    case VoteMode::kAny:
      result = ballot != 0;
      break;
    case VoteMode::kEqual:
      result = ballot == mask || ballot == 0;
      break;
  }
  const Mask written = op.imm2 != 0 ? kAllLanes : mask;
  store_lanes(w.row(op.dst), written, [=](int) { return ballot; });
  w.write_predicate(op.predicate_out[0], result ? kAllLanes : 0, written);
}

template <bool Wide>
void match_any(Warp& w, const MicroOp& op, Mask mask) {
  Row s[2], result;
  const uint32_t* a = w.read(op.src[0], s[0]);
  const uint32_t* ah = Wide ? w.read(op.src[1], s[1]) : a;
  for (Mask todo = mask; todo != 0; todo &= todo - 1) {
    const int l = first_lane(todo);
    result.lane[l] = collect_lanes([=](int k) { return a[k] == a[l] && ah[k] == ah[l]; }) & mask;
  }
  blend(w.row(op.dst), result.lane, mask);
}

template <bool Wide>
void match_all(Warp& w, const MicroOp& op, Mask mask) {
  if (mask == 0) return;
  Row s[2];
  const uint32_t* a = w.read(op.src[0], s[0]);
  const uint32_t* ah = Wide ? w.read(op.src[1], s[1]) : a;
  const int first = first_lane(mask);
  const Mask equal = collect_lanes([=](int k) { return a[k] == a[first] && ah[k] == ah[first]; }) & mask;
  const uint32_t value = equal == mask ? mask : 0;
  store_lanes(w.row(op.dst), mask, [=](int) { return value; });
  w.write_predicate(op.predicate_out[0], equal == mask ? kAllLanes : 0, mask);
}

enum class Reduction : uint32_t { kAnd, kOr, kXor, kSum, kMin, kMax };

template <bool Signed>
void redux(Warp& w, const MicroOp& op, Mask mask) {
  if (mask == 0) return;
  Row s;
  const uint32_t* a = w.read(op.src[0], s);
  uint32_t value = a[first_lane(mask)];
  const auto less = [](uint32_t x, uint32_t y) { return Signed ? as_signed(x) < as_signed(y) : x < y; };
  for (Mask todo = mask & (mask - 1); todo != 0; todo &= todo - 1) {
    const uint32_t x = a[first_lane(todo)];
    switch (static_cast<Reduction>(op.imm)) {
      case Reduction::kAnd:
        value &= x;
        break;
      case Reduction::kOr:
        value |= x;
        break;
      case Reduction::kXor:
        value ^= x;
        break;
      case Reduction::kSum:
        value += x;
        break;
      case Reduction::kMin:
        value = less(x, value) ? x : value;
        break;
      case Reduction::kMax:
        value = less(value, x) ? x : value;
        break;
    }
  }
  broadcast(w.row(op.dst), value);
}

// One lane of the active ones, the lowest [inferred], and its number.
void elect(Warp& w, const MicroOp& op, Mask mask) {
  if (mask == 0) return;
  const int leader = first_lane(mask);
  w.write_predicate(op.predicate_out[0], Mask{1} << leader, mask);
  broadcast(w.row(op.dst), static_cast<uint32_t>(leader));
}

}  // namespace

bool translate_shfl(MicroOpBuilder& b) {
  if (!b.optional_dst_predicate(0) || !b.dst() || !b.src(0) || !b.src(1) || !b.src(2) || b.more()) return false;
  if (b.has(Modifier::kIDX)) return b.run(shfl<ShuffleMode::kIdx>);
  if (b.has(Modifier::kUP)) return b.run(shfl<ShuffleMode::kUp>);
  if (b.has(Modifier::kDOWN)) return b.run(shfl<ShuffleMode::kDown>);
  return b.has(Modifier::kBFLY) && b.run(shfl<ShuffleMode::kButterfly>);
}

bool translate_vote(MicroOpBuilder& b) {
  if (b.next_is_register() && !b.dst()) return false;
  if (!b.dst_predicate(0) || !b.predicate(0) || b.more()) return false;
  b.op.imm2 = b.op.uniform ? 1 : 0;
  b.op.uniform = false;  // it looks at the lanes that are active
  b.op.imm = static_cast<uint32_t>(b.has(Modifier::kALL)   ? VoteMode::kAll
                                   : b.has(Modifier::kANY) ? VoteMode::kAny
                                                           : VoteMode::kEqual);
  return b.run(vote);
}

bool translate_match(MicroOpBuilder& b) {
  if (!b.optional_dst_predicate(0) || !b.dst()) return false;
  const bool wide = b.has(Modifier::kU64);
  if (wide ? !b.src64(0) : !b.src(0)) return false;
  if (b.more()) return false;
  if (b.has(Modifier::kANY)) return b.run(wide ? match_any<true> : match_any<false>);
  return b.has(Modifier::kALL) && b.run(wide ? match_all<true> : match_all<false>);
}

bool translate_redux(MicroOpBuilder& b) {
  if (!b.dst() || !b.src(0) || b.more()) return false;
  b.op.uniform = false;
  static constexpr std::pair<Modifier, Reduction> kNames[] = {
      {Modifier::kAND, Reduction::kAnd}, {Modifier::kOR, Reduction::kOr},   {Modifier::kXOR, Reduction::kXor},
      {Modifier::kSUM, Reduction::kSum}, {Modifier::kMIN, Reduction::kMin}, {Modifier::kMAX, Reduction::kMax}};
  for (const auto& [modifier, reduction] : kNames) {
    if (!b.has(modifier)) continue;
    b.op.imm = static_cast<uint32_t>(reduction);
    return b.run(b.has(Modifier::kS32) ? redux<true> : redux<false>);
  }
  return false;
}

bool translate_elect(MicroOpBuilder& b) {
  if (!b.dst_predicate(0) || !b.dst() || !b.predicate(0) || b.more()) return false;
  b.op.uniform = false;
  return b.run(elect);
}

}  // namespace smreplay::emulator
