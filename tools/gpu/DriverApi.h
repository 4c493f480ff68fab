// The few entries of the CUDA driver API that the runner needs, found at run time: one binary built anywhere runs on
// any machine with a card, and builds where no CUDA toolkit is. Declarations after the CUDA Driver API reference
// (version 12 and 13; the `_v2` names are the current ABI of those functions).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "sim/isa/Result.h"

namespace smreplay::gpu {

using DeviceAddress = unsigned long long;
struct ContextHandle;
struct ModuleHandle;
struct FunctionHandle;
struct EventHandle;
struct StreamHandle;

// CUdevice_attribute.
enum class DeviceAttribute : int {
  kClockRateKhz = 13,
  kMultiprocessors = 16,
  kMemoryClockKhz = 36,
  kMemoryBusBits = 37,
  kL2Bytes = 38,
  kComputeMajor = 75,
  kComputeMinor = 76,
  kSharedBytesPerSm = 81,
  kSharedBytesPerCtaOptIn = 97,
};

// CUfunction_attribute.
enum class FunctionAttribute : int {
  kStaticSharedBytes = 1,
  kLocalBytes = 3,
  kRegisters = 4,
  kMaxDynamicSharedBytes = 8,
  kSharedCarveoutPercent = 9,
};

struct DriverTable {
  int (*cuInit)(unsigned);
  int (*cuDriverGetVersion)(int*);
  int (*cuDeviceGet)(int*, int);
  int (*cuDeviceGetName)(char*, int, int);
  int (*cuDeviceGetAttribute)(int*, int, int);
  int (*cuDevicePrimaryCtxRetain)(ContextHandle**, int);
  int (*cuDevicePrimaryCtxRelease_v2)(int);
  int (*cuCtxSetCurrent)(ContextHandle*);
  int (*cuCtxSynchronize)();
  int (*cuMemAlloc_v2)(DeviceAddress*, size_t);
  int (*cuMemFree_v2)(DeviceAddress);
  int (*cuMemcpyHtoD_v2)(DeviceAddress, const void*, size_t);
  int (*cuMemcpyDtoH_v2)(void*, DeviceAddress, size_t);
  int (*cuMemsetD8_v2)(DeviceAddress, unsigned char, size_t);
  int (*cuModuleLoadData)(ModuleHandle**, const void*);
  int (*cuModuleUnload)(ModuleHandle*);
  int (*cuModuleGetFunction)(FunctionHandle**, ModuleHandle*, const char*);
  int (*cuFuncGetAttribute)(int*, int, FunctionHandle*);
  int (*cuFuncSetAttribute)(FunctionHandle*, int, int);
  int (*cuOccupancyMaxActiveBlocksPerMultiprocessor)(int*, FunctionHandle*, int, size_t);
  int (*cuLaunchKernel)(FunctionHandle*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                        StreamHandle*, void**, void**);
  int (*cuEventCreate)(EventHandle**, unsigned);
  int (*cuEventDestroy_v2)(EventHandle*);
  int (*cuEventRecord)(EventHandle*, StreamHandle*);
  int (*cuEventSynchronize)(EventHandle*);
  int (*cuEventElapsedTime)(float*, EventHandle*, EventHandle*);
  int (*cuGetErrorName)(int, const char**);
  int (*cuGetErrorString)(int, const char**);
};

// Opens libcuda.so.1 and resolves the table. Error "gpu-no-driver" (exit 6) where there is none or it lacks an entry.
Result<const DriverTable*> open_driver();

// Ok, or an Error "gpu-driver" (exit 6) that names the call and the driver's words for its code.
Status check(const DriverTable& driver, int code, const std::string& call);

}  // namespace smreplay::gpu
