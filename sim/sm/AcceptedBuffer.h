// Memory instructions that the SM has accepted and that wait for tags, banks or the data path: one pool of
// `buffer_entries` for all sub-cores, in order per sub-core. A sub-core whose head cannot be served does not hold up
// the others; of several that can, the one accepted first goes.
//
// Measured on an H200 (docs/CALIBRATION.md): in bursts of 32-way bank conflicts one sub-core has 30 instructions in
// flight, four have 61 together: their own queues and a common pool. How the hardware chooses among sub-cores is not
// known; it favours pairs of them.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/sm/Flight.h"
#include "sim/sm/Ring.h"

namespace smreplay::sm {

class AcceptedBuffer {
 public:
  AcceptedBuffer(uint32_t entries, uint32_t subcores) : capacity_(entries), waiting_(subcores) {}

  bool full() const { return size_ >= capacity_; }
  bool empty() const { return size_ == 0; }
  void push(uint8_t subcore, FlightId flight) {
    waiting_[subcore].push_back({flight, order_++});
    ++size_;
  }
  FlightId pop(uint8_t subcore) {
    const FlightId flight = waiting_[subcore].front().flight;
    waiting_[subcore].pop_front();
    --size_;
    return flight;
  }
  uint8_t subcores() const { return static_cast<uint8_t>(waiting_.size()); }
  bool empty(uint8_t subcore) const { return waiting_[subcore].empty(); }
  FlightId head(uint8_t subcore) const { return waiting_[subcore].front().flight; }
  uint64_t order(uint8_t subcore) const { return waiting_[subcore].front().order; }  // of the head's acceptance

 private:
  struct Waiting {
    FlightId flight = 0;
    uint64_t order = 0;
  };
  uint32_t capacity_;
  uint32_t size_ = 0;
  uint64_t order_ = 0;
  std::vector<Ring<Waiting>> waiting_;
};

}  // namespace smreplay::sm
