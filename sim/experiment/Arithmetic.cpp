#include "sim/experiment/Arithmetic.h"

#include <fmt/format.h>

#include <cmath>

#include "sim/experiment/Relaunch.h"

namespace smreplay::experiment {
namespace {

// The kernel (docs/KERNELS.md, sections 1 and 2).
constexpr int kNope = 448, kRope = 64, kPaddedNope = 512, kScaleBytes = 8, kTopk = 512, kTile = 16, kThreads = 128;
constexpr int kPage = 64, kPageUnit = 576;
constexpr double kKilobyte = 1024;
// Machine: RTX PRO 6000.
constexpr int kSms = 188, kMaxWarps = 48, kSharedKb = 100, kSharedOptInKb = 99, kReservedKb = 1;
constexpr int kRegisters = 65536, kRegisterUnit = 8;
// Reported step model: step(C) = kBase + kSlope * C ms; slope = kOther + kAttention / S + kRest.
constexpr double kBase = 18, kSlope = 1.05, kOther = 0.18, kAttention = 0.79, kRest = 0.08;
constexpr int kHigh = 96, kMiddle = 64;
// Reported linear model of shared memory, KB.
constexpr double kQueryKb = 18, kTileKb = 18, kStageKb = 21, kScratchKb = 3;

using Lines = std::vector<ArithmeticLine>;

double slope(double speedup) { return kOther + kAttention / speedup + kRest; }
double step_ms(double slope_ms) { return kBase + slope_ms * kHigh; }
double tokens(int concurrency, double step) { return concurrency * 1e3 / step; }

double shared_kb(int heads, int tokens_per_tile, int stages, bool staging_per_token) {
  const double stage = staging_per_token ? kStageKb * tokens_per_tile / kTile : kStageKb;
  return kQueryKb * heads / kTile + kTileKb * tokens_per_tile / kTile + stage * (stages - 1) + kScratchKb;
}

void layout(Lines& lines) {
  const auto accumulators = [](int heads) { return heads * (kPaddedNope + kRope) / double{kThreads}; };
  lines.push_back({"accumulators", "72 values a thread at block_h 16", "16 * (512 + 64) / 128", 72, accumulators(16), 0,
                   "registers", "the nope part is padded from 448 to 512: 8 of the 72 hold nothing"});
  lines.push_back({"accumulators", "144 values a thread at block_h 32", "32 * (512 + 64) / 128", 144, accumulators(32),
                   0, "registers", ""});
  lines.push_back(
      {"accumulators", "128 of them nope", "32 * 512 / 128", 128, 32.0 * kPaddedNope / kThreads, 0, "registers", ""});
  lines.push_back({"token", "584 bytes", "448 + 2 * 64 + 8", 584, kNope + 2.0 * kRope + kScaleBytes, 0, "bytes", ""});
  lines.push_back({"page", "64 tokens padded to a multiple of 576", "ceil(64 * 584 / 576) * 576", 37440,
                   std::ceil(kPage * 584.0 / kPageUnit) * kPageUnit, 0, "bytes", ""});
}

void shared_memory(Lines& lines) {
  const char* model = "18 per 16 heads + 18 per 16 tokens + 21 per further stage + 3";
  lines.push_back(
      {"shared memory", "60 KB at block_h 16, 2 stages", model, 60, shared_kb(16, 16, 2, false), 1, "KB", ""});
  lines.push_back({"shared memory", "81 KB at 3 stages", model, 81, shared_kb(16, 16, 3, false), 1, "KB",
                   "in no Triton binary: the third stage costs 128 bytes there (docs/KERNELS.md)"});
  lines.push_back({"shared memory", "80 KB at block_h 32, 2 stages", model, 80, shared_kb(32, 16, 2, false), 1, "KB",
                   "2 KB short"});
  lines.push_back({"shared memory", "BLOCK_T 32 exceeds 99 KB, staging as at 16 tokens", model, kSharedOptInKb,
                   shared_kb(16, 32, 2, false), 0, "KB", "the stage must hold the larger tile too", true});
  lines.push_back({"shared memory", "BLOCK_T 32 exceeds 99 KB, staging per token", "18 + 36 + 42 + 3", kSharedOptInKb,
                   shared_kb(16, 32, 2, true), 0, "KB", "exactly at the limit: a byte more of scratch decides", true});
  lines.push_back({"shared memory", "one bf16 tile is 18 KB", "16 * 576 * 2 / 1024", kTileKb,
                   kTile * (kPaddedNope + kRope) * 2 / kKilobyte, 0.05, "KB", ""});
  lines.push_back({"shared memory", "a stage of gathered rows is 21 KB", "16 * 584 / 1024", kStageKb,
                   kTile * 584 / kKilobyte, 1, "KB",
                   "as stored it is 9.1 KB; 18 KB dequantised; 21 KB fits neither, unless scales are expanded too"});
  lines.push_back({"occupancy", "1 CTA per SM at 60 KB", "floor(100 / (60 + 1))", 1,
                   std::floor(kSharedKb / (60.0 + kReservedKb)), 0, "CTAs", ""});
  lines.push_back({"occupancy", "4 warps of 48 are 8 %", "100 * 4 / 48", 8, 100.0 * 4 / kMaxWarps, 0.5, "%", ""});
}

void registers(Lines& lines) {
  const auto ctas = [](int per_thread) {
    const int allocated = (per_thread + kRegisterUnit - 1) / kRegisterUnit * kRegisterUnit;
    return std::floor(double{kRegisters} / (allocated * kThreads));
  };
  lines.push_back(
      {"registers", "255 at block_h 32, from about 150 at block_h 16", "150 - 72 + 144", 255, 150.0 - 72 + 144, 5,
       "registers",
       "more than accumulators grows with the heads (queries, scores), or the compiler takes what is there"});
  lines.push_back({"registers", "1 CTA per SM from about 150 registers", "floor(65536 / (152 * 128))", 1, ctas(150), 0,
                   "CTAs", "registers allow three; shared memory is the limit"});
  lines.push_back({"registers", "R2: more than one CTA at 128 registers", "floor(65536 / (128 * 128))", 1, ctas(128), 0,
                   "CTAs", "", true});
  lines.push_back({"shared memory", "R2: two CTAs at 50 KB", "floor(100 / (50 + 1))", 2,
                   std::floor(kSharedKb / (50.0 + kReservedKb)), 0, "CTAs",
                   "each CTA costs 1 KB more: 49 KB would fit twice"});
}

void grids(Lines& lines) {
  const auto shape = [](uint32_t batch) {
    return split_shape(batch, 1,
                       {.target_ctas = 512, .block_t = kTile, .topk = kTopk, .valid = 0, .pad_to_one_cta = false});
  };
  lines.push_back({"grid", "6 splits at C = 96", "ceil(512 / 96)", 6, double(shape(96).nsplit), 0, "splits", ""});
  lines.push_back({"grid", "576 CTAs at C = 96", "96 * 6", 576, 96.0 * shape(96).nsplit, 0, "CTAs",
                   fmt::format("{:.2f} waves of {}: 12 CTAs are alone in the last one", 576.0 / kSms, kSms)});
  lines.push_back(
      {"grid", "2 tiles per split at C = 1", "ceil(32 / 16)", 2, double(shape(1).tiles_per_split), 0, "tiles", ""});
  lines.push_back(
      {"grid", "4 tiles per split at C = 64", "ceil(32 / 8)", 4, double(shape(64).tiles_per_split), 0, "tiles", ""});
  lines.push_back({"grid", "6 tiles per split at C = 96", "ceil(32 / 6)", 6, double(shape(96).tiles_per_split), 0,
                   "tiles", "five splits of 6 and one of 2"});
  lines.push_back({"calls", "84 split launches per step", "43 + 21 + 20", 84, 43 + 21 + 20, 0, "launches", ""});
  const double valid = 43.0 * 128 + 21 * 512 + 20 * 64, padded = 43.0 * 128 + 21 * 512 + 20 * 8192;
  lines.push_back({"calls", "the padded C128 loop costs up to a factor of ten",
                   "(43 * 128 + 21 * 512 + 20 * 8192) / (43 * 128 + 21 * 512 + 20 * 64)", 10, padded / valid, 0.5, "x",
                   "entries walked, at a maximum context of 1,048,576"});
}

void step_model(Lines& lines) {
  lines.push_back({"step model", "119 ms at C = 96", "18 + 1.05 * 96", 119, step_ms(kSlope), 0.5, "ms", ""});
  lines.push_back({"step model", "845 tok/s at C = 96", "96 / (18 + 1.05 * 96)", 845, tokens(kHigh, step_ms(kSlope)), 8,
                   "tok/s", "measured 4.6 % above the formula; another day 778"});
  lines.push_back({"step model", "812 tok/s at C = 64", "64 / (18 + 1.05 * 64)", 812,
                   tokens(kMiddle, kBase + kSlope * kMiddle), 8, "tok/s", "measured 8 % above the formula"});
  lines.push_back({"step model", "the slope is 1.05", "0.18 + 0.79 + 0.08", kSlope, slope(1), 0.005, "ms", ""});
  lines.push_back({"step model", "256 -> 512 gave +12.8 % at C = 64", "100 * (812 / 720 - 1)", 12.8,
                   100 * (812.0 / 720 - 1), 0.05, "%", ""});
  lines.push_back({"step model", "256 -> 512 gave +5.7 % at C = 96", "100 * (845 / 799 - 1)", 5.7,
                   100 * (845.0 / 799 - 1), 0.06, "%", "5.76: rounded down"});
}

struct Projection {
  double speedup, slope, step, tokens, uplift;
};

void projections(Lines& lines) {
  constexpr Projection kTable[] = {
      {1.0, 1.05, 119, 845, 0}, {1.25, 0.89, 103, 930, 15}, {1.5, 0.79, 94, 1020, 25}, {1.8, 0.61, 77, 1100, 30}};
  const double now = tokens(kHigh, step_ms(slope(1)));
  for (const Projection& p : kTable) {
    const std::string topic = fmt::format("projection, S = {}", p.speedup);
    const double s = slope(p.speedup), step = step_ms(s);
    lines.push_back({topic, fmt::format("slope {} ms", p.slope), fmt::format("0.18 + 0.79 / {} + 0.08", p.speedup),
                     p.slope, s, 0.005, "ms", ""});
    lines.push_back({topic, fmt::format("step {} ms", p.step), fmt::format("18 + {:.3f} * 96", s), p.step, step, 0.75,
                     "ms", fmt::format("from the table's own slope: {:.1f}", step_ms(p.slope))});
    lines.push_back({topic, fmt::format("~{} tok/s", p.tokens), fmt::format("96 / {:.1f} ms", step), p.tokens,
                     tokens(kHigh, step), 10, "tok/s",
                     fmt::format("from the table's own step: {:.0f}", tokens(kHigh, p.step))});
    if (p.uplift == 0) continue;
    lines.push_back({topic, fmt::format("uplift +{} %", p.uplift), fmt::format("over the formula's {:.0f} tok/s", now),
                     p.uplift, 100 * (tokens(kHigh, step) / now - 1), 1, "%",
                     fmt::format("the table's tok/s over 845: {:+.1f} %", 100 * (p.tokens / 845 - 1))});
  }
}

void ceilings(Lines& lines) {
  lines.push_back({"ceiling", "1.28x headroom to the peak of 1,080", "1080 / 845", 1.28, 1080.0 / 845, 0.005, "x", ""});
  lines.push_back({"ceiling", "central estimate +18 % is 1,000 to 1,050", "845 * 1.18", 1000, 845 * 1.18, 5, "tok/s",
                   "only its lower end; 950 from the formula's 807"});
  lines.push_back({"ceiling", "about 5,300 tok/s with infinitely fast attention", "96 / (18 + 0.26 * 96)", 5300,
                   tokens(kHigh, step_ms(kOther + kRest)), 50, "tok/s",
                   "5,333 = 96 / 18 ms needs the whole slope to vanish, not attention's part of it"});
  lines.push_back({"ceiling", "R2: attention 1.8x is at most +25 % tok/s", "formula at S = 1.8", 25,
                   100 * (tokens(kHigh, step_ms(slope(1.8))) / tokens(kHigh, step_ms(slope(1))) - 1), 1, "%",
                   "the formula gives more than was claimed"});
  constexpr double kPeakBytes = 1.79e12, kUse = 0.27, kLatency = 500e-9;
  lines.push_back({"little", "V1: 54 % is twice 27 %", "2 * 27", 54, 2 * 27, 0, "%",
                   fmt::format("27 % of 1.79 TB/s at 500 ns loaded latency are {:.0f} bytes in flight per SM",
                               kPeakBytes * kUse * kLatency / kSms)});
}

}  // namespace

bool ArithmeticLine::follows() const {
  if (at_least) return computed > reported;
  return std::abs(computed - reported) <= tolerance;
}

std::vector<ArithmeticLine> checked_arithmetic() {
  Lines lines;
  layout(lines);
  shared_memory(lines);
  registers(lines);
  grids(lines);
  step_model(lines);
  projections(lines);
  ceilings(lines);
  return lines;
}

}  // namespace smreplay::experiment
