#include "sim/calibrate/Benchmark.h"

#include <fmt/format.h>

#include <algorithm>

namespace smreplay::calibrate {
namespace {

constexpr uint32_t kRepeats = 12;  // of Device.cuh

// Clocks and nanoseconds are low words: differences are taken modulo 2^32.
int64_t since(uint32_t time, uint32_t origin) { return static_cast<int32_t>(time - origin); }

std::vector<int64_t> pairs(const std::vector<uint32_t>& words) {
  std::vector<int64_t> result;
  for (size_t i = 0; i + 1 < words.size(); i += 2) result.push_back(since(words[i + 1], words[i]));
  return result;
}

std::vector<int64_t> warp_pairs(const Benchmark& benchmark, const std::vector<uint32_t>& words) {
  std::vector<uint32_t> warps;
  for (uint32_t w = 0; w < 32; ++w) {
    if ((benchmark.warps >> w & 1) != 0) warps.push_back(w);
  }
  const auto at = [&](uint32_t warp, uint32_t repeat, uint32_t which) {
    return words[(warp * kRepeats + repeat) * 2 + which];
  };
  std::vector<int64_t> result;
  for (const uint32_t w : warps) {
    for (uint32_t r = 0; r < kRepeats; ++r) {
      uint32_t origin = at(warps.front(), r, 0);
      for (const uint32_t other : warps) {
        if (since(at(other, r, 0), origin) < 0) origin = at(other, r, 0);
      }
      result.push_back(since(at(w, r, 0), origin));
      result.push_back(since(at(w, r, 1), origin));
    }
  }
  return result;
}

std::vector<int64_t> span(const std::vector<uint32_t>& words) {
  if (words.size() < 2) return {};
  uint32_t first = words[0], last = words[1];
  for (size_t i = 0; i + 1 < words.size(); i += 2) {
    if (since(words[i], first) < 0) first = words[i];
    if (since(words[i + 1], last) > 0) last = words[i + 1];
  }
  return {since(last, first)};
}

std::vector<int64_t> cta_cycles(const std::vector<uint32_t>& words) {
  std::vector<int64_t> result;
  for (size_t i = 0; i + 3 < words.size(); i += 4) result.push_back(since(words[i + 1], words[i]));
  return result;
}

std::vector<int64_t> cta_turns(const std::vector<uint32_t>& words) {
  std::vector<int64_t> result;
  for (size_t i = 0; i + 3 < words.size(); i += 4) {
    result.push_back(since(words[i + 1], words[i]));
    result.push_back(words[i + 2]);
  }
  return result;
}

std::vector<int64_t> cta_times(const std::vector<uint32_t>& words) {
  std::vector<int64_t> result;
  uint32_t origin = words.size() > 2 ? words[2] : 0;
  for (size_t i = 0; i + 3 < words.size(); i += 4) {
    if (since(words[i + 2], origin) < 0) origin = words[i + 2];
  }
  for (size_t i = 0; i + 3 < words.size(); i += 4) {
    result.push_back(since(words[i + 1], words[i]));
    result.push_back(since(words[i + 2], origin));
    result.push_back(since(words[i + 3], origin));
  }
  return result;
}

}  // namespace

const char* unit(Readings readings) {
  if (readings == Readings::kEventNs) return "ns";
  if (readings == Readings::kCtaTurns) return "cycle, count";
  return readings == Readings::kCtaTimes ? "cycle, ns, ns" : "cycle";
}

std::vector<int64_t> samples(const Benchmark& benchmark, const std::vector<uint32_t>& words) {
  switch (benchmark.readings) {
    case Readings::kPairs:
      return pairs(words);
    case Readings::kWarpPairs:
      return warp_pairs(benchmark, words);
    case Readings::kSpan:
      return span(words);
    case Readings::kCtaTimes:
      return cta_times(words);
    case Readings::kCtaCycles:
      return cta_cycles(words);
    case Readings::kCtaTurns:
      return cta_turns(words);
    case Readings::kEventNs:
    case Readings::kWords:
      return {words.begin(), words.end()};  // of kEventNs, the target gives nanoseconds
    case Readings::kNone:
      return {};
  }
  return {};
}

std::string raw_line(const Benchmark& benchmark, const std::vector<int64_t>& samples) {
  std::string text = fmt::format("{{\"name\": \"{}\", \"params\": {{", benchmark.name);
  const char* separator = "";
  for (const auto& [key, value] : benchmark.parameters) {
    text += fmt::format("{}\"{}\": ", separator, key);
    if (const auto* number = std::get_if<int64_t>(&value)) {
      text += fmt::format("{}", *number);
    } else {
      text += fmt::format("\"{}\"", std::get<std::string>(value));
    }
    separator = ", ";
  }
  return text +
         fmt::format("}}, \"unit\": \"{}\", \"samples\": [{}]}}", unit(benchmark.readings), fmt::join(samples, ", "));
}

}  // namespace smreplay::calibrate
