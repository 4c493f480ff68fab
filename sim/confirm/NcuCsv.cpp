#include "sim/confirm/NcuCsv.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "sim/sm/WarpState.h"

namespace smreplay::confirm {
namespace {

using Row = std::vector<std::string>;
using sm::WarpState;

constexpr uint32_t kInstructionBytes = 16;
constexpr double kHertzPerMegahertz = 1e6;

Error malformed(const std::string& message, const std::string& file) {
  return Error{ExitCode::kBadInput, "ncu-csv", message, file};
}

// Nsight Compute's names of the sampled states, in column titles ("stall_long_sb") and metric names
// ("smsp__pcsamp_warps_issue_stalled_long_scoreboard").
constexpr std::pair<std::string_view, WarpState> kStateNames[] = {
    {"selected", WarpState::kSelected},
    {"no_inst", WarpState::kNoInstructions},
    {"no_instruction", WarpState::kNoInstructions},
    {"no_instructions", WarpState::kNoInstructions},
    {"branch_resolve", WarpState::kBranchResolving},
    {"branch_resolving", WarpState::kBranchResolving},
    {"barrier", WarpState::kBarrier},
    {"membar", WarpState::kMembar},
    {"sleep", WarpState::kSleeping},
    {"sleeping", WarpState::kSleeping},
    {"drain", WarpState::kDrain},
    {"wait", WarpState::kWait},
    {"long_sb", WarpState::kLongScoreboard},
    {"long_scoreboard", WarpState::kLongScoreboard},
    {"short_sb", WarpState::kShortScoreboard},
    {"short_scoreboard", WarpState::kShortScoreboard},
    {"imc", WarpState::kImcMiss},
    {"imc_miss", WarpState::kImcMiss},
    {"math", WarpState::kMathPipeThrottle},
    {"math_pipe_throttle", WarpState::kMathPipeThrottle},
    {"mio", WarpState::kMioThrottle},
    {"mio_throttle", WarpState::kMioThrottle},
    {"lg", WarpState::kLgThrottle},
    {"lg_throttle", WarpState::kLgThrottle},
    {"tex", WarpState::kTexThrottle},
    {"tex_throttle", WarpState::kTexThrottle},
    {"dispatch", WarpState::kDispatchStall},
    {"dispatch_stall", WarpState::kDispatchStall},
    {"not_selected", WarpState::kNotSelected},
};
constexpr std::string_view kStatePrefixes[] = {"stalled_", "stall_"};  // what stands before a state's name

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

// The state that a column counts samples of; nothing where it is another column. Samples "not issued" are a part of the
// others, so they are left out.
std::optional<WarpState> state_of_column(std::string_view title) {
  const std::string column = lower(title);
  if (column.find("not issued") != std::string::npos || column.find("not-issued") != std::string::npos ||
      column.find("not_issued") != std::string::npos) {
    return std::nullopt;
  }
  for (const std::string_view prefix : kStatePrefixes) {
    const size_t at = column.find(prefix);
    if (at == std::string::npos) continue;
    const std::string_view stem = std::string_view(column).substr(at + prefix.size());
    for (const auto& [name, state] : kStateNames) {
      if (stem == name) return state;
    }
    return WarpState::kMisc;
  }
  return std::nullopt;
}

std::optional<double> number(std::string_view cell) {
  std::string digits(cell);
  digits.erase(std::remove(digits.begin(), digits.end(), ','), digits.end());
  double value = 0;
  const auto [end, wrong] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (wrong != std::errc() || end != digits.data() + digits.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

uint64_t count(const Row& row, size_t column) {
  if (column >= row.size()) return 0;
  const double value = number(row[column]).value_or(0);
  return value > 0 ? static_cast<uint64_t>(std::llround(value)) : 0;
}

std::optional<size_t> column_of(const Row& header, std::initializer_list<std::string_view> titles) {
  for (const std::string_view title : titles) {
    const auto found = std::find(header.begin(), header.end(), title);
    if (found != header.end()) return static_cast<size_t>(found - header.begin());
  }
  return std::nullopt;
}

// Nsight Compute scales units to the value unless it is told --print-units base; these lead back to ns, Hz and bytes.
constexpr std::pair<std::string_view, double> kUnits[] = {
    {"us", 1e3},       {"usecond", 1e3},       {"ms", 1e6},       {"msecond", 1e6},  {"s", 1e9},
    {"second", 1e9},   {"Khz", 1e3},           {"Mhz", 1e6},      {"Ghz", 1e9},      {"cycle/usecond", 1e6},
    {"cycle/ms", 1e3}, {"cycle/nsecond", 1e9}, {"cycle/us", 1e6}, {"cycle/ns", 1e9}, {"Kbyte", 1e3},
    {"Mbyte", 1e6},    {"Gbyte", 1e9},
};

double scale_of(std::string_view unit) {
  for (const auto& [name, scale] : kUnits) {
    if (unit == name) return scale;
  }
  return 1;
}

constexpr std::string_view kSourceTitle = "Source";

const Row* header_with(const std::vector<Row>& rows, std::string_view title) {
  for (const Row& row : rows) {
    if (row.size() > 1 && std::find(row.begin(), row.end(), title) != row.end()) return &row;
  }
  return nullptr;
}

std::string trimmed(std::string text) {
  const auto space = [](unsigned char c) { return std::isspace(c) != 0; };
  while (!text.empty() && space(static_cast<unsigned char>(text.back()))) text.pop_back();
  return text.substr(static_cast<size_t>(std::find_if_not(text.begin(), text.end(), space) - text.begin()));
}

}  // namespace

std::vector<std::vector<std::string>> parse_csv(std::string_view text) {
  std::vector<Row> rows;
  Row row;
  std::string cell;
  bool quoted = false;
  const auto end_row = [&] {
    row.push_back(std::exchange(cell, {}));
    rows.push_back(std::exchange(row, {}));
  };
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c != '"') {
        cell += c;
      } else if (i + 1 < text.size() && text[i + 1] == '"') {
        cell += text[++i];
      } else {
        quoted = false;
      }
    } else if (c == '"') {
      quoted = true;
    } else if (c == ',') {
      row.push_back(std::exchange(cell, {}));
    } else if (c == '\n') {
      end_row();
    } else if (c != '\r') {
      cell += c;
    }
  }
  if (!cell.empty() || !row.empty()) end_row();
  return rows;
}

bool is_source_page(std::string_view text) { return header_with(parse_csv(text), kSourceTitle) != nullptr; }

Result<std::map<std::string, double>> read_raw_page(std::string_view text, const std::string& kernel,
                                                    const std::string& file) {
  constexpr std::string_view kName = "Kernel Name";
  const std::vector<Row> rows = parse_csv(text);
  const Row* header = header_with(rows, kName);
  if (header == nullptr) return malformed("no column 'Kernel Name': not a raw page (ncu --csv --page raw)", file);
  const size_t name = *column_of(*header, {kName});
  Row units(header->size());
  for (const Row* row = header + 1; row != rows.data() + rows.size(); ++row) {
    if (row->size() < header->size()) continue;
    if ((*row)[name].empty()) {
      units = *row;  // only the row of units has no kernel
      continue;
    }
    if ((*row)[name].find(kernel) == std::string::npos) continue;
    std::map<std::string, double> metrics;
    for (size_t i = 0; i < header->size(); ++i) {
      if (const auto value = number((*row)[i])) metrics[(*header)[i]] = *value * scale_of(units[i]);
    }
    return metrics;
  }
  return malformed("no kernel '" + kernel + "' in this page", file);
}

Result<std::vector<ProfiledInstruction>> read_source_page(std::string_view text, const std::string& file) {
  const std::vector<Row> rows = parse_csv(text);
  const Row* header = header_with(rows, kSourceTitle);
  if (header == nullptr) {
    return malformed("no column 'Source': not a source page (ncu --csv --page source --print-source sass)", file);
  }
  const size_t source = *column_of(*header, {kSourceTitle});
  const auto executed = column_of(*header, {"Instructions Executed", "inst_executed", "# Inst Executed"});
  const auto threads = column_of(*header, {"Thread Instructions Executed", "thread_inst_executed"});
  if (!executed) return malformed("no column 'Instructions Executed': profile with --section SourceCounters", file);
  std::vector<std::pair<size_t, WarpState>> states;
  for (size_t i = 0; i < header->size(); ++i) {
    if (const auto state = state_of_column((*header)[i])) states.emplace_back(i, *state);
  }
  if (states.empty()) return malformed("no columns of stall samples: profile with --section SourceCounters", file);
  std::vector<ProfiledInstruction> instructions;
  for (const Row* row = header + 1; row != rows.data() + rows.size(); ++row) {
    if (row->size() <= std::max(source, *executed) || !number((*row)[*executed])) continue;
    ProfiledInstruction i;
    i.pc = static_cast<uint32_t>(instructions.size()) * kInstructionBytes;
    i.text = trimmed((*row)[source]);
    i.executed = count(*row, *executed);
    i.thread_executed = threads ? count(*row, *threads) : 0;
    for (const auto& [column, state] : states) i.states[static_cast<size_t>(state)] += count(*row, column);
    instructions.push_back(std::move(i));
  }
  if (instructions.empty()) return malformed("no instructions in this page", file);
  return instructions;
}

void take_metrics(const std::map<std::string, double>& metrics, ProfiledCase& into) {
  const auto value = [&metrics](const char* name) {
    const auto found = metrics.find(name);
    return found == metrics.end() ? 0.0 : found->second;
  };
  into.elapsed_cycles = static_cast<uint64_t>(value("sm__cycles_elapsed.max"));
  into.time_ns = value("gpu__time_duration.sum");
  into.sm_mhz = value("sm__cycles_elapsed.avg.per_second") / kHertzPerMegahertz;
  into.dram_read_bytes = static_cast<uint64_t>(value("dram__bytes_read.sum"));
}

}  // namespace smreplay::confirm
