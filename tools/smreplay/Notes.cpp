#include "tools/smreplay/Notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace smreplay::tool {
namespace {

constexpr size_t kNamed = 4;  // subjects that are named; JSON lists all of them

using Group = std::pair<std::string, std::vector<std::string>>;  // reason, subjects

std::string line_of(const Group& group) {
  const auto& [reason, subjects] = group;
  if (subjects.size() == 1) return Note{subjects.front(), reason}.text();
  const size_t named = std::min(kNamed, subjects.size());
  const std::vector<std::string> first(subjects.begin(), subjects.begin() + static_cast<std::ptrdiff_t>(named));
  std::string line = fmt::format("{} ({}): {}", reason, subjects.size(), fmt::join(first, ", "));
  if (named < subjects.size()) line += fmt::format(" and {} more", subjects.size() - named);
  return line;
}

}  // namespace

std::vector<std::string> grouped(const std::vector<Note>& notes) {
  std::vector<Group> groups;
  for (const Note& note : notes) {
    auto group = std::find_if(groups.begin(), groups.end(), [&note](const Group& g) { return g.first == note.reason; });
    if (group == groups.end()) group = groups.insert(groups.end(), {note.reason, {}});
    auto& subjects = group->second;
    if (std::find(subjects.begin(), subjects.end(), note.subject) == subjects.end()) subjects.push_back(note.subject);
  }
  std::vector<std::string> lines;
  for (const Group& group : groups) lines.push_back(line_of(group));
  return lines;
}

}  // namespace smreplay::tool
