// MUFU against the sweeps of an H200: the program of kernels/probe/mufu.cu run on the emulator's functions must write
// the files that it wrote there, of which the SHA-256 are committed.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/emulator/SpecialFunctions.h"
#include "sim/machine/Sha256.h"

namespace smreplay::emulator {
namespace {

const std::string kFolder = "configs/measurements/h200-2026-11-30/mufu/";
constexpr uint32_t kMantissas = 1U << 23;
constexpr int8_t kFar = 127;  // the sweeps write this for a difference outside +-126

struct Function {
  uint32_t (*emulated)(uint32_t);
  double (*exact)(double);
};
const std::map<std::string, Function> kFunctions = {
    {"ex2", {mufu_ex2, [](double x) { return std::exp2(x); }}},
    {"lg2", {mufu_lg2, [](double x) { return std::log2(x); }}},
    {"rcp", {mufu_rcp, [](double x) { return 1 / x; }}},
    {"rsq", {mufu_rsq, [](double x) { return 1 / std::sqrt(x); }}},
};

int8_t difference(const Function& f, uint32_t x) {
  const auto rounded = static_cast<float>(f.exact(static_cast<double>(std::bit_cast<float>(x))));
  const int64_t d = int64_t{std::bit_cast<int32_t>(f.emulated(x))} - std::bit_cast<int32_t>(rounded);
  return d < -126 || d > 126 ? kFar : static_cast<int8_t>(d);
}

// `name` is that of mufu.cu: <function>.<p or m><exponent>.i8.
std::vector<int8_t> sweep(const std::string& name) {
  const Function& f = kFunctions.at(name.substr(0, 3));
  const uint32_t sign = name[4] == 'm' ? 0x80000000U : 0;
  const uint32_t high = sign | static_cast<uint32_t>(std::stoi(name.substr(5)) + 127) << 23U;
  std::vector<int8_t> result(kMantissas);
  for (uint32_t m = 0; m < kMantissas; ++m) result[m] = difference(f, high | m);
  return result;
}

TEST(SpecialFunctions, SweepsAreThoseOfTheGpu) {
  std::ifstream sums(kFolder + "SHA256SUMS");
  std::string digest, name;
  int sweeps = 0;
  while (sums >> digest >> name) {
    ++sweeps;
    const auto differences = sweep(name);
    const std::string_view bytes(reinterpret_cast<const char*>(differences.data()), differences.size());
    EXPECT_EQ(machine::sha256_hex(bytes), digest) << name;
  }
  EXPECT_EQ(sweeps, 14);
}

// The other sweeps came back as a line each: share of correctly rounded results, smallest and largest difference.
TEST(SpecialFunctions, SummariesAreThoseOfTheGpu) {
  std::ifstream lines(kFolder + "sweeps.txt");
  std::string line;
  int compared = 0;
  while (std::getline(lines, line)) {
    char function[8], sign = 0;
    int exponent = 0, lowest = 0, highest = 0;
    double percent = 0;
    ASSERT_EQ(std::sscanf(line.c_str(), "%7s %c2^%d: exact %lf %%, differences %d to %d", function, &sign, &exponent,
                          &percent, &lowest, &highest),
              6);
    if (!kFunctions.contains(function)) continue;
    SCOPED_TRACE(line);
    const auto differences = sweep(std::string(function) + (sign == '-' ? ".m" : ".p") + std::to_string(exponent));
    uint64_t exact = 0;
    int least = 127, most = -128;
    for (const int8_t d : differences) {
      exact += d == 0;
      least = std::min<int>(least, d);
      most = std::max<int>(most, d);
    }
    EXPECT_NEAR(100.0 * static_cast<double>(exact) / kMantissas, percent, 0.0051);
    EXPECT_EQ(least, lowest);
    EXPECT_EQ(most, highest);
    ++compared;
  }
  EXPECT_EQ(compared, 38);
}

TEST(SpecialFunctions, EndsOfTheRange) {
  constexpr uint32_t kOne = 0x3f800000, kInfinity = 0x7f800000, kMinus = 0x80000000, kNan = 0x7fffffff;
  EXPECT_EQ(mufu_ex2(0), kOne);
  EXPECT_EQ(mufu_ex2(kMinus), kOne);
  EXPECT_EQ(mufu_ex2(0x43000000), kInfinity);    // 128
  EXPECT_EQ(mufu_ex2(0xc2fc0000), 0x00800000u);  // -126
  EXPECT_EQ(mufu_ex2(0xc2fc0001), 0u);
  EXPECT_EQ(mufu_ex2(kMinus | kInfinity), 0u);
  EXPECT_EQ(mufu_ex2(kInfinity), kInfinity);
  EXPECT_EQ(mufu_ex2(0x7f800001), kNan);
  EXPECT_EQ(mufu_lg2(0), kMinus | kInfinity);
  EXPECT_EQ(mufu_lg2(0x00400000), kMinus | kInfinity);  // subnormal
  EXPECT_EQ(mufu_lg2(kOne), 0u);
  EXPECT_EQ(mufu_lg2(kMinus | kOne), kNan);
  EXPECT_EQ(mufu_lg2(kInfinity), kInfinity);
  EXPECT_EQ(mufu_rcp(kMinus), kMinus | kInfinity);
  EXPECT_EQ(mufu_rcp(kMinus | kInfinity), kMinus);
  EXPECT_EQ(mufu_rcp(0x7e800000), 0x00800000u);  // 2^126
  EXPECT_EQ(mufu_rcp(0x7e800001), 0u);
  EXPECT_EQ(mufu_rsq(kMinus), kMinus | kInfinity);
  EXPECT_EQ(mufu_rsq(kInfinity), 0u);
  EXPECT_EQ(mufu_rsq(0x40800000), 0x3f000000u);  // 4
  EXPECT_EQ(mufu_rsq(kMinus | kOne), kNan);
}

}  // namespace
}  // namespace smreplay::emulator
