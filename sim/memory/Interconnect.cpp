#include "sim/memory/Interconnect.h"

#include <algorithm>
#include <bit>

namespace smreplay::memory {
namespace {

// Which of `parts` equal contiguous blocks an index falls into.
uint32_t block_of(uint32_t index, uint32_t count, uint32_t parts) {
  return static_cast<uint32_t>(uint64_t{index} * parts / count);
}

}  // namespace

uint32_t request_data_bytes(const engine::MemoryRequest& request) {
  const bool carries_data = request.kind == engine::RequestKind::kWrite || request.kind == engine::RequestKind::kAtomic;
  return carries_data ? request.write_bytes : 0;
}

uint32_t reply_data_bytes(engine::RequestKind kind, uint8_t sectors) {
  if (kind == engine::RequestKind::kWrite) return 0;
  return static_cast<uint32_t>(std::popcount(sectors)) * engine::kSectorBytes;
}

Interconnect::Interconnect(const machine::Machine& machine)
    : header_bytes_(machine.interconnect.header_bytes),
      request_cycles_(machine.interconnect.request_cycles),
      reply_cycles_(machine.interconnect.reply_cycles),
      far_request_cycles_(machine.l2.far_extra_cycles / 2),
      far_reply_cycles_(machine.l2.far_extra_cycles - machine.l2.far_extra_cycles / 2),
      injection_(machine.sm_count, BytePort(machine.interconnect.sm_request_bytes_per_cycle)),
      ejection_(machine.sm_count, BytePort(machine.interconnect.sm_reply_bytes_per_cycle)),
      gpc_(std::max(1U, machine.interconnect.gpcs), BytePort(machine.interconnect.gpc_reply_bytes_per_cycle)) {
  const auto gpcs = static_cast<uint32_t>(gpc_.size());
  for (uint32_t sm = 0; sm < machine.sm_count; ++sm) {
    gpc_of_sm_.push_back(block_of(sm, machine.sm_count, gpcs));
    half_of_sm_.push_back(static_cast<uint8_t>(block_of(gpc_of_sm_.back(), gpcs, machine.l2.partitions)));
  }
  for (uint32_t slice = 0; slice < machine.l2.slices; ++slice) {
    half_of_slice_.push_back(static_cast<uint8_t>(block_of(slice, machine.l2.slices, machine.l2.partitions)));
  }
}

engine::Cycle Interconnect::inject(const engine::MemoryRequest& request, uint32_t slice) {
  const uint32_t bytes = header_bytes_ + request_data_bytes(request);
  const BytePort::Passage passage = injection_[request.sm].pass(request.cycle, bytes);
  ++counters_.requests;
  counters_.request_bytes += bytes;
  counters_.request_wait_cycles += passage.head - request.cycle;
  return passage.tail + request_cycles_ + (is_far(request.sm, slice) ? far_request_cycles_ : 0);
}

engine::Cycle Interconnect::eject(uint32_t sm, engine::Cycle at, uint32_t data_bytes) {
  const uint32_t bytes = header_bytes_ + data_bytes;
  const BytePort::Passage gpc = gpc_[gpc_of_sm_[sm]].pass(at, bytes);
  const BytePort::Passage port = ejection_[sm].pass(gpc.head, bytes);
  ++counters_.replies;
  counters_.reply_bytes += bytes;
  counters_.reply_wait_cycles += port.head - at;
  return std::max(gpc.tail, port.tail);
}

}  // namespace smreplay::memory
