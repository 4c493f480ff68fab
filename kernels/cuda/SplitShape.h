// Sizes of the CUDA split kernel for one configuration: what lies where in shared memory. Plain C++, so that the build
// script asks the host compiler for the dynamic shared memory instead of repeating the arithmetic.
#pragma once

#include "kernels/common/fill.h"

namespace smreplay::kernels {

template <int kWarps, int kStages, int kBlockT, int kBlockH>
struct SplitShape {
  static constexpr int kThreads = kWarps * 32;
  static constexpr int kDim = 512;                       // 448 nope + 64 rope, bf16 after dequantisation
  static constexpr int kDimPerWarp = kDim / kWarps;      // the slice a warp multiplies, in Q K^T and in P V
  static constexpr int kRowBytes = kDim * 2 + 16;        // 16 bytes of padding: 8 rows of ldmatrix hit 32 banks
  static constexpr int kRowsPerWarp = kBlockT / kWarps;  // the tokens a warp gathers and dequantises
  static constexpr int kChunksPerRow = static_cast<int>(KvLayout::kDataBytes) / 16;

  // A stage: the dequantised tile; the raw fp8 bytes land in the upper half of the row that they will become, the rope
  // bytes at their final place (448 + 448 = 896 = 2 * 448).
  static constexpr int kRawOffset = static_cast<int>(KvLayout::kNopeBytes);
  static constexpr int kTileBytes = kBlockT * kRowBytes;
  static constexpr int kScaleOffset = kTileBytes;  // 8 bytes per token
  static constexpr int kValidOffset = kScaleOffset + kBlockT * 8;
  static constexpr int kStageBytes = kValidOffset + kBlockT * 4;

  // Partial scores of each warp: [kWarps][kBlockH][kBlockT + 2] f32; the two padding columns keep float2 reads apart.
  static constexpr int kScoreStride = kBlockT + 2;
  static constexpr int kScoreBytes = kWarps * kBlockH * kScoreStride * 4;

  static constexpr int kQueryBytes = kBlockH * kRowBytes;
  static constexpr int kStageBase = kQueryBytes;
  static constexpr int kScoreBase = kStageBase + kStages * kStageBytes;
  static constexpr int kSharedBytes = kScoreBase + kScoreBytes;

  static_assert(kBlockT % 16 == 0 && kBlockH % 16 == 0 && kBlockT % kWarps == 0 && kDimPerWarp % 16 == 0);
  static_assert(kStageBytes % 16 == 0 && kScoreBase % 16 == 0);
};

}  // namespace smreplay::kernels
