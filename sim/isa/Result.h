// Errors at the boundaries: what is wrong, where, and which exit code the tool ends with.
//
// A boundary function returns Result<T>. Inside the cycle loop invariants are checked (see sim/engine/Invariant.h), not
// thrown. The library never prints and never exits.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace smreplay {

// The tool's exit codes (docs/INTERFACE.md).
enum class ExitCode : int {
  kDone = 0,
  kGateFailed = 1,
  kUsage = 2,
  kBadConfiguration = 3,  // also a launch that no limit of the machine allows
  kBadInput = 4,          // bad or unsupported trace or cubin
  kModelLimit = 5,        // deadlock, cycle cap
  kNoGpu = 6,
  kInvariantBroken = 70,
};

struct Error {
  ExitCode exit = ExitCode::kBadInput;
  std::string code;       // stable diagnostic code, e.g. "cubin-truncated"
  std::string message;    // what is wrong and what to do
  std::string file = {};  // empty: no file
  int line = 0;           // 1-based; 0: unknown
  int column = 0;         // 1-based; 0: unknown

  // "file:line:col: error: message [code]"
  std::string text() const {
    std::string where = file;
    if (!where.empty() && line > 0) where += ":" + std::to_string(line);
    if (!where.empty() && column > 0) where += ":" + std::to_string(column);
    if (!where.empty()) where += ": ";
    return where + "error: " + message + " [" + code + "]";
  }
};

struct Ok {};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : state_(std::move(error)) {}  // NOLINT(google-explicit-constructor)
  explicit operator bool() const { return state_.index() == 0; }
  T& operator*() { return std::get<0>(state_); }
  const T& operator*() const { return std::get<0>(state_); }
  T* operator->() { return &std::get<0>(state_); }
  const T* operator->() const { return &std::get<0>(state_); }
  const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

using Status = Result<Ok>;

}  // namespace smreplay
