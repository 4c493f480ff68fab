#include "tools/smreplay/Terms.h"

#include <algorithm>
#include <cctype>

namespace smreplay::tool {
namespace {

constexpr Term kTerms[] = {
#define SMREPLAY_TERM(group, name, others, meaning, advice) {group, name, others, meaning, advice},
#include "tools/smreplay/terms.def"
#undef SMREPLAY_TERM
};

constexpr std::string_view kUnits[] = {" %", " us"};

}  // namespace

std::vector<std::string_view> Term::names() const {
  std::vector<std::string_view> all = {name};
  for (std::string_view rest = others; !rest.empty();) {
    const size_t end = std::min(rest.find('|'), rest.size());
    all.push_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return all;
}

std::span<const Term> all_terms() { return kTerms; }

std::string term_key(std::string_view word) {
  for (const std::string_view unit : kUnits) {
    if (word.ends_with(unit)) word.remove_suffix(unit.size());
  }
  std::string key;
  for (const char c : word) {
    const bool blank = c == ' ' || c == '_' || c == '-' || c == '/';
    if (!blank) {
      key += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!key.empty() && key.back() != ' ') {
      key += ' ';
    }
  }
  if (key.ends_with(' ')) key.pop_back();
  return key;
}

const Term* find_term(std::string_view word) {
  const std::string key = term_key(word);
  for (const Term& term : kTerms) {
    const auto names = term.names();
    if (std::any_of(names.begin(), names.end(), [&key](std::string_view name) { return term_key(name) == key; })) {
      return &term;
    }
  }
  return nullptr;
}

}  // namespace smreplay::tool
