// What every verb is given: the global options, the terminal, and where the embedded data lies. The tool owns the
// environment (SMREPLAY_DATA, NO_COLOR); the libraries below never read it.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "sim/isa/Result.h"
#include "tools/smreplay/Terminal.h"

namespace smreplay::tool {

struct GlobalOptions {
  std::string machine = "rtx_pro_6000";  // a name in configs/machines or a file
  std::vector<std::string> settings;     // key=value, over the machine's
  std::string format = "text";
  std::string output = "-";  // "-": stdout
  unsigned jobs = 0;         // 0: one per core
  bool quiet = false;
  std::string color = "auto";  // auto, always, never
  std::string data;            // folder that holds isa_traces; empty: found (data_folder)
};

// What a verb does once the command line is parsed; the exit code is kDone unless a gate failed.
using Action = std::function<Result<ExitCode>()>;

struct Context {
  GlobalOptions options;
  Terminal terminal;
  Action action;             // set by the verb that was named
  std::string program_path;  // argv[0]'s resolved path

  // The folder that holds isa_traces: --data, else SMREPLAY_DATA, else found upwards from the binary
  // (a build tree), else ../share/smreplay beside it (an installation). Error: data-not-found, exit 3.
  Result<std::filesystem::path> data_folder() const;
};

}  // namespace smreplay::tool
