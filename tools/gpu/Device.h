// The GPU that the process uses: driver, primary context, and device memory and kernels that free themselves.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tools/gpu/DriverApi.h"

namespace smreplay::gpu {

struct DeviceInfo {
  std::string name;
  int driver_version = 0;  // e.g. 13000
  int compute = 0;         // major * 10 + minor
  int multiprocessors = 0;
  int shared_bytes_per_sm = 0;
  int shared_bytes_per_cta = 0;  // opt-in maximum
  int l2_bytes = 0;
  int clock_khz = 0;   // maximum SM clock
  int memory_khz = 0;  // maximum memory clock
  int bus_bits = 0;    // of the memory
};

class Device {
 public:
  static Result<std::unique_ptr<Device>> open(int ordinal);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const DriverTable& driver() const { return driver_; }
  const DeviceInfo& info() const { return info_; }
  Status call(int code, const std::string& what) const { return check(driver_, code, what); }
  Status synchronise() const { return call(driver_.cuCtxSynchronize(), "cuCtxSynchronize"); }

 private:
  explicit Device(const DriverTable& driver) : driver_(driver) {}
  Status initialise(int ordinal);

  const DriverTable& driver_;
  DeviceInfo info_;
  int ordinal_ = -1;
  ContextHandle* context_ = nullptr;
};

// A range of device memory.
class DeviceMemory {
 public:
  static Result<std::unique_ptr<DeviceMemory>> allocate(const Device& device, uint64_t bytes);
  ~DeviceMemory() { device_.driver().cuMemFree_v2(address_); }
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  DeviceAddress address() const { return address_; }
  uint64_t bytes() const { return bytes_; }

 private:
  DeviceMemory(const Device& device, DeviceAddress address, uint64_t bytes)
      : device_(device), address_(address), bytes_(bytes) {}

  const Device& device_;
  DeviceAddress address_;
  uint64_t bytes_;
};

// One kernel of a cubin.
class Kernel {
 public:
  static Result<std::unique_ptr<Kernel>> load(const Device& device, const std::string& cubin_path,
                                              const std::string& symbol);
  // The same from a cubin in memory; `name` stands for it in errors.
  static Result<std::unique_ptr<Kernel>> load_image(const Device& device, const std::string& image,
                                                    const std::string& name, const std::string& symbol);
  ~Kernel() { device_.driver().cuModuleUnload(module_); }
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  FunctionHandle* function() const { return function_; }
  Result<int> attribute(FunctionAttribute which) const;
  Status set(FunctionAttribute which, int value) const;
  // Resident CTAs of an SM with this block and dynamic shared memory.
  Result<int> resident_ctas(uint32_t threads, uint32_t dynamic_shared_bytes) const;

 private:
  Kernel(const Device& device, ModuleHandle* module) : device_(device), module_(module) {}

  const Device& device_;
  ModuleHandle* module_;
  FunctionHandle* function_ = nullptr;
};

}  // namespace smreplay::gpu
