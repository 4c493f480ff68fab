#include "sim/sm/MshrTable.h"

#include <bit>
#include <string>

#include "sim/engine/Invariant.h"

namespace smreplay::sm {

namespace {

// A tag is the entry's index with its generation above, so that a late or doubled reply is recognised.
constexpr uint32_t kIndexBits = 16;
constexpr uint32_t kIndexMask = (1U << kIndexBits) - 1;

}  // namespace

MshrTable::MshrTable(uint32_t entries, uint32_t merges)
    : merges_(merges), entries_(entries), buckets_(std::bit_ceil(entries + size_t{1}), kNone) {
  if (entries > kIndexMask) engine::broken("more MSHRs than a tag can name");
  for (uint32_t i = entries; i-- > 0;) {
    entries_[i].next = free_entry_;
    free_entry_ = i;
  }
}

uint32_t MshrTable::find(uint64_t line) const {
  for (uint32_t e = buckets_[bucket(line)]; e != kNone; e = entries_[e].next) {
    if (entries_[e].line == line && !entries_[e].is_private) return e;
  }
  return kNone;
}

bool MshrTable::can_take(uint64_t line, bool is_private) const {
  const uint32_t entry = is_private ? kNone : find(line);
  return entry == kNone ? free_entry_ != kNone : entries_[entry].waiters < merges_;
}

MshrTable::Miss MshrTable::take(uint64_t line, uint8_t sectors, bool is_private, WaiterId waiter) {
  uint32_t index = is_private ? kNone : find(line);
  if (index == kNone) {
    index = free_entry_;
    if (index == kNone) engine::broken("MSHR taken while all are in use");
    Entry& fresh = entries_[index];
    free_entry_ = fresh.next;
    fresh.line = line;
    fresh.is_private = is_private;
    fresh.next = buckets_[bucket(line)];
    buckets_[bucket(line)] = index;
    ++used_;
  }
  Entry& entry = entries_[index];
  if (entry.waiters >= merges_) engine::broken("MSHR with more waiters than it holds");
  const auto request = static_cast<uint8_t>(sectors & ~entry.outstanding);
  entry.outstanding = static_cast<uint8_t>(entry.outstanding | sectors);
  const uint32_t node = allocate_waiter();
  waiters_[node] = Waiter{waiter, kNone, sectors};
  (entry.waiters == 0 ? entry.first_waiter : waiters_[entry.last_waiter].next) = node;
  entry.last_waiter = node;
  ++entry.waiters;
  return Miss{index | uint32_t{entry.generation} << kIndexBits, request};
}

bool MshrTable::arrive(uint32_t tag, uint64_t line, uint8_t sectors, std::vector<WaiterId>& done) {
  const uint32_t index = tag & kIndexMask;
  if (index >= entries_.size() || entries_[index].generation != tag >> kIndexBits || entries_[index].line != line ||
      sectors == 0 || (sectors & ~entries_[index].outstanding) != 0) {
    engine::broken("a reply that nobody waits for: line " + std::to_string(line) + ", tag " + std::to_string(tag));
  }
  Entry& entry = entries_[index];
  entry.outstanding = static_cast<uint8_t>(entry.outstanding & ~sectors);
  uint32_t previous = kNone;
  for (uint32_t node = entry.first_waiter; node != kNone;) {
    const uint32_t next = waiters_[node].next;
    waiters_[node].needed = static_cast<uint8_t>(waiters_[node].needed & ~sectors);
    if (waiters_[node].needed != 0) {
      previous = node;
    } else {
      done.push_back(waiters_[node].id);
      (previous == kNone ? entry.first_waiter : waiters_[previous].next) = next;
      if (next == kNone) entry.last_waiter = previous;
      waiters_[node].next = free_waiter_;
      free_waiter_ = node;
      --entry.waiters;
    }
    node = next;
  }
  const bool is_private = entry.is_private;
  if (entry.outstanding == 0) {
    if (entry.waiters != 0) engine::broken("an MSHR is done while instructions wait for it");
    unlink(index);
    ++entry.generation;
    entry.next = free_entry_;
    free_entry_ = index;
    --used_;
  }
  return !is_private;
}

uint32_t MshrTable::allocate_waiter() {
  if (free_waiter_ == kNone) {
    waiters_.emplace_back();
    return static_cast<uint32_t>(waiters_.size() - 1);
  }
  const uint32_t node = free_waiter_;
  free_waiter_ = waiters_[node].next;
  return node;
}

void MshrTable::unlink(uint32_t entry) {
  uint32_t* link = &buckets_[bucket(entries_[entry].line)];
  while (*link != entry) link = &entries_[*link].next;
  *link = entries_[entry].next;
}

}  // namespace smreplay::sm
