#include "sim/sm/InstructionCache.h"

#include <algorithm>
#include <limits>

namespace smreplay::sm {
namespace {
constexpr uint64_t kEmpty = std::numeric_limits<uint64_t>::max();
}

LineTags::LineTags(uint32_t bytes, uint32_t ways, uint32_t line_bytes)
    : sets_(std::max(1U, bytes / (ways * line_bytes))), ways_(ways), tags_(size_t{sets_} * ways, kEmpty) {}

bool LineTags::contains(uint64_t line) const {
  const auto set = tags_.begin() + static_cast<ptrdiff_t>((line % sets_) * ways_);
  return std::find(set, set + ways_, line) != set + ways_;
}

bool LineTags::touch(uint64_t line) {
  const auto set = tags_.begin() + static_cast<ptrdiff_t>((line % sets_) * ways_);
  const auto found = std::find(set, set + ways_, line);
  if (found == set + ways_) return false;
  std::rotate(set, found, found + 1);
  return true;
}

void LineTags::insert(uint64_t line) {
  if (touch(line)) return;
  const auto set = tags_.begin() + static_cast<ptrdiff_t>((line % sets_) * ways_);
  std::rotate(set, set + ways_ - 1, set + ways_);
  *set = line;
}

InstructionL1::InstructionL1(const machine::FrontEnd& spec)
    : spec_(&spec), tags_(spec.l1_bytes, spec.l1_ways, spec.line_bytes) {}

void InstructionL1::warm(uint32_t lines) {
  for (uint32_t line = 0; line < lines; ++line) tags_.insert(line);
}

Cycle InstructionL1::serve(uint32_t subcore, Urgency urgency, Cycle at) {
  if (urgency == Urgency::kDemand) {
    const Cycle start = std::max(at, demand_free_);
    demand_free_ = start + spec_->l1_interval;
    // What was to be prefetched moves back; that prefetches already on their way keep their times is a simplification.
    next_free_ = std::max(demand_free_, next_free_ > start ? next_free_ + spec_->l1_interval : Cycle{0});
    return start + spec_->l1_to_l0_cycles;
  }
  const Cycle start = std::max(at, next_free_);
  next_free_ = start + spec_->l1_interval;
  if (prefetch_starts_.size() <= subcore) prefetch_starts_.resize(subcore + size_t{1});
  std::vector<Cycle>& starts = prefetch_starts_[subcore];
  std::erase_if(starts, [at](Cycle s) { return s < at; });
  starts.push_back(start);
  return start + spec_->l1_to_l0_cycles;
}

void InstructionL1::abandon_prefetches(uint32_t subcore, Cycle now) {
  if (prefetch_starts_.size() <= subcore) return;
  std::vector<Cycle>& starts = prefetch_starts_[subcore];
  const auto idle =
      static_cast<Cycle>(std::count_if(starts.begin(), starts.end(), [now](Cycle s) { return s > now; })) *
      spec_->l1_interval;
  starts.clear();
  next_free_ = std::max(demand_free_, next_free_ - std::min(next_free_, idle));
}

void InstructionL1::request(uint32_t subcore, uint32_t line, Urgency urgency, Cycle now,
                            std::vector<LineArrival>& arrivals, std::vector<LineMiss>& misses) {
  const Cycle at = now + spec_->l0_to_l1_cycles;
  if (tags_.touch(line)) {
    arrivals.push_back({serve(subcore, urgency, at), subcore, line});
    return;
  }
  const auto found = std::find_if(pending_.begin(), pending_.end(), [&](const Pending& p) { return p.line == line; });
  if (found != pending_.end()) {
    found->subcores |= 1U << subcore;
    return;
  }
  pending_.push_back({line, 1U << subcore});
  misses.push_back({line, at});
}

void InstructionL1::fill(uint32_t line, Cycle now, std::vector<LineArrival>& arrivals) {
  tags_.insert(line);
  const auto found = std::find_if(pending_.begin(), pending_.end(), [&](const Pending& p) { return p.line == line; });
  if (found == pending_.end()) return;
  const uint32_t subcores = found->subcores;
  pending_.erase(found);
  for (uint32_t s = 0; s < 32; ++s) {
    if (((subcores >> s) & 1U) != 0) arrivals.push_back({serve(s, Urgency::kDemand, now), s, line});
  }
}

InstructionL0::InstructionL0(const machine::FrontEnd& spec, uint32_t subcore, InstructionL1& l1)
    : spec_(&spec), subcore_(subcore), l1_(&l1), tags_(spec.l0_bytes, spec.l0_ways, spec.line_bytes) {}

void InstructionL0::prefetch(uint32_t code_lines, Cycle now, std::vector<LineArrival>& arrivals,
                             std::vector<LineMiss>& misses) {
  Cycle at = now;
  while (stream_.size() < spec_->stream_buffer_lines && next_prefetch_ < code_lines) {
    const uint32_t line = next_prefetch_++;
    if (tags_.contains(line)) continue;
    stream_.push_back({line, false});
    l1_->request(subcore_, line, InstructionL1::Urgency::kPrefetch, ++at, arrivals, misses);
  }
}

Cycle InstructionL0::lookup(uint32_t line, Cycle now, uint32_t code_lines, std::vector<LineArrival>& arrivals,
                            std::vector<LineMiss>& misses) {
  if (tags_.touch(line)) return now;
  const auto in_stream = std::find_if(stream_.begin(), stream_.end(), [&](const Stream& s) { return s.line == line; });
  if (in_stream != stream_.end()) {
    // A hit takes the line out and lets the stream run on; what it skipped is dropped.
    ++stream_hits_;
    const bool arrived = in_stream->arrived;
    stream_.erase(stream_.begin(), in_stream + 1);
    if (arrived) {
      tags_.insert(line);
    } else {
      demanded_.push_back(line);
    }
    prefetch(code_lines, now, arrivals, misses);
    return arrived ? now : kNever;
  }
  if (std::find(demanded_.begin(), demanded_.end(), line) != demanded_.end()) return kNever;
  ++misses_;
  demanded_.push_back(line);
  l1_->abandon_prefetches(subcore_, now);
  l1_->request(subcore_, line, InstructionL1::Urgency::kDemand, now, arrivals, misses);
  stream_.clear();
  next_prefetch_ = line + 1;
  prefetch(code_lines, now, arrivals, misses);
  return kNever;
}

void InstructionL0::arrive(uint32_t line) {
  const auto demanded = std::find(demanded_.begin(), demanded_.end(), line);
  if (demanded != demanded_.end()) {
    demanded_.erase(demanded);
    tags_.insert(line);
    return;
  }
  const auto in_stream = std::find_if(stream_.begin(), stream_.end(), [&](const Stream& s) { return s.line == line; });
  if (in_stream != stream_.end()) in_stream->arrived = true;
}

}  // namespace smreplay::sm
