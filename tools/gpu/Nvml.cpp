#include "tools/gpu/Nvml.h"

#include <dlfcn.h>

#include <array>

namespace smreplay::gpu {
namespace {

// nvmlClockType_t.
constexpr unsigned kSmClock = 1, kMemoryClock = 2;
constexpr const char* kLibrary = "libnvidia-ml.so.1";
constexpr unsigned kNameBytes = 96;

template <class Function>
Function* entry(void* library, const char* name) {
  return library == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(library, name));
}

}  // namespace

Nvml::Nvml(unsigned index, const std::string& name) {
  library_ = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  auto* init = entry<int()>(library_, "nvmlInit_v2");
  auto* by_index = entry<int(unsigned, void**)>(library_, "nvmlDeviceGetHandleByIndex_v2");
  auto* name_of = entry<int(void*, char*, unsigned)>(library_, "nvmlDeviceGetName");
  if (init == nullptr || by_index == nullptr || name_of == nullptr || init() != 0) return;
  void* handle = nullptr;
  std::array<char, kNameBytes> its_name{};
  if (by_index(index, &handle) != 0 || name_of(handle, its_name.data(), kNameBytes) != 0) return;
  if (name == its_name.data()) device_ = handle;
}

Nvml::~Nvml() {
  if (library_ == nullptr) return;
  if (auto* shutdown = entry<int()>(library_, "nvmlShutdown"); shutdown != nullptr) shutdown();
  dlclose(library_);
}

std::string Nvml::driver() const {
  auto* version = entry<int(char*, unsigned)>(library_, "nvmlSystemGetDriverVersion");
  std::array<char, kNameBytes> text{};
  if (version == nullptr || version(text.data(), kNameBytes) != 0) return {};
  return text.data();
}

uint32_t Nvml::clock(unsigned which) const {
  auto* read = entry<int(void*, unsigned, unsigned*)>(library_, "nvmlDeviceGetClockInfo");
  unsigned megahertz = 0;
  if (!device_ || read == nullptr || read(*device_, which, &megahertz) != 0) return 0;
  return megahertz;
}

uint32_t Nvml::sm_mhz() const { return clock(kSmClock); }

uint32_t Nvml::memory_mhz() const { return clock(kMemoryClock); }

}  // namespace smreplay::gpu
