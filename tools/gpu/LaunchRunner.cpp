#include "tools/gpu/LaunchRunner.h"

#include <algorithm>
#include <bit>

namespace smreplay::gpu {
namespace {

using trace::proto::Argument;
using trace::proto::LaunchSpec;

constexpr uint64_t kBufferAlignment = uint64_t{2} << 20;
constexpr uint32_t kPaddingStep = 1024;
constexpr unsigned kDefaultEvent = 0;

uint64_t align_up(uint64_t value, uint64_t alignment) { return (value + alignment - 1) / alignment * alignment; }

uint32_t at_least_one(uint32_t value) { return std::max(value, uint32_t{1}); }

uint32_t threads_of(const LaunchSpec& launch) {
  const auto& block = launch.block();
  return at_least_one(block.x()) * at_least_one(block.y()) * at_least_one(block.z());
}

std::string cubin_path(const std::string& folder, const LaunchSpec& launch) {
  const std::string& program = launch.program();
  return folder + "/" + program.substr(0, program.rfind('.')) + ".cubin";
}

}  // namespace

Status LaunchRunner::place_buffers(const std::vector<LaunchSpec>& chain) {
  uint64_t total = kBufferAlignment;
  for (const LaunchSpec& launch : chain) {
    for (const auto& buffer : launch.buffers()) total += align_up(buffer.bytes(), kBufferAlignment);
  }
  auto arena = DeviceMemory::allocate(device_, total);
  if (!arena) return arena.error();
  arena_ = std::move(*arena);
  DeviceAddress next = align_up(arena_->address(), kBufferAlignment);
  HostFill& fill = fill_ != nullptr ? *fill_ : own_fill_;
  for (const LaunchSpec& launch : chain) {
    for (const auto& buffer : launch.buffers()) {
      const auto [entry, is_new] = buffers_.try_emplace(buffer.name(), Placed{next, buffer.bytes()});
      if (!is_new) {  // the earlier launch's contents stay
        if (entry->second.bytes == buffer.bytes()) continue;
        return Error{ExitCode::kBadConfiguration, "gpu-arguments",
                     "buffer '" + buffer.name() + "' has another size in the launch that runs before"};
      }
      next += align_up(buffer.bytes(), kBufferAlignment);
      const std::vector<uint8_t>& bytes = fill.contents(buffer);
      const int code = device_.driver().cuMemcpyHtoD_v2(entry->second.address, bytes.data(), bytes.size());
      if (Status s = device_.call(code, "cuMemcpyHtoD of buffer '" + buffer.name() + "'"); !s) return s;
    }
  }
  return Ok{};
}

Result<uint64_t> LaunchRunner::argument_value(const Argument& argument) const {
  switch (argument.value_case()) {
    case Argument::kBuffer: {
      const auto found = buffers_.find(argument.buffer());
      if (found != buffers_.end()) return found->second.address + argument.offset();
      break;
    }
    case Argument::kI32:
      return uint64_t{static_cast<uint32_t>(argument.i32())};
    case Argument::kU32:
      return uint64_t{argument.u32()};
    case Argument::kI64:
      return static_cast<uint64_t>(argument.i64());
    case Argument::kF32:
      return uint64_t{std::bit_cast<uint32_t>(argument.f32())};
    case Argument::kHiddenNull:
      return uint64_t{0};
    case Argument::VALUE_NOT_SET:
      break;
  }
  return Error{ExitCode::kBadConfiguration, "gpu-arguments", "argument '" + argument.name() + "' cannot be passed"};
}

Result<LaunchRunner::Prepared> LaunchRunner::prepare(const LaunchSpec& launch, const std::string& folder,
                                                     uint32_t ctas_per_sm) const {
  Prepared prepared;
  prepared.launch = &launch;
  prepared.dynamic_shared_bytes = launch.dynamic_shared_bytes();
  auto kernel = Kernel::load(device_, cubin_path(folder, launch), launch.kernel());
  if (!kernel) return kernel.error();
  prepared.kernel = std::move(*kernel);
  for (const Argument& argument : launch.arguments()) {
    auto value = argument_value(argument);
    if (!value) return value.error();
    prepared.values.push_back(*value);
  }
  if (ctas_per_sm != 0) {
    const auto most = static_cast<uint32_t>(device_.info().shared_bytes_per_cta);
    if (Status s = prepared.kernel->set(FunctionAttribute::kMaxDynamicSharedBytes, static_cast<int>(most)); !s) {
      return s.error();
    }
    for (;; prepared.dynamic_shared_bytes += kPaddingStep) {
      auto resident = prepared.kernel->resident_ctas(threads_of(launch), prepared.dynamic_shared_bytes);
      if (!resident) return resident.error();
      if (static_cast<uint32_t>(*resident) <= ctas_per_sm) break;
    }
  }
  if (Status s = prepared.kernel->set(FunctionAttribute::kMaxDynamicSharedBytes,
                                      static_cast<int>(prepared.dynamic_shared_bytes));
      !s) {
    return s.error();
  }
  if (launch.shared_carveout_kb() >= 0) {
    constexpr int kBytesPerKb = 1024, kPercent = 100;
    const int percent = launch.shared_carveout_kb() * kBytesPerKb * kPercent / device_.info().shared_bytes_per_sm;
    if (Status s = prepared.kernel->set(FunctionAttribute::kSharedCarveoutPercent, percent); !s) return s.error();
  }
  return prepared;
}

Status LaunchRunner::start(Prepared& prepared) const {
  std::vector<void*> pointers;
  for (uint64_t& value : prepared.values) pointers.push_back(&value);
  const auto& grid = prepared.launch->grid();
  const auto& block = prepared.launch->block();
  const int code = device_.driver().cuLaunchKernel(
      prepared.kernel->function(), at_least_one(grid.x()), at_least_one(grid.y()), at_least_one(grid.z()),
      at_least_one(block.x()), at_least_one(block.y()), at_least_one(block.z()), prepared.dynamic_shared_bytes, nullptr,
      pointers.data(), nullptr);
  return device_.call(code, "cuLaunchKernel of " + prepared.launch->name());
}

Result<float> LaunchRunner::timed(Prepared& prepared) const {
  const DriverTable& driver = device_.driver();
  if (flush_ != nullptr) {
    if (Status s = flush_->run(); !s) return s.error();
  }
  EventHandle* before = nullptr;
  EventHandle* after = nullptr;
  if (Status s = device_.call(driver.cuEventCreate(&before, kDefaultEvent), "cuEventCreate"); !s) return s.error();
  if (Status s = device_.call(driver.cuEventCreate(&after, kDefaultEvent), "cuEventCreate"); !s) return s.error();
  if (Status s = device_.call(driver.cuEventRecord(before, nullptr), "cuEventRecord"); !s) return s.error();
  if (Status s = start(prepared); !s) return s.error();
  if (Status s = device_.call(driver.cuEventRecord(after, nullptr), "cuEventRecord"); !s) return s.error();
  if (Status s = device_.call(driver.cuEventSynchronize(after), "cuEventSynchronize (the kernel)"); !s)
    return s.error();
  float milliseconds = 0;
  const int code = driver.cuEventElapsedTime(&milliseconds, before, after);
  if (Status s = device_.call(code, "cuEventElapsedTime"); !s) return s.error();
  driver.cuEventDestroy_v2(before);
  driver.cuEventDestroy_v2(after);
  constexpr float kMicrosecondsPerMillisecond = 1000;
  return milliseconds * kMicrosecondsPerMillisecond;
}

Status LaunchRunner::load(const std::vector<LaunchSpec>& chain, const std::string& folder, const RunOptions& options,
                          std::shared_ptr<L2Flush> flush) {
  if (Status s = place_buffers(chain); !s) return s;
  for (const LaunchSpec& launch : chain) {
    if (&launch == &chain.back()) break;
    auto prepared = prepare(launch, folder, 0);
    if (!prepared) return prepared.error();
    if (Status s = start(*prepared); !s) return s;
    if (Status s = device_.synchronise(); !s) return s;
  }
  auto last = prepare(chain.back(), folder, options.ctas_per_sm);
  if (!last) return last.error();
  last_ = std::move(*last);
  flush_ = std::move(flush);
  if (options.flush_l2 && flush_ == nullptr) {
    auto own = L2Flush::create(device_);
    if (!own) return own.error();
    flush_ = std::move(*own);
  }
  return Ok{};
}

Result<float> LaunchRunner::time_once() { return timed(last_); }

Result<RunResult> LaunchRunner::facts() const {
  RunResult result;
  result.dynamic_shared_bytes = last_.dynamic_shared_bytes;
  for (const auto& [attribute, slot] :
       {std::pair(FunctionAttribute::kRegisters, &result.registers),
        std::pair(FunctionAttribute::kLocalBytes, &result.local_bytes),
        std::pair(FunctionAttribute::kStaticSharedBytes, &result.static_shared_bytes)}) {
    auto value = last_.kernel->attribute(attribute);
    if (!value) return value.error();
    *slot = *value;
  }
  auto resident = last_.kernel->resident_ctas(threads_of(*last_.launch), last_.dynamic_shared_bytes);
  if (!resident) return resident.error();
  result.resident_ctas = *resident;
  return result;
}

Result<RunResult> LaunchRunner::run(const std::vector<LaunchSpec>& chain, const std::string& folder,
                                    const RunOptions& options) {
  if (Status s = load(chain, folder, options); !s) return s.error();
  std::vector<float> microseconds;
  for (uint32_t run = 0; run < std::max(options.repeats, uint32_t{1}); ++run) {
    auto one = time_once();
    if (!one) return one.error();
    microseconds.push_back(*one);
  }
  auto result = facts();
  if (!result) return result.error();
  result->microseconds = std::move(microseconds);
  return result;
}

Result<std::vector<uint8_t>> LaunchRunner::contents(const std::string& buffer) const {
  const auto found = buffers_.find(buffer);
  if (found == buffers_.end()) {
    return Error{ExitCode::kBadConfiguration, "gpu-arguments", "the launch has no buffer '" + buffer + "'"};
  }
  std::vector<uint8_t> bytes(found->second.bytes);
  const int code = device_.driver().cuMemcpyDtoH_v2(bytes.data(), found->second.address, bytes.size());
  if (Status s = device_.call(code, "cuMemcpyDtoH of buffer '" + buffer + "'"); !s) return s.error();
  return bytes;
}

}  // namespace smreplay::gpu
