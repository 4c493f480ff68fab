// What is in a trace file, and whether it is sound.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "sim/isa/Program.h"
#include "sim/isa/Result.h"
#include "sim/trace/launch.pb.h"

namespace smreplay::trace {

inline constexpr size_t kMemorySpaces = static_cast<size_t>(isa::MemorySpace::kConstant) + 1;

struct TraceInfo {
  uint32_t format_version = 0;
  std::string tool_version;
  std::string kernel;
  uint32_t sm = 0;
  isa::Resources resources;
  isa::Provenance provenance;
  uint64_t static_instructions = 0;
  proto::LaunchSpec launch;
  uint64_t ctas = 0;
  uint64_t warps = 0;
  uint64_t instructions = 0;         // warp instructions
  uint64_t thread_instructions = 0;  // active threads over all of them
  uint64_t distinct_paths = 0;
  std::array<uint64_t, kMemorySpaces> accesses{};         // by isa::MemorySpace, generic ones resolved: warp accesses
  std::array<uint64_t, kMemorySpaces> thread_accesses{};  // lanes over all of them
  uint64_t file_bytes = 0;

  double bytes_per_instruction() const {
    return instructions == 0 ? 0 : static_cast<double>(file_bytes) / static_cast<double>(instructions);
  }
};

// Reads the whole file. Errors as TraceReader's.
Result<TraceInfo> trace_info(const std::string& path);

// As trace_info, and checks that every path is one that the Program allows (PathCheck.h), that each access belongs to
// the threads that execute it, and that generic spaces and barrier values are as many as the path needs. Error
// "trace-invalid": the file is intact, but what it says cannot be; CTA, warp and instruction are named.
Result<TraceInfo> check_trace(const std::string& path);

}  // namespace smreplay::trace
