#include "sim/sm/Coalescer.h"

#include <algorithm>
#include <bit>

#include "sim/engine/Invariant.h"

namespace smreplay::sm {

using engine::kLineBytes;
using engine::kSectorBytes;

namespace {

constexpr uint32_t kLocalWordBytes = 4;  // granule of the lane interleaving
constexpr uint32_t kWordBits = 64;
constexpr uint32_t kLocalVariant = 1U << 31U;

uint64_t ones(uint32_t count) { return count >= kWordBits ? ~uint64_t{0} : (uint64_t{1} << count) - 1; }

}  // namespace

void Coalescer::start() {
  recent_.fill(0);
  masks_.clear();
}

void Coalescer::touch(Coalesced& out, int64_t delta, uint32_t begin, uint32_t bytes) {
  uint8_t& recent = recent_[static_cast<uint64_t>(delta) % kRecent];
  size_t line = recent == 0 ? out.lines.size() : recent - size_t{1};
  if (recent != 0 && out.lines[line].delta != delta) {
    const auto same = [delta](const LineAccess& l) { return l.delta == delta; };
    line = static_cast<size_t>(std::find_if(out.lines.begin(), out.lines.end(), same) - out.lines.begin());
  }
  if (line == out.lines.size()) {
    out.lines.push_back(LineAccess{delta, 0, 0, 0});
    masks_.emplace_back();
  }
  recent = static_cast<uint8_t>(line + 1);
  ByteMask& mask = masks_[line];
  const uint32_t bit = begin % kWordBits;
  mask.words[begin / kWordBits] |= ones(bytes) << bit;
  if (bit + bytes > kWordBits) mask.words[1] |= ones(bit + bytes - kWordBits);  // both words of the line
}

void Coalescer::finish(Coalesced& out) const {
  for (size_t i = 0; i < out.lines.size(); ++i) {
    LineAccess& line = out.lines[i];
    uint32_t bytes = 0, sectors = 0, full = 0;
    for (uint32_t w = 0; w < 2; ++w) {  // a word of the mask is two sectors
      const uint64_t word = masks_[i].words[w];
      const auto low = static_cast<uint32_t>(word);
      const auto high = static_cast<uint32_t>(word >> kSectorBytes);
      bytes += static_cast<uint32_t>(std::popcount(word));
      sectors |= (uint32_t{low != 0} | uint32_t{high != 0} << 1U) << (2 * w);
      full |= (uint32_t{low == UINT32_MAX} | uint32_t{high == UINT32_MAX} << 1U) << (2 * w);
    }
    line.sectors = static_cast<uint8_t>(sectors);
    line.full_sectors = static_cast<uint8_t>(full);
    line.bytes = static_cast<uint8_t>(bytes);
    out.sectors += static_cast<uint32_t>(std::popcount(sectors));
    out.bytes += bytes;
  }
}

Coalescer::Request Coalescer::global(const trace::AddressPattern& pattern, uint32_t index, uint64_t base,
                                     uint32_t access_bytes) {
  const auto phase = static_cast<uint32_t>(base % kLineBytes);
  const auto analyse = [&](Coalesced& out) {
    out.lines.clear();
    out.sectors = out.bytes = 0;
    start();
    for (uint32_t lanes = pattern.lanes; lanes != 0; lanes &= lanes - 1) {
      int64_t address = int64_t{phase} + pattern.offset[std::countr_zero(lanes)];
      for (uint32_t left = access_bytes; left > 0;) {
        const auto begin = static_cast<uint32_t>(address & (kLineBytes - 1));
        const uint32_t count = std::min(left, kLineBytes - begin);
        touch(out, address >> std::countr_zero(kLineBytes), begin, count);
        address += count;
        left -= count;
      }
    }
    finish(out);
  };
  return Request{&cache_.get(pattern, index, phase | access_bytes << 8U, analyse), base / kLineBytes};
}

Coalescer::Request Coalescer::local(const trace::AddressPattern& pattern, uint32_t index, uint64_t base,
                                    uint32_t access_bytes, uint64_t local_base) {
  if (local_base % kLineBytes != 0) engine::broken("a warp's local memory does not start at a line");
  const auto phase = static_cast<uint32_t>(base % kLocalWordBytes);
  const auto analyse = [&](Coalesced& out) {
    out.lines.clear();
    out.sectors = out.bytes = 0;
    start();
    for (uint32_t lanes = pattern.lanes; lanes != 0; lanes &= lanes - 1) {
      const auto lane = static_cast<uint32_t>(std::countr_zero(lanes));
      int64_t address = int64_t{phase} + pattern.offset[lane];
      for (uint32_t left = access_bytes; left > 0;) {
        const auto byte = static_cast<uint32_t>(address & (kLocalWordBytes - 1));
        const uint32_t count = std::min(left, kLocalWordBytes - byte);
        touch(out, address >> std::countr_zero(kLocalWordBytes), lane * kLocalWordBytes + byte, count);
        address += count;
        left -= count;
      }
    }
    finish(out);
  };
  const Coalesced& access = cache_.get(pattern, index, phase | access_bytes << 8U | kLocalVariant, analyse);
  return Request{&access, local_base / kLineBytes + base / kLocalWordBytes};
}

}  // namespace smreplay::sm
