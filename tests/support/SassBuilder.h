// Small programs for timing tests, written instruction by instruction, and the traces that run them.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "sim/isa/Program.h"
#include "sim/trace/CtaTrace.h"
#include "sim/trace/launch.pb.h"

namespace smreplay::test {

struct Scoreboards {
  uint8_t write = isa::kNoScoreboard;
  uint8_t read = isa::kNoScoreboard;
  uint8_t wait = 0;
};

// Builds a Program; each function appends one instruction and returns its index.
class SassBuilder {
 public:
  explicit SassBuilder(uint32_t sm) {
    program_.kernel = "test";
    program_.sm = sm;
    program_.resources.registers_per_thread = 32;
  }
  uint32_t op(isa::Opcode opcode, const std::vector<uint8_t>& writes, const std::vector<uint8_t>& reads, uint8_t stall,
              Scoreboards sb = {}) {
    isa::Instruction in;
    in.opcode = opcode;
    in.control.stall = stall;
    in.control.write_scoreboard = sb.write;
    in.control.read_scoreboard = sb.read;
    in.control.wait_mask = sb.wait;
    for (const uint8_t r : writes) in.writes.push_back({isa::RegisterFile::kVector, r, 1, 0, false, false});
    uint8_t slot = 0;
    for (const uint8_t r : reads) in.reads.push_back({isa::RegisterFile::kVector, r, 1, slot++, false, false});
    in.text = std::string(isa::mnemonic(opcode));
    return append(std::move(in));
  }
  // HMMA.16816.F32.BF16 with one set of registers: D and C at R8..R11, A at R4..R7, B at R2..R3.
  uint32_t hmma(uint8_t accumulator, uint8_t stall) {
    isa::Instruction in;
    in.opcode = isa::Opcode::kHMMA;
    in.modifiers.add(isa::Modifier::kM16816);
    in.modifiers.add(isa::Modifier::kF32);
    in.modifiers.add(isa::Modifier::kBF16);
    in.control.stall = stall;
    in.writes = {{isa::RegisterFile::kVector, accumulator, 4, 0, false, false}};
    in.reads = {{isa::RegisterFile::kVector, 4, 4, 0, false, false},
                {isa::RegisterFile::kVector, 2, 2, 1, false, false},
                {isa::RegisterFile::kVector, accumulator, 4, 2, false, false}};
    in.text = "HMMA.16816.F32.BF16";
    return append(std::move(in));
  }
  uint32_t memory(isa::Opcode opcode, isa::MemorySpace space, isa::MemoryKind kind, uint8_t bytes,
                  const std::vector<isa::Modifier>& modifiers, const std::vector<uint8_t>& writes,
                  const std::vector<uint8_t>& reads, uint8_t stall, Scoreboards sb) {
    const uint32_t index = op(opcode, writes, reads, stall, sb);
    isa::Instruction& in = program_.instructions[index];
    for (const isa::Modifier m : modifiers) in.modifiers.add(m);
    in.space = space;
    in.memory = kind;
    in.access_bytes = bytes;
    isa::Operand address;
    address.kind = isa::OperandKind::kMemory;
    address.has_base = true;
    address.reg = in.reads.empty() ? isa::kZeroRegister : in.reads[0].first;
    in.operands.push_back(address);
    return index;
  }
  uint32_t exit() { return op(isa::Opcode::kEXIT, {}, {}, 5); }
  isa::Program build() {
    program_.lines.resize(program_.instructions.size());
    return program_;
  }

 private:
  uint32_t append(isa::Instruction in) {
    in.pc = static_cast<uint32_t>(program_.instructions.size()) * isa::kInstructionBytes;
    program_.instructions.push_back(std::move(in));
    return static_cast<uint32_t>(program_.instructions.size() - 1);
  }
  isa::Program program_;
};

// A CTA whose warps all run [0, body) `times` times and then the rest of the program.
inline trace::Path loop_path(uint32_t body, uint32_t instructions, uint32_t times, uint32_t mask = 0xffffffffU) {
  trace::Path path;
  for (uint32_t i = 0; i < times; ++i) path.runs.push_back({0, body, mask});
  path.runs.push_back({body, instructions - body, mask});
  for (const trace::PathRun& run : path.runs) path.instructions += run.count;
  return path;
}

// Gives `ctas` copies of one CTA.
class RepeatedCta : public trace::CtaSource {
 public:
  RepeatedCta(trace::CtaTrace cta, uint32_t ctas) : cta_(std::move(cta)), left_(ctas) {}
  Result<std::shared_ptr<const trace::CtaTrace>> next() override {
    if (left_ == 0) return std::shared_ptr<const trace::CtaTrace>();
    --left_;
    auto out = std::make_shared<trace::CtaTrace>(cta_);
    out->linear_id = next_id_++;
    return std::shared_ptr<const trace::CtaTrace>(std::move(out));
  }

 private:
  trace::CtaTrace cta_;
  uint32_t left_;
  uint32_t next_id_ = 0;
};

inline trace::proto::LaunchSpec launch_of(uint32_t ctas, uint32_t threads) {
  trace::proto::LaunchSpec launch;
  launch.set_name("test");
  launch.mutable_grid()->set_x(ctas);
  launch.mutable_block()->set_x(threads);
  launch.set_shared_carveout_kb(-1);
  return launch;
}

}  // namespace smreplay::test
