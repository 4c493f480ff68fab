// How far a time may be off: the same subjects on machines with one parameter at an end of its range, and on machines
// with all parameters somewhere in theirs.
//
// A subject is whatever takes a machine and gives a time: one launch, or one side of a comparison. Every variation runs
// on all subjects that it can matter to, so that sides are compared on the same machine.
//
// What it costs is runs: 1 + 2 x parameters one at a time + draws, per subject. A subject may name a cheaper stand-in
// (the same kernel with less work) for a screening: then only those parameters that move the stand-in by at least
// `threshold` run on the subject itself, the `most` largest of them. Joint draws always vary all parameters.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "sim/interval/Draws.h"
#include "sim/interval/Parameter.h"
#include "sim/interval/Variation.h"

namespace smreplay::interval {

struct Sample {
  double time_ns = 0;
  double cycles = 0;  // elapsed core cycles
};

// The machine, and where the parameters beyond it stand (Parameter without keys).
using Run = std::function<Result<Sample>(const machine::Machine&, const Places&)>;  // for several threads at once

struct Subject {
  std::string name;
  Run run;
  Run stand_in;       // empty: screened by itself, which costs nothing more
  uint64_t work = 1;  // of one run, in any unit that subjects share
  uint64_t stand_in_work = 1;
  std::vector<const isa::Program*> programs;  // empty: every parameter may matter
};

struct StudyOptions {
  unsigned jobs = 1;
  uint32_t draws = 64;
  uint64_t seed = 1;
  bool one_at_a_time = true;
  double threshold = 0.001;                                     // of the stand-in's time
  uint32_t most = 24;                                           // parameters; of those that pass the screening
  std::vector<Parameter> beyond;                                // parameters without keys
  std::function<void(uint64_t done, uint64_t total)> progress;  // work; from one thread at a time
};

// One parameter alone.
struct Effect {
  Parameter parameter;
  std::string low, high;                // its values there, as the file counts
  std::vector<Sample> at_low, at_high;  // per subject; the subject's own base where it cannot matter
};

struct Study {
  std::vector<std::string> subjects;
  std::vector<Sample> base;                 // per subject, at the file's values
  std::vector<Effect> effects;              // in schema order
  std::vector<std::vector<Sample>> draws;   // [draw][subject]
  std::vector<Places> places;               // per draw, of all parameters
  std::vector<std::set<std::string>> felt;  // per subject: parameters that its instructions can feel
  uint32_t parameters = 0;                  // varied jointly
  uint32_t screened_out = 0;                // could matter by their kind, but moved no stand-in
  uint32_t redrawn = 0;                     // draws that took more than one attempt
};

// The first error of a run ends the study; runs that are kept elsewhere (the caller's cache) are not lost.
Result<Study> study(const machine::MachineConfig& base, const std::vector<Subject>& subjects,
                    const StudyOptions& options);

}  // namespace smreplay::interval
