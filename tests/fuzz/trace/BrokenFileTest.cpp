// Broken files: cut off anywhere, any bit flipped, trailing bytes, sizes that lie. Each must end in an Error with exit
// code 4, never in a crash, a hang or wrong CTAs.
#include <gtest/gtest.h>

#include <random>

#include "sim/trace/Compression.h"
#include "sim/trace/ProgramIo.h"
#include "sim/trace/QuietProtobuf.h"
#include "sim/trace/TraceInfo.h"
#include "sim/trace/TraceReader.h"
#include "sim/trace/TraceWriter.h"
#include "tests/unit/trace/LegalTrace.h"
#include "tests/unit/trace/TestFolder.h"
#include "tests/unit/trace/TestProgram.h"

namespace smreplay::trace {
namespace {

class BrokenFile : public testing::Test {
 protected:
  BrokenFile() {
    CtaList list(legal_ctas(program_, 3, 12, 96));
    const Status status = write_trace(folder_ / "good", program_, legal_launch(12, 96), "test", list);
    EXPECT_TRUE(status);
    good_ = folder_.contents("good");
  }
  Result<TraceInfo> read(const std::string& bytes) {
    folder_.write("bad", bytes);
    return check_trace(folder_ / "bad");
  }
  void refuses(const std::string& bytes, const std::string& what) {
    const auto result = read(bytes);
    ASSERT_FALSE(result) << what;
    EXPECT_EQ(result.error().exit, ExitCode::kBadInput) << what;
    EXPECT_EQ(result.error().file, folder_ / "bad") << what;
    EXPECT_FALSE(result.error().code.empty()) << what;
  }
  TestFolder folder_;
  isa::Program program_ = test_program();
  std::string good_;
};

TEST_F(BrokenFile, GoodOneIsRead) { EXPECT_TRUE(read(good_)); }

TEST_F(BrokenFile, CutOffAnywhere) {
  for (size_t size = 0; size < good_.size(); ++size) refuses(good_.substr(0, size), "cut to " + std::to_string(size));
}

TEST_F(BrokenFile, CutOffTellsOffsetAndCta) {
  const auto result = read(good_.substr(0, good_.size() - 30));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, "trace-corrupt");
  EXPECT_NE(result.error().message.find("at byte "), std::string::npos) << result.error().text();
  EXPECT_NE(result.error().message.find("CTA "), std::string::npos) << result.error().text();
}

TEST_F(BrokenFile, AnyBitFlipped) {
  for (size_t at = 0; at < good_.size(); ++at) {
    for (size_t n = 0; n < 8; n += 3) {
      const size_t bit = (n + at % 3) % 8;
      std::string bytes = good_;
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
      refuses(bytes, "byte " + std::to_string(at) + " bit " + std::to_string(bit));
    }
  }
}

TEST_F(BrokenFile, TrailingBytesAndForeignFiles) {
  refuses(good_ + '\0', "trailing byte");
  refuses(good_ + good_, "twice");
  refuses("", "empty");
  refuses(std::string(100, 'x'), "no trace");
  std::string version = good_;
  version[8] = 99;
  const auto result = read(version);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, "trace-version");
}

TEST_F(BrokenFile, LyingSizesTakeNoMemory) {
  std::string bytes = good_.substr(0, 12);
  bytes += "H";
  bytes += std::string("\xff\xff\xff\x7f\xff\xff\xff\x7f", 8);
  refuses(bytes + std::string(1000, '\0'), "2 GiB record");
  bytes = good_.substr(0, 12) + "H" + std::string("\x00\x00\x00\x01\xff\xff\xff\x7f", 8);
  refuses(bytes + std::string(1000, '\0'), "stored size");
}

TEST_F(BrokenFile, DecompressionBomb) {
  const std::string bomb = compress(std::string(size_t{200} << 20U, '\0'));
  EXPECT_FALSE(decompress(bomb, 1000));
  EXPECT_FALSE(decompress(bomb + bomb, size_t{200} << 20U));
  EXPECT_FALSE(decompress(bomb.substr(0, bomb.size() / 2), size_t{200} << 20U));
}

TEST_F(BrokenFile, ProgramFiles) {
  ASSERT_TRUE(write_program(folder_ / "p", program_));
  ASSERT_TRUE(read_program(folder_ / "p"));
  const std::string good = folder_.contents("p");
  for (size_t at = 0; at < good.size(); ++at) {
    folder_.write("q", good.substr(0, at));
    const auto cut = read_program(folder_ / "q");
    ASSERT_FALSE(cut);
    EXPECT_EQ(cut.error().exit, ExitCode::kBadInput);
    std::string bytes = good;
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << at % 8));
    folder_.write("q", bytes);
    ASSERT_FALSE(read_program(folder_ / "q")) << at;
  }
}

// Well-framed Programs with broken contents: whatever comes out, it is a Program or an Error.
TEST_F(BrokenFile, BrokenProgramMessages) {
  const std::string good = test_message().SerializeAsString();
  std::mt19937 random(1);
  for (int i = 0; i < 4000; ++i) {
    std::string bytes = good;
    for (uint32_t n = 0; n < 1 + random() % 4; ++n) bytes[random() % bytes.size()] = static_cast<char>(random());
    proto::Program message;
    if (!parse_quietly(bytes, message)) continue;
    const auto program = from_message(message, "x");
    if (program) continue;
    EXPECT_EQ(program.error().exit, ExitCode::kBadInput) << program.error().text();
  }
}

}  // namespace
}  // namespace smreplay::trace
