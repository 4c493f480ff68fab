#include "sim/emulator/Emulator.h"

#include <fmt/format.h>

#include <cstring>

#include "kernels/common/FillFromProto.h"
#include "sim/emulator/AddressSpace.h"
#include "sim/emulator/ConstantBank.h"
#include "sim/emulator/Kernel.h"
#include "sim/emulator/ProgressWatch.h"
#include "sim/emulator/TraceRecorder.h"
#include "sim/emulator/WarpRunner.h"

namespace smreplay::emulator {
namespace {

constexpr uint64_t kShare = 4096;           // warp instructions before a looping warp gives way
constexpr uint32_t kMaxThreads = 1024;      // of a CTA, on every architecture
constexpr uint32_t kDefaultStack = 1024;    // bytes per thread: the driver's default cudaLimitStackSize
constexpr uint32_t kSharedAlignment = 128;  // dynamic shared memory follows the static at up to this alignment
constexpr uint8_t kPoison = 0xa5;           // shared memory that nobody wrote

Dimensions dimensions(const trace::proto::Dim3& d) {
  const auto at_least_one = [](uint32_t v) { return v == 0 ? 1 : v; };
  return {at_least_one(d.x()), at_least_one(d.y()), at_least_one(d.z())};
}

uint32_t round_up(uint32_t value, uint32_t multiple) { return (value + multiple - 1) / multiple * multiple; }

}  // namespace

struct Emulator::State {
  explicit State(const isa::Program& p) : program(p), counts(p.instructions.size()) {}

  const isa::Program program;
  Options options;
  MemoryImage memory;
  Kernel kernel;
  std::vector<std::string> notes;
  ExecutionCounts counts;
  PatternTable patterns;
  PathTable paths;
  Cta cta;
  std::vector<Row> rows;                 // of all warps
  std::vector<TraceRecorder> recorders;  // one per warp
  std::unique_ptr<WarpRunner> runner;
  std::unique_ptr<ProgressWatch> watch;
  uint64_t next_cta = 0;

  Status set_up(const trace::proto::LaunchSpec& launch);
  void start_cta();
  void run_cta();
  Error located(const Fault& fault, const Warp* warp, uint32_t pc) const;
  [[noreturn]] void deadlock() const;
};

Status Emulator::State::set_up(const trace::proto::LaunchSpec& launch) {
  cta.grid = dimensions(launch.grid());
  cta.block = dimensions(launch.block());
  const uint64_t threads = cta.block.count();
  if (threads > kMaxThreads) {
    return Error{ExitCode::kBadConfiguration,
                 "launch-dimensions",
                 fmt::format("a CTA of {} threads is larger than the limit of {}", threads, kMaxThreads),
                 {},
                 0,
                 0};
  }
  memory.limit_touched(options.memory_limit);
  for (const auto& buffer : launch.buffers()) {
    if (memory.address(buffer.name())) {
      return Error{ExitCode::kBadInput,
                   "launch-buffer",
                   fmt::format("the launch names the buffer '{}' twice", buffer.name()),
                   {},
                   0,
                   0};
    }
    memory.add(buffer.name(), buffer.bytes(), kernels::fill_from_proto(buffer));
  }
  for (const Preload& p : options.preload) {
    if (!memory.preload(p.buffer, p.contents)) {
      return Error{ExitCode::kBadInput,
                   "launch-buffer",
                   fmt::format("contents of {} bytes do not fit the buffer '{}' ({} bytes)", p.contents.size(),
                               p.buffer, memory.size(p.buffer)),
                   {},
                   0,
                   0};
    }
  }
  const isa::Resources& resources = program.resources;
  cta.local_bytes = round_up(std::max(resources.local_bytes_per_thread, kDefaultStack), 16);
  const auto warps = static_cast<uint32_t>((threads + kLanes - 1) / kLanes);
  auto constants = build_constants(program, launch, memory, cta.grid, cta.block, cta.local_bytes);
  if (!constants) return constants.error();
  notes = constants->notes;
  ConstantBanks banks(1);
  banks[0] = std::move(constants->bank0);
  for (const auto& [number, bytes] : program.constant_banks) {
    if (banks.size() <= number) banks.resize(number + 1);
    if (number != 0) banks[number] = bytes;
  }
  auto compiled = compile(program, std::move(banks));
  if (!compiled) return compiled.error();
  kernel = std::move(*compiled);

  cta.memory = &memory;
  cta.constants = &kernel.banks;
  for (uint32_t l = 0; l < kLanes; ++l) cta.lane_ids.lane[l] = l;
  cta.shared.resize(kReservedSharedBytes + round_up(resources.static_shared_bytes, kSharedAlignment) +
                    launch.dynamic_shared_bytes());
  cta.local.resize(static_cast<size_t>(warps) * (cta.local_bytes / 4) * kLanes);
  cta.warps.resize(warps);
  rows.resize(static_cast<size_t>(warps) * kernel.rows);
  recorders.reserve(warps);
  for (uint32_t i = 0; i < warps; ++i) {
    Warp& w = cta.warps[i];
    w.index = i;
    w.cta = &cta;
    w.rows = rows[static_cast<size_t>(i) * kernel.rows].lane;
    w.bases[0] = w.rows;
    w.bases[1] = kernel.pool.data();
    recorders.emplace_back(program.instructions.size(), patterns, paths);
    w.trace = options.record_trace ? &recorders.back() : nullptr;
  }
  runner = std::make_unique<WarpRunner>(kernel.ops, counts);
  watch = std::make_unique<ProgressWatch>(program, kernel.rows, options.instruction_limit);
  return Ok{};
}

void Emulator::State::start_cta() {
  const Dimensions& g = cta.grid;
  cta.linear_id = static_cast<uint32_t>(next_cta);
  cta.id = {static_cast<uint32_t>(next_cta % g.x), static_cast<uint32_t>(next_cta / g.x % g.y),
            static_cast<uint32_t>(next_cta / (uint64_t{g.x} * g.y))};
  std::memset(cta.shared.data(), kPoison, cta.shared.size());
  std::memset(cta.local.data(), 0, cta.local.size() * sizeof(uint32_t));
  std::memset(static_cast<void*>(rows.data()), 0, rows.size() * sizeof(Row));
  cta.barriers.fill({});
  cta.warps_running = static_cast<uint32_t>(cta.warps.size());
  cta.clock = 0;
  const uint64_t threads = cta.block.count();
  for (Warp& w : cta.warps) {
    const uint64_t first = uint64_t{w.index} * kLanes;
    const uint64_t count = std::min<uint64_t>(kLanes, threads - first);
    const Mask lanes = count == kLanes ? kAllLanes : (Mask{1} << count) - 1;
    w.predicates.fill(0);
    w.predicates[isa::kTruePredicate] = w.predicates[isa::kTruePredicate + kUniformPredicates] = kAllLanes;
    w.status = WarpStatus::kReady;
    w.convergence.reset(lanes);
    w.convergence.put_aside({.lanes = lanes});
    w.async = {};
    if (w.trace != nullptr) w.trace->begin();
  }
  watch->begin();
}

void Emulator::State::deadlock() const {
  std::string who;
  for (const Warp& w : cta.warps) {
    if (w.status == WarpStatus::kAtBarrier)
      who += fmt::format("{}warp {} at barrier {}", who.empty() ? "" : ", ", w.index, w.barrier_id);
  }
  throw Fault{"deadlock", "every warp that still runs waits at a CTA barrier that never completes: " + who,
              ExitCode::kModelLimit, -1};
}

void Emulator::State::run_cta() {
  const Warp* current = nullptr;
  try {
    while (cta.warps_running > 0) {
      bool progress = false;
      for (Warp& w : cta.warps) {
        if (w.status != WarpStatus::kReady) continue;
        current = &w;
        runner->run(w, kShare);
        progress = true;
        if (w.status == WarpStatus::kDone) warp_ended(cta);
      }
      current = nullptr;
      if (!progress) deadlock();
      if (const auto stuck = watch->check(cta, recorders)) {
        throw located(stuck->fault, &cta.warps[stuck->warp], stuck->instruction);
      }
    }
  } catch (const Fault& fault) {
    throw located(fault, current, runner->pc());
  }
}

// "kernel 'k', pc 0x0120 (LDG.E ...), CTA (1,0,0), warp 2, lane 7 reads ..."
Error Emulator::State::located(const Fault& fault, const Warp* warp, uint32_t pc) const {
  Error error{fault.exit, fault.code, {}, {}, 0, 0};
  std::string where = fmt::format("kernel '{}', CTA ({},{},{})", program.kernel, cta.id.x, cta.id.y, cta.id.z);
  if (warp != nullptr) {
    where += fmt::format(", warp {}", warp->index);
    if (fault.lane >= 0) where += fmt::format(", lane {}", fault.lane);
    if (pc < program.instructions.size()) {
      where += fmt::format(", at {:#06x} ({})", pc * isa::kInstructionBytes, program.instructions[pc].text);
      if (!source_place(program, pc).empty()) {
        error.file = program.files[program.lines[pc].file];
        error.line = static_cast<int>(program.lines[pc].line);
      }
    }
  }
  error.message = where + ": " + fault.message;
  return error;
}

Emulator::Emulator(std::unique_ptr<State> state) : state_(std::move(state)) {}
Emulator::~Emulator() = default;

Result<std::unique_ptr<Emulator>> Emulator::create(const isa::Program& program, const trace::proto::LaunchSpec& launch,
                                                   Options options) {
  auto state = std::make_unique<State>(program);
  state->options = std::move(options);
  try {
    if (const Status status = state->set_up(launch); !status) return status.error();
  } catch (const Fault& fault) {
    return Error{fault.exit, fault.code, fault.message, {}, 0, 0};
  }
  return std::unique_ptr<Emulator>(new Emulator(std::move(state)));
}

Result<std::shared_ptr<const trace::CtaTrace>> Emulator::next() {
  State& s = *state_;
  if (s.next_cta == s.cta.grid.count()) return std::shared_ptr<const trace::CtaTrace>();
  s.start_cta();
  try {
    s.run_cta();
  } catch (const Error& error) {
    return error;
  }
  auto result = std::make_shared<trace::CtaTrace>();
  result->linear_id = s.cta.linear_id;
  if (s.options.record_trace) {
    result->warps.reserve(s.cta.warps.size());
    for (TraceRecorder& r : s.recorders) result->warps.push_back(r.finish());
    result->patterns = s.patterns.take();
  }
  ++s.next_cta;
  return std::shared_ptr<const trace::CtaTrace>(std::move(result));
}

Status Emulator::run_all() {
  for (;;) {
    const auto cta = next();
    if (!cta) return cta.error();
    if (*cta == nullptr) return Ok{};
  }
}

std::vector<uint8_t> Emulator::buffer(std::string_view name) const { return state_->memory.read(name); }
std::vector<InstructionCount> Emulator::counts() const { return state_->counts.totals(); }
uint64_t Emulator::warp_instructions() const { return state_->runner->instructions(); }
uint64_t Emulator::ctas() const { return state_->next_cta; }
const std::vector<std::string>& Emulator::notes() const { return state_->notes; }

}  // namespace smreplay::emulator
