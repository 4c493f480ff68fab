#include "sim/attribution/DiffFacts.h"

#include <utility>

namespace smreplay::attribution {
namespace {

double share(uint64_t part, uint64_t whole) {
  constexpr double kPercent = 100;
  return whole > 0 ? kPercent * static_cast<double>(part) / static_cast<double>(whole) : 0;
}

std::vector<DiffFact> facts_of(const Result& r) {
  const MemoryFacts& m = r.memory;
  const auto fact = [](const char* name, double value, const char* unit = "") {
    return DiffFact{.name = name, .a = value, .b = value, .unit = unit};
  };
  const auto count = [&fact](const char* name, uint64_t value, const char* unit = "") {
    return fact(name, static_cast<double>(value), unit);
  };
  return {count("CTAs", r.launch.ctas),
          count("warps per CTA", r.launch.warps_per_cta),
          count("CTAs per SM", r.occupancy.ctas_per_sm),
          count("warps per SM", r.occupancy.warps_per_sm),
          count("full waves", r.occupancy.full_waves),
          count("CTAs of the tail", r.occupancy.tail_ctas),
          fact("SM active", r.sm_active_percent, "%"),
          count("registers per thread", r.launch.registers_per_thread),
          count("local memory per thread", r.launch.local_bytes_per_thread, "B"),
          count("shared memory per CTA", r.launch.static_shared_bytes + r.launch.dynamic_shared_bytes, "B"),
          count("L1 cache", r.occupancy.l1_bytes, "B"),
          count("warp instructions", r.warp_instructions),
          count("L1 sectors", m.l1_sectors),
          fact("L1 hits", share(m.l1_sector_hits, m.l1_sectors), "%"),
          count("local memory sectors", m.local_sectors),
          count("shared memory wavefronts", m.shared_wavefronts),
          count("wavefronts for bank conflicts", m.shared_bank_conflicts),
          count("L2 sectors", m.l2_sectors),
          fact("L2 hits", share(m.l2_sector_hits, m.l2_sectors), "%"),
          count("DRAM read", m.dram_read_bytes, "B"),
          count("DRAM written", m.dram_write_bytes, "B"),
          fact("DRAM use", m.dram_use_percent, "%"),
          fact("mean latency of DRAM reads", m.dram_latency.mean_ns, "ns"),
          fact("mean latency of L2 hits", m.l2_latency.mean_ns, "ns"),
          count("instruction cache misses", r.instruction_cache_misses)};
}

}  // namespace

std::vector<DiffFact> differing_facts(const Result& a, const Result& b) {
  const std::vector<DiffFact> facts_a = facts_of(a), facts_b = facts_of(b);
  std::vector<DiffFact> out;
  for (size_t i = 0; i < facts_a.size(); ++i) {
    DiffFact fact = facts_a[i];
    fact.b = facts_b[i].b;
    if (fact.a != fact.b) out.push_back(std::move(fact));
  }
  return out;
}

}  // namespace smreplay::attribution
