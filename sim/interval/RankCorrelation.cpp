#include "sim/interval/RankCorrelation.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace smreplay::interval {
namespace {

// Ranks from 1; equal values share their mean rank.
std::vector<double> mean_ranks(const std::vector<double>& values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (size_t from = 0; from < order.size();) {
    size_t to = from;
    while (to < order.size() && values[order[to]] == values[order[from]]) ++to;
    const double mean = (static_cast<double>(from) + static_cast<double>(to) + 1) / 2;
    for (; from < to; ++from) ranks[order[from]] = mean;
  }
  return ranks;
}

double correlation(const std::vector<double>& x, const std::vector<double>& y) {
  const auto n = static_cast<double>(x.size());
  if (x.empty()) return 0;
  const double mean_x = std::accumulate(x.begin(), x.end(), 0.0) / n;
  const double mean_y = std::accumulate(y.begin(), y.end(), 0.0) / n;
  double xy = 0, xx = 0, yy = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mean_x) * (y[i] - mean_y);
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    yy += (y[i] - mean_y) * (y[i] - mean_y);
  }
  return xx == 0 || yy == 0 ? 0 : xy / std::sqrt(xx * yy);
}

}  // namespace

double rank_correlation(const std::vector<double>& x, const std::vector<double>& y) {
  return correlation(mean_ranks(x), mean_ranks(y));
}

}  // namespace smreplay::interval
