#include "tools/gpu/L2Flush.h"

#include <algorithm>
#include <array>

namespace smreplay::gpu {
namespace {

constexpr uint64_t kFactor = 4;  // bytes that are read, in sizes of the L2
constexpr unsigned kThreads = 256;
constexpr unsigned kCtasPerSm = 8;
constexpr const char* kSymbol = "smreplay_flush";

// Each thread loads 16 bytes at a time, a grid's width apart, and stores only what cannot be: so that nothing of the
// loads may be left out.
constexpr const char* kPtx = R"(
.version 7.8
.target sm_80
.address_size 64
.visible .entry smreplay_flush(.param .u64 memory, .param .u64 bytes)
{
  .reg .pred %p<3>;
  .reg .b32 %r<12>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [memory];
  ld.param.u64 %rd2, [bytes];
  cvta.to.global.u64 %rd1, %rd1;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mov.u32 %r4, %nctaid.x;
  mad.lo.u32 %r5, %r1, %r2, %r3;
  mul.lo.u32 %r6, %r4, %r2;
  mul.wide.u32 %rd3, %r5, 16;
  mul.wide.u32 %rd4, %r6, 16;
  mov.u32 %r7, 0;
more:
  setp.ge.u64 %p1, %rd3, %rd2;
  @%p1 bra done;
  add.u64 %rd5, %rd1, %rd3;
  ld.global.cg.v4.u32 {%r8, %r9, %r10, %r11}, [%rd5];
  or.b32 %r8, %r8, %r9;
  or.b32 %r10, %r10, %r11;
  or.b32 %r7, %r7, %r8;
  or.b32 %r7, %r7, %r10;
  add.u64 %rd3, %rd3, %rd4;
  bra more;
done:
  setp.eq.u32 %p2, %r7, 0;
  @%p2 bra end;
  st.global.u32 [%rd1], %r7;
end:
  ret;
}
)";

}  // namespace

Result<std::unique_ptr<L2Flush>> L2Flush::create(const Device& device) {
  auto memory = DeviceMemory::allocate(device, kFactor * static_cast<uint64_t>(device.info().l2_bytes));
  if (!memory) return memory.error();
  std::unique_ptr<L2Flush> flush(new L2Flush(device, std::move(*memory)));
  // Zeros, so that the kernel's store never happens.
  const int code = device.driver().cuMemsetD8_v2(flush->memory_->address(), 0, flush->memory_->bytes());
  if (Status s = device.call(code, "cuMemsetD8"); !s) return s.error();
  if (auto kernel = Kernel::load_image(device, kPtx, kSymbol, kSymbol)) flush->kernel_ = std::move(*kernel);
  return flush;
}

Status L2Flush::run() const {
  const DriverTable& driver = device_.driver();
  if (kernel_ == nullptr) {
    const int code = driver.cuMemsetD8_v2(memory_->address(), 0, memory_->bytes());
    return device_.call(code, "cuMemsetD8");
  }
  uint64_t address = memory_->address(), bytes = memory_->bytes();
  std::array<void*, 2> arguments = {&address, &bytes};
  const auto ctas = kCtasPerSm * static_cast<unsigned>(std::max(1, device_.info().multiprocessors));
  const int code =
      driver.cuLaunchKernel(kernel_->function(), ctas, 1, 1, kThreads, 1, 1, 0, nullptr, arguments.data(), nullptr);
  return device_.call(code, "cuLaunchKernel of the flush");
}

}  // namespace smreplay::gpu
