// Warp instructions per second of the emulator on a real kernel.
//
//   bench_emulator CUBIN KERNEL LAUNCH [--nvdisasm PATH] [--ctas N] [--no-trace] [--outputs FOLDER]
//
// KERNEL may be "" where the cubin holds one. The clock is processor time of execution, of filling buffers and of trace
// recording; the disassembly is not in it.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <string>

#include "sim/emulator/Emulator.h"
#include "sim/sass/ProgramReader.h"
#include "sim/trace/LaunchFile.h"

namespace {

using smreplay::Error;

int fail(const Error& error) {
  std::fprintf(stderr, "%s\n", error.text().c_str());
  return static_cast<int>(error.exit);
}

}  // namespace

int main(int argc, char** argv) {
  std::string cubin, kernel, launch_file, outputs;
  smreplay::sass::Options read_options;
  read_options.nvdisasm.path = "nvdisasm";
  uint64_t ctas = 0;
  bool no_trace = false;
  CLI::App app{"Warp instructions per second of the emulator"};
  app.add_option("cubin", cubin)->required();
  app.add_option("kernel", kernel)->required();
  app.add_option("launch", launch_file)->required();
  app.add_option("--nvdisasm", read_options.nvdisasm.path);
  app.add_option("--ctas", ctas, "stop after so many CTAs");
  app.add_option("--outputs", outputs, "folder for the buffers marked as output");
  app.add_flag("--no-trace", no_trace);
  CLI11_PARSE(app, argc, argv);

  const auto program = smreplay::sass::read_program(cubin, kernel, read_options);
  if (!program) return fail(program.error());
  const auto launch = smreplay::trace::load_launch(launch_file);
  if (!launch) return fail(launch.error());
  smreplay::emulator::Options options;
  options.record_trace = !no_trace;
  const auto created = smreplay::emulator::Emulator::create(*program, *launch, options);
  if (!created) return fail(created.error());
  smreplay::emulator::Emulator& emulator = **created;
  for (const std::string& note : emulator.notes()) std::printf("note: %s\n", note.c_str());

  uint64_t path_bytes = 0, accesses = 0;
  const std::clock_t start = std::clock();
  for (;;) {
    const auto cta = emulator.next();
    if (!cta) return fail(cta.error());
    if (*cta == nullptr) break;
    for (const auto& warp : (*cta)->warps) {
      path_bytes += warp.path->runs.size();
      accesses += warp.accesses.size();
    }
    if (ctas != 0 && emulator.ctas() == ctas) break;
  }
  const double elapsed = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  const auto instructions = static_cast<double>(emulator.warp_instructions());
  std::printf("%s %s: %llu CTAs, %.0f warp instructions, %.3f s of one core, %.2f million warp instructions/s\n",
              program->kernel.c_str(), launch->name().c_str(), static_cast<unsigned long long>(emulator.ctas()),
              instructions, elapsed, instructions / elapsed / 1e6);
  std::printf("runs of instructions: %llu, memory accesses: %llu\n", static_cast<unsigned long long>(path_bytes),
              static_cast<unsigned long long>(accesses));
  if (outputs.empty()) return 0;
  for (const auto& buffer : launch->buffers()) {
    if (!buffer.output()) continue;
    const auto bytes = emulator.buffer(buffer.name());
    std::ofstream out(outputs + "/" + buffer.name() + ".bin", std::ios::binary);
    out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
  return 0;
}
