#include "sim/memory/AddressMap.h"

#include <bit>
#include <numeric>

#include "sim/engine/MemoryPort.h"

namespace smreplay::memory {
namespace {

constexpr uint32_t kPageLines = (2U << 20) / engine::kLineBytes;

// XOR of all `bits`-bit groups of the value.
uint64_t fold(uint64_t value, uint32_t bits) {
  if (bits == 0) return 0;
  uint64_t folded = 0;
  for (; value != 0; value >>= bits) folded ^= value;
  return folded & ((uint64_t{1} << bits) - 1);
}

// Finaliser of SplitMix64 (Steele, Lea and Flood 2014).
uint64_t mix(uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31);
}

// Moves `digit` (below `base`) by a hash of the digits above it: XOR fold where the base is a power of two, else a
// rotation (a fold of bits would favour some of the places).
uint64_t permute(uint64_t digit, uint64_t above, uint64_t base) {
  if (base == 1) return 0;
  if (std::has_single_bit(base)) return digit ^ fold(above, static_cast<uint32_t>(std::countr_zero(base)));
  return (digit + mix(above) % base) % base;
}

}  // namespace

AddressMap::AddressMap(const machine::Machine& machine, uint64_t seed)
    : partitions_(std::gcd(machine.l2.slices, machine.dram.channels)),
      slices_per_partition_(machine.l2.slices / partitions_),
      channels_per_partition_(machine.dram.channels / partitions_),
      lines_per_unit_(machine.dram.interleave_bytes / engine::kLineBytes),
      low_bits_(static_cast<uint32_t>(std::countr_zero(machine.dram.channels))),
      odd_(machine.dram.channels >> low_bits_),
      banks_(machine.dram.banks),
      bank_groups_(machine.dram.bank_groups),
      banks_per_group_(machine.dram.banks / machine.dram.bank_groups),
      units_per_row_(machine.dram.row_bytes / machine.dram.interleave_bytes),
      seed_(seed != 0 ? seed : machine.dram.address_map) {}

SliceAddress AddressMap::slice_of(uint64_t line) const {
  const uint64_t unit = lines_per_unit_.quotient(line);
  const uint64_t above = unit >> low_bits_;
  const uint64_t low_mask = (uint64_t{1} << low_bits_) - 1;
  uint64_t low = (unit ^ fold(above, low_bits_)) & low_mask;
  if (seed_ != 0) low ^= mix(line / kPageLines ^ mix(seed_)) & low_mask;
  const uint64_t channel_unit = odd_.quotient(above);
  const uint64_t high = permute(odd_.remainder(above), channel_unit, odd_.divisor());
  const uint64_t channel = (high << low_bits_) | low;
  const uint64_t channel_line = channel_unit * lines_per_unit_.divisor() + lines_per_unit_.remainder(line);
  SliceAddress place{};
  place.partition = static_cast<uint32_t>(channels_per_partition_.quotient(channel));
  place.line = channel_line * channels_per_partition_.divisor() + channels_per_partition_.remainder(channel);
  // Several slices share the partition's channels: a multiplicative hash, independent of the channel's XOR.
  if (slices_per_partition_ > 1) place.slice = static_cast<uint32_t>(mix(line) % slices_per_partition_);
  return place;
}

ChannelAddress AddressMap::channel_of(uint64_t partition_line) const {
  ChannelAddress place;
  place.channel = static_cast<uint32_t>(channels_per_partition_.remainder(partition_line));
  const uint64_t unit = lines_per_unit_.quotient(channels_per_partition_.quotient(partition_line));
  const uint64_t row = units_per_row_.quotient(banks_.quotient(unit));
  const uint64_t digit = permute(banks_.remainder(unit), row ^ seed_, banks_.divisor());
  place.bank = static_cast<uint32_t>(bank_groups_.remainder(digit) * banks_per_group_ + bank_groups_.quotient(digit));
  place.row = static_cast<uint32_t>(row);
  return place;
}

}  // namespace smreplay::memory
