// Writes a trace file: header, chunks of CTAs, totals. The same Program, launch and CTAs give the same bytes, in
// whatever order each CTA interned its patterns.
#pragma once

#include <memory>
#include <string>

#include "sim/isa/Program.h"
#include "sim/isa/Result.h"
#include "sim/trace/CtaTrace.h"
#include "sim/trace/launch.pb.h"

namespace smreplay::trace {

class TraceWriter {
 public:
  // Errors: "output-failed" (also while writing: the file is then gone), "program-invalid".
  static Result<TraceWriter> create(const std::string& path, const isa::Program& program,
                                    const proto::LaunchSpec& launch, const std::string& tool_version);
  TraceWriter(TraceWriter&&) noexcept;
  TraceWriter& operator=(TraceWriter&&) = delete;
  ~TraceWriter();  // without finish() there is no file

  // CTAs 0, 1, 2, ... in order. Errors: "trace-invalid", "trace-too-large", "output-failed"; the writer is then spent.
  Status add(const CtaTrace& cta);
  // Writes what is left and puts the file in place. An Error ("trace-invalid") where CTAs of the grid are missing.
  Status finish();
  uint64_t instructions() const;  // warp instructions so far
  uint64_t bytes() const;         // of the file, final after finish()

 private:
  struct State;
  explicit TraceWriter(std::unique_ptr<State> state);
  Status write_chunk();
  std::unique_ptr<State> state_;
};

// Writes all CTAs of `source` to a trace file.
Status write_trace(const std::string& path, const isa::Program& program, const proto::LaunchSpec& launch,
                   const std::string& tool_version, CtaSource& source);

}  // namespace smreplay::trace
