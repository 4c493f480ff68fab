// Which instruction and which source line of one result is which of another: the matching that a difference is told by.
//
// 1. Instructions are aligned by opcode and operand shape alone.
// 2. The pairs vote which source lines belong together. A file in which most pairs stay on their line is the same text
// on
//    both sides: its lines are matched with themselves. In all others, lines that moved or stand in another file find
//    their partner by votes; unrelated ones find none.
// 3. Instructions are aligned again with the matched lines as anchors.
// 4. What the scheduler moved out of order is paired within its line: the same shape first, then the same opcode, then
// the
//    same mnemonic, in the order of the code.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/attribution/DiffAlignment.h"
#include "sim/attribution/Result.h"

namespace smreplay::attribution {

struct SourceKey {
  std::string file;
  uint32_t line = 0;  // 0: no source line; `file` is empty then
  // clang-tidy takes the comparison with 0 that it generates for a null pointer.
  auto operator<=>(const SourceKey&) const = default;  // NOLINT(modernize-use-nullptr)
};
SourceKey source_of(const InstructionRow& row);

struct LineMatch {
  SourceKey a, b;
};

struct InstructionMatch {
  std::vector<IndexPair> pairs;  // ascending in a; each instruction at most once on either side
  std::vector<LineMatch> lines;  // each line at most once on either side; ascending in a; never line 0
};

InstructionMatch match(const std::vector<InstructionRow>& a, const std::vector<InstructionRow>& b);

}  // namespace smreplay::attribution
