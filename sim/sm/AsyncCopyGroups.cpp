#include "sim/sm/AsyncCopyGroups.h"

#include "sim/engine/Invariant.h"

namespace smreplay::sm {

AsyncCopyGroups::Warp& AsyncCopyGroups::of(uint16_t warp) {
  if (warp >= warps_.size()) warps_.resize(warp + size_t{1});
  return warps_[warp];
}

AsyncCopyGroups::Group& AsyncCopyGroups::open_group(Warp& warp) {
  if (warp.groups.empty() || warp.groups.back().closed) warp.groups.push_back(Group{});
  return warp.groups.back();
}

uint32_t AsyncCopyGroups::start(uint16_t warp) {
  Warp& w = of(warp);
  ++open_group(w).copies;
  return w.first + static_cast<uint32_t>(w.groups.size() - 1);
}

void AsyncCopyGroups::finish(uint16_t warp, uint32_t group) {
  Warp& w = of(warp);
  const size_t index = group - w.first;
  if (index >= w.groups.size() || w.groups[index].copies == 0) engine::broken("an asynchronous copy is done twice");
  --w.groups[index].copies;
}

void AsyncCopyGroups::close(uint16_t warp, Marker marker) {
  Group& group = open_group(of(warp));
  group.closed = true;
  group.marker = marker;
}

void AsyncCopyGroups::take_done(uint16_t warp, std::vector<Marker>& out) {
  Warp& w = of(warp);
  while (!w.groups.empty() && w.groups.front().closed && w.groups.front().copies == 0) {
    out.push_back(w.groups.front().marker);
    w.groups.pop_front();
    ++w.first;
  }
}

}  // namespace smreplay::sm
