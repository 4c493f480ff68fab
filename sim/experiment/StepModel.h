// From kernel times to the time of a decode step.
//
//   A_X(C)    = sum over launch classes: calls * (split + gap + combine + gap)
//   step_V0   = base + slope * C                       as reported
//   step_X    = step_V0 - A_V0 + A_X                   part of the base is attention too, so A is not scaled but
//   replaced tok/s     = C / step
//
// What decides and is not known: the width that the C128 loop runs over (valid or padded; a class with `instead_of` is
// the other reading), and the gap between kernels of a graph (assumed, with a range; it is the same for every variant).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/experiment/Batch.h"
#include "sim/experiment/Plan.h"

namespace smreplay::experiment {

struct ClassTime {
  std::string name;
  uint32_t calls = 0;
  double split_ns = 0, combine_ns = 0, gaps_ns = 0;  // of one call
  double per_step_ns() const { return calls * (split_ns + combine_ns + gaps_ns); }
};

struct AttentionTime {
  std::vector<ClassTime> classes;
  double total_ns = 0;
};

// One split and combine with the gaps behind each.
double pair_ns(const proto::Suite& suite, const CellResult& cell);

// `reading`: name of a class with `instead_of` that replaces the class it names; empty: none does. `width`: 0, or one
// of that class's scaled_to. Nothing where a cell is missing.
std::optional<AttentionTime> attention_time(const Catalogue& catalogue, const machine::Machine& machine,
                                            const Outcomes& outcomes, const std::string& writing,
                                            const proto::Side& side, uint32_t concurrency, bool padded,
                                            const std::string& reading = "", uint32_t width = 0);

double reported_step_ms(const proto::Suite& suite, uint32_t concurrency);

struct StepTime {
  double step_ms = 0, tokens_per_second = 0;
};
StepTime compose_step(const proto::Suite& suite, uint32_t concurrency, const AttentionTime& baseline,
                      const AttentionTime& change);

// Least-squares slope of A over C, ms per request. Shapes: as many times as concurrencies, at least two.
double slope_ms(const std::vector<uint32_t>& concurrencies, const std::vector<double>& attention_ns);

}  // namespace smreplay::experiment
