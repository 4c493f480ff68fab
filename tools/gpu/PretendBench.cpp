#include <filesystem>
#include <utility>

#include "sim/trace/LaunchFile.h"
#include "tools/gpu/Bench.h"
#include "tools/gpu/EmulatedChain.h"

namespace smreplay::gpu {
namespace {

constexpr double kInstructionsPerMicrosecond = 4000;

class PretendLaunch : public TimedLaunch {
 public:
  PretendLaunch(double microseconds, uint32_t registers) : microseconds_(microseconds), registers_(registers) {}
  Result<double> time() override { return microseconds_; }
  Status describe(confirm::TimedCase& into) const override {
    into.registers = registers_;
    return Ok{};
  }

 private:
  double microseconds_;
  uint32_t registers_;
};

class PretendBench : public Bench {
 public:
  explicit PretendBench(uint32_t compute) {
    facts_.name = confirm::kDryRunName;
    facts_.compute = compute;
  }
  const confirm::GpuFacts& gpu() const override { return facts_; }
  uint32_t sm_mhz() const override { return 0; }
  uint32_t memory_mhz() const override { return 0; }

  Result<std::unique_ptr<TimedLaunch>> load(const std::string& launch_file) override {
    auto chain = trace::load_launch_chain(launch_file);
    if (!chain) return chain.error();
    auto launches = emulate_chain(*chain, std::filesystem::path(launch_file).parent_path().string());
    if (!launches) return launches.error();
    uint64_t executed = 0;
    for (const auto& count : launches->back().counts) executed += count.executed;
    const double microseconds = static_cast<double>(executed) / kInstructionsPerMicrosecond;
    return std::unique_ptr<TimedLaunch>(
        std::make_unique<PretendLaunch>(microseconds, launches->back().program.resources.registers_per_thread));
  }

 private:
  confirm::GpuFacts facts_;
};

}  // namespace

std::unique_ptr<Bench> pretend_gpu(uint32_t compute) { return std::make_unique<PretendBench>(compute); }

}  // namespace smreplay::gpu
