// Completion order of asynchronous copies (LDGSTS) and of the markers that close a group of them (LDGDEPBAR), per warp.
//
// A marker is done when every copy of the warp before it is done, and markers are done in order (PTX:
// cp.async.commit_group and wait_group; SASS: DEPBAR counts the markers down).
#pragma once

#include <cstdint>
#include <vector>

#include "sim/engine/Clock.h"
#include "sim/sm/Flight.h"
#include "sim/sm/Ring.h"

namespace smreplay::sm {

class AsyncCopyGroups {
 public:
  struct Marker {
    FlightId flight = 0;
    Cycle ready = 0;  // its own unloaded time: not done before
  };

  // A copy of `warp` starts; returns the group that finish() needs.
  uint32_t start(uint16_t warp);
  void finish(uint16_t warp, uint32_t group);
  void close(uint16_t warp, Marker marker);
  // Appends the markers that are done now, in order, and forgets them.
  void take_done(uint16_t warp, std::vector<Marker>& out);

 private:
  struct Group {
    uint32_t copies = 0;  // not yet done
    bool closed = false;
    Marker marker;
  };
  struct Warp {
    uint32_t first = 0;  // number of groups.front()
    Ring<Group> groups;
  };
  Warp& of(uint16_t warp);
  static Group& open_group(Warp& warp);

  std::vector<Warp> warps_;
};

}  // namespace smreplay::sm
