#include "sim/confirm/Hotspots.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "sim/interval/RankCorrelation.h"

namespace smreplay::confirm {
namespace {

using attribution::StateCounts;

// One side: what both a profile and a simulation give of an instruction.
struct SideRow {
  uint64_t executed = 0;
  StateCounts states{};
  uint64_t total() const { return std::accumulate(states.begin(), states.end(), uint64_t{0}); }
};

struct Side {
  std::vector<SideRow> rows;
  uint64_t total = 0;
  StateCounts states{};
  std::vector<double> shares;  // by instruction
  std::vector<size_t> ranks;   // from 1

  void close() {
    for (const SideRow& row : rows) {
      for (size_t s = 0; s < states.size(); ++s) states[s] += row.states[s];
      total += row.total();
    }
    for (const SideRow& row : rows) {
      shares.push_back(total == 0 ? 0 : static_cast<double>(row.total()) / static_cast<double>(total));
    }
    std::vector<size_t> order = by_heat();
    ranks.assign(rows.size(), 0);
    for (size_t i = 0; i < order.size(); ++i) ranks[order[i]] = i + 1;
  }

  std::vector<size_t> by_heat() const {
    std::vector<size_t> order(rows.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [this](size_t a, size_t b) { return shares[a] > shares[b]; });
    return order;
  }
};

StateShares shares_of(const StateCounts& counts) {
  StateShares shares{};
  const uint64_t total = std::accumulate(counts.begin(), counts.end(), uint64_t{0});
  if (total == 0) return shares;
  for (size_t s = 0; s < counts.size(); ++s) shares[s] = static_cast<double>(counts[s]) / static_cast<double>(total);
  return shares;
}

double half_distance(const StateShares& a, const StateShares& b) {
  double sum = 0;
  for (size_t s = 0; s < a.size(); ++s) sum += std::abs(a[s] - b[s]);
  return sum / 2;
}

double joint_distance(const Side& a, const Side& b) {
  double sum = 0;
  for (size_t i = 0; i < a.rows.size(); ++i) {
    for (size_t s = 0; s < sm::kWarpStates; ++s) {
      const double here = a.total == 0 ? 0 : static_cast<double>(a.rows[i].states[s]) / static_cast<double>(a.total);
      const double there = b.total == 0 ? 0 : static_cast<double>(b.rows[i].states[s]) / static_cast<double>(b.total);
      sum += std::abs(here - there);
    }
  }
  return sum / 2;
}

InstructionPair pair_at(const Side& measured, const Side& simulated, size_t i) {
  InstructionPair pair;
  pair.measured_executed = measured.rows[i].executed;
  pair.simulated_executed = simulated.rows[i].executed;
  pair.measured_share = measured.shares[i];
  pair.simulated_share = simulated.shares[i];
  pair.measured_rank = measured.ranks[i];
  pair.simulated_rank = simulated.ranks[i];
  pair.measured_states = shares_of(measured.rows[i].states);
  pair.simulated_states = shares_of(simulated.rows[i].states);
  return pair;
}

// `places[i]` gets the index of hottest[i]. Both sides have as many rows.
HotspotComparison compare(const Side& measured, const Side& simulated, std::vector<size_t>& places) {
  HotspotComparison c;
  c.samples = measured.total;
  std::vector<double> x, y;
  for (size_t i = 0; i < measured.rows.size(); ++i) {
    const SideRow& there = measured.rows[i];
    const SideRow& here = simulated.rows[i];
    c.executions_differ += there.executed != here.executed ? 1 : 0;
    c.instruction_distance += std::abs(measured.shares[i] - simulated.shares[i]) / 2;
    if (there.executed == 0 && here.executed == 0) continue;
    ++c.instructions;
    x.push_back(measured.shares[i]);
    y.push_back(simulated.shares[i]);
  }
  c.rank_correlation = interval::rank_correlation(x, y);
  c.measured_states = shares_of(measured.states);
  c.simulated_states = shares_of(simulated.states);
  c.state_distance = half_distance(c.measured_states, c.simulated_states);
  c.joint_distance = joint_distance(measured, simulated);
  const auto hot = [](const std::vector<size_t>& order) {
    return std::vector<size_t>(order.begin(), order.begin() + static_cast<long>(std::min(kHottest, order.size())));
  };
  places = hot(measured.by_heat());
  for (const size_t i : hot(simulated.by_heat())) {
    if (std::find(places.begin(), places.end(), i) == places.end()) {
      places.push_back(i);
    } else {
      ++c.top_common;
    }
  }
  for (const size_t i : places) c.hottest.push_back(pair_at(measured, simulated, i));
  return c;
}

Side side_of(const ProfiledCase& profile) {
  Side side;
  for (const ProfiledInstruction& i : profile.instructions) side.rows.push_back({i.executed, i.states});
  return side;
}

Error mismatch(const std::string& id, const std::string& what) {
  return Error{ExitCode::kBadInput, "profile-mismatch", id + ": " + what};
}

std::string_view opcode(std::string_view text) {
  if (text.starts_with("@")) {  // the guard, and as many spaces as the printer likes
    text.remove_prefix(std::min(text.size(), text.find(' ')));
    text.remove_prefix(std::min(text.size(), text.find_first_not_of(' ')));
  }
  return text.substr(0, text.find_first_of(" .;"));
}

}  // namespace

Result<HotspotComparison> compare_instructions(const ProfiledCase& measured, const attribution::Result& simulated) {
  const auto& rows = simulated.instructions;
  Side there = side_of(measured), here;
  // The section is padded behind the last instruction of the kernel; what stands there never runs.
  if (there.rows.size() < rows.size()) there.rows.resize(rows.size());
  for (size_t i = 0; i < there.rows.size(); ++i) {
    if (i >= rows.size()) {
      if (there.rows[i].executed != 0)
        return mismatch(measured.id, "the profile has more instructions than the binary");
      continue;
    }
    here.rows.push_back({rows[i].executed, rows[i].warp_cycles});
    if (i >= measured.instructions.size()) continue;
    const std::string& text = measured.instructions[i].text;
    if (!text.empty() && opcode(text) != opcode(rows[i].text)) {
      return mismatch(measured.id, "instruction " + std::to_string(i) + " is '" + text + "' in the profile and '" +
                                       rows[i].text + "' in the binary");
    }
  }
  there.rows.resize(here.rows.size());
  there.close();
  here.close();
  std::vector<size_t> places;
  HotspotComparison c = compare(there, here, places);
  c.id = measured.id;
  for (size_t k = 0; k < places.size(); ++k) {
    const attribution::InstructionRow& row = rows[places[k]];
    c.hottest[k].pc = row.pc;
    c.hottest[k].text = row.text;
    c.hottest[k].file = row.file;
    c.hottest[k].line = row.line;
  }
  return c;
}

Result<HotspotComparison> compare_profiles(const ProfiledCase& measured, const ProfiledCase& again) {
  Side first = side_of(measured), second = side_of(again);
  if (first.rows.size() != second.rows.size()) return mismatch(measured.id, "two profiles of different binaries");
  first.close();
  second.close();
  std::vector<size_t> places;
  HotspotComparison c = compare(first, second, places);
  c.id = measured.id;
  for (size_t k = 0; k < places.size(); ++k) {
    c.hottest[k].pc = measured.instructions[places[k]].pc;
    c.hottest[k].text = measured.instructions[places[k]].text;
  }
  return c;
}

}  // namespace smreplay::confirm
