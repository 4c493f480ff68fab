// What is to be run on a GPU: launches, the very binaries by hash, and the predictions that existed before. A folder
// with plan.json, launch files and cubins is all that a machine with a card needs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/isa/Result.h"

namespace smreplay::confirm {

inline constexpr int kPlanSchemaVersion = 1;
inline constexpr const char* kPlanFile = "plan.json";

// One launch of the split kernel of an experiment's side.
struct PlanCase {
  std::string id;             // "plain331-v0 C=96 c4 T360 padded": experiment::CellRequest::label()
  std::string writing;        // "plain331"
  std::string configuration;  // "v0"
  std::string side;           // of the experiment that wants it first: "V0", "T256"
  uint32_t concurrency = 0;
  uint32_t target_ctas = 0;   // on the reference machine
  bool padded = false;        // dynamic shared memory raised until one CTA fits an SM
  bool profiled = false;      // also under the profiler
  std::string launch;         // file, relative to the plan
  std::string launch_sha256;  // of that file
  std::string cubin;          // file, relative to the plan
  std::string cubin_sha256;
};

// A comparison of two cases: time of `change` over time of `base`.
struct PlanPair {
  std::string experiment;  // "V1"; "one CTA per SM": padded over plain of one binary
  std::string base, change;
};

struct PredictionFile {
  std::string name;  // of the file, without folder
  std::string sha256;
};

struct Plan {
  std::string tool_version, model_version;
  std::string machine, machine_hash;
  uint32_t sm = 0;
  uint32_t core_mhz = 0;  // of the machine file
  std::vector<PredictionFile> predictions;
  std::vector<PlanCase> cases;
  std::vector<PlanPair> pairs;

  const PlanCase* find(const std::string& id) const;
  // Cases that belong into one series: a writing at one concurrency. In the order of the plan.
  std::vector<std::vector<const PlanCase*>> groups() const;
};

std::string to_json(const Plan& plan);
// Errors (exit 4), with `file` as place: plan-syntax, plan-version.
Result<Plan> plan_from_json(const std::string& text, const std::string& file);

// Reads <folder>/plan.json and holds every launch file and cubin against its hash. Errors (exit 4): file-missing,
// plan-hash, and those of the reader.
Result<Plan> read_plan(const std::string& folder);

}  // namespace smreplay::confirm
