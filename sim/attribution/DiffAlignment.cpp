#include "sim/attribution/DiffAlignment.h"

#include <algorithm>
#include <span>

namespace smreplay::attribution {
namespace {

using Items = std::span<const AlignmentItem>;

constexpr size_t kDirectCells = size_t{1} << 20;  // below, a table of steps is cheaper than halving again

enum class Step : uint8_t { kPair, kSkipA, kSkipB };

class Aligner {
 public:
  std::vector<IndexPair> take() { return std::move(pairs_); }

  void align(Items a, Items b, size_t a_from, size_t b_from) {
    if (a.empty() || b.empty()) return;
    if (a.size() == 1 || (a.size() + 1) * (b.size() + 1) <= kDirectCells) return direct(a, b, a_from, b_from);
    // The best split of b for the two halves of a: scores of all prefixes for the first, of all suffixes for the
    // second.
    const size_t half = a.size() / 2;
    const std::vector<uint32_t> before = scores(a.first(half), b, false);
    const std::vector<uint32_t> after = scores(a.subspan(half), b, true);
    size_t cut = 0;
    for (size_t j = 1; j <= b.size(); ++j) {
      if (before[j] + after[j] > before[cut] + after[cut]) cut = j;
    }
    align(a.first(half), b.first(cut), a_from, b_from);
    align(a.subspan(half), b.subspan(cut), a_from + half, b_from + cut);
  }

 private:
  // [j]: the best score of all of `a` with the first j of `b`; backwards: with b from j on.
  static std::vector<uint32_t> scores(Items a, Items b, bool backwards) {
    std::vector<uint32_t> row(b.size() + 1, 0);
    for (size_t i = 0; i < a.size(); ++i) {
      const AlignmentItem& item = backwards ? a[a.size() - 1 - i] : a[i];
      uint32_t diagonal = 0;
      for (size_t j = 1; j <= b.size(); ++j) {
        const uint32_t score = pair_score(item, backwards ? b[b.size() - j] : b[j - 1]);
        const uint32_t above = row[j];
        const uint32_t paired = score > 0 ? diagonal + score : 0;
        row[j] = std::max({above, row[j - 1], paired});
        diagonal = above;
      }
    }
    if (backwards) std::reverse(row.begin(), row.end());
    return row;
  }

  void direct(Items a, Items b, size_t a_from, size_t b_from) {
    const size_t width = b.size() + 1;
    std::vector<Step> steps((a.size() + 1) * width, Step::kSkipA);
    std::vector<uint32_t> row(width, 0);
    for (size_t i = 1; i <= a.size(); ++i) {
      uint32_t diagonal = 0;
      for (size_t j = 1; j <= b.size(); ++j) {
        const uint32_t score = pair_score(a[i - 1], b[j - 1]);
        const uint32_t above = row[j];
        uint32_t best = above;
        Step step = Step::kSkipA;
        if (row[j - 1] > best) {
          best = row[j - 1];
          step = Step::kSkipB;
        }
        if (score > 0 && diagonal + score > best) {
          best = diagonal + score;
          step = Step::kPair;
        }
        row[j] = best;
        diagonal = above;
        steps[i * width + j] = step;
      }
    }
    const size_t first = pairs_.size();
    for (size_t i = a.size(), j = b.size(); i > 0 && j > 0;) {
      const Step step = steps[i * width + j];
      if (step == Step::kPair) {
        pairs_.emplace_back(static_cast<uint32_t>(a_from + i - 1), static_cast<uint32_t>(b_from + j - 1));
      }
      if (step != Step::kSkipB) --i;
      if (step != Step::kSkipA) --j;
    }
    std::reverse(pairs_.begin() + static_cast<std::ptrdiff_t>(first), pairs_.end());
  }

  std::vector<IndexPair> pairs_;
};

}  // namespace

uint32_t pair_score(const AlignmentItem& a, const AlignmentItem& b) {
  if (a.mnemonic != b.mnemonic) return 0;
  const bool lines_known = a.line != 0 && b.line != 0;
  if (lines_known && a.line != b.line) {
    if (a.shape == b.shape) return 2;
    return a.opcode == b.opcode ? 1 : 0;
  }
  const uint32_t base = a.shape == b.shape ? 6 : a.opcode == b.opcode ? 4 : 2;
  constexpr uint32_t kSameLine = 5;
  return lines_known ? base + kSameLine : base;
}

std::vector<IndexPair> align(const std::vector<AlignmentItem>& a, const std::vector<AlignmentItem>& b) {
  if (uint64_t{a.size()} * b.size() > kAlignmentCells) return {};
  Aligner aligner;
  aligner.align(a, b, 0, 0);
  return aligner.take();
}

}  // namespace smreplay::attribution
