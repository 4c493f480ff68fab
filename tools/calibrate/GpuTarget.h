// Runs benchmarks on the GPU present, through the driver's entries alone (tools/gpu).
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/calibrate/Benchmark.h"
#include "tools/gpu/Device.h"

namespace smreplay::calibrate {

class GpuTarget {
 public:
  // `folder` holds the packed cubins of kernels/microbench: smNN.cubins. Errors of the driver (exit 6);
  // "calibrate-cubins" (exit 6) where the folder has none for the card's architecture. `small`: a MiB of data instead
  // of gigabytes, because a profiler saves and restores what kernels may write.
  static Result<std::unique_ptr<GpuTarget>> open(const std::string& folder, int ordinal, bool small);

  const gpu::DeviceInfo& info() const { return device_->info(); }

  // The samples of all its launches. Error (exit 6): of the driver. An illegal access of a kernel spoils the context;
  // the next benchmark gets a new one.
  Result<std::vector<int64_t>> run(const Benchmark& benchmark);

 private:
  struct Module {
    std::string name;
    std::string image;
  };
  struct Launch {  // of one kernel
    gpu::Kernel* kernel = nullptr;
    uint32_t ctas = 1, threads = 32, dynamic_shared_bytes = 0;
    uint64_t data_offset = 0;
    std::array<uint32_t, 4> arguments = {};
  };

  Status open_device();
  Status reopen();
  Result<std::vector<int64_t>> run_launches(const Benchmark& benchmark);
  Status read_modules(const std::string& folder);
  Status allocate();
  Result<gpu::Kernel*> plain_kernel(const std::string& name);
  Result<gpu::Kernel*> patched_kernel(const std::string& name, const BurstPatch& patch);
  Result<std::unique_ptr<gpu::Kernel>> load(const std::string& name, const BurstPatch* patch) const;
  Status prepare(const Benchmark& benchmark);
  Status start(Launch launch) const;
  Result<std::optional<Launch>> launch_ahead(const Benchmark& benchmark);
  // Milliseconds of `queued` launches, behind the one that goes ahead.
  Result<float> timed(const Launch& launch, const std::optional<Launch>& ahead, uint32_t queued) const;
  Result<std::vector<uint32_t>> words(uint32_t count) const;

  int ordinal_ = 0;
  bool small_ = false;
  bool spoilt_ = false;  // the context, by a kernel's illegal access
  std::unique_ptr<gpu::Device> device_;
  std::vector<Module> modules_;
  std::map<std::string, size_t> module_of_;  // by kernel
  std::unique_ptr<gpu::DeviceMemory> out_, sink_, data_;
  std::map<std::string, std::unique_ptr<gpu::Kernel>> kernels_;  // unpatched ones
  std::unique_ptr<gpu::Kernel> patched_;                         // the last patched one
  std::string patched_key_;
};

}  // namespace smreplay::calibrate
