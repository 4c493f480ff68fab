#include "sim/trace/OutputFile.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace smreplay::trace {

namespace {
Error output_error(const std::string& path, const std::string& what, int number) {
  return Error{
      ExitCode::kBadConfiguration, "output-failed",
      what + ": " + std::strerror(number) + "; nothing was left behind, choose another place or free some room", path};
}
}  // namespace

std::string temporary_name(const std::string& path) {
  const pid_t process = getpid(), thread = gettid();
  return path + ".tmp-" + std::to_string(process) + (thread == process ? "" : "-" + std::to_string(thread));
}

Result<OutputFile> OutputFile::create(const std::string& path) {
  constexpr mode_t kMode = 0666;  // reduced by the process's umask
  struct stat status {};
  const bool direct = stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
  const std::string temporary = direct ? "" : temporary_name(path);
  const int flags = direct ? O_WRONLY | O_CLOEXEC : O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;
  const int descriptor = open(direct ? path.c_str() : temporary.c_str(), flags, kMode);
  if (descriptor < 0) return output_error(path, "cannot create the file", errno);
  return OutputFile(path, temporary, descriptor);
}

OutputFile::OutputFile(std::string path, std::string temporary, int descriptor)
    : path_(std::move(path)), temporary_(std::move(temporary)), descriptor_(descriptor) {}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)),
      size_(other.size_) {}

OutputFile::~OutputFile() { discard(); }

void OutputFile::discard() {
  if (descriptor_ >= 0) close(std::exchange(descriptor_, -1));
  if (!temporary_.empty()) unlink(std::exchange(temporary_, {}).c_str());
}

Error OutputFile::failed(const std::string& what) {
  const int number = errno;
  discard();
  return output_error(path_, what, number);
}

Status OutputFile::write(std::string_view bytes) {
  size_ += bytes.size();
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return failed("cannot write the file");
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return Ok{};
}

Status OutputFile::commit() {
  // A full medium may only tell when the file is closed.
  if (close(std::exchange(descriptor_, -1)) != 0) return failed("cannot close the file");
  if (temporary_.empty()) return Ok{};
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) return failed("cannot rename the finished file");
  temporary_.clear();
  return Ok{};
}

}  // namespace smreplay::trace
