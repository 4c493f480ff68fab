#include "sim/interval/Variation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "sim/machine/Schema.h"
#include "sim/memory/MemoryCheck.h"

namespace smreplay::interval {
namespace {

using machine::MachineConfig;
using machine::Range;

// "key=1, 2, 3" in canonical units, as --set takes it.
std::string assignment(const std::string& key, const std::vector<uint64_t>& values) {
  const machine::Key* schema = machine::find_key(key);
  if (schema != nullptr && schema->kind == machine::LeafKind::kFlag) {
    return key + (values.front() != 0 ? "=true" : "=false");
  }
  return fmt::format("{}={}", key, fmt::join(values, ","));
}

// `greater` is at least `lesser` (and `also`) plus `gap`; `raise`: greater moves, otherwise lesser does.
struct Order {
  const char* lesser;
  const char* greater;
  const char* also = nullptr;
  uint64_t gap = 0;
  bool raise = true;
};
constexpr std::array<Order, 7> kOrders = {{
    {"dram.rrd_s", "dram.rrd_l"},
    {"dram.ccd_s", "dram.ccd_l"},
    {"dram.wtr_s", "dram.wtr_l"},
    {"dram.ras", "dram.rc", "dram.rp"},
    {"dram.write_high", "dram.queue_entries", nullptr, 0, false},
    {"dram.write_low", "dram.write_high", nullptr, 1, false},
    {"memory.operand_base_cycles", "memory.miss_base_cycles"},
}};

class Ordering {
 public:
  Ordering(const MachineConfig& base, Values& values) : base_(base), values_(values) {}

  void apply(const Order& order) {
    const uint64_t least = at(order.lesser) + (order.also != nullptr ? at(order.also) : 0) + order.gap;
    const uint64_t greater = at(order.greater);
    if (greater >= least) return;
    if (order.raise) {
      values_[order.greater] = least;
    } else {
      values_[order.lesser] = greater - std::min(greater, order.gap);
    }
  }

  // Wider accesses are not faster: latency <= latency_64 <= latency_128, and so for read_release.
  void apply_widths() {
    const Values drawn = values_;
    for (const auto& [key, value] : drawn) {
      if (!key.starts_with("timing.")) continue;
      for (const char* wider : {"_64", "_128"}) {
        const std::string wide = narrow(key) + wider;
        if (machine::find_key(wide) == nullptr || key == wide) continue;
        if (width(wide) > width(key) && at(wide) < at(key)) values_[wide] = at(key);
      }
    }
  }

 private:
  static std::string narrow(const std::string& key) {
    for (const std::string_view suffix : {"_64", "_128"}) {
      if (key.ends_with(suffix)) return key.substr(0, key.size() - suffix.size());
    }
    return key;
  }
  static int width(const std::string& key) { return key.ends_with("_128") ? 2 : key.ends_with("_64") ? 1 : 0; }

  uint64_t at(const std::string& key) const {
    const auto found = values_.find(key);
    if (found != values_.end()) return found->second;
    const Result<Range> range = base_.range(key);
    return range && !range->value.empty() ? range->value.front() : 0;
  }

  const MachineConfig& base_;
  Values& values_;
};

}  // namespace

uint64_t value_at(uint64_t low, uint64_t value, uint64_t high, uint64_t step, bool choice, double place) {
  // One of the numbers from `from` in steps away from it, all equally likely for a uniform share.
  const auto pick = [step](uint64_t count, double share) {
    const auto index = static_cast<uint64_t>(std::floor(share * static_cast<double>(count + 1)));
    return std::min(index, count) * step;
  };
  if (choice) return low + pick((high - low) / step, place);
  if (place < 0.5) return value - pick((value - low) / step, 1 - 2 * place);
  return value + pick((high - value) / step, 2 * place - 1);
}

std::optional<std::vector<std::string>> Variations::overrides_of(Lists lists) const {
  Values values;
  for (const auto& [key, list] : lists) {
    if (list.size() == 1) values[key] = list.front();
  }
  Ordering ordering(base_, values);
  ordering.apply_widths();
  for (const Order& order : kOrders) ordering.apply(order);
  if (!close_sums(base_, values)) return std::nullopt;
  for (const auto& [key, value] : values) lists[key] = {value};

  std::vector<std::string> overrides;
  for (const auto& [key, list] : lists) overrides.push_back(assignment(key, list));
  return overrides;
}

bool Variations::fits(const std::string& key, uint64_t value) {
  const auto [entry, fresh] = known_.try_emplace({key, value}, false);
  const auto overrides = fresh ? overrides_of({{key, {value}}}) : std::nullopt;
  if (overrides) {
    const Result<machine::Machine> machine = base_.machine_with(*overrides);
    entry->second = machine && memory::check_memory(*machine);
  }
  return entry->second;
}

// Most keys are free in their range: a few values tell, and the joint check stands behind.
bool Variations::is_free(const std::string& key, const Range& range) {
  const auto [entry, fresh] = free_.try_emplace(key, true);
  const uint64_t low = range.low.front(), high = range.high.front();
  const uint64_t middle = low + (high - low) / range.step / 2 * range.step;
  for (const uint64_t value : {low, middle, std::min(middle + range.step, high), high}) {
    if (fresh) entry->second = entry->second && fits(key, value);
  }
  return entry->second;
}

// Outwards from `drawn`; the file's own value at last.
uint64_t Variations::nearest_fit(const std::string& key, const Range& range, uint64_t drawn) {
  const uint64_t low = range.low.front(), high = range.high.front();
  for (uint64_t distance = 0; distance <= high - low; distance += range.step) {
    if (drawn >= low + distance && fits(key, drawn - distance)) return drawn - distance;
    if (drawn + distance <= high && fits(key, drawn + distance)) return drawn + distance;
  }
  return range.value.front();
}

Variations::Lists Variations::allowed(const Parameter& parameter, double place) {
  Lists lists;
  for (const std::string& key : parameter.keys) {
    const Result<Range> range = base_.range(key);
    if (!range) continue;
    std::vector<uint64_t>& values = lists[key];
    for (size_t i = 0; i < range->value.size(); ++i) {
      values.push_back(value_at(range->low[i], range->value[i], range->high[i], range->step, range->choice, place));
    }
    const bool alone = parameter.keys.size() == 1 && values.size() == 1;
    if (alone && !is_free(key, *range)) values.front() = nearest_fit(key, *range, values.front());
  }
  return lists;
}

std::optional<MachineConfig> Variations::at(const Places& places) {
  Lists lists;
  for (const Parameter& parameter : parameters_) {
    const auto place = places.find(parameter.name);
    if (place != places.end()) lists.merge(allowed(parameter, place->second));
  }
  const auto overrides = overrides_of(std::move(lists));
  if (!overrides) return std::nullopt;
  Result<MachineConfig> config = base_.with(*overrides);
  if (!config || !memory::check_memory(config->machine())) return std::nullopt;
  return std::move(*config);
}

std::string Variations::value_text(const Parameter& parameter, double place) {
  const Lists lists = allowed(parameter, place);
  std::vector<std::string> texts;
  for (const std::string& key : parameter.keys) {
    const auto list = lists.find(key);
    const Result<Range> range = base_.range(key);
    if (list == lists.end() || !range) continue;
    std::vector<uint64_t> in_file_units = list->second;
    for (uint64_t& value : in_file_units) value /= range->step;
    texts.push_back(fmt::format("{}", fmt::join(in_file_units, ", ")));
  }
  const bool alike = std::adjacent_find(texts.begin(), texts.end(), std::not_equal_to<>()) == texts.end();
  if (alike && !texts.empty()) return texts.front();
  return fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace smreplay::interval
