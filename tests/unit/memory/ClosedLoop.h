// Traffic as SMs make it: each SM keeps a fixed number of requests outstanding and sends the next when one is answered.
#pragma once

#include <algorithm>
#include <functional>
#include <tuple>
#include <vector>

#include "sim/memory/MemorySystem.h"

namespace smreplay::memory {

class ClosedLoop {
 public:
  // `next` gives line, sectors and kind of the request number `n` over all SMs.
  ClosedLoop(MemorySystem& memory, uint32_t sms, uint32_t outstanding,
             std::function<engine::MemoryRequest(uint64_t)> next)
      : memory_(memory), next_(std::move(next)) {
    for (uint32_t i = 0; i < outstanding; ++i) {
      for (uint32_t sm = 0; sm < sms; ++sm) credits_.push_back(Credit{i * kStagger, sm});
    }
    missing_.resize(size_t{sms} * outstanding);
    for (uint32_t tag = 0; tag < missing_.size(); ++tag) tags_.push_back(tag);
  }
  // Runs until `requests` have been sent and all are answered; returns the core cycle of the last reply.
  engine::Cycle run(uint64_t requests) {
    std::vector<engine::MemoryRequest> due;
    std::vector<engine::MemoryReply> replies;
    const uint64_t target = sent_ + requests;
    while (sent_ < target || !memory_.idle()) {
      engine::Cycle start = memory_.next();
      std::sort(credits_.begin(), credits_.end());
      if (sent_ < target && !credits_.empty()) start = std::min(start, credits_.front().cycle);
      end_ = std::max(end_, start) + memory_.window();
      due.clear();
      size_t used = 0;
      for (; used < credits_.size() && credits_[used].cycle < end_ && sent_ < target; ++used) {
        engine::MemoryRequest request = next_(sent_++);
        request.cycle = std::max(credits_[used].cycle, end_ - memory_.window());
        request.sm = credits_[used].sm;
        request.tag = tags_.back();
        tags_.pop_back();
        missing_[request.tag] = request.sectors;
        due.push_back(request);
      }
      credits_.erase(credits_.begin(), credits_.begin() + static_cast<ptrdiff_t>(used));
      memory_.submit(due);
      memory_.run_until(end_);
      replies.clear();
      memory_.take_replies(replies);
      for (const engine::MemoryReply& reply : replies) {
        last_ = std::max(last_, reply.cycle);
        missing_[reply.tag] = static_cast<uint8_t>(missing_[reply.tag] & ~reply.sectors);
        if (missing_[reply.tag] != 0) continue;
        tags_.push_back(reply.tag);
        credits_.push_back(Credit{reply.cycle + 1, reply.sm});
      }
    }
    return last_;
  }

 private:
  static constexpr engine::Cycle kStagger = 3;
  struct Credit {
    engine::Cycle cycle;
    uint32_t sm;
    bool operator<(const Credit& other) const { return std::tie(cycle, sm) < std::tie(other.cycle, other.sm); }
  };
  MemorySystem& memory_;
  std::function<engine::MemoryRequest(uint64_t)> next_;
  std::vector<Credit> credits_;
  std::vector<uint8_t> missing_;
  std::vector<uint32_t> tags_;
  uint64_t sent_ = 0;
  engine::Cycle end_ = 0, last_ = 0;
};

}  // namespace smreplay::memory
