// What is shown of a study, made from its runs or read back from the file that keeps them (StudyJson.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/interval/StudyJson.h"
#include "sim/interval/Summary.h"
#include "sim/isa/Result.h"

namespace smreplay::interval {

struct SideSummary {
  std::string name;
  Interval time_ns, cycles;
  std::vector<Swing> swings;  // of the time, in ns; largest first
  std::vector<Correlation> correlations;
};

struct ChangeSummary {
  std::string experiment, side;  // "V1", "V1 + T256"
  std::string baseline, change;  // names of sides of the study
  Comparison comparison;
};

struct StudySummary {
  std::string writing;       // empty: a single launch
  uint32_t concurrency = 0;  // 0: of none
  uint32_t screened_at = 0;  // 0: every parameter ran by itself
  size_t parameters = 0, one_at_a_time = 0, screened_out = 0, draws = 0;
  std::vector<SideSummary> sides;
  std::vector<ChangeSummary> changes;
};

StudySummary summarize(const StudyRecord& record);

struct KeptStudies {
  std::string model_version, machine, machine_hash;
  std::vector<StudySummary> studies;
};

// From what to_json(StudyFile) wrote. Errors (exit 3): interval-file (no intervals, or of another schema).
Result<KeptStudies> read_studies(std::string_view json);

}  // namespace smreplay::interval
