// Reads what Nsight Compute prints as CSV: `--page raw` (one row per kernel, metrics in columns, units in the second
// row) and `--page source --print-source sass` (one row per SASS instruction). Lines before the header ("==PROF== ...",
// the kernel's name) are skipped. Columns are found by name, in the spellings of the versions that were seen (2025.3)
// or documented; numbers may have thousands separators.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/confirm/Measurement.h"
#include "sim/isa/Result.h"

namespace smreplay::confirm {

// Rows of cells; quotes are taken off, "" within quotes is one quote.
std::vector<std::vector<std::string>> parse_csv(std::string_view text);

// Is it a source page rather than a raw one?
bool is_source_page(std::string_view text);

// Metrics of one kernel by name, numbers only, in ns, Hz and bytes. `kernel`: a part of its name; empty:
// the first. Errors (exit 4): ncu-csv.
Result<std::map<std::string, double>> read_raw_page(std::string_view text, const std::string& kernel,
                                                    const std::string& file);

// Instructions in order; pc counts from the first. Samples of a state that the model does not name go to `misc`. Errors
// (exit 4): ncu-csv.
Result<std::vector<ProfiledInstruction>> read_source_page(std::string_view text, const std::string& file);

// The figures of a raw page that a ProfiledCase keeps; what is not there stays 0.
void take_metrics(const std::map<std::string, double>& metrics, ProfiledCase& into);

}  // namespace smreplay::confirm
