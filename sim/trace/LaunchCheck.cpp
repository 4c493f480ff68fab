#include "sim/trace/LaunchCheck.h"

#include <google/protobuf/descriptor.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "sim/trace/LaunchShape.h"
#include "sim/trace/TextProto.h"

namespace smreplay::trace {

namespace {

using google::protobuf::Descriptor;
using Places = google::protobuf::TextFormat::ParseInfoTree;

constexpr std::array<const char*, 3> kAxes = {"x", "y", "z"};
constexpr uint32_t kKibibyte = 1024;
constexpr uint32_t kMaxWarmRuns = 1000;  // each takes as long as the run that counts; caches are warm after a few
constexpr int32_t kMaxExponent = 126;    // of RandomBf16 and RandomF32: their largest numbers stay finite

// Finds the place of a field, descending from the top of the description.
class Place {
 public:
  Place(const Descriptor& type, const Places* places) : type_(&type), places_(places) {}
  // Where the field is not in the text: the place of what it is a part of.
  std::pair<int, int> of(const std::string& field, int index = -1) const {
    if (places_ == nullptr) return here_;
    const auto location = places_->GetLocation(type_->FindFieldByName(field), index);
    return location.line < 0 ? here_ : std::pair(location.line + 1, location.column + 1);
  }
  bool has(const std::string& field) const {
    return places_ != nullptr && places_->GetLocation(type_->FindFieldByName(field), -1).line >= 0;
  }
  Place in(const std::string& field, int index = -1) const {
    const auto* descriptor = type_->FindFieldByName(field);
    Place inner(*descriptor->message_type(), nullptr);
    inner.here_ = of(field, index);
    // GetTreeForNested logs where there is none.
    if (places_ != nullptr && inner.here_ != here_) inner.places_ = places_->GetTreeForNested(descriptor, index);
    return inner;
  }

 private:
  const Descriptor* type_;
  const Places* places_;
  std::pair<int, int> here_ = {0, 0};
};

class Check {
 public:
  Check(const proto::LaunchSpec& launch, const LaunchLimits& limits, std::string file, const Places& places)
      : launch_(launch), limits_(limits), file_(std::move(file)), top_(*launch.GetDescriptor(), &places) {}

  Status run() const {
    for (const auto check : {&Check::names, &Check::shape, &Check::shared, &Check::buffers, &Check::arguments,
                             &Check::state, &Check::program}) {
      if (Status status = (this->*check)(); !status) return status;
    }
    return Ok{};
  }

 private:
  Error error(const std::string& code, const std::string& message, std::pair<int, int> at) const {
    return Error{ExitCode::kBadConfiguration, "launch-" + code, message, file_, at.first, at.second};
  }

  Status names() const {
    if (launch_.name().empty()) return error("invalid", "the launch has no 'name'", top_.of("name"));
    if (launch_.kernel().empty()) return error("invalid", "the launch has no 'kernel' (a symbol)", top_.of("kernel"));
    for (const auto& [field, value] : {std::pair("program", launch_.program()), std::pair("after", launch_.after())}) {
      if (value.find('/') != std::string::npos) {
        return error("invalid", std::string("'") + field + "' must be the name of a file beside this one, without '/'",
                     top_.of(field));
      }
    }
    return Ok{};
  }

  Status dimensions(const std::string& field, const proto::Dim3& dim, std::array<uint32_t, 3> most) const {
    const Place place = top_.in(field);
    const std::array<uint32_t, 3> sizes = {dim.x(), dim.y(), dim.z()};
    for (size_t axis = 0; axis < sizes.size(); ++axis) {
      if (sizes[axis] == 0 && place.has(kAxes[axis])) {
        return error("invalid", "'" + field + "." + kAxes[axis] + "' is 0; leave it out for 1", place.of(kAxes[axis]));
      }
      if (most[axis] != 0 && sizes[axis] > most[axis]) {
        return error("limit",
                     "'" + field + "." + kAxes[axis] + "' is " + std::to_string(sizes[axis]) + ", the machine allows " +
                         std::to_string(most[axis]),
                     place.of(kAxes[axis]));
      }
    }
    return Ok{};
  }

  Status shape() const {
    for (const auto& [field, given] :
         {std::pair("grid", launch_.has_grid()), std::pair("block", launch_.has_block())}) {
      if (!given) return error("invalid", std::string("the launch has no '") + field + "'", top_.of(field));
    }
    const std::array<uint32_t, 3> grid = {limits_.max_grid_x, limits_.max_grid_y, limits_.max_grid_z};
    if (Status status = dimensions("grid", launch_.grid(), grid); !status) return status;
    if (Status status = dimensions("block", launch_.block(), {}); !status) return status;
    const uint64_t ctas = grid_ctas(launch_);
    if (ctas > ~uint32_t{0}) {
      return error("limit", "the grid has " + std::to_string(ctas) + " CTAs, more than 2^32 - 1", top_.of("grid"));
    }
    const uint64_t threads = block_threads(launch_);
    if (limits_.max_threads_per_cta != 0 && threads > limits_.max_threads_per_cta) {
      return error("limit",
                   "the block has " + std::to_string(threads) + " threads, the machine allows " +
                       std::to_string(limits_.max_threads_per_cta),
                   top_.of("block"));
    }
    return Ok{};
  }

  Status shared() const {
    uint64_t bytes = launch_.dynamic_shared_bytes();
    if (limits_.program != nullptr) bytes += limits_.program->resources.static_shared_bytes;
    if (limits_.max_shared_per_cta != 0 && bytes > limits_.max_shared_per_cta) {
      return error("limit",
                   "a CTA would have " + std::to_string(bytes) + " bytes of shared memory, the machine allows " +
                       std::to_string(limits_.max_shared_per_cta),
                   top_.of("dynamic_shared_bytes"));
    }
    return carveout();
  }

  // 0 is what an absent field holds, and so means no preference, as -1 does.
  Status carveout() const {
    const int32_t wanted = launch_.shared_carveout_kb();
    if (wanted < -1) {
      return error("invalid", "'shared_carveout_kb' is a size in KiB, or -1 for the machine's own choice",
                   top_.of("shared_carveout_kb"));
    }
    if (wanted <= 0 || limits_.carveouts.empty()) return Ok{};
    std::string sizes;
    for (const uint32_t bytes : limits_.carveouts) {
      if (uint64_t{bytes} == static_cast<uint64_t>(wanted) * kKibibyte) return Ok{};
      sizes += (sizes.empty() ? "" : ", ") + std::to_string(bytes / kKibibyte);
    }
    return error("limit",
                 "'shared_carveout_kb' is " + std::to_string(wanted) + "; the machine can set its shared memory to " +
                     sizes + " KiB",
                 top_.of("shared_carveout_kb"));
  }

  std::vector<std::string> buffer_names() const {
    std::vector<std::string> names;
    for (const proto::Buffer& buffer : launch_.buffers()) names.push_back(buffer.name());
    return names;
  }

  const proto::Buffer* find_buffer(const std::string& name) const {
    for (const proto::Buffer& buffer : launch_.buffers()) {
      if (buffer.name() == name) return &buffer;
    }
    return nullptr;
  }

  Status buffer(const proto::Buffer& buffer, const Place& place) const {
    static const std::vector<std::string> kElements = {"f32", "f16", "bf16", "i32", "u32", "u8"};
    if (buffer.name().empty()) return error("invalid", "a buffer has no 'name'", place.of("name"));
    const std::string quoted = "buffer '" + buffer.name() + "'";
    if (find_buffer(buffer.name()) != &buffer) return error("invalid", quoted + " is given twice", place.of("name"));
    if (buffer.bytes() == 0) return error("invalid", quoted + " has no 'bytes'", place.of("bytes"));
    if (!buffer.element().empty() && std::ranges::find(kElements, buffer.element()) == kElements.end()) {
      return error("unknown-value",
                   "unknown 'element' '" + buffer.element() + "'" + did_you_mean(buffer.element(), kElements) +
                       " (f32, f16, bf16, i32, u32, u8)",
                   place.of("element"));
    }
    if (!buffer.has_fill()) return Ok{};
    const Place fill = place.in("fill");
    return fill_of(buffer.fill(), quoted, fill);
  }

  Status fill_of(const proto::Fill& fill, const std::string& quoted, const Place& place) const {
    constexpr uint32_t kMaxByte = 255;
    constexpr uint32_t kPerMille = 1000;
    if (fill.kind_case() == proto::Fill::KIND_NOT_SET) {
      return error("invalid", quoted + " has a 'fill' that says nothing; leave it out for poison", place.of("seed"));
    }
    if (fill.has_byte() && fill.byte().value() > kMaxByte) {
      return error("invalid", quoted + ": 'value' is no byte", place.in("byte").of("value"));
    }
    for (const auto& [field, exponent] : {std::pair("random_bf16", fill.random_bf16().max_exponent()),
                                          std::pair("random_f32", fill.random_f32().max_exponent())}) {
      if (std::abs(int64_t{exponent}) <= kMaxExponent) continue;
      return error("invalid", quoted + ": 'max_exponent' must lie between -126 and 126",
                   place.in(field).of("max_exponent"));
    }
    if (fill.has_kv_pages() && (fill.kv_pages().page_size() == 0 || fill.kv_pages().pages() == 0)) {
      return error("invalid", quoted + ": 'page_size' and 'pages' must be given", place.of("kv_pages"));
    }
    if (fill.has_indices()) {
      const proto::Fill::Indices& indices = fill.indices();
      const Place at = place.in("indices");
      if (indices.row_length() == 0)
        return error("invalid", quoted + ": 'row_length' must be given", at.of("row_length"));
      if (indices.valid() > indices.row_length()) {
        return error("invalid", quoted + ": 'valid' is larger than 'row_length'", at.of("valid"));
      }
      if (indices.tokens() < indices.valid()) {
        return error("invalid", quoted + ": 'tokens' is smaller than 'valid', so the rows cannot be distinct",
                     at.of("tokens"));
      }
      if (indices.masked_per_mille() > kPerMille) {
        return error("invalid", quoted + ": 'masked_per_mille' is more than 1000", at.of("masked_per_mille"));
      }
    }
    return Ok{};
  }

  Status buffers() const {
    uint64_t left = limits_.max_buffer_bytes;
    for (int i = 0; i < launch_.buffers_size(); ++i) {
      const Place place = top_.in("buffers", i);
      if (Status status = buffer(launch_.buffers(i), place); !status) return status;
      if (limits_.max_buffer_bytes == 0) continue;
      if (launch_.buffers(i).bytes() > left) {
        return error("limit",
                     "the buffers up to '" + launch_.buffers(i).name() + "' take more than " +
                         std::to_string(limits_.max_buffer_bytes) + " bytes",
                     place.of("bytes"));
      }
      left -= launch_.buffers(i).bytes();
    }
    return Ok{};
  }

  Status arguments() const {
    for (int i = 0; i < launch_.arguments_size(); ++i) {
      const proto::Argument& argument = launch_.arguments(i);
      const Place place = top_.in("arguments", i);
      const std::string which =
          "argument " + std::to_string(i) + (argument.name().empty() ? "" : " '" + argument.name() + "'");
      if (argument.value_case() == proto::Argument::VALUE_NOT_SET) {
        return error("invalid", which + " has no value", place.of("name"));
      }
      if (!argument.has_buffer()) {
        if (argument.offset() == 0) continue;
        return error("invalid", which + " has an 'offset' but no 'buffer'", place.of("offset"));
      }
      const proto::Buffer* buffer = find_buffer(argument.buffer());
      if (buffer == nullptr) {
        return error(
            "unknown-value",
            which + ": unknown buffer '" + argument.buffer() + "'" + did_you_mean(argument.buffer(), buffer_names()),
            place.of("buffer"));
      }
      if (argument.offset() >= buffer->bytes()) {
        return error("invalid",
                     which + ": 'offset' lies beyond the " + std::to_string(buffer->bytes()) + " bytes of '" +
                         buffer->name() + "'",
                     place.of("offset"));
      }
    }
    return Ok{};
  }

  Status state() const {
    if (launch_.cache_state() == proto::WARM && launch_.warm_runs() == 0 && launch_.after().empty()) {
      return error("invalid", "a WARM launch needs 'warm_runs', or a launch to come 'after'", top_.of("cache_state"));
    }
    if (launch_.cache_state() == proto::COLD && launch_.warm_runs() != 0) {
      return error("invalid", "'warm_runs' has no meaning where 'cache_state' is COLD", top_.of("warm_runs"));
    }
    if (launch_.warm_runs() > kMaxWarmRuns) {
      return error("limit",
                   "'warm_runs' is " + std::to_string(launch_.warm_runs()) + "; at most " +
                       std::to_string(kMaxWarmRuns) + " are run, and caches are warm after a few",
                   top_.of("warm_runs"));
    }
    return clock();
  }

  Status clock() const {
    constexpr double kKhzPerMhz = 1e3;
    const double mhz = launch_.core_clock_mhz();
    if (!(mhz >= 0)) {
      return error("invalid", "'core_clock_mhz' must not be negative", top_.of("core_clock_mhz"));
    }
    const auto least = static_cast<double>(limits_.min_core_clock_khz);
    const auto most = static_cast<double>(limits_.max_core_clock_khz);
    if (mhz == 0 || most == 0 || (mhz * kKhzPerMhz >= least && mhz * kKhzPerMhz <= most)) return Ok{};
    return error("limit",
                 "'core_clock_mhz' lies outside of what a machine's core clock may be, " +
                     std::to_string(limits_.min_core_clock_khz / 1000) + " to " +
                     std::to_string(limits_.max_core_clock_khz / 1000) + " MHz",
                 top_.of("core_clock_mhz"));
  }

  static uint32_t bytes_of(const proto::Argument& argument) {
    switch (argument.value_case()) {
      case proto::Argument::kI32:
      case proto::Argument::kU32:
      case proto::Argument::kF32:
        return sizeof(uint32_t);
      default:
        return sizeof(uint64_t);
    }
  }

  Status program() const {
    if (limits_.program == nullptr) return Ok{};
    const isa::Program& program = *limits_.program;
    if (launch_.kernel() != program.kernel) {
      return error("invalid", "the Program holds the kernel '" + program.kernel + "', not '" + launch_.kernel() + "'",
                   top_.of("kernel"));
    }
    const size_t count = program.parameters.size();
    if (std::cmp_not_equal(launch_.arguments_size(), count)) {
      return error("arguments",
                   "the kernel takes " + std::to_string(count) + " arguments, the launch gives " +
                       std::to_string(launch_.arguments_size()),
                   launch_.arguments_size() == 0 ? top_.of("kernel")
                                                 : top_.of("arguments", count == 0 ? 0 : launch_.arguments_size() - 1));
    }
    for (const isa::Parameter& parameter : program.parameters) {
      if (parameter.ordinal >= count) continue;
      const proto::Argument& argument = launch_.arguments(static_cast<int>(parameter.ordinal));
      if (bytes_of(argument) == parameter.size) continue;
      return error("arguments",
                   "argument " + std::to_string(parameter.ordinal) + " has " + std::to_string(bytes_of(argument)) +
                       " bytes, the kernel takes " + std::to_string(parameter.size),
                   top_.of("arguments", static_cast<int>(parameter.ordinal)));
    }
    return block_of_program(program.resources);
  }

  Status block_of_program(const isa::Resources& resources) const {
    const uint64_t threads = block_threads(launch_);
    if (resources.max_threads_per_cta != 0 && threads > resources.max_threads_per_cta) {
      return error("limit",
                   "the block has " + std::to_string(threads) + " threads, the kernel was compiled for at most " +
                       std::to_string(resources.max_threads_per_cta),
                   top_.of("block"));
    }
    const proto::Dim3& block = launch_.block();
    const std::array<uint64_t, 3> sizes = {extent(block.x()), extent(block.y()), extent(block.z())};
    for (size_t axis = 0; axis < sizes.size(); ++axis) {
      const uint32_t required = resources.required_threads[axis];
      if (required == 0 || required == sizes[axis]) continue;
      return error("limit",
                   std::string("'block.") + kAxes[axis] + "' is " + std::to_string(sizes[axis]) +
                       ", the kernel was compiled for exactly " + std::to_string(required),
                   top_.of("block"));
    }
    return Ok{};
  }

  const proto::LaunchSpec& launch_;
  const LaunchLimits& limits_;
  std::string file_;
  Place top_;
};

}  // namespace

Status check_launch(const proto::LaunchSpec& launch, const LaunchLimits& limits, const std::string& file,
                    const google::protobuf::TextFormat::ParseInfoTree& places) {
  return Check(launch, limits, file, places).run();
}

}  // namespace smreplay::trace
