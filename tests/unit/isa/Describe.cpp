#include "tests/unit/isa/Describe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "sim/isa/InstructionInfo.h"

namespace smreplay::isa {
namespace {

std::string span_text(const RegisterSpan& span, bool with_port) {
  static constexpr std::string_view kFiles[] = {"R", "UR", "P", "UP"};
  std::string text = fmt::format("{}{}", kFiles[static_cast<size_t>(span.file)], span.first);
  if (span.count != 1) text += fmt::format(":{}", span.count);
  if (with_port && span.file == RegisterFile::kVector) text += fmt::format("@{}", "ABCD"[span.slot]);
  if (span.is_guard) text += "!";
  return text;
}

std::string spans_text(const std::vector<RegisterSpan>& spans, bool with_port) {
  std::vector<std::string> parts;
  for (const RegisterSpan& span : spans) parts.push_back(span_text(span, with_port));
  return fmt::format("{}", fmt::join(parts, ","));
}

}  // namespace

std::string describe(const Instruction& in, uint32_t sm) {
  static constexpr std::string_view kSpaces[] = {"none", "global", "local", "shared", "generic", "constant"};
  static constexpr std::string_view kKinds[] = {"none", "load", "store", "atomic", "reduction", "async"};
  std::string text = fmt::format("dst={}", in.destinations);
  if (!in.reads.empty()) text += " read=" + spans_text(in.reads, true);
  if (!in.writes.empty()) text += " write=" + spans_text(in.writes, false);
  std::vector<std::string> immediates;
  for (const Operand& op : in.operands) {
    const bool number = op.kind == OperandKind::kImmediate || op.kind == OperandKind::kLabel;
    if (number) immediates.push_back(fmt::format("{:x}", op.imm));
  }
  if (!immediates.empty()) text += fmt::format(" imm={}", fmt::join(immediates, ","));
  if (in.memory != MemoryKind::kNone) {
    text += fmt::format(" access={}/{}/{}", kSpaces[static_cast<size_t>(in.space)],
                        kKinds[static_cast<size_t>(in.memory)], in.access_bytes);
  }
  return text + fmt::format(" class={}", name(timing_class(in, sm)));
}

}  // namespace smreplay::isa
