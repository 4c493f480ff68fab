// What launches are timed on: the GPU present, or the emulator, which stands in for one where the way from plan to
// measurement is tried without a card.
#pragma once

#include <memory>
#include <string>

#include "sim/confirm/Measurement.h"
#include "sim/isa/Result.h"

namespace smreplay::gpu {

// A launch whose buffers are placed and whose code is loaded.
class TimedLaunch {
 public:
  virtual ~TimedLaunch() = default;
  // One run, from flushed caches, in microseconds.
  virtual Result<double> time() = 0;
  // Fills in what the driver says of the kernel.
  virtual Status describe(confirm::TimedCase& into) const = 0;
};

class Bench {
 public:
  virtual ~Bench() = default;
  virtual const confirm::GpuFacts& gpu() const = 0;
  // The SM's and the memory's clock now, in MHz; 0: not known.
  virtual uint32_t sm_mhz() const = 0;
  virtual uint32_t memory_mhz() const = 0;
  // Loads a launch file; its cubin lies beside it.
  virtual Result<std::unique_ptr<TimedLaunch>> load(const std::string& launch_file) = 0;
  // How the L2 is emptied before each run: "read" (clean lines stay), "overwritten" (dirty ones do).
  virtual std::string flush() const { return {}; }
  // Host memory that was kept for launches alike may go.
  virtual void forget() {}
};

// Errors: gpu-no-driver, gpu-driver (exit 6).
Result<std::unique_ptr<Bench>> open_gpu(int ordinal);

// Pretends that a launch takes a nanosecond per 4 warp instructions; `compute` is what the plan asks for.
std::unique_ptr<Bench> pretend_gpu(uint32_t compute);

}  // namespace smreplay::gpu
