// One case of the command line, as read from a .case file: what to prepare, what to run, what must come out.
//
//   case: a truncated trace is refused        name; starts a new case
//   setup: truncate {data}/isa_traces/x.trace 40% t.trace
//   run: trace check t.trace                  arguments of smreplay, split at spaces; "..." keeps spaces
//   exit: 4                                   alternatives: 0|4
//   stderr: ^t\.trace.*\[trace-               regular expression, found somewhere; may stand several times
//   stdout: ...                               the same for stdout
//   creates: out.json                         a file that must be there afterwards; any other new file is a failure
//   creates-if-done: k.program                the same where the exit code is 0
//   stdout-to: /dev/full                      where stdout goes instead
//   file-limit: 4096                          bytes after which writing a file fails, as on a full disk
//   repeat: 64                                runs the case so often, {i} = 0, 1, ...
//   needs: {data}/isa_traces/x.trace          the case is skipped where this file is absent
//
// Each run has an empty working folder of its own. {data} is the source tree, {i} the repetition.
// Setup commands: copy SRC DST; truncate SRC N|N% DST; flip SRC N|N% DST (one bit, chosen by {i}); write DST TEXT;
// json DST TEXT (with ' for "); folder DST.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace smreplay::tests {

struct CliCase {
  std::string file;
  int line = 0;
  std::string name;
  std::vector<std::string> setup;
  std::string run;
  std::vector<int> exits;
  std::vector<std::string> stderr_patterns;
  std::vector<std::string> stdout_patterns;
  std::vector<std::string> creates;
  std::vector<std::string> creates_if_done;
  std::string stdout_to;
  uint64_t file_limit = 0;  // 0: none
  int repeat = 1;
  std::string needs;
};

// Throws std::runtime_error with file and line on a malformed case file.
std::vector<CliCase> read_cases(const std::filesystem::path& file);

// Words at spaces; double quotes keep spaces.
std::vector<std::string> words_of(const std::string& text);

// Replaces {data} and {i}.
std::string substituted(std::string text, int repetition);

// Carries out one setup line in `folder`. Throws std::runtime_error.
void prepare(const std::filesystem::path& folder, const std::string& command, int repetition);

}  // namespace smreplay::tests
