#include "sim/sm/Coalescer.h"

#include <algorithm>
#include <bit>

#include "sim/engine/Invariant.h"

namespace smreplay::sm {

using engine::kLineBytes;
using engine::kSectorBytes;

namespace {

constexpr uint32_t kLocalWordBytes = 4;    // granule of the lane interleaving
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
  while (bytes > 0) {  // at most two turns: a line's mask is two words
    const uint32_t bit = begin % kWordBits;
    const uint32_t count = std::min(bytes, kWordBits - bit);
    mask.words[begin / kWordBits] |= ones(count) << bit;
    begin += count;
    bytes -= count;
  }
}

void Coalescer::finish(Coalesced& out) const {
  constexpr uint32_t kSectorsPerWord = kWordBits / kSectorBytes;
  for (size_t i = 0; i < out.lines.size(); ++i) {
    LineAccess& line = out.lines[i];
    uint32_t bytes = 0;
    for (uint32_t sector = 0; sector < kLineBytes / kSectorBytes; ++sector) {
      const uint64_t word = masks_[i].words[sector / kSectorsPerWord];
      const uint64_t mask = (word >> (sector % kSectorsPerWord * kSectorBytes)) & ones(kSectorBytes);
      if (mask == 0) continue;
      line.sectors = static_cast<uint8_t>(line.sectors | (1U << sector));
      if (mask == ones(kSectorBytes)) line.full_sectors = static_cast<uint8_t>(line.full_sectors | (1U << sector));
      bytes += static_cast<uint32_t>(std::popcount(mask));
      ++out.sectors;
    }
    line.bytes = static_cast<uint8_t>(bytes);
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
