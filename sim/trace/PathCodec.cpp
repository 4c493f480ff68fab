#include "sim/trace/PathCodec.h"

#include <algorithm>

namespace smreplay::trace {

// Calls visit(predicted) for each guarded instruction executed, in order; it returns the mask that really was.
template <class Visit>
void PathCodec::visit_guards(const Path& path, const Path* reference, const Copied& copied, Visit visit) {
  last_mask_.resize(table_.guards_before(table_.instructions()));
  mask_epoch_.resize(last_mask_.size());
  ++epoch_;
  const uint64_t first_copied_at_end = path.runs.size() - copied.last;
  uint64_t from_reference = 0;
  if (reference != nullptr) from_reference = reference->guard_masks.size();
  for (uint64_t r = first_copied_at_end; r < path.runs.size(); ++r) {
    const PathRun& run = path.runs[r];
    from_reference -= table_.guards_before(run.first + run.count) - table_.guards_before(run.first);
  }
  uint64_t in_reference = 0;
  for (uint64_t r = 0; r < path.runs.size(); ++r) {
    if (r == first_copied_at_end) in_reference = from_reference;
    const bool is_copied = r < copied.first || r >= first_copied_at_end;
    const PathRun& run = path.runs[r];
    const uint32_t end = table_.guards_before(run.first + run.count);
    for (uint32_t g = table_.guards_before(run.first); g < end; ++g) {
      uint32_t predicted = mask_epoch_[g] == epoch_ ? last_mask_[g] : run.active_mask;
      if (is_copied) predicted = reference->guard_masks[in_reference++];
      last_mask_[g] = visit(predicted);
      mask_epoch_[g] = epoch_;
    }
  }
}

void PathCodec::encode(const Path& path, const Path* reference, ByteWriter& runs, ByteWriter& guards) {
  Copied copied;
  if (reference != nullptr) {
    const size_t common = std::min(path.runs.size(), reference->runs.size());
    while (copied.first < common && path.runs[copied.first] == reference->runs[copied.first]) ++copied.first;
    while (copied.last < common - copied.first &&
           *(path.runs.end() - 1 - static_cast<ptrdiff_t>(copied.last)) ==
               *(reference->runs.end() - 1 - static_cast<ptrdiff_t>(copied.last)))
      ++copied.last;
  }
  runs.varint(copied.first);
  runs.varint(copied.last);
  runs.varint(path.runs.size() - copied.first - copied.last);
  PathRun previous{0, 0, ~0U};
  if (copied.first > 0) previous = path.runs[copied.first - 1];
  for (uint64_t r = copied.first; r < path.runs.size() - copied.last; ++r) {
    const PathRun& run = path.runs[r];
    runs.signed_varint(int64_t{run.first} - (int64_t{previous.first} + previous.count));
    runs.varint(run.count);
    runs.varint(run.active_mask ^ previous.active_mask);
    previous = run;
  }
  uint64_t hits = 0;
  size_t at = 0;
  visit_guards(path, reference, copied, [&](uint32_t predicted) {
    const uint32_t mask = path.guard_masks[at++];
    if (mask == predicted) {
      ++hits;
      return mask;
    }
    guards.varint(std::exchange(hits, 0));
    guards.varint(mask ^ predicted);
    return mask;
  });
  if (hits > 0) guards.varint(hits);
}

KnownPathPtr PathCodec::decode(const Path* reference, ByteReader& runs, ByteReader& guards, uint64_t& words) {
  auto path = std::make_shared<Path>();
  const uint64_t copyable = reference != nullptr ? reference->runs.size() : 0;
  Copied copied;
  copied.first = runs.bounded(copyable, "copied runs");
  copied.last = runs.bounded(copyable - copied.first, "copied runs");
  const uint64_t fresh = runs.bounded(runs.left(), "new runs");
  const uint64_t count = copied.first + copied.last + fresh;
  if (count > words) runs.fail("defines longer paths than a CTA may have");
  words -= count;
  path->runs.reserve(count);
  if (reference != nullptr) {
    path->runs.assign(reference->runs.begin(), reference->runs.begin() + static_cast<ptrdiff_t>(copied.first));
  }
  PathRun previous{0, 0, ~0U};
  if (copied.first > 0) previous = path->runs.back();
  for (uint64_t i = 0; i < fresh; ++i) {
    const auto follows = static_cast<uint64_t>(previous.first) + previous.count;
    PathRun run;
    run.first = static_cast<uint32_t>(follows + static_cast<uint64_t>(runs.signed_varint()));
    run.count = static_cast<uint32_t>(runs.bounded(table_.instructions(), "instructions in a run"));
    run.active_mask = previous.active_mask ^ static_cast<uint32_t>(runs.bounded(~0U, "as a mask"));
    if (!table_.contains(run)) runs.fail("leaves the Program");
    path->runs.push_back(run);
    previous = run;
  }
  if (reference != nullptr) {
    path->runs.insert(path->runs.end(), reference->runs.end() - static_cast<ptrdiff_t>(copied.last),
                      reference->runs.end());
  }
  for (const PathRun& run : path->runs) path->instructions += run.count;
  const uint64_t guard_count = table_.guards(*path);
  const uint64_t accesses = table_.accesses(*path);
  if (guard_count > words || accesses > words - guard_count) runs.fail("defines longer paths than a CTA may have");
  words -= guard_count + accesses;

  path->guard_masks.reserve(guard_count);
  uint64_t left = guard_count;
  uint64_t hits = left > 0 ? guards.bounded(left, "predicted masks") : 0;
  visit_guards(*path, reference, copied, [&](uint32_t predicted) {
    uint32_t mask = predicted;
    if (hits > 0) {
      --hits;
      --left;
    } else {
      mask ^= static_cast<uint32_t>(guards.bounded(~0U, "as a mask"));
      --left;
      hits = left > 0 ? guards.bounded(left, "predicted masks") : 0;
    }
    path->guard_masks.push_back(mask);
    return mask;
  });
  auto known = std::make_shared<KnownPath>();
  known->sites = sites_of(*path, table_);
  known->path = std::move(path);
  return known;
}

}  // namespace smreplay::trace
