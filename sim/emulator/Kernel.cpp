#include "sim/emulator/Kernel.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/emulator/InstructionTable.h"

namespace smreplay::emulator {
namespace {

// An operand may reach this many registers beyond the one it names.
constexpr uint32_t kOverhang = 8;

uint32_t highest_register(const isa::Program& program) {
  uint32_t highest = 0;
  for (const isa::Instruction& i : program.instructions) {
    for (const isa::Operand& o : i.operands) {
      const bool vector = o.kind == isa::OperandKind::kRegister ||
                          (o.kind == isa::OperandKind::kMemory && o.has_base) ||
                          (o.kind == isa::OperandKind::kConstant && o.has_base && !o.base_is_uniform);
      if (vector && o.reg != isa::kZeroRegister) highest = std::max<uint32_t>(highest, o.reg);
    }
  }
  return highest;
}

}  // namespace

std::string source_place(const isa::Program& program, uint32_t instruction) {
  if (instruction >= program.lines.size()) return {};
  const isa::SourceLine& line = program.lines[instruction];
  if (line.line == 0 || line.file >= program.files.size()) return {};
  return fmt::format("{}:{}", program.files[line.file], line.line);
}

Result<Kernel> compile(const isa::Program& program, ConstantBanks banks) {
  Kernel kernel;
  kernel.banks = std::move(banks);
  kernel.rows = kVectorRow + highest_register(program) + kOverhang;
  kernel.ops.reserve(program.instructions.size() + 1);
  std::vector<std::string> unsupported;
  Error error{ExitCode::kBadInput, "unsupported-instruction", {}, {}, 0, 0};
  for (size_t n = 0; n < program.instructions.size(); ++n) {
    const isa::Instruction& i = program.instructions[n];
    MicroOpBuilder builder(i, kernel.pool, kernel.banks, program.sm);
    builder.op.index = static_cast<uint32_t>(n);
    if (translate(builder)) {
      kernel.ops.push_back(builder.op);
      continue;
    }
    const std::string place = source_place(program, static_cast<uint32_t>(n));
    if (unsupported.empty() && !place.empty()) {
      error.file = program.files[program.lines[n].file];
      error.line = static_cast<int>(program.lines[n].line);
    }
    unsupported.push_back(fmt::format("{:#06x}: {}{}", i.pc, i.text, place.empty() ? "" : " (" + place + ")"));
    kernel.ops.emplace_back();
  }
  if (!unsupported.empty()) {
    error.message = fmt::format("kernel '{}' has {} instruction{} that the emulator does not know:", program.kernel,
                                unsupported.size(), unsupported.size() == 1 ? "" : "s");
    for (const std::string& line : unsupported) error.message += "\n  " + line;
    return error;
  }
  MicroOp end;
  end.control = Control::kEnd;
  end.index = static_cast<uint32_t>(program.instructions.size());
  kernel.ops.push_back(end);
  return kernel;
}

}  // namespace smreplay::emulator
