#include "sim/emulator/ConstantBank.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace smreplay::emulator {
namespace {

struct Layout {
  uint32_t sm;
  uint32_t block_dim, grid_dim;
  uint32_t stack_pointer;
  uint32_t parameters;
};

constexpr Layout kLayouts[] = {{90, 0x00, 0x0c, 0x28, 0x210}, {120, 0x360, 0x370, 0x37c, 0x380}};

void put(std::vector<uint8_t>& bank, uint64_t offset, const void* data, size_t bytes) {
  if (bank.size() < offset + bytes) bank.resize(offset + bytes, 0);
  std::memcpy(bank.data() + offset, data, bytes);
}

void put_dimensions(std::vector<uint8_t>& bank, uint32_t offset, const Dimensions& d) {
  const uint32_t words[3] = {d.x, d.y, d.z};
  put(bank, offset, words, sizeof words);
}

Error bad_parameter(const isa::Program& program, std::string message) {
  return {ExitCode::kBadInput, "launch-parameter", fmt::format("kernel '{}': {}", program.kernel, message), {}, 0, 0};
}

struct Value {
  uint64_t bits = 0;
  uint32_t bytes = 0;
};

}  // namespace

Result<LaunchConstants> build_constants(const isa::Program& program, const trace::proto::LaunchSpec& launch,
                                        const MemoryImage& memory, const Dimensions& grid, const Dimensions& block,
                                        uint32_t stack_pointer) {
  const auto* layout = std::ranges::find(kLayouts, program.sm, &Layout::sm);
  if (layout == std::ranges::end(kLayouts)) {
    return Error{ExitCode::kBadInput,
                 "unsupported-architecture",
                 fmt::format("kernel '{}' is compiled for sm_{}; the emulator knows sm_90 and sm_120", program.kernel,
                             program.sm),
                 {},
                 0,
                 0};
  }
  LaunchConstants result;
  std::vector<uint8_t>& bank = result.bank0;
  const uint32_t base = program.parameter_base != 0 ? program.parameter_base : layout->parameters;
  bank.resize(base + program.parameter_bytes, 0);
  put_dimensions(bank, layout->block_dim, block);
  put_dimensions(bank, layout->grid_dim, grid);
  put(bank, layout->stack_pointer, &stack_pointer, sizeof stack_pointer);

  const auto given = static_cast<size_t>(launch.arguments_size());
  const auto& parameters = program.parameters;
  if (given > parameters.size()) {
    return bad_parameter(
        program, fmt::format("the launch gives {} arguments, the kernel has {} parameters", given, parameters.size()));
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    const isa::Parameter& p = parameters[i];
    Value v;
    std::string name = fmt::format("parameter {}", i);
    if (i < given) {
      const auto& a = launch.arguments(static_cast<int>(i));
      if (!a.name().empty()) name += fmt::format(" ('{}')", a.name());
      switch (a.value_case()) {
        case trace::proto::Argument::kBuffer: {
          const auto address = memory.address(a.buffer());
          if (!address)
            return bad_parameter(program,
                                 fmt::format("{} names the buffer '{}', which the launch lacks", name, a.buffer()));
          v = {*address + a.offset(), 8};
          break;
        }
        case trace::proto::Argument::kI32:
          v = {static_cast<uint32_t>(a.i32()), 4};
          break;
        case trace::proto::Argument::kU32:
          v = {a.u32(), 4};
          break;
        case trace::proto::Argument::kI64:
          v = {static_cast<uint64_t>(a.i64()), 8};
          break;
        case trace::proto::Argument::kF32:
          v = {std::bit_cast<uint32_t>(a.f32()), 4};
          break;
        case trace::proto::Argument::kHiddenNull:
          v = {0, 8};
          break;
        case trace::proto::Argument::VALUE_NOT_SET:
          return bad_parameter(program, name + " has no value");
      }
    } else {
      // Behind the given ones stand pointers that the compiler appended (scratch memory).
      v = {0, 8};
      result.notes.push_back(fmt::format("{}: hidden, filled with null", name));
    }
    if (v.bytes != p.size) {
      return bad_parameter(program,
                           fmt::format("{} has {} bytes in the kernel, {} in the launch{}", name, p.size, v.bytes,
                                       i < given ? "" : " (not given; only hidden 8-byte pointers may be left out)"));
    }
    if (p.offset + p.size > program.parameter_bytes) {
      return bad_parameter(program, fmt::format("{} ends at byte {} of a block of {} bytes", name, p.offset + p.size,
                                                program.parameter_bytes));
    }
    put(bank, base + p.offset, &v.bits, v.bytes);
  }
  return result;
}

}  // namespace smreplay::emulator
