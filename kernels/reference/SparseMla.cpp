#include "kernels/reference/SparseMla.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/common/fill.h"

namespace smreplay::kernels {
namespace {

constexpr uint32_t kNope = KvLayout::kNopeBytes;
constexpr uint32_t kScaleGroup = 64;
constexpr int kScaleBias = 127;

template <class T>
T load(const uint8_t* from, uint64_t index) {
  T value;
  std::memcpy(&value, from + index * sizeof(T), sizeof(T));
  return value;
}

// The 512 values of one token.
void read_token(const SparseMlaProblem& problem, uint32_t token, double* to) {
  const uint8_t* page = problem.kv + token / problem.page_size * KvLayout::page_bytes(problem.page_size);
  const uint32_t slot = token % problem.page_size;
  const uint8_t* data = page + uint64_t{slot} * KvLayout::kDataBytes;
  const uint8_t* scales =
      page + uint64_t{problem.page_size} * KvLayout::kDataBytes + uint64_t{slot} * KvLayout::kScaleBytes;
  for (uint32_t d = 0; d < kNope; ++d) {
    to[d] = from_e4m3(data[d]) * std::ldexp(1.0, int{scales[d / kScaleGroup]} - kScaleBias);
  }
  for (uint32_t d = kNope; d < kLatentDim; ++d) to[d] = from_bf16(load<uint16_t>(data + kNope, d - kNope));
}

HeadResult attend(const double* query, const std::vector<double>& tokens, double scale) {
  const size_t count = tokens.size() / kLatentDim;
  HeadResult result;
  result.value.assign(kLatentDim, 0.0);
  if (count == 0) return result;
  std::vector<double> score(count, 0.0);
  double maximum = -std::numeric_limits<double>::infinity();
  for (size_t t = 0; t < count; ++t) {
    const double* token = tokens.data() + t * kLatentDim;
    for (uint32_t d = 0; d < kLatentDim; ++d) score[t] += query[d] * token[d];
    score[t] *= scale;
    maximum = std::max(maximum, score[t]);
  }
  double sum = 0;
  for (size_t t = 0; t < count; ++t) {
    const double weight = std::exp2(score[t] - maximum);
    const double* token = tokens.data() + t * kLatentDim;
    sum += weight;
    for (uint32_t d = 0; d < kLatentDim; ++d) result.value[d] += weight * token[d];
  }
  for (double& value : result.value) value /= sum;
  result.lse = maximum + std::log2(sum);
  return result;
}

}  // namespace

double from_bf16(uint16_t bits) { return double{std::bit_cast<float>(uint32_t{bits} << 16)}; }

double from_e4m3(uint8_t code) {
  constexpr int kBias = 7, kMantissaBits = 3;
  const int exponent = (code >> kMantissaBits) & 0xF;
  const int mantissa = code & 0x7;
  if ((code & 0x7F) == 0x7F) return std::numeric_limits<double>::quiet_NaN();
  const double magnitude = exponent == 0 ? std::ldexp(mantissa, 1 - kBias - kMantissaBits)
                                         : std::ldexp(8 + mantissa, exponent - kBias - kMantissaBits);
  return (code & 0x80) != 0 ? -magnitude : magnitude;
}

std::vector<HeadResult> sparse_mla_reference(const SparseMlaProblem& problem, uint32_t request, uint32_t first,
                                             uint32_t count) {
  const int32_t stated = load<int32_t>(problem.topk_length, request);
  const uint32_t length = std::min(static_cast<uint32_t>(std::max(stated, 0)), problem.topk);
  const uint32_t last = std::min(first + count, length);
  std::vector<double> tokens;
  for (uint32_t k = first; k < last; ++k) {
    const int32_t index = load<int32_t>(problem.indices, uint64_t{request} * problem.topk + k);
    if (index < 0) continue;
    tokens.resize(tokens.size() + kLatentDim);
    read_token(problem, static_cast<uint32_t>(index), tokens.data() + tokens.size() - kLatentDim);
  }
  std::vector<HeadResult> results;
  std::vector<double> query(kLatentDim);
  for (uint32_t head = 0; head < problem.heads; ++head) {
    const uint64_t row = (uint64_t{request} * problem.heads + head) * kLatentDim;
    for (uint32_t d = 0; d < kLatentDim; ++d) query[d] = from_bf16(load<uint16_t>(problem.q, row + d));
    results.push_back(attend(query.data(), tokens, problem.scale_log2e));
  }
  return results;
}

}  // namespace smreplay::kernels
