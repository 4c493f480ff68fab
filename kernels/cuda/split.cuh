// Sparse MLA decode, split kernel, in CUDA C++: mma.sync, ldmatrix and cp.async, with the KV rows themselves staged.
//
// One CTA is (request, head group, split). Per tile of kBlockT selected tokens:
//   gather      each warp copies its own tokens' rows (36 x 16 B), scales (8 B) with cp.async, kStages - 1 tiles ahead;
//               the tokens' indices are read one tile earlier still, so no row waits for its index in the loop
//   dequantise  the same warp widens its rows in place, fp8 -> bf16 (exact: a scale is a power of two)
//   Q K^T       each warp over its slice of the 512 dimensions; the partial scores meet in shared memory
//   softmax     base 2, online, on the same scores in every warp, so that P never leaves the registers
//   P V         each warp over its slice of the 512 value dimensions
// Two CTA barriers a tile. Layouts of fragments: PTX ISA, "Matrix fragments for mma.m16n8k16".
#pragma once

#include "kernels/cuda/SplitShape.h"
#include "kernels/cuda/ptx.cuh"

namespace smreplay::kernels {

// The kernel's parameters, the same in every writing (kernels/README.md).
struct SplitArguments {
  const uint8_t* q;            // [B, heads, 512] bf16
  const uint8_t* kv;           // pages
  const int32_t* indices;      // [B, topk], -1: none
  const int32_t* topk_length;  // [B]
  float* partial;              // [B, heads, nsplit, 512] f32, normalised
  float* lse;                  // [B, heads, nsplit] f32, base 2
  float scale_log2e;
  int32_t topk;
  int32_t tiles_per_split;
  int32_t nsplit;
};

template <int kWarps, int kStages, int kBlockT, int kBlockH, int kPageSize>
class SplitKernel {
  using Shape = SplitShape<kWarps, kStages, kBlockT, kBlockH>;
  static constexpr int kHeadTiles = kBlockH / 16;
  static constexpr int kTokenTiles = kBlockT / 8;             // n8 tiles of the scores
  static constexpr int kValueTiles = Shape::kDimPerWarp / 8;  // n8 tiles of a warp's slice of the output
  static constexpr float kMasked = -1e30f;

 public:
  __device__ __forceinline__ SplitKernel(const SplitArguments& arguments, uint8_t* shared)
      : args_(arguments),
        shared_(shared),
        base_(ptx::shared_address(shared)),
        warp_(static_cast<int>(threadIdx.x) / 32),
        lane_(static_cast<int>(threadIdx.x) % 32),
        batch_(static_cast<int>(blockIdx.x)),
        heads_(static_cast<int>(gridDim.y) * kBlockH),
        first_head_(static_cast<int>(blockIdx.y) * kBlockH),
        split_(static_cast<int>(blockIdx.z)) {
#pragma unroll
    for (int h = 0; h < kHeadTiles; ++h) row_max_[h][0] = row_max_[h][1] = kNothingYet;
  }

  __device__ __forceinline__ void run() {
    const int length = min(args_.topk_length[batch_], args_.topk);
    first_ = split_ * args_.tiles_per_split * kBlockT;
    last_ = min(first_ + args_.tiles_per_split * kBlockT, length);
    const int tiles = last_ > first_ ? (last_ - first_ + kBlockT - 1) / kBlockT : 0;

    load_queries();
    fetch_index(0);
    if constexpr (kStages > 1) {
#pragma unroll
      for (int tile = 0; tile < kStages - 1; ++tile) gather(tile, tiles);
    }
    int stage = 0;
    for (int tile = 0; tile < tiles; ++tile) {
      if constexpr (kStages == 1) {
        __syncthreads();  // the last tile's values are still being read
        gather(tile, tiles);
        ptx::copy_async_wait<0>();
      } else {
        ptx::copy_async_wait<kStages - 2>();
      }
      ptx::sync_warp();
      dequantise(stage);
      __syncthreads();
      if constexpr (kStages > 1) gather(tile + kStages - 1, tiles);
      partial_scores(stage);
      __syncthreads();
      uint32_t p[kHeadTiles][kTokenTiles / 2][4];
      softmax(stage, p);
      accumulate(stage, p);
      stage = stage + 1 == kStages ? 0 : stage + 1;
    }
    ptx::copy_async_wait<0>();
    store();
  }

 private:
  __device__ __forceinline__ uint32_t stage_address(int stage) const {
    return base_ + static_cast<uint32_t>(Shape::kStageBase + stage * Shape::kStageBytes);
  }

  // The queries go to shared memory once; their copy belongs to the first committed group.
  __device__ __forceinline__ void load_queries() {
    constexpr int kChunks = Shape::kDim * 2 / 16;
    const uint8_t* from = args_.q + (static_cast<int64_t>(batch_) * heads_ + first_head_) * (Shape::kDim * 2);
    for (int chunk = static_cast<int>(threadIdx.x); chunk < kBlockH * kChunks; chunk += Shape::kThreads) {
      const int row = chunk / kChunks, column = chunk % kChunks;
      ptx::copy_async_16(base_ + static_cast<uint32_t>(row * Shape::kRowBytes + column * 16), from + chunk * 16, true);
    }
  }

  // Lane r < kRowsPerWarp holds the index of row r of the next tile to gather.
  __device__ __forceinline__ void fetch_index(int tile) {
    const int position = first_ + tile * kBlockT + warp_ * Shape::kRowsPerWarp + lane_;
    const bool wanted = lane_ < Shape::kRowsPerWarp && position < last_;
    next_index_ =
        wanted ? ptx::load_constant(args_.indices + static_cast<int64_t>(batch_) * args_.topk + position) : -1;
  }

  __device__ __forceinline__ void gather(int tile, int tiles) {
    if (tile < tiles) {
      const uint32_t to = stage_address(tile % kStages);
      const int row0 = warp_ * Shape::kRowsPerWarp;
      const int index = next_index_;
      fetch_index(tile + 1);
      if (lane_ < Shape::kRowsPerWarp) {
        const int token = max(index, 0);
        const uint8_t* scales =
            page(token) + kPageSize * static_cast<int>(KvLayout::kDataBytes) + token % kPageSize * 8;
        ptx::copy_async_8(to + static_cast<uint32_t>(Shape::kScaleOffset + (row0 + lane_) * 8), scales, index >= 0);
        valid_flags(tile % kStages)[row0 + lane_] = index >= 0;
      }
#pragma unroll
      for (int i = 0; i < kCopies; ++i) {
        const int chunk = i * 32 + lane_;
        const int row = min(chunk / Shape::kChunksPerRow, Shape::kRowsPerWarp - 1);
        const int column = chunk % Shape::kChunksPerRow;
        const int row_index = ptx::shuffle(index, row);
        const int token = max(row_index, 0);
        const uint8_t* from = page(token) + token % kPageSize * static_cast<int>(KvLayout::kDataBytes) + column * 16;
        const int place = (row0 + row) * Shape::kRowBytes + Shape::kRawOffset + column * 16;
        if (chunk < Shape::kRowsPerWarp * Shape::kChunksPerRow) {
          ptx::copy_async_16(to + static_cast<uint32_t>(place), from, row_index >= 0);
        }
      }
    }
    ptx::copy_async_commit();  // an empty group keeps the count of pending groups right
  }

  // A row's 448 codes are read by 28 lanes before any of them writes: the widened row covers the codes.
  __device__ __forceinline__ void dequantise(int stage) {
    constexpr int kLanes = static_cast<int>(KvLayout::kNopeBytes) / 16;
    uint8_t* tile = shared_ + Shape::kStageBase + stage * Shape::kStageBytes;
    const int row0 = warp_ * Shape::kRowsPerWarp;
    uint4 codes[Shape::kRowsPerWarp];
#pragma unroll
    for (int r = 0; r < Shape::kRowsPerWarp; ++r) {
      if (lane_ < kLanes) {
        const int place = (row0 + r) * Shape::kRowBytes + Shape::kRawOffset + lane_ * 16;
        codes[r] = *reinterpret_cast<const uint4*>(tile + place);
      }
    }
    ptx::sync_warp();
    if (lane_ >= kLanes) return;
#pragma unroll
    for (int r = 0; r < Shape::kRowsPerWarp; ++r) {
      const uint32_t code = tile[Shape::kScaleOffset + (row0 + r) * 8 + lane_ / 4];
      const float scale = __uint_as_float(code << 23);
      uint4* row = reinterpret_cast<uint4*>(tile + (row0 + r) * Shape::kRowBytes + lane_ * 32);
      row[0] = make_uint4(widen(codes[r].x, scale), widen(codes[r].x >> 16, scale), widen(codes[r].y, scale),
                          widen(codes[r].y >> 16, scale));
      row[1] = make_uint4(widen(codes[r].z, scale), widen(codes[r].z >> 16, scale), widen(codes[r].w, scale),
                          widen(codes[r].w >> 16, scale));
    }
  }

  __device__ __forceinline__ static uint32_t widen(uint32_t codes, float scale) {
    const float2 value = ptx::unpack_e4m3x2(codes);
    return ptx::pack_bf16x2(value.x * scale, value.y * scale);
  }

  // This warp's share of the scores, over its slice of the dimensions.
  __device__ __forceinline__ void partial_scores(int stage) {
    float s[kHeadTiles][kTokenTiles][4] = {};
    const int dim0 = warp_ * Shape::kDimPerWarp;
    const int a_row = lane_ % 16, a_column = lane_ / 16 * 8;
    const int b_row = lane_ % 8 + lane_ / 16 * 8, b_column = lane_ / 8 % 2 * 8;
#pragma unroll
    for (int k = 0; k < Shape::kDimPerWarp; k += 16) {
      uint32_t a[kHeadTiles][4];
#pragma unroll
      for (int h = 0; h < kHeadTiles; ++h) {
        const int place = (h * 16 + a_row) * Shape::kRowBytes + (dim0 + k + a_column) * 2;
        ptx::load_matrix_x4(a[h], base_ + static_cast<uint32_t>(place));
      }
#pragma unroll
      for (int t = 0; t < kTokenTiles; t += 2) {
        uint32_t b[4];
        const int place = (t * 8 + b_row) * Shape::kRowBytes + (dim0 + k + b_column) * 2;
        ptx::load_matrix_x4(b, stage_address(stage) + static_cast<uint32_t>(place));
#pragma unroll
        for (int h = 0; h < kHeadTiles; ++h) {
          ptx::mma_16816(s[h][t], a[h], b[0], b[1]);
          ptx::mma_16816(s[h][t + 1], a[h], b[2], b[3]);
        }
      }
    }
#pragma unroll
    for (int h = 0; h < kHeadTiles; ++h) {
#pragma unroll
      for (int t = 0; t < kTokenTiles; ++t) {
        *score(warp_, h * 16 + lane_ / 4, t) = make_float2(s[h][t][0], s[h][t][1]);
        *score(warp_, h * 16 + lane_ / 4 + 8, t) = make_float2(s[h][t][2], s[h][t][3]);
      }
    }
  }

  // Adds up the warps' shares, masks, and turns scores into probabilities in the layout of an A fragment.
  __device__ __forceinline__ void softmax(int stage, uint32_t (&p)[kHeadTiles][kTokenTiles / 2][4]) {
    const int32_t* valid = valid_flags(stage);
#pragma unroll
    for (int h = 0; h < kHeadTiles; ++h) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int row = h * 16 + half * 8 + lane_ / 4;
        float2 s[kTokenTiles];
        float maximum = row_max_[h][half];
#pragma unroll
        for (int t = 0; t < kTokenTiles; ++t) {
          s[t] = *score(0, row, t);
#pragma unroll
          for (int w = 1; w < kWarps; ++w) {
            const float2 share = *score(w, row, t);
            s[t].x += share.x;
            s[t].y += share.y;
          }
          const int2 flags = *reinterpret_cast<const int2*>(valid + t * 8 + lane_ % 4 * 2);
          s[t].x = flags.x != 0 ? s[t].x * args_.scale_log2e : kMasked;
          s[t].y = flags.y != 0 ? s[t].y * args_.scale_log2e : kMasked;
          maximum = fmaxf(maximum, fmaxf(s[t].x, s[t].y));
        }
        maximum = fmaxf(maximum, ptx::shuffle_xor(maximum, 1));
        maximum = fmaxf(maximum, ptx::shuffle_xor(maximum, 2));
        const float alpha = ptx::exp2_approx(row_max_[h][half] - maximum);
        row_max_[h][half] = maximum;
        row_sum_[h][half] *= alpha;
#pragma unroll
        for (int t = 0; t < kTokenTiles; ++t) {
          s[t].x = ptx::exp2_approx(s[t].x - maximum);
          s[t].y = ptx::exp2_approx(s[t].y - maximum);
          row_sum_[h][half] += s[t].x + s[t].y;
          p[h][t / 2][half + t % 2 * 2] = ptx::pack_bf16x2(s[t].x, s[t].y);
        }
#pragma unroll
        for (int v = 0; v < kValueTiles; ++v) {
          acc_[h][v][half * 2] *= alpha;
          acc_[h][v][half * 2 + 1] *= alpha;
        }
      }
    }
  }

  __device__ __forceinline__ void accumulate(int stage, const uint32_t (&p)[kHeadTiles][kTokenTiles / 2][4]) {
    const int dim0 = warp_ * Shape::kDimPerWarp;
    const int b_row = lane_ % 16, b_column = lane_ / 16 * 8;
#pragma unroll
    for (int t = 0; t < kTokenTiles / 2; ++t) {
#pragma unroll
      for (int v = 0; v < kValueTiles; v += 2) {
        uint32_t b[4];
        const int place = (t * 16 + b_row) * Shape::kRowBytes + (dim0 + v * 8 + b_column) * 2;
        ptx::load_matrix_x4_transposed(b, stage_address(stage) + static_cast<uint32_t>(place));
#pragma unroll
        for (int h = 0; h < kHeadTiles; ++h) {
          ptx::mma_16816(acc_[h][v], p[h][t], b[0], b[1]);
          ptx::mma_16816(acc_[h][v + 1], p[h][t], b[2], b[3]);
        }
      }
    }
  }

  __device__ __forceinline__ void store() {
#pragma unroll
    for (int h = 0; h < kHeadTiles; ++h) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        float sum = row_sum_[h][half];
        sum += ptx::shuffle_xor(sum, 1);
        sum += ptx::shuffle_xor(sum, 2);
        const float inverse = sum > 0.0f ? 1.0f / sum : 0.0f;
        const int head = first_head_ + h * 16 + half * 8 + lane_ / 4;
        const int64_t row = (static_cast<int64_t>(batch_) * heads_ + head) * args_.nsplit + split_;
        float* to = args_.partial + row * Shape::kDim + warp_ * Shape::kDimPerWarp + lane_ % 4 * 2;
#pragma unroll
        for (int v = 0; v < kValueTiles; ++v) {
          const float2 value = make_float2(acc_[h][v][half * 2] * inverse, acc_[h][v][half * 2 + 1] * inverse);
          *reinterpret_cast<float2*>(to + v * 8) = value;
        }
        if (warp_ == 0 && lane_ % 4 == 0) {
          args_.lse[row] = sum > 0.0f ? row_max_[h][half] + ptx::log2_approx(sum) : kMasked;
        }
      }
    }
  }

  __device__ __forceinline__ const uint8_t* page(int token) const {
    return args_.kv + static_cast<int64_t>(token / kPageSize) * static_cast<int64_t>(KvLayout::page_bytes(kPageSize));
  }
  __device__ __forceinline__ int32_t* valid_flags(int stage) const {
    return reinterpret_cast<int32_t*>(shared_ + Shape::kStageBase + stage * Shape::kStageBytes + Shape::kValidOffset);
  }
  __device__ __forceinline__ float2* score(int warp, int row, int token_tile) const {
    float* scores = reinterpret_cast<float*>(shared_ + Shape::kScoreBase);
    const int place = (warp * kBlockH + row) * Shape::kScoreStride + token_tile * 8 + lane_ % 4 * 2;
    return reinterpret_cast<float2*>(scores + place);
  }

  static constexpr int kCopies = (Shape::kRowsPerWarp * Shape::kChunksPerRow + 31) / 32;
  // Lower than any sum of two finite scores, higher than a masked one: a masked token has probability exp2(-big) = 0
  // even where nothing valid has been seen yet.
  static constexpr float kNothingYet = -1e20f;

  const SplitArguments& args_;
  uint8_t* shared_;
  uint32_t base_;
  int warp_, lane_, batch_, heads_, first_head_, split_;
  int first_ = 0, last_ = 0;
  int next_index_ = -1;
  float acc_[kHeadTiles][kValueTiles][4] = {};
  float row_max_[kHeadTiles][2];
  float row_sum_[kHeadTiles][2] = {};
};

}  // namespace smreplay::kernels
