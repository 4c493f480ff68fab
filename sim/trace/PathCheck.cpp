#include "sim/trace/PathCheck.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "sim/isa/InstructionInfo.h"

namespace smreplay::trace {

namespace {

using isa::Instruction;
using isa::Opcode;
using isa::OperandKind;

bool has_register_barrier(const Instruction& instruction) {
  return instruction.opcode == Opcode::kBAR &&
         std::ranges::any_of(instruction.operands, [](const isa::Operand& operand) {
           return operand.kind == OperandKind::kRegister || operand.kind == OperandKind::kUniformRegister;
         });
}

// The target of a direct branch, as an instruction index; -1: none.
int64_t target_of(const Instruction& instruction) {
  for (const isa::Operand& operand : instruction.operands) {
    if (operand.kind == OperandKind::kLabel) return operand.imm / isa::kInstructionBytes;
  }
  return -1;
}

// A branch that only its guard decides: BRA without a predicate among its operands.
bool is_plain_branch(const Instruction& instruction) {
  return instruction.opcode == Opcode::kBRA && instruction.operands.size() == 1 && target_of(instruction) >= 0;
}

}  // namespace

PathCheck::PathCheck(const isa::Program& program) : program_(program), sites_(program) {
  for (const Instruction& instruction : program.instructions)
    register_barrier_.push_back(has_register_barrier(instruction));
}

bool PathCheck::may_switch(uint32_t index) const {
  const Instruction& instruction = program_.instructions[index];
  switch (instruction.opcode) {
    case Opcode::kBAR:
    case Opcode::kWARPSYNC:
    case Opcode::kYIELD:
      return true;
    default:
      return isa::pipe(isa::timing_class(instruction, program_.sm)) == isa::Pipe::kBranch;
  }
}

// What is wrong with going on at `next`; empty: nothing.
std::string PathCheck::wrong_move(const Step& step, const PathRun& next) const {
  const Instruction& last = program_.instructions[step.last];
  if (next.active_mask == 0) return "runs without active threads";
  if ((next.active_mask & ~step.live) != 0) return "runs threads that do not exist or have left";
  const bool sequential = next.first == step.last + 1 && next.active_mask == step.active;
  if (sequential && !is_plain_branch(last)) return {};
  if (!sequential && !may_switch(step.last)) return "leaves straight-line code";
  // With threads waiting elsewhere, any of them may be next.
  if (step.active != step.live || !is_plain_branch(last)) return {};
  const uint32_t stay = step.active & ~step.taken;
  const auto here = std::pair(next.first, next.active_mask);
  const auto target = static_cast<uint32_t>(target_of(last));
  if (step.taken != 0 && here == std::pair(target, step.taken)) return {};
  if (stay != 0 && here == std::pair(step.last + 1, stay)) return {};
  return "goes elsewhere than its branch";
}

Result<CheckedPath> PathCheck::check(std::shared_ptr<const Path> path, uint32_t threads,
                                     const std::string& where) const {
  CheckedPath result;
  Step step{threads, threads, 0, 0};
  const auto invalid = [&](uint32_t instruction, const std::string& what) {
    std::string text = where;
    if (instruction < program_.instructions.size()) {
      text += ", instruction " + std::to_string(instruction) + " (" + program_.instructions[instruction].text + ")";
    }
    return Error{ExitCode::kBadInput, "trace-invalid", text + ": the path " + what, {}};
  };
  if (path->runs.empty() || path->runs.front().first != 0 || path->runs.front().active_mask != threads) {
    return invalid(0, "does not begin at the first instruction with all threads");
  }
  size_t guard = 0;
  for (size_t r = 0; r < path->runs.size(); ++r) {
    const PathRun& run = path->runs[r];
    if (r > 0) {
      if (const std::string wrong = wrong_move(step, run); !wrong.empty()) return invalid(step.last, wrong);
    }
    step.active = run.active_mask;
    result.thread_instructions += uint64_t{run.count} * static_cast<uint64_t>(std::popcount(run.active_mask));
    for (uint32_t i = run.first; i < run.first + run.count; ++i) {
      step.taken = sites_.guarded(i) ? path->guard_masks[guard++] : run.active_mask;
      step.last = i;
      if ((step.taken & ~run.active_mask) != 0) return invalid(i, "has a guard mask with inactive threads");
      const uint32_t end = sites_.sites_before(i + 1);
      for (uint32_t s = sites_.sites_before(i); s < end; ++s) {
        result.access_sites.push_back(s);
        result.access_masks.push_back(step.taken);
      }
      result.register_barriers += register_barrier_[i];
      const Opcode opcode = program_.instructions[i].opcode;
      if (opcode == Opcode::kEXIT || opcode == Opcode::kKILL) step.live &= ~step.taken;
      const bool ends_run = i + 1 == run.first + run.count;
      if (ends_run) continue;
      if ((run.active_mask & ~step.live) != 0) return invalid(i, "goes on with threads that have left");
      if (is_plain_branch(program_.instructions[i]) && step.taken != 0 &&
          target_of(program_.instructions[i]) != i + 1) {
        return invalid(i, "goes straight on where a branch was taken");
      }
    }
  }
  if (step.live != 0) return invalid(step.last, "ends before all threads have left");
  result.path = std::move(path);
  return result;
}

}  // namespace smreplay::trace
