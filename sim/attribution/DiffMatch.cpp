#include "sim/attribution/DiffMatch.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "sim/attribution/DiffShape.h"

namespace smreplay::attribution {
namespace {

using Rows = std::vector<InstructionRow>;
using Items = std::vector<AlignmentItem>;

// Equal strings, equal numbers, from 1.
class Ids {
 public:
  uint32_t of(const std::string& text) {
    return ids_.try_emplace(text, static_cast<uint32_t>(ids_.size() + 1)).first->second;
  }

 private:
  std::unordered_map<std::string, uint32_t> ids_;
};

Items items_of(const Rows& rows, Ids& ids) {
  Items items;
  items.reserve(rows.size());
  for (const InstructionRow& row : rows) {
    const InstructionShape shape = shape_of(row.text);
    items.push_back({.shape = ids.of("s " + shape.shape),
                     .opcode = ids.of("o " + shape.opcode),
                     .mnemonic = ids.of("m " + shape.mnemonic)});
  }
  return items;
}

struct Vote {
  uint64_t weight = 0;
  SourceKey a, b;
};

std::vector<LineMatch> match_lines(const Rows& a, const Rows& b, const std::vector<IndexPair>& pairs) {
  std::map<std::pair<SourceKey, SourceKey>, uint64_t> votes;
  for (const auto& [i, j] : pairs) {
    const SourceKey from = source_of(a[i]), to = source_of(b[j]);
    if (from.line != 0 && to.line != 0) votes[{from, to}] += from == to ? 2 : 1;
  }
  std::set<SourceKey> lines_a;
  for (const InstructionRow& row : a) lines_a.insert(source_of(row));
  for (const InstructionRow& row : b) {
    const SourceKey key = source_of(row);
    if (key.line != 0 && lines_a.contains(key)) votes.try_emplace({key, key}, 1);
  }
  std::vector<Vote> ranked;
  for (const auto& [lines, weight] : votes) ranked.push_back({weight, lines.first, lines.second});
  std::stable_sort(ranked.begin(), ranked.end(), [](const Vote& x, const Vote& y) { return x.weight > y.weight; });
  std::set<SourceKey> taken_a, taken_b;
  std::vector<LineMatch> lines;
  for (const Vote& vote : ranked) {
    if (taken_a.contains(vote.a) || taken_b.contains(vote.b)) continue;
    taken_a.insert(vote.a);
    taken_b.insert(vote.b);
    lines.push_back({vote.a, vote.b});
  }
  std::sort(lines.begin(), lines.end(), [](const LineMatch& x, const LineMatch& y) { return x.a < y.a; });
  return lines;
}

// Matched lines get one id, the others one each, so that two known lines that are not matched count as different.
void set_lines(const Rows& a, const Rows& b, const std::vector<LineMatch>& lines, Items& items_a, Items& items_b) {
  std::map<SourceKey, uint32_t> ids_a, ids_b;
  uint32_t next = 1;
  for (const LineMatch& line : lines) ids_a[line.a] = ids_b[line.b] = next++;
  const auto set = [&next](const Rows& rows, std::map<SourceKey, uint32_t>& ids, Items& items) {
    for (size_t i = 0; i < rows.size(); ++i) {
      const SourceKey key = source_of(rows[i]);
      if (key.line == 0) continue;
      const auto [at, is_new] = ids.try_emplace(key, next);
      if (is_new) ++next;
      items[i].line = at->second;
    }
  };
  set(a, ids_a, items_a);
  set(b, ids_b, items_b);
}

// Step 4, for one of the ids that a shape, an opcode and a mnemonic have.
void pair_moved(const Items& a, const Items& b, uint32_t AlignmentItem::*id, std::vector<bool>& done_a,
                std::vector<bool>& done_b, std::vector<IndexPair>& pairs) {
  std::map<std::pair<uint32_t, uint32_t>, std::vector<uint32_t>> waiting;  // (line, id) -> b's, last first
  for (size_t j = b.size(); j-- > 0;) {
    if (!done_b[j] && b[j].line != 0) waiting[{b[j].line, b[j].*id}].push_back(static_cast<uint32_t>(j));
  }
  for (size_t i = 0; i < a.size(); ++i) {
    if (done_a[i] || a[i].line == 0) continue;
    const auto found = waiting.find({a[i].line, a[i].*id});
    if (found == waiting.end() || found->second.empty()) continue;
    const uint32_t j = found->second.back();
    found->second.pop_back();
    done_a[i] = done_b[j] = true;
    pairs.emplace_back(static_cast<uint32_t>(i), j);
  }
}

std::vector<IndexPair> match_instructions(const Items& a, const Items& b) {
  std::vector<IndexPair> pairs = align(a, b);
  std::vector<bool> done_a(a.size(), false), done_b(b.size(), false);
  for (const auto& [i, j] : pairs) done_a[i] = done_b[j] = true;
  for (const auto id : {&AlignmentItem::shape, &AlignmentItem::opcode, &AlignmentItem::mnemonic}) {
    pair_moved(a, b, id, done_a, done_b, pairs);
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

}  // namespace

SourceKey source_of(const InstructionRow& row) { return row.line == 0 ? SourceKey{} : SourceKey{row.file, row.line}; }

InstructionMatch match(const Rows& a, const Rows& b) {
  Ids ids;
  Items items_a = items_of(a, ids), items_b = items_of(b, ids);
  InstructionMatch out;
  out.lines = match_lines(a, b, align(items_a, items_b));
  set_lines(a, b, out.lines, items_a, items_b);
  out.pairs = match_instructions(items_a, items_b);
  return out;
}

}  // namespace smreplay::attribution
