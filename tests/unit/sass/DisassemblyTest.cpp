// nvdisasm's JSON and line annotations, and the choice of a source line.
#include <gtest/gtest.h>

#include "sim/sass/Disassembly.h"
#include "sim/sass/SourceTable.h"

namespace smreplay::sass {
namespace {

std::string json_with(const std::string& schema, const std::string& functions) {
  return R"([{"SM":{"version":{"major":9,"minor":0}},"SchemaVersion":)" + schema +
         R"(,"Producer":"nvdisasm V13.5.37 Build cuda_13.5",".note.nv.tkinfo":{"tki_toolName":"ptxas",)"
         R"("tki_toolVersion":"Cuda compilation tools, release 13.0, V13.0.88"}},)" +
         functions + "]";
}

const std::string kSchema = R"({"major":13,"minor":5,"revision":0})";

std::string code_of(const std::string& json) {
  const auto result = parse_disassembly_json(json);
  return result ? "" : result.error().code;
}

TEST(DisassemblyJson, Instructions) {
  const auto result = parse_disassembly_json(json_with(
      kSchema, R"([{"function-name":"k","start":0,"length":32,"sass-instructions":[)"
               R"({"predicate":"@P0","opcode":"LDG.E","operands":"R4,desc[UR6][R4.64]"},{"opcode":"EXIT"}]}])"));
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_EQ(result->disassembler, "nvdisasm V13.5.37");
  EXPECT_EQ(result->assembler, "ptxas 13.0.88");
  const auto& k = result->functions.at("k");
  ASSERT_EQ(k.size(), 2U);
  EXPECT_EQ(k[0].predicate, "@P0");
  EXPECT_EQ(k[0].operands, "R4,desc[UR6][R4.64]");
  EXPECT_EQ(k[1].opcode, "EXIT");
}

TEST(DisassemblyJson, RefusesOtherSchemas) {
  const auto next = parse_disassembly_json(json_with(R"({"major":14,"minor":0})", "[]"));
  ASSERT_FALSE(next);
  EXPECT_EQ(next.error().code, "disassembly-schema");
  EXPECT_NE(next.error().message.find("version 14"), std::string::npos);
  EXPECT_EQ(code_of(json_with("{}", "[]")), "disassembly-schema");
  EXPECT_EQ(code_of(json_with("7", "[]")), "disassembly-schema");
  EXPECT_EQ(code_of(R"([{},[]])"), "disassembly-schema");
}

TEST(DisassemblyJson, RefusesOtherShapes) {
  for (const char* text : {"", "{}", "[", "[1,2]", "[{}]", "null"})
    EXPECT_EQ(code_of(text), "disassembly-malformed") << text;
  EXPECT_EQ(code_of(json_with(kSchema, R"([{"function-name":"k"}])")), "disassembly-malformed");
  EXPECT_EQ(code_of(json_with(kSchema, "[3]")), "disassembly-malformed");
  EXPECT_EQ(code_of(json_with(kSchema, R"([{"function-name":"k","sass-instructions":[{"operands":"R1"}]}])")),
            "disassembly-malformed");
}

constexpr std::string_view kText = R"(
//--------------------- .text.other               --------------------------
.text.other:
	//## File "/home/me/project/other.cu", line 1
        /*0000*/                   EXIT ;
//--------------------- .text.k                   --------------------------
.text.k:
        /*0000*/                   NOP ;
	//## File "/home/me/project/k.cu", line 9
        /*0010*/                   S2R R0, SR_TID.X ;
	//## File "/usr/include/deep.h", line 3 inlined at "/home/me/project/util.cuh", line 5
	//## File "/home/me/project/util.cuh", line 5 inlined at "/home/me/project/k.cu", line 10
	//## File "/home/me/project/k.cu", line 10
        /*0020*/                   FADD R0, R0, R0 ;
        /*0030*/                   FADD R0, R0, R0 ;
	//## File "/home/me/project/k.cu", line 11
        /*0040*/                   EXIT ;
)";

TEST(SourceLines, FramesOfAKernel) {
  const auto lines = parse_source_lines(kText, "k");
  EXPECT_EQ(lines.count(0x00), 0U);
  EXPECT_EQ(lines.at(0x10), (SourceFrames{{"/home/me/project/k.cu", 9}}));
  ASSERT_EQ(lines.at(0x30).size(), 3U);
  EXPECT_EQ(lines.at(0x30).front(), (SourceFrame{"/usr/include/deep.h", 3}));
  EXPECT_EQ(lines.at(0x40), (SourceFrames{{"/home/me/project/k.cu", 11}}));
  EXPECT_TRUE(parse_source_lines("", "k").empty());
  EXPECT_TRUE(parse_source_lines("garbage //## File \"x", "k").empty());
}

TEST(SourceTable, PrefersTheLineThatTheAuthorCanChange) {
  const auto frames = parse_source_lines(kText, "k");
  for (const char* root : {"/home/me/project", "/home/me", ""}) {
    const SourceTable table = build_source_table(frames, 5, root);
    ASSERT_EQ(table.files.size(), 1U) << root;
    EXPECT_EQ(table.files[0], normalise_path("/home/me/project/k.cu", root));
    EXPECT_EQ(table.lines[0].line, 0U);
    EXPECT_EQ(table.lines[1].line, 9U);
    EXPECT_EQ(table.lines[2].line, 10U);  // the call in the kernel's body, not the helper that it calls
    EXPECT_EQ(table.lines[4].line, 11U);
  }
}

// A kernel that only instantiates a template: the body is in the header, which calls helpers of its own.
TEST(SourceTable, TheBodyMayBeInAHeader) {
  for (const std::string folder : {"", "/home/me/project/"}) {
    const SourceFrame cu{folder + "k.cu", 18}, helper{folder + "ptx.cuh", 90}, toolkit{"/usr/include/fp16.hpp", 7};
    const auto body = [&](uint32_t line) { return SourceFrame{folder + "k.cuh", line}; };
    const std::map<uint32_t, SourceFrames> frames = {{0x00, {cu}},
                                                     {0x10, {body(77), cu}},
                                                     {0x20, {helper, body(172), body(77), cu}},
                                                     {0x30, {toolkit, body(79), cu}},
                                                     {0x40, {helper, cu}}};
    const SourceTable table = build_source_table(frames, 5, "/work");
    EXPECT_EQ(table.files, (std::vector<std::string>{"k.cu", "k.cuh", "ptx.cuh"}));
    std::vector<uint32_t> lines;
    for (const isa::SourceLine& line : table.lines) lines.push_back(line.line);
    EXPECT_EQ(lines, (std::vector<uint32_t>{18, 77, 172, 79, 90}));
  }
}

TEST(SourceTable, KeepsNoMachinePaths) {
  EXPECT_EQ(normalise_path("/home/me/project/src/../k.cu", "/home/me/project/"), "k.cu");
  EXPECT_EQ(normalise_path("/home/me/project/src/k.cu", "/home/me/project"), "src/k.cu");
  EXPECT_EQ(normalise_path("/home/me/project2/k.cu", "/home/me/project"), "k.cu");
  EXPECT_EQ(normalise_path("/usr/local/cuda/bin/../include/x.h", ""), "x.h");
}

}  // namespace
}  // namespace smreplay::sass
