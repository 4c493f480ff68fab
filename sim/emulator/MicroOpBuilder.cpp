#include "sim/emulator/MicroOpBuilder.h"

#include <cstring>

namespace smreplay::emulator {

using isa::Operand;
using isa::OperandKind;

namespace {

constexpr uint32_t kFloatSign = 0x80000000U;
constexpr uint32_t kHalvesSign = 0x80008000U;

const Operand& no_operand() {
  static const Operand kNone;
  return kNone;
}

}  // namespace

ConstantPool::ConstantPool() : rows_(kZeroRows) {
  for (Row& r : rows_) broadcast(r.lane, 0);
}

uint32_t ConstantPool::rows(const std::vector<uint32_t>& values) {
  const auto [it, is_new] = known_.try_emplace(values, static_cast<uint32_t>(rows_.size()) * kRowWords);
  if (is_new) {
    for (const uint32_t v : values) broadcast(rows_.emplace_back().lane, v);
  }
  return it->second;
}

MicroOpBuilder::MicroOpBuilder(const isa::Instruction& i, ConstantPool& pool, const ConstantBanks& banks,
                               uint32_t sm_version)
    : instruction(i), sm(sm_version), pool_(pool), banks_(banks) {
  op.index = i.pc / isa::kInstructionBytes;
  op.guarded = !i.guard.always();
  op.guard.index = static_cast<uint8_t>(i.guard.predicate + (i.guard.uniform ? kUniformPredicates : 0));
  op.guard.flip = i.guard.negate ? kAllLanes : 0;
}

const Operand& MicroOpBuilder::take() { return next_ < count() ? instruction.operands[next_++] : no_operand(); }

const Operand& MicroOpBuilder::peek(size_t ahead) const {
  return next_ + ahead < count() ? instruction.operands[next_ + ahead] : no_operand();
}

bool MicroOpBuilder::next_is_predicate() const {
  const OperandKind k = peek().kind;
  return k == OperandKind::kPredicate || k == OperandKind::kUniformPredicate;
}

bool MicroOpBuilder::next_is_register() const {
  const OperandKind k = peek().kind;
  return k == OperandKind::kRegister || k == OperandKind::kUniformRegister;
}

bool MicroOpBuilder::dst() {
  const Operand& o = take();
  if (o.kind == OperandKind::kUniformRegister) {
    op.uniform = true;
    op.dst = o.reg == isa::kZeroRegister ? 0 : (kUniformRow + o.reg) * kRowWords;
    return o.reg == isa::kZeroRegister || o.reg < kUniformRows;
  }
  op.dst = o.reg == isa::kZeroRegister ? 0 : (kVectorRow + o.reg) * kRowWords;
  return o.kind == OperandKind::kRegister;
}

bool MicroOpBuilder::dst_predicate(int slot) {
  const Operand& o = take();
  const bool uniform = o.kind == OperandKind::kUniformPredicate;
  if (!uniform && o.kind != OperandKind::kPredicate) return false;
  if (uniform) op.uniform = true;
  op.predicate_out[slot] =
      o.reg >= isa::kTruePredicate ? kSinkPredicate : static_cast<uint8_t>(o.reg + (uniform ? kUniformPredicates : 0));
  return !o.invert;
}

bool MicroOpBuilder::optional_dst_predicate(int slot) { return !next_is_predicate() || dst_predicate(slot); }

bool MicroOpBuilder::predicate(int slot) {
  const Operand& o = take();
  const bool uniform = o.kind == OperandKind::kUniformPredicate;
  if (!uniform && o.kind != OperandKind::kPredicate) return false;
  op.predicate[slot].index = static_cast<uint8_t>(o.reg + (uniform ? kUniformPredicates : 0));
  op.predicate[slot].flip = o.invert ? kAllLanes : 0;
  return o.reg <= isa::kTruePredicate;
}

bool MicroOpBuilder::immediate(int64_t& value) {
  const Operand& o = take();
  value = o.imm;
  return o.kind == OperandKind::kImmediate;
}

bool MicroOpBuilder::immediate_row(int slot, uint32_t value) {
  op.src[slot] = {};
  op.src[slot].offset = pool_.rows({value});
  return true;
}

// Finds the rows of an operand, without its modifiers; `words` rows go to consecutive slots.
bool MicroOpBuilder::place(const Operand& o, int slot, int words) {
  uint32_t first = 0;
  uint8_t base = 0;
  switch (o.kind) {
    case OperandKind::kRegister:
      if (o.reg == isa::kZeroRegister)
        base = 1;
      else
        first = (kVectorRow + o.reg) * kRowWords;
      break;
    case OperandKind::kUniformRegister:
      if (o.reg == isa::kZeroRegister)
        base = 1;
      else if (o.reg >= kUniformRows)
        return false;
      else
        first = (kUniformRow + o.reg) * kRowWords;
      break;
    case OperandKind::kImmediate: {
      base = 1;
      const auto bits = static_cast<uint64_t>(o.imm);
      std::vector<uint32_t> values{static_cast<uint32_t>(bits)};
      if (words == 2) values.push_back(static_cast<uint32_t>(bits >> 32U));
      first = pool_.rows(values);
      break;
    }
    case OperandKind::kConstant: {
      base = 1;
      if (o.has_base || o.base2 != isa::kZeroRegister || o.bank >= banks_.size()) return false;
      const auto& bank = banks_[o.bank];
      const auto offset = static_cast<uint64_t>(o.imm);
      if (offset + static_cast<uint64_t>(words) * 4 > bank.size()) return false;
      std::vector<uint32_t> values(static_cast<size_t>(words));
      std::memcpy(values.data(), bank.data() + offset, values.size() * 4);
      first = pool_.rows(values);
      break;
    }
    default:
      return false;
  }
  for (int w = 0; w < words; ++w) {
    op.src[slot + w] = {};
    op.src[slot + w].offset = first + static_cast<uint32_t>(w) * kRowWords;
    op.src[slot + w].base = base;
  }
  return true;
}

bool MicroOpBuilder::src_of(const Operand& o, int slot, Number number) {
  if (!place(o, slot, 1)) return false;
  Source& s = op.src[slot];
  if (number == Number::kInteger) {
    if (o.negate) s.modify = Modify::kNegate;
    if (o.invert) {
      s.modify = Modify::kMask;
      s.flip = kAllLanes;
    }
    return !o.absolute && !(o.negate && o.invert) && o.select == isa::Select::kWhole;
  }
  const uint32_t sign = number == Number::kFloat ? kFloatSign : kHalvesSign;
  if (o.absolute) s.keep = ~sign;
  if (o.negate) s.flip = sign;
  if (o.absolute || o.negate) s.modify = Modify::kMask;
  switch (o.select) {
    case isa::Select::kWhole:
    case isa::Select::kH1H0:
      break;
    case isa::Select::kH0H0:
      s.modify = Modify::kLowHalf;
      break;
    case isa::Select::kH1H1:
      s.modify = Modify::kHighHalf;
      break;
    default:
      return false;
  }
  return !o.invert && (number == Number::kHalves || o.select == isa::Select::kWhole);
}

bool MicroOpBuilder::src(int slot, Number number) { return src_of(take(), slot, number); }

bool MicroOpBuilder::src64(int slot, Number number) {
  const Operand& o = take();
  if (!place(o, slot, 2)) return false;
  if (number == Number::kFloat) {
    Source& high = op.src[slot + 1];
    if (o.absolute) high.keep = ~kFloatSign;
    if (o.negate) high.flip = kFloatSign;
    if (o.absolute || o.negate) high.modify = Modify::kMask;
    return !o.invert;
  }
  if (o.invert) {
    op.src[slot].modify = op.src[slot + 1].modify = Modify::kMask;
    op.src[slot].flip = op.src[slot + 1].flip = kAllLanes;
  }
  return !o.negate && !o.absolute;
}

bool MicroOpBuilder::src_carry(int slot) {
  const Operand& o = take();
  if (!place(o, slot, 1) || o.absolute) return false;
  if (o.negate || o.invert) {
    op.src[slot].modify = Modify::kMask;
    op.src[slot].flip = kAllLanes;
  }
  if (o.negate) ++op.imm;
  return true;
}

bool MicroOpBuilder::src64_carry(int slot) {
  const Operand& o = take();
  if (!place(o, slot, 2) || o.absolute) return false;
  if (o.negate || o.invert) {
    op.src[slot].modify = op.src[slot + 1].modify = Modify::kMask;
    op.src[slot].flip = op.src[slot + 1].flip = kAllLanes;
  }
  if (o.negate) ++op.imm;
  return true;
}

bool MicroOpBuilder::src_rows(int slot) {
  const Operand& o = take();
  return place(o, slot, 1) && !o.negate && !o.invert && !o.absolute && o.kind != OperandKind::kImmediate;
}

}  // namespace smreplay::emulator
