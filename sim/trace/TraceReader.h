// Reads a trace file in one pass, without random access, chunk by chunk. Safe on hostile input: whatever the bytes are,
// it gives CTAs that fit the Program or an Error, in bounded memory (FormatLimits.h).
#pragma once

#include <memory>
#include <string>

#include "sim/isa/Program.h"
#include "sim/isa/Result.h"
#include "sim/trace/CtaTrace.h"
#include "sim/trace/launch.pb.h"

namespace smreplay::trace {

// Errors: "file-missing", "trace-version", "trace-corrupt" (with offset and CTA), "program-corrupt", and what the
// instruction parser says of a Program that this tool does not know. All with exit code 4.
class TraceReader : public CtaSource {
 public:
  static Result<std::unique_ptr<TraceReader>> open(const std::string& path);
  ~TraceReader() override;

  const isa::Program& program() const;
  const proto::LaunchSpec& launch() const;
  const std::string& tool_version() const;

  // Null after the last CTA, when the totals have been found to be right and the file to end.
  Result<std::shared_ptr<const CtaTrace>> next() override;

  uint64_t file_bytes() const;
  // Paths that differ, as far as the format keeps them apart (until the tables are emptied).
  uint64_t distinct_paths() const;

 private:
  struct State;
  explicit TraceReader(std::unique_ptr<State> state);
  Status next_chunk();
  Status finish(const std::string& bytes, uint64_t offset);
  std::unique_ptr<State> state_;
};

}  // namespace smreplay::trace
