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

using LineSizes = std::map<SourceKey, uint64_t>;  // instructions of each source line

LineSizes line_sizes(const Rows& rows) {
  LineSizes sizes;
  for (const InstructionRow& row : rows) {
    if (row.line != 0) ++sizes[source_of(row)];
  }
  return sizes;
}

using Votes = std::map<std::pair<SourceKey, SourceKey>, uint64_t>;  // pairs of instructions

// Files whose lines did not move: more pairs stay on their line than go to any one other distance.
std::set<std::string> unmoved_files(const Votes& votes) {
  std::map<std::string, std::map<int64_t, uint64_t>> distances;
  for (const auto& [lines, weight] : votes) {
    const auto& [a, b] = lines;
    if (a.file == b.file) distances[a.file][int64_t{b.line} - int64_t{a.line}] += weight;
  }
  std::set<std::string> unmoved;
  for (const auto& [file, by_distance] : distances) {
    const auto best = std::max_element(by_distance.begin(), by_distance.end(),
                                       [](const auto& x, const auto& y) { return x.second < y.second; });
    if (best->first == 0) unmoved.insert(file);
  }
  return unmoved;
}

struct Candidate {
  uint64_t weight = 0;
  SourceKey a, b;
};

// Lines of unmoved files are matched with themselves; of the others each takes the partner with most votes, if that is
// at least a third of the longer one's instructions: below, two unrelated lines share no more than common opcodes.
std::vector<LineMatch> match_lines(const Rows& a, const Rows& b, const std::vector<IndexPair>& pairs) {
  constexpr uint64_t kLeastShare = 3;
  Votes votes;
  for (const auto& [i, j] : pairs) {
    if (a[i].line != 0 && b[j].line != 0) ++votes[{source_of(a[i]), source_of(b[j])}];
  }
  const LineSizes sizes_a = line_sizes(a), sizes_b = line_sizes(b);
  const std::set<std::string> unmoved = unmoved_files(votes);
  std::vector<LineMatch> lines;
  for (const auto& [line, size] : sizes_a) {
    if (unmoved.contains(line.file) && sizes_b.contains(line)) lines.push_back({line, line});
  }
  std::vector<Candidate> ranked;
  for (const auto& [keys, weight] : votes) {
    if (unmoved.contains(keys.first.file) || unmoved.contains(keys.second.file)) continue;
    if (weight * kLeastShare < std::max(sizes_a.at(keys.first), sizes_b.at(keys.second))) continue;
    ranked.push_back({weight, keys.first, keys.second});
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const Candidate& x, const Candidate& y) { return x.weight > y.weight; });
  std::set<SourceKey> taken_a, taken_b;
  for (const Candidate& c : ranked) {
    if (taken_a.contains(c.a) || taken_b.contains(c.b)) continue;
    taken_a.insert(c.a);
    taken_b.insert(c.b);
    lines.push_back({c.a, c.b});
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
