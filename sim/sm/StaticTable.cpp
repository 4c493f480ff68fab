#include "sim/sm/StaticTable.h"

#include <algorithm>

#include "sim/isa/SpecialRegister.h"

namespace smreplay::sm {
namespace {

using isa::MemoryKind;
using isa::MemorySpace;
using isa::Modifier;
using isa::Opcode;
using isa::OperandKind;
using isa::Pipe;
using isa::TimingClass;

IssueKind issue_kind(TimingClass timing, uint32_t sm) {
  if (timing == TimingClass::bar) return IssueKind::kBarrier;
  if (timing == TimingClass::membar) return IssueKind::kMembar;
  if (isa::is_fixed_latency(timing, sm)) return IssueKind::kFixed;
  switch (isa::pipe(timing)) {
    case Pipe::kLsu:
      return IssueKind::kMemory;
    case Pipe::kXu:
      return IssueKind::kXu;
    default:
      return IssueKind::kDelayed;
  }
}

WarpState throttle_state(TimingClass timing, Pipe pipe) {
  switch (timing) {
    case TimingClass::ldg:
    case TimingClass::stg:
    case TimingClass::ldl:
    case TimingClass::stl:
    case TimingClass::ldgsts:
    case TimingClass::atomg:
      return WarpState::kLgThrottle;
    default:
      break;
  }
  if (pipe == Pipe::kLsu || pipe == Pipe::kXu || pipe == Pipe::kMisc || pipe == Pipe::kConst) {
    return WarpState::kMioThrottle;
  }
  return WarpState::kMathPipeThrottle;
}

// Nsight Compute counts scoreboards set by L1TEX operations as long, all others as short.
bool is_long(TimingClass timing) {
  switch (timing) {
    case TimingClass::ldg:
    case TimingClass::stg:
    case TimingClass::ldl:
    case TimingClass::stl:
    case TimingClass::ldgsts:
    case TimingClass::ldgdepbar:
    case TimingClass::atomg:
      return true;
    default:
      return false;
  }
}

void add_port_reads(const isa::Instruction& in, StaticInstruction& out) {
  for (const isa::RegisterSpan& span : in.reads) {
    if (span.file != isa::RegisterFile::kVector) continue;
    for (uint32_t i = 0; i < span.count; ++i) {
      out.port_reads.push_back({static_cast<uint8_t>(span.first + i), span.slot, span.reuse});
    }
  }
}

// Constant operands share one line-address space: the bank above the offset.
void add_constant_operand(const isa::Instruction& in, const machine::Machine& machine, StaticInstruction& out) {
  constexpr uint64_t kBankShift = 32;
  for (const isa::Operand& operand : in.operands) {
    if (operand.kind != OperandKind::kConstant) continue;
    out.constant_operand = true;
    out.constant_indexed = operand.reg != isa::kZeroRegister || operand.base2 != isa::kZeroRegister;
    const uint64_t address = (uint64_t{operand.bank} << kBankShift) + static_cast<uint64_t>(operand.imm);
    out.constant_line = address / machine.front_end.const_line_bytes;
  }
}

void add_memory(const isa::Instruction& in, StaticInstruction& out) {
  out.space = in.space;
  out.memory = in.memory;
  out.access_bytes = in.access_bytes;
  const bool addressed = in.space != MemorySpace::kNone && in.space != MemorySpace::kConstant;
  out.accesses = static_cast<uint8_t>(!addressed ? 0 : in.memory == MemoryKind::kAsyncCopy ? 2 : 1);
  const bool strong = in.has(Modifier::kSTRONG) && (in.has(Modifier::kGPU) || in.has(Modifier::kSYS));
  out.bypass_l1 =
      strong || in.has(Modifier::kBYPASS) || in.memory == MemoryKind::kAtomic || in.memory == MemoryKind::kReduction;
  for (const isa::RegisterSpan& span : in.reads) {
    if (span.file == isa::RegisterFile::kVector && !span.is_guard) {
      out.operand_registers = static_cast<uint8_t>(out.operand_registers + span.count);
    }
  }
}

void add_barrier(const isa::Instruction& in, StaticInstruction& out) {
  out.barrier_waits = !in.has(Modifier::kARV);
  int position = 0;
  for (const isa::Operand& operand : in.operands) {
    if (operand.kind == OperandKind::kRegister) out.barrier_from_register = true;
    if (operand.kind != OperandKind::kImmediate && operand.kind != OperandKind::kRegister) continue;
    if (operand.kind == OperandKind::kImmediate) {
      if (position == 0) out.barrier_id = static_cast<uint8_t>(operand.imm);
      if (position == 1) out.barrier_threads = static_cast<uint32_t>(operand.imm);
    }
    ++position;
  }
}

void add_depbar(const isa::Instruction& in, StaticInstruction& out) {
  out.depbar = true;
  for (const isa::Operand& operand : in.operands) {
    switch (operand.kind) {
      case OperandKind::kScoreboard:
        out.depbar_index = operand.reg;
        break;
      case OperandKind::kImmediate:
        out.depbar_limit = static_cast<uint8_t>(operand.imm);
        break;
      case OperandKind::kScoreboardSet:
        out.depbar_mask = static_cast<uint8_t>(out.depbar_mask | static_cast<uint8_t>(operand.imm));
        break;
      default:
        break;
    }
  }
}

// What runs on while its warp waits at a barrier (profiles of an H200: the samples of a barrier stand at the first
// branch, NOP or instruction of a queue behind BAR.SYNC.DEFER_BLOCKING; pipes of fixed latency, HMMA and R2UR go on).
bool passes_barrier(TimingClass timing, Pipe pipe, IssueKind kind) {
  if (timing == TimingClass::r2ur) return true;
  return kind == IssueKind::kFixed && pipe != Pipe::kBranch && pipe != Pipe::kNone;
}

// SHFL, LDSM and the like move 32-bit registers; the latency by width is for addressed accesses.
uint32_t by_width(uint8_t bytes, uint32_t w32, uint32_t w64, uint32_t w128) {
  if (bytes >= 16 && w128 != 0) return w128;
  if (bytes >= 8 && w64 != 0) return w64;
  return w32;
}

// CS2R of the clock; through a queue (S2R) it would come late.
bool reads_clock(const isa::Instruction& in) {
  constexpr auto kClock = static_cast<int64_t>(isa::SpecialRegister::kClockLo);
  if (in.opcode != Opcode::kCS2R) return false;
  return std::any_of(in.operands.begin(), in.operands.end(), [](const isa::Operand& operand) {
    return operand.kind == OperandKind::kSpecialRegister && operand.imm == kClock;
  });
}

StaticInstruction make(const isa::Instruction& in, const machine::Machine& machine) {
  StaticInstruction out;
  out.timing = isa::timing_class(in, machine.sm);
  out.pipe = isa::pipe(out.timing);
  out.kind = issue_kind(out.timing, machine.sm);
  out.throttle = throttle_state(out.timing, out.pipe);
  out.guarded = !in.guard.always();
  out.long_scoreboard = is_long(out.timing);
  out.mma = out.pipe == Pipe::kTensor;
  out.reads_clock = reads_clock(in);
  out.drain = in.control.stall == 0 && in.control.yield;
  out.stall = std::max<uint8_t>(1, in.control.stall);
  // A yielding warp is not eligible in the next cycle.
  constexpr uint8_t kYieldStall = 2;
  if (in.control.yield) out.stall = std::max(out.stall, kYieldStall);
  out.wait_mask = in.control.wait_mask;
  out.write_scoreboard = in.control.write_scoreboard;
  out.read_scoreboard = in.control.read_scoreboard;
  const machine::ClassTiming& timing = machine.of(out.timing);
  out.interval = std::max(1U, timing.interval);
  out.latency = by_width(in.access_bytes, timing.latency, timing.latency_64, timing.latency_128);
  out.read_release = timing.read_release;
  out.line = in.pc / machine.front_end.line_bytes;
  out.hazards = hazard_edges(in, out.timing, machine);
  if (out.kind == IssueKind::kFixed) {
    add_port_reads(in, out);
    add_constant_operand(in, machine, out);
  }
  if (out.timing == TimingClass::ldc || out.timing == TimingClass::ldcu) add_constant_operand(in, machine, out);
  if (out.kind == IssueKind::kMemory) add_memory(in, out);
  out.passes_barrier = passes_barrier(out.timing, out.pipe, out.kind);
  if (out.kind == IssueKind::kBarrier) add_barrier(in, out);
  if (in.opcode == Opcode::kDEPBAR) add_depbar(in, out);
  if (out.kind == IssueKind::kMembar) {
    constexpr uint8_t kGpuScope = 1;
    constexpr uint8_t kSysScope = 2;
    out.membar_scope = in.has(Modifier::kSYS) ? kSysScope : in.has(Modifier::kGPU) ? kGpuScope : uint8_t{0};
  }
  return out;
}

}  // namespace

HazardEdges hazard_edges(const isa::Instruction& instruction, TimingClass timing, const machine::Machine& machine) {
  const auto index = [](const isa::RegisterSpan& span) -> uint32_t {
    switch (span.file) {
      case isa::RegisterFile::kUniform:
        return kUniformBase + span.first;
      case isa::RegisterFile::kPredicate:
        return kPredicateBase + span.first;
      case isa::RegisterFile::kUniformPredicate:
        return kUniformPredicateBase + span.first;
      case isa::RegisterFile::kVector:
        break;
    }
    return span.first;
  };
  HazardEdges edges;
  edges.group = machine.hazards.group_of[static_cast<size_t>(timing)];
  edges.fixed = isa::is_fixed_latency(timing, machine.sm);
  edges.in_order = timing == TimingClass::lds || timing == TimingClass::ldsm || timing == TimingClass::atoms;
  edges.latency = static_cast<uint16_t>(edges.fixed ? machine.of(timing).latency : 0);
  for (const isa::RegisterSpan& span : instruction.reads) {
    for (uint32_t i = 0; i < span.count; ++i) {
      edges.reads.push_back({static_cast<uint16_t>(index(span) + i), span.is_guard});
    }
  }
  for (const isa::RegisterSpan& span : instruction.writes) {
    for (uint32_t i = 0; i < span.count; ++i) edges.writes.push_back(static_cast<uint16_t>(index(span) + i));
  }
  return edges;
}

StaticTable::StaticTable(const isa::Program& program, const machine::Machine& machine) {
  instructions.reserve(program.instructions.size());
  for (const isa::Instruction& instruction : program.instructions) {
    instructions.push_back(make(instruction, machine));
    lines = std::max(lines, instructions.back().line + 1);
  }
}

}  // namespace smreplay::sm
