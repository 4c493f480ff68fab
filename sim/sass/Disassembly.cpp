// nvdisasm's JSON and its annotated text.
#include "sim/sass/Disassembly.h"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>

namespace smreplay::sass {
namespace {

using nlohmann::json;

constexpr int kSchemaMajor = 13;

Error fail(std::string code, std::string message) {
  return Error{ExitCode::kBadInput, std::move(code), std::move(message), {}, 0, 0};
}

std::string string_field(const json& object, const char* key) {
  if (!object.is_object()) return {};
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

// "nvdisasm V13.5.37 Build cuda_13.5..." -> "nvdisasm V13.5.37".
std::string first_words(const std::string& text) {
  const auto second = text.find(' ', text.find(' ') == std::string::npos ? text.size() : text.find(' ') + 1);
  return text.substr(0, second);
}

// "Cuda compilation tools, release 13.0, V13.0.88" -> "ptxas 13.0.88".
std::string assembler_of(const json& header) {
  const auto note = header.find(".note.nv.tkinfo");
  if (note == header.end()) return {};
  const std::string tool = string_field(*note, "tki_toolName");
  const std::string version = string_field(*note, "tki_toolVersion");
  const auto v = version.rfind('V');
  if (tool.empty() || v == std::string::npos) return {};
  return tool + " " + version.substr(v + 1);
}

Status check_schema(const json& header) {
  const auto schema = header.find("SchemaVersion");
  const auto major = schema != header.end() && schema->is_object() ? schema->find("major") : json::const_iterator{};
  if (schema == header.end() || !schema->is_object() || major == schema->end() || !major->is_number_integer()) {
    return fail("disassembly-schema", "nvdisasm's JSON gives no schema version; use nvdisasm 13");
  }
  if (major->get<int64_t>() != kSchemaMajor) {
    return fail("disassembly-schema",
                fmt::format("nvdisasm's JSON has schema version {}; version {} is understood: use nvdisasm 13",
                            major->get<int64_t>(), kSchemaMajor));
  }
  return Ok{};
}

// Takes `prefix"..."` off the front and gives what is between the quotes.
std::optional<std::string_view> take_quoted(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return std::nullopt;
  text.remove_prefix(prefix.size());
  const auto end = text.find('"');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view quoted = text.substr(0, end);
  text.remove_prefix(end + 1);
  return quoted;
}

struct Directive {
  SourceFrame frame;
  bool inlined = false;  // the frame of the caller follows as a directive of its own
};

// `//## File "...", line N` with or without `inlined at "...", line M`.
std::optional<Directive> parse_directive(std::string_view line) {
  const auto start = line.find("//## File \"");
  if (start == std::string_view::npos) return std::nullopt;
  line.remove_prefix(start);
  const auto file = take_quoted(line, "//## File \"");
  constexpr std::string_view kLine = ", line ";
  if (!file || !line.starts_with(kLine)) return std::nullopt;
  line.remove_prefix(kLine.size());
  Directive directive;
  directive.frame.file = *file;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), directive.frame.line);
  if (error != std::errc{}) return std::nullopt;
  line.remove_prefix(static_cast<size_t>(end - line.data()));
  directive.inlined = line.find("inlined at") != std::string_view::npos;
  return directive;
}

// "        /*07d0*/    LDG ..." -> 0x7d0.
std::optional<uint32_t> instruction_offset(std::string_view line) {
  const auto start = line.find_first_not_of(" \t");
  if (start == std::string_view::npos || line.substr(start, 2) != "/*") return std::nullopt;
  line.remove_prefix(start + 2);
  uint32_t offset = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), offset, 16);
  if (error != std::errc{} || !line.substr(static_cast<size_t>(end - line.data())).starts_with("*/"))
    return std::nullopt;
  return offset;
}

std::string_view take_line(std::string_view& text) {
  const auto end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

}  // namespace

Result<Disassembly> parse_disassembly_json(std::string_view text) {
  const json root = json::parse(text, nullptr, false);
  if (root.is_discarded() || !root.is_array() || root.size() < 2 || !root[0].is_object() || !root[1].is_array()) {
    return fail("disassembly-malformed", "nvdisasm --emit-json gave no list of a header and functions");
  }
  if (const Status status = check_schema(root[0]); !status) return status.error();
  Disassembly result;
  result.disassembler = first_words(string_field(root[0], "Producer"));
  result.assembler = assembler_of(root[0]);
  for (const json& function : root[1]) {
    const std::string name = string_field(function, "function-name");
    const auto list = function.is_object() ? function.find("sass-instructions") : function.end();
    if (name.empty() || list == function.end() || !list->is_array()) {
      return fail("disassembly-malformed", "a function without a name or instructions in nvdisasm's JSON");
    }
    auto& instructions = result.functions[name];
    for (const json& item : *list) {
      isa::InstructionText instruction{string_field(item, "predicate"), string_field(item, "opcode"),
                                       string_field(item, "operands")};
      if (instruction.opcode.empty()) {
        return fail("disassembly-malformed", fmt::format("an instruction without opcode in function '{}'", name));
      }
      instructions.push_back(std::move(instruction));
    }
  }
  return result;
}

std::map<uint32_t, SourceFrames> parse_source_lines(std::string_view text, std::string_view kernel) {
  const std::string label = fmt::format(".text.{}:", kernel);
  std::map<uint32_t, SourceFrames> lines;
  SourceFrames frames;
  bool inside = false;
  bool complete = true;  // the chain has reached its outermost frame: the next directive starts a new one
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    if (line.starts_with(".text.")) inside = line == label;
    if (line.starts_with("//----")) inside = false;
    if (!inside) continue;
    if (const auto directive = parse_directive(line)) {
      if (complete) frames.clear();
      frames.push_back(directive->frame);
      complete = !directive->inlined;
      continue;
    }
    const auto offset = instruction_offset(line);
    if (!offset) continue;
    complete = true;
    if (!frames.empty()) lines[*offset] = frames;
  }
  return lines;
}

}  // namespace smreplay::sass
