#include "sim/trace/Compression.h"

#include <zstd.h>

#include <memory>
#include <stdexcept>

namespace smreplay::trace {

namespace {
constexpr int kLevel = 19;
constexpr int kWindowLog = 24;  // covers a chunk many times over; the frame's window is never larger than its content

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};
}  // namespace

std::string compress(std::string_view bytes) {
  const std::unique_ptr<ZSTD_CCtx, FreeContext> context(ZSTD_createCCtx());
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, kLevel);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_windowLog, kWindowLog);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  std::string frame(ZSTD_compressBound(bytes.size()), '\0');
  const size_t size = ZSTD_compress2(context.get(), frame.data(), frame.size(), bytes.data(), bytes.size());
  // With room for the bound, compression can only fail for want of memory.
  if (ZSTD_isError(size) != 0) throw std::bad_alloc();
  frame.resize(size);
  return frame;
}

size_t compressed_bound(size_t size) { return ZSTD_compressBound(size); }

Result<std::string> decompress(std::string_view frame, size_t size) {
  const auto corrupt = [](const std::string& what) {
    return Error{ExitCode::kBadInput, "trace-corrupt", "a compressed record " + what, {}};
  };
  if (ZSTD_getFrameContentSize(frame.data(), frame.size()) != size) return corrupt("does not have its declared size");
  if (ZSTD_findFrameCompressedSize(frame.data(), frame.size()) != frame.size()) return corrupt("is not one frame");
  std::string bytes(size, '\0');
  const size_t got = ZSTD_decompress(bytes.data(), bytes.size(), frame.data(), frame.size());
  if (ZSTD_isError(got) != 0) return corrupt(std::string("is broken: ") + ZSTD_getErrorName(got));
  if (got != size) return corrupt("does not have its declared size");
  return bytes;
}

}  // namespace smreplay::trace
