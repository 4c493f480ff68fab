#include "sim/attribution/DiffEmpty.h"

#include <algorithm>
#include <map>

namespace smreplay::attribution {

EmptySlots split_empty(const Result& result) {
  EmptySlots out;
  const auto empty = static_cast<int64_t>(result.issue_slots_empty);
  if (result.ctas.empty()) {
    out.unsplit = empty;
    return out;
  }
  uint64_t start = result.ctas.front().start, end = 0;
  std::map<uint32_t, uint64_t> last_end;  // by SM
  for (const CtaSpan& cta : result.ctas) {
    start = std::min(start, cta.start);
    end = std::max(end, cta.end);
    uint64_t& last = last_end[cta.sm];
    last = std::max(last, cta.end);
  }
  const auto signed_slots = [&](uint64_t cycles) { return static_cast<int64_t>(cycles * result.schedulers_per_sm); };
  const uint64_t span = end - start;
  out.launch = (static_cast<int64_t>(result.elapsed_cycles) - static_cast<int64_t>(span)) *
               static_cast<int64_t>(uint64_t{result.sm_count} * result.schedulers_per_sm);
  out.sms_without_cta = static_cast<int64_t>(result.sm_count) - static_cast<int64_t>(last_end.size());
  out.idle_sms = signed_slots(span) * out.sms_without_cta;
  for (const auto& [sm, last] : last_end) out.tail += signed_slots(end - last);
  out.gap = empty - out.launch - out.idle_sms - out.tail;
  return out;
}

}  // namespace smreplay::attribution
