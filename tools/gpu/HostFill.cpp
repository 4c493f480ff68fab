#include "tools/gpu/HostFill.h"

#include "kernels/common/FillFromProto.h"

namespace smreplay::gpu {

const std::vector<uint8_t>& HostFill::contents(const trace::proto::Buffer& buffer) {
  trace::proto::Buffer unnamed;
  unnamed.set_bytes(buffer.bytes());
  *unnamed.mutable_fill() = buffer.fill();
  const std::string key = std::string(buffer.has_fill() ? "filled " : "poison ") + unnamed.SerializeAsString();
  const auto [entry, is_new] = kept_.try_emplace(key);
  if (is_new) {
    entry->second.resize(buffer.bytes());
    kernels::fill_range(kernels::fill_from_proto(buffer), 0, entry->second.size(), entry->second.data());
  }
  return entry->second;
}

}  // namespace smreplay::gpu
