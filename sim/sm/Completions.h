// How instructions leave the memory side: sources read, result over the return path, copy into shared memory, written.
//
// Owns the instructions in flight and the time of everything that is still to come for them, raises the SM's events at
// their cycle and in time order, and checks that each token gets each of its events exactly once (kSourcesRead; then
// kResultWritten where it has a result; kRetired last).
#pragma once

#include <vector>

#include "sim/machine/Machine.h"
#include "sim/sm/AsyncCopyGroups.h"
#include "sim/sm/DataPath.h"
#include "sim/sm/Flight.h"
#include "sim/sm/ReturnPath.h"
#include "sim/sm/TimingWheel.h"

namespace smreplay::sm {

class Completions {
 public:
  Completions(const machine::Machine& machine, DataPath& data_path);

  FlightId add(const MemoryOp& op, uint8_t owed);
  Flight& flight(FlightId id) { return flights_[id]; }
  const Flight& flight(FlightId id) const { return flights_[id]; }
  bool in_flight(FlightId id) const { return id < flights_.size() && flights_[id].owed != 0; }
  void hold_pending(FlightId id);  // takes a pending-request entry until the token retires
  uint32_t pending() const { return pending_; }

  // Each schedules one step; a cycle before `now` means now.
  void sources_read(FlightId id, Cycle now, Cycle at) { schedule(now, at, Step::kSources, id); }
  void written(FlightId id, Cycle now, Cycle at) { schedule(now, at, Step::kWritten, id); }
  // The result is complete in registers at `ready` if the return path is free.
  void result(FlightId id, Cycle now, Cycle ready);
  // The same, not before the results of the warp's earlier in-order instructions: shared memory answers a warp in
  // order, and ptxas relies on it (it waits for the last of several loads only).
  void result_in_order(FlightId id, Cycle now, Cycle ready);
  // LDGSTS: visible in shared memory at `ready` if the data path is free and no banks conflict.
  void copy_into_shared(FlightId id, Cycle now, Cycle ready);
  void start_copy(FlightId id);                            // LDGSTS, in program order
  void close_copies(FlightId id, Cycle now, Cycle ready);  // LDGDEPBAR, in program order

  void slot_free(uint8_t subcore, Cycle now) {
    events_.push_back(MemoryEvent{now, MemoryEvent::Kind::kQueueSlot, subcore, 0, engine::ServedBy::kL1});
  }

  Cycle next() const { return wheel_.next(); }
  void run(Cycle now);  // everything due at `now`; nothing is due before
  void take_events(std::vector<MemoryEvent>& out);
  bool idle() const { return flights_.live() == 0 && events_.empty(); }

 private:
  enum class Step : uint8_t { kSources, kWritten, kTransfer, kResult, kFill };
  struct Due {
    Step step = Step::kSources;
    FlightId flight = 0;
  };
  void schedule(Cycle now, Cycle at, Step step, FlightId id) { wheel_.schedule(now, std::max(now, at), Due{step, id}); }
  void discharge(FlightId id, Owed what, Cycle now);
  void finish_copy(FlightId id, Cycle now);
  void emit_done_markers(uint16_t warp, Cycle now);

  DataPath* data_path_;
  uint32_t fill_cycles_;  // LDGSTS: data at the L1 to visible
  FlightPool flights_;
  TimingWheel<Due> wheel_;
  ReturnPath return_path_;
  std::vector<Cycle> last_in_order_;  // by warp: start of the last in-order transfer
  AsyncCopyGroups copies_;
  uint32_t pending_ = 0;
  std::vector<MemoryEvent> events_;
  std::vector<AsyncCopyGroups::Marker> markers_;  // scratch
};

}  // namespace smreplay::sm
