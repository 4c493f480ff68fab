#include "sim/attribution/DiffLoops.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <tuple>

#include "sim/isa/InstructionInfo.h"
#include "sim/isa/MatrixShape.h"

namespace smreplay::attribution {
namespace {

constexpr uint64_t kWarpThreads = 32;

bool all_digits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; });
}

uint64_t number(std::string_view digits) {
  constexpr uint64_t kTen = 10;
  uint64_t value = 0;
  for (const char c : digits) value = value * kTen + static_cast<uint64_t>(c - '0');
  return value;
}

// "16816": m16 n8 k16. "64x64x16": m64 n64 k16. Of a warp: a warpgroup's share is a quarter.
uint64_t shape_volume(std::string_view text) {
  constexpr size_t kLeastDigits = 4;
  constexpr uint64_t kWarpsPerGroup = 4;
  if (all_digits(text) && text.size() >= kLeastDigits) {
    return number(text.substr(0, 2)) * number(text.substr(2, 1)) * number(text.substr(3));
  }
  const size_t first = text.find('x');
  const size_t second = first == std::string_view::npos ? first : text.find('x', first + 1);
  if (second == std::string_view::npos) return 0;
  const std::array parts = {text.substr(0, first), text.substr(first + 1, second - first - 1), text.substr(second + 1)};
  if (!std::all_of(parts.begin(), parts.end(), all_digits)) return 0;
  return number(parts[0]) * number(parts[1]) * number(parts[2]) / kWarpsPerGroup;
}

std::string class_name(isa::Pipe pipe) {
  switch (pipe) {
    case isa::Pipe::kNone:
      return "no pipe";
    case isa::Pipe::kFma:
      return "fma";
    case isa::Pipe::kAlu:
      return "alu";
    case isa::Pipe::kHalf:
      return "half";
    case isa::Pipe::kFp64:
      return "fp64";
    case isa::Pipe::kTensor:
      return "tensor";
    case isa::Pipe::kUniform:
      return "uniform";
    case isa::Pipe::kBranch:
      return "branch";
    case isa::Pipe::kXu:
      return "xu";
    case isa::Pipe::kLsu:
      return "memory";
    case isa::Pipe::kConst:
      return "constant";
    case isa::Pipe::kMisc:
      return "misc";
  }
  return "misc";
}

void count(const isa::Program& program, ProgramLoop& loop) {
  for (uint32_t i = loop.first; i <= loop.last; ++i) {
    const isa::Instruction& in = program.instructions[i];
    ++loop.mnemonics[std::string(isa::mnemonic(in.opcode))];
    ++loop.classes[class_name(isa::pipe(isa::timing_class(in, program.sm)))];
    loop.multiply_adds += multiply_adds(in);
    const bool global = in.space == isa::MemorySpace::kGlobal || in.memory == isa::MemoryKind::kAsyncCopy;
    const bool load = in.memory == isa::MemoryKind::kLoad || in.memory == isa::MemoryKind::kAsyncCopy;
    if (global && load) loop.global_load_bytes += in.access_bytes * kWarpThreads;
  }
}

}  // namespace

uint64_t multiply_adds(const isa::Instruction& instruction) {
  if (!isa::is_matrix(instruction.opcode)) return 0;
  for (const isa::Modifier modifier : instruction.modifiers.list()) {
    if (const uint64_t volume = shape_volume(isa::text(modifier)); volume > 0) return volume;
  }
  return 0;
}

std::vector<ProgramLoop> find_loops(const isa::Program& program) {
  std::map<uint32_t, uint32_t> last_of;  // several back edges to one target are one loop
  for (const isa::Instruction& in : program.instructions) {
    if (in.opcode != isa::Opcode::kBRA) continue;
    for (const isa::Operand& operand : in.operands) {
      if (operand.kind != isa::OperandKind::kLabel || operand.imm < 0 || operand.imm >= int64_t{in.pc}) continue;
      uint32_t& last = last_of[static_cast<uint32_t>(operand.imm) / isa::kInstructionBytes];
      last = std::max(last, in.pc / isa::kInstructionBytes);
    }
  }
  std::vector<ProgramLoop> loops;
  for (const auto& [first, last] : last_of) {
    ProgramLoop loop;
    loop.first = first;
    loop.last = last;
    for (const ProgramLoop& outer : loops) loop.depth += outer.last >= last ? 1U : 0U;
    count(program, loop);
    loops.push_back(std::move(loop));
  }
  return loops;
}

int main_loop(const std::vector<ProgramLoop>& loops) {
  const auto rank = [](const ProgramLoop& loop) {
    const auto tensor = loop.classes.find("tensor");
    const uint32_t matrix = tensor == loop.classes.end() ? 0 : tensor->second;
    // With matrix work the shorter loop is the inner one; without, the longer one does more.
    const int64_t length = loop.instructions();
    return std::tuple(matrix, matrix > 0 ? -length : length);
  };
  const auto best = std::max_element(loops.begin(), loops.end(),
                                     [&rank](const ProgramLoop& x, const ProgramLoop& y) { return rank(x) < rank(y); });
  return best == loops.end() ? -1 : static_cast<int>(best - loops.begin());
}

}  // namespace smreplay::attribution
