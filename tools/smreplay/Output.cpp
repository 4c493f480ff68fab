#include "tools/smreplay/Output.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

namespace smreplay::tool {
namespace fs = std::filesystem;
namespace {

Error not_written(const std::string& name, int number) {
  std::string advice;
  if (number == ENOSPC || number == EDQUOT) advice = ": free some space or choose another place with -o";
  if (number == EACCES || number == EROFS || number == EPERM) advice = ": choose a place you may write to with -o";
  if (number == ENOENT || number == ENOTDIR) advice = ": create the folder first";
  return Error{ExitCode::kUsage, "output-not-written",
               "cannot write the output: " + std::string(std::strerror(number)) + advice, name};
}

// The one temporary file of this process, for the signal handler: a plain array, because a handler may touch nothing
// else.
std::array<char, 4096> temporary_in_progress{};

void remove_temporary_and_die(int signal_number) {
  if (temporary_in_progress[0] != '\0') unlink(temporary_in_progress.data());
  std::signal(signal_number, SIG_DFL);
  raise(signal_number);
}

void watch_signals(const std::string& temporary) {
  if (temporary.size() >= temporary_in_progress.size()) return;
  std::memcpy(temporary_in_progress.data(), temporary.c_str(), temporary.size() + 1);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) std::signal(number, remove_temporary_and_die);
}

// errno, or 0.
int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<size_t>(written));
  }
  return 0;
}

}  // namespace

OutputFile::OutputFile(fs::path target)
    : target_(std::move(target)),
      temporary_(target_.parent_path() /
                 ("." + target_.filename().string() + "." + std::to_string(getpid()) + ".tmp")) {
  watch_signals(temporary_.string());
}

OutputFile::~OutputFile() {
  temporary_in_progress[0] = '\0';
  if (temporary_.empty()) return;
  std::error_code ignored;
  fs::remove(temporary_, ignored);
}

Status OutputFile::commit() {
  std::error_code error;
  fs::rename(temporary_, target_, error);
  if (error) return not_written(target_.string(), error.value());
  temporary_.clear();
  return Ok{};
}

Status write_output(const std::string& output, std::string_view text) {
  if (output == "-") {
    const int number = write_all(STDOUT_FILENO, text);
    if (number == EPIPE) return Ok{};  // the reader has seen enough (head, less)
    if (number != 0) return not_written("<stdout>", number);
    return Ok{};
  }
  // What is not a regular file (a pipe, /dev/null) is written directly: it has no final name to be renamed to.
  std::error_code ignored;
  const bool special = fs::exists(output, ignored) && !fs::is_regular_file(output, ignored);
  OutputFile file(output);
  const std::string name = special ? output : file.temporary().string();
  const int descriptor = open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) return not_written(output, errno);
  int number = write_all(descriptor, text);
  if (number == 0 && !special && fsync(descriptor) != 0) number = errno;
  if (close(descriptor) != 0 && number == 0) number = errno;
  if (number != 0) return not_written(output, number);
  return special ? Status(Ok{}) : file.commit();
}

}  // namespace smreplay::tool
