#include "tools/gpu/DriverApi.h"

#include <dlfcn.h>

namespace smreplay::gpu {
namespace {

constexpr const char* kLibrary = "libcuda.so.1";

template <class Function>
bool resolve(void* library, const char* name, Function& entry) {
  entry = reinterpret_cast<Function>(dlsym(library, name));
  return entry != nullptr;
}

Error no_driver(const std::string& message) { return Error{ExitCode::kNoGpu, "gpu-no-driver", message}; }

}  // namespace

Result<const DriverTable*> open_driver() {
  static DriverTable table;
  void* library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return no_driver(std::string(kLibrary) + " cannot be opened (" + dlerror() +
                     "): no NVIDIA driver on this machine?");
  }
#define SMREPLAY_RESOLVE(name) \
  if (!resolve(library, #name, table.name)) return no_driver(std::string(kLibrary) + " has no " #name ": too old")
  SMREPLAY_RESOLVE(cuInit);
  SMREPLAY_RESOLVE(cuDriverGetVersion);
  SMREPLAY_RESOLVE(cuDeviceGet);
  SMREPLAY_RESOLVE(cuDeviceGetName);
  SMREPLAY_RESOLVE(cuDeviceGetAttribute);
  SMREPLAY_RESOLVE(cuDevicePrimaryCtxRetain);
  SMREPLAY_RESOLVE(cuDevicePrimaryCtxRelease_v2);
  SMREPLAY_RESOLVE(cuCtxSetCurrent);
  SMREPLAY_RESOLVE(cuCtxSynchronize);
  SMREPLAY_RESOLVE(cuMemAlloc_v2);
  SMREPLAY_RESOLVE(cuMemFree_v2);
  SMREPLAY_RESOLVE(cuMemcpyHtoD_v2);
  SMREPLAY_RESOLVE(cuMemcpyDtoH_v2);
  SMREPLAY_RESOLVE(cuMemsetD8_v2);
  SMREPLAY_RESOLVE(cuModuleLoadData);
  SMREPLAY_RESOLVE(cuModuleUnload);
  SMREPLAY_RESOLVE(cuModuleGetFunction);
  SMREPLAY_RESOLVE(cuFuncGetAttribute);
  SMREPLAY_RESOLVE(cuFuncSetAttribute);
  SMREPLAY_RESOLVE(cuOccupancyMaxActiveBlocksPerMultiprocessor);
  SMREPLAY_RESOLVE(cuLaunchKernel);
  SMREPLAY_RESOLVE(cuEventCreate);
  SMREPLAY_RESOLVE(cuEventDestroy_v2);
  SMREPLAY_RESOLVE(cuEventRecord);
  SMREPLAY_RESOLVE(cuEventSynchronize);
  SMREPLAY_RESOLVE(cuEventElapsedTime);
  SMREPLAY_RESOLVE(cuGetErrorName);
  SMREPLAY_RESOLVE(cuGetErrorString);
#undef SMREPLAY_RESOLVE
  if (Status status = check(table, table.cuInit(0), "cuInit"); !status) return status.error();
  return &table;
}

Status check(const DriverTable& driver, int code, const std::string& call) {
  if (code == 0) return Ok{};
  const char* name = nullptr;
  const char* words = nullptr;
  driver.cuGetErrorName(code, &name);
  driver.cuGetErrorString(code, &words);
  return Error{ExitCode::kNoGpu, "gpu-driver",
               call + ": " + (name != nullptr ? name : std::to_string(code)) + (words != nullptr ? " (" : "") +
                   (words != nullptr ? words : "") + (words != nullptr ? ")" : "")};
}

}  // namespace smreplay::gpu
