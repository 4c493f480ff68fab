// Global alignment of two instruction sequences that keeps the order: the pairs whose scores sum to the most.
//
// Needleman-Wunsch with free gaps (a weighted longest common subsequence), in linear memory after Hirschberg (Comm. ACM
// 18, 1975). The order of code is what two compilations of one kernel share most; what was moved elsewhere stays
// unpaired and is accounted by its source line. Ties are broken towards earlier pairs, so the result is deterministic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace smreplay::attribution {

// An instruction as the alignment sees it. Ids are equal where the things are; lines of two binaries have equal ids
// where they are matched.
struct AlignmentItem {
  uint32_t shape = 0;
  uint32_t opcode = 0;  // with modifiers
  uint32_t mnemonic = 0;
  uint32_t line = 0;  // 0: unknown, or not to be used
};

// 0: not to be paired. The same line tells more than the same operands; where lines are known and differ, only the same
// opcode may be paired.
uint32_t pair_score(const AlignmentItem& a, const AlignmentItem& b);

using IndexPair = std::pair<uint32_t, uint32_t>;

// Pairs (index in a, index in b), ascending in both. Time a.size() x b.size(); beyond kAlignmentCells nothing is
// paired.
std::vector<IndexPair> align(const std::vector<AlignmentItem>& a, const std::vector<AlignmentItem>& b);

inline constexpr uint64_t kAlignmentCells = uint64_t{1} << 32;  // about ten seconds

}  // namespace smreplay::attribution
