// Runs benchmarks on the GPU present, through the driver's entries alone (tools/gpu).
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sim/calibrate/Benchmark.h"
#include "tools/gpu/Device.h"

namespace smreplay::calibrate {

class GpuTarget {
 public:
  // `folder` holds the cubins of kernels/microbench for the card: NAME.smNN.cubin. Errors of the driver (exit 6);
  // "calibrate-cubins" (exit 6) where the folder has none for the card's architecture. `small`: a MiB of data instead
  // of gigabytes, because a profiler saves and restores what kernels may write.
  static Result<std::unique_ptr<GpuTarget>> open(const std::string& folder, int ordinal, bool small);

  const gpu::DeviceInfo& info() const { return device_->info(); }

  // The words that the kernel wrote.
  Result<std::vector<uint32_t>> run(const Benchmark& benchmark);

 private:
  struct Module {
    std::string path;
    std::string image;
  };

  Status read_modules(const std::string& folder);
  Status allocate(bool small);
  Result<gpu::Kernel*> kernel_of(const Benchmark& benchmark);
  Result<std::unique_ptr<gpu::Kernel>> load(const Benchmark& benchmark) const;
  Status clear(const Benchmark& benchmark) const;

  std::unique_ptr<gpu::Device> device_;
  std::vector<Module> modules_;
  std::map<std::string, size_t> module_of_;  // by kernel
  std::unique_ptr<gpu::DeviceMemory> out_, sink_, data_;
  std::map<std::string, std::unique_ptr<gpu::Kernel>> kernels_;  // unpatched ones
  std::unique_ptr<gpu::Kernel> patched_;                         // the last patched one
  std::string patched_key_;
};

}  // namespace smreplay::calibrate
