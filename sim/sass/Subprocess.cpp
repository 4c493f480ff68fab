// posix_spawn with two pipes and a deadline.
#include "sim/sass/Subprocess.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

namespace smreplay::sass {
namespace {

constexpr size_t kMaxOutputBytes = size_t{1} << 30U;
constexpr size_t kChunkBytes = size_t{64} << 10U;
constexpr int kSignalBase = 128;

Error fail(std::string code, std::string message) {
  return Error{ExitCode::kBadInput, std::move(code), std::move(message), {}, 0, 0};
}

class Pipe {
 public:
  Pipe() { valid_ = ::pipe2(ends_.data(), O_CLOEXEC) == 0; }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  bool valid() const { return valid_; }
  int read_end() const { return ends_[0]; }
  int write_end() const { return ends_[1]; }
  void close_end(size_t end) {
    if (ends_[end] >= 0) ::close(ends_[end]);
    ends_[end] = -1;
  }

 private:
  std::array<int, 2> ends_{-1, -1};
  bool valid_ = false;
};

class FileActions {
 public:
  FileActions() { ::posix_spawn_file_actions_init(&actions_); }
  ~FileActions() { ::posix_spawn_file_actions_destroy(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  posix_spawn_file_actions_t* get() { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

enum class Drained { kEnd, kTimeout, kTooMuch };

// Reads both pipes until the process closes them.
Drained drain(Pipe& out, Pipe& err, std::chrono::steady_clock::time_point deadline, ProcessOutput& output) {
  std::array<char, kChunkBytes> chunk;
  while (out.read_end() >= 0 || err.read_end() >= 0) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
    if (left <= 0) return Drained::kTimeout;
    std::array<pollfd, 2> fds{pollfd{out.read_end(), POLLIN, 0}, pollfd{err.read_end(), POLLIN, 0}};
    const int ready = ::poll(fds.data(), fds.size(), static_cast<int>(std::min<long>(left, 1000)));
    if (ready < 0 && errno != EINTR) return Drained::kEnd;
    for (size_t i = 0; i < fds.size() && ready > 0; ++i) {
      if (fds[i].fd < 0 || fds[i].revents == 0) continue;
      Pipe& pipe = i == 0 ? out : err;
      std::string& text = i == 0 ? output.standard_output : output.standard_error;
      const ssize_t n = ::read(fds[i].fd, chunk.data(), chunk.size());
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) {
        pipe.close_end(0);
        continue;
      }
      text.append(chunk.data(), static_cast<size_t>(n));
      if (text.size() > kMaxOutputBytes) return Drained::kTooMuch;
    }
  }
  return Drained::kEnd;
}

int wait_for(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : kSignalBase + WTERMSIG(status);
}

}  // namespace

Result<ProcessOutput> run_process(const std::vector<std::string>& arguments, std::chrono::milliseconds timeout) {
  const std::string& path = arguments.front();
  Pipe out;
  Pipe err;
  if (!out.valid() || !err.valid()) return fail("process-failed", fmt::format("no pipe: {}", std::strerror(errno)));

  FileActions actions;
  ::posix_spawn_file_actions_addopen(actions.get(), STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(actions.get(), out.write_end(), STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(actions.get(), err.write_end(), STDERR_FILENO);

  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  std::array<char*, 1> environment{nullptr};

  pid_t pid = 0;
  const int spawned = ::posix_spawn(&pid, path.c_str(), actions.get(), nullptr, argv.data(), environment.data());
  if (spawned != 0) {
    return fail("process-missing", fmt::format("cannot run '{}': {}", path, std::strerror(spawned)));
  }
  out.close_end(1);
  err.close_end(1);

  ProcessOutput output;
  const Drained drained = drain(out, err, std::chrono::steady_clock::now() + timeout, output);
  if (drained != Drained::kEnd) ::kill(pid, SIGKILL);
  output.exit_status = wait_for(pid);
  if (drained == Drained::kTimeout) {
    return fail("process-timeout", fmt::format("'{}' ran longer than {} ms and was stopped", path, timeout.count()));
  }
  if (drained == Drained::kTooMuch) {
    return fail("process-output",
                fmt::format("'{}' printed more than {} bytes and was stopped", path, kMaxOutputBytes));
  }
  return output;
}

std::string last_lines(const std::string& text, size_t lines) {
  const size_t last = text.find_last_not_of('\n');
  if (last == std::string::npos) return {};
  size_t begin = last + 1;
  for (size_t i = 0; i < lines && begin > 0; ++i) {
    if (i > 0) --begin;  // over the newline before
    const size_t newline = begin == 0 ? std::string::npos : text.rfind('\n', begin - 1);
    begin = newline == std::string::npos ? 0 : newline + 1;
  }
  return text.substr(begin, last + 1 - begin);
}

}  // namespace smreplay::sass
