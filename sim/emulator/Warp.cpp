#include "sim/emulator/Warp.h"

namespace smreplay::emulator {

const uint32_t* Warp::modified(const Source& s, const uint32_t* p, Row& scratch) {
  const uint32_t keep = s.keep;
  const uint32_t flip = s.flip;
  switch (s.modify) {
    case Modify::kNone:
      return p;
    case Modify::kMask:
      for (int l = 0; l < kLanes; ++l) scratch.lane[l] = (p[l] & keep) ^ flip;
      break;
    case Modify::kNegate:
      for (int l = 0; l < kLanes; ++l) scratch.lane[l] = 0U - p[l];
      break;
    case Modify::kLowHalf:
      for (int l = 0; l < kLanes; ++l) scratch.lane[l] = (((p[l] & 0xffffU) * 0x10001U) & keep) ^ flip;
      break;
    case Modify::kHighHalf:
      for (int l = 0; l < kLanes; ++l) scratch.lane[l] = (((p[l] >> 16U) * 0x10001U) & keep) ^ flip;
      break;
  }
  return scratch.lane;
}

}  // namespace smreplay::emulator
