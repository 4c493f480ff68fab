// Command lines of nvdisasm and what its failures mean.
#include "sim/sass/Nvdisasm.h"

#include <fmt/format.h>

#include <filesystem>
#include <vector>

#include "sim/sass/Subprocess.h"

namespace smreplay::sass {
namespace {

constexpr std::string_view kHowToGet =
    "pass the path of nvdisasm 13: it comes with the CUDA toolkit 13 and with the package "
    "nvidia-cuda-nvdisasm==13.5.37 of "
    "PyPI";

Error fail(std::string code, std::string message) {
  return Error{ExitCode::kBadInput, std::move(code), std::move(message), {}, 0, 0};
}

Result<std::string> run(const Nvdisasm& tool, std::vector<std::string> options, const std::string& cubin) {
  if (tool.path.empty()) return fail("nvdisasm-missing", fmt::format("no disassembler is given; {}", kHowToGet));
  std::vector<std::string> arguments{tool.path};
  arguments.insert(arguments.end(), options.begin(), options.end());
  // An absolute path cannot be taken for an option.
  std::error_code error;
  arguments.push_back(std::filesystem::absolute(cubin, error).string());
  auto output = run_process(arguments, tool.timeout);
  if (!output && output.error().code == "process-missing") {
    return fail("nvdisasm-missing", fmt::format("{}; {}", output.error().message, kHowToGet));
  }
  if (!output) return output.error();
  if (output->exit_status != 0) {
    const std::string_view message = output->standard_error;
    return fail("nvdisasm-failed", fmt::format("nvdisasm ended with status {}: {}", output->exit_status,
                                               message.substr(0, message.find('\n'))));
  }
  return std::move(output->standard_output);
}

}  // namespace

Result<std::string> Nvdisasm::json(const std::string& cubin) const { return run(*this, {"--emit-json"}, cubin); }

Result<std::string> Nvdisasm::annotated_text(const std::string& cubin) const {
  return run(*this, {"-gi", "-c"}, cubin);
}

}  // namespace smreplay::sass
