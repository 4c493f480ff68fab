// Triton's metadata, field by field.
#include "sim/sass/TritonMetadata.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

namespace smreplay::sass {
namespace {

using nlohmann::json;

Error fail(std::string message) { return Error{ExitCode::kBadInput, "triton-metadata", std::move(message), {}, 0, 0}; }

enum class Presence { kRequired, kOptional };

class FieldReader {
 public:
  explicit FieldReader(const json& object) : object_(object) {}

  void number(const char* key, Presence presence, uint32_t& value) {
    const auto found = object_.find(key);
    if (found == object_.end()) return missing(key, presence);
    const bool fits = found->is_number_unsigned() && found->get<uint64_t>() <= UINT32_MAX;
    if (!fits) return problem(fmt::format("'{}' is not a non-negative 32-bit number", key));
    value = found->get<uint32_t>();
  }

  void string(const char* key, Presence presence, std::string& value) {
    const auto found = object_.find(key);
    if (found == object_.end()) return missing(key, presence);
    if (!found->is_string()) return problem(fmt::format("'{}' is not a string", key));
    value = found->get<std::string>();
  }

  const std::optional<std::string>& error() const { return error_; }

 private:
  void missing(const char* key, Presence presence) {
    if (presence == Presence::kRequired) problem(fmt::format("'{}' is missing", key));
  }
  void problem(std::string message) {
    if (!error_) error_ = std::move(message);
  }

  const json& object_;
  std::optional<std::string> error_;
};

}  // namespace

Result<TritonMetadata> read_triton_metadata(std::string_view text) {
  const json root = json::parse(text, nullptr, false);
  if (!root.is_object()) return fail("Triton's metadata is not a JSON object");
  TritonMetadata metadata;
  FieldReader fields(root);
  fields.string("name", Presence::kRequired, metadata.name);
  fields.number("num_warps", Presence::kRequired, metadata.num_warps);
  fields.number("shared", Presence::kRequired, metadata.shared_bytes);
  fields.number("num_ctas", Presence::kOptional, metadata.num_ctas);
  fields.number("num_stages", Presence::kOptional, metadata.num_stages);
  fields.number("warp_size", Presence::kOptional, metadata.warp_size);
  fields.number("global_scratch_size", Presence::kOptional, metadata.global_scratch_bytes);
  fields.number("profile_scratch_size", Presence::kOptional, metadata.profile_scratch_bytes);
  fields.string("triton_version", Presence::kOptional, metadata.triton_version);
  if (fields.error()) return fail(fmt::format("Triton's metadata: {}", *fields.error()));
  const auto target = root.find("target");
  if (target == root.end() || !target->is_object()) return fail("Triton's metadata: 'target' is missing");
  FieldReader target_fields(*target);
  target_fields.number("arch", Presence::kRequired, metadata.arch);
  if (target_fields.error()) return fail(fmt::format("Triton's metadata: target: {}", *target_fields.error()));
  return metadata;
}

}  // namespace smreplay::sass
