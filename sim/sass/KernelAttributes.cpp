// The records that the model uses; the others are skipped.
#include "sim/sass/KernelAttributes.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/sass/ByteReader.h"

namespace smreplay::sass {
namespace {

enum class Attribute : uint8_t {
  kMaxThreads = 0x05,
  kParameterBank = 0x0a,
  kRequiredThreads = 0x10,
  kFrameSize = 0x11,
  kMinimumStack = 0x12,
  kParameter = 0x17,
  kParameterBytes = 0x19,
  kRegisters = 0x2f,
  kParameterV2 = 0x45,
  kBarriers = 0x4c,
};

constexpr uint8_t kSizedFormat = 4;
constexpr uint64_t kRecordBytes = 4;
constexpr unsigned kParameterSizeShift = 18;

Error bad(std::string code, std::string message) {
  return Error{ExitCode::kBadInput, std::move(code), std::move(message), {}, 0, 0};
}

struct Record {
  Attribute attribute;
  uint16_t value;
  ByteReader payload;

  uint32_t word(uint64_t index) const { return payload.read<uint32_t>(4 * index).value_or(0); }
};

// Calls visit(record) for each record. Payloads shorter than what their attribute needs are an error of the visitor.
template <class Visitor>
Status for_each_record(std::span<const uint8_t> section, Visitor&& visit) {
  const ByteReader reader(section);
  uint64_t at = 0;
  while (at + kRecordBytes <= reader.size()) {
    const uint8_t format = *reader.read<uint8_t>(at);
    const auto attribute = static_cast<Attribute>(*reader.read<uint8_t>(at + 1));
    const uint16_t value = *reader.read<uint16_t>(at + 2);
    at += kRecordBytes;
    const uint64_t size = format == kSizedFormat ? value : 0;
    const auto payload = reader.slice(at, size);
    if (!payload) return bad("cubin-malformed", "a kernel attribute reaches beyond its section");
    if (const Status status = visit(Record{attribute, value, ByteReader(*payload)}); !status) return status.error();
    at += size;
  }
  return Ok{};
}

Status need_words(const Record& record, uint64_t words) {
  if (record.payload.size() >= 4 * words) return Ok{};
  return bad("cubin-malformed", fmt::format("kernel attribute {:#x} has {} bytes; {} are needed",
                                            static_cast<unsigned>(record.attribute), record.payload.size(), 4 * words));
}

class Reader {
 public:
  explicit Reader(uint32_t symbol) : symbol_(symbol) {}

  Status global(const Record& record) {
    switch (record.attribute) {
      case Attribute::kRegisters:
      case Attribute::kFrameSize:
      case Attribute::kMinimumStack:
        break;
      default:
        return Ok{};
    }
    if (const Status status = need_words(record, 2); !status) return status;
    if (record.word(0) != symbol_) return Ok{};
    if (record.attribute == Attribute::kRegisters) {
      result_.registers = record.word(1);
    } else {
      result_.stack_bytes = std::max(result_.stack_bytes, record.word(1));
    }
    return Ok{};
  }

  Status own(const Record& record) {
    switch (record.attribute) {
      case Attribute::kMaxThreads:
        return three_words(record, result_.max_threads);
      case Attribute::kRequiredThreads:
        return three_words(record, result_.required_threads);
      case Attribute::kParameterBank:
        if (const Status status = need_words(record, 2); !status) return status;
        result_.parameter_base = record.word(1) & 0xFFFFU;
        result_.parameter_bytes = record.word(1) >> 16U;
        return Ok{};
      case Attribute::kParameter:
        return parameter(record);
      case Attribute::kParameterV2:
        return bad("cubin-unsupported", "parameters in the form of KPARAM_INFO_V2, which this version does not read");
      case Attribute::kBarriers:
        result_.barriers = record.value;
        return Ok{};
      default:
        return Ok{};
    }
  }

  Result<KernelAttributes> finish() {
    auto& parameters = result_.parameters;
    std::sort(parameters.begin(), parameters.end(),
              [](const isa::Parameter& a, const isa::Parameter& b) { return a.ordinal < b.ordinal; });
    for (size_t i = 0; i < parameters.size(); ++i) {
      const isa::Parameter& p = parameters[i];
      if (p.ordinal != i) return bad("cubin-malformed", fmt::format("parameter {} is missing or doubled", i));
      if (p.offset + p.size > result_.parameter_bytes) {
        return bad("cubin-malformed", fmt::format("parameter {} reaches beyond the parameter block", i));
      }
    }
    return std::move(result_);
  }

 private:
  Status three_words(const Record& record, uint32_t (&words)[3]) {
    if (const Status status = need_words(record, 3); !status) return status;
    for (uint64_t i = 0; i < 3; ++i) words[i] = record.word(i);
    return Ok{};
  }

  Status parameter(const Record& record) {
    if (const Status status = need_words(record, 3); !status) return status;
    const uint32_t place = record.word(1);
    result_.parameters.push_back(isa::Parameter{place & 0xFFFFU, place >> 16U, record.word(2) >> kParameterSizeShift});
    return Ok{};
  }

  uint32_t symbol_;
  KernelAttributes result_;
};

}  // namespace

Result<KernelAttributes> read_attributes(std::span<const uint8_t> global, std::span<const uint8_t> own,
                                         uint32_t symbol) {
  Reader reader(symbol);
  if (const Status status = for_each_record(global, [&](const Record& r) { return reader.global(r); }); !status) {
    return status.error();
  }
  if (const Status status = for_each_record(own, [&](const Record& r) { return reader.own(r); }); !status) {
    return status.error();
  }
  return reader.finish();
}

}  // namespace smreplay::sass
