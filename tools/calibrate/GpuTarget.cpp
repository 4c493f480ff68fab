#include "tools/calibrate/GpuTarget.h"

#include <algorithm>

#include "sim/calibrate/Pack.h"
#include "sim/sass/Cubin.h"
#include "tools/calibrate/PatchedCubin.h"

namespace smreplay::calibrate {
namespace {

constexpr uint64_t kOutBytes = 4 << 20;
constexpr uint64_t kSinkBytes = 1 << 20;
constexpr uint64_t kDataBytes = uint64_t{5} << 29;  // 2.5 GiB
constexpr uint64_t kSmallDataBytes = 1 << 20;
constexpr uint64_t kFlushBytes = uint64_t{1} << 29;  // more than any L2, behind the data

// RAII for an event of the driver.
class Event {
 public:
  explicit Event(const gpu::DriverTable& driver) : driver_(driver) {}
  ~Event() {
    if (handle_ != nullptr) driver_.cuEventDestroy_v2(handle_);
  }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  int create() { return driver_.cuEventCreate(&handle_, 0); }
  gpu::EventHandle* handle() const { return handle_; }

 private:
  const gpu::DriverTable& driver_;
  gpu::EventHandle* handle_ = nullptr;
};

}  // namespace

Result<std::unique_ptr<GpuTarget>> GpuTarget::open(const std::string& folder, int ordinal, bool small) {
  auto target = std::make_unique<GpuTarget>();
  target->ordinal_ = ordinal;
  target->small_ = small;
  if (Status s = target->open_device(); !s) return s.error();
  if (Status s = target->read_modules(folder); !s) return s.error();
  if (Status s = target->allocate(); !s) return s.error();
  return target;
}

Status GpuTarget::open_device() {
  auto device = gpu::Device::open(ordinal_);
  if (!device) return device.error();
  device_ = std::move(*device);
  return Ok{};
}

// After an illegal access every call of the context fails. Kernels, memory and context go, which the driver does also
// then, and come anew.
Status GpuTarget::reopen() {
  kernels_.clear();
  patched_.reset();
  patched_key_.clear();
  for (auto* memory : {&out_, &sink_, &data_}) memory->reset();
  device_.reset();
  if (Status s = open_device(); !s) return s;
  if (Status s = allocate(); !s) return s;
  spoilt_ = false;
  return Ok{};
}

Status GpuTarget::read_modules(const std::string& folder) {
  const std::string path = folder + "/sm" + std::to_string(info().compute) + ".cubins";
  Result<PackEntries> entries = read_pack(path);
  if (!entries && entries.error().code == "pack-missing") {
    return Error{ExitCode::kNoGpu, "calibrate-cubins",
                 "no microbenchmarks for compute capability " + std::to_string(info().compute / 10) + "." +
                     std::to_string(info().compute % 10) + "; compile kernels/microbench for it",
                 path};
  }
  if (!entries) return entries.error();
  for (auto& [name, image] : *entries) {
    const Result<sass::Cubin> cubin = sass::read_cubin({reinterpret_cast<const uint8_t*>(image.data()), image.size()});
    if (!cubin) {
      Error error = cubin.error();
      error.file = path + ":" + name;
      return error;
    }
    for (const sass::CubinKernel& kernel : cubin->kernels) module_of_[kernel.name] = modules_.size();
    modules_.push_back({name, std::move(image)});
  }
  return Ok{};
}

Status GpuTarget::allocate() {
  const uint64_t data_bytes = small_ ? kSmallDataBytes : kDataBytes + kFlushBytes;
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

Result<std::unique_ptr<gpu::Kernel>> GpuTarget::load(const std::string& name, const BurstPatch* patch) const {
  const auto found = module_of_.find(name);
  if (found == module_of_.end()) {
    return Error{ExitCode::kBadInput, "calibrate-patch", "no cubin holds the kernel " + name};
  }
  const Module& module = modules_[found->second];
  if (patch == nullptr) return gpu::Kernel::load_image(*device_, module.image, module.name, name);
  const Result<std::string> image = patched_cubin(module.image, name, *patch);
  if (!image) return image.error();
  return gpu::Kernel::load_image(*device_, *image, module.name, name);
}

Result<gpu::Kernel*> GpuTarget::plain_kernel(const std::string& name) {
  std::unique_ptr<gpu::Kernel>& kernel = kernels_[name];
  if (kernel == nullptr) {
    auto loaded = load(name, nullptr);
    if (!loaded) return loaded.error();
    kernel = std::move(*loaded);
  }
  return kernel.get();
}

Result<gpu::Kernel*> GpuTarget::patched_kernel(const std::string& name, const BurstPatch& patch) {
  std::string key = name + "/" + std::to_string(patch.count) + "/" + std::to_string(static_cast<int>(patch.wait));
  if (patch.sources) {
    for (const uint8_t v : {patch.sources->a, patch.sources->b, patch.sources->c, patch.sources->reuse})
      key += "/" + std::to_string(v);
  }
  if (key != patched_key_) {
    patched_.reset();
    auto loaded = load(name, &patch);
    if (!loaded) return loaded.error();
    patched_ = std::move(*loaded);
    patched_key_ = key;
  }
  return patched_.get();
}

// Clears what the kernel writes, empties the L2 where it is to be empty, and runs the launches that come before.
Status GpuTarget::prepare(const Benchmark& benchmark) {
  const gpu::DriverTable& driver = device_->driver();
  for (const Setup& setup : benchmark.setup) {
    const Result<gpu::Kernel*> kernel = plain_kernel(setup.kernel);
    if (!kernel) return kernel.error();
    const uint64_t offset = benchmark.data_offset + setup.data_offset;
    if (Status s = start({*kernel, setup.ctas, setup.threads, 0, offset, setup.arguments}); !s) return s;
  }
  const uint64_t out_bytes = std::max<uint64_t>(4, 4 * uint64_t{benchmark.words});
  if (Status s = device_->call(driver.cuMemsetD8_v2(out_->address(), 0, out_bytes), "cuMemsetD8"); !s) return s;
  if (Status s = device_->call(driver.cuMemsetD8_v2(sink_->address(), 0, 64), "cuMemsetD8"); !s) return s;
  if (!benchmark.flush) return device_->synchronise();
  const int flushed = driver.cuMemsetD8_v2(data_->address() + kDataBytes, 0, kFlushBytes);
  if (Status s = device_->call(flushed, "cuMemsetD8"); !s) return s;
  return device_->synchronise();
}

Status GpuTarget::start(Launch launch) const {
  constexpr uint32_t kFreeDynamicShared = 40 * 1024;  // below, no kernel needs leave
  if (launch.dynamic_shared_bytes > kFreeDynamicShared) {
    const auto bytes = static_cast<int>(launch.dynamic_shared_bytes);
    if (Status s = launch.kernel->set(gpu::FunctionAttribute::kMaxDynamicSharedBytes, bytes); !s) return s;
  }
  gpu::DeviceAddress out = out_->address(), sink = sink_->address(), data = data_->address() + launch.data_offset;
  std::array<uint32_t, 4>& numbers = launch.arguments;
  void* arguments[] = {&out, &sink, &data, &numbers[0], &numbers[1], &numbers[2], &numbers[3]};
  const int launched =
      device_->driver().cuLaunchKernel(launch.kernel->function(), launch.ctas, 1, 1, launch.threads, 1, 1,
                                       launch.dynamic_shared_bytes, nullptr, static_cast<void**>(arguments), nullptr);
  return device_->call(launched, "cuLaunchKernel");
}

Result<std::optional<GpuTarget::Launch>> GpuTarget::launch_ahead(const Benchmark& benchmark) {
  if (!benchmark.ahead) return std::optional<Launch>();
  const Setup& setup = *benchmark.ahead;
  const Result<gpu::Kernel*> kernel = plain_kernel(setup.kernel);
  if (!kernel) return kernel.error();
  return std::optional<Launch>({*kernel, setup.ctas, setup.threads, 0, benchmark.data_offset, setup.arguments});
}

Result<float> GpuTarget::timed(const Launch& launch, const std::optional<Launch>& ahead, uint32_t queued) const {
  const gpu::DriverTable& driver = device_->driver();
  Event begin(driver), end(driver);
  float milliseconds = 0;
  for (Event* event : {&begin, &end}) {
    if (Status s = device_->call(event->create(), "cuEventCreate"); !s) return s.error();
  }
  if (Status s = device_->call(driver.cuEventRecord(begin.handle(), nullptr), "cuEventRecord"); !s) return s.error();
  if (ahead) {
    if (Status s = start(*ahead); !s) return s.error();
  }
  for (uint32_t i = 0; i < queued; ++i) {
    if (Status s = start(launch); !s) return s.error();
  }
  if (Status s = device_->call(driver.cuEventRecord(end.handle(), nullptr), "cuEventRecord"); !s) return s.error();
  if (Status s = device_->call(driver.cuEventSynchronize(end.handle()), "cuEventSynchronize"); !s) return s.error();
  const int elapsed = driver.cuEventElapsedTime(&milliseconds, begin.handle(), end.handle());
  if (Status s = device_->call(elapsed, "cuEventElapsedTime"); !s) return s.error();
  return milliseconds;
}

Result<std::vector<uint32_t>> GpuTarget::words(uint32_t count) const {
  std::vector<uint32_t> result(count);
  if (count == 0) return result;
  const int copied = device_->driver().cuMemcpyDtoH_v2(result.data(), out_->address(), 4 * result.size());
  if (Status s = device_->call(copied, "cuMemcpyDtoH"); !s) return s.error();
  return result;
}

Result<std::vector<int64_t>> GpuTarget::run(const Benchmark& benchmark) {
  if (spoilt_) {
    if (Status s = reopen(); !s) return s.error();
  }
  Result<std::vector<int64_t>> samples = run_launches(benchmark);
  if (!samples) spoilt_ = !device_->synchronise();
  return samples;
}

Result<std::vector<int64_t>> GpuTarget::run_launches(const Benchmark& benchmark) {
  constexpr float kNsPerMs = 1e6F;
  std::vector<int64_t> all;
  for (uint32_t i = 0; i < benchmark.launches; ++i) {
    if (Status s = prepare(benchmark); !s) return s.error();
    const Result<gpu::Kernel*> kernel =
        benchmark.patch ? patched_kernel(benchmark.kernel, *benchmark.patch) : plain_kernel(benchmark.kernel);
    if (!kernel) return kernel.error();
    const Launch launch = {*kernel,
                           benchmark.ctas,
                           benchmark.threads,
                           benchmark.dynamic_shared_bytes,
                           benchmark.data_offset,
                           benchmark.arguments};
    const Result<std::optional<Launch>> ahead = launch_ahead(benchmark);
    if (!ahead) return ahead.error();
    const Result<float> milliseconds = timed(launch, *ahead, benchmark.queued);
    if (!milliseconds) {
      Error error = milliseconds.error();
      error.message += " (in " + benchmark.kernel + ")";
      return error;
    }
    Result<std::vector<uint32_t>> read = words(benchmark.words);
    if (!read) return read.error();
    if (benchmark.readings == Readings::kEventNs) *read = {static_cast<uint32_t>(*milliseconds * kNsPerMs)};
    const std::vector<int64_t> more = samples(benchmark, *read);
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

}  // namespace smreplay::calibrate
