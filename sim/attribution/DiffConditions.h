// Whether two results may be compared at all, and what one has to know where they are not like with like.
#pragma once

#include <string>
#include <vector>

#include "sim/attribution/Result.h"
#include "sim/isa/Result.h"

namespace smreplay::attribution {

// Differences of machine, clock and cache state, as clauses. Empty: comparable.
std::vector<std::string> conflicting_conditions(const Result& a, const Result& b);

// Other work, another tool: allowed, but to be said.
std::vector<std::string> other_work(const Result& a, const Result& b);

// Error (exit 4), diff-account: the issue slots do not sum to the elapsed time.
Status check_account(const Result& result);

}  // namespace smreplay::attribution
