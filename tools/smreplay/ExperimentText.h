// Tables of experiments for people: text for a terminal, Markdown for docs/EXPERIMENTS.md.
#pragma once

#include <string>
#include <vector>

#include "sim/experiment/Evaluate.h"

namespace smreplay::tool {

enum class TableStyle { kText, kMarkdown };

// What the experiment is: change, hypothesis, mechanism, claims, reported figures.
std::string describe(const experiment::proto::Experiment& experiment, TableStyle style);

// Rows per C and side, claims with their values, verdict per writing, and across which writings it holds.
std::string results(const experiment::ExperimentTable& table, TableStyle style);

// The step model of one writing: attention per step by class, tok/s beside reported figures, the slope.
std::string step_report(const experiment::Catalogue& catalogue, const machine::Machine& machine,
                        const experiment::Outcomes& outcomes, const experiment::Scope& scope, TableStyle style);

}  // namespace smreplay::tool
