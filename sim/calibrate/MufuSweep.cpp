#include "sim/calibrate/MufuSweep.h"

#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstring>
#include <numbers>
#include <utility>

namespace smreplay::calibrate {
namespace {

enum class Filter : uint8_t { kDifference, kChangeOfDifference, kChangeOfWord };
constexpr std::array kFilters = {Filter::kDifference, Filter::kChangeOfDifference, Filter::kChangeOfWord};

constexpr int kBias = 127;
constexpr int kMantissaBits = 23;
constexpr uint32_t kSign = 0x80000000U;
constexpr uint32_t kExponentMask = 0x7f800000U;
constexpr int kLevel = 12;
constexpr size_t kHeaderBytes = 2 + sizeof(uint64_t);

double turn(double x) { return 2.0 * std::numbers::pi * (x - std::floor(x)); }

using Exact = double (*)(double);
const std::pair<const char*, Exact> kExact[] = {{"ex2", [](double x) { return std::exp2(x); }},
                                                {"lg2", [](double x) { return std::log2(x); }},
                                                {"rcp", [](double x) { return 1 / x; }},
                                                {"rsq", [](double x) { return 1 / std::sqrt(x); }},
                                                {"sqrt", [](double x) { return std::sqrt(x); }},
                                                {"sin", [](double x) { return std::sin(turn(x)); }},
                                                {"cos", [](double x) { return std::cos(turn(x)); }},
                                                {"tanh", [](double x) { return std::tanh(x); }}};

Exact exact_of(const std::string& function) {
  for (const auto& [name, exact] : kExact) {
    if (function == name) return exact;
  }
  return nullptr;
}

uint32_t flushed(uint32_t x) { return (x & kExponentMask) == 0 ? x & kSign : x; }

uint32_t rounded(Exact exact, uint32_t argument) {
  const double value = exact(static_cast<double>(std::bit_cast<float>(flushed(argument))));
  return flushed(std::bit_cast<uint32_t>(static_cast<float>(value)));
}

uint32_t zigzag(uint32_t v) { return (v << 1) ^ (0U - (v >> 31)); }
uint32_t unzigzag(uint32_t v) { return (v >> 1) ^ (0U - (v & 1)); }

// `reference`: the correctly rounded results.
std::vector<uint32_t> filtered(Filter filter, std::span<const uint32_t> words, std::span<const uint32_t> reference) {
  std::vector<uint32_t> values(words.size());
  uint32_t last = 0;
  for (size_t i = 0; i < words.size(); ++i) {
    const uint32_t now = filter == Filter::kChangeOfWord ? words[i] : words[i] - reference[i];
    values[i] = zigzag(now - last);
    if (filter != Filter::kDifference) last = now;
  }
  return values;
}

void restore(Filter filter, std::vector<uint32_t>& values, std::span<const uint32_t> reference) {
  uint32_t last = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const uint32_t now = unzigzag(values[i]) + last;
    if (filter != Filter::kDifference) last = now;
    values[i] = filter == Filter::kChangeOfWord ? now : now + reference[i];
  }
}

std::vector<uint32_t> reference_of(const MufuSweep& sweep) {
  const Exact exact = exact_of(sweep.function);
  std::vector<uint32_t> reference(kMantissas);
  for (uint32_t i = 0; i < kMantissas; ++i) reference[i] = rounded(exact, sweep.first_argument() + i);
  return reference;
}

Error corrupt(const MufuSweep& sweep, const char* message) {
  return Error{ExitCode::kBadInput, "pack-corrupt", message, sweep.name()};
}

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

}  // namespace

std::string MufuSweep::name() const { return fmt::format("{}.{}{}", function, negative ? 'm' : 'p', exponent); }

uint32_t MufuSweep::first_argument() const {
  return (negative ? kSign : 0U) | static_cast<uint32_t>(exponent + kBias) << kMantissaBits;
}

std::vector<MufuSweep> mufu_sweeps() {
  std::vector<MufuSweep> sweeps;
  const auto range = [&](const char* function, int from, int to) {
    for (int exponent = from; exponent <= to; ++exponent) sweeps.push_back({function, false, exponent});
  };
  range("sqrt", 0, 2);
  sweeps.push_back({"sqrt", false, -3});
  for (const char* function : {"sin", "cos"}) {
    range(function, -14, 3);
    sweeps.push_back({function, true, -2});
    sweeps.push_back({function, true, 0});
  }
  range("tanh", -12, 4);
  sweeps.push_back({"tanh", true, 0});
  sweeps.push_back({"ex2", false, 0});
  sweeps.push_back({"ex2", true, 0});
  sweeps.push_back({"lg2", false, 1});
  sweeps.push_back({"rcp", false, 0});
  range("rsq", 0, 1);
  return sweeps;
}

Result<MufuSweep> sweep_of(const std::string& name) {
  MufuSweep sweep;
  const size_t point = name.find('.');
  if (point != std::string::npos && point + 2 < name.size() && (name[point + 1] == 'p' || name[point + 1] == 'm')) {
    sweep.function = name.substr(0, point);
    sweep.negative = name[point + 1] == 'm';
    const char* end = name.data() + name.size();
    const auto [rest, code] = std::from_chars(name.data() + point + 2, end, sweep.exponent);
    const bool normal = sweep.exponent > -kBias && sweep.exponent <= kBias;
    if (code == std::errc() && rest == end && normal && exact_of(sweep.function) != nullptr) return sweep;
  }
  return Error{ExitCode::kBadInput, "pack-corrupt", "not the name of a sweep, such as sin.p-3", name};
}

std::vector<Benchmark> launches(const MufuSweep& sweep) {
  constexpr uint32_t kWords = 1U << 20, kThreads = 256;
  std::vector<Benchmark> list;
  for (uint32_t from = 0; from < kMantissas; from += kWords) {
    Benchmark b;
    b.name = "mufu";
    b.readings = Readings::kWords;
    b.kernel = "mufu_" + upper(sweep.function);
    b.ctas = kWords / kThreads;
    b.threads = kThreads;
    b.arguments = {sweep.first_argument() + from, 0, 0, 0};
    b.words = kWords;
    b.simulated = false;
    list.push_back(b);
  }
  return list;
}

uint32_t rounded_mufu(const std::string& function, uint32_t argument) { return rounded(exact_of(function), argument); }

uint64_t sum_of(std::span<const uint32_t> words) {
  uint64_t hash = 0xcbf29ce484222325U;
  for (const uint32_t word : words) {
    for (int byte = 0; byte < 4; ++byte) hash = (hash ^ (word >> (8 * byte) & 0xff)) * 0x100000001b3U;
  }
  return hash;
}

std::string encode_sweep(const MufuSweep& sweep, std::span<const uint32_t> words) {
  const std::vector<uint32_t> reference = reference_of(sweep);
  Filter best = Filter::kDifference;
  std::vector<uint32_t> values;
  std::ptrdiff_t fewest = -1;  // values that are not 0
  for (const Filter filter : kFilters) {
    std::vector<uint32_t> candidate = filtered(filter, words, reference);
    const std::ptrdiff_t count =
        std::count_if(candidate.begin(), candidate.end(), [](uint32_t value) { return value != 0; });
    if (fewest >= 0 && count >= fewest) continue;
    fewest = count;
    best = filter;
    values = std::move(candidate);
  }
  uint32_t all = 0;
  for (const uint32_t value : values) all |= value;
  const auto planes = static_cast<uint8_t>((std::bit_width(all) + 7) / 8);
  const uint64_t sum = sum_of(words);
  std::string bytes = {static_cast<char>(best), static_cast<char>(planes)};
  bytes.append(reinterpret_cast<const char*>(&sum), sizeof sum);  // x86-64 is little-endian
  for (int plane = 0; plane < planes; ++plane) {
    for (const uint32_t value : values) bytes += static_cast<char>(value >> (8 * plane) & 0xff);
  }
  std::string frame(ZSTD_compressBound(bytes.size()), '\0');
  frame.resize(ZSTD_compress(frame.data(), frame.size(), bytes.data(), bytes.size(), kLevel));
  return frame;
}

Result<std::vector<uint32_t>> decode_sweep(const MufuSweep& sweep, const std::string& entry) {
  constexpr size_t kMostBytes = kHeaderBytes + sizeof(uint32_t) * size_t{kMantissas};
  const unsigned long long size = ZSTD_getFrameContentSize(entry.data(), entry.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN || size < kHeaderBytes || size > kMostBytes) {
    return corrupt(sweep, "no zstd frame of a sweep's size");
  }
  std::string bytes(size, '\0');
  const size_t got = ZSTD_decompress(bytes.data(), bytes.size(), entry.data(), entry.size());
  if (ZSTD_isError(got) != 0 || got != size) return corrupt(sweep, "the sweep is damaged");
  const auto filter = static_cast<uint8_t>(bytes[0]), planes = static_cast<uint8_t>(bytes[1]);
  if (filter >= kFilters.size() || size != kHeaderBytes + size_t{planes} * kMantissas) {
    return corrupt(sweep, "the sweep's head and its size disagree");
  }
  uint64_t sum = 0;
  std::memcpy(&sum, bytes.data() + 2, sizeof sum);
  std::vector<uint32_t> values(kMantissas);
  for (uint32_t plane = 0; plane < planes; ++plane) {
    const char* from = bytes.data() + kHeaderBytes + size_t{plane} * kMantissas;
    for (uint32_t i = 0; i < kMantissas; ++i) {
      values[i] |= static_cast<uint32_t>(static_cast<uint8_t>(from[i])) << (8 * plane);
    }
  }
  restore(kFilters[filter], values, reference_of(sweep));
  if (sum_of(values) != sum) {
    return corrupt(sweep,
                   "the words do not have their sum: damaged, or this libm rounds otherwise than the recorder's");
  }
  return values;
}

Distance distance(std::span<const uint32_t> measured, std::span<const uint32_t> other) {
  Distance d;
  d.count = measured.size();
  for (size_t i = 0; i < measured.size(); ++i) {
    const int64_t by = int64_t{static_cast<int32_t>(measured[i])} - int64_t{static_cast<int32_t>(other[i])};
    d.equal += by == 0 ? 1 : 0;
    d.within_one += by >= -1 && by <= 1 ? 1 : 0;
    d.least = std::min(d.least, by);
    d.greatest = std::max(d.greatest, by);
  }
  return d;
}

}  // namespace smreplay::calibrate
