#include "sim/memory/DramChannel.h"

#include <algorithm>
#include <bit>

#include "sim/engine/Invariant.h"

namespace smreplay::memory {
namespace {

using engine::Cycle;
using engine::kNever;

uint64_t bit(uint32_t bank) { return uint64_t{1} << bank; }

// Calls visit(bank) for every bit of the mask, lowest first.
template <class Visit>
void for_each_bank(uint64_t mask, Visit visit) {
  for (; mask != 0; mask &= mask - 1) visit(static_cast<uint32_t>(std::countr_zero(mask)));
}

}  // namespace

DramCounters& DramCounters::operator+=(const DramCounters& other) {
  reads += other.reads;
  writes += other.writes;
  row_hits += other.row_hits;
  row_misses += other.row_misses;
  row_conflicts += other.row_conflicts;
  activates += other.activates;
  precharges += other.precharges;
  refreshes += other.refreshes;
  turnarounds += other.turnarounds;
  starved += other.starved;
  queue_ticks += other.queue_ticks;
  max_queue = std::max(max_queue, other.max_queue);
  busy_ticks += other.busy_ticks;
  return *this;
}

DramChannel::DramChannel(const machine::Dram& dram, uint32_t index)
    : dram_(dram),
      gates_(dram),
      refresh_(dram, index),
      reads_(dram.queue_entries, dram.banks),
      writes_(dram.queue_entries, dram.banks),
      wishes_(dram.banks),
      open_row_(dram.banks),
      opened_(dram.banks, Opened::kByHit),
      closed_for_row_(dram.banks),
      patience_(dram.cwl + dram.burst_ticks + dram.wtr_l),
      read_latency_(dram.clock_khz) {}

void DramChannel::clear_counters() {
  counters_ = {};
  read_latency_ = LatencyHistogram(dram_.clock_khz);
}

void DramChannel::arrive(Cycle tick, bool write, const DramRequest& request) {
  arrivals_.push(tick, Arrival{request, write}, request.slice);
}

void DramChannel::run_until(Cycle end, std::vector<DramData>& data) {
  while (true) {
    const Cycle arrival = arrivals_.next();
    const Cycle planned = plan_.tick();
    const Cycle now = std::min(arrival, planned);
    if (now >= end) return;
    if (arrival <= planned) {
      admit(now);
    } else {
      // Both buses can carry a command of the same tick: they are for different banks.
      const Plan plan = plan_;
      if (plan.column.tick == now) issue_column(plan.column, data);
      if (plan.row.tick == now) issue_row(plan.row);
    }
    make_plan(now);
  }
}

void DramChannel::admit(Cycle now) {
  if (reads_.empty() && writes_.empty()) catch_up(now);
  while (arrivals_.next() <= now) {
    const Cycle at = arrivals_.next();
    Arrival arrival = arrivals_.pop();
    arrival.request.arrival = at;
    arrival.request.order = ++order_;
    (arrival.write ? writes_ : reads_).push(arrival.request);
  }
  counters_.max_queue = std::max<uint64_t>(counters_.max_queue, reads_.size() + writes_.size());
}

// The channel was idle: does the refreshes that fell due meanwhile, at the ticks at which they would have gone.
void DramChannel::catch_up(Cycle now) {
  stale_ = ~uint64_t{0};
  counters_.refreshes += refresh_.skip_before(now);
  while (refresh_.due() < now) {
    Cycle tick = std::max(refresh_.due(), row_bus_free_);
    const uint64_t banks = refresh_.banks();
    if ((banks & open_) != 0) {
      for_each_bank(banks & open_,
                    [&](uint32_t bank) { tick = std::max(tick, gates_.earliest(DramCommand::kPrecharge, bank)); });
      if (tick >= now) return;  // still to do when the request comes: the ordinary way
      for_each_bank(banks & open_, [&](uint32_t bank) {
        gates_.issue(DramCommand::kPrecharge, bank, tick);
        note(DramCommand::kPrecharge, bank, 0, tick);
        close(bank);
        closed_for_row_[bank] = false;
      });
      row_bus_free_ = tick + 1;
      ++counters_.precharges;
    }
    for_each_bank(banks, [&](uint32_t bank) { tick = std::max(tick, gates_.earliest(DramCommand::kRefresh, bank)); });
    if (tick >= now) return;
    for_each_bank(banks, [&](uint32_t bank) {
      gates_.issue(DramCommand::kRefresh, bank, tick, refresh_.duration());
      note(DramCommand::kRefresh, bank, 0, tick);
    });
    row_bus_free_ = tick + 1;
    refresh_.done();
    ++counters_.refreshes;
  }
}

void DramChannel::choose_direction(Cycle now) {
  if (!reads_.empty()) last_read_ = now;
  const bool was_writing = writing_;
  if (writing_) {
    writing_ = !writes_.empty() && (writes_.size() > dram_.write_low || reads_.empty());
  } else {
    writing_ = writes_.size() >= std::max(1U, dram_.write_high) || (reads_.empty() && now >= last_read_ + patience_);
    if (reads_.empty() && !writing_) plan_.drain = last_read_ + patience_;
  }
  if (writing_ == was_writing) return;
  ++counters_.turnarounds;
  stale_ = ~uint64_t{0};
  rescan_columns_ = rescan_rows_ = true;
}

// Finds the next command of each bus. What did not change since the last plan is kept: a command moves the shared gates
// of its own bus only, an arrival those of none.
void DramChannel::make_plan(Cycle now) {
  plan_.refresh = plan_.drain = kNever;
  if (reads_.empty() && writes_.empty()) {
    plan_ = Plan{};
    rescan_columns_ = rescan_rows_ = true;
    return;
  }
  choose_direction(now);
  const bool was_blocked = blocked_ != 0;
  const bool owed = refresh_.due() <= now;
  blocked_ = owed ? refresh_.banks() : 0;
  if (!owed) plan_.refresh = refresh_.due();
  if (owed || was_blocked) rescan_columns_ = rescan_rows_ = true;

  const uint64_t banks = queue().banks() & ~blocked_;
  stale_ |= queue().take_changed();
  uint64_t changed = 0;
  for_each_bank(banks & stale_, [&](uint32_t bank) { changed |= prepare(bank, now) ? bit(bank) : 0; });
  rescan_columns_ |= plan_.column.tick != kNever && (changed & bit(plan_.column.bank)) != 0;
  rescan_rows_ |= plan_.row.tick != kNever && (changed & bit(plan_.row.bank)) != 0;
  if (rescan_columns_) plan_.column = Candidate{};
  if (rescan_rows_) plan_.row = Candidate{};
  if (owed) plan_refresh(now);
  for_each_bank(banks & column_wishes_ & (rescan_columns_ ? banks : changed),
                [&](uint32_t bank) { consider(bank, now, plan_.column); });
  for_each_bank(banks & ~column_wishes_ & (rescan_rows_ ? banks : changed),
                [&](uint32_t bank) { consider(bank, std::max(now, row_bus_free_), plan_.row); });
  rescan_columns_ = rescan_rows_ = false;
}

void DramChannel::plan_refresh(Cycle now) {
  const uint64_t to_close = blocked_ & open_;
  Candidate next;
  next.order = 0;
  next.refresh = true;
  next.command = to_close != 0 ? DramCommand::kPrecharge : DramCommand::kRefresh;
  next.tick = std::max(now, row_bus_free_);
  for_each_bank(to_close != 0 ? to_close : blocked_,
                [&](uint32_t bank) { next.tick = std::max(next.tick, gates_.earliest(next.command, bank)); });
  plan_.row = next;
}

// Returns whether the bank's wish is another than before.
bool DramChannel::prepare(uint32_t bank, Cycle now) {
  const DramQueue& requests = queue();
  const uint32_t oldest = requests.oldest(bank);
  uint32_t hit = requests.hit(bank);
  stale_ &= ~bit(bank);
  if (hit != oldest && hit != DramQueue::kNone) {
    stale_ |= bit(bank);  // its age may change the wish
    if (now - requests[oldest].arrival > dram_.starve_ticks) hit = DramQueue::kNone;
  }
  Wish wish;
  wish.request = hit == DramQueue::kNone ? oldest : hit;
  wish.order = requests[wish.request].order;
  wish.group = gates_.group_of(bank);
  if (hit != DramQueue::kNone) {
    wish.command = writing_ ? DramCommand::kWrite : DramCommand::kRead;
    column_wishes_ |= bit(bank);
  } else {
    wish.command = (open_ & bit(bank)) != 0 ? DramCommand::kPrecharge : DramCommand::kActivate;
    column_wishes_ &= ~bit(bank);
  }
  wish.own_gate = gates_.earliest_of_bank(wish.command, bank);
  if (wish == wishes_[bank]) return false;
  wishes_[bank] = wish;
  return true;
}

// `from`: first tick at which the bus is free.
void DramChannel::consider(uint32_t bank, Cycle from, Candidate& best) const {
  const Wish& wish = wishes_[bank];
  const Cycle tick = std::max({from, wish.own_gate, gates_.earliest_of_shared(wish.command, wish.group)});
  if (tick > best.tick || (tick == best.tick && wish.order >= best.order)) return;
  best.tick = tick;
  best.order = wish.order;
  best.command = wish.command;
  best.bank = bank;
  best.request = wish.request;
  best.refresh = false;
}

void DramChannel::issue_column(const Candidate& chosen, std::vector<DramData>& data) {
  const uint32_t bank = chosen.bank;
  const DramRequest request = queue().take(chosen.request);
  if (gates_.earliest(chosen.command, bank) > chosen.tick || open_row_[bank] != request.row ||
      (open_ & bit(bank)) == 0) {
    engine::broken("DRAM column command against a timing gate or a closed row");
  }
  gates_.issue(chosen.command, bank, chosen.tick);
  stale_ |= bit(bank);
  rescan_columns_ = true;
  note(chosen.command, bank, request.row, chosen.tick);
  counters_.queue_ticks += chosen.tick - request.arrival;
  counters_.busy_ticks += dram_.burst_ticks;
  switch (opened_[bank]) {
    case Opened::kByHit:
      ++counters_.row_hits;
      break;
    case Opened::kByMiss:
      ++counters_.row_misses;
      break;
    case Opened::kByConflict:
      ++counters_.row_conflicts;
      break;
  }
  opened_[bank] = Opened::kByHit;
  if (chosen.command == DramCommand::kWrite) {
    ++counters_.writes;
    return;
  }
  ++counters_.reads;
  const Cycle end = chosen.tick + dram_.cl + dram_.burst_ticks;
  read_latency_.add(end - request.arrival);
  data.push_back(DramData{end, request.slice, request.miss, request.sectors});
}

void DramChannel::issue_row(const Candidate& chosen) {
  row_bus_free_ = chosen.tick + 1;
  const uint64_t banks = !chosen.refresh                             ? bit(chosen.bank)
                         : chosen.command == DramCommand::kPrecharge ? blocked_ & open_
                                                                     : blocked_;
  stale_ |= banks;
  rescan_rows_ = true;
  for_each_bank(banks, [&](uint32_t bank) {
    if (gates_.earliest(chosen.command, bank) > chosen.tick) engine::broken("DRAM row command against a timing gate");
    gates_.issue(chosen.command, bank, chosen.tick, refresh_.duration());
    if (chosen.command != DramCommand::kActivate) note(chosen.command, bank, 0, chosen.tick);
  });
  switch (chosen.command) {
    case DramCommand::kActivate: {
      const uint32_t bank = chosen.bank;
      const uint32_t row = queue()[chosen.request].row;
      note(chosen.command, bank, row, chosen.tick);
      open_ |= bit(bank);
      open_row_[bank] = row;
      opened_[bank] = closed_for_row_[bank] ? Opened::kByConflict : Opened::kByMiss;
      closed_for_row_[bank] = false;
      reads_.row_opened(bank, row);
      writes_.row_opened(bank, row);
      ++counters_.activates;
      return;
    }
    case DramCommand::kPrecharge:
      if (!chosen.refresh && queue().hit(chosen.bank) != DramQueue::kNone) ++counters_.starved;
      for_each_bank(banks, [&](uint32_t bank) {
        close(bank);
        closed_for_row_[bank] = !chosen.refresh;
      });
      ++counters_.precharges;
      return;
    case DramCommand::kRefresh:
      for_each_bank(banks, [&](uint32_t bank) { closed_for_row_[bank] = false; });
      refresh_.done();
      ++counters_.refreshes;
      return;
    default:
      engine::broken("column command on the DRAM row bus");
  }
}

void DramChannel::close(uint32_t bank) {
  open_ &= ~bit(bank);
  reads_.row_closed(bank);
  writes_.row_closed(bank);
}

void DramChannel::note(DramCommand command, uint32_t bank, uint32_t row, Cycle tick) {
  if (record_ != nullptr) record_->push_back(DramCommandRecord{command, bank, row, tick});
}

}  // namespace smreplay::memory
