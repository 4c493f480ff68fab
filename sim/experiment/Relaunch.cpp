#include "sim/experiment/Relaunch.h"

#include <algorithm>
#include <string>

#include "sim/machine/Occupancy.h"

namespace smreplay::experiment {
namespace {

using trace::proto::LaunchSpec;

constexpr uint32_t kMaxSplits = 16;  // of the combine kernel's binary too
constexpr uint32_t kIndexBytes = 4;
constexpr uint32_t kMinimumDynamicStep = 128;

uint32_t ceil_div(uint32_t a, uint32_t b) { return (a + b - 1) / b; }

Error fail(const LaunchSpec& launch, const std::string& what) {
  return Error{ExitCode::kBadConfiguration, "experiment-launch",
               "launch '" + launch.name() + "' cannot be changed for an experiment: " + what};
}

trace::proto::Buffer* buffer(LaunchSpec& launch, const std::string& name) {
  for (auto& b : *launch.mutable_buffers()) {
    if (b.name() == name) return &b;
  }
  return nullptr;
}

bool set_argument(LaunchSpec& launch, const std::string& name, uint32_t value) {
  for (auto& argument : *launch.mutable_arguments()) {
    if (argument.name() != name) continue;
    argument.set_i32(static_cast<int32_t>(value));
    return true;
  }
  return false;
}

// partial and lse: one row per split.
bool resize_partials(LaunchSpec& launch, uint32_t old_splits, uint32_t splits) {
  for (const char* name : {"partial", "lse"}) {
    trace::proto::Buffer* b = buffer(launch, name);
    if (b == nullptr || b->bytes() % old_splits != 0) return false;
    b->set_bytes(b->bytes() / old_splits * splits);
  }
  return true;
}

Status change_width(LaunchSpec& split, uint32_t batch, const RelaunchOptions& options) {
  trace::proto::Buffer* indices = buffer(split, "indices");
  trace::proto::Buffer* length = buffer(split, "topk_length");
  if (indices == nullptr || !indices->fill().has_indices())
    return fail(split, "no buffer 'indices' filled with indices");
  if (length == nullptr || !length->fill().has_constant_u32()) return fail(split, "no constant buffer 'topk_length'");
  auto* fill = indices->mutable_fill()->mutable_indices();
  fill->set_row_length(options.topk);
  fill->set_valid(options.valid == 0 ? options.topk : options.valid);
  indices->set_bytes(uint64_t{batch} * options.topk * kIndexBytes);
  length->mutable_fill()->mutable_constant_u32()->set_value(options.topk);
  if (!set_argument(split, "topk", options.topk)) return fail(split, "no argument 'topk'");
  return Ok{};
}

Status pad(LaunchSpec& split, const isa::Program& program, const machine::Machine& machine) {
  machine::KernelResources kernel;
  kernel.threads = split.block().x() * std::max(1U, split.block().y()) * std::max(1U, split.block().z());
  kernel.registers = program.resources.registers_per_thread;
  kernel.static_shared = program.resources.static_shared_bytes;
  kernel.barriers = std::max(1U, program.resources.barriers);
  const uint32_t step = std::max(kMinimumDynamicStep, machine.occupancy.shared_unit);
  uint32_t dynamic = split.dynamic_shared_bytes();
  for (;; dynamic = (dynamic / step + 1) * step) {
    if (uint64_t{dynamic} + kernel.static_shared > machine.occupancy.shared_per_cta_optin) {
      return fail(split, "no amount of dynamic shared memory leaves exactly one CTA on an SM");
    }
    kernel.dynamic_shared = dynamic;
    if (machine::occupancy(machine, kernel).ctas <= 1) break;
  }
  split.set_dynamic_shared_bytes(dynamic);
  return Ok{};
}

// The combine's own buffers behind those of the split, which keep their addresses; and it takes the L2 as it finds it.
void follow(const LaunchSpec& split, LaunchSpec& combine) {
  combine.set_cache_state(trace::proto::WARM);
  auto own = combine.buffers();
  combine.clear_buffers();
  for (const auto& b : split.buffers()) {
    auto* kept = combine.add_buffers();
    *kept = b;
    kept->clear_output();
  }
  for (const auto& b : own) {
    if (buffer(combine, b.name()) == nullptr) *combine.add_buffers() = b;
  }
}

}  // namespace

SplitShape split_shape(uint32_t batch, uint32_t head_groups, const RelaunchOptions& options) {
  const uint32_t tiles = ceil_div(options.topk, options.block_t);
  SplitShape shape;
  shape.nsplit = std::max(1U, std::min({kMaxSplits, ceil_div(options.target_ctas, batch * head_groups), tiles}));
  shape.tiles_per_split = ceil_div(tiles, shape.nsplit);
  return shape;
}

uint32_t scaled_target(uint32_t target, uint32_t reference_sms, uint32_t sms) {
  return static_cast<uint32_t>((uint64_t{target} * sms + reference_sms - 1) / reference_sms);
}

uint32_t integer_argument(const LaunchSpec& launch, const std::string& name) {
  for (const auto& a : launch.arguments()) {
    if (a.name() == name) return static_cast<uint32_t>(a.i32());
  }
  return 0;
}

Result<LaunchPair> relaunch(const LaunchPair& from, const isa::Program& program, const machine::Machine& machine,
                            const RelaunchOptions& options) {
  LaunchPair pair = from;
  const uint32_t batch = std::max(1U, pair.split.grid().x());
  const uint32_t groups = std::max(1U, pair.split.grid().y());
  const uint32_t old_splits = integer_argument(pair.split, "nsplit");
  if (old_splits == 0) return fail(pair.split, "no argument 'nsplit'");
  const SplitShape shape = split_shape(batch, groups, options);

  if (Status changed = change_width(pair.split, batch, options); !changed) return changed.error();
  pair.split.mutable_grid()->set_z(shape.nsplit);
  if (!set_argument(pair.split, "nsplit", shape.nsplit) ||
      !set_argument(pair.split, "tiles_per_split", shape.tiles_per_split)) {
    return fail(pair.split, "no argument 'tiles_per_split'");
  }
  if (!set_argument(pair.combine, "nsplit", shape.nsplit)) return fail(pair.combine, "no argument 'nsplit'");
  if (!resize_partials(pair.split, old_splits, shape.nsplit) ||
      !resize_partials(pair.combine, old_splits, shape.nsplit)) {
    return fail(pair.split, "no buffers 'partial' and 'lse' of one row per split");
  }
  if (options.pad_to_one_cta) {
    if (Status padded = pad(pair.split, program, machine); !padded) return padded.error();
  }
  follow(pair.split, pair.combine);
  return pair;
}

}  // namespace smreplay::experiment
