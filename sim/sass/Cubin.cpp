// Kernels of a cubin from its sections and symbols.
#include "sim/sass/Cubin.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "sim/sass/ByteReader.h"
#include "sim/sass/ElfFile.h"
#include "sim/sass/KernelAttributes.h"
#include "sim/sass/Sha256.h"

namespace smreplay::sass {
namespace {

constexpr uint16_t kCudaMachine = 190;
constexpr uint8_t kEntryPoint = 0x10;          // st_other of a kernel
constexpr uint8_t kFirstAbiWithSmInByte1 = 8;  // EI_ABIVERSION; before it the SM is in byte 0 of e_flags
constexpr uint32_t kReservedSharedBytes = 0x400;
constexpr unsigned kBarrierCountShift = 20;  // in the flags of the text section, older toolkits
constexpr uint64_t kBarrierCountMask = 0x7F;
constexpr uint64_t kRelocationBytes = 24;
constexpr uint64_t kMaxCodeBytes = uint64_t{64} << 20U;
constexpr uint32_t kSupportedSms[] = {90, 120};

Error bad(std::string code, std::string message) {
  return Error{ExitCode::kBadInput, std::move(code), std::move(message), {}, 0, 0};
}

// The relocations for section `target`: by offset in it the symbol.
std::map<uint64_t, std::string> relocations(const ElfFile& elf, const ElfSection& target) {
  std::map<uint64_t, std::string> found;
  const auto index = static_cast<uint32_t>(&target - elf.sections.data());
  for (const ElfSection& section : elf.sections) {
    if (section.type != ElfFile::kRelocations || section.info != index) continue;
    const ByteReader reader(section.data);
    for (uint64_t at = 0; at + kRelocationBytes <= section.data.size(); at += kRelocationBytes) {
      const uint64_t offset = reader.read<uint64_t>(at).value_or(0);
      const uint64_t symbol = reader.read<uint64_t>(at + 8).value_or(0) >> 32U;
      const bool named = symbol < elf.symbols.size() && !elf.symbols[symbol].name.empty();
      found.emplace(offset, named ? std::string(elf.symbols[symbol].name) : fmt::format("symbol {}", symbol));
    }
  }
  return found;
}

class KernelReader {
 public:
  KernelReader(const ElfFile& elf, uint32_t symbol)
      : elf_(elf), symbol_index_(symbol), symbol_(elf.symbols[symbol]), text_(elf.sections[symbol_.section]) {}

  Result<CubinKernel> read() {
    kernel_.name = symbol_.name;
    for (const auto step : {&KernelReader::read_code, &KernelReader::read_resources, &KernelReader::read_constants}) {
      if (const Status status = (this->*step)(); !status) return status.error();
    }
    kernel_.sha256 = digest();
    return std::move(kernel_);
  }

 private:
  std::string own(std::string_view prefix) const { return fmt::format("{}.{}", prefix, kernel_.name); }

  Error fail(std::string code, std::string_view message) const {
    return bad(std::move(code), fmt::format("kernel '{}': {}", kernel_.name, message));
  }

  Status read_code() {
    if (text_.name != own(".text")) return fail("cubin-malformed", "its symbol does not lie in its code section");
    if (text_.data.empty() || text_.data.size() % isa::kInstructionBytes != 0 || text_.data.size() > kMaxCodeBytes) {
      return fail("cubin-malformed", fmt::format("a code section of {} bytes", text_.data.size()));
    }
    if (symbol_.value != 0) return fail("cubin-unsupported", "it does not start at the beginning of its section");
    const ByteReader reader(text_.data);
    for (uint64_t at = 0; at < text_.data.size(); at += isa::kInstructionBytes) {
      kernel_.code.push_back({*reader.read<uint64_t>(at), *reader.read<uint64_t>(at + 8)});
    }
    const auto unresolved = relocations(elf_, text_);
    if (!unresolved.empty()) kernel_.unresolved_code = unresolved.begin()->second;
    return Ok{};
  }

  Status read_resources() {
    const ElfSection* global = elf_.find(".nv.info");
    const ElfSection* own_info = elf_.find(own(".nv.info"));
    if (global == nullptr || own_info == nullptr) return fail("cubin-malformed", "no .nv.info section");
    auto attributes = read_attributes(global->data, own_info->data, symbol_index_);
    if (!attributes) return fail(attributes.error().code, attributes.error().message);
    if (!attributes->registers) return fail("cubin-malformed", "no register count in .nv.info");
    isa::Resources& r = kernel_.resources;
    r.registers_per_thread = *attributes->registers;
    r.local_bytes_per_thread = attributes->stack_bytes;
    r.barriers =
        attributes->barriers.value_or(static_cast<uint32_t>((text_.flags >> kBarrierCountShift) & kBarrierCountMask));
    std::copy(std::begin(attributes->required_threads), std::end(attributes->required_threads), r.required_threads);
    uint64_t threads = 1;
    for (const uint32_t n : attributes->max_threads) threads *= std::min<uint32_t>(n, 1U << 16U);
    r.max_threads_per_cta = static_cast<uint32_t>(std::min<uint64_t>(threads, UINT32_MAX));
    kernel_.parameters = std::move(attributes->parameters);
    kernel_.parameter_base = attributes->parameter_base;
    kernel_.parameter_bytes = attributes->parameter_bytes;
    return read_shared();
  }

  // The section counts the block that the system reserves at the bottom of shared memory.
  Status read_shared() {
    const ElfSection* shared = elf_.find(own(".nv.shared"));
    if (shared == nullptr) return Ok{};
    if (shared->size < kReservedSharedBytes || shared->size > UINT32_MAX) {
      return fail("cubin-unsupported", fmt::format("a shared-memory section of {} bytes", shared->size));
    }
    kernel_.resources.static_shared_bytes = static_cast<uint32_t>(shared->size) - kReservedSharedBytes;
    return Ok{};
  }

  // ".nv.constant3" belongs to the module, ".nv.constant2.KERNEL" to the kernel.
  std::optional<uint32_t> bank_of(std::string_view name) const {
    constexpr std::string_view kPrefix = ".nv.constant";
    if (!name.starts_with(kPrefix)) return std::nullopt;
    name.remove_prefix(kPrefix.size());
    uint32_t bank = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), bank);
    if (error != std::errc{} || bank == 0) return std::nullopt;
    name.remove_prefix(static_cast<size_t>(end - name.data()));
    if (!name.empty() && name != "." + kernel_.name) return std::nullopt;
    return bank;
  }

  Status read_constants() {
    for (const ElfSection& section : elf_.sections) {
      const auto bank = bank_of(section.name);
      if (!bank || section.type == ElfFile::kRelocations) continue;
      if (section.type == ElfFile::kNoBits) return fail("cubin-unsupported", "a constant bank without data");
      if (kernel_.constant_banks.count(*bank) != 0) {
        return fail("cubin-malformed", fmt::format("constant bank {} appears twice", *bank));
      }
      kernel_.constant_banks[*bank].assign(section.data.begin(), section.data.end());
      auto unresolved = relocations(elf_, section);
      if (!unresolved.empty()) kernel_.unresolved_banks[*bank] = std::move(unresolved);
    }
    return Ok{};
  }

  std::string digest() const {
    Sha256 hash;
    const auto add = [&](const ElfSection* section) {
      if (section == nullptr) return;
      hash.update({reinterpret_cast<const uint8_t*>(section->name.data()), section->name.size()});
      hash.update(section->data);
    };
    add(&text_);
    add(elf_.find(own(".nv.info")));
    for (const auto& [bank, bytes] : kernel_.constant_banks) hash.update(bytes);
    return hash.finish();
  }

  const ElfFile& elf_;
  uint32_t symbol_index_;
  const ElfSymbol& symbol_;
  const ElfSection& text_;
  CubinKernel kernel_;
};

Result<uint32_t> architecture(const ElfFile& elf) {
  const uint32_t sm = elf.abi_version >= kFirstAbiWithSmInByte1 ? (elf.flags >> 8U) & 0xFFU : elf.flags & 0xFFU;
  if (std::find(std::begin(kSupportedSms), std::end(kSupportedSms), sm) == std::end(kSupportedSms)) {
    return bad("cubin-architecture",
               fmt::format(
                   "compiled for sm_{}; sm_90 and sm_120 are supported: compile with -arch=sm_90 or -arch=sm_120", sm));
  }
  return sm;
}

}  // namespace

Result<Cubin> read_cubin(std::span<const uint8_t> bytes) {
  const auto elf = read_elf(bytes);
  if (!elf) return elf.error();
  if (elf->machine != kCudaMachine) {
    return bad("cubin-machine",
               fmt::format("an ELF file for machine {}, not a cubin (machine {})", elf->machine, kCudaMachine));
  }
  const auto sm = architecture(*elf);
  if (!sm) return sm.error();
  Cubin cubin;
  cubin.sm = *sm;
  for (uint32_t i = 0; i < elf->symbols.size(); ++i) {
    const ElfSymbol& symbol = elf->symbols[i];
    if (symbol.type != ElfFile::kFunction || (symbol.other & kEntryPoint) == 0) continue;
    if (symbol.section == 0 || symbol.section >= elf->sections.size()) {
      return bad("cubin-malformed", fmt::format("kernel '{}' has no code section", symbol.name));
    }
    auto kernel = KernelReader(*elf, i).read();
    if (kernel) {
      cubin.kernels.push_back(std::move(*kernel));
    } else {
      cubin.unreadable.emplace(symbol.name, kernel.error());
    }
  }
  if (!cubin.kernels.empty()) return cubin;
  if (!cubin.unreadable.empty()) return cubin.unreadable.begin()->second;
  return bad("cubin-no-kernel", "the cubin holds no kernel");
}

}  // namespace smreplay::sass
