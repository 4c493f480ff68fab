#include "tests/unit/trace/LegalTrace.h"

#include <algorithm>
#include <bit>
#include <random>

#include "sim/trace/SiteTable.h"

namespace smreplay::trace {

namespace {

// Instruction indices of the test kernel.
constexpr uint32_t kLoop = 13;         // first of the loop
constexpr uint32_t kGuardedLoad = 22;  // @!P0 LDG
constexpr uint32_t kBranch = 27;       // @!P0 BRA kConverge
constexpr uint32_t kReduction = 38;    // @P0 REDG, by one thread
constexpr uint32_t kConverge = 39;     // BSYNC
constexpr uint32_t kBack = 42;         // BRA.U !UP0, kLoop
constexpr uint32_t kEnd = 47;          // after EXIT

class Walk {
 public:
  Walk(const isa::Program& program, std::mt19937& random, CtaTrace& cta)
      : program_(program), random_(random), cta_(cta) {}

  WarpTrace run(uint32_t threads, uint32_t warp) {
    warp_ = warp;
    step(0, kLoop, threads, 0);
    const uint32_t rounds = 1 + static_cast<uint32_t>(random_() % 6);
    for (uint32_t r = 0; r < rounds; ++r) {
      const uint32_t choice = static_cast<uint32_t>(random_() % 3);
      const uint32_t zeros = choice == 0 ? threads : choice == 1 ? 0 : static_cast<uint32_t>(random_()) & threads;
      step(kLoop, kBranch + 1, threads, zeros);
      const uint32_t others = threads & ~zeros;
      if (others != 0) step(kBranch + 1, kConverge + 1, others, 0);
      if (others != 0 && zeros != 0) step(kConverge, kConverge + 1, zeros, 0);
      if (others == 0) step(kConverge, kConverge + 1, threads, 0);
      step(kConverge + 1, kBack + 1, threads, 0);
    }
    step(kBack + 1, kEnd, threads, 0);
    trace_.path = std::make_shared<Path>(path_);
    return trace_;
  }

 private:
  void step(uint32_t first, uint32_t end, uint32_t active, uint32_t zeros) {
    if (!path_.runs.empty() && path_.runs.back().active_mask == active &&
        path_.runs.back().first + path_.runs.back().count == first) {
      path_.runs.back().count += end - first;
    } else {
      path_.runs.push_back({first, end - first, active});
    }
    path_.instructions += end - first;
    for (uint32_t i = first; i < end; ++i) {
      const isa::Instruction& instruction = program_.instructions[i];
      uint32_t mask = active;
      if (!instruction.guard.always()) {
        mask = i >= kGuardedLoad ? zeros : 0;
        if (i == kReduction) mask = 1U << std::countr_zero(active);
        path_.guard_masks.push_back(mask);
      }
      for (uint32_t a = 0; a < access_count(instruction); ++a) access(i, a, mask);
      if (instruction.space == isa::MemorySpace::kGeneric) {
        trace_.generic_spaces.push_back(static_cast<uint8_t>(isa::MemorySpace::kGlobal));
      }
    }
  }

  void access(uint32_t instruction, uint32_t which, uint32_t mask) {
    MemoryAccess access;
    if (mask != 0) {
      AddressPattern pattern{mask, {}};
      const int lowest = std::countr_zero(mask);
      for (int lane = lowest; lane < 32; ++lane) {
        if ((mask >> lane & 1U) != 0) pattern.offset[lane] = (lane - lowest) * 16;
      }
      const auto found = std::ranges::find(cta_.patterns, pattern);
      access.pattern = static_cast<uint32_t>(found - cta_.patterns.begin());
      if (found == cta_.patterns.end()) cta_.patterns.push_back(pattern);
      access.base = which == 0 ? 0x7f0000000000U + 2048 * uint64_t{instruction} : 1024;
      access.base += warp_ * 512 + static_cast<uint32_t>(lowest) * 16;
    }
    trace_.accesses.push_back(access);
  }

  const isa::Program& program_;
  std::mt19937& random_;
  CtaTrace& cta_;
  uint32_t warp_ = 0;
  Path path_;
  WarpTrace trace_;
};

}  // namespace

Ctas legal_ctas(const isa::Program& program, uint32_t seed, uint32_t ctas, uint32_t threads) {
  constexpr uint32_t kWarp = 32;
  std::mt19937 random(seed);
  Ctas result;
  for (uint32_t c = 0; c < ctas; ++c) {
    auto cta = std::make_shared<CtaTrace>();
    cta->linear_id = c;
    for (uint32_t first = 0; first < threads; first += kWarp) {
      const uint32_t mask = threads - first >= kWarp ? ~0U : (1U << (threads - first)) - 1;
      cta->warps.push_back(Walk(program, random, *cta).run(mask, first / kWarp));
    }
    result.push_back(std::move(cta));
  }
  return result;
}

proto::LaunchSpec legal_launch(uint32_t ctas, uint32_t threads) {
  proto::LaunchSpec launch;
  launch.set_name("legal");
  launch.set_kernel("k");
  launch.mutable_grid()->set_x(ctas);
  launch.mutable_block()->set_x(threads);
  return launch;
}

}  // namespace smreplay::trace
