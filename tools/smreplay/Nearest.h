// "did you mean": the candidate nearest to a misspelt name, by edit distance.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace smreplay::tool {

// The candidate within a third of the name's length (at least 2 edits) that is nearest; empty where none is near.
std::string nearest(std::string_view name, const std::vector<std::string>& candidates);

// ": did you mean 'x'?" or "", to be put at the end of a message.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace smreplay::tool
