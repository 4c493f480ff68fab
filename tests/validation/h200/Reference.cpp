#include "tests/validation/h200/Reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "sim/machine/Sha256.h"
#include "sim/trace/Compression.h"
#include "sim/trace/LaunchFile.h"

namespace smreplay::validation {
namespace {

const std::string kData = "tests/validation/h200/data/";
constexpr size_t kElementBytes[] = {4, 2};  // float32; bf16 for `out`

using Row = std::vector<std::string>;

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

// Rows behind the header. No field of these files is quoted.
std::vector<Row> read_csv(const std::string& path) {
  std::istringstream lines(read_file(path));
  std::vector<Row> rows;
  std::string line, field;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    std::istringstream fields(line);
    Row row;
    while (std::getline(fields, field, ',')) row.push_back(field);
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string first_difference(const std::string& ours, const std::string& theirs, size_t element_bytes) {
  const size_t length = std::min(ours.size(), theirs.size());
  const auto [at, unused] =
      std::mismatch(ours.begin(), ours.begin() + static_cast<std::ptrdiff_t>(length), theirs.begin());
  const size_t byte = static_cast<size_t>(at - ours.begin());
  if (byte == length) return "the kept part, " + std::to_string(theirs.size()) + " bytes, is equal";
  return "first difference at element " + std::to_string(byte / element_bytes);
}

}  // namespace

std::string stale(const std::string& folder) {
  for (const Row& row : read_csv(kData + "cubins.csv")) {
    if (row.at(0) != folder) continue;
    const std::string path = "isa_traces/" + folder + "/" + row.at(1) + ".cubin";
    if (machine::sha256_hex(read_file(path)) == row.at(2)) continue;
    return "stale reference: " + path + " changed since it ran on the H200; run tools/gpu/validate_h200.sh there and " +
           "tests/validation/h200/import_gpu.py here";
  }
  return "";
}

void expect_output(const std::string& folder, const std::string& launch, const std::string& buffer,
                   const std::string& bytes) {
  for (const Row& row : read_csv(kData + "outputs.csv")) {
    if (row.at(0) != folder || row.at(1) != launch || row.at(2) != buffer) continue;
    if (machine::sha256_hex(bytes) == row.at(3)) return;
    auto kept = trace::decompress(read_file(kData + "outputs/" + row.at(4)), std::stoul(row.at(5)));
    ASSERT_TRUE(kept) << kept.error().text();
    ADD_FAILURE() << folder << " " << launch << " " << buffer
                  << " is not the GPU's: " << first_difference(bytes, *kept, kElementBytes[buffer == "out" ? 1 : 0]);
    return;
  }
  ADD_FAILURE() << "no reference for " << folder << " " << launch << " " << buffer;
}

void expect_counts(const std::string& folder, const std::string& launch, const isa::Program& program,
                   const std::vector<emulator::InstructionCount>& counts) {
  size_t index = 0, wrong = 0;
  for (const Row& run : read_csv(fmt::format("{}counts/{}.{}.csv", kData, folder, launch))) {
    const uint64_t executed = std::stoull(run.at(1)), threads = std::stoull(run.at(2)), held = std::stoull(run.at(3));
    for (uint64_t i = 0; i < std::stoull(run.at(0)); ++i, ++index) {
      // Behind the last instruction the section is padded, on either side.
      const emulator::InstructionCount ours = index < counts.size() ? counts[index] : emulator::InstructionCount{};
      if (ours.executed == executed && ours.threads == threads && ours.threads_true == held) continue;
      if (++wrong > 5) continue;  // enough to see where
      ADD_FAILURE() << folder << " " << launch << " instruction " << index << " "
                    << (index < program.instructions.size() ? program.instructions[index].text : "") << ": emulator "
                    << ours.executed << " " << ours.threads << " " << ours.threads_true << ", GPU " << executed << " "
                    << threads << " " << held;
    }
  }
  EXPECT_EQ(wrong, 0u);
  for (size_t i = index; i < counts.size(); ++i) EXPECT_EQ(counts[i].executed, 0u) << "instruction " << i;
  EXPECT_GT(index, 0u);
}

void expect_equal(const std::string& folder, const std::string& concurrency, bool profiled) {
  if (const std::string message = stale(folder); !message.empty()) GTEST_SKIP() << message;
  const std::string path = "isa_traces/" + folder + "/combine." + concurrency + ".launch.txtpb";
  auto chain = trace::load_launch_chain(path);
  ASSERT_TRUE(chain) << chain.error().text();
  auto launches = gpu::emulate_chain(*chain, "isa_traces/" + folder);
  ASSERT_TRUE(launches) << launches.error().text();
  ASSERT_EQ(launches->size(), 2u);
  for (size_t i = 0; i < launches->size(); ++i) {
    const gpu::EmulatedLaunch& launch = (*launches)[i];
    const std::string name = (i == 0 ? "split." : "combine.") + concurrency;
    EXPECT_FALSE(launch.outputs.empty());
    for (const auto& [buffer, content] : launch.outputs) {
      expect_output(folder, name, buffer, std::string(content.begin(), content.end()));
    }
    if (profiled) expect_counts(folder, name, launch.program, launch.counts);
  }
}

}  // namespace smreplay::validation
