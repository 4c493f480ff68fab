#include "sim/calibrate/Findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "sim/calibrate/Statistics.h"

namespace smreplay::calibrate {
namespace {

double real(int64_t v) { return static_cast<double>(v); }

// A CTA of the benchmark `dispatch`: its SM, and nanoseconds of its begin and end.
struct Cta {
  int64_t sm;
  double begin, end;
};

std::vector<Cta> ctas_of(const RawLine& line) {
  constexpr size_t kWords = 3;
  std::vector<Cta> ctas;
  for (size_t i = 0; i + kWords <= line.samples.size(); i += kWords) {
    ctas.push_back({static_cast<int64_t>(line.samples[i]), line.samples[i + 1], line.samples[i + 2]});
  }
  return ctas;
}

// CTAs of the first wave that began on a new SM, in the order of their numbers.
std::vector<int64_t> first_wave(const std::vector<Cta>& ctas) {
  std::vector<int64_t> order;
  for (const Cta& cta : ctas) {
    if (std::find(order.begin(), order.end(), cta.sm) != order.end()) break;
    order.push_back(cta.sm);
  }
  return order;
}

// Later CTAs that went to the SM that was free longest, as far as the clock's step lets one say.
std::pair<size_t, size_t> to_the_first_freed(const std::vector<Cta>& ctas, size_t wave) {
  constexpr double kStep = 32;  // ns of globaltimer
  std::map<int64_t, double> free_since;
  for (size_t i = 0; i < wave; ++i) free_since[ctas[i].sm] = ctas[i].end;
  size_t first = 0;
  for (size_t i = wave; i < ctas.size(); ++i) {
    const auto earliest = std::min_element(free_since.begin(), free_since.end(),
                                           [](const auto& a, const auto& b) { return a.second < b.second; });
    first += free_since[ctas[i].sm] <= earliest->second + kStep ? 1 : 0;
    free_since[ctas[i].sm] = ctas[i].end;
  }
  return {first, ctas.size() - wave};
}

std::string dispatch_order(const RawFile& raw) {
  int64_t most_shared = 0;
  for (const RawLine* line : raw.all("dispatch")) most_shared = std::max(most_shared, line->number("shared"));
  const std::vector<Cta> ctas = ctas_of(raw.one("dispatch", {{"work", std::string("equal")}, {"shared", most_shared}}));
  const std::vector<int64_t> order = first_wave(ctas);
  const auto [first, later] = to_the_first_freed(ctas, order.size());
  const size_t shown = std::min<size_t>(order.size(), 12);
  return fmt::format(
      "CTAs of which an SM holds one: the first {} go to SMs {}{}; of the {} later ones {} go to the place that was "
      "freed first",
      order.size(), fmt::join(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
      order.size() > shown ? " ..." : "", later, first);
}

std::string queued_launches(const RawFile& raw) {
  const auto machines = raw.all("machine");
  if (machines.empty()) throw Missing{"no line machine"};
  constexpr double kKhzPerGhz = 1e6;
  const Slope ns = slope(raw, "queued_launch", {});
  return fmt::format("an empty kernel behind others that wait for it: {:.0f} ns each ({:.0f} to {:.0f}), {:.0f} cycles",
                     ns.value, ns.low, ns.high, ns.value * real(machines.back()->number("core_khz")) / kKhzPerGhz);
}

// Cycles of an L1 hit by lines and ways.
double hit(const RawFile& raw, int64_t lines, int64_t ways) {
  constexpr int64_t kLine = 128;
  return slope(raw, "spread_chase", {{"lines", lines}, {"ways", ways}, {"line_pitch", kLine}}).value;
}

double rate(const RawFile& raw, int64_t lines, int64_t ways) {
  constexpr int64_t kLine = 128, kWarps = 16;
  const RawLine& line =
      raw.one("spread_rate", {{"lines", lines}, {"ways", ways}, {"line_pitch", kLine}, {"warps", kWarps}});
  return median(line.samples) / real(line.number("instructions"));
}

std::string tags_and_banks(const RawFile& raw) {
  return fmt::format(
      "L1 hit of a warp: 1 line {:.1f} cycles; 32 lines without a bank conflict {:.1f}, with 32 ways {:.1f}; per "
      "instruction of 16 warps {:.1f}, {:.1f}, {:.1f}",
      hit(raw, 1, 1), hit(raw, 32, 1), hit(raw, 32, 32), rate(raw, 1, 1), rate(raw, 32, 1), rate(raw, 32, 32));
}

}  // namespace

std::vector<std::string> findings(const RawFile& raw) {
  std::vector<std::string> found;
  for (std::string (*find)(const RawFile&) : {dispatch_order, queued_launches, tags_and_banks}) {
    try {
      found.push_back(find(raw));
    } catch (const Missing&) {  // not measured
    }
  }
  return found;
}

}  // namespace smreplay::calibrate
