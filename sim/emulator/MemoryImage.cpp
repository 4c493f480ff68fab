#include "sim/emulator/MemoryImage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "sim/emulator/Fault.h"

namespace smreplay::emulator {

uint64_t MemoryImage::add(std::string name, uint64_t bytes, const kernels::FillSpec& fill) {
  const uint64_t offset = pages_.size() * kPageBytes;
  const uint64_t address = kGlobalBase + offset;
  const uint64_t extent = (std::max<uint64_t>(bytes, 1) + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment;
  pages_.resize((offset + extent) / kPageBytes);
  for (uint64_t done = 0; done < bytes; done += kPageBytes) {
    pages_[(offset + done) / kPageBytes].valid = static_cast<uint32_t>(std::min(kPageBytes, bytes - done));
  }
  buffers_.push_back({std::move(name), address, bytes, fill});
  return address;
}

const MemoryImage::Buffer* MemoryImage::find(std::string_view name) const {
  const auto it = std::ranges::find(buffers_, name, &Buffer::name);
  return it == buffers_.end() ? nullptr : &*it;
}

const MemoryImage::Buffer* MemoryImage::containing(uint64_t address) const {
  const auto it = std::ranges::upper_bound(buffers_, address, {}, &Buffer::address);
  return it == buffers_.begin() ? nullptr : &*std::prev(it);
}

std::optional<uint64_t> MemoryImage::address(std::string_view name) const {
  const Buffer* b = find(name);
  return b == nullptr ? std::nullopt : std::optional(b->address);
}

uint64_t MemoryImage::size(std::string_view name) const {
  const Buffer* b = find(name);
  return b == nullptr ? 0 : b->bytes;
}

void MemoryImage::allocate(Page& page) {
  if (touched_pages_ >= page_limit_) {
    throw Fault{"out-of-memory",
                fmt::format("the launch touches more than {} bytes of its buffers, which is what there is memory for",
                            page_limit_ * kPageBytes),
                ExitCode::kModelLimit, -1};
  }
  storage_.push_back(std::make_unique_for_overwrite<uint8_t[]>(kPageBytes));
  page.data = storage_.back().get();
  ++touched_pages_;
}

void MemoryImage::fill(uint64_t page) {
  Page& p = pages_[page];
  allocate(p);
  const uint64_t address = kGlobalBase + page * kPageBytes;
  const Buffer* b = containing(address);
  kernels::fill_range(b->contents, address - b->address, p.valid, p.data);
}

bool MemoryImage::preload(std::string_view name, std::span<const uint8_t> contents) {
  const Buffer* b = find(name);
  if (b == nullptr || b->bytes != contents.size()) return false;
  for (uint64_t done = 0; done < contents.size(); done += kPageBytes) {
    const uint64_t page = (b->address - kGlobalBase + done) / kPageBytes;
    Page& p = pages_[page];
    if (p.data == nullptr) allocate(p);
    std::memcpy(p.data, contents.data() + done, p.valid);
  }
  return true;
}

std::vector<uint8_t> MemoryImage::read(std::string_view name) {
  const Buffer* b = find(name);
  if (b == nullptr) return {};
  std::vector<uint8_t> bytes(b->bytes);
  for (uint64_t done = 0; done < b->bytes; done += kPageBytes) {
    const Page& p = pages_[(b->address - kGlobalBase + done) / kPageBytes];
    if (p.data == nullptr) {
      kernels::fill_range(b->contents, done, p.valid, bytes.data() + done);
    } else {
      std::memcpy(bytes.data() + done, p.data, p.valid);
    }
  }
  return bytes;
}

std::string MemoryImage::describe_nearest(uint64_t address) const {
  if (buffers_.empty()) return "the launch has no buffers";
  const Buffer* nearest = nullptr;
  uint64_t distance = UINT64_MAX;
  for (const Buffer& b : buffers_) {
    const uint64_t end = b.address + b.bytes;
    const uint64_t d = address < b.address ? b.address - address : address >= end ? address - end : 0;
    if (d < distance) {
      distance = d;
      nearest = &b;
    }
  }
  const char* side = address < nearest->address ? "before the start of" : "behind the end of";
  if (address >= nearest->address && address < nearest->address + nearest->bytes)
    side = "inside, but crossing the end of,";
  return fmt::format("{} bytes {} buffer '{}' ({} bytes at {:#x})", distance, side, nearest->name, nearest->bytes,
                     nearest->address);
}

}  // namespace smreplay::emulator
