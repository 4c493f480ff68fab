// Functional execution of one launch: a Program and a LaunchSpec in, per CTA the dynamic trace out, and the buffers as
// the kernel leaves them.
//
//   auto emulator = Emulator::create(program, launch, {});
//   while (auto cta = (*emulator)->next()) ...      // or run_all()
//   (*emulator)->buffer("out");
//
// CTAs run one after the other in linear order, the warps of a CTA in turn until each waits at a barrier or ends; a
// warp that loops gives way after kShare instructions. What this cannot show: interleavings of CTAs. A CTA that waits
// for a later one is found and refused (ProgressWatch.h).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/emulator/ExecutionCounts.h"
#include "sim/isa/Program.h"
#include "sim/isa/Result.h"
#include "sim/trace/CtaTrace.h"
#include "sim/trace/launch.pb.h"

namespace smreplay::emulator {

struct Preload {
  std::string buffer;
  std::vector<uint8_t> contents;  // exactly the buffer's size
};

// A CTA of the largest kernels known executes some million; this is ten seconds of emulation.
inline constexpr uint64_t kDefaultInstructionLimit = 1ULL << 27U;
inline constexpr uint64_t kDefaultMemoryLimit = 1ULL << 36U;

struct Options {
  bool record_trace = true;      // false: next() gives CtaTraces without warps
  std::vector<Preload> preload;  // what an earlier launch left (LaunchSpec::after)
  // What a run may cost; beyond, Errors (exit 5).
  uint64_t instruction_limit = kDefaultInstructionLimit;  // warp instructions of one CTA: instruction-limit
  uint64_t memory_limit = kDefaultMemoryLimit;            // bytes of buffers that are touched: out-of-memory
};

class Emulator : public trace::CtaSource {
 public:
  // Errors: unsupported-instruction (names all of them), unsupported-architecture, launch-parameter, launch-buffer,
  // launch-dimensions.
  static Result<std::unique_ptr<Emulator>> create(const isa::Program& program, const trace::proto::LaunchSpec& launch,
                                                  Options options);
  ~Emulator() override;

  // The next CTA, executed; null after the last. Errors while running: memory-outside-buffers, memory-misaligned,
  // deadlock, deadlock-in-warp, endless-loop, instruction-limit, cta-too-large, out-of-memory, and others that name the
  // place in the kernel.
  Result<std::shared_ptr<const trace::CtaTrace>> next() override;

  // Runs what is left; traces are dropped.
  Status run_all();

  // Bytes of a buffer as they are now; empty if there is none of this name.
  std::vector<uint8_t> buffer(std::string_view name) const;

  // One per instruction, over the CTAs run so far.
  std::vector<InstructionCount> counts() const;
  uint64_t warp_instructions() const;
  uint64_t ctas() const;

  // Things that a user should know, such as hidden parameters filled with null.
  const std::vector<std::string>& notes() const;

 private:
  struct State;
  explicit Emulator(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace smreplay::emulator
