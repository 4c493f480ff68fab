// What an H200 computed for the embedded sm_90 captures of V0 (data/, written by import_gpu.py), and the comparison of
// the emulator with it. Nothing here needs a GPU.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sim/emulator/ExecutionCounts.h"
#include "tools/gpu/EmulatedChain.h"

namespace smreplay::validation {

inline const std::vector<std::string> kFolders = {"plain331-v0-sm90", "plain390-v0-sm90", "tuned-v0-sm90",
                                                  "cuda-v0-sm90"};

// Empty where the reference was measured on the cubins that `folder` holds now; otherwise what is stale and what to do.
std::string stale(const std::string& folder);

// The bytes of an output against the GPU's hash. Where they differ, says at which element the kept part differs first.
void expect_output(const std::string& folder, const std::string& launch, const std::string& buffer,
                   const std::string& bytes);

// Executed, thread-executed and predicated-on counts of each instruction against Nsight Compute's.
void expect_counts(const std::string& folder, const std::string& launch, const isa::Program& program,
                   const std::vector<emulator::InstructionCount>& counts);

// Emulates split and combine of `concurrency` ("c1", "edge", "c96") and compares all that was measured; skips a stale
// reference with a message.
void expect_equal(const std::string& folder, const std::string& concurrency, bool profiled);

}  // namespace smreplay::validation
