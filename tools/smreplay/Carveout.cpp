#include "tools/smreplay/Carveout.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/views/TextTable.h"
#include "sim/views/Units.h"

namespace smreplay::tool {
namespace {

std::string plural(uint32_t ctas) { return fmt::format("{} CTA{}", ctas, ctas == 1 ? "" : "s"); }

std::string reason(const machine::KernelResources& kernel, const Carveout& taken) {
  if (kernel.carveout_bytes == 0) {
    return fmt::format(
        "the least that holds {}\n           (assumed of the driver, as the launch states no preference: "
        "cudaFuncAttributePreferredSharedMemoryCarveout)",
        plural(taken.ctas));
  }
  const std::string preferred = views::bytes(kernel.carveout_bytes);
  if (taken.shared_bytes == kernel.carveout_bytes) return "the launch's preference";
  return fmt::format("the least that holds a CTA; the launch's preference of {} does not", preferred);
}

std::string remark(const std::vector<Carveout>& all, const Carveout& one) {
  if (one.taken) return "taken";
  const auto taken = std::find_if(all.begin(), all.end(), [](const Carveout& c) { return c.taken; });
  if (taken == all.end() || one.ctas == taken->ctas) return "";
  return one.ctas > taken->ctas ? "would let more CTAs in" : "would let fewer CTAs in";
}

}  // namespace

std::vector<Carveout> carveouts(const machine::Machine& machine, const machine::KernelResources& kernel,
                                const machine::OccupancyReport& report) {
  const uint32_t taken = kernel.carveout_bytes > 0 ? report.carveout_bytes : report.tight_carveout_bytes;
  const uint32_t by_others = std::min({report.by_warps, report.by_registers, report.by_ctas, report.by_barriers});
  std::vector<Carveout> all;
  for (const uint32_t size : machine.occupancy.carveouts) {
    const uint32_t by_shared = report.shared_per_cta == 0 ? by_others : size / report.shared_per_cta;
    const uint32_t ctas = std::min(by_shared, by_others);
    if (ctas > 0) all.push_back({size, machine.memory.l1_total_bytes - size, ctas, size == taken});
  }
  return all;
}

std::string carveout_text(const machine::Machine& machine, const machine::KernelResources& kernel,
                          const machine::OccupancyReport& report) {
  const std::vector<Carveout> all = carveouts(machine, kernel, report);
  const auto taken = std::find_if(all.begin(), all.end(), [](const Carveout& c) { return c.taken; });
  if (taken == all.end()) return "";
  std::string text =
      fmt::format("Carve-out  {} shared memory and {} L1 per SM: {}\n\n", views::bytes(taken->shared_bytes),
                  views::bytes(taken->l1_bytes), reason(kernel, *taken));
  using Align = views::TextTable::Align;
  views::TextTable table({Align::kRight, Align::kRight, Align::kRight, Align::kLeft});
  table.header({"carve-out", "L1", "CTAs", ""});
  for (const Carveout& one : all) {
    table.row({views::bytes(one.shared_bytes), views::bytes(one.l1_bytes), std::to_string(one.ctas), remark(all, one)});
  }
  return text + table.text(2);
}

}  // namespace smreplay::tool
