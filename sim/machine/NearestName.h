// The name that a mistyped one probably meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace smreplay::machine {

// The candidate that differs in case only, else that of least edit distance (ties: first; two neighbours swapped are
// one edit), or empty where even that one differs in more than half of its letters.
std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);

// "; did you mean 'X'?" or nothing: the end of an error message about an unknown name.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace smreplay::machine
