#include "sim/experiment/Cell.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "sim/attribution/Simulate.h"
#include "sim/emulator/Emulator.h"
#include "sim/experiment/KeyText.h"
#include "sim/machine/Sha256.h"
#include "sim/trace/LaunchFile.h"
#include "sim/trace/ProgramIo.h"

namespace smreplay::experiment {
namespace fs = std::filesystem;
namespace {

constexpr const char* kKeyFormat = "smreplay cell 1";

std::string launch_file(const std::string& kernel, uint32_t concurrency) {
  return kernel + ".c" + std::to_string(concurrency) + ".launch.txtpb";
}

Result<std::unique_ptr<emulator::Emulator>> emulate(const isa::Program& program, const trace::proto::LaunchSpec& launch,
                                                    std::vector<emulator::Preload> preload) {
  emulator::Options options;
  options.preload = std::move(preload);
  return emulator::Emulator::create(program, launch, std::move(options));
}

}  // namespace

std::string CellRequest::label() const {
  std::string text = writing + "-" + configuration + " C=" + std::to_string(concurrency) + " " + launch_class + " T" +
                     std::to_string(options.target_ctas);
  if (what_if.registers > 0 || what_if.shared_bytes > 0) {
    text += " if " + std::to_string(what_if.registers) + " registers, " + std::to_string(what_if.shared_bytes) + " B";
  }
  return options.pad_to_one_cta ? text + " padded" : text;
}

fs::path capture_folder(const fs::path& captures, const CellRequest& request, uint32_t sm) {
  return captures / (request.writing + "-" + request.configuration + "-sm" + std::to_string(sm));
}

bool capture_exists(const fs::path& captures, const CellRequest& request, uint32_t sm) {
  std::error_code ignored;
  return fs::exists(capture_folder(captures, request, sm) / "split.program", ignored);
}

Result<PreparedCell> prepare(const fs::path& captures, const CellRequest& request, const machine::Machine& machine) {
  const fs::path folder = capture_folder(captures, request, machine.sm);
  LaunchPair pair;
  auto split = trace::load_launch((folder / launch_file("split", request.concurrency)).string());
  if (!split) return split.error();
  auto combine = trace::load_launch((folder / launch_file("combine", request.concurrency)).string());
  if (!combine) return combine.error();
  pair.split = std::move(*split);
  pair.combine = std::move(*combine);
  const fs::path split_program = folder / pair.split.program();
  const fs::path combine_program = folder / pair.combine.program();
  auto split_code = trace::read_program(split_program.string());
  if (!split_code) return split_code.error();
  auto combine_code = trace::read_program(combine_program.string());
  if (!combine_code) return combine_code.error();
  auto changed = relaunch(pair, *split_code, machine, request.options);
  if (!changed) return changed.error();

  isa::Program placed = *split_code;
  trace::proto::LaunchSpec placed_launch = changed->split;
  if (request.what_if.registers > 0) placed.resources.registers_per_thread = request.what_if.registers;
  if (request.what_if.shared_bytes > 0) placed_launch.set_dynamic_shared_bytes(request.what_if.shared_bytes);
  PreparedCell cell{request,
                    std::move(*split_code),
                    std::move(*combine_code),
                    std::move(*changed),
                    std::move(placed),
                    std::move(placed_launch),
                    {}};
  std::string depends = std::string(kKeyFormat) + "\n" + model_version() + "\n" + machine.hash + "\n";
  depends +=
      machine::sha256_hex(bytes_of(split_program)) + "\n" + machine::sha256_hex(bytes_of(combine_program)) + "\n";
  depends += text_of(cell.launches.split) + "\n" + text_of(cell.launches.combine);
  if (request.what_if.registers > 0 || request.what_if.shared_bytes > 0) {
    depends += "\nwhat if " + std::to_string(cell.placed_split.resources.registers_per_thread) + " " +
               std::to_string(cell.placed_launch.dynamic_shared_bytes());
  }
  cell.key = machine::sha256_hex(depends);
  return cell;
}

Result<CellResult> run(const PreparedCell& cell, const machine::Machine& machine, const RunOptions& options) {
  CellResult result;
  result.key = cell.key;
  result.label = cell.request.label();
  result.model_version = model_version();
  result.splits = integer_argument(cell.launches.split, "nsplit");
  result.tiles_per_split = integer_argument(cell.launches.split, "tiles_per_split");
  attribution::SimulateOptions simulate_options;
  simulate_options.threads = options.threads;
  simulate_options.provenance.tool_version = options.tool_version;

  auto split = emulate(cell.split, cell.launches.split, {});
  if (!split) return split.error();
  attribution::Session session(machine);
  const auto split_run = session.run(cell.placed_split, cell.placed_launch, **split, simulate_options);
  if (!split_run) return split_run.error();
  result.split = figures_of(*split_run);

  std::vector<emulator::Preload> kept;
  for (const char* name : {"partial", "lse"}) kept.push_back({name, (*split)->buffer(name)});
  auto combine = emulate(cell.combine, cell.launches.combine, std::move(kept));
  if (!combine) return combine.error();
  const auto combine_run = session.run(cell.combine, cell.launches.combine, **combine, simulate_options);
  if (!combine_run) return combine_run.error();
  result.combine = figures_of(*combine_run);
  return result;
}

LaunchFigures figures_of(const attribution::Result& r) {
  LaunchFigures f;
  f.elapsed_cycles = r.elapsed_cycles;
  f.time_ns = r.time_ns;
  f.warp_instructions = r.warp_instructions;
  f.ctas = r.launch.ctas;
  f.full_waves = r.occupancy.full_waves;
  f.tail_ctas = r.occupancy.tail_ctas;
  f.ctas_per_sm = r.occupancy.ctas_per_sm;
  f.warps_per_sm = r.occupancy.warps_per_sm;
  f.limiter = r.occupancy.limiter;
  f.registers = r.launch.registers_per_thread;
  f.shared_bytes = r.launch.static_shared_bytes + r.launch.dynamic_shared_bytes;
  f.local_bytes = r.launch.local_bytes_per_thread;
  f.sm_active_percent = r.sm_active_percent;
  f.dram_use_percent = r.memory.dram_use_percent;
  f.dram_latency_ns = r.memory.dram_latency.mean_ns;
  f.dram_read_bytes = r.memory.dram_read_bytes;
  f.dram_write_bytes = r.memory.dram_write_bytes;
  f.l2_sectors = r.memory.l2_sectors;
  f.l2_sector_hits = r.memory.l2_sector_hits;
  f.issue_slots_total = r.issue_slots_total;
  f.issue_slots_empty = r.issue_slots_empty;
  f.issue_slots = r.issue_slots;
  std::vector<uint64_t> last_end(r.sm_count, 0);
  uint64_t end = 0;
  for (const attribution::CtaSpan& cta : r.ctas) {
    if (cta.sm < last_end.size()) last_end[cta.sm] = std::max(last_end[cta.sm], cta.end);
    end = std::max(end, cta.end);
  }
  for (const uint64_t last : last_end) {
    if (last == 0) {
      ++f.idle_sms;
    } else {
      f.tail_cycles = std::max(f.tail_cycles, end - last);
    }
  }
  return f;
}

}  // namespace smreplay::experiment
