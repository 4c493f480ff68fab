// calibrate_pack: packs compiled microbenchmarks, or their Programs, into one file (sim/calibrate/Pack.h).
//
//   calibrate_pack -o sm90.cubins burst.cubin chase.cubin ...
//   calibrate_pack -o sm90.programs --nvdisasm NVDISASM burst.cubin chase.cubin ...
#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "sim/calibrate/Pack.h"
#include "sim/sass/Cubin.h"
#include "sim/sass/ProgramReader.h"
#include "sim/trace/ProgramIo.h"

namespace smreplay::calibrate {
namespace {

// Every kernel of the cubin as a Program, its lines of source left out.
Status add_programs(const std::string& path, const std::string& bytes, const std::string& nvdisasm,
                    PackEntries& entries) {
  const auto cubin = sass::read_cubin({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
  if (!cubin) return cubin.error();
  for (const sass::CubinKernel& kernel : cubin->kernels) {
    sass::Options options;
    options.nvdisasm.path = nvdisasm;
    const auto program = sass::read_program(path, kernel.name, options);
    if (!program) {  // a kernel that only a GPU runs may hold what the simulator does not know
      std::cerr << "left out: " << program.error().text() << '\n';
      continue;
    }
    const auto message = trace::to_message(*program);
    if (!message) return message.error();
    entries.emplace_back(kernel.name, message->SerializeAsString());
  }
  return Ok{};
}

Status run(const std::vector<std::string>& cubins, const std::string& output, const std::string& nvdisasm) {
  PackEntries entries;
  for (const std::string& path : cubins) {
    std::ifstream file(path, std::ios::binary);
    if (!file) return Error{ExitCode::kBadInput, "file-missing", "cannot open the cubin", path};
    std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    if (nvdisasm.empty()) {
      entries.emplace_back(std::filesystem::path(path).stem().string(), std::move(bytes));
    } else if (Status s = add_programs(path, bytes, nvdisasm, entries); !s) {
      return s;
    }
  }
  std::ofstream(output, std::ios::binary) << pack(entries);
  return Ok{};
}

}  // namespace
}  // namespace smreplay::calibrate

int main(int argc, char** argv) {
  std::vector<std::string> cubins;
  std::string output, nvdisasm;
  CLI::App app("packs compiled microbenchmarks");
  app.add_option("cubins", cubins, "cubins of kernels/microbench")->required();
  app.add_option("-o,--output", output, "pack to write")->required();
  app.add_option("--nvdisasm", nvdisasm, "pack the Programs of all kernels instead");
  CLI11_PARSE(app, argc, argv);
  const smreplay::Status status = smreplay::calibrate::run(cubins, output, nvdisasm);
  if (status) return 0;
  std::cerr << status.error().text() << '\n';
  return static_cast<int>(status.error().exit);
}
