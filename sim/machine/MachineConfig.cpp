#include "sim/machine/MachineConfig.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "sim/machine/Embedded.h"
#include "sim/machine/FillMachine.h"
#include "sim/machine/MachineFile.h"
#include "sim/machine/MachineRules.h"
#include "sim/machine/NearestName.h"
#include "sim/machine/Overrides.h"
#include "sim/machine/Schema.h"
#include "sim/machine/Sha256.h"

namespace smreplay::machine {
namespace {

constexpr std::string_view kExtension = ".txtpb";
constexpr size_t kMaxMachineBytes = size_t{4} << 20U;  // the built-in ones have a fortieth of it

Error not_found(const std::string& what, std::string message) {
  return Error{ExitCode::kBadConfiguration, "machine-not-found", std::move(message), what, 0, 0};
}

bool is_path(const std::string& name) { return name.find('/') != std::string::npos || name.ends_with(kExtension); }

Result<MachineFile> read_file(const std::string& name_or_path) {
  if (is_path(name_or_path)) {
    std::ifstream in(name_or_path, std::ios::binary);
    std::string text(kMaxMachineBytes, '\0');
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<size_t>(in.gcount()));
    if (text.empty()) return not_found(name_or_path, "cannot read this machine file");
    if (text.size() == kMaxMachineBytes) return not_found(name_or_path, "this file is too large for a machine file");
    return parse_machine_file(name_or_path, text);
  }
  for (const EmbeddedFile& file : embedded_files()) {
    if (file.name != name_or_path + std::string(kExtension)) continue;
    return parse_machine_file("configs/machines/" + std::string(file.name), file.bytes);
  }
  const std::vector<std::string> names = machine_names();
  return not_found("", fmt::format("no machine '{}'{} (built in: {}; or give the path of a .txtpb file)", name_or_path,
                                   did_you_mean(name_or_path, names), fmt::join(names, ", ")));
}

Status override_all(MachineFile& file, const std::vector<std::string>& overrides) {
  for (const std::string& assignment : overrides) {
    if (Status status = apply_override(file, assignment); !status) return status;
  }
  return Ok{};
}

Result<MachineFile> read_with_overrides(const std::string& name_or_path, const std::vector<std::string>& overrides) {
  Result<MachineFile> file = read_file(name_or_path);
  if (!file) return file;
  if (Status status = override_all(*file, overrides); !status) return status.error();
  return file;
}

Result<Machine> checked_machine(const MachineFile& file) {
  Result<Machine> machine = fill_machine(canonical(file.spec));
  if (!machine) return machine;
  const std::vector<Error> errors = broken_rules(*machine, file);
  if (!errors.empty()) return errors.front();
  return machine;
}

}  // namespace

std::vector<std::string> machine_names() {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : embedded_files()) {
    if (!file.name.ends_with(kExtension)) continue;
    names.emplace_back(file.name.substr(0, file.name.size() - kExtension.size()));
  }
  std::sort(names.begin(), names.end());
  return names;
}

Result<Machine> load_machine(const std::string& name_or_path, const std::vector<std::string>& overrides) {
  Result<MachineConfig> config = MachineConfig::load(name_or_path, overrides);
  if (!config) return config.error();
  return config->machine();
}

MachineConfig::MachineConfig(std::shared_ptr<const MachineFile> file, Machine machine)
    : file_(std::move(file)), machine_(std::move(machine)) {
  machine_.hash = sha256_hex(canonical_text());
}

Result<MachineConfig> MachineConfig::load(const std::string& name_or_path, const std::vector<std::string>& overrides) {
  Result<MachineFile> file = read_with_overrides(name_or_path, overrides);
  if (!file) return file.error();
  Result<Machine> machine = checked_machine(*file);
  if (!machine) return machine.error();
  return MachineConfig(std::make_shared<const MachineFile>(std::move(*file)), std::move(*machine));
}

Result<MachineConfig> MachineConfig::with(const std::vector<std::string>& overrides) const {
  MachineFile file = *file_;
  if (Status status = override_all(file, overrides); !status) return status.error();
  Result<Machine> machine = checked_machine(file);
  if (!machine) return machine.error();
  return MachineConfig(std::make_shared<const MachineFile>(std::move(file)), std::move(*machine));
}

Result<Machine> MachineConfig::machine_with(const std::vector<std::string>& overrides) const {
  MachineFile file{file_->name, file_->spec, {}};
  if (Status status = override_all(file, overrides); !status) return status.error();
  return checked_machine(file);
}

std::vector<Error> validate_machine(const std::string& name_or_path, const std::vector<std::string>& overrides) {
  Result<MachineFile> file = read_with_overrides(name_or_path, overrides);
  if (!file) return {file.error()};
  Result<Machine> machine = fill_machine(canonical(file->spec));
  if (!machine) return {machine.error()};
  return broken_rules(*machine, *file);
}

std::vector<std::string> MachineConfig::keys(const std::string& prefix) const {
  std::vector<std::string> below;
  for (const Key& key : all_keys()) {
    const bool under =
        key.path.size() > prefix.size() && key.path.starts_with(prefix) && key.path[prefix.size()] == '.';
    if (prefix.empty() || key.path == prefix || under) below.push_back(key.path);
  }
  return below;
}

}  // namespace smreplay::machine
