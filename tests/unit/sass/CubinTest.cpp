// Kernels, resources, parameters and constant banks of committed cubins; what is refused.
#include <gtest/gtest.h>

#include "sim/sass/Cubin.h"
#include "tests/unit/sass/TestFiles.h"

namespace smreplay::sass {
namespace {

Cubin read(const std::string& name) {
  auto cubin = read_cubin(read_bytes(kCubins + name));
  EXPECT_TRUE(cubin) << name << ": " << (cubin ? "" : cubin.error().text());
  return cubin ? std::move(*cubin) : Cubin{};
}

CubinKernel kernel(const std::string& file, const std::string& name) {
  for (const CubinKernel& k : read(file).kernels) {
    if (k.name == name) return k;
  }
  ADD_FAILURE() << file << " lacks " << name;
  return {};
}

std::string code_of(std::vector<uint8_t> bytes) {
  const auto cubin = read_cubin(bytes);
  return cubin ? "" : cubin.error().code;
}

TEST(Cubin, Architectures) {
  EXPECT_EQ(read("resources.sm_90.cubin").sm, 90U);
  EXPECT_EQ(read("resources.sm_120.cubin").sm, 120U);
  // The older layout of e_flags (ELF ABI 7).
  EXPECT_EQ(read("row_softmax.triton_3.3.1.sm_90.cubin").sm, 90U);
  EXPECT_EQ(read("row_softmax.triton_3.9.0.sm_120.cubin").sm, 120U);
}

TEST(Cubin, Resources) {
  for (const char* sm : {"90", "120"}) {
    const CubinKernel bounded = kernel(std::string("resources.sm_") + sm + ".cubin", "bounded");
    EXPECT_EQ(bounded.resources.static_shared_bytes, 48U * 4U);
    EXPECT_EQ(bounded.resources.max_threads_per_cta, 192U);
    EXPECT_EQ(bounded.resources.barriers, 4U);  // 0 to 3
    EXPECT_EQ(bounded.resources.local_bytes_per_thread, 0U);
    EXPECT_EQ(bounded.constant_banks.at(3).size(), 16U * 4U);
    EXPECT_GT(bounded.resources.registers_per_thread, 0U);
    const CubinKernel stack = kernel(std::string("resources.sm_") + sm + ".cubin", "stack");
    EXPECT_EQ(stack.resources.local_bytes_per_thread, 32U * 4U);
    EXPECT_EQ(stack.resources.static_shared_bytes, 0U);
    EXPECT_EQ(stack.resources.max_threads_per_cta, 0U);
    EXPECT_EQ(stack.constant_banks.count(2), 1U);  // jump table
  }
}

TEST(Cubin, Parameters) {
  const CubinKernel k = kernel("resources.sm_120.cubin", "bounded");
  EXPECT_EQ(k.parameter_base, 0x380U);
  EXPECT_EQ(k.parameter_bytes, 32U);
  ASSERT_EQ(k.parameters.size(), 4U);
  EXPECT_EQ(k.parameters[0].size, 8U);
  EXPECT_EQ(k.parameters[1].offset, 8U);
  EXPECT_EQ(k.parameters[2].offset, 16U);
  EXPECT_EQ(k.parameters[2].size, 1U);
  EXPECT_EQ(k.parameters[3].offset, 24U);
  EXPECT_EQ(kernel("resources.sm_90.cubin", "bounded").parameter_base, 0x210U);
}

TEST(Cubin, TritonKernels) {
  for (const char* name : {"row_softmax.triton_3.3.1.sm_90.cubin", "row_softmax.triton_3.3.1.sm_120.cubin",
                           "row_softmax.triton_3.9.0.sm_90.cubin", "row_softmax.triton_3.9.0.sm_120.cubin"}) {
    const CubinKernel k = kernel(name, "row_softmax");
    EXPECT_EQ(k.resources.required_threads[0], 64U) << name;
    EXPECT_EQ(k.resources.barriers, 1U) << name;
    // Three of the author's and the hidden scratch pointers: one in 3.3.1, two in 3.9.0.
    EXPECT_EQ(k.parameters.size(), std::string(name).find("3.3.1") != std::string::npos ? 4U : 5U) << name;
  }
}

TEST(Cubin, DigestIgnoresTheFolder) {
  EXPECT_EQ(kernel("lines.one.sm_120.cubin", "lines").sha256, kernel("lines.another.sm_120.cubin", "lines").sha256);
  EXPECT_NE(kernel("lines.one.sm_120.cubin", "lines").sha256, kernel("lines.one.sm_90.cubin", "lines").sha256);
}

TEST(Cubin, UnresolvedBanks) {
  const CubinKernel k = kernel("unsupported.sm_90.cubin", "device_variable");
  EXPECT_EQ(k.unresolved_banks.at(4).begin()->second, "global_variable");
}

TEST(Cubin, ABrokenKernelDoesNotSpoilItsNeighbours) {
  auto bytes = read_bytes(kCubins + "resources.sm_90.cubin");
  const std::string section = ".nv.info.stack";
  const auto at = std::search(bytes.begin(), bytes.end(), section.begin(), section.end());
  ASSERT_NE(at, bytes.end());
  *(at + 1) = 'x';
  const auto cubin = read_cubin(bytes);
  ASSERT_TRUE(cubin) << cubin.error().text();
  ASSERT_EQ(cubin->unreadable.count("stack"), 1U);
  EXPECT_EQ(cubin->unreadable.at("stack").code, "cubin-malformed");
  EXPECT_FALSE(cubin->kernels.empty());
  for (const CubinKernel& k : cubin->kernels) EXPECT_NE(k.name, "stack");
}

TEST(Cubin, RefusesOtherFiles) {
  EXPECT_EQ(code_of({}), "cubin-not-elf");
  EXPECT_EQ(code_of({'#', '!', '/', 'b', 'i', 'n'}), "cubin-not-elf");
  EXPECT_EQ(code_of({0x7f, 'E', 'L', 'F'}), "cubin-truncated");
  auto bytes = read_bytes(kCubins + "lines.one.sm_120.cubin");
  auto host = bytes;
  host[0x12] = 62;  // x86-64
  EXPECT_EQ(code_of(host), "cubin-machine");
  auto sm = bytes;
  sm[0x31] = 75;
  const auto refused = read_cubin(sm);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "cubin-architecture");
  EXPECT_NE(refused.error().message.find("sm_75"), std::string::npos);
  auto narrow = bytes;
  narrow[4] = 1;  // 32-bit ELF
  EXPECT_EQ(code_of(narrow), "cubin-malformed");
}

}  // namespace
}  // namespace smreplay::sass
