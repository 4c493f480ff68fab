// Runs the cases of *.case against the built binary: exit code, messages, and that nothing but the announced files is
// left behind. CliCase.h documents the format.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>

#include "tests/cases/cli/CliCase.h"

namespace smreplay::tests {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kTimeLimitSeconds = 300;

struct Outcome {
  int exit = -1;  // 128 + n: killed by signal n
  std::string out, err;
};

std::string read_all(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Never returns: the child becomes the tool.
[[noreturn]] void become_tool(const CliCase& c, const fs::path& folder, const fs::path& out, const fs::path& err,
                              int repetition) {
  std::vector<std::string> words = words_of(substituted(c.run, repetition));
  words.insert(words.begin(), "smreplay");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const std::string stdout_name = c.stdout_to.empty() ? out.string() : c.stdout_to;
  dup2(open(stdout_name.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644), STDOUT_FILENO);
  dup2(open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644), STDERR_FILENO);
  if (chdir(folder.c_str()) != 0) _exit(127);
  if (c.file_limit > 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{c.file_limit, c.file_limit};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  alarm(kTimeLimitSeconds);
  setenv("SMREPLAY_DATA", SMREPLAY_SOURCE_FOLDER, 1);
  setenv("XDG_CACHE_HOME", (folder.string() + ".cache").c_str(), 1);
  execv(SMREPLAY_BINARY, arguments.data());
  _exit(127);
}

Outcome run(const CliCase& c, const fs::path& folder, int repetition) {
  const fs::path out = folder.string() + ".out";
  const fs::path err = folder.string() + ".err";
  const pid_t child = fork();
  if (child == 0) become_tool(c, folder, out, err, repetition);
  int status = 0;
  waitpid(child, &status, 0);
  Outcome outcome;
  outcome.exit = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  outcome.out = read_all(out);
  outcome.err = read_all(err);
  fs::remove(out);
  fs::remove(err);
  fs::remove_all(folder.string() + ".cache");
  return outcome;
}

std::set<std::string> files_in(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    names.insert(fs::relative(entry.path(), folder).string());
  }
  return names;
}

void expect_patterns(const std::vector<std::string>& patterns, const std::string& text, const char* stream) {
  for (const std::string& pattern : patterns) {
    EXPECT_TRUE(std::regex_search(text, std::regex(pattern, std::regex::ECMAScript | std::regex::multiline)))
        << stream << " does not match " << pattern << ":\n"
        << text.substr(0, 2000);
  }
}

class CliCaseTest : public testing::Test {
 public:
  explicit CliCaseTest(CliCase c) : case_(std::move(c)) {}

  void TestBody() override {
    if (!case_.needs.empty() && !fs::exists(substituted(case_.needs, 0))) GTEST_SKIP() << case_.needs << " is absent";
    for (int i = 0; i < case_.repeat && !HasFailure(); ++i) run_once(i);
  }

 private:
  void run_once(int repetition) {
    SCOPED_TRACE(case_.file + ":" + std::to_string(case_.line) + ", repetition " + std::to_string(repetition));
    std::string pattern = (fs::temp_directory_path() / "smreplay-cli-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    const fs::path folder = fs::path(pattern) / "work";
    fs::create_directory(folder);
    for (const std::string& command : case_.setup) prepare(folder, command, repetition);
    std::set<std::string> expected = files_in(folder);
    expected.insert(case_.creates.begin(), case_.creates.end());
    const Outcome outcome = run(case_, folder, repetition);
    if (outcome.exit == 0) expected.insert(case_.creates_if_done.begin(), case_.creates_if_done.end());
    EXPECT_TRUE(std::find(case_.exits.begin(), case_.exits.end(), outcome.exit) != case_.exits.end())
        << "exit code " << outcome.exit << "\n"
        << outcome.err.substr(0, 2000);
    expect_patterns(case_.stderr_patterns, outcome.err, "stderr");
    expect_patterns(case_.stdout_patterns, outcome.out, "stdout");
    EXPECT_EQ(files_in(folder), expected) << "files left in the working folder";
    fs::remove_all(pattern);
  }

  CliCase case_;
};

}  // namespace
}  // namespace smreplay::tests

int main(int argc, char** argv) {
  using smreplay::tests::CliCase;
  testing::InitGoogleTest(&argc, argv);
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(SMREPLAY_CASES_FOLDER)) {
    if (entry.path().extension() == ".case") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    for (const CliCase& c : smreplay::tests::read_cases(file)) {
      testing::RegisterTest(file.stem().string().c_str(), c.name.c_str(), nullptr, nullptr, c.file.c_str(), c.line,
                            [c]() -> testing::Test* { return new smreplay::tests::CliCaseTest(c); });
    }
  }
  return RUN_ALL_TESTS();
}
