// The framing that trace and program files share: an 8-byte magic, a 4-byte version, then records. A record is
//   kind (1 byte), size (4), stored size (4), stored bytes (a zstd frame of `size` bytes), CRC-32 of all these (4)
// with little-endian integers. The CRC is the one of zlib and PNG.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sim/isa/Result.h"
#include "sim/trace/OutputFile.h"

namespace smreplay::trace {

using Magic = std::array<char, 8>;
inline constexpr Magic kTraceMagic = {'S', 'M', 'R', 'T', 'R', 'A', 'C', 'E'};
inline constexpr Magic kProgramMagic = {'S', 'M', 'R', 'P', 'R', 'O', 'G', '\n'};

enum class RecordKind : char { kHeader = 'H', kChunk = 'C', kProgram = 'P', kEnd = 'E' };

class RecordWriter {
 public:
  static Result<RecordWriter> create(const std::string& path, const Magic& magic, uint32_t version);
  Status write(RecordKind kind, std::string_view bytes);
  Status commit() { return file_.commit(); }
  uint64_t size() const { return file_.size(); }  // of the file so far, in bytes

 private:
  explicit RecordWriter(OutputFile file) : file_(std::move(file)) {}
  OutputFile file_;
};

struct Record {
  RecordKind kind = RecordKind::kEnd;
  std::string bytes;
  uint64_t offset = 0;  // of the record in the file
};

// Reads records in one pass. Errors: "file-missing"; "trace-version"; "trace-corrupt" (broken or cut off) with the
// offset.
class RecordReader {
 public:
  static Result<RecordReader> open(const std::string& path, const Magic& magic, uint32_t version);
  RecordReader(RecordReader&& other) noexcept;
  RecordReader& operator=(RecordReader&&) = delete;
  ~RecordReader();

  // The next record, of at most `max_bytes` uncompressed.
  Result<Record> next(size_t max_bytes);
  bool at_end() const { return offset_ == size_; }
  uint64_t offset() const { return offset_; }
  uint64_t size() const { return size_; }
  const std::string& path() const { return path_; }
  Error corrupt(uint64_t offset, const std::string& what) const;

 private:
  RecordReader(std::string path, int descriptor, uint64_t size)
      : path_(std::move(path)), descriptor_(descriptor), size_(size) {}
  Result<std::string> read(size_t bytes);

  std::string path_;
  int descriptor_ = -1;
  uint64_t size_ = 0;    // of the file
  uint64_t offset_ = 0;  // of the next byte
};

}  // namespace smreplay::trace
