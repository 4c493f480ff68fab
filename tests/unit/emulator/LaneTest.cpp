#include "tests/unit/emulator/LaneTest.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "sim/emulator/Emulator.h"
#include "tests/unit/emulator/Assemble.h"

namespace smreplay::emulator::test {
namespace {

constexpr uint32_t kCtas = 24;
constexpr int kInputs = 8;
constexpr uint32_t kOldWord = 0x5eed0000;

using Random = std::mt19937_64;

size_t outputs_of(Shape shape) { return static_cast<size_t>(shape.words) + static_cast<size_t>(shape.predicates); }

uint32_t random_word(Random& random, Values values) {
  static constexpr uint32_t kCorners[] = {0,          1,          2,          31,         32,         33,     63,
                                          0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0xfffffffe, 0xffff, 0x10000};
  static constexpr uint32_t kFloatCorners[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000,
                                               0xff800000, 0x7fc00000, 1,          0x80000001, 0x7fffff,
                                               0x00800000, 0x7f7fffff, 0x3f000000};
  const auto word = static_cast<uint32_t>(random());
  const uint64_t kind = random() % 8;
  switch (values) {
    case Values::kIntegers:
      return kind < 3 ? kCorners[random() % std::size(kCorners)] : word;
    case Values::kSmall:
      return word % 40;
    case Values::kFloats:
      if (kind == 0) return kFloatCorners[random() % std::size(kFloatCorners)];
      if (kind == 1) return word;
      return (word & 0x807fffffU) | (static_cast<uint32_t>(115 + random() % 24) << 23U);  // 2^-12 to 2^12
    case Values::kHalves: {
      const auto half = [&] {
        const auto bits = static_cast<uint32_t>(random()) & 0xffffU;
        return random() % 8 == 0 ? bits : (bits & 0x83ffU) | static_cast<uint32_t>(8 + random() % 14) << 10U;
      };
      return half() | half() << 16U;
    }
    case Values::kDoubles:
      return word;  // the high words are made below
  }
  return word;
}

struct Run {
  std::vector<uint32_t> in;   // [cta][register][lane]
  std::vector<uint32_t> out;  // [cta][word or predicate][lane]
};

std::string program_text(const std::string& body, Shape shape, uint32_t base) {
  std::string text =
      fmt::format("S2R R240, SR_TID.X\nS2R R241, SR_CTAID.X\nLDC.64 R242, c[0x0][{:#x}]\nLDC.64 R244, c[0x0][{:#x}]\n",
                  base, base + 8);
  const int outputs = shape.words + shape.predicates;
  text += fmt::format("IMAD R246, R241, {:#x}, RZ\nIMAD R247, R241, {:#x}, RZ\n", kInputs * 32, outputs * 32);
  text += "IADD3 R246, R246, R240, RZ\nIADD3 R247, R247, R240, RZ\n";
  text += "IMAD.WIDE.U32 R242, R246, 0x4, R242\nIMAD.WIDE.U32 R244, R247, 0x4, R244\n";
  for (int i = 0; i < kInputs; ++i) text += fmt::format("LDG.E R{}, desc[UR4][R242.64+{:#x}]\n", 4 + i, i * 128);
  for (int i = 0; i < shape.words; ++i)
    text += fmt::format("MOV R{}, {:#x}\n", 16 + i, kOldWord + static_cast<uint32_t>(i));
  text += "ISETP.NE.U32.AND P0, PT, RZ, RZ, PT\nISETP.NE.U32.AND P1, PT, RZ, RZ, PT\n";
  text += "LOP3.LUT R239, R11, 0x1, RZ, 0xc0, !PT\nISETP.NE.U32.AND P5, PT, R239, RZ, PT\n";
  text += body + "\n";
  for (int i = 0; i < shape.words; ++i) text += fmt::format("STG.E desc[UR4][R244.64+{:#x}], R{}\n", i * 128, 16 + i);
  for (int i = 0; i < shape.predicates; ++i) {
    text += fmt::format("SEL R238, RZ, 0x1, !P{}\nSTG.E desc[UR4][R244.64+{:#x}], R238\n", i, (shape.words + i) * 128);
  }
  return text + "EXIT\n";
}

Run execute(const std::string& body, Shape shape, Values values, uint32_t sm, uint64_t seed) {
  Run run;
  Random random(seed);
  run.in.resize(size_t{kCtas} * kInputs * 32);
  for (uint32_t& word : run.in) word = random_word(random, values);
  if (values == Values::kDoubles) {
    // Odd registers are the high words: moderate exponents, with some of everything.
    for (size_t i = 0; i < run.in.size(); ++i) {
      if (i / 32 % 2 == 1 && random() % 8 != 0) {
        run.in[i] = (run.in[i] & 0x800fffffU) | static_cast<uint32_t>(1010 + random() % 30) << 20U;
      }
    }
  }
  const size_t outputs = outputs_of(shape) * 32 * kCtas;
  const uint32_t base = sm == 90 ? 0x210 : 0x380;
  isa::Program program = assemble(sm, program_text(body, shape, base));
  program.parameters = {{0, 0, 8}, {1, 8, 8}};
  program.parameter_bytes = 16;
  trace::proto::LaunchSpec launch;
  launch.mutable_grid()->set_x(kCtas);
  launch.mutable_block()->set_x(32);
  auto* in = launch.add_buffers();
  in->set_name("in");
  in->set_bytes(run.in.size() * 4);
  auto* out = launch.add_buffers();
  out->set_name("out");
  out->set_bytes(outputs * 4);
  launch.add_arguments()->set_buffer("in");
  launch.add_arguments()->set_buffer("out");
  Options options;
  std::vector<uint8_t> bytes(run.in.size() * 4);
  std::memcpy(bytes.data(), run.in.data(), bytes.size());
  options.preload.push_back({"in", std::move(bytes)});
  auto emulator = Emulator::create(program, launch, std::move(options));
  if (!emulator) {
    ADD_FAILURE() << emulator.error().text();
    return run;
  }
  if (const Status status = (*emulator)->run_all(); !status) {
    ADD_FAILURE() << status.error().text();
    return run;
  }
  const auto result = (*emulator)->buffer("out");
  run.out.resize(outputs);
  std::memcpy(run.out.data(), result.data(), result.size());
  return run;
}

}  // namespace

void check(const std::string& instruction, Shape shape, Values values, const Reference& reference, uint32_t sm) {
  for (const bool guarded : {false, true}) {
    const Run run = execute((guarded ? "@P5 " : "") + instruction, shape, values, sm, 17);
    if (run.out.empty()) return;
    int failures = 0;
    for (uint32_t cta = 0; cta < kCtas; ++cta) {
      for (uint32_t lane = 0; lane < 32; ++lane) {
        Inputs in;
        for (size_t i = 0; i < kInputs; ++i) in[i] = run.in[(cta * kInputs + i) * 32 + lane];
        Outputs expected = reference(in);
        const bool off = guarded && (in[7] & 1U) == 0;
        const auto got = [&](size_t i) { return run.out[(cta * outputs_of(shape) + i) * 32 + lane]; };
        for (size_t i = 0; i < outputs_of(shape); ++i) {
          const auto words = static_cast<size_t>(shape.words);
          const uint32_t want = off ? (i < words ? kOldWord + static_cast<uint32_t>(i) : 0)
                                    : (i < words                           ? expected.words.at(i)
                                       : expected.predicates.at(i - words) ? 1U
                                                                           : 0U);
          if (got(i) == want || ++failures > 4) continue;
          ADD_FAILURE() << fmt::format(
              "{}{}: output {}: got {:#010x}, expected {:#010x}; inputs {:#x} {:#x} {:#x} {:#x}",
              guarded ? "guarded " : "", instruction, i, got(i), want, in[0], in[1], in[2], in[3]);
        }
      }
    }
  }
}

void check_warp(const std::string& instructions, Shape shape, Values values, const WarpReference& reference,
                uint32_t sm) {
  const Run run = execute(instructions, shape, values, sm, 23);
  if (run.out.empty()) return;
  int failures = 0;
  for (uint32_t cta = 0; cta < kCtas; ++cta) {
    WarpState state;
    for (size_t i = 0; i < kInputs; ++i) {
      for (size_t lane = 0; lane < 32; ++lane) state.in[i][lane] = run.in[(cta * kInputs + i) * 32 + lane];
    }
    state.words.resize(static_cast<size_t>(shape.words));
    reference(state);
    for (size_t i = 0; i < outputs_of(shape); ++i) {
      for (size_t lane = 0; lane < 32; ++lane) {
        const auto words = static_cast<size_t>(shape.words);
        const uint32_t want = i < words ? state.words[i][lane] : (state.predicates[i - words] >> lane) & 1U;
        const uint32_t got = run.out[(cta * outputs_of(shape) + i) * 32 + lane];
        if (got == want || ++failures > 4) continue;
        ADD_FAILURE() << fmt::format("{}: output {}, lane {}: got {:#010x}, expected {:#010x}", instructions, i, lane,
                                     got, want);
      }
    }
  }
}

}  // namespace smreplay::emulator::test
