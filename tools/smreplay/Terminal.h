// Where messages go: results to stdout, progress, warnings and errors to stderr. Colour and redrawn lines appear only
// where a person looks at them.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "sim/isa/Result.h"

namespace smreplay::tool {

class Terminal {
 public:
  // `color` is auto, always or never; auto means a terminal, and no NO_COLOR in the environment.
  void configure(std::string_view color, bool quiet);

  bool color_on_stdout() const { return color_on_stdout_; }
  bool quiet() const { return quiet_; }
  bool redraws() const { return redraws_; }  // stderr is a terminal

  void error(const Error& error) const;
  void warning(std::string_view text) const;  // dropped by --quiet
  void note(std::string_view text) const;     // dropped by --quiet

 private:
  bool color_on_stdout_ = false;
  bool color_on_stderr_ = false;
  bool redraws_ = false;
  bool quiet_ = false;
};

// One line on stderr that is rewritten in place: "emulate 42 %, 0:13 left". Without a terminal (a log) a line of its
// own every half minute. Silent with --quiet.
class Progress {
 public:
  Progress(const Terminal& terminal, std::string label);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `done` of `total`, same unit; total 0 is not known yet. Cheap to call often.
  void update(uint64_t done, uint64_t total);

  // Removes the line, before anything else is written.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  std::string label_;
  bool active_, redraws_;
  bool drawn_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_;
};

}  // namespace smreplay::tool
