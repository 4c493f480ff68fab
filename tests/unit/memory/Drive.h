// Drives a memory system the way the chip does: in windows, requests in order.
#pragma once

#include <algorithm>
#include <vector>

#include "sim/memory/MemorySystem.h"

namespace smreplay::memory {

// Runs all requests (in the order of cycle, sm) to the end, in windows of `window` cycles; returns all replies.
inline std::vector<engine::MemoryReply> drive(MemorySystem& memory, const std::vector<engine::MemoryRequest>& requests,
                                              engine::Cycle window) {
  std::vector<engine::MemoryReply> replies;
  std::vector<engine::MemoryRequest> due;
  size_t sent = 0;
  engine::Cycle end = 0;
  while (sent < requests.size() || !memory.idle()) {
    const engine::Cycle first = sent < requests.size() ? requests[sent].cycle : engine::kNever;
    end = std::max(end, std::min(first, memory.next())) + window;
    due.clear();
    while (sent < requests.size() && requests[sent].cycle < end) due.push_back(requests[sent++]);
    memory.submit(due);
    memory.run_until(end);
    memory.take_replies(replies);
  }
  return replies;
}

inline std::vector<engine::MemoryReply> drive(MemorySystem& memory,
                                              const std::vector<engine::MemoryRequest>& requests) {
  return drive(memory, requests, memory.window());
}

inline engine::MemoryRequest read_request(engine::Cycle cycle, uint32_t sm, uint64_t line, uint8_t sectors = 1) {
  engine::MemoryRequest request;
  request.cycle = cycle;
  request.sm = sm;
  request.line = line;
  request.sectors = sectors;
  return request;
}

inline engine::MemoryRequest write_request(engine::Cycle cycle, uint32_t sm, uint64_t line, uint8_t sectors,
                                           uint8_t bytes) {
  engine::MemoryRequest request = read_request(cycle, sm, line, sectors);
  request.kind = engine::RequestKind::kWrite;
  request.write_bytes = bytes;
  return request;
}

}  // namespace smreplay::memory
