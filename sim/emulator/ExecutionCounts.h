// How often each instruction was executed, as Nsight Compute counts it.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/emulator/Lanes.h"

namespace smreplay::emulator {

struct InstructionCount {
  uint64_t executed = 0;      // inst_executed: by warps
  uint64_t threads = 0;       // thread_inst_executed: active threads
  uint64_t threads_true = 0;  // thread_inst_executed_true: active threads whose guard held
};

// Runs of instructions are added at their ends only (difference arrays); guards one by one.
class ExecutionCounts {
 public:
  explicit ExecutionCounts(size_t instructions)
      : executed_(instructions + 1, 0), threads_(instructions + 1, 0), false_threads_(instructions, 0) {}

  void run(uint32_t first, uint32_t end, Mask active) {
    const int64_t threads = std::popcount(active);
    ++executed_[first];
    --executed_[end];
    threads_[first] += threads;
    threads_[end] -= threads;
  }
  // Threads that an executed instruction's guard took out.
  void guard(uint32_t instruction, Mask active, Mask held) {
    false_threads_[instruction] += static_cast<uint64_t>(std::popcount(active & ~held));
  }

  // One per instruction.
  std::vector<InstructionCount> totals() const {
    std::vector<InstructionCount> result(false_threads_.size());
    int64_t executed = 0, threads = 0;
    for (size_t i = 0; i < result.size(); ++i) {
      executed += executed_[i];
      threads += threads_[i];
      result[i].executed = static_cast<uint64_t>(executed);
      result[i].threads = static_cast<uint64_t>(threads);
      result[i].threads_true = result[i].threads - false_threads_[i];
    }
    return result;
  }

 private:
  std::vector<int64_t> executed_, threads_;
  std::vector<uint64_t> false_threads_;
};

}  // namespace smreplay::emulator
