#include "sim/experiment/Gate.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "kernels/reference/OutputCheck.h"
#include "sim/emulator/Emulator.h"
#include "sim/experiment/KeyText.h"
#include "sim/machine/Sha256.h"
#include "sim/trace/LaunchFile.h"
#include "sim/trace/ProgramIo.h"

namespace smreplay::experiment {
namespace fs = std::filesystem;
namespace {

using Json = nlohmann::ordered_json;
using trace::proto::LaunchSpec;

constexpr const char* kKeyFormat = "smreplay gate 1";
constexpr const char* kEdgeCombine = "combine.edge.launch.txtpb";
constexpr uint32_t kDefaultBlockT = 16;

struct EdgeLaunches {
  std::vector<LaunchSpec> chain;  // split, combine
  std::vector<isa::Program> programs;
  std::string key;
};

Result<EdgeLaunches> read_edge(const fs::path& folder) {
  EdgeLaunches edge;
  auto chain = trace::load_launch_chain((folder / kEdgeCombine).string());
  if (!chain) return chain.error();
  edge.chain = std::move(*chain);
  std::string depends = std::string(kKeyFormat) + "\n" + model_version();
  for (const LaunchSpec& launch : edge.chain) {
    const fs::path file = folder / launch.program();
    auto program = trace::read_program(file.string());
    if (!program) return program.error();
    edge.programs.push_back(std::move(*program));
    depends += "\n" + machine::sha256_hex(bytes_of(file)) + "\n" + text_of(launch);
  }
  edge.key = machine::sha256_hex(depends);
  return edge;
}

// Runs split and combine; gives the outputs of each.
Result<std::vector<kernels::BufferContents>> emulate(const EdgeLaunches& edge) {
  std::vector<kernels::BufferContents> outputs;
  std::vector<emulator::Preload> left;
  for (size_t i = 0; i < edge.chain.size(); ++i) {
    emulator::Options options;
    options.record_trace = false;
    options.preload = std::exchange(left, {});
    auto emulator = emulator::Emulator::create(edge.programs[i], edge.chain[i], std::move(options));
    if (!emulator) return emulator.error();
    if (Status done = (*emulator)->run_all(); !done) return done.error();
    kernels::BufferContents contents;
    for (const auto& buffer : edge.chain[i].buffers()) {
      if (!buffer.output()) continue;
      contents[buffer.name()] = (*emulator)->buffer(buffer.name());
      left.push_back({buffer.name(), contents[buffer.name()]});
    }
    outputs.push_back(std::move(contents));
  }
  return outputs;
}

Result<GateFigures> compute(const EdgeLaunches& edge, uint32_t block_t) {
  const auto outputs = emulate(edge);
  if (!outputs) return outputs.error();
  GateFigures figures;
  for (size_t i = 0; i < edge.chain.size(); ++i) {
    const std::vector<LaunchSpec> chain(edge.chain.begin(), edge.chain.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    const auto errors = kernels::check_outputs(chain, (*outputs)[i], block_t);
    if (!errors) return errors.error();
    for (const kernels::OutputError& e : *errors) {
      figures.wrong += e.not_finite + e.wrong_empty;
      if (e.buffer == "partial") figures.partial_rms = e.rms_relative;
      if (e.buffer == "out") figures.out_rms = e.rms_relative;
    }
  }
  return figures;
}

std::string to_json(const GateFigures& f) {
  return Json{{"partial_rms", f.partial_rms}, {"out_rms", f.out_rms}, {"wrong", f.wrong}}.dump() + "\n";
}

std::optional<GateFigures> from_json(const std::string& text) {
  try {
    const Json json = Json::parse(text);
    GateFigures f;
    json.at("partial_rms").get_to(f.partial_rms);
    json.at("out_rms").get_to(f.out_rms);
    json.at("wrong").get_to(f.wrong);
    return f;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

std::string compared(const char* what, double variant, double baseline) {
  return fmt::format("{} {:.1e} ({:.2f} times the baseline's {:.1e})", what, variant, variant / baseline, baseline);
}

}  // namespace

bool passes(const GateFigures& variant, const GateFigures& baseline) {
  return variant.wrong <= baseline.wrong && variant.partial_rms <= kGateFactor * baseline.partial_rms &&
         variant.out_rms <= kGateFactor * baseline.out_rms;
}

std::string GateVerdict::text() const {
  if (error) return "not run: " + error->message;
  std::string text = compared("partial results", variant.partial_rms, baseline.partial_rms) + ", " +
                     compared("output", variant.out_rms, baseline.out_rms);
  if (variant.wrong > 0) text += fmt::format(", {} values not finite or not empty", variant.wrong);
  return text;
}

Result<GateFigures> gate_figures(const fs::path& captures, const std::string& writing, const proto::Side& side,
                                 uint32_t sm, const CellStore& store) {
  CellRequest request;
  request.writing = writing;
  request.configuration = side.configuration();
  const auto edge = read_edge(capture_folder(captures, request, sm));
  if (!edge) return edge.error();
  if (const auto text = store.find_text(edge->key)) {
    if (const auto figures = from_json(*text)) return *figures;
  }
  const auto figures = compute(*edge, side.block_t() == 0 ? kDefaultBlockT : side.block_t());
  if (!figures) return figures.error();
  if (Status kept = store.keep_text(edge->key, to_json(*figures)); !kept) return kept.error();
  return *figures;
}

std::vector<GateVerdict> run_gate(const fs::path& captures, const proto::Experiment& experiment, const Scope& scope,
                                  uint32_t sm, const CellStore& store) {
  std::vector<GateVerdict> verdicts;
  for (const std::string& writing : scope.writings) {
    for (const proto::Side& side : experiment.changes()) {
      if (!scope.has(side) || side.configuration() == experiment.baseline().configuration()) continue;
      CellRequest request;
      request.writing = writing;
      request.configuration = side.configuration();
      if (!capture_exists(captures, request, sm)) continue;
      GateVerdict verdict{writing, side.name(), {}, {}, std::nullopt};
      const auto baseline = gate_figures(captures, writing, experiment.baseline(), sm, store);
      const auto variant = gate_figures(captures, writing, side, sm, store);
      if (!baseline) verdict.error = baseline.error();
      if (!variant) verdict.error = variant.error();
      if (baseline) verdict.baseline = *baseline;
      if (variant) verdict.variant = *variant;
      verdicts.push_back(std::move(verdict));
    }
  }
  return verdicts;
}

}  // namespace smreplay::experiment
