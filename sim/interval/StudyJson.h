// Studies as JSON ("kind": "intervals"): what `--interval-file` writes, configs/experiments/intervals keeps, and
// tools/experiments/intervals.py and `smreplay config assumed --effect` read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/interval/Study.h"
#include "sim/interval/Summary.h"

namespace smreplay::interval {

inline constexpr int kStudySchemaVersion = 1;

// A comparison of two subjects of a study.
struct Change {
  std::string experiment, side;  // "V1", "V1 + T256"
  size_t baseline = 0, change = 0;
};

struct StudyRecord {
  std::string writing;       // "plain331"; empty: a single launch
  uint32_t concurrency = 0;  // 0: of none
  uint32_t screened_at = 0;  // concurrency of the stand-ins; 0: none, every parameter ran by itself
  Study study;
  std::vector<Change> changes;
};

struct StudyFile {
  std::string tool_version, model_version, machine, machine_hash;
  uint32_t draws = 0;
  uint64_t seed = 0;
  std::vector<StudyRecord> studies;
};

std::string to_json(const StudyFile& file);

}  // namespace smreplay::interval
