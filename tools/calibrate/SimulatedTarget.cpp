#include "tools/calibrate/SimulatedTarget.h"

#include <algorithm>
#include <cstring>
#include <sstream>
#include <tuple>

#include "sim/calibrate/Pack.h"
#include "sim/emulator/Emulator.h"
#include "sim/engine/Invariant.h"
#include "sim/gpu/Chip.h"
#include "sim/machine/Occupancy.h"
#include "sim/memory/MemorySystem.h"
#include "sim/trace/ProgramIo.h"
#include "sim/trace/launch.pb.h"

namespace smreplay::calibrate {
namespace {

constexpr uint64_t kOutBytes = 4 << 20;
constexpr uint64_t kSinkBytes = 1 << 20;
constexpr uint64_t kLeastDataBytes = 8 << 20;
constexpr uint32_t kLanes = 32;
constexpr int kData = 2;  // argument of the window

// Lines of a text without their newlines.
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// The patch on the stored form of a Program: encodings, and the text in the same new order.
Status patch_program(trace::proto::Program& program, const BurstPatch& patch) {
  const size_t count = program.low_words().size() / sizeof(uint64_t);
  std::vector<Encoding> code(count);
  for (size_t i = 0; i < count; ++i) {
    std::memcpy(&code[i][0], program.low_words().data() + i * sizeof(uint64_t), sizeof(uint64_t));
    std::memcpy(&code[i][1], program.high_words().data() + i * sizeof(uint64_t), sizeof(uint64_t));
  }
  const auto order = patch_burst(code, patch);
  if (!order) return order.error();
  for (size_t i = 0; i < count; ++i) {
    std::memcpy(program.mutable_low_words()->data() + i * sizeof(uint64_t), &code[i][0], sizeof(uint64_t));
    std::memcpy(program.mutable_high_words()->data() + i * sizeof(uint64_t), &code[i][1], sizeof(uint64_t));
  }
  const std::vector<std::string> lines = lines_of(program.text());
  std::string text;
  for (const uint32_t i : *order) text += lines[i] + "\n";
  *program.mutable_text() = text;
  return Ok{};
}

void add_buffer(trace::proto::LaunchSpec& launch, const char* name, uint64_t bytes) {
  auto* buffer = launch.add_buffers();
  buffer->set_name(name);
  buffer->set_bytes(bytes);
  buffer->mutable_fill()->mutable_zero();
  launch.add_arguments()->set_buffer(name);
}

trace::proto::LaunchSpec launch_of(const std::string& kernel, uint32_t ctas, uint32_t threads, uint32_t shared,
                                   const std::array<uint32_t, 4>& arguments, uint64_t data_bytes) {
  trace::proto::LaunchSpec launch;
  launch.set_name(kernel);
  launch.set_kernel(kernel);
  launch.mutable_grid()->set_x(ctas);
  launch.mutable_block()->set_x(threads);
  launch.set_dynamic_shared_bytes(shared);
  launch.set_shared_carveout_kb(-1);
  add_buffer(launch, "out", kOutBytes);
  add_buffer(launch, "sink", kSinkBytes);
  add_buffer(launch, "data", data_bytes);
  for (const uint32_t argument : arguments) launch.add_arguments()->set_u32(argument);
  return launch;
}

// Bytes of the window: what a benchmark's setup writes, a whole ring, or what a stream of all SMs reads.
uint64_t data_bytes(const Benchmark& benchmark) {
  constexpr uint64_t kStreamBytes = 64 << 20;
  uint64_t bytes = benchmark.readings == Readings::kCtaCycles ? kStreamBytes : kLeastDataBytes;
  for (const Setup& setup : benchmark.setup) {
    if (setup.kernel == "link_ring")
      bytes = std::max(bytes, setup.data_offset + uint64_t{setup.arguments[0]} * setup.arguments[1]);
  }
  return bytes;
}

// The first and the last reading of each CTA, in the form of GlobalTimes.cuh without nanoseconds.
std::vector<uint32_t> cta_words(const std::vector<sm::ClockReading>& readings) {
  std::map<std::pair<uint32_t, uint32_t>, std::pair<uint64_t, uint64_t>> ctas;  // by SM and slot
  for (const sm::ClockReading& reading : readings) {
    const auto [at, fresh] = ctas.try_emplace({reading.sm, reading.cta}, reading.cycle, reading.cycle);
    at->second.first = std::min(at->second.first, reading.cycle);
    at->second.second = std::max(at->second.second, reading.cycle);
  }
  std::vector<uint32_t> words;
  for (const auto& [place, times] : ctas) {
    words.insert(words.end(), {static_cast<uint32_t>(times.first), static_cast<uint32_t>(times.second), 0, 0});
  }
  return words;
}

// The readings of each warp, in order, at the places where the kernel would write them.
std::vector<uint32_t> words_of(const Benchmark& benchmark, std::vector<sm::ClockReading> readings) {
  std::stable_sort(readings.begin(), readings.end(), [](const sm::ClockReading& a, const sm::ClockReading& b) {
    return std::tie(a.sm, a.cta, a.warp) < std::tie(b.sm, b.cta, b.warp);
  });
  if (benchmark.readings == Readings::kCtaCycles) return cta_words(readings);
  const uint32_t warps = (benchmark.threads + kLanes - 1) / kLanes;
  const uint32_t per_warp = benchmark.words / warps;
  std::vector<uint32_t> words(benchmark.words), next(warps, 0);
  for (const sm::ClockReading& reading : readings) {
    if (reading.warp >= warps || next[reading.warp] >= per_warp) continue;
    words[reading.warp * per_warp + next[reading.warp]++] = static_cast<uint32_t>(reading.cycle);
  }
  return words;
}

}  // namespace

Result<std::unique_ptr<SimulatedTarget>> SimulatedTarget::open(const std::string& folder,
                                                               const machine::Machine& machine) {
  Result<PackEntries> entries = read_pack(folder + "/sm" + std::to_string(machine.sm) + ".programs");
  if (!entries) return entries.error();
  std::unique_ptr<SimulatedTarget> target(new SimulatedTarget(machine));
  for (auto& [name, bytes] : *entries) target->programs_[name] = std::move(bytes);
  return target;
}

Result<isa::Program> SimulatedTarget::program(const std::string& kernel, const BurstPatch* patch) const {
  const auto found = programs_.find(kernel);
  trace::proto::Program message;
  if (found == programs_.end() || !message.ParseFromString(found->second)) {
    return Error{ExitCode::kBadInput, "calibrate-patch", "no Program of the kernel " + kernel};
  }
  if (patch != nullptr) {
    if (Status s = patch_program(message, *patch); !s) return s.error();
  }
  return trace::from_message(message, kernel);
}

// What the launches before leave in the window.
Result<std::vector<uint8_t>> SimulatedTarget::data_of(const Benchmark& benchmark) const {
  std::vector<uint8_t> data;
  for (const Setup& setup : benchmark.setup) {
    if (setup.kernel != "link_ring") continue;  // it only moves lines into caches
    const Result<isa::Program> code = program(setup.kernel, nullptr);
    if (!code) return code.error();
    emulator::Options options;
    options.record_trace = false;
    auto launch = launch_of(setup.kernel, setup.ctas, setup.threads, 0, setup.arguments, data_bytes(benchmark));
    launch.mutable_arguments(kData)->set_offset(setup.data_offset);
    const auto emulated = emulator::Emulator::create(*code, launch, options);
    if (!emulated) return emulated.error();
    if (Status s = (*emulated)->run_all(); !s) return s.error();
    data = (*emulated)->buffer("data");
  }
  return data;
}

Result<std::vector<uint32_t>> SimulatedTarget::words(const Benchmark& benchmark, const isa::Program& program) const {
  Result<std::vector<uint8_t>> data = data_of(benchmark);
  if (!data) return data.error();
  emulator::Options options;
  if (!data->empty()) options.preload.push_back({"data", std::move(*data)});
  auto launch = launch_of(benchmark.kernel, benchmark.ctas, benchmark.threads, benchmark.dynamic_shared_bytes,
                          benchmark.arguments, data_bytes(benchmark));
  launch.mutable_arguments(kData)->set_offset(benchmark.data_offset);
  const auto emulated = emulator::Emulator::create(program, launch, std::move(options));
  if (!emulated) return emulated.error();

  machine::KernelResources resources;
  resources.threads = benchmark.threads;
  resources.registers = program.resources.registers_per_thread;
  resources.static_shared = program.resources.static_shared_bytes;
  resources.dynamic_shared = benchmark.dynamic_shared_bytes;
  resources.barriers = std::max(1U, program.resources.barriers);
  const machine::OccupancyReport occupancy = machine::occupancy(machine_, resources);
  gpu::LaunchShape shape;
  shape.ctas = benchmark.ctas;
  shape.warps_per_cta = (benchmark.threads + kLanes - 1) / kLanes;
  shape.ctas_per_sm = occupancy.ctas;
  shape.l1_bytes = occupancy.tight_l1_bytes;
  try {
    memory::MemorySystem memory(machine_);
    gpu::Chip chip(program, machine_, shape, memory);
    const auto counts = chip.run(**emulated, {});
    if (!counts) return counts.error();
    return words_of(benchmark, counts->ledger.clock_readings);
  } catch (const engine::ModelLimit& e) {
    return Error{ExitCode::kModelLimit, "model-limit", e.what()};
  } catch (const engine::InvariantBroken& e) {
    return Error{ExitCode::kInvariantBroken, "invariant-broken", e.what()};
  }
}

Result<std::vector<int64_t>> SimulatedTarget::run(const Benchmark& benchmark) const {
  const Result<isa::Program> code = program(benchmark.kernel, benchmark.patch ? &*benchmark.patch : nullptr);
  if (!code) return code.error();
  const Result<std::vector<uint32_t>> read = words(benchmark, *code);
  if (!read) return read.error();
  const std::vector<int64_t> once = samples(benchmark, *read);
  std::vector<int64_t> all;
  for (uint32_t i = 0; i < benchmark.launches; ++i)
    all.insert(all.end(), once.begin(), once.end());  // it repeats exactly
  return all;
}

}  // namespace smreplay::calibrate
