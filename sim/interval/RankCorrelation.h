// Spearman's rank correlation, ties by mean rank.
#pragma once

#include <vector>

namespace smreplay::interval {

// -1 to 1; 0 where one of them is constant. Shapes: as many `y` as `x`.
double rank_correlation(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace smreplay::interval
