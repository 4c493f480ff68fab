#include "tools/gpu/EmulatedChain.h"

#include <utility>

#include "sim/emulator/Emulator.h"
#include "sim/trace/ProgramIo.h"

namespace smreplay::gpu {
namespace {

// The contents that an earlier launch left in buffers of this launch.
std::vector<emulator::Preload> preload(const trace::proto::LaunchSpec& launch, const kernels::BufferContents& left) {
  std::vector<emulator::Preload> result;
  for (const auto& buffer : launch.buffers()) {
    const auto found = left.find(buffer.name());
    if (found != left.end()) result.push_back({buffer.name(), found->second});
  }
  return result;
}

}  // namespace

Result<std::vector<EmulatedLaunch>> emulate_chain(const std::vector<trace::proto::LaunchSpec>& chain,
                                                  const std::string& folder) {
  std::vector<EmulatedLaunch> launches;
  kernels::BufferContents left;
  for (const auto& launch : chain) {
    auto program = trace::read_program(folder + "/" + launch.program());
    if (!program) return program.error();
    emulator::Options options;
    options.record_trace = false;
    options.preload = preload(launch, left);
    auto emulator = emulator::Emulator::create(*program, launch, std::move(options));
    if (!emulator) return emulator.error();
    if (Status status = (*emulator)->run_all(); !status) return status.error();
    EmulatedLaunch result;
    result.counts = (*emulator)->counts();
    for (const auto& buffer : launch.buffers()) {
      if (!buffer.output()) continue;
      result.outputs[buffer.name()] = (*emulator)->buffer(buffer.name());
      left[buffer.name()] = result.outputs[buffer.name()];
    }
    result.program = std::move(*program);
    launches.push_back(std::move(result));
  }
  return launches;
}

}  // namespace smreplay::gpu
