#include "sim/trace/RecordFile.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/crc.hpp>
#include <cerrno>
#include <cstring>
#include <utility>

#include "sim/trace/Compression.h"

namespace smreplay::trace {

namespace {

constexpr size_t kIntegerBytes = 4;
constexpr size_t kRecordHeadBytes = 1 + 2 * kIntegerBytes;
constexpr uint32_t kByteBits = 8;

std::string little_endian(uint32_t v) {
  std::string bytes;
  for (uint32_t i = 0; i < kIntegerBytes; ++i) bytes.push_back(static_cast<char>(v >> (kByteBits * i) & 255U));
  return bytes;
}

uint32_t from_little_endian(std::string_view bytes) {
  uint32_t v = 0;
  for (uint32_t i = 0; i < kIntegerBytes; ++i) {
    v |= static_cast<uint32_t>(static_cast<uint8_t>(bytes[i])) << (kByteBits * i);
  }
  return v;
}

uint32_t crc(std::string_view head, std::string_view stored) {
  boost::crc_32_type sum;
  sum.process_bytes(head.data(), head.size());
  sum.process_bytes(stored.data(), stored.size());
  return sum.checksum();
}

}  // namespace

Result<RecordWriter> RecordWriter::create(const std::string& path, const Magic& magic, uint32_t version) {
  auto file = OutputFile::create(path);
  if (!file) return file.error();
  if (Status status = file->write(std::string(magic.data(), magic.size()) + little_endian(version)); !status) {
    return status.error();
  }
  return RecordWriter(std::move(*file));
}

Status RecordWriter::write(RecordKind kind, std::string_view bytes) {
  const std::string stored = compress(bytes);
  std::string head(1, static_cast<char>(kind));
  head += little_endian(static_cast<uint32_t>(bytes.size())) + little_endian(static_cast<uint32_t>(stored.size()));
  if (Status status = file_.write(head); !status) return status;
  if (Status status = file_.write(stored); !status) return status;
  return file_.write(little_endian(crc(head, stored)));
}

Result<RecordReader> RecordReader::open(const std::string& path, const Magic& magic, uint32_t version) {
  const auto missing = [&](int number) {
    return Error{ExitCode::kBadInput, "file-missing", std::string("cannot read the file: ") + std::strerror(number),
                 path};
  };
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return missing(errno);
  struct stat status {};
  if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
    ::close(descriptor);
    return missing(S_ISDIR(status.st_mode) ? EISDIR : EINVAL);
  }
  RecordReader reader(path, descriptor, static_cast<uint64_t>(status.st_size));
  auto head = reader.read(magic.size() + kIntegerBytes);
  if (!head) return head.error();
  const std::string_view bytes = *head;
  if (bytes.substr(0, magic.size()) != std::string_view(magic.data(), magic.size())) {
    return reader.corrupt(
        0, "this is no such file: it does not begin with '" + std::string(magic.data(), magic.size() - 1) + "'");
  }
  const uint32_t found = from_little_endian(bytes.substr(magic.size()));
  if (found != version) {
    return Error{ExitCode::kBadInput, "trace-version",
                 "the file has format version " + std::to_string(found) + ", this tool reads version " +
                     std::to_string(version) + "; capture it again with this tool",
                 path};
  }
  return reader;
}

RecordReader::RecordReader(RecordReader&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      size_(other.size_),
      offset_(other.offset_) {}

RecordReader::~RecordReader() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Error RecordReader::corrupt(uint64_t offset, const std::string& what) const {
  return Error{ExitCode::kBadInput, "trace-corrupt", "at byte " + std::to_string(offset) + ": " + what, path_};
}

// Checks against what is left of the file before it takes any memory.
Result<std::string> RecordReader::read(size_t bytes) {
  if (bytes > size_ - offset_) {
    return corrupt(offset_, "the file is cut off: " + std::to_string(bytes) + " bytes expected, " +
                                std::to_string(size_ - offset_) + " left");
  }
  std::string data(bytes, '\0');
  for (size_t done = 0; done < bytes;) {
    const ssize_t got = ::read(descriptor_, data.data() + done, bytes - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return corrupt(offset_ + done, std::string("cannot read on: ") + std::strerror(errno));
    if (got == 0) return corrupt(offset_ + done, "the file was cut off while it was read");
    done += static_cast<size_t>(got);
  }
  offset_ += bytes;
  return data;
}

Result<Record> RecordReader::next(size_t max_bytes) {
  Record record;
  record.offset = offset_;
  auto head = read(kRecordHeadBytes);
  if (!head) return head.error();
  record.kind = static_cast<RecordKind>(head->front());
  const uint32_t size = from_little_endian(head->substr(1));
  const uint32_t stored_size = from_little_endian(head->substr(1 + kIntegerBytes));
  if (size > max_bytes) {
    return corrupt(record.offset, "a record of " + std::to_string(size) + " bytes is declared, more than " +
                                      std::to_string(max_bytes));
  }
  if (stored_size > compressed_bound(size)) {
    return corrupt(record.offset, "a record is declared larger compressed than any of its size can be");
  }
  auto stored = read(stored_size);
  if (!stored) return stored.error();
  auto sum = read(kIntegerBytes);
  if (!sum) return sum.error();
  if (from_little_endian(*sum) != crc(*head, *stored)) return corrupt(record.offset, "the record's checksum is wrong");
  auto bytes = decompress(*stored, size);
  if (!bytes) return corrupt(record.offset, bytes.error().message);
  record.bytes = std::move(*bytes);
  return record;
}

}  // namespace smreplay::trace
