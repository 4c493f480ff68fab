// What crosses the border between an SM and the memory system (interconnect, L2, DRAM): requests out, replies in.
//
// Both sides advance in windows: SMs run to the end of a window, then the memory system takes the window's requests, in
// the order (cycle, sm, sequence), and runs to the same time. The window is no longer than the one-way latency of the
// interconnect, so that no reply can be due before the window ends. Times are core-clock cycles.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/engine/Clock.h"

namespace smreplay::engine {

inline constexpr uint32_t kLineBytes = 128;
inline constexpr uint32_t kSectorBytes = 32;

enum class RequestKind : uint8_t { kRead, kWrite, kAtomic, kInstruction, kConstant };

// One request for sectors of one 128-byte line. Reads get one or more replies that together cover `sectors`. Writes are
// acknowledged by one reply (for MEMBAR, drain and write credits). Atomics reply like reads.
struct MemoryRequest {
  Cycle cycle = 0;    // leaves the SM
  uint64_t line = 0;  // byte address / 128
  uint32_t sm = 0;
  uint32_t tag = 0;  // the SM's own; returned unchanged
  RequestKind kind = RequestKind::kRead;
  uint8_t sectors = 0;      // bit i: sector i of the line
  uint8_t write_bytes = 0;  // writes: bytes that travel with the request, 1..128
};

// Where a read was served, for the account of memory time.
enum class ServedBy : uint8_t { kL1, kL2, kDram };

struct MemoryReply {
  Cycle cycle = 0;  // reaches the SM
  uint32_t sm = 0;
  uint32_t tag = 0;
  uint64_t line = 0;
  RequestKind kind = RequestKind::kRead;
  uint8_t sectors = 0;
  ServedBy served_by = ServedBy::kL2;
  // For the account of waiting time: when the request left the SM, and the L2's wait for DRAM (kL2: both 0).
  Cycle sent = 0;
  Cycle dram_from = 0, dram_to = 0;
};

}  // namespace smreplay::engine
