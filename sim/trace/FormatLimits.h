// What a trace or program file may hold. The writer refuses to write more and the reader refuses to read more, so that
// no file, hostile or not, makes the reader take more than about a gigabyte. docs/FORMATS.md lists them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace smreplay::trace {

inline constexpr uint32_t kTraceFormatVersion = 1;
inline constexpr uint32_t kProgramFormatVersion = 1;

inline constexpr size_t kMiB = size_t{1} << 20U;
inline constexpr size_t kMaxHeaderBytes = 16 * kMiB;   // Program and LaunchSpec, uncompressed
inline constexpr size_t kMaxChunkBytes = 64 * kMiB;    // one chunk of CTAs, uncompressed
inline constexpr size_t kChunkTargetBytes = 4 * kMiB;  // a chunk is closed when it holds so much
inline constexpr uint32_t kMaxChunkCtas = 1U << 16U;
inline constexpr uint32_t kMaxInstructions = 1U << 20U;  // static, per Program
inline constexpr uint32_t kMaxWarpsPerCta = 64;
inline constexpr uint64_t kMaxAccessesPerCta = 1U << 23U;   // memory accesses of all warps
inline constexpr uint64_t kMaxPathWordsPerCta = 1U << 24U;  // runs, guard masks and accesses of the paths a CTA defines
inline constexpr uint32_t kMaxPatternsPerCta = 1U << 20U;
inline constexpr uint64_t kMaxWarpSites = 1U << 22U;  // warps x static memory accesses: state of the predictors

// The tables that reader and writer build alike are emptied at the first CTA that finds them larger than this.
inline constexpr uint32_t kModelPatterns = 1U << 18U;
inline constexpr uint64_t kModelPathWords = 1U << 22U;

}  // namespace smreplay::trace
