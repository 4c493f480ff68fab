// `smreplay explain` knows every heading and label that the tables print. The words are taken from the sources of the
// views, so that a new column needs its explanation.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tools/smreplay/Terms.h"

namespace smreplay::tool {
namespace {

const std::vector<std::string> kStalls = {
#define SMREPLAY_STALL(name, metric, meaning, advice) name,
#include "tools/smreplay/stall_reasons.def"
#undef SMREPLAY_STALL
};

constexpr const char* kViews[] = {
    "sim/attribution/DiffFacts.cpp",   "sim/attribution/DiffLoops.cpp",       "sim/views/DiffStaticText.cpp",
    "sim/views/DiffText.cpp",          "sim/views/TextSummary.cpp",           "tools/smreplay/ArithmeticText.cpp",
    "tools/smreplay/Carveout.cpp",     "tools/smreplay/ConfirmationText.cpp", "tools/smreplay/ExperimentText.cpp",
    "tools/smreplay/IntervalText.cpp", "tools/smreplay/OccupancyVerb.cpp",    "tools/smreplay/StepText.cpp",
    "tools/smreplay/TraceVerb.cpp"};

std::string text_of(const std::string& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

// What the first group of `pattern` holds, wherever it occurs.
std::vector<std::string> found(const std::string& text, const char* pattern) {
  const std::regex regex(pattern);
  std::vector<std::string> groups;
  for (std::sregex_iterator at(text.begin(), text.end(), regex), end; at != end; ++at) groups.push_back((*at)[1]);
  return groups;
}

std::set<std::string> labels_of(const std::string& source) {
  std::set<std::string> labels;
  const auto add_literals = [&labels](const std::string& list) {
    for (const std::string& word : found(list, R"re("([^"\\]*)")re")) labels.insert(word);
  };
  // Headings of columns: TextTable's header({...}), ExperimentGrid's second list, vectors named header.
  for (const char* pattern :
       {R"re(header\(\{([^}]*)\})re", R"re(Align::k\w+\s*\}\s*,\s*\{([^}]*)\})re", R"re(header = \{([^}]*)\})re",
        R"re(kMnemonics = \{([^}]*)\})re", R"re(header\.insert\(header\.end\(\), \{([^}]*)\})re",
        R"re(header\.emplace_back\(([^)]*)\))re"}) {
    for (const std::string& list : found(source, pattern)) add_literals(list);
  }
  // Pipes, by name of what executes an instruction.
  for (const std::string& word : found(source, R"re(return "([a-z0-9 ]+)";)re")) labels.insert(word);
  // Names of rows, and the words at the left of a line.
  for (const char* pattern : {R"re(\.(?:row|count|of_loop)\(\s*"([^"\\]+)")re", R"re(row\(\s*\{"([^"\\]+)")re",
                              R"re(\b(?:fact|count)\("([^"\\]+)")re", R"re("([A-Za-z]+) {2,}\{)re",
                              R"re("([A-Z][a-z]+) {3,})re", R"re(\{"([^"\\]+)", empty\.)re"}) {
    for (const std::string& word : found(source, pattern)) labels.insert(word);
  }
  labels.erase("");
  return labels;
}

bool is_known(const std::string& label) {
  const std::string key = term_key(label);
  return find_term(label) != nullptr ||
         std::any_of(kStalls.begin(), kStalls.end(), [&](const std::string& name) { return term_key(name) == key; });
}

TEST(Terms, EveryLabelIsExplained) {
  size_t labels = 0;
  for (const char* view : kViews) {
    const std::set<std::string> of_view = labels_of(text_of(view));
    EXPECT_FALSE(of_view.empty()) << view << ": run in the source tree";
    labels += of_view.size();
    for (const std::string& label : of_view) {
      if (std::none_of(label.begin(), label.end(),
                       [](char c) { return std::isalpha(static_cast<unsigned char>(c)); })) {
        continue;
      }
      EXPECT_TRUE(is_known(label)) << "'" << label << "' of " << view << ": add it to tools/smreplay/terms.def";
    }
  }
  EXPECT_GT(labels, 120U);
}

TEST(Terms, WordsInNewcomersQuestionsAreExplained) {
  for (const char* word : {"Tail", "Waves", "Waits", "queue", "L1/shared", "L2", "DRAM", "unit", "issue slots",
                           "empty slots", "one or more eligible", "p90", "latency percentiles", "sectors/request"}) {
    EXPECT_TRUE(is_known(word)) << word;
  }
}

TEST(Terms, NamesAreOnceInTheList) {
  std::set<std::string> keys;
  for (const Term& term : all_terms()) {
    std::set<std::string> own;
    for (const std::string_view name : term.names()) {
      EXPECT_FALSE(name.empty()) << term.name;
      own.insert(term_key(name));
    }
    for (const std::string& key : own) EXPECT_TRUE(keys.insert(key).second) << key << " stands twice";
    EXPECT_FALSE(term.meaning.empty() || term.advice.empty()) << term.name;
  }
  for (const std::string& stall : kStalls) EXPECT_FALSE(keys.contains(term_key(stall))) << stall << " is a state, too";
}

TEST(Terms, GroupsAreTogether) {
  std::set<std::string_view> seen;
  std::string_view last;
  for (const Term& term : all_terms()) {
    if (term.group != last) {
      EXPECT_TRUE(seen.insert(term.group).second) << term.group;
    }
    last = term.group;
  }
}

TEST(Terms, KeysIgnoreCaseSeparatorsAndUnits) {
  EXPECT_EQ(term_key("L1/shared"), term_key("l1_shared"));
  EXPECT_EQ(term_key("Tail %"), "tail");
  EXPECT_EQ(term_key("split us"), "split");
  EXPECT_EQ(find_term("no such word"), nullptr);
}

}  // namespace
}  // namespace smreplay::tool
