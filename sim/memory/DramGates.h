// The timing gates of one DRAM channel: from which tick on each command may be issued to each bank.
//
// Structure after JESD239 (GDDR7) and JESD238 (HBM3) as far as it is published: a row of a bank is activated, its
// columns are read or written, it is precharged. Each issued command moves the gates of later commands; a command is
// ready at the latest of its gates. All times in DRAM ticks; parameters are machine::Dram, names as there.
//
//   activate -> activate  same bank rc, same group rrd_l, other group rrd_s; five in a row faw (0: no such limit)
//   activate -> column    rcd_read, rcd_write;   activate -> precharge  ras
//   precharge -> activate rp;                    refresh -> activate    rfc_per_bank or rfc_all_bank
//   read -> read, write -> write  same group ccd_l, other group ccd_s, and the data bus: burst_ticks
//   read -> write         rtw;   write -> read   cwl + burst_ticks + wtr_l (same group), wtr_s (other group)
//   read -> precharge     rtp;   write -> precharge  cwl + burst_ticks + wr
//
// A device with a longer column interval inside a bank than across banks (GDDR7 in Ramulator 2.1) is described by one
// bank per group.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "sim/engine/Clock.h"
#include "sim/machine/Machine.h"

namespace smreplay::memory {

enum class DramCommand : uint8_t { kActivate, kPrecharge, kRead, kWrite, kRefresh };

class DramGates {
 public:
  explicit DramGates(const machine::Dram& dram);

  // Earliest tick for the command at this bank. A precharge, read or write needs an open row, an activate or refresh a
  // closed bank; that is the caller's business. It is the later of the bank's own gates, which move only with commands
  // of this bank, and of those that it shares with others.
  engine::Cycle earliest(DramCommand command, uint32_t bank) const {
    return std::max(earliest_of_bank(command, bank), earliest_of_shared(command, group_of_[bank]));
  }
  engine::Cycle earliest_of_bank(DramCommand command, uint32_t bank) const;
  engine::Cycle earliest_of_shared(DramCommand command, uint32_t group) const;
  // Records the command. For a refresh: of this bank alone, lasting `refresh_ticks`.
  void issue(DramCommand command, uint32_t bank, engine::Cycle tick, engine::Cycle refresh_ticks = 0);

  uint32_t group_of(uint32_t bank) const { return group_of_[bank]; }

 private:
  struct Bank {
    engine::Cycle activate = 0, precharge = 0, read = 0, write = 0;
  };
  struct Group {
    engine::Cycle activate = 0, read = 0, write = 0;
  };
  static void raise(engine::Cycle& gate, engine::Cycle tick) { gate = std::max(gate, tick); }

  machine::Dram dram_;
  std::vector<Bank> banks_;
  std::vector<Group> groups_;
  std::vector<uint32_t> group_of_;
  Group channel_;                       // gates of all banks
  std::array<engine::Cycle, 4> faw_{};  // when the last four activates let go
  uint32_t faw_next_ = 0;
};

inline engine::Cycle DramGates::earliest_of_bank(DramCommand command, uint32_t bank) const {
  const Bank& own = banks_[bank];
  switch (command) {
    case DramCommand::kActivate:
    case DramCommand::kRefresh:
      return own.activate;
    case DramCommand::kPrecharge:
      return own.precharge;
    case DramCommand::kRead:
      return own.read;
    case DramCommand::kWrite:
      return own.write;
  }
  return engine::kNever;
}

inline engine::Cycle DramGates::earliest_of_shared(DramCommand command, uint32_t group) const {
  const Group& shared = groups_[group];
  switch (command) {
    case DramCommand::kActivate:
      return std::max({shared.activate, channel_.activate, faw_[faw_next_]});
    case DramCommand::kRead:
      return std::max(shared.read, channel_.read);
    case DramCommand::kWrite:
      return std::max(shared.write, channel_.write);
    case DramCommand::kPrecharge:
    case DramCommand::kRefresh:
      return 0;
  }
  return engine::kNever;
}

}  // namespace smreplay::memory
