// Global memory: the buffers of a launch, in the order of the LaunchSpec, each at a multiple of 2 MiB from kGlobalBase.
//
// Pages are made when they are first touched, with the contents that the buffer's Fill gives (kernels/common/fill.h),
// so a pool of hundreds of megabytes costs what a kernel reads of it. An access outside any buffer, also in the gap
// behind one, has no page and is the caller's fault to report.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/common/fill.h"

namespace smreplay::emulator {

// Device memory starts here. Any multiple of 2 MiB would do; this one looks like what cudaMalloc returns and stays
// clear of the shared and local windows (AddressSpace.h).
inline constexpr uint64_t kGlobalBase = 0x7f40'0000'0000ULL;
inline constexpr uint64_t kBufferAlignment = 2ULL << 20U;

class MemoryImage {
 public:
  // Adds a buffer behind the others; returns its address. `contents` shorter than the buffer is an error of the caller.
  uint64_t add(std::string name, uint64_t bytes, const kernels::FillSpec& fill);
  // Replaces the contents of a buffer: what an earlier launch left. False: no such buffer, or another size.
  bool preload(std::string_view name, std::span<const uint8_t> contents);

  std::optional<uint64_t> address(std::string_view name) const;
  uint64_t size(std::string_view name) const;

  // Copies out a buffer as it is now. Empty: no such buffer.
  std::vector<uint8_t> read(std::string_view name);

  // The bytes at `address`, valid for `bytes` (at most 32, not crossing a multiple of their size), or null.
  uint8_t* at(uint64_t address, uint32_t bytes) {
    const uint64_t offset = address - kGlobalBase;
    const uint64_t page = offset >> kPageShift;
    if (page >= pages_.size()) [[unlikely]]
      return nullptr;
    const uint32_t in_page = static_cast<uint32_t>(offset & (kPageBytes - 1));
    Page& p = pages_[page];
    if (in_page + bytes > p.valid) [[unlikely]]
      return nullptr;
    if (p.data == nullptr) [[unlikely]]
      fill(page);
    return p.data + in_page;
  }

  // "12 bytes behind the end of buffer 'out' (1024 bytes at 0x...)"
  std::string describe_nearest(uint64_t address) const;

  uint64_t touched_bytes() const { return touched_pages_ * kPageBytes; }
  // Beyond so many bytes at() and preload() throw a Fault (out-of-memory).
  void limit_touched(uint64_t bytes) { page_limit_ = bytes / kPageBytes; }

  // visit(page number, bytes, how many) for each page in memory, in order.
  template <class Visit>
  void for_each_touched(Visit visit) const {
    for (size_t page = 0; page < pages_.size(); ++page) {
      if (pages_[page].data != nullptr) visit(page, pages_[page].data, pages_[page].valid);
    }
  }

 private:
  static constexpr uint32_t kPageShift = 16;
  static constexpr uint64_t kPageBytes = 1ULL << kPageShift;

  struct Page {
    uint8_t* data = nullptr;
    uint32_t valid = 0;  // bytes that belong to a buffer
  };
  struct Buffer {
    std::string name;
    uint64_t address = 0;
    uint64_t bytes = 0;
    kernels::FillSpec contents;
  };

  void fill(uint64_t page);
  void allocate(Page& page);
  const Buffer* find(std::string_view name) const;
  const Buffer* containing(uint64_t address) const;

  std::vector<Buffer> buffers_;
  std::vector<Page> pages_;
  std::vector<std::unique_ptr<uint8_t[]>> storage_;
  uint64_t touched_pages_ = 0;
  uint64_t page_limit_ = ~uint64_t{0};
};

}  // namespace smreplay::emulator
