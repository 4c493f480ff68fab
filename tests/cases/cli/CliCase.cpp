#include "tests/cases/cli/CliCase.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <stdexcept>

namespace smreplay::tests {
namespace fs = std::filesystem;
namespace {

std::string trimmed(const std::string& text) {
  const size_t first = text.find_first_not_of(" \t");
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

[[noreturn]] void malformed(const fs::path& file, int line, const std::string& what) {
  throw std::runtime_error(file.string() + ":" + std::to_string(line) + ": " + what);
}

void assign(CliCase& c, const std::string& key, const std::string& value, const fs::path& file, int line) {
  if (key == "setup") {
    c.setup.push_back(value);
  } else if (key == "run") {
    c.run = value;
  } else if (key == "exit") {
    std::istringstream alternatives(value);
    for (std::string code; std::getline(alternatives, code, '|');) c.exits.push_back(std::stoi(code));
  } else if (key == "stderr") {
    c.stderr_patterns.push_back(value);
  } else if (key == "stdout") {
    c.stdout_patterns.push_back(value);
  } else if (key == "creates") {
    c.creates.push_back(value);
  } else if (key == "creates-if-done") {
    c.creates_if_done.push_back(value);
  } else if (key == "stdout-to") {
    c.stdout_to = value;
  } else if (key == "file-limit") {
    c.file_limit = std::stoull(value);
  } else if (key == "repeat") {
    c.repeat = std::stoi(value);
  } else if (key == "needs") {
    c.needs = value;
  } else {
    malformed(file, line, "unknown key '" + key + "'");
  }
}

std::string content(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error("setup: cannot read " + file.string());
  return {std::istreambuf_iterator<char>(in), {}};
}

void write(const fs::path& file, const std::string& bytes) {
  std::ofstream out(file, std::ios::binary);
  out << bytes;
  if (!out) throw std::runtime_error("setup: cannot write " + file.string());
}

// "40%" of the size, or a number of bytes.
size_t position(const std::string& text, size_t size) {
  const size_t value = std::stoul(text);
  return text.back() == '%' ? size * value / 100 : value;
}

}  // namespace

std::vector<CliCase> read_cases(const fs::path& file) {
  std::ifstream in(file);
  std::vector<CliCase> cases;
  int number = 0;
  for (std::string text; std::getline(in, text);) {
    ++number;
    const std::string line = trimmed(text);
    if (line.empty() || line[0] == '#') continue;
    const size_t colon = line.find(':');
    if (colon == std::string::npos) malformed(file, number, "'key: value' expected");
    const std::string key = line.substr(0, colon);
    const std::string value = trimmed(line.substr(colon + 1));
    if (key == "case") {
      cases.emplace_back();
      cases.back().file = file.filename().string();
      cases.back().line = number;
      cases.back().name = value;
      continue;
    }
    if (cases.empty()) malformed(file, number, "the first key must be 'case'");
    assign(cases.back(), key, value, file, number);
  }
  for (const CliCase& c : cases) {
    if (c.exits.empty()) malformed(file, c.line, "case '" + c.name + "' has no exit code");
  }
  return cases;
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  bool quoted = false;
  bool begun = false;
  for (const char c : text) {
    if (c == '"') {
      quoted = !quoted;
      begun = true;
    } else if (c == ' ' && !quoted) {
      if (begun) words.push_back(word);
      word.clear();
      begun = false;
    } else {
      word += c;
      begun = true;
    }
  }
  if (begun) words.push_back(word);
  return words;
}

std::string substituted(std::string text, int repetition) {
  const std::map<std::string, std::string> values = {{"{data}", SMREPLAY_SOURCE_FOLDER},
                                                     {"{i}", std::to_string(repetition)}};
  for (const auto& [name, value] : values) {
    for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + value.size())) {
      text.replace(at, name.size(), value);
    }
  }
  return text;
}

void prepare(const fs::path& folder, const std::string& command, int repetition) {
  const std::vector<std::string> words = words_of(substituted(command, repetition));
  const auto argument = [&](size_t i) {
    if (i >= words.size()) throw std::runtime_error("setup: too few arguments: " + command);
    return words[i];
  };
  const std::string& verb = argument(0);
  if (verb == "folder") {
    fs::create_directories(folder / argument(1));
  } else if (verb == "write") {
    write(folder / argument(1), argument(2) + "\n");
  } else if (verb == "json") {
    std::string text = argument(2);
    std::replace(text.begin(), text.end(), '\'', '"');
    write(folder / argument(1), text + "\n");
  } else if (verb == "copy") {
    write(folder / argument(2), content(folder / argument(1)));
  } else if (verb == "truncate") {
    std::string bytes = content(folder / argument(1));
    bytes.resize(position(argument(2), bytes.size()));
    write(folder / argument(3), bytes);
  } else if (verb == "flip") {
    std::string bytes = content(folder / argument(1));
    constexpr size_t kStride = 7919;  // a prime: repetitions spread over the file
    const size_t at = (position(argument(2), bytes.size()) + static_cast<size_t>(repetition) * kStride) % bytes.size();
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << (repetition % 8)));
    write(folder / argument(3), bytes);
  } else {
    throw std::runtime_error("setup: unknown command: " + command);
  }
}

}  // namespace smreplay::tests
