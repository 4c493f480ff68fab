// What was left out, and why: one line for each reason instead of one for each launch.
//
//   the binary here is not the one that was measured (14): plain331 v1 C1, plain331 v1 C8, plain331 v1 C96 and 11 more
#pragma once

#include <string>
#include <vector>

namespace smreplay::tool {

struct Note {
  std::string subject, reason;
  std::string text() const { return subject + ": " + reason; }
  bool operator==(const Note&) const = default;
};

// Lines without a newline, in the order in which the reasons first occurred; equal notes count once.
std::vector<std::string> grouped(const std::vector<Note>& notes);

}  // namespace smreplay::tool
