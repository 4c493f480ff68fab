// The table that `smreplay explain` reads has every diagnostic code that the sources raise, and none that they do not.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace smreplay {
namespace {

namespace fs = std::filesystem;

struct Row {
  std::string code, exit, meaning, advice;
};
const std::vector<Row> kTable = {
#define SMREPLAY_DIAGNOSTIC(code, exit, meaning, advice) {code, exit, meaning, advice},
#include "tools/smreplay/diagnostics.def"
#undef SMREPLAY_DIAGNOSTIC
};

std::string all_sources() {
  std::string text;
  for (const char* folder : {"sim", "tools/calibrate", "tools/gpu", "tools/smreplay"}) {
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".cpp" && extension != ".h") continue;
      std::ifstream in(entry.path());
      text.append(std::istreambuf_iterator<char>(in), {});
    }
  }
  return text;
}

// Codes behind what makes an error: Error{ExitCode::kX, "code", Fault{"code", fail("code", ... Codes that are put
// together from a prefix ("launch" + "-syntax") are not seen.
std::set<std::string> raised_codes(const std::string& sources) {
  const std::regex maker(
      R"re((?:Error\{|Fault\{|(?:fail|bad|refuse|error|unknown|tool_error|wrong_input)\()\s*(?:ExitCode::\w+,\s*)?"([a-z0-9]+(?:-[a-z0-9]+)+)")re");
  std::set<std::string> codes;
  for (std::sregex_iterator at(sources.begin(), sources.end(), maker), end; at != end; ++at) codes.insert((*at)[1]);
  return codes;
}

TEST(Diagnostics, EveryRaisedCodeIsExplained) {
  std::set<std::string> known;
  for (const Row& row : kTable) known.insert(row.code);
  const std::set<std::string> raised = raised_codes(all_sources());
  EXPECT_GT(raised.size(), 30U) << "run in the source tree";
  for (const std::string& code : raised) {
    EXPECT_TRUE(known.contains(code)) << "add '" << code << "' to tools/smreplay/diagnostics.def";
  }
}

TEST(Diagnostics, NoRowIsStale) {
  const std::string sources = all_sources();
  for (const Row& row : kTable) {
    const size_t dash = row.code.find('-');
    const bool whole = sources.find('"' + row.code + '"') != std::string::npos;
    const bool suffix =
        dash != std::string::npos && sources.find('"' + row.code.substr(dash) + '"') != std::string::npos;
    EXPECT_TRUE(whole || suffix) << "nothing raises '" << row.code << "' of tools/smreplay/diagnostics.def";
  }
}

TEST(Diagnostics, RowsAreInOrderAndComplete) {
  for (size_t i = 0; i < kTable.size(); ++i) {
    if (i > 0) {
      EXPECT_LT(kTable[i - 1].code, kTable[i].code);
    }
    EXPECT_FALSE(kTable[i].meaning.empty() || kTable[i].advice.empty()) << kTable[i].code;
  }
}

}  // namespace
}  // namespace smreplay
