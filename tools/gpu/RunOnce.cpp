#include "tools/gpu/RunOnce.h"

#include <filesystem>

#include "sim/trace/LaunchFile.h"
#include "tools/gpu/LaunchRunner.h"

namespace smreplay::gpu {

Status run_once(const std::string& launch_file, int ordinal) {
  const auto chain = trace::load_launch_chain(launch_file);
  if (!chain) return chain.error();
  const auto device = Device::open(ordinal);
  if (!device) return device.error();
  LaunchRunner runner(**device);
  RunOptions options;
  options.flush_l2 = false;
  const auto done = runner.run(*chain, std::filesystem::path(launch_file).parent_path().string(), options);
  if (!done) return done.error();
  return Ok{};
}

}  // namespace smreplay::gpu
