#include "sim/trace/ProgramIo.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>
#include <utility>

#include "sim/isa/InstructionParser.h"
#include "sim/trace/FormatLimits.h"
#include "sim/trace/QuietProtobuf.h"
#include "sim/trace/RecordFile.h"

namespace smreplay::trace {

namespace {

constexpr size_t kWordBytes = 8;
constexpr uint32_t kByteBits = 8;

void append_word(std::string& bytes, uint64_t word) {
  for (uint32_t i = 0; i < kWordBytes; ++i) bytes.push_back(static_cast<char>(word >> (kByteBits * i) & 255U));
}

uint64_t word_at(const std::string& bytes, size_t index) {
  uint64_t word = 0;
  for (uint32_t i = 0; i < kWordBytes; ++i) {
    word |= static_cast<uint64_t>(static_cast<uint8_t>(bytes[index * kWordBytes + i])) << (kByteBits * i);
  }
  return word;
}

void resources_to(const isa::Resources& from, proto::Program::Resources& to) {
  to.set_registers_per_thread(from.registers_per_thread);
  to.set_static_shared_bytes(from.static_shared_bytes);
  to.set_local_bytes_per_thread(from.local_bytes_per_thread);
  to.set_barriers(from.barriers);
  to.set_max_threads_per_cta(from.max_threads_per_cta);
  if (from.required_threads[0] + from.required_threads[1] + from.required_threads[2] == 0) return;
  for (const uint32_t threads : from.required_threads) to.add_required_threads(threads);
}

isa::Resources resources_from(const proto::Program::Resources& from) {
  isa::Resources to;
  to.registers_per_thread = from.registers_per_thread();
  to.static_shared_bytes = from.static_shared_bytes();
  to.local_bytes_per_thread = from.local_bytes_per_thread();
  to.barriers = from.barriers();
  to.max_threads_per_cta = from.max_threads_per_cta();
  for (int i = 0; i < from.required_threads_size() && i < 3; ++i) to.required_threads[i] = from.required_threads(i);
  return to;
}

void provenance_to(const isa::Provenance& from, proto::Program::Provenance& to) {
  to.set_source(from.source);
  to.set_producer(from.producer);
  to.set_options(from.options);
  to.set_disassembler(from.disassembler);
  to.set_cubin_sha256(from.cubin_sha256);
}

isa::Provenance provenance_from(const proto::Program::Provenance& from) {
  return isa::Provenance{from.source(), from.producer(), from.options(), from.disassembler(), from.cubin_sha256()};
}

std::string address(size_t instruction) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "0x%04zx", instruction * isa::kInstructionBytes);
  return text.data();
}

// "@P0 LDG.E R4, desc[UR6][R4.64]" -> guard, opcode, operands.
isa::InstructionText split(std::string_view text) {
  const auto word = [&text] {
    const std::string_view first = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(first.size() + 1, text.size()));
    return std::string(first);
  };
  isa::InstructionText parts;
  if (text.starts_with('@')) parts.predicate = word();
  parts.opcode = word();
  parts.operands = std::string(text);
  return parts;
}

}  // namespace

Result<proto::Program> to_message(const isa::Program& program) {
  const auto invalid = [&](const std::string& what) {
    return Error{ExitCode::kBadInput, "program-invalid", "kernel '" + program.kernel + "': " + what, {}};
  };
  const size_t count = program.instructions.size();
  if (count > kMaxInstructions) return invalid("has more instructions than the format allows");
  if (program.lines.size() != count) return invalid("does not have one source line per instruction");
  proto::Program message;
  message.set_kernel(program.kernel);
  message.set_sm(program.sm);
  resources_to(program.resources, *message.mutable_resources());
  for (const isa::Parameter& parameter : program.parameters) {
    proto::Program::Parameter& to = *message.add_parameters();
    to.set_ordinal(parameter.ordinal);
    to.set_offset(parameter.offset);
    to.set_size(parameter.size);
  }
  message.set_parameter_base(program.parameter_base);
  message.set_parameter_bytes(program.parameter_bytes);
  for (const auto& [bank, contents] : program.constant_banks) {
    proto::Program::ConstantBank& to = *message.add_constant_banks();
    to.set_bank(bank);
    to.set_contents(contents.data(), contents.size());
  }
  for (size_t i = 0; i < count; ++i) {
    const isa::Instruction& instruction = program.instructions[i];
    if (instruction.pc != i * isa::kInstructionBytes)
      return invalid("its instructions are not in the order of their pcs");
    if (instruction.text.find('\n') != std::string::npos) return invalid("an instruction's text has a newline");
    message.mutable_text()->append(instruction.text).push_back('\n');
    append_word(*message.mutable_low_words(), instruction.encoding[0]);
    append_word(*message.mutable_high_words(), instruction.encoding[1]);
  }
  uint32_t previous = 0;
  for (const isa::SourceLine& line : program.lines) {
    message.add_line_files(line.file);
    message.add_line_deltas(static_cast<int32_t>(line.line - previous));
    previous = line.line;
  }
  for (const std::string& file : program.files) message.add_files(file);
  provenance_to(program.provenance, *message.mutable_provenance());
  return message;
}

Result<isa::Program> from_message(const proto::Program& message, const std::string& file) {
  const auto corrupt = [&](const std::string& what) {
    return Error{ExitCode::kBadInput, "program-corrupt", "the Program " + what, file};
  };
  const size_t count = message.low_words().size() / kWordBytes;
  if (count > kMaxInstructions) return corrupt("has more instructions than the format allows");
  if (message.low_words().size() != count * kWordBytes || message.high_words().size() != count * kWordBytes) {
    return corrupt("does not have one encoding per instruction");
  }
  if (std::cmp_not_equal(message.line_files_size(), count) || std::cmp_not_equal(message.line_deltas_size(), count)) {
    return corrupt("does not have one source line per instruction");
  }
  isa::Program program;
  program.kernel = message.kernel();
  program.sm = message.sm();
  program.resources = resources_from(message.resources());
  for (const proto::Program::Parameter& parameter : message.parameters()) {
    program.parameters.push_back(isa::Parameter{parameter.ordinal(), parameter.offset(), parameter.size()});
  }
  program.parameter_base = message.parameter_base();
  program.parameter_bytes = message.parameter_bytes();
  for (const proto::Program::ConstantBank& bank : message.constant_banks()) {
    program.constant_banks[bank.bank()].assign(bank.contents().begin(), bank.contents().end());
  }
  program.files.assign(message.files().begin(), message.files().end());
  program.provenance = provenance_from(message.provenance());
  program.instructions.reserve(count);
  program.lines.reserve(count);
  size_t at = 0;
  uint32_t line = 0;
  for (size_t i = 0; i < count; ++i) {
    const size_t end = message.text().find('\n', at);
    if (end == std::string::npos) return corrupt("has text for " + std::to_string(i) + " instructions only");
    auto instruction = isa::parse_instruction(split(std::string_view(message.text()).substr(at, end - at)),
                                              {word_at(message.low_words(), i), word_at(message.high_words(), i)},
                                              static_cast<uint32_t>(i * isa::kInstructionBytes));
    if (!instruction) {
      Error error = instruction.error();
      error.message += " (kernel '" + program.kernel + "', address " + address(i) + ")";
      error.file = file;
      return error;
    }
    program.instructions.push_back(std::move(*instruction));
    at = end + 1;
    const auto index = static_cast<int>(i);
    line += static_cast<uint32_t>(message.line_deltas(index));
    const uint32_t source = message.line_files(index);
    if (line != 0 && source >= program.files.size()) return corrupt("names a source file that it does not list");
    program.lines.push_back(isa::SourceLine{source, line});
  }
  if (at != message.text().size()) return corrupt("has more text than encodings");
  return program;
}

Status write_program(const std::string& path, const isa::Program& program) {
  auto message = to_message(program);
  if (!message) return message.error();
  const std::string bytes = message->SerializeAsString();
  if (bytes.size() > kMaxHeaderBytes) {
    return Error{ExitCode::kBadInput, "program-invalid", "the Program is larger than the format allows", path};
  }
  auto file = RecordWriter::create(path, kProgramMagic, kProgramFormatVersion);
  if (!file) return file.error();
  if (Status status = file->write(RecordKind::kProgram, bytes); !status) return status;
  return file->commit();
}

Result<isa::Program> read_program(const std::string& path) {
  auto file = RecordReader::open(path, kProgramMagic, kProgramFormatVersion);
  if (!file) return file.error();
  auto record = file->next(kMaxHeaderBytes);
  if (!record) return record.error();
  proto::Program message;
  if (record->kind != RecordKind::kProgram || !parse_quietly(record->bytes, message)) {
    return file->corrupt(record->offset, "the record is no Program");
  }
  if (!file->at_end()) return file->corrupt(file->offset(), "the file goes on after its Program");
  return from_message(message, path);
}

}  // namespace smreplay::trace
