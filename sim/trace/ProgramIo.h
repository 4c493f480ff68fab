// isa::Program <-> bytes, without loss. Stored are the text and the encoding of each instruction; the decoded form is
// made again by the instruction parser, so that a file never disagrees with the tool that reads it.
#pragma once

#include <string>

#include "sim/isa/Program.h"
#include "sim/isa/Result.h"
#include "sim/trace/program.pb.h"

namespace smreplay::trace {

// An Error ("program-invalid") where the Program is inconsistent: text with a newline, lines missing, pcs out of order.
Result<proto::Program> to_message(const isa::Program& program);

// `file` names the source in errors: "program-corrupt" where the message is inconsistent, and what the instruction
// parser says. All with exit code 4.
Result<isa::Program> from_message(const proto::Program& message, const std::string& file);

// A Program in a file of its own: magic, version, one record (RecordFile.h).
Status write_program(const std::string& path, const isa::Program& program);
Result<isa::Program> read_program(const std::string& path);

}  // namespace smreplay::trace
