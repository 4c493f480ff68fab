#include "sim/attribution/DiffStatic.h"

#include <algorithm>
#include <charconv>

#include "sim/trace/LaunchShape.h"

namespace smreplay::attribution {
namespace {

// The value of NAME among the compiler options ("BLOCK_T=16", "-DSMREPLAY_BLOCK_T=16"); 0: not there.
uint32_t option(const std::string& options, const std::string& name) {
  const std::string key = name + "=";
  for (size_t at = options.find(key); at != std::string::npos; at = options.find(key, at + 1)) {
    if (at > 0 && options[at - 1] != ' ' && options[at - 1] != '_') continue;
    uint32_t value = 0;
    std::from_chars(options.data() + at + key.size(), options.data() + options.size(), value);
    return value;
  }
  return 0;
}

std::optional<TileWork> tile_work(const isa::Program& program, const trace::proto::LaunchSpec& launch,
                                  const ProgramLoop& loop) {
  if (program.kernel.find("sparse_mla_split") == std::string::npos) return std::nullopt;
  const std::string& options = program.provenance.options;
  TileWork work{.heads = option(options, "BLOCK_H"), .tokens = option(options, "BLOCK_T")};
  const uint64_t heads = work.heads * trace::extent(launch.grid().y());  // grid: requests, groups of heads, splits
  const uint64_t requests = trace::extent(launch.grid().x());
  const auto q = std::find_if(launch.buffers().begin(), launch.buffers().end(),
                              [](const trace::proto::Buffer& buffer) { return buffer.name() == "q"; });
  if (work.heads == 0 || work.tokens == 0 || q == launch.buffers().end()) return std::nullopt;
  constexpr uint64_t kBf16Bytes = 2;
  work.dimensions = static_cast<uint32_t>(q->bytes() / (requests * heads * kBf16Bytes));
  work.needed = uint64_t{2} * work.heads * work.tokens * work.dimensions;
  work.executed = loop.multiply_adds * trace::warps_per_cta(launch);
  if (work.needed == 0) return std::nullopt;
  return work;
}

}  // namespace

StaticFacts static_facts(const isa::Program& program) {
  StaticFacts facts;
  facts.kernel = program.kernel;
  facts.producer = program.provenance.producer;
  const auto& required = program.resources.required_threads;
  facts.threads = required[0] * required[1] * required[2];
  facts.registers = program.resources.registers_per_thread;
  facts.local_bytes = program.resources.local_bytes_per_thread;
  facts.static_shared = program.resources.static_shared_bytes;
  facts.instructions = static_cast<uint32_t>(program.instructions.size());
  for (const isa::Instruction& in : program.instructions) {
    facts.spill_loads += in.opcode == isa::Opcode::kLDL ? 1U : 0U;
    facts.spill_stores += in.opcode == isa::Opcode::kSTL ? 1U : 0U;
  }
  facts.loops = find_loops(program);
  facts.main_loop = main_loop(facts.loops);
  return facts;
}

StaticFacts static_facts(const isa::Program& program, const trace::proto::LaunchSpec& launch,
                         const machine::Machine& machine) {
  StaticFacts facts = static_facts(program);
  facts.has_launch = true;
  facts.launch_name = launch.name();
  facts.threads = static_cast<uint32_t>(trace::block_threads(launch));
  facts.dynamic_shared = launch.dynamic_shared_bytes();
  facts.ctas = trace::grid_ctas(launch);
  const machine::KernelResources kernel{.threads = facts.threads,
                                        .registers = facts.registers,
                                        .static_shared = facts.static_shared,
                                        .dynamic_shared = facts.dynamic_shared,
                                        .barriers = std::max(1U, program.resources.barriers)};
  const machine::Grid grid{trace::extent(launch.grid().x()), trace::extent(launch.grid().y()),
                           trace::extent(launch.grid().z())};
  const Status fits = machine::check_launch(machine, kernel, grid);
  facts.launchable = static_cast<bool>(fits);
  if (!fits) facts.refusal = fits.error().message;
  if (fits) facts.occupancy = machine::occupancy(machine, kernel);
  if (facts.loop() != nullptr) facts.work = tile_work(program, launch, *facts.loop());
  return facts;
}

}  // namespace smreplay::attribution
