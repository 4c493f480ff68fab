#include <filesystem>
#include <utility>

#include "sim/trace/LaunchFile.h"
#include "tools/gpu/Bench.h"
#include "tools/gpu/LaunchRunner.h"
#include "tools/gpu/Nvml.h"

namespace smreplay::gpu {
namespace {

constexpr int kKhzPerMhz = 1000;

class GpuLaunch : public TimedLaunch {
 public:
  GpuLaunch(const Device& device, HostFill& fill, std::vector<trace::proto::LaunchSpec> chain)
      : chain_(std::move(chain)), runner_(device, &fill) {}

  Status load(const std::string& folder, std::shared_ptr<L2Flush> flush) {
    return runner_.load(chain_, folder, {}, std::move(flush));
  }

  Result<double> time() override {
    auto microseconds = runner_.time_once();
    if (!microseconds) return microseconds.error();
    return double{*microseconds};
  }

  Status describe(confirm::TimedCase& into) const override {
    auto facts = runner_.facts();
    if (!facts) return facts.error();
    into.registers = static_cast<uint32_t>(facts->registers);
    into.local_bytes = static_cast<uint32_t>(facts->local_bytes);
    into.static_shared_bytes = static_cast<uint32_t>(facts->static_shared_bytes);
    into.dynamic_shared_bytes = facts->dynamic_shared_bytes;
    into.resident_ctas = static_cast<uint32_t>(facts->resident_ctas);
    return Ok{};
  }

 private:
  std::vector<trace::proto::LaunchSpec> chain_;
  LaunchRunner runner_;
};

class GpuBench : public Bench {
 public:
  GpuBench(std::unique_ptr<Device> device, std::shared_ptr<L2Flush> flush, unsigned ordinal)
      : device_(std::move(device)), flush_(std::move(flush)), nvml_(ordinal, device_->info().name) {
    const DeviceInfo& info = device_->info();
    facts_.name = info.name;
    facts_.driver = nvml_.driver();
    facts_.compute = static_cast<uint32_t>(info.compute);
    facts_.multiprocessors = static_cast<uint32_t>(info.multiprocessors);
    facts_.max_sm_mhz = static_cast<uint32_t>(info.clock_khz / kKhzPerMhz);
  }
  ~GpuBench() override { flush_.reset(); }  // before the context

  const confirm::GpuFacts& gpu() const override { return facts_; }
  uint32_t sm_mhz() const override { return nvml_.sm_mhz(); }
  uint32_t memory_mhz() const override { return nvml_.memory_mhz(); }

  Result<std::unique_ptr<TimedLaunch>> load(const std::string& launch_file) override {
    auto chain = trace::load_launch_chain(launch_file);
    if (!chain) return chain.error();
    auto launch = std::make_unique<GpuLaunch>(*device_, fill_, std::move(*chain));
    const std::string folder = std::filesystem::path(launch_file).parent_path().string();
    if (Status loaded = launch->load(folder, flush_); !loaded) return loaded.error();
    return std::unique_ptr<TimedLaunch>(std::move(launch));
  }

  std::string flush() const override { return flush_->reads() ? "read" : "overwritten"; }
  void forget() override { fill_.clear(); }

 private:
  std::unique_ptr<Device> device_;
  std::shared_ptr<L2Flush> flush_;
  Nvml nvml_;
  HostFill fill_;
  confirm::GpuFacts facts_;
};

}  // namespace

Result<std::unique_ptr<Bench>> open_gpu(int ordinal) {
  auto device = Device::open(ordinal);
  if (!device) return device.error();
  auto flush = L2Flush::create(**device);
  if (!flush) return flush.error();
  return std::unique_ptr<Bench>(
      std::make_unique<GpuBench>(std::move(*device), std::move(*flush), static_cast<unsigned>(ordinal)));
}

}  // namespace smreplay::gpu
