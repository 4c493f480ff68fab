#include "sim/calibrate/MachineText.h"

#include <algorithm>
#include <cctype>

namespace smreplay::calibrate {
namespace {

constexpr size_t kWidth = 120;
constexpr size_t kIndent = 2;

struct Token {
  std::string_view text;
  size_t begin = 0;
};

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '+' || c == '-';
}

// The end of the token at `at`: a string, a word or number, one character of punctuation. npos: an open string.
size_t token_end(std::string_view text, size_t at) {
  if (text[at] == '"') {
    for (size_t i = at + 1; i < text.size(); ++i) {
      if (text[i] == '\\') {
        ++i;
      } else if (text[i] == '"') {
        return i + 1;
      }
    }
    return std::string_view::npos;
  }
  size_t end = at + 1;
  while (is_word(text[at]) && end < text.size() && is_word(text[end])) ++end;
  return end;
}

Error syntax(std::string_view text, size_t at, const std::string& what) {
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  return Error{ExitCode::kBadConfiguration, "machine-syntax", what, {}, static_cast<int>(line)};
}

Result<std::vector<Token>> tokens_of(std::string_view text) {
  std::vector<Token> tokens;
  for (size_t at = 0; at < text.size();) {
    if (std::isspace(static_cast<unsigned char>(text[at])) != 0) {
      ++at;
    } else if (text[at] == '#') {
      at = std::min(text.find('\n', at), text.size());
    } else {
      const size_t end = token_end(text, at);
      if (end == std::string_view::npos) return syntax(text, at, "a string without end");
      tokens.push_back({text.substr(at, end - at), at});
      at = end;
    }
  }
  return tokens;
}

// Reads the leaves out of the tokens, with a stack of open messages.
class LeafReader {
 public:
  LeafReader(std::string_view text, const std::vector<Token>& tokens) : text_(text), tokens_(tokens) {}

  Result<std::map<std::string, MachineLeaf>> read() {
    while (at_ < tokens_.size()) {
      if (tokens_[at_].text == "}") {
        if (open_.empty()) return syntax(text_, tokens_[at_].begin, "a closing brace without an opening one");
        close(tokens_[at_].begin + 1);
        ++at_;
      } else if (next() == "{") {
        open_.push_back({std::string(tokens_[at_].text), tokens_[at_].begin, {}});
        at_ += 2;
      } else if (next() == ":") {
        const std::string name(tokens_[at_].text);
        at_ += 2;
        const std::string value = read_value();
        if (!open_.empty()) open_.back().fields.emplace_back(name, value);
      } else {
        return syntax(text_, tokens_[at_].begin, "'" + std::string(tokens_[at_].text) + "' without a value");
      }
    }
    if (!open_.empty()) return syntax(text_, open_.back().begin, "'" + open_.back().name + "' is not closed");
    return std::move(leaves_);
  }

 private:
  struct Open {
    std::string name;
    size_t begin;
    Fields fields;
  };

  std::string_view next() const { return at_ + 1 < tokens_.size() ? tokens_[at_ + 1].text : std::string_view(); }
  std::string_view here() const { return at_ < tokens_.size() ? tokens_[at_].text : std::string_view(); }

  std::string read_value() {
    std::string value;
    if (here() == "[") {
      for (; at_ < tokens_.size() && here() != "]"; ++at_) {
        value += here();
        if (here() == ",") value += ' ';
      }
      ++at_;
      return value + "]";
    }
    if (!here().starts_with('"')) {
      value = here();
      ++at_;
      return value;
    }
    value = "\"";
    for (; here().starts_with('"'); ++at_) value += here().substr(1, here().size() - 2);
    return value + "\"";
  }

  void close(size_t end) {
    Open message = std::move(open_.back());
    open_.pop_back();
    const bool leaf =
        std::any_of(message.fields.begin(), message.fields.end(), [](const auto& f) { return f.first == "value"; });
    if (!leaf) return;
    std::string path;
    for (const Open& outer : open_) path += outer.name + ".";
    const size_t line = text_.rfind('\n', message.begin);
    const size_t indent = message.begin - (line == std::string_view::npos ? 0 : line + 1);
    leaves_[path + message.name] = {message.begin, end, indent, std::move(message.fields)};
  }

  std::string_view text_;
  const std::vector<Token>& tokens_;
  size_t at_ = 0;
  std::vector<Open> open_;
  std::map<std::string, MachineLeaf> leaves_;
};

std::string render(const std::string& path, size_t indent, const Fields& fields) {
  const std::string name = path.substr(path.rfind('.') + 1);  // npos + 1 == 0
  std::string all;
  for (const auto& [key, value] : fields) all += key + ": " + value + " ";
  const std::string one_line = name + " { " + all + "}";
  if (indent + one_line.size() <= kWidth) return one_line;
  const std::string inner(indent + kIndent, ' ');
  std::string text = name + " {\n", line;
  for (const auto& [key, value] : fields) {
    const std::string word = key + ": " + value;
    if (!line.empty() && inner.size() + line.size() + 1 + word.size() > kWidth) {
      text += inner + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return text + inner + line + "\n" + std::string(indent, ' ') + "}";
}

}  // namespace

const std::string* MachineLeaf::field(std::string_view name) const {
  const auto found = std::find_if(fields.begin(), fields.end(), [&](const auto& f) { return f.first == name; });
  return found == fields.end() ? nullptr : &found->second;
}

Result<std::map<std::string, MachineLeaf>> machine_leaves(std::string_view text) {
  const Result<std::vector<Token>> tokens = tokens_of(text);
  if (!tokens) return tokens.error();
  return LeafReader(text, *tokens).read();
}

Result<std::string> rewrite_machine(const std::string& text, const std::map<std::string, Fields>& changes) {
  const auto leaves = machine_leaves(text);
  if (!leaves) return leaves.error();
  std::vector<std::pair<const MachineLeaf*, std::string>> edits;
  for (const auto& [path, fields] : changes) {
    const auto leaf = leaves->find(path);
    if (leaf == leaves->end()) {
      return Error{ExitCode::kBadConfiguration, "machine-unknown-key", "the machine file has no key " + path};
    }
    edits.emplace_back(&leaf->second, render(path, leaf->second.indent, fields));
  }
  std::sort(edits.begin(), edits.end(), [](const auto& a, const auto& b) { return a.first->begin > b.first->begin; });
  std::string result = text;
  for (const auto& [leaf, edit] : edits) result.replace(leaf->begin, leaf->end - leaf->begin, edit);
  return result;
}

}  // namespace smreplay::calibrate
