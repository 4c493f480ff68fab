// Beyond the SM: L2 and its halves, DRAM, interconnect, dispatch and launch.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/calibrate/Derive.h"

namespace smreplay::calibrate {
namespace {

constexpr double kDram = 400;  // cycles of a read: below it hit L2, which still held what wrote the ring
constexpr double kFar = 600;   // cycles of a DRAM read: below is the near half of the chip, above the far one
constexpr double kSlow = 800;  // above: refresh and address translation, no unloaded latency
constexpr double kStamp = 2;   // cycles of a stamped load beyond the same load in a chase: 34 and 32 for an L1 hit
constexpr double kHeader = 8;  // interconnect.header_bytes, assumed
constexpr double kLine = 128;
constexpr double kKhzPerGhz = 1e6;
constexpr const char* kSplit = "closes the sum, whose split is not measured";

int64_t nearest(double v) { return static_cast<int64_t>(std::nearbyint(v)); }
int64_t rounded_up(int64_t a, int64_t b) { return (a + b - 1) / b; }
double real(int64_t v) { return static_cast<double>(v); }

struct Mode {
  double median, lower, upper;
};

// DRAM reads served by the SM's own half of the chip, and by the other.
std::pair<Mode, Mode> dram_modes(const RawFile& raw) {
  std::vector<double> near, far;
  for (const double sample : raw.one("stamped_chase", {{"level", std::string("DRAM")}}).samples) {
    const double cycles = sample - kStamp;
    if (cycles < kDram) continue;
    if (cycles < kFar) {
      near.push_back(cycles);
    } else if (cycles < kSlow) {
      far.push_back(cycles);
    }
  }
  const auto mode = [](const std::vector<double>& v) { return Mode{median(v), quantile(v, 0.25), quantile(v, 0.75)}; };
  return {mode(near), mode(far)};
}

void far_half(const DerivationContext& c) {
  const auto [near, far] = dram_modes(c.raw);
  c.set("l2.far_extra_cycles",
        {{nearest(far.median - near.median)},
         fmt::format("DRAM reads by address: two modes, medians {:g} and {:g}", near.median, far.median),
         nearest(far.lower - near.lower),
         nearest(far.upper - near.upper)});
}

// Chases over 1 to 24 MiB: all lines end up in the SM's half.
double l2_hit(const RawFile& raw) {
  std::vector<double> cycles;
  for (const RawLine* line : raw.all("chase", {{"level", std::string("L2")}})) {
    const int64_t footprint = line->number("footprint");
    if (footprint < int64_t{1} << 20 || footprint > int64_t{24} << 20) continue;
    cycles.push_back(typical(*line) / real(line->number("steps")));
  }
  return mean(cycles);
}

constexpr int64_t kHopper = 90;

// Compute capability of the card; older readings have it in two numbers.
int64_t compute_of(const RawFile& raw) {
  const auto machines = raw.all("machine");
  if (machines.empty()) throw Missing{"no line machine"};
  const RawLine& line = *machines.back();
  if (line.parameters.contains("compute")) return line.number("compute");
  return 10 * line.number("major") + line.number("minor");
}

// What the driver says, with the readings of the card or with the profiler's.
int64_t driver_number(const RawFile& raw, const char* of_machine, const char* of_profiler) {
  const auto machines = raw.all("machine"), profiled = raw.all("profiler");
  if (!machines.empty() && machines.back()->parameters.contains(of_machine)) return machines.back()->number(of_machine);
  if (!profiled.empty() && profiled.front()->parameters.contains(of_profiler)) {
    return profiled.front()->number(of_profiler);
  }
  throw Missing{fmt::format("the readings are older than the driver's {}", of_machine)};
}

// What the driver says of the memory.
void memory(const DerivationContext& c) {
  if (compute_of(c.raw) != kHopper) {
    throw Missing{"channels and command clock of GDDR do not follow from the driver's bus and clock"};
  }
  const int64_t width = driver_number(c.raw, "bus_bits", "fb_bus_width");
  const int64_t memory = driver_number(c.raw, "memory_khz", "memory_khz");
  c.set("dram.channels", {{width / 32}, fmt::format("bus of {} bits, by the driver", width), {}, {}});
  c.set(
      "dram.clock",
      {{memory / 2}, fmt::format("half of the driver's {} MHz: 4.81 TB/s over {} bits", memory / 1000, width), {}, {}});
}

// What the L2's own counters say.
void l2_counters(const DerivationContext& c) {
  constexpr int64_t kSliceKib = 640;
  const auto lines = c.raw.all("profiler");
  if (lines.empty()) {
    throw Missing{"l2.slices, l2.bytes and l2.clock need the counters of Nsight Compute: ncu on PATH, or --ncu FILE"};
  }
  const RawLine& line = *lines.front();
  const int64_t slices = nearest(line.samples.at(1) / line.samples.at(0));
  c.set("l2.slices", {{slices}, "lts__cycles_elapsed: sum over average", {}, {}});
  constexpr double kLongEnough = 20000;  // ns
  std::vector<double> mhz;
  for (const RawLine* l : lines) {
    if (l->samples.at(2) > kLongEnough) mhz.push_back(1000 * l->samples[0] / l->samples[2]);
  }
  const int64_t clock = nearest(median(mhz));
  c.set("l2.clock", {{clock}, "lts__cycles_elapsed over the time of kernels above 20 us", clock - 5, clock + 5});
  if (compute_of(c.raw) != kHopper) throw Missing{"l2.bytes: how much a slice holds is known of Hopper alone"};
  c.set("l2.bytes", {{slices * kSliceKib},
                     fmt::format("{} slices of 640 KiB; the driver reports {} MiB, which would be 96", slices,
                                 line.number("l2_bytes") >> 20),
                     {},
                     {},
                     "KiB"});
}

int64_t sms(const RawFile& raw) {
  const auto machines = raw.all("machine");
  if (machines.empty()) throw Missing{"no line machine"};
  return machines.back()->number("sms");
}

// Ports by the greatest rates of a stream, with a header for every line.
void bandwidth(const DerivationContext& c) {
  constexpr double kWithHeader = (kLine + kHeader) / kLine;
  const auto lines = [&](bool write, int64_t sms) {
    return c.raw.all("bandwidth", {{"level", std::string("L2")}, {"write", int64_t{write}}, {"sms", sms}});
  };
  const auto one_sm = [&](bool write) {
    double best = 0;
    for (const RawLine* line : lines(write, 1))
      best = std::max(best, real(line->number("bytes_per_sm")) / median(line->samples));
    if (best == 0) throw Missing{"bandwidth of one SM from L2"};
    return best;
  };
  const double alone = one_sm(false), written = one_sm(true);
  c.set("interconnect.sm_reply_bytes_per_cycle",
        {{nearest(alone * kWithHeader)},
         fmt::format("{:.1f} B/cycle read from L2 by one SM, with 8 B a line", alone),
         {},
         {}});
  c.set("interconnect.sm_request_bytes_per_cycle",
        {{nearest(written * kWithHeader)},
         fmt::format("{:.1f} B/cycle written by one SM, with 8 B a line", written),
         {},
         {}});
  // The H200's dispatcher fills GPC by GPC, so that among 32 and 64 SMs there are GPCs with all of their 16 and 18 SMs:
  // the slowest. Other chips have other GPCs.
  constexpr int64_t kH200Sms = 132;
  if (sms(c.raw) != kH200Sms) throw Missing{"which SMs share a GPC is known of the H200 alone"};
  constexpr int64_t kWindow = 16 << 20;
  std::vector<double> full;
  for (const auto& [active, of_gpc] : {std::pair(32, 16), std::pair(64, 18)}) {
    double best = 0;
    for (const RawLine* line : lines(false, active)) {
      if (line->number("window") != kWindow) continue;
      const double slowest = *std::max_element(line->samples.begin(), line->samples.end());
      best = std::max(best, real(line->number("bytes_per_sm")) / slowest);
    }
    if (best == 0) throw Missing{fmt::format("bandwidth of {} SMs from L2", active)};
    full.push_back(of_gpc * best);
  }
  const auto [least, most] = std::minmax_element(full.begin(), full.end());
  c.set("interconnect.gpc_reply_bytes_per_cycle",
        {{nearest(mean(full) * kWithHeader)},
         fmt::format("{:.0f} and {:.0f} B/cycle read from L2 by a whole GPC, with 8 B a line", full[0], full[1]),
         nearest(*least * kWithHeader),
         nearest(*most * kWithHeader)});
}

constexpr size_t kColdLaunches = 2;

double empty_launch_ns(const RawFile& raw, int64_t ctas, int64_t threads, int64_t shared) {
  return median(
      after(raw.one("empty_launch", {{"ctas", ctas}, {"threads", threads}, {"shared", shared}}), kColdLaunches));
}

void dispatch(const DerivationContext& c) {
  const auto machines = c.raw.all("machine");
  if (machines.empty()) throw Missing{"no line machine"};
  const double core = real(machines.back()->number("core_khz")) / kKhzPerGhz;
  const int64_t many = 1000 * sms(c.raw), fewer = 100 * sms(c.raw);
  std::vector<double> rates;
  for (const int64_t threads : {32, 128, 512}) {
    rates.push_back((empty_launch_ns(c.raw, many, threads, 0) - empty_launch_ns(c.raw, fewer, threads, 0)) /
                    real(many - fewer) * core);
  }
  c.set("cta_dispatch_interval",
        {{nearest(median(rates))}, fmt::format("{:.2f} cycles per empty CTA, whole chip", median(rates)), 1, 2});
}

// Without the profiler's cycles: what an empty kernel takes behind others that wait for it. On an H200 that was 2.8 %
// more than the profiler's figure of the same run, and 11 % more than that of the day before; it holds the kernel's own
// CTAs too, so that the range goes down to the least that the profiler gave of such kernels.
void queued_launch(const DerivationContext& c) {
  constexpr double kLeastShare = 0.8;
  const auto machines = c.raw.all("machine");
  if (machines.empty()) throw Missing{"no line machine"};
  const double core = real(machines.back()->number("core_khz")) / kKhzPerGhz;
  const Slope ns = slope(c.raw, "queued_launch", {});
  DerivedValue value = {{nearest(ns.value * core)},
                        fmt::format("{:.0f} ns per empty kernel behind others that wait for it", ns.value),
                        nearest(ns.value * core * kLeastShare),
                        nearest(ns.high * core)};
  value.inferred = true;
  c.set("launch_cycles", value);
}

// What a launch takes beside its CTAs. Events around a single launch hold the host's way to the GPU as well, so that
// they do not say it.
void launch(const DerivationContext& c) {
  std::vector<double> idle;
  for (const RawLine* line : c.raw.all("profiler_empty", {{"clock_control", std::string("none")}})) {
    idle.push_back(line->samples.at(0) - line->samples.at(1));
  }
  if (idle.empty() && !c.raw.all("queued_launch").empty()) return queued_launch(c);
  if (idle.empty()) throw Missing{"launch_cycles needs the counters of Nsight Compute: ncu on PATH, or --ncu FILE"};
  const double typical_idle = median(idle);
  c.set("launch_cycles", {{nearest(typical_idle)},
                          "sm__cycles_elapsed.max less sm__cycles_active.max of empty kernels of 1 to 384 CTAs",
                          nearest(*std::min_element(idle.begin(), idle.end())),
                          nearest(*std::max_element(idle.begin(), idle.end()))});
}

// L2 hit = the parts + slice_cycles; a DRAM read that finds the bank open on another row = L2 hit + miss_cycles +
// controller_cycles + the DRAM's own ticks.
void closing(const DerivationContext& c) {
  const int64_t core = c.number("core_clock"), l2 = c.number("l2.clock"), dram = c.number("dram.clock");
  const int64_t hit = nearest(l2_hit(c.raw));
  int64_t rest = hit;
  for (const char* key : {"memory.miss_base_cycles", "interconnect.request_cycles", "interconnect.reply_cycles",
                          "memory.fill_to_use_cycles"}) {
    rest -= c.number(key);
  }
  c.set("l2.slice_cycles", {{rest * l2 / core}, fmt::format("{} for an L2 hit; {}", hit, kSplit), {}, {}, {}, false});
  const double near = dram_modes(c.raw).first.median;
  int64_t ticks = 0;
  for (const char* key : {"dram.rp", "dram.rcd_read", "dram.cl", "dram.burst_ticks"}) ticks += c.number(key);
  const int64_t controller =
      nearest(near) - hit - rounded_up(c.number("l2.miss_cycles") * core, l2) - rounded_up(ticks * core, dram);
  c.set("dram.controller_cycles",
        {{controller}, fmt::format("{:g} for a DRAM read of the near half; {}", near, kSplit), {}, {}, {}, false});
  constexpr int64_t kEmptyBody = 10;  // cycles of a CTA that only exits, without its start and end
  int64_t one_at_a_time = 0;          // shared memory of which an SM holds one CTA
  for (const RawLine* line : c.raw.all("empty_launch")) one_at_a_time = std::max(one_at_a_time, line->number("shared"));
  const int64_t many = 100 * sms(c.raw), fewer = 10 * sms(c.raw);
  const double ns =
      empty_launch_ns(c.raw, many, 128, one_at_a_time) - empty_launch_ns(c.raw, fewer, 128, one_at_a_time);
  const double turn = ns / (real(many - fewer) / real(sms(c.raw))) * real(core) / kKhzPerGhz;
  c.set("cta_start_cycles", {{nearest(turn) - c.number("cta_end_cycles") - kEmptyBody},
                             fmt::format("{:.0f} per empty CTA where an SM holds one; {}", turn, kSplit),
                             {},
                             {},
                             {},
                             false});
}

}  // namespace

std::vector<Derivation> chip_derivations() {
  return {{"far_half", far_half}, {"memory", memory}, {"l2 counters", l2_counters}, {"bandwidth", bandwidth},
          {"dispatch", dispatch}, {"launch", launch}, {"closing", closing}};
}

}  // namespace smreplay::calibrate
