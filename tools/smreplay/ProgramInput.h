// Makes a Program from what people have: a cubin, Triton's cache folder, a CUDA source (through nvcc), or one of our
// own kernels (through kernels/build.py).
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "sim/isa/Program.h"
#include "sim/isa/Result.h"
#include "tools/smreplay/Context.h"

namespace smreplay::tool {

struct ProgramOptions {
  std::string kernel;                      // symbol; empty: the only one
  std::string nvdisasm;                    // empty: .deps/bin of the data folder, then PATH
  std::string source_root;                 // source names are kept relative to it
  std::string source, producer, compiler;  // provenance, where the file does not say it
  std::string build;                       // of our own kernels: the folder of isa_traces to build, plain331-v0-sm120
  std::vector<std::string> nvcc;           // further options of nvcc
};

void add_program_options(CLI::App& verb, ProgramOptions& options);

// The first option that was given; empty: none.
std::string given_option(const ProgramOptions& options);

// Error (exit 2): usage - an option that has no meaning for this kind of INPUT.
Status check_program_options(const std::filesystem::path& input, const ProgramOptions& options);

// Whether a name on the command line is something that make_program takes.
bool is_program_source(const std::filesystem::path& input);

// `architecture`: what a CUDA source is compiled for. Errors: those of sass::read_program; capture-tool-missing and
// capture-tool-failed (exit 3) for nvcc and kernels/build.py; capture-folder (exit 4) for a folder without a cubin.
Result<isa::Program> make_program(const Context& context, const std::filesystem::path& input,
                                  const ProgramOptions& options, uint32_t architecture);

}  // namespace smreplay::tool
