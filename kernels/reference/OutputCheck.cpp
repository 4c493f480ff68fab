#include "kernels/reference/OutputCheck.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernels/common/FillFromProto.h"
#include "kernels/reference/SparseMla.h"

namespace smreplay::kernels {
namespace {

using trace::proto::LaunchSpec;

constexpr const char* kSplitKernel = "sparse_mla_split";

Error check_error(const std::string& code, const std::string& message) {
  return Error{ExitCode::kBadConfiguration, "check-" + code, message};
}

// The inputs as the launch describes them; they are filled here, not taken from who ran the kernel.
class Inputs {
 public:
  explicit Inputs(const LaunchSpec& launch) : launch_(launch) {}

  Result<SparseMlaProblem> problem(uint32_t tokens_per_tile) {
    SparseMlaProblem problem;
    for (const auto& [name, slot] :
         {std::pair("q", &problem.q), std::pair("kv", &problem.kv), std::pair("indices", &problem.indices),
          std::pair("topk_length", &problem.topk_length)}) {
      if (Status status = fill(name); !status) return status.error();
      *slot = contents_[name].data();
    }
    const auto* topk = argument("topk");
    const auto* tiles = argument("tiles_per_split");
    const auto* nsplit = argument("nsplit");
    const auto* scale = argument("scale_log2e");
    if (topk == nullptr || tiles == nullptr || nsplit == nullptr || scale == nullptr) {
      return check_error("missing", "the split launch lacks topk, tiles_per_split, nsplit or scale_log2e");
    }
    problem.batch = launch_.grid().x();
    problem.topk = static_cast<uint32_t>(topk->i32());
    problem.nsplit = static_cast<uint32_t>(nsplit->i32());
    problem.tokens_per_split = static_cast<uint32_t>(tiles->i32()) * tokens_per_tile;
    problem.scale_log2e = double{scale->f32()};
    if (problem.batch == 0 || problem.nsplit == 0) return check_error("size", "no requests or no splits");
    problem.heads = static_cast<uint32_t>(contents_["q"].size() / (uint64_t{problem.batch} * kLatentDim * 2));
    problem.page_size = page_size_;
    if (page_size_ == 0) return check_error("missing", "buffer 'kv' is not filled with kv_pages");
    return problem;
  }

 private:
  const trace::proto::Argument* argument(const std::string& name) const {
    for (const auto& argument : launch_.arguments()) {
      if (argument.name() == name) return &argument;
    }
    return nullptr;
  }

  Status fill(const std::string& name) {
    for (const auto& buffer : launch_.buffers()) {
      if (buffer.name() != name) continue;
      const FillSpec spec = fill_from_proto(buffer);
      if (spec.kind == FillKind::KvPages) page_size_ = spec.page_size;
      auto& bytes = contents_[name];
      bytes.resize(buffer.bytes());
      fill_range(spec, 0, bytes.size(), bytes.data());
      return Ok{};
    }
    return check_error("missing", "the split launch has no buffer '" + name + "'");
  }

  const LaunchSpec& launch_;
  BufferContents contents_;
  uint32_t page_size_ = 0;
};

class Accumulator {
 public:
  explicit Accumulator(std::string buffer) { error_.buffer = std::move(buffer); }

  void value(double got, double expected, double row_magnitude) {
    ++error_.values;
    if (!std::isfinite(got)) {
      ++error_.not_finite;
      return;
    }
    const double difference = std::abs(got - expected);
    error_.max_absolute = std::max(error_.max_absolute, difference);
    if (row_magnitude > 0) error_.max_relative = std::max(error_.max_relative, difference / row_magnitude);
    squared_error_ += difference * difference;
    squared_value_ += expected * expected;
  }

  void wrong_empty() { ++error_.wrong_empty; }

  OutputError result() const {
    OutputError error = error_;
    error.rms_relative = squared_value_ > 0 ? std::sqrt(squared_error_ / squared_value_) : 0;
    return error;
  }

 private:
  OutputError error_;
  double squared_error_ = 0, squared_value_ = 0;
};

double magnitude(const HeadResult& row) {
  double largest = 0;
  for (const double value : row.value) largest = std::max(largest, std::abs(value));
  return largest;
}

float read_f32(const std::vector<uint8_t>& bytes, uint64_t index) {
  float value;
  std::memcpy(&value, bytes.data() + index * sizeof(value), sizeof(value));
  return value;
}

double read_bf16(const std::vector<uint8_t>& bytes, uint64_t index) {
  uint16_t value;
  std::memcpy(&value, bytes.data() + index * sizeof(value), sizeof(value));
  return from_bf16(value);
}

std::vector<OutputError> check_split(const SparseMlaProblem& problem, const std::vector<uint8_t>& partial,
                                     const std::vector<uint8_t>& lse) {
  Accumulator values("partial"), lses("lse");
  for (uint32_t request = 0; request < problem.batch; ++request) {
    for (uint32_t split = 0; split < problem.nsplit; ++split) {
      const auto heads =
          sparse_mla_reference(problem, request, split * problem.tokens_per_split, problem.tokens_per_split);
      for (uint32_t head = 0; head < problem.heads; ++head) {
        const HeadResult& expected = heads[head];
        const uint64_t row = (uint64_t{request} * problem.heads + head) * problem.nsplit + split;
        const double got_lse = double{read_f32(lse, row)};
        const double scale = magnitude(expected);
        const bool empty = expected.lse == kEmptyLse;
        if (empty && read_f32(lse, row) != static_cast<float>(kEmptyLse)) lses.wrong_empty();
        if (!empty) lses.value(got_lse, expected.lse, std::abs(expected.lse));
        for (uint32_t d = 0; d < kLatentDim; ++d) {
          const double got = double{read_f32(partial, row * kLatentDim + d)};
          if (empty && got != 0) values.wrong_empty();
          values.value(got, expected.value[d], scale);
        }
      }
    }
  }
  return {values.result(), lses.result()};
}

std::vector<OutputError> check_combine(const SparseMlaProblem& problem, const std::vector<uint8_t>& out) {
  Accumulator values("out");
  for (uint32_t request = 0; request < problem.batch; ++request) {
    const auto heads = sparse_mla_reference(problem, request, 0, problem.nsplit * problem.tokens_per_split);
    for (uint32_t head = 0; head < problem.heads; ++head) {
      const uint64_t row = (uint64_t{request} * problem.heads + head) * kLatentDim;
      const double scale = magnitude(heads[head]);
      for (uint32_t d = 0; d < kLatentDim; ++d) values.value(read_bf16(out, row + d), heads[head].value[d], scale);
    }
  }
  return {values.result()};
}

Result<const std::vector<uint8_t>*> output(const BufferContents& outputs, const std::string& name, uint64_t bytes) {
  const auto found = outputs.find(name);
  if (found == outputs.end()) return check_error("missing", "output '" + name + "' is not there");
  if (found->second.size() < bytes) {
    return check_error("size", "output '" + name + "' has " + std::to_string(found->second.size()) + " bytes, " +
                                   std::to_string(bytes) + " needed");
  }
  return &found->second;
}

}  // namespace

Result<std::vector<OutputError>> check_outputs(const std::vector<LaunchSpec>& chain, const BufferContents& outputs,
                                               uint32_t tokens_per_tile) {
  const auto split = std::find_if(chain.begin(), chain.end(),
                                  [](const LaunchSpec& launch) { return launch.kernel() == kSplitKernel; });
  if (split == chain.end()) {
    return check_error("unknown-kernel",
                       std::string("no launch of ") + kSplitKernel + " in the chain: nothing to compare");
  }
  Inputs inputs(*split);
  auto problem = inputs.problem(tokens_per_tile);
  if (!problem) return problem.error();
  const uint64_t rows = uint64_t{problem->batch} * problem->heads;
  if (chain.back().kernel() != kSplitKernel) {
    auto out = output(outputs, "out", rows * kLatentDim * sizeof(uint16_t));
    if (!out) return out.error();
    return check_combine(*problem, **out);
  }
  auto partial = output(outputs, "partial", rows * problem->nsplit * kLatentDim * sizeof(float));
  if (!partial) return partial.error();
  auto lse = output(outputs, "lse", rows * problem->nsplit * sizeof(float));
  if (!lse) return lse.error();
  return check_split(*problem, **partial, **lse);
}

}  // namespace smreplay::kernels
