#include "tools/smreplay/ConfirmPlan.h"

#include <fmt/format.h>
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <utility>

#include "sim/confirm/Predictions.h"
#include "sim/experiment/Gate.h"
#include "sim/experiment/Plan.h"
#include "sim/machine/NearestName.h"
#include "sim/machine/Occupancy.h"
#include "sim/machine/Sha256.h"
#include "sim/trace/OutputFile.h"
#include "tools/smreplay/CacheFolder.h"
#include "tools/smreplay/LaunchInput.h"
#include "tools/smreplay/Version.h"

namespace smreplay::tool {
namespace fs = std::filesystem;
namespace {

using confirm::PlanCase;
using experiment::Catalogue;
using experiment::CellRequest;
using experiment::proto::Experiment;
using experiment::proto::Side;

constexpr const char* kAll = "all";
constexpr const char* kResidency = "one CTA per SM";  // the pair padded over plain of one binary
constexpr uint32_t kConcurrencies[] = {1, 8, 96};
constexpr uint64_t kKhzPerMhz = 1000;

Result<std::vector<const Experiment*>> chosen(const Catalogue& catalogue, const std::vector<std::string>& names) {
  std::vector<const Experiment*> found;
  for (const std::string& name : names) {
    if (name == kAll) {
      for (const Experiment& e : catalogue.experiments) found.push_back(&e);
      continue;
    }
    const Experiment* e = catalogue.find(name);
    if (e == nullptr) {
      return Error{ExitCode::kUsage, "experiment-unknown",
                   fmt::format("no experiment '{}'{} (experiments: {})", name,
                               machine::did_you_mean(name, catalogue.ids()), fmt::join(catalogue.ids(), ", "))};
    }
    found.push_back(e);
  }
  return found;
}

Result<std::vector<std::string>> writings_of(const Catalogue& catalogue, const std::string& wanted) {
  const std::vector<std::string> known(catalogue.suite.writings().begin(), catalogue.suite.writings().end());
  if (wanted == kAll) return known;
  const std::string writing = wanted.empty() ? catalogue.suite.headline_writing() : wanted;
  if (std::find(known.begin(), known.end(), writing) != known.end()) return std::vector<std::string>{writing};
  return Error{ExitCode::kUsage, "experiment-writing",
               fmt::format("no writing '{}'{} (writings: {}, all)", writing, machine::did_you_mean(writing, known),
                           fmt::join(known, ", "))};
}

// The change that the experiment is named after, else its first; null where there is no binary to run.
const Side* main_side(const Experiment& e) {
  if (!e.not_run().empty() || e.baseline().configuration().empty() || e.changes().empty()) return nullptr;
  for (const Side& side : e.changes()) {
    if (side.name() == e.id()) return side.has_what_if() ? nullptr : &side;
  }
  return e.changes(0).has_what_if() ? nullptr : &e.changes(0);
}

Result<std::string> content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Error{ExitCode::kBadInput, "file-missing", "cannot be read", path.string()};
  return std::string(std::istreambuf_iterator<char>(file), {});
}

Status write(const fs::path& path, const std::string& bytes) {
  Result<trace::OutputFile> file = trace::OutputFile::create(path.string());
  if (!file) return file.error();
  if (Status done = file->write(bytes); !done) return done;
  return file->commit();
}

// "launch 'split.c8' cannot be ...": the subject of a note names the launch already.
std::string without_launch_name(const std::string& message) {
  constexpr std::string_view kBefore = "launch '", kAfter = "' ";
  const size_t end = message.find(kAfter);
  if (!message.starts_with(kBefore) || end == std::string::npos) return message;
  return message.substr(end + kAfter.size());
}

class Writer {
 public:
  Writer(fs::path captures, const Catalogue& catalogue, const machine::Machine& machine, fs::path folder)
      : captures_(std::move(captures)), catalogue_(catalogue), machine_(machine), folder_(std::move(folder)) {}

  // Adds the pair of an experiment; cases that are there already are not added again.
  Status add(const Experiment& e, const Side& change, const std::string& writing, uint32_t concurrency, bool padded) {
    const CellRequest base = request(e.baseline(), writing, concurrency, padded);
    const CellRequest other = request(change, writing, concurrency, padded);
    bases_.insert(base.label());
    for (const CellRequest* r : {&base, &other}) {
      if (experiment::capture_exists(captures_, *r, machine_.sm)) continue;
      note({fmt::format("{} ({})", e.id(), experiment::capture_folder(captures_, *r, machine_.sm).filename().string()),
            fmt::format("no binary for sm_{}", machine_.sm)});
      return Ok{};
    }
    for (const auto& [request, side] : {std::pair(&base, &e.baseline()), std::pair(&other, &change)}) {
      const Status done = add_case(*request, *side);
      if (done) continue;
      if (done.error().exit != ExitCode::kBadConfiguration || done.error().code == "output-failed") return done;
      note({request->label(), without_launch_name(done.error().message)});  // a limit of the machine
      return Ok{};
    }
    if (base.label() != other.label()) out_.plan.pairs.push_back({e.id(), base.label(), other.label()});
    return Ok{};
  }

  // What the numerical gate says of the experiment's change in this writing; a variant that it rejects is not timed.
  bool rejected(const Experiment& e, const Side& change, const std::string& writing,
                const experiment::CellStore& store) {
    experiment::Scope scope;
    scope.writings = {writing};
    scope.sides = {change.name()};
    for (const auto& verdict : experiment::run_gate(captures_, e, scope, machine_.sm, store)) {
      if (!verdict.rejected()) continue;
      note({fmt::format("{} in {}", e.id(), writing),
            "rejected by the numerical gate, not timed (its figures: smreplay experiment run)"});
      return true;
    }
    return false;
  }

  // Padded over plain of each baseline that is there in both ways.
  void add_residency() {
    for (const PlanCase& padded : out_.plan.cases) {
      if (!padded.padded) continue;
      for (const PlanCase& plain : out_.plan.cases) {
        if (!plain.padded && plain.id + " padded" == padded.id && bases_.contains(padded.id)) {
          out_.plan.pairs.push_back({kResidency, plain.id, padded.id});
        }
      }
    }
  }

  // Each binary, as launched by its baseline's target, at the lowest and the highest concurrency.
  void choose_profiles() {
    for (PlanCase& c : out_.plan.cases) {
      const auto [low, high] = extremes();
      if (c.padded || (c.concurrency != low && c.concurrency != high)) continue;
      c.profiled = std::none_of(out_.plan.cases.begin(), out_.plan.cases.end(), [&c](const PlanCase& other) {
        return other.profiled && other.cubin == c.cubin && other.concurrency == c.concurrency;
      });
    }
  }

  PlanFolder& out() { return out_; }

 private:
  CellRequest request(const Side& side, const std::string& writing, uint32_t concurrency, bool padded) const {
    return experiment::request_of(catalogue_, machine_, writing, side, concurrency, catalogue_.suite.main_class(),
                                  padded);
  }

  std::pair<uint32_t, uint32_t> extremes() const {
    uint32_t low = UINT32_MAX, high = 0;
    for (const PlanCase& c : out_.plan.cases) {
      low = std::min(low, c.concurrency);
      high = std::max(high, c.concurrency);
    }
    return {low, high};
  }

  void note(const Note& note) {
    if (std::find(out_.notes.begin(), out_.notes.end(), note) == out_.notes.end()) out_.notes.push_back(note);
  }

  Status add_case(const CellRequest& request, const Side& side) {
    if (out_.plan.find(request.label()) != nullptr) return Ok{};
    const auto cell = experiment::prepare(captures_, request, machine_);
    if (!cell) return cell.error();
    const auto& split = cell->launches.split;
    if (Status fits = machine::check_launch(machine_, resources_of(cell->split, split), grid_of(split)); !fits) {
      return fits;
    }
    const fs::path capture = experiment::capture_folder(captures_, request, machine_.sm);
    const fs::path to = folder_ / capture.filename();
    std::error_code failed;
    fs::create_directories(to, failed);
    PlanCase c;
    c.id = request.label();
    c.writing = request.writing;
    c.configuration = request.configuration;
    c.side = side.name();
    c.concurrency = request.concurrency;
    c.target_ctas = side.target_ctas();
    c.padded = request.options.pad_to_one_cta;
    const std::string stem =
        fmt::format("split.c{}.T{}{}", request.concurrency, request.options.target_ctas, c.padded ? ".padded" : "");
    c.launch = (capture.filename() / (stem + ".launch.txtpb")).string();
    c.cubin = (capture.filename() / "split.cubin").string();
    const std::string text = launch_text(*cell);
    c.launch_sha256 = machine::sha256_hex(text);
    if (Status done = write(folder_ / c.launch, text); !done) return done;
    for (const char* name : {"split.cubin", "split.program"}) {
      const auto bytes = content(capture / name);
      if (!bytes) return bytes.error();
      if (folder_ / c.cubin == to / name) c.cubin_sha256 = machine::sha256_hex(*bytes);
      if (Status done = write(to / name, *bytes); !done) return done;
    }
    out_.plan.cases.push_back(std::move(c));
    return Ok{};
  }

  fs::path captures_;
  const Catalogue& catalogue_;
  const machine::Machine& machine_;
  fs::path folder_;
  std::set<std::string> bases_;  // labels of baselines
  PlanFolder out_;
};

Status check_concurrencies(const Catalogue& catalogue, const std::vector<uint32_t>& wanted) {
  const auto& known = catalogue.suite.concurrencies();
  for (const uint32_t c : wanted) {
    if (std::find(known.begin(), known.end(), c) != known.end()) continue;
    return Error{ExitCode::kUsage, "usage",
                 fmt::format("-C {}: the captures have launches for C = {}", c, fmt::join(known, ", "))};
  }
  return Ok{};
}

}  // namespace

std::optional<CellRequest> request_of(const Catalogue& catalogue, const machine::Machine& machine, const PlanCase& c) {
  for (const Experiment& e : catalogue.experiments) {
    std::vector<const Side*> sides = {&e.baseline()};
    for (const Side& side : e.changes()) sides.push_back(&side);
    for (const Side* side : sides) {
      if (side->configuration() != c.configuration || side->target_ctas() != c.target_ctas || side->has_what_if()) {
        continue;
      }
      return experiment::request_of(catalogue, machine, c.writing, *side, c.concurrency, catalogue.suite.main_class(),
                                    c.padded);
    }
  }
  return std::nullopt;
}

std::string launch_text(const experiment::PreparedCell& cell) {
  std::string text;
  google::protobuf::TextFormat::PrintToString(cell.launches.split, &text);
  return "# proto-file: sim/trace/launch.proto\n# proto-message: LaunchSpec\n" + text;
}

Status check_scope(const Context& context, const ConfirmScope& scope) {
  const Result<fs::path> data = context.data_folder();
  if (!data) return data.error();
  const auto catalogue = experiment::load_catalogue(*data / "configs" / "experiments");
  if (!catalogue) return catalogue.error();
  if (const auto experiments = chosen(*catalogue, scope.names); !experiments) return experiments.error();
  if (const auto writings = writings_of(*catalogue, scope.writing); !writings) return writings.error();
  return check_concurrencies(*catalogue, scope.concurrencies);
}

Result<PlanFolder> write_plan(const Context& context, const machine::Machine& machine, const ConfirmScope& scope,
                              const fs::path& folder) {
  const Result<fs::path> data = context.data_folder();
  if (!data) return data.error();
  const auto catalogue = experiment::load_catalogue(*data / "configs" / "experiments");
  if (!catalogue) return catalogue.error();
  const auto experiments = chosen(*catalogue, scope.names);
  if (!experiments) return experiments.error();
  const auto writings = writings_of(*catalogue, scope.writing);
  if (!writings) return writings.error();
  std::vector<uint32_t> concurrencies = scope.concurrencies;
  if (concurrencies.empty()) concurrencies.assign(std::begin(kConcurrencies), std::end(kConcurrencies));
  if (Status known = check_concurrencies(*catalogue, concurrencies); !known) return known.error();
  const auto predictions = confirm::read_predictions(*data / "configs" / "experiments" / "predictions");
  if (!predictions) return predictions.error();

  Writer writer(*data / "isa_traces", *catalogue, machine, folder);
  confirm::Plan& plan = writer.out().plan;
  plan.tool_version = kVersion;
  plan.model_version = experiment::model_version();
  plan.machine = machine.name;
  plan.machine_hash = machine.hash;
  plan.sm = machine.sm;
  plan.core_mhz = static_cast<uint32_t>(machine.core_clock_khz / kKhzPerMhz);
  for (const confirm::Predictions& file : *predictions) {
    if (file.machine == machine.name) plan.predictions.push_back({file.name, file.sha256});
  }
  const experiment::CellStore store(cache_folder(""));
  for (const std::string& writing : *writings) {
    std::vector<std::pair<const Experiment*, const Side*>> timed;
    for (const Experiment* e : *experiments) {
      const Side* change = main_side(*e);
      if (change != nullptr && !writer.rejected(*e, *change, writing, store)) timed.emplace_back(e, change);
    }
    for (const uint32_t concurrency : concurrencies) {
      for (const bool padded : {false, true}) {
        if (padded ? !scope.padded : !scope.plain) continue;
        for (const auto& [e, change] : timed) {
          if (Status done = writer.add(*e, *change, writing, concurrency, padded); !done) return done.error();
        }
      }
    }
  }
  if (plan.cases.empty()) {
    return Error{ExitCode::kBadConfiguration, "confirm-empty",
                 fmt::format("nothing of this can be run on sm_{}: no binary fits", machine.sm)};
  }
  writer.add_residency();
  writer.choose_profiles();
  if (Status done = write(folder / confirm::kPlanFile, confirm::to_json(plan)); !done) return done.error();
  return std::move(writer.out());
}

}  // namespace smreplay::tool
