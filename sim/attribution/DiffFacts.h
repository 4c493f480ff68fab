// The counters of two results beside each other: what may explain a term of their difference.
#pragma once

#include <vector>

#include "sim/attribution/Diff.h"
#include "sim/attribution/Result.h"

namespace smreplay::attribution {

// Occupancy, resources and memory traffic; only what differs, in a fixed order.
std::vector<DiffFact> differing_facts(const Result& a, const Result& b);

}  // namespace smreplay::attribution
