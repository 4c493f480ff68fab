#include "sim/memory/DramGates.h"

namespace smreplay::memory {

using engine::Cycle;

DramGates::DramGates(const machine::Dram& dram) : dram_(dram), banks_(dram.banks), groups_(dram.bank_groups) {
  for (uint32_t bank = 0; bank < dram.banks; ++bank) group_of_.push_back(bank / (dram.banks / dram.bank_groups));
}

void DramGates::issue(DramCommand command, uint32_t bank, Cycle tick, Cycle refresh_ticks) {
  Bank& own = banks_[bank];
  Group& group = groups_[group_of_[bank]];
  switch (command) {
    case DramCommand::kActivate:
      raise(own.activate, tick + dram_.rc);
      raise(own.precharge, tick + dram_.ras);
      raise(own.read, tick + dram_.rcd_read);
      raise(own.write, tick + dram_.rcd_write);
      raise(group.activate, tick + dram_.rrd_l);
      raise(channel_.activate, tick + dram_.rrd_s);
      faw_[faw_next_] = dram_.faw == 0 ? 0 : tick + dram_.faw;
      faw_next_ = (faw_next_ + 1U) % static_cast<uint32_t>(faw_.size());
      return;
    case DramCommand::kPrecharge:
      raise(own.activate, tick + dram_.rp);
      return;
    case DramCommand::kRead:
      raise(group.read, tick + dram_.ccd_l);
      raise(channel_.read, tick + std::max(dram_.ccd_s, dram_.burst_ticks));
      raise(channel_.write, tick + dram_.rtw);
      raise(own.precharge, tick + dram_.rtp);
      return;
    case DramCommand::kWrite: {
      const Cycle data_end = tick + dram_.cwl + dram_.burst_ticks;
      raise(group.write, tick + dram_.ccd_l);
      raise(channel_.write, tick + std::max(dram_.ccd_s, dram_.burst_ticks));
      raise(group.read, data_end + dram_.wtr_l);
      raise(channel_.read, data_end + dram_.wtr_s);
      raise(own.precharge, data_end + dram_.wr);
      return;
    }
    case DramCommand::kRefresh:
      raise(own.activate, tick + refresh_ticks);
      return;
  }
}

}  // namespace smreplay::memory
