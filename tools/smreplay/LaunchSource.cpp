#include "tools/smreplay/LaunchSource.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <utility>

#include "sim/emulator/Emulator.h"
#include "sim/sass/Sha256.h"
#include "sim/trace/BoundedSource.h"
#include "sim/trace/ProgramIo.h"
#include "tools/smreplay/LaunchFaults.h"
#include "tools/smreplay/WholeNumber.h"

namespace smreplay::tool {
namespace {

constexpr size_t kReadBytes = 1 << 16;

std::string file_hash(const std::string& file) {
  sass::Sha256 hash;
  std::ifstream in(file, std::ios::binary);
  std::array<char, kReadBytes> buffer{};
  do {
    in.read(buffer.data(), buffer.size());
    hash.update({reinterpret_cast<const uint8_t*>(buffer.data()), static_cast<size_t>(in.gcount())});
  } while (in);
  return hash.finish();
}

void add(sass::Sha256& hash, const google::protobuf::Message& message) {
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    message.SerializeToCodedStream(&coded);
  }
  hash.update({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
}

Result<std::string> steps_hash(const LoadedLaunch& loaded) {
  sass::Sha256 hash;
  for (const LoadedLaunch::Step& step : loaded.steps) {
    const Result<trace::proto::Program> program = trace::to_message(step.program);
    if (!program) return program.error();
    add(hash, *program);
    add(hash, step.launch);
  }
  return hash.finish();
}

uint64_t host_memory() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page_bytes = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page_bytes <= 0) return emulator::kDefaultMemoryLimit;
  return static_cast<uint64_t>(pages) * static_cast<uint64_t>(page_bytes);
}

// What a run may take before the host begins to swap: pages of buffers that are touched, traces that are alive.
uint64_t buffer_limit() { return host_memory() / 2; }
uint64_t trace_limit() { return host_memory() / 4; }

std::unique_ptr<trace::CtaSource> bounded(std::unique_ptr<trace::CtaSource> source) {
  return std::make_unique<trace::BoundedSource>(std::move(source), trace_limit());
}

bool has_buffer(const trace::proto::LaunchSpec& launch, const std::string& name) {
  const auto& buffers = launch.buffers();
  return std::any_of(buffers.begin(), buffers.end(), [&name](const auto& buffer) { return buffer.name() == name; });
}

// What the launches before the last one left in the buffers that `next` also has.
Status keep_buffers(const emulator::Emulator& done, const trace::proto::LaunchSpec& launch,
                    const trace::proto::LaunchSpec& next, uint64_t limit, std::vector<emulator::Preload>& kept) {
  for (const auto& buffer : launch.buffers()) {
    if (!has_buffer(next, buffer.name())) continue;
    if (buffer.bytes() > limit) {
      return Error{ExitCode::kModelLimit, "out-of-memory",
                   "launch '" + next.name() + "' takes over the buffer '" + buffer.name() + "' of " +
                       std::to_string(buffer.bytes()) + " bytes, more than there is memory for"};
    }
    limit -= buffer.bytes();
    kept.push_back({buffer.name(), done.buffer(buffer.name())});
  }
  return Ok{};
}

}  // namespace

void add_instruction_limit(CLI::App& verb, uint64_t& limit) {
  verb.add_option("--instruction-limit", limit,
                  "emulator: give up when a CTA has executed so many warp instructions (exit code 5)")
      ->type_name("N")
      ->check(whole_number(Zero::kRefused))
      ->capture_default_str();
}

Result<LaunchSource> open_source(LoadedLaunch& loaded, const std::string& file) {
  if (loaded.trace != nullptr) return LaunchSource{bounded(std::move(loaded.trace)), file_hash(file), {}};
  Result<std::string> hash = steps_hash(loaded);
  if (!hash) return hash.error();
  std::vector<emulator::Preload> kept;
  for (size_t i = 0; i < loaded.steps.size(); ++i) {
    const LoadedLaunch::Step& step = loaded.steps[i];
    const bool last = i + 1 == loaded.steps.size();
    emulator::Options options;
    options.record_trace = last;
    options.preload = std::move(kept);
    options.memory_limit = buffer_limit();
    if (loaded.instruction_limit > 0) options.instruction_limit = loaded.instruction_limit;
    Result<std::unique_ptr<emulator::Emulator>> emulator =
        emulator::Emulator::create(step.program, step.launch, std::move(options));
    if (!emulator) return as_launch_fault(emulator.error(), loaded.launch_file);
    if (last) {
      std::vector<std::string> notes = (*emulator)->notes();
      return LaunchSource{bounded(with_launch_faults(std::move(*emulator), loaded.launch_file)), std::move(*hash),
                          std::move(notes)};
    }
    // What goes wrong before is another file's, beside this one; the message names its kernel.
    if (Status done = (*emulator)->run_all(); !done) return as_launch_fault(done.error(), loaded.launch_file);
    kept.clear();
    if (Status status = keep_buffers(**emulator, step.launch, loaded.steps[i + 1].launch, buffer_limit(), kept);
        !status) {
      return status.error();
    }
  }
  return Error{ExitCode::kInvariantBroken, "internal", "a launch without steps"};
}

Result<std::unique_ptr<trace::CtaSource>> open_again(LoadedLaunch& loaded, const std::string& file) {
  if (!file.empty()) {
    Result<std::unique_ptr<trace::TraceReader>> reader = trace::TraceReader::open(file);
    if (!reader) return reader.error();
    return bounded(std::move(*reader));
  }
  Result<LaunchSource> source = open_source(loaded, file);
  if (!source) return source.error();
  return std::move(source->ctas);
}

}  // namespace smreplay::tool
