#include "tools/smreplay/ProgramInput.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

#include "sim/sass/ProgramReader.h"
#include "sim/sass/Subprocess.h"
#include "sim/sass/TritonMetadata.h"

namespace smreplay::tool {
namespace fs = std::filesystem;
namespace {

constexpr auto kCompileTimeout = std::chrono::minutes(10);

Error tool_error(std::string code, std::string message) {
  return Error{ExitCode::kBadConfiguration, std::move(code), std::move(message)};
}

// A program of this name on PATH; empty: none.
std::string on_path(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path candidate = fs::path(folder) / name;
    if (access(candidate.c_str(), X_OK) == 0) return candidate.string();
  }
  return "";
}

std::string find_nvdisasm(const Context& context, const ProgramOptions& options) {
  if (!options.nvdisasm.empty()) return options.nvdisasm;
  if (const Result<fs::path> data = context.data_folder()) {
    const fs::path pinned = *data / ".deps" / "bin" / "nvdisasm";
    if (access(pinned.c_str(), X_OK) == 0) return pinned.string();
  }
  const std::string found = on_path("nvdisasm");
  return found.empty() ? "nvdisasm" : found;
}

// A folder that is gone when this is.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern = (fs::temp_directory_path() / "smreplay-XXXXXX").string();
    if (mkdtemp(pattern.data()) != nullptr) path_ = pattern;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

Status run_tool(const std::vector<std::string>& command) {
  // Compilers find their own helpers through the environment, which env(1) passes on.
  const char* path = std::getenv("PATH");
  const char* home = std::getenv("HOME");
  std::vector<std::string> with_environment = {"/usr/bin/env", fmt::format("PATH={}", path == nullptr ? "" : path),
                                               fmt::format("HOME={}", home == nullptr ? "/" : home)};
  with_environment.insert(with_environment.end(), command.begin(), command.end());
  const Result<sass::ProcessOutput> done = sass::run_process(with_environment, kCompileTimeout);
  if (!done) return done.error();
  if (done->exit_status == 0) return Ok{};
  return tool_error("capture-tool-failed",
                    fmt::format("{} failed with exit code {}:\n{}{}", fs::path(command[0]).filename().string(),
                                done->exit_status, done->standard_error, done->standard_output));
}

sass::Options reader_options(const Context& context, const ProgramOptions& options) {
  sass::Options reader;
  reader.nvdisasm.path = find_nvdisasm(context, options);
  reader.source_root = options.source_root;
  if (reader.source_root.empty()) {
    if (const Result<fs::path> data = context.data_folder()) reader.source_root = data->string();
  }
  reader.source = options.source;
  reader.producer = options.producer;
  reader.compiler_options = options.compiler;
  return reader;
}

// Triton's cache folder of one kernel: KERNEL.cubin and KERNEL.json.
Result<isa::Program> from_triton_cache(const Context& context, const fs::path& folder, const ProgramOptions& options) {
  std::vector<fs::path> cubins;
  std::error_code ignored;
  for (const auto& entry : fs::recursive_directory_iterator(folder, ignored)) {
    if (entry.path().extension() == ".cubin") cubins.push_back(entry.path());
  }
  std::sort(cubins.begin(), cubins.end());
  const auto chosen = std::find_if(cubins.begin(), cubins.end(), [&options](const fs::path& cubin) {
    return options.kernel.empty() || cubin.stem() == options.kernel;
  });
  if (chosen == cubins.end() || (options.kernel.empty() && cubins.size() > 1)) {
    std::string names;
    for (const fs::path& cubin : cubins) names += (names.empty() ? "" : ", ") + cubin.stem().string();
    return Error{ExitCode::kBadInput, "capture-folder",
                 cubins.empty() ? "there is no .cubin in this folder"
                                : "choose one kernel with --symbol (in this folder: " + names + ")",
                 folder.string()};
  }
  sass::Options reader = reader_options(context, options);
  std::ifstream in(fs::path(*chosen).replace_extension(".json"), std::ios::binary);
  if (in && reader.producer.empty()) {
    const std::string json{std::istreambuf_iterator<char>(in), {}};
    const Result<sass::TritonMetadata> metadata = sass::read_triton_metadata(json);
    if (!metadata) return metadata.error();
    reader.producer = "triton " + metadata->triton_version;
    if (reader.compiler_options.empty()) {
      reader.compiler_options = fmt::format("num_warps={} num_stages={}", metadata->num_warps, metadata->num_stages);
    }
  }
  return sass::read_program(chosen->string(), options.kernel, reader);
}

Result<isa::Program> from_cuda_source(const Context& context, const fs::path& source, const ProgramOptions& options,
                                      uint32_t architecture) {
  const std::string nvcc = on_path("nvcc");
  if (nvcc.empty()) {
    return tool_error("capture-tool-missing", "nvcc is not on PATH: install the CUDA toolkit, or capture a .cubin");
  }
  const ScratchFolder scratch;
  const std::string cubin = (scratch.path() / "kernel.cubin").string();
  std::vector<std::string> command = {
      nvcc, "-cubin", "-lineinfo", "-std=c++20", fmt::format("-arch=sm_{}", architecture), "-o", cubin};
  command.insert(command.end(), options.nvcc.begin(), options.nvcc.end());
  command.push_back(source.string());
  if (Status compiled = run_tool(command); !compiled) return compiled.error();
  sass::Options reader = reader_options(context, options);
  if (reader.compiler_options.empty()) reader.compiler_options = fmt::format("-arch=sm_{} -lineinfo", architecture);
  return sass::read_program(cubin, options.kernel, reader);
}

// kernels/build.py writes isa_traces/<folder>/{split,combine}.cubin; the same into a scratch folder.
Result<isa::Program> from_own_kernel(const Context& context, const ProgramOptions& options) {
  const Result<fs::path> data = context.data_folder();
  if (!data) return data.error();
  const std::string python = on_path("python3");
  if (python.empty()) return tool_error("capture-tool-missing", "python3 is not on PATH");
  const ScratchFolder scratch;
  if (Status built = run_tool({python, (*data / "kernels" / "build.py").string(), "--only", options.build, "--venvs",
                               (*data / ".deps").string(), "-o", scratch.path().string()});
      !built) {
    return built.error();
  }
  const std::string stem = options.kernel == "sparse_mla_combine" ? "combine.cubin" : "split.cubin";
  return sass::read_program((scratch.path() / options.build / stem).string(), "", reader_options(context, options));
}

}  // namespace

void add_program_options(CLI::App& verb, ProgramOptions& options) {
  const std::string group = "Program";
  verb.add_option("--symbol", options.kernel, "the kernel's symbol, where the cubin holds several")->group(group);
  verb.add_option("--nvdisasm", options.nvdisasm, "nvdisasm 13; else .deps/bin/nvdisasm, then PATH")
      ->type_name("FILE")
      ->group(group);
  verb.add_option("--source-root", options.source_root, "source names are kept relative to this folder")
      ->type_name("DIR")
      ->group(group);
  verb.add_option("--source", options.source, "provenance: name of the kernel's source")->group(group);
  verb.add_option("--producer", options.producer, "provenance: compiler and version")->group(group);
  verb.add_option("--compiler-options", options.compiler, "provenance: compiler options that matter")->group(group);
  verb.add_option("--build", options.build, "with one of our own kernels: which build, such as plain331-v0-sm120")
      ->type_name("NAME")
      ->group(group);
  verb.add_option("--nvcc-option", options.nvcc, "with a .cu file: a further option of nvcc; repeatable")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->group(group);
}

std::string given_option(const ProgramOptions& options) {
  const std::pair<const char*, bool> given[] = {{"--symbol", !options.kernel.empty()},
                                                {"--nvdisasm", !options.nvdisasm.empty()},
                                                {"--source-root", !options.source_root.empty()},
                                                {"--source", !options.source.empty()},
                                                {"--producer", !options.producer.empty()},
                                                {"--compiler-options", !options.compiler.empty()},
                                                {"--build", !options.build.empty()},
                                                {"--nvcc-option", !options.nvcc.empty()}};
  for (const auto& [name, is_given] : given) {
    if (is_given) return name;
  }
  return {};
}

Status check_program_options(const fs::path& input, const ProgramOptions& options) {
  const auto refuse = [](std::string message) {
    return Error{ExitCode::kUsage, "usage", std::move(message), "smreplay"};
  };
  const std::string extension = input.extension().string();
  const bool is_source = extension == ".py" || extension == ".cu";
  if (!options.build.empty() && !is_source) {
    return refuse(fmt::format("--build: it compiles one of our own sources anew, and '{}' is none", input.string()));
  }
  std::error_code ignored;
  if (!options.build.empty() && !fs::exists(input, ignored)) {
    return Error{ExitCode::kBadInput, "file-missing", "there is no such source", input.string()};
  }
  if (!options.nvcc.empty() && (extension != ".cu" || !options.build.empty())) {
    return refuse("--nvcc-option: only a .cu file without --build goes through nvcc here");
  }
  return Ok{};
}

bool is_program_source(const fs::path& input) {
  const std::string extension = input.extension().string();
  std::error_code ignored;
  return extension == ".cubin" || extension == ".cu" || extension == ".py" || fs::is_directory(input, ignored);
}

Result<isa::Program> make_program(const Context& context, const fs::path& input, const ProgramOptions& options,
                                  uint32_t architecture) {
  std::error_code ignored;
  if (!options.build.empty()) return from_own_kernel(context, options);
  if (fs::is_directory(input, ignored)) return from_triton_cache(context, input, options);
  if (input.extension() == ".cu") return from_cuda_source(context, input, options, architecture);
  if (input.extension() == ".py") {
    return Error{
        ExitCode::kUsage, "capture-build",
        "a Triton source is built by kernels/build.py: say which build with --build, such as plain331-v0-sm120",
        input.string()};
  }
  return sass::read_program(input.string(), options.kernel, reader_options(context, options));
}

}  // namespace smreplay::tool
