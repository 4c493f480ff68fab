// Sparse MLA decode in float64: what every writing of the kernel is held against.
//
// Inputs are exact in float64 (bf16 queries and rope, fp8 e4m3 times a power of two), so the reference's own error is
// that of float64 sums, some 1e-15 relative. Independent of the kernels: two passes (maximum, then weights) instead of
// an online softmax, no tiles. Layout of a page: docs/KERNELS.md, section 2.
#pragma once

#include <cstdint>
#include <vector>

namespace smreplay::kernels {

struct SparseMlaProblem {
  uint32_t batch = 0;
  uint32_t heads = 0;  // per request, in all head groups
  uint32_t topk = 0;   // entries of a row of `indices`
  uint32_t nsplit = 0;
  uint32_t tokens_per_split = 0;  // entries of the row that a split walks
  uint32_t page_size = 0;         // tokens
  double scale_log2e = 0;
  const uint8_t* q = nullptr;            // [batch, heads, 512] bf16
  const uint8_t* kv = nullptr;           // pages
  const uint8_t* indices = nullptr;      // [batch, topk] i32, -1: none
  const uint8_t* topk_length = nullptr;  // [batch] i32
};

inline constexpr uint32_t kLatentDim = 512;
inline constexpr double kEmptyLse = -1e30;  // log-sum-exp of nothing, by convention of the kernels

// One query head over a range of its selected tokens.
struct HeadResult {
  std::vector<double> value;  // [512], zeros where no token is valid
  double lse = kEmptyLse;     // base 2
};

// Entries [first, first + count) of the row of `request`; entries at or past its length, and negative ones, do not
// count. Results by head.
std::vector<HeadResult> sparse_mla_reference(const SparseMlaProblem& problem, uint32_t request, uint32_t first,
                                             uint32_t count);

// The value of a bf16 and of an e4m3 code (NaN codes are not produced by the fills and read as NaN).
double from_bf16(uint16_t bits);
double from_e4m3(uint8_t code);

}  // namespace smreplay::kernels
