// Clocks and the driver's version from the NVIDIA Management Library, opened at run time. A convenience: where it is
// missing, the readings are 0 and the version is empty.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace smreplay::gpu {

class Nvml {
 public:
  // Of the GPU with this index. NVML's order is by PCI bus, CUDA's by speed unless CUDA_DEVICE_ORDER says otherwise: on
  // a machine with different cards, the name has to be the one that CUDA gave, else nothing is read.
  explicit Nvml(unsigned index, const std::string& name);
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  std::string driver() const;   // "580.159.04"
  uint32_t sm_mhz() const;      // now
  uint32_t memory_mhz() const;  // now

 private:
  struct Table;
  uint32_t clock(unsigned which) const;

  void* library_ = nullptr;
  std::optional<void*> device_;
};

}  // namespace smreplay::gpu
