#include "tools/calibrate/GpuTarget.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "sim/sass/Cubin.h"
#include "tools/calibrate/PatchedCubin.h"

namespace smreplay::calibrate {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kOutBytes = 4 << 20;
constexpr uint64_t kSinkBytes = 1 << 20;
constexpr uint64_t kDataBytes = uint64_t{5} << 29;  // 2.5 GiB
constexpr uint64_t kSmallDataBytes = 1 << 20;
constexpr uint64_t kFlushBytes = uint64_t{1} << 29;  // more than any L2, behind the data

Error no_cubins(const std::string& folder, int compute) {
  return Error{ExitCode::kNoGpu, "calibrate-cubins",
               "no microbenchmarks for compute capability " + std::to_string(compute / 10) + "." +
                   std::to_string(compute % 10) + " (*.sm" + std::to_string(compute) +
                   ".cubin); compile kernels/microbench for it",
               folder};
}

}  // namespace

Result<std::unique_ptr<GpuTarget>> GpuTarget::open(const std::string& folder, int ordinal, bool small) {
  Result<std::unique_ptr<gpu::Device>> device = gpu::Device::open(ordinal);
  if (!device) return device.error();
  auto target = std::make_unique<GpuTarget>();
  target->device_ = std::move(*device);
  if (Status s = target->read_modules(folder); !s) return s.error();
  if (Status s = target->allocate(small); !s) return s.error();
  return target;
}

Status GpuTarget::read_modules(const std::string& folder) {
  const std::string suffix = ".sm" + std::to_string(info().compute) + ".cubin";
  std::error_code ignored;
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().string().ends_with(suffix)) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  for (const fs::path& path : paths) {
    std::ifstream file(path, std::ios::binary);
    Module module{path.string(), std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>())};
    const auto* bytes = reinterpret_cast<const uint8_t*>(module.image.data());
    const Result<sass::Cubin> cubin = sass::read_cubin({bytes, module.image.size()});
    if (!cubin) {
      Error error = cubin.error();
      error.file = module.path;
      return error;
    }
    for (const sass::CubinKernel& kernel : cubin->kernels) module_of_[kernel.name] = modules_.size();
    modules_.push_back(std::move(module));
  }
  if (modules_.empty()) return no_cubins(folder, info().compute);
  return Ok{};
}

Status GpuTarget::allocate(bool small) {
  const uint64_t data_bytes = small ? kSmallDataBytes : kDataBytes + kFlushBytes;
  for (const auto& [memory, bytes] :
       {std::pair(&out_, kOutBytes), std::pair(&sink_, kSinkBytes), std::pair(&data_, data_bytes)}) {
    auto allocated = gpu::DeviceMemory::allocate(*device_, bytes);
    if (!allocated) return allocated.error();
    *memory = std::move(*allocated);
    const int code = device_->driver().cuMemsetD8_v2((*memory)->address(), 0, bytes);
    if (Status s = device_->call(code, "cuMemsetD8"); !s) return s;
  }
  return device_->synchronise();
}

Result<std::unique_ptr<gpu::Kernel>> GpuTarget::load(const Benchmark& benchmark) const {
  const auto found = module_of_.find(benchmark.kernel);
  if (found == module_of_.end()) {
    return Error{ExitCode::kBadInput, "calibrate-patch", "no cubin holds the kernel " + benchmark.kernel};
  }
  const Module& module = modules_[found->second];
  if (!benchmark.patch) return gpu::Kernel::load_image(*device_, module.image, module.path, benchmark.kernel);
  const Result<std::string> image = patched_cubin(module.image, benchmark.kernel, *benchmark.patch);
  if (!image) return image.error();
  return gpu::Kernel::load_image(*device_, *image, module.path, benchmark.kernel);
}

Result<gpu::Kernel*> GpuTarget::kernel_of(const Benchmark& benchmark) {
  if (!benchmark.patch) {
    std::unique_ptr<gpu::Kernel>& kernel = kernels_[benchmark.kernel];
    if (kernel == nullptr) {
      auto loaded = load(benchmark);
      if (!loaded) return loaded.error();
      kernel = std::move(*loaded);
    }
    return kernel.get();
  }
  const BurstPatch& patch = *benchmark.patch;
  std::string key = benchmark.kernel + "/" + std::to_string(patch.count) + "/" + std::to_string(int(patch.wait));
  if (patch.sources) {
    for (const uint8_t v : {patch.sources->a, patch.sources->b, patch.sources->c, patch.sources->reuse})
      key += "/" + std::to_string(v);
  }
  if (key != patched_key_) {
    patched_.reset();
    auto loaded = load(benchmark);
    if (!loaded) return loaded.error();
    patched_ = std::move(*loaded);
    patched_key_ = key;
  }
  return patched_.get();
}

Status GpuTarget::clear(const Benchmark& benchmark) const {
  const gpu::DriverTable& driver = device_->driver();
  const uint64_t out_bytes = std::max<uint64_t>(4, 4 * uint64_t{benchmark.words});
  if (Status s = device_->call(driver.cuMemsetD8_v2(out_->address(), 0, out_bytes), "cuMemsetD8"); !s) return s;
  if (Status s = device_->call(driver.cuMemsetD8_v2(sink_->address(), 0, 64), "cuMemsetD8"); !s) return s;
  if (!benchmark.flush) return Ok{};
  return device_->call(driver.cuMemsetD8_v2(data_->address() + kDataBytes, 0, kFlushBytes), "cuMemsetD8");
}

Result<std::vector<uint32_t>> GpuTarget::run(const Benchmark& benchmark) {
  const gpu::DriverTable& driver = device_->driver();
  const Result<gpu::Kernel*> kernel = kernel_of(benchmark);
  if (!kernel) return kernel.error();
  constexpr uint32_t kFreeDynamicShared = 40 * 1024;  // below, no kernel needs leave
  if (benchmark.dynamic_shared_bytes > kFreeDynamicShared) {
    const auto bytes = static_cast<int>(benchmark.dynamic_shared_bytes);
    if (Status s = (*kernel)->set(gpu::FunctionAttribute::kMaxDynamicSharedBytes, bytes); !s) return s.error();
  }
  if (Status s = clear(benchmark); !s) return s.error();
  gpu::DeviceAddress out = out_->address(), sink = sink_->address(), data = data_->address() + benchmark.data_offset;
  std::array<uint32_t, 4> numbers = benchmark.arguments;
  void* arguments[] = {&out, &sink, &data, &numbers[0], &numbers[1], &numbers[2], &numbers[3]};
  const int launched =
      driver.cuLaunchKernel((*kernel)->function(), benchmark.ctas, 1, 1, benchmark.threads, 1, 1,
                            benchmark.dynamic_shared_bytes, nullptr, static_cast<void**>(arguments), nullptr);
  if (Status s = device_->call(launched, "cuLaunchKernel of " + benchmark.kernel); !s) return s.error();
  if (Status s = device_->synchronise(); !s) {
    Error error = s.error();
    error.message += " (in " + benchmark.kernel + ")";
    return error;
  }
  std::vector<uint32_t> words(benchmark.words);
  if (!words.empty()) {
    const int copied = driver.cuMemcpyDtoH_v2(words.data(), out, 4 * words.size());
    if (Status s = device_->call(copied, "cuMemcpyDtoH"); !s) return s.error();
  }
  return words;
}

}  // namespace smreplay::calibrate
