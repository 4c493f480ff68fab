#include "sim/trace/TraceReader.h"

#include <optional>
#include <utility>

#include "sim/trace/CtaDecoder.h"
#include "sim/trace/FormatLimits.h"
#include "sim/trace/LaunchShape.h"
#include "sim/trace/ProgramIo.h"
#include "sim/trace/QuietProtobuf.h"
#include "sim/trace/RecordFile.h"
#include "sim/trace/trace.pb.h"

namespace smreplay::trace {

struct TraceReader::State {
  explicit State(RecordReader reader) : file(std::move(reader)) {}
  RecordReader file;
  proto::TraceHeader header;  // its Program is emptied once decoded
  isa::Program program;
  std::optional<CtaDecoder> decoder;
  proto::Chunk chunk;  // its columns are being decoded
  uint64_t chunk_offset = 0;
  uint32_t chunk_end = 0;  // CTAs before this one are in chunks met so far
  uint32_t next_cta = 0;
  bool done = false;
  std::optional<Error> failed;

  Error corrupt(uint64_t offset, const std::string& what) const {
    return file.corrupt(offset, "CTA " + std::to_string(next_cta) + ": " + what);
  }
};

Result<std::unique_ptr<TraceReader>> TraceReader::open(const std::string& path) {
  auto file = RecordReader::open(path, kTraceMagic, kTraceFormatVersion);
  if (!file) return file.error();
  auto state = std::make_unique<State>(std::move(*file));
  auto record = state->file.next(kMaxHeaderBytes);
  if (!record) return record.error();
  if (record->kind != RecordKind::kHeader || !parse_quietly(record->bytes, state->header)) {
    return state->file.corrupt(record->offset, "the first record is no header");
  }
  auto program = from_message(state->header.program(), path);
  if (!program) return program.error();
  state->program = std::move(*program);
  state->header.clear_program();
  const proto::LaunchSpec& launch = state->header.launch();
  if (grid_ctas(launch) > ~uint32_t{0} || warps_per_cta(launch) > kMaxWarpsPerCta) {
    return state->file.corrupt(record->offset, "the launch is larger than the format allows");
  }
  state->decoder.emplace(state->program);
  return std::unique_ptr<TraceReader>(new TraceReader(std::move(state)));
}

TraceReader::TraceReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
TraceReader::~TraceReader() = default;

const isa::Program& TraceReader::program() const { return state_->program; }
const proto::LaunchSpec& TraceReader::launch() const { return state_->header.launch(); }
const std::string& TraceReader::tool_version() const { return state_->header.tool_version(); }
uint64_t TraceReader::file_bytes() const { return state_->file.size(); }
uint64_t TraceReader::distinct_paths() const { return state_->decoder->distinct_paths(); }

Result<std::shared_ptr<const CtaTrace>> TraceReader::next() {
  State& s = *state_;
  if (s.failed) return *s.failed;
  if (s.done) return std::shared_ptr<const CtaTrace>();
  try {
    if (s.next_cta == s.chunk_end) {
      if (Status status = next_chunk(); !status) return *(s.failed = status.error());
      if (s.done) return std::shared_ptr<const CtaTrace>();
    }
    auto cta = s.decoder->next(s.next_cta);
    if (cta->warps.size() != warps_per_cta(launch())) {
      return *(s.failed = s.corrupt(s.chunk_offset, "has " + std::to_string(cta->warps.size()) + " warps, the launch " +
                                                        std::to_string(warps_per_cta(launch()))));
    }
    if (s.next_cta + 1 == s.chunk_end) s.decoder->end_chunk();
    ++s.next_cta;
    return cta;
  } catch (const Corrupt& corrupt) {
    return *(s.failed = s.corrupt(s.chunk_offset, std::string("in the chunk that begins there, ") + corrupt.what()));
  }
}

Status TraceReader::next_chunk() {
  State& s = *state_;
  if (s.file.at_end()) return s.corrupt(s.file.offset(), "the file is cut off: no end record");
  auto record = s.file.next(kMaxChunkBytes);
  if (!record) {
    Error error = record.error();
    error.message += " (CTA " + std::to_string(s.next_cta) + ")";
    return error;
  }
  if (record->kind == RecordKind::kEnd) return finish(record->bytes, record->offset);
  if (record->kind != RecordKind::kChunk) return s.corrupt(record->offset, "a record of unknown kind");
  s.chunk_offset = record->offset;
  if (!parse_quietly(record->bytes, s.chunk)) return s.corrupt(record->offset, "the chunk cannot be parsed");
  const uint64_t left = grid_ctas(launch()) - s.next_cta;
  if (s.chunk.first_cta() != s.next_cta || s.chunk.ctas() == 0 || s.chunk.ctas() > left) {
    return s.corrupt(record->offset, "the chunk declares " + std::to_string(s.chunk.ctas()) + " CTAs from " +
                                         std::to_string(s.chunk.first_cta()) + ", " + std::to_string(left) +
                                         " are due");
  }
  s.chunk_end = s.next_cta + s.chunk.ctas();
  s.decoder->start_chunk(ColumnReaders{{s.chunk.warps(), "warps"},
                                       {s.chunk.path_runs(), "path_runs"},
                                       {s.chunk.path_guards(), "path_guards"},
                                       {s.chunk.access_ways(), "access_ways"},
                                       {s.chunk.access_values(), "access_values"},
                                       {s.chunk.pattern_shapes(), "pattern_shapes"},
                                       {s.chunk.pattern_gaps(), "pattern_gaps"},
                                       {s.chunk.extras(), "extras"}});
  return Ok{};
}

Status TraceReader::finish(const std::string& bytes, uint64_t offset) {
  State& s = *state_;
  proto::TraceTotals totals;
  const CtaDecoder& decoder = *s.decoder;
  if (!parse_quietly(bytes, totals)) return s.corrupt(offset, "the end record cannot be parsed");
  if (s.next_cta != grid_ctas(launch())) {
    return s.corrupt(offset, "the trace ends, of " + std::to_string(grid_ctas(launch())) + " CTAs");
  }
  if (totals.ctas() != s.next_cta || totals.warps() != decoder.warps() ||
      totals.instructions() != decoder.instructions() || totals.accesses() != decoder.accesses()) {
    return s.corrupt(offset, "the totals of the end record are not those of the chunks");
  }
  if (!s.file.at_end()) return s.corrupt(s.file.offset(), "the file goes on after its end record");
  s.done = true;
  return Ok{};
}

}  // namespace smreplay::trace
