// Section headers, string tables and the symbol table.
#include "sim/sass/ElfFile.h"

#include <fmt/format.h>

#include "sim/sass/ByteReader.h"

namespace smreplay::sass {
namespace {

constexpr uint32_t kMagic = 0x464c457f;  // "\x7f" "ELF"
constexpr uint8_t kClass64 = 2;
constexpr uint8_t kLittleEndian = 1;
constexpr uint64_t kHeaderBytes = 64;
constexpr uint64_t kSectionHeaderBytes = 64;
constexpr uint64_t kSymbolBytes = 24;
constexpr uint32_t kSymbolTable = 2;  // SHT_SYMTAB

Error bad(std::string code, std::string message) {
  return Error{ExitCode::kBadInput, std::move(code), std::move(message), {}, 0, 0};
}

Error truncated(std::string_view what) {
  return bad("cubin-truncated", fmt::format("the file ends within {}; copy or compile the cubin again", what));
}

// Reads the section header table, names left out.
Result<std::vector<ElfSection>> read_sections(const ByteReader& file, std::vector<uint32_t>& names) {
  const auto table = file.read<uint64_t>(0x28);
  const auto entry_bytes = file.read<uint16_t>(0x3a);
  const auto count = file.read<uint16_t>(0x3c);
  if (!table || !entry_bytes || !count) return truncated("the ELF header");
  if (*entry_bytes != kSectionHeaderBytes) {
    return bad("cubin-malformed",
               fmt::format("section headers of {} bytes; ELF64 has {}", *entry_bytes, kSectionHeaderBytes));
  }
  const auto headers = file.slice(*table, kSectionHeaderBytes * *count);
  if (!headers) return truncated("the section headers");
  const ByteReader reader(*headers);
  std::vector<ElfSection> sections;
  for (uint64_t i = 0; i < *count; ++i) {
    const uint64_t at = i * kSectionHeaderBytes;
    ElfSection section;
    names.push_back(*reader.read<uint32_t>(at));
    section.type = *reader.read<uint32_t>(at + 4);
    section.flags = *reader.read<uint64_t>(at + 8);
    const uint64_t offset = *reader.read<uint64_t>(at + 24);
    section.size = *reader.read<uint64_t>(at + 32);
    section.link = *reader.read<uint32_t>(at + 40);
    section.info = *reader.read<uint32_t>(at + 44);
    if (section.type != ElfFile::kNoBits && section.type != 0) {
      const auto data = file.slice(offset, section.size);
      if (!data) return truncated(fmt::format("section {}", i));
      section.data = *data;
    }
    sections.push_back(section);
  }
  return sections;
}

Status name_sections(const ByteReader& file, const std::vector<uint32_t>& names, std::vector<ElfSection>& sections) {
  const uint16_t strings = file.read<uint16_t>(0x3e).value_or(0);
  if (strings >= sections.size()) return bad("cubin-malformed", "the section name table has no section");
  const ByteReader table(sections[strings].data);
  for (size_t i = 0; i < sections.size(); ++i) {
    const auto name = table.string(names[i]);
    if (!name) return bad("cubin-malformed", fmt::format("the name of section {} lies outside of its table", i));
    sections[i].name = *name;
  }
  return Ok{};
}

Result<std::vector<ElfSymbol>> read_symbols(const std::vector<ElfSection>& sections) {
  std::vector<ElfSymbol> symbols;
  for (const ElfSection& section : sections) {
    if (section.type != kSymbolTable) continue;
    if (section.link >= sections.size()) return bad("cubin-malformed", "the symbol table has no string table");
    const ByteReader strings(sections[section.link].data);
    const ByteReader table(section.data);
    for (uint64_t at = 0; at + kSymbolBytes <= table.size(); at += kSymbolBytes) {
      const auto name = strings.string(*table.read<uint32_t>(at));
      if (!name) {
        return bad("cubin-malformed",
                   fmt::format("the name of symbol {} lies outside of its table", at / kSymbolBytes));
      }
      const uint8_t info = *table.read<uint8_t>(at + 4);
      ElfSymbol symbol;
      symbol.name = *name;
      symbol.type = info & 0xFU;
      symbol.binding = static_cast<uint8_t>(info >> 4U);
      symbol.other = *table.read<uint8_t>(at + 5);
      symbol.section = *table.read<uint16_t>(at + 6);
      symbol.value = *table.read<uint64_t>(at + 8);
      symbol.size = *table.read<uint64_t>(at + 16);
      symbols.push_back(symbol);
    }
    break;
  }
  return symbols;
}

}  // namespace

const ElfSection* ElfFile::find(std::string_view name) const {
  for (const ElfSection& section : sections) {
    if (section.name == name) return &section;
  }
  return nullptr;
}

Result<ElfFile> read_elf(std::span<const uint8_t> bytes) {
  const ByteReader file(bytes);
  if (file.read<uint32_t>(0) != kMagic) return bad("cubin-not-elf", "not an ELF file; a cubin is expected");
  if (bytes.size() < kHeaderBytes) return truncated("the ELF header");
  if (file.read<uint8_t>(4) != kClass64 || file.read<uint8_t>(5) != kLittleEndian) {
    return bad("cubin-malformed", "not a 64-bit little-endian ELF file");
  }
  ElfFile elf;
  elf.os_abi = *file.read<uint8_t>(7);
  elf.abi_version = *file.read<uint8_t>(8);
  elf.machine = *file.read<uint16_t>(0x12);
  elf.flags = *file.read<uint32_t>(0x30);
  std::vector<uint32_t> names;
  auto sections = read_sections(file, names);
  if (!sections) return sections.error();
  elf.sections = std::move(*sections);
  if (const Status status = name_sections(file, names, elf.sections); !status) return status.error();
  auto symbols = read_symbols(elf.sections);
  if (!symbols) return symbols.error();
  elf.symbols = std::move(*symbols);
  return elf;
}

}  // namespace smreplay::sass
