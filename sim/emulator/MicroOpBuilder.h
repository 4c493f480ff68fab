// Resolves the operands of an Instruction into a MicroOp, for the translators in ops/.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "sim/emulator/MicroOp.h"
#include "sim/isa/Instruction.h"

namespace smreplay::emulator {

// Rows with a fixed value that all warps read: immediates and words of constant banks. Offset 0 is kZeroRows rows of
// zero.
class ConstantPool {
 public:
  static constexpr uint32_t kZeroRows = 8;
  ConstantPool();
  // Word offset of consecutive rows holding these values.
  uint32_t rows(const std::vector<uint32_t>& values);
  const uint32_t* data() const { return rows_.data()->lane; }

 private:
  std::vector<Row> rows_;
  std::map<std::vector<uint32_t>, uint32_t> known_;
};

using ConstantBanks = std::vector<std::vector<uint8_t>>;

// How the modifiers of a source apply.
enum class Number : uint8_t { kInteger, kFloat, kHalves };

class MicroOpBuilder {
 public:
  MicroOpBuilder(const isa::Instruction& instruction, ConstantPool& pool, const ConstantBanks& banks, uint32_t sm);

  const isa::Instruction& instruction;
  const uint32_t sm;
  MicroOp op;

  bool has(isa::Modifier m) const { return instruction.has(m); }
  size_t count() const { return instruction.operands.size(); }

  // Operands are taken one after the other. take() past the end gives an operand of kind kNone.
  const isa::Operand& take();
  const isa::Operand& peek(size_t ahead = 0) const;
  bool more() const { return next_ < count(); }
  bool next_is_predicate() const;
  bool next_is_register() const;

  // Each fails (false) on an operand that does not fit.
  bool dst();  // register; op.dst
  bool dst_predicate(int slot);
  bool optional_dst_predicate(int slot);  // a predicate at this place, or nothing
  bool src(int slot, Number number = Number::kInteger);
  bool src64(int slot, Number number = Number::kInteger);  // slots `slot` and `slot` + 1
  bool src_rows(int slot);                                 // consecutive registers from this one, unmodified
  bool predicate(int slot);
  bool immediate(int64_t& value);

  // As src(), for an operand at hand.
  bool src_of(const isa::Operand& o, int slot, Number number);
  bool immediate_row(int slot, uint32_t value);
  bool has_bank(uint32_t bank) const { return bank < banks_.size(); }

  // An integer source whose negation must carry (-x = ~x + 1): inverts it and counts one in op.imm.
  bool src_carry(int slot);
  bool src64_carry(int slot);

  bool run(Handler handler) {
    op.run = handler;
    return true;
  }

 private:
  bool place(const isa::Operand& o, int slot, int words);

  ConstantPool& pool_;
  const ConstantBanks& banks_;
  size_t next_ = 0;
};

// Fills `builder.op`. False: this form is not supported.
using Translator = bool (*)(MicroOpBuilder& builder);

}  // namespace smreplay::emulator
