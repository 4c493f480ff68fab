// One DRAM channel (an 8-bit channel of GDDR7, a pseudo-channel of HBM3e) and its controller, command by command.
//
// Scheduling is first-ready, first-come (Rixner et al., ISCA 2000): of the commands that can go first, the one of the
// oldest request. NVIDIA's controllers are not published; what is assumed here:
// * Open pages: a row stays open until another row of the bank is asked for or the bank is refreshed.
// * A bank with queued hits to its open row serves these first, unless its oldest request is older than starve_ticks.
// * Reads go first. Writes collect until write_high of them are here, or until no read was here for as long as turning
// the
//   bus back would take (cwl + burst_ticks + wtr_l); then they drain until write_low are left and a read waits, or none
//   is left. No write is forwarded to a later read.
// * The windows of reads and of writes have queue_entries each; what exceeds them waits in order.
// * One column command and one row command per tick, on buses of their own.
// * A refresh that is owed blocks its banks: they are precharged as soon as they may be, then refreshed.
// The channel wakes only at ticks at which a command is issued or a request arrives; an idle channel catches up on its
// refreshes when the next request comes.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/machine/Machine.h"
#include "sim/memory/ArrivalQueue.h"
#include "sim/memory/DramGates.h"
#include "sim/memory/DramQueue.h"
#include "sim/memory/DramRefresh.h"
#include "sim/memory/LatencyHistogram.h"

namespace smreplay::memory {

struct DramCounters {
  uint64_t reads = 0, writes = 0;  // bursts
  uint64_t row_hits = 0;           // bursts that found their row open
  uint64_t row_misses = 0;         // the bank was closed
  uint64_t row_conflicts = 0;      // another row had to be closed first
  uint64_t activates = 0, precharges = 0, refreshes = 0;
  uint64_t turnarounds = 0;  // changes of direction of the data bus
  uint64_t starved = 0;      // bursts served out of turn because of their age
  uint64_t queue_ticks = 0;  // sum over bursts: ticks from arrival to the column command
  uint64_t max_queue = 0;    // most bursts waiting
  uint64_t busy_ticks = 0;   // data bus in use
  DramCounters& operator+=(const DramCounters& other);
};

// Data of a read burst that has passed the bus.
struct DramData {
  engine::Cycle tick;  // end of the burst
  uint32_t slice;
  uint32_t miss;
  uint8_t sectors;
};

// For tests: what went over the command buses.
struct DramCommandRecord {
  DramCommand command;
  uint32_t bank;
  uint32_t row;
  engine::Cycle tick;
  bool operator==(const DramCommandRecord&) const = default;
};

class DramChannel {
 public:
  // `index`: over the whole chip.
  DramChannel(const machine::Dram& dram, uint32_t index);

  // A burst arrives at `tick`; not before the channel's present.
  void arrive(engine::Cycle tick, bool write, const DramRequest& request);
  // Tick at which something happens next; kNever when idle.
  engine::Cycle next() const { return std::min(arrivals_.next(), plan_.tick()); }
  // Does everything before `end`; appends the data of reads in order of time.
  void run_until(engine::Cycle end, std::vector<DramData>& data);
  bool idle() const { return arrivals_.empty() && reads_.empty() && writes_.empty(); }

  const DramCounters& counters() const { return counters_; }
  const LatencyHistogram& read_latency() const { return read_latency_; }  // arrival to end of data
  void clear_counters();
  void record_commands(std::vector<DramCommandRecord>* record) { record_ = record; }

 private:
  struct Arrival {
    DramRequest request;
    bool write;
  };
  struct Candidate {
    engine::Cycle tick = engine::kNever;
    uint64_t order = ~uint64_t{0};
    DramCommand command = DramCommand::kActivate;
    uint32_t bank = 0;
    uint32_t request = DramQueue::kNone;
    bool refresh = false;
  };
  // The next command of each bus, as far as is known now.
  struct Plan {
    Candidate column, row;
    engine::Cycle refresh = engine::kNever;  // when a refresh will be owed
    engine::Cycle drain = engine::kNever;    // when waiting writes may go for want of reads
    engine::Cycle tick() const { return std::min({column.tick, row.tick, refresh, drain}); }
  };
  // What a bank wants next, without regard to the others.
  struct Wish {
    engine::Cycle own_gate = 0;
    uint64_t order = 0;
    uint32_t request = DramQueue::kNone;
    uint32_t group = 0;
    DramCommand command = DramCommand::kActivate;
    bool operator==(const Wish&) const = default;
  };
  enum class Opened : uint8_t { kByHit, kByMiss, kByConflict };

  void admit(engine::Cycle now);
  void catch_up(engine::Cycle now);
  void choose_direction(engine::Cycle now);
  void make_plan(engine::Cycle now);
  bool prepare(uint32_t bank, engine::Cycle now);
  void consider(uint32_t bank, engine::Cycle from, Candidate& best) const;
  void plan_refresh(engine::Cycle now);
  void issue_column(const Candidate& chosen, std::vector<DramData>& data);
  void issue_row(const Candidate& chosen);
  void close(uint32_t bank);
  void note(DramCommand command, uint32_t bank, uint32_t row, engine::Cycle tick);
  DramQueue& queue() { return writing_ ? writes_ : reads_; }

  machine::Dram dram_;
  DramGates gates_;
  DramRefresh refresh_;
  DramQueue reads_, writes_;
  ArrivalQueue<Arrival> arrivals_;
  Plan plan_;
  std::vector<Wish> wishes_;                         // per bank with requests in the window, for the present direction
  uint64_t stale_ = 0;                               // banks whose wish must be found anew, a bit each
  uint64_t column_wishes_ = 0;                       // banks that wish a column command, a bit each
  bool rescan_columns_ = true, rescan_rows_ = true;  // the shared gates of the bus have moved since the plan
  uint64_t open_ = 0;                                // banks with an open row, a bit each
  uint64_t blocked_ = 0;                             // banks that wait for an owed refresh
  std::vector<uint32_t> open_row_;
  std::vector<Opened> opened_;        // how the open row came about, for its first burst
  std::vector<bool> closed_for_row_;  // the last precharge was made for a request
  bool writing_ = false;
  engine::Cycle patience_;       // how long reads must have been absent before waiting writes go
  engine::Cycle last_read_ = 0;  // when a read was here last
  engine::Cycle row_bus_free_ = 0;
  uint64_t order_ = 0;
  DramCounters counters_;
  LatencyHistogram read_latency_;
  std::vector<DramCommandRecord>* record_ = nullptr;
};

}  // namespace smreplay::memory
