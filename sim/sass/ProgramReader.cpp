// The steps from a cubin file to a Program.
#include "sim/sass/ProgramReader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "sim/isa/InstructionParser.h"
#include "sim/sass/Cubin.h"
#include "sim/sass/Disassembly.h"
#include "sim/sass/SourceTable.h"

namespace smreplay::sass {
namespace {

constexpr uint64_t kAddressBytes = 8;
constexpr std::streamoff kMaxCubinBytes = std::streamoff{256} << 20;

Error fail(std::string code, std::string message, const std::string& file) {
  return Error{ExitCode::kBadInput, std::move(code), std::move(message), file, 0, 0};
}

Result<std::vector<uint8_t>> read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  const std::streamoff size = in ? static_cast<std::streamoff>(in.tellg()) : -1;
  if (size < 0) return fail("cubin-unreadable", "the cubin cannot be opened", path);
  if (size > kMaxCubinBytes)
    return fail("cubin-unreadable", fmt::format("the cubin has {} bytes; the limit is {}", size, kMaxCubinBytes), path);
  std::vector<uint8_t> bytes(static_cast<size_t>(size));
  in.seekg(0);
  in.read(reinterpret_cast<char*>(bytes.data()), size);
  if (!in) return fail("cubin-unreadable", "the cubin cannot be read", path);
  return bytes;
}

class ProgramBuilder {
 public:
  ProgramBuilder(const std::string& path, const Options& options) : path_(path), options_(options) {}

  Result<isa::Program> build(const std::string& kernel) {
    const auto bytes = read_file(path_);
    if (!bytes) return bytes.error();
    auto cubin = read_cubin(*bytes);
    if (!cubin) return with_file(cubin.error());
    if (const Status status = choose(*cubin, kernel); !status) return status.error();
    for (const auto step :
         {&ProgramBuilder::disassemble, &ProgramBuilder::read_lines, &ProgramBuilder::parse_instructions,
          &ProgramBuilder::check_targets, &ProgramBuilder::add_constants}) {
      if (const Status status = (this->*step)(); !status) return status.error();
    }
    fill_resources();
    return std::move(program_);
  }

 private:
  Error with_file(Error error) const {
    if (error.file.empty()) error.file = path_;
    return error;
  }

  Status choose(Cubin& cubin, const std::string& name) {
    if (const auto broken = cubin.unreadable.find(name); broken != cubin.unreadable.end()) {
      return with_file(broken->second);
    }
    std::vector<std::string> names;
    const bool only_one = cubin.kernels.size() == 1 && cubin.unreadable.empty();
    for (CubinKernel& kernel : cubin.kernels) {
      names.push_back(kernel.name);
      if (kernel.name == name || (name.empty() && only_one)) kernel_ = std::move(kernel);
    }
    for (const auto& [other, error] : cubin.unreadable) names.push_back(other);
    program_.sm = cubin.sm;
    if (!kernel_.name.empty()) return Ok{};
    const std::string_view problem = name.empty() ? "several kernels, and none is named" : "no kernel of this name";
    return fail("cubin-kernel",
                fmt::format("{}{}; choose with --symbol among those that the cubin holds: {}",
                            name.empty() ? "" : "'" + name + "': ", problem, fmt::join(names, ", ")),
                path_);
  }

  Status disassemble() {
    const auto json = options_.nvdisasm.json(path_);
    if (!json) return with_file(json.error());
    auto disassembly = parse_disassembly_json(*json);
    if (!disassembly) return with_file(disassembly.error());
    const auto function = disassembly->functions.find(kernel_.name);
    if (function == disassembly->functions.end() || function->second.size() != kernel_.code.size()) {
      return fail(
          "disassembly-mismatch",
          fmt::format("nvdisasm does not give the {} instructions of kernel '{}'", kernel_.code.size(), kernel_.name),
          path_);
    }
    texts_ = std::move(function->second);
    program_.provenance.disassembler = disassembly->disassembler;
    program_.provenance.producer = producer(disassembly->assembler);
    return Ok{};
  }

  std::string producer(const std::string& assembler) const {
    if (options_.producer.empty()) return assembler;
    return assembler.empty() ? options_.producer : fmt::format("{} ({})", options_.producer, assembler);
  }

  Status read_lines() {
    const auto text = options_.nvdisasm.annotated_text(path_);
    if (!text) return with_file(text.error());
    SourceTable table =
        build_source_table(parse_source_lines(*text, kernel_.name), kernel_.code.size(), options_.source_root);
    program_.lines = std::move(table.lines);
    program_.files = std::move(table.files);
    return Ok{};
  }

  // Names the instruction: kernel, address, SASS text, source line.
  Error at_instruction(Error error, size_t index) const {
    const isa::InstructionText& text = texts_[index];
    error.message =
        fmt::format("kernel '{}', address {:#06x}, '{}{}{} {}': {}", kernel_.name, index * isa::kInstructionBytes,
                    text.predicate, text.predicate.empty() ? "" : " ", text.opcode, text.operands, error.message);
    const isa::SourceLine& line = program_.lines[index];
    if (line.line != 0) {
      error.file = program_.files[line.file];
      error.line = static_cast<int>(line.line);
    } else {
      error.file = path_;
    }
    return error;
  }

  Status parse_instructions() {
    if (!kernel_.unresolved_code.empty()) {
      return fail(
          "cubin-relocation",
          fmt::format("the code of kernel '{}' refers to '{}' in another section; compile whole programs (no -rdc), "
                      "without printf, malloc and assert",
                      kernel_.name, kernel_.unresolved_code),
          path_);
    }
    program_.instructions.reserve(kernel_.code.size());
    for (size_t i = 0; i < kernel_.code.size(); ++i) {
      auto instruction =
          isa::parse_instruction(texts_[i], kernel_.code[i], static_cast<uint32_t>(i * isa::kInstructionBytes));
      if (!instruction) return at_instruction(instruction.error(), i);
      program_.instructions.push_back(std::move(*instruction));
    }
    return Ok{};
  }

  Status check_targets() {
    const auto end = static_cast<int64_t>(kernel_.code.size() * isa::kInstructionBytes);
    for (size_t i = 0; i < program_.instructions.size(); ++i) {
      for (const isa::Operand& op : program_.instructions[i].operands) {
        if (op.kind != isa::OperandKind::kLabel) continue;
        if (op.imm >= 0 && op.imm < end && op.imm % isa::kInstructionBytes == 0) continue;
        return at_instruction(
            fail("cubin-malformed", fmt::format("the branch target {:#x} is no instruction", op.imm), {}), i);
      }
    }
    return Ok{};
  }

  // Keeps the banks that the code names.
  Status add_constants() {
    std::set<uint32_t> used;
    for (size_t i = 0; i < program_.instructions.size(); ++i) {
      for (const isa::Operand& op : program_.instructions[i].operands) {
        if (op.kind != isa::OperandKind::kConstant || op.bank == 0) continue;
        used.insert(op.bank);
        const std::string symbol = unresolved_symbol(op);
        if (!symbol.empty()) return at_instruction(fail("cubin-relocation", address_of(symbol), {}), i);
      }
    }
    for (const uint32_t bank : used) {
      const auto data = kernel_.constant_banks.find(bank);
      if (data != kernel_.constant_banks.end()) program_.constant_banks[bank] = std::move(data->second);
    }
    return Ok{};
  }

  // The symbol whose address the operand reads; empty: none. With an index register it may be any of the bank.
  std::string unresolved_symbol(const isa::Operand& op) const {
    const auto bank = kernel_.unresolved_banks.find(op.bank);
    if (bank == kernel_.unresolved_banks.end()) return {};
    const bool indexed = op.has_base && op.reg != isa::kZeroRegister;
    const auto offset = static_cast<uint64_t>(op.imm);
    for (const auto& [at, symbol] : bank->second) {
      if (indexed || (at < offset + kAddressBytes && offset < at + kAddressBytes)) return symbol;
    }
    return {};
  }

  static std::string address_of(const std::string& symbol) {
    if (symbol.starts_with("__cudart_i2opi")) {
      return fmt::format(
          "it reads '{}', the table of the slow path of sinf, cosf, tanf, sin, cos or tan (large "
          "arguments), which lies in device memory: compile with -use_fast_math, or call __sinf, __cosf",
          symbol);
    }
    return fmt::format(
        "it takes the address of '{}': __device__ variables and function pointers are not supported; "
        "pass a buffer as a parameter",
        symbol);
  }

  void fill_resources() {
    program_.kernel = kernel_.name;
    program_.resources = kernel_.resources;
    program_.parameters = kernel_.parameters;
    program_.parameter_base = kernel_.parameter_base;
    program_.parameter_bytes = kernel_.parameter_bytes;
    program_.provenance.source = options_.source;
    program_.provenance.options = options_.compiler_options;
    program_.provenance.cubin_sha256 = kernel_.sha256;
  }

  const std::string& path_;
  const Options& options_;
  CubinKernel kernel_;
  std::vector<isa::InstructionText> texts_;
  isa::Program program_;
};

}  // namespace

Result<isa::Program> read_program(const std::string& cubin_path, const std::string& kernel, const Options& options) {
  return ProgramBuilder(cubin_path, options).build(kernel);
}

}  // namespace smreplay::sass
