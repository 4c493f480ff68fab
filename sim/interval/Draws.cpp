#include "sim/interval/Draws.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace smreplay::interval {
namespace {

constexpr uint32_t kMostAttempts = 200;

// Finaliser of SplitMix64 (Steele, Lea and Flood 2014).
uint64_t mix(uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31);
}

// FNV-1a.
uint64_t hash(std::string_view text) {
  uint64_t value = 0xcbf29ce484222325ULL;
  for (const char c : text) value = (value ^ static_cast<uint8_t>(c)) * 0x100000001b3ULL;
  return value;
}

}  // namespace

double uniform_place(uint64_t seed, uint32_t draw, uint32_t attempt, std::string_view parameter) {
  constexpr int kMantissaBits = 53;
  const uint64_t stream = mix(mix(seed + 1) ^ ((uint64_t{draw} << 32) | attempt));
  const uint64_t bits = mix(stream ^ hash(parameter)) >> (64 - kMantissaBits);
  return static_cast<double>(bits) / static_cast<double>(uint64_t{1} << kMantissaBits);
}

Result<std::vector<Draw>> joint_draws(Variations& variations, uint32_t first, uint32_t count, uint64_t seed) {
  std::vector<Draw> draws;
  for (uint32_t draw = first; draw < first + count; ++draw) {
    std::optional<Draw> found;
    for (uint32_t attempt = 0; attempt < kMostAttempts && !found; ++attempt) {
      Places places;
      for (const Parameter& parameter : variations.parameters()) {
        places[parameter.name] = uniform_place(seed, draw, attempt, parameter.name);
      }
      std::optional<machine::MachineConfig> config = variations.at(places);
      if (config) found = Draw{std::move(places), std::move(*config), attempt + 1};
    }
    if (!found) {
      return Error{ExitCode::kBadConfiguration, "interval-draws",
                   fmt::format("draw {} of seed {} is no machine after {} attempts: the ranges contradict one another",
                               draw, seed, kMostAttempts)};
    }
    draws.push_back(std::move(*found));
  }
  return draws;
}

}  // namespace smreplay::interval
