#include "tools/gpu/Device.h"

#include <array>
#include <fstream>
#include <iterator>

namespace smreplay::gpu {

Result<std::unique_ptr<Device>> Device::open(int ordinal) {
  auto driver = open_driver();
  if (!driver) return driver.error();
  std::unique_ptr<Device> device(new Device(**driver));
  if (Status status = device->initialise(ordinal); !status) return status.error();
  return device;
}

Status Device::initialise(int ordinal) {
  int handle = 0;
  if (Status s = call(driver_.cuDeviceGet(&handle, ordinal), "cuDeviceGet"); !s) return s;
  if (Status s = call(driver_.cuDevicePrimaryCtxRetain(&context_, handle), "cuDevicePrimaryCtxRetain"); !s) return s;
  ordinal_ = handle;
  if (Status s = call(driver_.cuCtxSetCurrent(context_), "cuCtxSetCurrent"); !s) return s;
  std::array<char, 128> name = {};
  if (Status s = call(driver_.cuDeviceGetName(name.data(), int{name.size()}, handle), "cuDeviceGetName"); !s) return s;
  info_.name = name.data();
  if (Status s = call(driver_.cuDriverGetVersion(&info_.driver_version), "cuDriverGetVersion"); !s) return s;
  int major = 0, minor = 0;
  for (const auto& [attribute, slot] :
       {std::pair(DeviceAttribute::kComputeMajor, &major), std::pair(DeviceAttribute::kComputeMinor, &minor),
        std::pair(DeviceAttribute::kMultiprocessors, &info_.multiprocessors),
        std::pair(DeviceAttribute::kSharedBytesPerSm, &info_.shared_bytes_per_sm),
        std::pair(DeviceAttribute::kSharedBytesPerCtaOptIn, &info_.shared_bytes_per_cta),
        std::pair(DeviceAttribute::kL2Bytes, &info_.l2_bytes),
        std::pair(DeviceAttribute::kMemoryClockKhz, &info_.memory_khz),
        std::pair(DeviceAttribute::kMemoryBusBits, &info_.bus_bits),
        std::pair(DeviceAttribute::kClockRateKhz, &info_.clock_khz)}) {
    const int code = driver_.cuDeviceGetAttribute(slot, static_cast<int>(attribute), handle);
    if (Status s = call(code, "cuDeviceGetAttribute"); !s) return s;
  }
  info_.compute = major * 10 + minor;
  return Ok{};
}

Device::~Device() {
  if (context_ != nullptr) driver_.cuDevicePrimaryCtxRelease_v2(ordinal_);
}

Result<std::unique_ptr<DeviceMemory>> DeviceMemory::allocate(const Device& device, uint64_t bytes) {
  DeviceAddress address = 0;
  const int code = device.driver().cuMemAlloc_v2(&address, bytes);
  if (Status s = device.call(code, "cuMemAlloc of " + std::to_string(bytes) + " bytes"); !s) return s.error();
  return std::unique_ptr<DeviceMemory>(new DeviceMemory(device, address, bytes));
}

Result<std::unique_ptr<Kernel>> Kernel::load(const Device& device, const std::string& cubin_path,
                                             const std::string& symbol) {
  std::ifstream file(cubin_path, std::ios::binary);
  if (!file) return Error{ExitCode::kBadInput, "file-missing", "cannot open the cubin", cubin_path};
  const std::string image((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  return load_image(device, image, cubin_path, symbol);
}

Result<std::unique_ptr<Kernel>> Kernel::load_image(const Device& device, const std::string& image,
                                                   const std::string& name, const std::string& symbol) {
  ModuleHandle* module = nullptr;
  const int code = device.driver().cuModuleLoadData(&module, image.c_str());
  if (Status s = device.call(code, "cuModuleLoadData of " + name); !s) return s.error();
  std::unique_ptr<Kernel> kernel(new Kernel(device, module));
  const int found = device.driver().cuModuleGetFunction(&kernel->function_, module, symbol.c_str());
  if (Status s = device.call(found, "cuModuleGetFunction of " + symbol); !s) return s.error();
  return kernel;
}

Result<int> Kernel::attribute(FunctionAttribute which) const {
  int value = 0;
  const int code = device_.driver().cuFuncGetAttribute(&value, static_cast<int>(which), function_);
  if (Status s = device_.call(code, "cuFuncGetAttribute"); !s) return s.error();
  return value;
}

Status Kernel::set(FunctionAttribute which, int value) const {
  const int code = device_.driver().cuFuncSetAttribute(function_, static_cast<int>(which), value);
  return device_.call(code, "cuFuncSetAttribute to " + std::to_string(value));
}

Result<int> Kernel::resident_ctas(uint32_t threads, uint32_t dynamic_shared_bytes) const {
  int count = 0;
  const int code = device_.driver().cuOccupancyMaxActiveBlocksPerMultiprocessor(
      &count, function_, static_cast<int>(threads), dynamic_shared_bytes);
  if (Status s = device_.call(code, "cuOccupancyMaxActiveBlocksPerMultiprocessor"); !s) return s.error();
  return count;
}

}  // namespace smreplay::gpu
