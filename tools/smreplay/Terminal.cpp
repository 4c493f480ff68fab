#include "tools/smreplay/Terminal.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace smreplay::tool {
namespace {

constexpr auto kRedrawInterval = std::chrono::milliseconds(200);
constexpr auto kLogInterval = std::chrono::seconds(30);
constexpr auto kFirstDraw = std::chrono::milliseconds(500);  // short work shows no progress at all
constexpr const char* kEraseLine = "\r\033[K";

constexpr const char* kRed = "\033[1;31m";
constexpr const char* kYellow = "\033[1;33m";
constexpr const char* kReset = "\033[0m";

void to_stderr(const std::string& text) { std::fputs(text.c_str(), stderr); }

// Messages quote what stands in files. What a terminal would obey is not passed on.
std::string printable(std::string text) {
  constexpr char kDelete = 0x7f;
  for (char& c : text) {
    const bool control = (c >= 0 && c < ' ') || c == kDelete;
    if (control && c != '\n' && c != '\t') c = '?';
  }
  return text;
}

}  // namespace

void Terminal::configure(std::string_view color, bool quiet) {
  const char* no_color = std::getenv("NO_COLOR");
  const bool allowed = color == "always" || (color == "auto" && (no_color == nullptr || *no_color == '\0'));
  const bool forced = color == "always";
  color_on_stdout_ = allowed && (forced || isatty(STDOUT_FILENO) != 0);
  color_on_stderr_ = allowed && (forced || isatty(STDERR_FILENO) != 0);
  redraws_ = isatty(STDERR_FILENO) != 0;
  quiet_ = quiet;
}

void Terminal::error(const Error& error) const {
  std::string text = printable(error.text());
  if (color_on_stderr_) {
    const size_t at = text.find("error:");
    if (at != std::string::npos) text.replace(at, 6, fmt::format("{}error:{}", kRed, kReset));
  }
  to_stderr(text + "\n");
}

void Terminal::warning(std::string_view text) const {
  if (quiet_) return;
  to_stderr(color_on_stderr_ ? fmt::format("{}warning:{} {}\n", kYellow, kReset, text)
                             : fmt::format("warning: {}\n", text));
}

void Terminal::note(std::string_view text) const {
  if (!quiet_) to_stderr(fmt::format("{}\n", text));
}

Progress::Progress(const Terminal& terminal, std::string label)
    : label_(std::move(label)),
      active_(!terminal.quiet()),
      redraws_(terminal.redraws()),
      last_(redraws_ ? start_ + kFirstDraw - kRedrawInterval : start_) {}

Progress::~Progress() { finish(); }

void Progress::finish() {
  if (drawn_ && redraws_) to_stderr(kEraseLine);
  drawn_ = false;
}

void Progress::update(uint64_t done, uint64_t total) {
  if (!active_) return;
  const Clock::time_point now = Clock::now();
  if (now - last_ < (redraws_ ? Clock::duration(kRedrawInterval) : Clock::duration(kLogInterval))) return;
  last_ = now;
  drawn_ = true;
  std::string line = fmt::format("{} {}", label_, done);
  if (total > 0 && done > 0) {
    const double elapsed = std::chrono::duration<double>(now - start_).count();
    const double share = static_cast<double>(done) / static_cast<double>(total);
    const auto left = static_cast<uint64_t>(std::lround(elapsed / share - elapsed));
    line = fmt::format("{} {:.0f} %, {}:{:02} left", label_, 100 * share, left / 60, left % 60);
  }
  to_stderr(redraws_ ? kEraseLine + line : line + "\n");
}

}  // namespace smreplay::tool
