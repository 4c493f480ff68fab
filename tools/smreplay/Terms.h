// The words that the tables print and `explain` knows, apart from stall reasons and diagnostic codes (terms.def).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace smreplay::tool {

struct Term {
  std::string_view group;   // where the word is printed: "run, report", "diff"
  std::string_view name;    // as it is listed
  std::string_view others;  // other names, separated by '|'
  std::string_view meaning, advice;

  // The name, then the others.
  std::vector<std::string_view> names() const;
};

// In the order of terms.def: those of a group are together.
std::span<const Term> all_terms();

// A word without what differs from table to table: lower case, one blank for '_', '-' and '/', no unit behind it
// ("tail %", "split us").
std::string term_key(std::string_view word);

// By key, of any of its names; null: none.
const Term* find_term(std::string_view word);

}  // namespace smreplay::tool
