// An ELF file of 64 bits, little-endian: its sections and symbols, safe on hostile input.
//
// Every offset, size, index and string is checked before use. Source: the System V ABI (gABI), chapters 4 and 5.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/isa/Result.h"

namespace smreplay::sass {

struct ElfSection {
  std::string_view name;
  uint32_t type = 0;
  uint64_t flags = 0;
  uint64_t size = 0;  // also of sections without data in the file
  uint32_t link = 0;
  uint32_t info = 0;
  std::span<const uint8_t> data;  // empty for NOBITS
};

struct ElfSymbol {
  std::string_view name;
  uint8_t type = 0;
  uint8_t binding = 0;
  uint8_t other = 0;
  uint16_t section = 0;
  uint64_t value = 0;
  uint64_t size = 0;
};

struct ElfFile {
  static constexpr uint32_t kNoBits = 8;
  static constexpr uint32_t kRelocations = 4;  // SHT_RELA
  static constexpr uint8_t kFunction = 2;

  uint16_t machine = 0;
  uint8_t os_abi = 0;
  uint8_t abi_version = 0;
  uint32_t flags = 0;
  std::vector<ElfSection> sections;
  std::vector<ElfSymbol> symbols;

  const ElfSection* find(std::string_view name) const;
};

// The result points into `bytes`. Errors: cubin-not-elf, cubin-truncated, cubin-malformed.
Result<ElfFile> read_elf(std::span<const uint8_t> bytes);

}  // namespace smreplay::sass
