// Atomics: a chain of exchanges of 32 bits by a whole warp, each storing what the one before returned. The lanes of the
// benchmark are 16 bytes apart, so that its chain holds bank conflicts, or several lines; the keys are without.
#include <fmt/format.h>

#include <limits>
#include <set>

#include "sim/calibrate/Derive.h"

namespace smreplay::calibrate {
namespace {

constexpr int64_t kPitch = 16;  // bytes between lanes

int64_t rounded_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

// timing.atoms.latency: no conflict.
void shared_atomics(const DerivationContext& c) {
  const int64_t ways = kPitch / c.number("memory.bank_bytes");
  const int64_t conflicts = (ways - 1) * c.number("memory.conflict_latency_cycles");
  const Slope reading = slope(c.raw, "synchronisation", {{"op", std::string("ATOMS")}, {"warps", int64_t{1}}});
  for (const char* width : {"", "_64", "_128"}) {
    DerivedValue value = rounded(reading,
                                 fmt::format("per ATOMS.EXCH of 32 bits, each storing what the one before returned, "
                                             "less {} of its {}-way conflict",
                                             conflicts, ways),
                                 static_cast<double>(-conflicts));
    value.inferred = true;
    c.set(fmt::format("timing.atoms.latency{}", width), value);
  }
}

// The least over the addresses that were read: an atomic is done in the half of the L2 that holds the line
// (on an H200 near and far change every 4 KiB, by a hash: stamped_chase DRAM-ordered).
Slope nearest_place(const RawFile& raw, const Match& match) {
  std::set<int64_t> offsets;
  for (const RawLine* line : raw.all("synchronisation", match)) {
    if (line->parameters.contains("offset")) offsets.insert(line->number("offset"));
  }
  if (offsets.empty()) return slope(raw, "synchronisation", match);
  Slope least{std::numeric_limits<double>::infinity()};
  for (const int64_t offset : offsets) {
    Match place = match;
    place.emplace_back("offset", offset);
    const Slope s = slope(raw, "synchronisation", place);
    if (s.value < least.value) least = s;
  }
  return least;
}

// Lanes of the benchmark are 16 bytes apart: 4 lines, two of a slice. The file's latency is that of one sector; what
// the links and a slice take for the others is taken off.
void global_atomics(const DerivationContext& c) {
  constexpr int64_t kLineBytes = 128, kLanesOfALine = 8, kLines = 4, kLinesOfASlice = 2, kSectors = 4, kWordBytes = 4;
  const auto beyond_the_first = [](int64_t amount, int64_t rate) { return rounded_up(amount, rate) - 1; };
  const int64_t header = c.number("interconnect.header_bytes");
  const int64_t sent = beyond_the_first(kLines * (header + kLanesOfALine * kWordBytes),
                                        c.number("interconnect.sm_request_bytes_per_cycle"));
  const int64_t ticks = beyond_the_first(kLinesOfASlice * kSectors, c.number("l2.slice_sectors_per_cycle"));
  const int64_t answered =
      beyond_the_first(kLinesOfASlice * (header + kLineBytes), c.number("interconnect.sm_reply_bytes_per_cycle"));
  const int64_t links = sent + rounded_up(ticks * c.number("core_clock"), c.number("l2.clock")) + answered;
  const Slope reading = nearest_place(c.raw, {{"op", std::string("ATOMG")}, {"warps", int64_t{1}}});
  for (const char* width : {"", "_64", "_128"}) {
    DerivedValue value = rounded(reading,
                                 fmt::format("per ATOMG.EXCH of 32 bits, each storing what the one before returned, "
                                             "less {} for 4 lines of 4 sectors instead of one",
                                             links),
                                 static_cast<double>(-links));
    value.inferred = true;
    c.set(fmt::format("timing.atomg.latency{}", width), value);
  }
}

}  // namespace

std::vector<Derivation> atomic_derivations() {
  return {{"shared_atomics", shared_atomics}, {"global_atomics", global_atomics}};
}

}  // namespace smreplay::calibrate
