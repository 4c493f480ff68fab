#include "sim/trace/TraceWriter.h"

#include <optional>
#include <utility>

#include "sim/trace/CtaEncoder.h"
#include "sim/trace/FormatLimits.h"
#include "sim/trace/LaunchShape.h"
#include "sim/trace/ProgramIo.h"
#include "sim/trace/RecordFile.h"
#include "sim/trace/trace.pb.h"

namespace smreplay::trace {

struct TraceWriter::State {
  State(RecordWriter writer, const isa::Program& program, uint64_t grid)
      : file(std::move(writer)), encoder(program), grid_ctas(grid) {}
  RecordWriter file;
  CtaEncoder encoder;
  uint64_t grid_ctas;
  uint32_t ctas = 0;       // added so far
  uint32_t first_cta = 0;  // of the chunk at hand
};

Result<TraceWriter> TraceWriter::create(const std::string& path, const isa::Program& program,
                                        const proto::LaunchSpec& launch, const std::string& tool_version) {
  proto::TraceHeader header;
  header.set_tool_version(tool_version);
  auto message = to_message(program);
  if (!message) return message.error();
  *header.mutable_program() = std::move(*message);
  *header.mutable_launch() = launch;
  const std::string bytes = header.SerializeAsString();
  if (bytes.size() > kMaxHeaderBytes) {
    return Error{ExitCode::kBadInput, "trace-too-large", "the Program and launch are larger than the format allows",
                 path};
  }
  auto file = RecordWriter::create(path, kTraceMagic, kTraceFormatVersion);
  if (!file) return file.error();
  if (Status status = file->write(RecordKind::kHeader, bytes); !status) return status.error();
  return TraceWriter(std::make_unique<State>(std::move(*file), program, grid_ctas(launch)));
}

TraceWriter::TraceWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
TraceWriter::TraceWriter(TraceWriter&&) noexcept = default;
TraceWriter::~TraceWriter() = default;

Status TraceWriter::add(const CtaTrace& cta) {
  State& s = *state_;
  if (cta.linear_id != s.ctas || cta.linear_id >= s.grid_ctas) {
    return Error{ExitCode::kBadInput,
                 "trace-invalid",
                 "CTA " + std::to_string(cta.linear_id) + " came where CTA " + std::to_string(s.ctas) + " of " +
                     std::to_string(s.grid_ctas) + " was due",
                 {}};
  }
  if (Status status = s.encoder.add(cta); !status) return status;
  ++s.ctas;
  if (s.encoder.bytes() < kChunkTargetBytes && s.ctas - s.first_cta < kMaxChunkCtas) return Ok{};
  return write_chunk();
}

Status TraceWriter::write_chunk() {
  State& s = *state_;
  if (s.encoder.bytes() > kMaxChunkBytes) {
    return Error{ExitCode::kBadInput,
                 "trace-too-large",
                 "CTA " + std::to_string(s.ctas - 1) + " is larger than the format allows",
                 {}};
  }
  ColumnWriters columns = s.encoder.take();
  proto::Chunk chunk;
  chunk.set_first_cta(s.first_cta);
  chunk.set_ctas(s.ctas - s.first_cta);
  chunk.set_warps(columns.warps.take());
  chunk.set_path_runs(columns.path_runs.take());
  chunk.set_path_guards(columns.path_guards.take());
  chunk.set_access_ways(columns.access_ways.take());
  chunk.set_access_values(columns.access_values.take());
  chunk.set_pattern_shapes(columns.pattern_shapes.take());
  chunk.set_pattern_gaps(columns.pattern_gaps.take());
  chunk.set_extras(columns.extras.take());
  s.first_cta = s.ctas;
  return s.file.write(RecordKind::kChunk, chunk.SerializeAsString());
}

Status TraceWriter::finish() {
  State& s = *state_;
  if (s.ctas != s.grid_ctas) {
    return Error{ExitCode::kBadInput,
                 "trace-invalid",
                 "the trace has " + std::to_string(s.ctas) + " of " + std::to_string(s.grid_ctas) + " CTAs",
                 {}};
  }
  if (s.ctas > s.first_cta) {
    if (Status status = write_chunk(); !status) return status;
  }
  proto::TraceTotals totals;
  totals.set_ctas(s.ctas);
  totals.set_warps(s.encoder.warps());
  totals.set_instructions(s.encoder.instructions());
  totals.set_accesses(s.encoder.accesses());
  if (Status status = s.file.write(RecordKind::kEnd, totals.SerializeAsString()); !status) return status;
  return s.file.commit();
}

uint64_t TraceWriter::instructions() const { return state_->encoder.instructions(); }
uint64_t TraceWriter::bytes() const { return state_->file.size(); }

Status write_trace(const std::string& path, const isa::Program& program, const proto::LaunchSpec& launch,
                   const std::string& tool_version, CtaSource& source) {
  auto writer = TraceWriter::create(path, program, launch, tool_version);
  if (!writer) return writer.error();
  for (;;) {
    auto cta = source.next();
    if (!cta) return cta.error();
    if (*cta == nullptr) return writer->finish();
    if (Status status = writer->add(**cta); !status) return status;
  }
}

}  // namespace smreplay::trace
