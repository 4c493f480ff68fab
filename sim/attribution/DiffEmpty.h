// Issue slots without a resident warp, by why there is none, from the spans of the CTAs.
//
//   |<- launch ->|<------------- from the first CTA's start to the last CTA's end ------------->|
//   SM 0         [ CTA ][gap][ CTA ]<---------------------- tail ------------------------------>
//   SM 1         [ CTA ...                                                             CTA ]
//   SM 2         <------------------------------- idle SM ------------------------------------->
//
// gap: between two CTAs of an SM, before its first one, and schedulers whose warps have left while the CTA goes on.
#pragma once

#include <cstdint>

#include "sim/attribution/Result.h"

namespace smreplay::attribution {

struct EmptySlots {
  int64_t launch = 0;           // what a launch costs before the first CTA and after the last one, on all SMs
  int64_t idle_sms = 0;         // SMs that get no CTA
  int64_t tail = 0;             // SMs that have run out of CTAs
  int64_t gap = 0;              // the rest
  int64_t unsplit = 0;          // all of it, where the result holds no spans
  int64_t sms_without_cta = 0;  // how many SMs idle_sms stands for; not slots
};

// The parts sum to result.issue_slots_empty.
EmptySlots split_empty(const Result& result);

}  // namespace smreplay::attribution
