// Empties the L2 of a launch's data before a timed run, and leaves clean lines behind: a kernel of a few lines reads
// more than the L2 holds. (Overwriting it instead leaves dirty lines, which the timed kernel then has to push out to
// DRAM: on an H200 that made kernels of 75 us up to 19 % slower than under the profiler, which leaves no dirty lines.)
//
// The kernel is PTX, compiled by the driver; where the driver has no compiler, the memory is overwritten after all.
#pragma once

#include <memory>

#include "tools/gpu/Device.h"

namespace smreplay::gpu {

class L2Flush {
 public:
  // Error: gpu-driver.
  static Result<std::unique_ptr<L2Flush>> create(const Device& device);

  // Queued when it returns. What is queued next is there before the flush ends, so that events around a kernel measure
  // no waiting for the host.
  Status run() const;
  bool reads() const { return kernel_ != nullptr; }

 private:
  L2Flush(const Device& device, std::unique_ptr<DeviceMemory> memory) : device_(device), memory_(std::move(memory)) {}

  const Device& device_;
  std::unique_ptr<DeviceMemory> memory_;
  std::unique_ptr<Kernel> kernel_;  // null: memory is overwritten
};

}  // namespace smreplay::gpu
