// Made-up results whose accounts are known to the slot.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sim/attribution/Result.h"

namespace smreplay::attribution {

using Slots = std::vector<std::pair<sm::WarpState, uint64_t>>;

// Two SMs with four schedulers; the rest of the elapsed time is empty. Add rows, then finish.
class SampleResult {
 public:
  explicit SampleResult(uint64_t cycles);
  SampleResult& row(const std::string& text, const std::string& file, uint32_t line, uint64_t executed,
                    const Slots& stalls);
  SampleResult& cta(uint32_t sm, uint64_t start, uint64_t end);
  Result finish();

 private:
  Result result_;
};

// 1000 cycles: a load of split.cu:10, its use in line 11 and a loop branch without a line.
Result baseline();

}  // namespace smreplay::attribution
