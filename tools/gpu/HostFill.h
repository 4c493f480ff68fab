// Contents of launch buffers, computed once for launches that have the same: hundred megabytes take longer to compute
// than to copy.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/trace/launch.pb.h"

namespace smreplay::gpu {

class HostFill {
 public:
  // By the rules of kernels/common/fill.h. Valid until clear().
  const std::vector<uint8_t>& contents(const trace::proto::Buffer& buffer);
  void clear() { kept_.clear(); }

 private:
  std::map<std::string, std::vector<uint8_t>> kept_;  // by the buffer's message, without its name
};

}  // namespace smreplay::gpu
