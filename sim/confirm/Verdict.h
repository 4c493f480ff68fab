// From an interleaved series to a verdict on a predicted ratio of times.
//
//   measured ratio   median over all repeats i of change_i / base_i: what drifts slowly falls out
//   null's spread s  the same launch twice in the same series: the largest |median over a round of again_i / base_i -
//   1|
//                    among the rounds. A round loads everything anew, so that where the buffers and the code happen to
//                    lie is part of the noise.
//
// "Slower", "faster": beyond 1 by more than 2 s; else "equal". Supported: predicted and measured say the same, and it
// is not "equal". Refuted: they say different things, and the two ratios differ by more than 2 s too. Undecided
// otherwise.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/confirm/Measurement.h"
#include "sim/confirm/Predictions.h"

namespace smreplay::confirm {

enum class Outcome { kSupported, kRefuted, kUndecided };
std::string_view name(Outcome outcome);

// Precondition: positive ratios, spread not negative.
Outcome judge(double predicted, double measured, double null_spread);

// Median of the elements of `change` over those of `base`, run by run; nothing where no run has a partner.
std::optional<double> paired_ratio(const TimedCase& change, const TimedCase& base);
std::optional<double> null_spread(const TimedCase& again, const TimedCase& base);
double median(std::vector<double> values);  // of none: 0

struct PairVerdict {
  const PlanPair* pair = nullptr;
  const PlanCase* base = nullptr;
  const PlanCase* change = nullptr;
  Predicted predicted;
  std::optional<double> simulated;  // by this version of the model, at the measured clock
  std::optional<double> measured;
  std::optional<double> spread;    // of the null
  std::optional<Outcome> outcome;  // of the prediction, else of the simulation, made afterwards; of a dry run none
  bool made_before = false;        // what the outcome is about
};

// Pairs of the plan that were measured, in its order, each once. `simulated_cycles`: by PlanCase::id; may lack some.
std::vector<PairVerdict> verdicts(const Measurement& measurement, const std::vector<Predictions>& predictions,
                                  const std::map<std::string, double>& simulated_cycles);

}  // namespace smreplay::confirm
