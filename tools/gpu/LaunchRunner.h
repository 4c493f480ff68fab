// Runs a chain of launches (a launch file and those that its `after` names) on a GPU, with buffers laid out and filled
// as the emulator does: in order, 2 MiB aligned, contents by kernels/common/fill.h.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sim/trace/launch.pb.h"
#include "tools/gpu/Device.h"
#include "tools/gpu/HostFill.h"
#include "tools/gpu/L2Flush.h"

namespace smreplay::gpu {

struct RunOptions {
  uint32_t repeats = 1;      // timed runs of the last launch
  bool flush_l2 = true;      // empty the L2 before each timed run (a COLD launch)
  uint32_t ctas_per_sm = 0;  // pad dynamic shared memory until no more than this many fit; 0: as the launch says
};

struct RunResult {
  std::vector<float> microseconds;    // of each timed run of run(), by events around the one kernel
  uint32_t dynamic_shared_bytes = 0;  // after padding
  int registers = 0;
  int local_bytes = 0;
  int static_shared_bytes = 0;
  int resident_ctas = 0;  // per SM
};

class LaunchRunner {
 public:
  // `fill`: computed contents of buffers, kept for the next runner; null: for this one alone.
  explicit LaunchRunner(const Device& device, HostFill* fill = nullptr) : device_(device), fill_(fill) {}

  // Places the buffers, runs the launches that come before and makes the last one ready. `folder` holds the cubins:
  // <stem of `program`>.cubin. `chain` must outlive the runner's use. `flush`: what empties the
  // L2 before each run, shared among runners; null: the runner's own, or none (RunOptions). Errors of the driver
  // ("gpu-driver"), of files, and "gpu-arguments" where an argument cannot be passed.
  Status load(const std::vector<trace::proto::LaunchSpec>& chain, const std::string& folder, const RunOptions& options,
              std::shared_ptr<L2Flush> flush = nullptr);
  // One run of the last launch, in microseconds. Precondition: load().
  Result<float> time_once();
  // What the driver says of the last launch. Precondition: load().
  Result<RunResult> facts() const;

  // load(), as many runs as asked for, facts().
  Result<RunResult> run(const std::vector<trace::proto::LaunchSpec>& chain, const std::string& folder,
                        const RunOptions& options);

  // What the last launch left in a buffer of the chain.
  Result<std::vector<uint8_t>> contents(const std::string& buffer) const;

 private:
  struct Placed {
    DeviceAddress address = 0;
    uint64_t bytes = 0;
  };
  struct Prepared {
    const trace::proto::LaunchSpec* launch = nullptr;
    std::unique_ptr<Kernel> kernel;
    uint32_t dynamic_shared_bytes = 0;
    std::vector<uint64_t> values;  // one per argument, its bytes in the low end
  };

  Status place_buffers(const std::vector<trace::proto::LaunchSpec>& chain);
  Result<Prepared> prepare(const trace::proto::LaunchSpec& launch, const std::string& folder,
                           uint32_t ctas_per_sm) const;
  Result<uint64_t> argument_value(const trace::proto::Argument& argument) const;
  Status start(Prepared& prepared) const;
  Result<float> timed(Prepared& prepared) const;

  const Device& device_;
  HostFill* fill_;
  HostFill own_fill_;
  std::unique_ptr<DeviceMemory> arena_;
  std::shared_ptr<L2Flush> flush_;
  Prepared last_;
  std::map<std::string, Placed> buffers_;
};

}  // namespace smreplay::gpu
