#include "tools/smreplay/Output.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>

#include "sim/trace/OutputFile.h"

namespace smreplay::tool {
namespace {

// The temporary file of this process, for the signal handler: a plain array, because a handler may touch nothing else.
std::array<char, 4096> temporary_in_progress{};

void remove_temporary_and_die(int signal_number) {
  unlink(temporary_in_progress.data());
  std::signal(signal_number, SIG_DFL);
  raise(signal_number);
}

Status write_stdout(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(STDOUT_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EPIPE) return Ok{};  // the reader has seen enough (head, less)
    if (written < 0) {
      return Error{ExitCode::kBadConfiguration, "output-failed",
                   std::string("cannot write the result: ") + std::strerror(errno), "<stdout>"};
    }
    text.remove_prefix(static_cast<size_t>(written));
  }
  return Ok{};
}

}  // namespace

Status write_output(const std::string& output, std::string_view text) {
  if (output == "-") return write_stdout(text);
  remove_on_interrupt(output);
  Result<trace::OutputFile> file = trace::OutputFile::create(output);
  if (!file) return file.error();
  if (Status written = file->write(text); !written) return written;
  return file->commit();
}

Status check_output(const std::string& output) {
  if (output.empty()) {
    return Error{ExitCode::kUsage, "usage", "-o: an empty name; - is stdout", "smreplay"};
  }
  std::error_code ignored;
  const auto type = std::filesystem::status(output, ignored).type();
  using std::filesystem::file_type;
  const bool stays_untouched =
      type != file_type::regular && type != file_type::not_found && type != file_type::directory;
  if (output == "-" || stays_untouched) return Ok{};  // opening a pipe would already be seen at its other end
  const Result<trace::OutputFile> file = trace::OutputFile::create(output);
  return file ? Status(Ok{}) : Status(file.error());
}

void remove_on_interrupt(const std::string& output) {
  const std::string temporary = trace::temporary_name(output);
  if (output == "-" || temporary.size() >= temporary_in_progress.size()) return;
  std::memcpy(temporary_in_progress.data(), temporary.c_str(), temporary.size() + 1);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) std::signal(number, remove_temporary_and_die);
}

}  // namespace smreplay::tool
