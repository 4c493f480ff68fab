// Whole kernels from nvcc (samples/samples.cu) against the same computation on the host, for both architectures.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <random>

#include "sim/trace/ProgramIo.h"
#include "tests/unit/emulator/Launch.h"

namespace smreplay::emulator::test {
namespace {

using Words = std::vector<uint32_t>;

class Samples : public testing::TestWithParam<uint32_t> {
 protected:
  Launch load(const std::string& kernel, uint32_t threads, uint32_t ctas = 1) {
    Launch launch("EXIT\n", threads, ctas);
    const std::string file = "tests/unit/emulator/samples/" + kernel + ".sm_" + std::to_string(GetParam()) + ".program";
    auto program = trace::read_program(file);
    if (!program) {
      ADD_FAILURE() << program.error().text();
      return launch;
    }
    launch.program = *program;
    return launch;
  }
  // A buffer and its argument; the Program knows its parameters.
  static void buffer(Launch& launch, const std::string& name, const Words& words) {
    const auto parameters = launch.program.parameters;
    const uint32_t bytes = launch.program.parameter_bytes;
    launch.buffer(name, words);
    launch.program.parameters = parameters;
    launch.program.parameter_bytes = bytes;
  }
  static void run(Launch& launch) {
    const Status status = launch.run();
    ASSERT_TRUE(status) << status.error().text();
  }
  std::mt19937_64 random_{GetParam()};
  uint32_t word() { return static_cast<uint32_t>(random_()); }
};

int32_t s(uint32_t x) { return static_cast<int32_t>(x); }
uint32_t u(int64_t x) { return static_cast<uint32_t>(x); }

TEST_P(Samples, IntegerArithmetic) {
  constexpr uint32_t kThreads = 256;
  Launch launch = load("integer_arithmetic", kThreads);
  Words x(2 * kThreads), w(4 * kThreads);
  for (auto& v : x) v = random_() % 3 == 0 ? word() % 100 : word();
  for (auto& v : w) v = word();
  for (uint32_t t = 0; t < kThreads; ++t) {
    if (x[2 * t + 1] == 0 || x[2 * t + 1] == 0xffffffffU) x[2 * t + 1] = 3;
    if (random_() % 2 == 0) w[4 * t + 3] = s(w[4 * t + 3]) < 0 ? 0xffffffffU : 0;  // a divisor of 32 bits
    w[4 * t + 2] |= 1;
  }
  buffer(launch, "x", x);
  buffer(launch, "w", w);
  buffer(launch, "y", Words(16 * kThreads));
  buffer(launch, "z", Words(16 * kThreads));
  run(launch);
  const Words y = launch.words("y"), z = launch.words("z");
  for (uint32_t t = 0; t < kThreads; ++t) {
    const uint32_t uv = x[2 * t], ud = x[2 * t + 1];
    const int32_t v = s(uv), d = s(ud);
    const uint64_t ua = uint64_t{w[4 * t + 1]} << 32 | w[4 * t], ub = uint64_t{w[4 * t + 3]} << 32 | w[4 * t + 2];
    const auto a = static_cast<int64_t>(ua), b = static_cast<int64_t>(ub);
    uint32_t reversed = 0, dot = 5;
    for (uint32_t i = 0; i < 32; ++i) reversed |= ((uv >> i) & 1) << (31 - i);
    for (uint32_t i = 0; i < 32; i += 8) dot += u(static_cast<int8_t>(uv >> i) * static_cast<int8_t>(ud >> i));
    const auto byte = [](uint32_t x, int i) { return (x >> (8 * i)) & 255U; };
    const uint32_t expected[16] = {
        u(v / d),
        u(v % d),
        uv / ud,
        uv % ud,
        u((int64_t{v} * d) >> 32),
        u(static_cast<int64_t>((uint64_t{uv} * ud) >> 32)),
        u(std::popcount(uv) + 100 * std::countl_zero(uv) + 10000 * (uv == 0 ? 0 : std::countr_zero(uv) + 1)),
        reversed,
        byte(uv, 0) | byte(ud, 0) << 8 | byte(uv, 1) << 16 | byte(ud, 1) << 24,
        u(static_cast<int64_t>(((uint64_t{ud} << 32 | uv) << (uv & 31)) >> 32)),
        u(v / 7) + u(v % 10) + uv / 1000,
        dot,
        u(std::max(std::min(v, d), s(0 - uv))),
        u(static_cast<int16_t>(v) * 3 + static_cast<int8_t>(d)),
        (v > d ? 1U : 0U) + (uv > ud ? 2U : 0U) + (a > b ? 4U : 0U) + (ua > ub ? 8U : 0U),
        ((uv + ud) & 0xffffU) | (((uv >> 16) + (ud >> 16)) << 16)};
    for (uint32_t i = 0; i < 16; ++i)
      EXPECT_EQ(y[16 * t + i], expected[i]) << "thread " << t << ", y[" << i << "], v " << v << ", d " << d;
    const uint32_t shift = ud & 63;
    const uint64_t wide[8] = {static_cast<uint64_t>(a / b),
                              static_cast<uint64_t>(a % b),
                              ua / ub,
                              ua % ub,
                              ua * ub,
                              ua << shift,
                              static_cast<uint64_t>(a >> shift),
                              (ua >> shift) + static_cast<uint64_t>(int64_t{v} * d)};
    for (uint32_t i = 0; i < 8; ++i) {
      EXPECT_EQ(uint64_t{z[16 * t + 2 * i + 1]} << 32 | z[16 * t + 2 * i], wide[i])
          << "thread " << t << ", z[" << i << "]";
    }
  }
}

// nvcc makes division and square root of MUFU.RCP64H or RSQ64H and Newton steps; the result is the correctly rounded
// one.
TEST_P(Samples, DoubleArithmetic) {
  constexpr uint32_t kThreads = 256, kResults = 5;
  Launch launch = load("double_arithmetic", kThreads);
  std::vector<double> x(size_t{2} * kThreads);
  for (double& v : x) v = std::ldexp(1.0 + static_cast<double>(random_() >> 12U) * 0x1p-52, s(word() % 200) - 100);
  for (size_t i = 0; i < x.size(); i += 3) x[i] = -x[i];
  x[0] = 0.0;
  x[2] = 0x1p-1070;  // subnormal: the slow path
  x[5] = 0x1p1020;
  Words words(2 * x.size());
  std::memcpy(words.data(), x.data(), words.size() * sizeof(uint32_t));
  buffer(launch, "x", words);
  buffer(launch, "y", Words(size_t{2} * kResults * kThreads));
  run(launch);
  const Words y = launch.words("y");
  for (uint32_t t = 0; t < kThreads; ++t) {
    const double a = x[2 * t], b = x[2 * t + 1];
    const double expected[kResults] = {a / b, a / 3.0, 1.0 / b, std::sqrt(std::abs(a)), std::fma(a, b, -1.5)};
    for (uint32_t i = 0; i < kResults; ++i) {
      double got = 0;
      std::memcpy(&got, &y[2 * (kResults * t + i)], sizeof got);
      EXPECT_EQ(got, expected[i]) << "thread " << t << ", y[" << i << "], a " << a << ", b " << b;
    }
  }
}

int32_t fibonacci(int32_t n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

TEST_P(Samples, Divergence) {
  constexpr int32_t kThreads = 192, kCtas = 3, kN = kThreads * kCtas;
  Launch launch = load("divergence", kThreads, kCtas);
  Words x(kN);
  for (auto& v : x) v = word() % 5 == 0 ? 0 - word() % 1000 : word() % 200000;
  buffer(launch, "x", x);
  buffer(launch, "y", Words(kN));
  launch.spec.add_arguments()->set_i32(kN);
  run(launch);
  const Words y = launch.words("y");
  const auto at = [&](int32_t i) { return s(x[static_cast<size_t>(i)]); };
  for (int32_t t = 0; t < kN; ++t) {
    int32_t v = at(t);
    uint32_t sum = 0;
    int32_t local[16];
    for (int32_t i = 0; i < 16; ++i) local[i] = at(i);
    while (v > 0) {
      if ((v & 1) != 0) {
        sum += u(v);
        for (int32_t j = 0; j < (v & 7); ++j) sum ^= u(at((j + s(sum & 0x7fffffffU)) % kN));
        if (sum == 77) break;
      } else {
        if ((v & 6) == 2) {
          v -= 3;
          continue;
        }
        sum -= u(at(v % kN));
      }
      local[sum & 15] = s(u(local[sum & 15]) + u(v));
      v >>= 1;
    }
    switch ((at(t) & 0x7fffffff) % 13) {
      case 0:
        sum += u(at(1));
        break;
      case 1:
        sum *= u(at(2));
        break;
      case 2:
        sum -= u(at(3));
        break;
      case 3:
        sum ^= u(at(4));
        break;
      case 4:
        sum |= u(at(5));
        break;
      case 5:
        sum &= u(at(6));
        break;
      case 6:
        sum = u(at(s(sum & 7)));
        break;
      case 7:
        sum = 0 - sum;
        break;
      default:
        sum += 1;
    }
    EXPECT_EQ(y[static_cast<size_t>(t)], sum + u(local[v & 15]) + u(fibonacci(t % 8))) << t;
  }
}

TEST_P(Samples, WarpExchange) {
  Launch launch = load("warp_exchange", 64);
  Words x(64);
  for (auto& v : x) v = word() % 64 - 20;
  buffer(launch, "x", x);
  buffer(launch, "y", Words(320));
  run(launch);
  const Words y = launch.words("y");
  for (uint32_t t = 0; t < 64; ++t) {
    const uint32_t warp = t & ~31U, l = t & 31;
    uint32_t sum = 0, ballot = 0, match = 0;
    int32_t most = s(x[warp]);
    for (uint32_t k = 0; k < 32; ++k) {
      sum += x[warp + k];
      most = std::max(most, s(x[warp + k]));
      ballot |= (s(x[warp + k]) > 3 ? 1U : 0U) << k;
      match |= ((x[warp + k] & 3) == (x[t] & 3) ? 1U : 0U) << k;
    }
    EXPECT_EQ(y[t], sum + u(most));
    EXPECT_EQ(y[t + 64], ballot);
    EXPECT_EQ(y[t + 128], x[l >= 3 ? t - 3 : t] + x[l % 16 + 2 < 16 ? t + 2 : t] + x[warp + (x[t] & 31)]);
    EXPECT_EQ(y[t + 192], sum);
    EXPECT_EQ(y[t + 256], match);
  }
}

// Small integers: every product and sum is exact.
TEST_P(Samples, TensorProduct) {
  constexpr uint32_t kM = 64, kN = 32, kK = 96;
  Launch launch = load("tensor_product", 32, kN / 8);
  launch.spec.mutable_grid()->set_y(kM / 16);
  std::vector<int> a(kM * kK), b(kK * kN);
  for (auto& v : a) v = static_cast<int>(word() % 17) - 8;
  for (auto& v : b) v = static_cast<int>(word() % 17) - 8;
  const auto pack = [](const std::vector<int>& v) {
    Words words(v.size() / 2);
    const auto bits = [](int i) { return std::bit_cast<uint32_t>(static_cast<float>(i)) >> 16; };
    for (size_t i = 0; i < words.size(); ++i) words[i] = bits(v[2 * i]) | bits(v[2 * i + 1]) << 16;
    return words;
  };
  buffer(launch, "a", pack(a));
  buffer(launch, "b", pack(b));
  buffer(launch, "c", Words(kM * kN));
  launch.spec.add_arguments()->set_i32(kN);
  launch.spec.add_arguments()->set_i32(kK);
  run(launch);
  const Words c = launch.words("c");
  for (uint32_t row = 0; row < kM; ++row) {
    for (uint32_t column = 0; column < kN; ++column) {
      int sum = 0;
      for (uint32_t k = 0; k < kK; ++k) sum += a[row * kK + k] * b[k * kN + column];
      EXPECT_EQ(std::bit_cast<float>(c[row * kN + column]), static_cast<float>(sum));
    }
  }
}

float e4m3(uint32_t code) {
  const int exponent = static_cast<int>((code >> 3) & 15), mantissa = static_cast<int>(code & 7);
  const double v = std::ldexp(exponent == 0 ? mantissa : mantissa + 8, (exponent == 0 ? 1 : exponent) - 10);
  return static_cast<float>((code & 0x80) != 0 ? -v : v);
}

uint32_t bf16(float v) {
  const auto x = std::bit_cast<uint32_t>(v);
  return (x + 0x7fff + ((x >> 16) & 1)) >> 16;
}

TEST_P(Samples, NarrowFormats) {
  constexpr uint32_t kThreads = 128;
  Launch launch = load("narrow_formats", kThreads);
  Words x(kThreads / 2);  // all codes but the NaNs
  for (uint32_t i = 0; i < kThreads; ++i) {
    for (uint32_t k = 0; k < 2; ++k) {
      uint32_t code = (2 * i + k) & 255;
      if ((code & 0x7f) == 0x7f) code ^= 1;
      x[i / 2] |= code << (16 * (i % 2) + 8 * k);
    }
  }
  buffer(launch, "x", x);
  buffer(launch, "y", Words(2 * kThreads));
  buffer(launch, "z", Words(2 * kThreads));
  run(launch);
  const Words y = launch.words("y"), z = launch.words("z");
  for (uint32_t i = 0; i < kThreads; ++i) {
    const uint32_t codes = (x[i / 2] >> (16 * (i % 2))) & 0xffff;
    const float low = e4m3(codes & 255), high = e4m3(codes >> 8);
    EXPECT_EQ(std::bit_cast<float>(y[2 * i]), low);
    EXPECT_EQ(std::bit_cast<float>(y[2 * i + 1]), high);
    EXPECT_EQ(z[2 * i], bf16(low * 1.01F) | bf16(high * 0.3F) << 16);
    EXPECT_EQ(z[2 * i + 1], codes);
  }
}

TEST_P(Samples, BlockSum) {
  constexpr uint32_t kThreads = 96, kCtas = 4, kN = 500;
  Launch launch = load("block_sum", kThreads, kCtas);
  Words x(kCtas * kN);
  for (auto& v : x) v = std::bit_cast<uint32_t>(static_cast<float>(word() % 1000));
  buffer(launch, "x", x);
  buffer(launch, "y", Words(x.size()));
  buffer(launch, "counter", Words(5));
  launch.spec.add_arguments()->set_i32(kN);
  run(launch);
  const Words y = launch.words("y"), counter = launch.words("counter");
  for (uint32_t cta = 0; cta < kCtas; ++cta) {
    float total = 0;  // integers below 2^24: exact in any order
    for (uint32_t i = 0; i < kN; ++i) total += std::bit_cast<float>(x[cta * kN + i]);
    for (uint32_t i = 0; i < kN; ++i) {
      EXPECT_EQ(std::bit_cast<float>(y[cta * kN + i]), std::bit_cast<float>(x[cta * kN + i]) / total);
    }
  }
  for (uint32_t bin = 0; bin < 4; ++bin) {
    uint32_t sum = 0;
    for (uint32_t t = bin; t < kThreads; t += 4) sum += t;
    EXPECT_EQ(counter[bin], kCtas * sum);
  }
  EXPECT_EQ(counter[4], kThreads - 11);
}

INSTANTIATE_TEST_SUITE_P(BothArchitectures, Samples, testing::Values(90U, 120U));

}  // namespace
}  // namespace smreplay::emulator::test
