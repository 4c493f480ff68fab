// Runs benchmarks on the simulated GPU: emulator and timing model, with the same code as on a card.
//
// What the kernels would write is not taken from the emulator, whose clock counts instructions, but from the cycles at
// which the timing model issues their readings of the clock: those of a warp, in order, are the pairs of `out`.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sim/calibrate/Benchmark.h"
#include "sim/isa/Program.h"
#include "sim/machine/Machine.h"

namespace smreplay::calibrate {

class SimulatedTarget {
 public:
  // `folder` holds the packed Programs of kernels/microbench: smNN.programs. Errors: those of the pack.
  static Result<std::unique_ptr<SimulatedTarget>> open(const std::string& folder, const machine::Machine& machine);

  // The samples of all its launches. Several threads may run benchmarks at once. Precondition: benchmark.simulated.
  // Errors: those of emulator and timing model.
  Result<std::vector<int64_t>> run(const Benchmark& benchmark) const;

 private:
  explicit SimulatedTarget(const machine::Machine& machine) : machine_(machine) {}

  Result<isa::Program> program(const std::string& kernel, const BurstPatch* patch) const;
  Result<std::vector<uint8_t>> data_of(const Benchmark& benchmark) const;
  Result<std::vector<uint32_t>> words(const Benchmark& benchmark, const isa::Program& program) const;

  machine::Machine machine_;
  std::map<std::string, std::string> programs_;  // serialised, by kernel
};

}  // namespace smreplay::calibrate
