// Whole Programs from committed cubins. Needs nvdisasm 13: skipped, with a message, where there is none.
#include <gtest/gtest.h>

#include <filesystem>

#include "sim/sass/Cubin.h"
#include "sim/sass/ProgramReader.h"
#include "tests/unit/sass/TestFiles.h"

namespace smreplay::sass {
namespace {

class ProgramReader : public ::testing::Test {
 protected:
  void SetUp() override {
    options_.nvdisasm.path = find_nvdisasm();
    if (options_.nvdisasm.path.empty()) {
      GTEST_SKIP()
          << "no nvdisasm: set SMREPLAY_NVDISASM or install nvidia-cuda-nvdisasm==13.5.37 as .deps/bin/nvdisasm";
    }
  }

  isa::Program read(const std::string& file, const std::string& kernel = "") {
    auto program = read_program(kCubins + file, kernel, options_);
    EXPECT_TRUE(program) << file << ": " << (program ? "" : program.error().text());
    return program ? std::move(*program) : isa::Program{};
  }

  Error refused(const std::string& file, const std::string& kernel = "") {
    const auto program = read_program(kCubins + file, kernel, options_);
    EXPECT_FALSE(program) << file;
    return program ? Error{} : program.error();
  }

  Options options_;
};

TEST_F(ProgramReader, ReadsEveryCommittedCubin) {
  for (const std::string& path : all_cubins()) {
    const bool elsewhere =
        path.find("unsupported") != std::string::npos || path.find("lines.another") != std::string::npos;
    if (elsewhere) continue;
    const auto cubin = read_cubin(read_bytes(path));
    ASSERT_TRUE(cubin) << path;
    for (const CubinKernel& kernel : cubin->kernels) {
      const auto program = read_program(path, kernel.name, options_);
      ASSERT_TRUE(program) << path << ": " << program.error().text();
      ASSERT_EQ(program->instructions.size(), kernel.code.size());
      for (size_t i = 0; i < program->instructions.size(); ++i) {
        const isa::Instruction& in = program->instructions[i];
        EXPECT_EQ(in.pc, 16 * i);
        unsigned marked = 0;
        for (const isa::RegisterSpan& span : in.reads) marked |= span.reuse ? 1U << span.slot : 0U;
        EXPECT_EQ(marked, in.control.reuse) << path << ": " << in.text;
      }
    }
  }
}

TEST_F(ProgramReader, SourceLinesOfAnInlinedFunction) {
  const isa::Program p = read("lines.one.sm_120.cubin");
  EXPECT_EQ(p.files, std::vector<std::string>{"lines.cu"});
  bool twice = false;
  for (size_t i = 0; i < p.instructions.size(); ++i) {
    const isa::Instruction& in = p.instructions[i];
    if (in.opcode == isa::Opcode::kFADD) twice = p.lines[i].line == 3;
    if (in.opcode == isa::Opcode::kLDG) {
      EXPECT_EQ(p.lines[i].line, 7U);
    }
    if (in.opcode == isa::Opcode::kSTG) {
      EXPECT_EQ(p.lines[i].line, 8U);
    }
  }
  EXPECT_TRUE(twice);
}

TEST_F(ProgramReader, TheFolderLeavesNoTrace) {
  for (const char* sm : {"90", "120"}) {
    const isa::Program one = read(std::string("lines.one.sm_") + sm + ".cubin");
    const isa::Program another = read(std::string("lines.another.sm_") + sm + ".cubin");
    EXPECT_EQ(one.files, another.files);
    EXPECT_EQ(one.provenance.cubin_sha256, another.provenance.cubin_sha256);
    ASSERT_EQ(one.instructions.size(), another.instructions.size());
    for (size_t i = 0; i < one.instructions.size(); ++i) {
      EXPECT_EQ(one.instructions[i].text, another.instructions[i].text);
      EXPECT_EQ(one.instructions[i].encoding, another.instructions[i].encoding);
      EXPECT_EQ(one.lines[i].line, another.lines[i].line);
      EXPECT_EQ(one.lines[i].file, another.lines[i].file);
    }
  }
}

TEST_F(ProgramReader, Provenance) {
  options_.producer = "triton 3.9.0";
  options_.source = "kernels/row_softmax.py";
  options_.compiler_options = "num_warps=2";
  const isa::Program p = read("row_softmax.triton_3.9.0.sm_120.cubin");
  EXPECT_EQ(p.provenance.producer, "triton 3.9.0 (ptxas-blackwell 13.4.59)");
  EXPECT_EQ(p.provenance.source, "kernels/row_softmax.py");
  EXPECT_EQ(p.provenance.options, "num_warps=2");
  EXPECT_TRUE(p.provenance.disassembler.starts_with("nvdisasm V13."));
  EXPECT_EQ(p.provenance.cubin_sha256.size(), 64U);
  options_.producer.clear();
  EXPECT_EQ(read("resources.sm_90.cubin", "stack").provenance.producer, "ptxas 13.0.88");
}

TEST_F(ProgramReader, ConstantBanksThatTheCodeNames) {
  EXPECT_EQ(read("resources.sm_120.cubin", "stack").constant_banks.count(2), 1U);
  const isa::Program bounded = read("resources.sm_120.cubin", "bounded");
  EXPECT_EQ(bounded.constant_banks.at(3).size(), 64U);
  EXPECT_EQ(bounded.constant_banks.count(2), 0U);
}

TEST_F(ProgramReader, NamesWhatItRefuses) {
  const Error matrix = refused("unsupported.sm_120.cubin", "sparse_matrix");
  EXPECT_EQ(matrix.exit, ExitCode::kBadInput);
  EXPECT_EQ(matrix.code, "unsupported-instruction");
  for (const char* part : {"sparse_matrix", "0x00", "HMMA.SP.16832.F32"}) {
    EXPECT_NE(matrix.message.find(part), std::string::npos) << matrix.message;
  }
  const Error variable = refused("unsupported.sm_90.cubin", "device_variable");
  EXPECT_EQ(variable.code, "cubin-relocation");
  EXPECT_NE(variable.message.find("global_variable"), std::string::npos);
}

// The constant bank of a module holds addresses for all of its kernels: each error is about the chosen one.
TEST_F(ProgramReader, BlamesTheAddressThatTheKernelReads) {
  for (const std::string sm : {"sm_90", "sm_120"}) {
    const Error table = refused("unsupported_addresses." + sm + ".cubin", "reads_table");
    EXPECT_EQ(table.code, "cubin-relocation");
    EXPECT_NE(table.message.find("kernel 'reads_table', address 0x"), std::string::npos) << table.message;
    EXPECT_NE(table.message.find("the address of 'table'"), std::string::npos) << table.message;
    const Error sine = refused("unsupported_addresses." + sm + ".cubin", "slow_sine");
    EXPECT_NE(sine.message.find("'__cudart_i2opi_f'"), std::string::npos) << sine.message;
    EXPECT_NE(sine.message.find("-use_fast_math"), std::string::npos) << sine.message;
  }
}

TEST_F(ProgramReader, KernelNames) {
  const Error several = refused("resources.sm_90.cubin");
  EXPECT_EQ(several.code, "cubin-kernel");
  EXPECT_NE(several.message.find("bounded"), std::string::npos);
  EXPECT_NE(several.message.find("--symbol"), std::string::npos);
  EXPECT_EQ(refused("resources.sm_90.cubin", "bonded").code, "cubin-kernel");
  EXPECT_EQ(refused("nothing.cubin").code, "cubin-unreadable");
  EXPECT_EQ(refused("resources.cu").code, "cubin-not-elf");
}

TEST(ProgramReaderWithoutTool, SaysHowToGetIt) {
  Options options;
  for (const char* path : {"", "/nowhere/nvdisasm"}) {
    options.nvdisasm.path = path;
    const auto program = read_program(kCubins + "lines.one.sm_90.cubin", "", options);
    ASSERT_FALSE(program);
    EXPECT_EQ(program.error().code, "nvdisasm-missing");
    EXPECT_NE(program.error().message.find("nvidia-cuda-nvdisasm==13.5.37"), std::string::npos);
  }
  options.nvdisasm.path = "/bin/false";
  const auto failed = read_program(kCubins + "lines.one.sm_90.cubin", "", options);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, "nvdisasm-failed");
}

}  // namespace
}  // namespace smreplay::sass
