// Digest, subprocess and Triton's metadata.
#include <gtest/gtest.h>

#include "sim/sass/Sha256.h"
#include "sim/sass/Subprocess.h"
#include "sim/sass/TritonMetadata.h"

namespace smreplay::sass {
namespace {

using std::chrono::milliseconds;

std::string digest(const std::string& text) {
  Sha256 hash;
  hash.update({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
  return hash.finish();
}

// The examples of FIPS 180-4, and lengths around the padding's edge.
TEST(Sha256, KnownDigests) {
  EXPECT_EQ(digest(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(digest("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(digest(std::string(1'000'000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, PiecesGiveTheSameDigest) {
  const std::string text(200, 'x');
  for (const size_t cut : {1U, 55U, 56U, 63U, 64U, 65U, 128U}) {
    Sha256 hash;
    const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
    hash.update({bytes, cut});
    hash.update({bytes + cut, text.size() - cut});
    EXPECT_EQ(hash.finish(), digest(text)) << cut;
  }
}

TEST(Subprocess, CollectsBothStreamsAndTheStatus) {
  const auto result = run_process({"/bin/sh", "-c", "echo out; echo err >&2; exit 3"}, milliseconds(10'000));
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_EQ(result->standard_output, "out\n");
  EXPECT_EQ(result->standard_error, "err\n");
  EXPECT_EQ(result->exit_status, 3);
}

TEST(Subprocess, LargeOutputDoesNotBlock) {
  const auto result =
      run_process({"/bin/sh", "-c", "i=0; while [ $i -lt 20000 ]; do echo 0123456789abcdef; i=$((i+1)); done"},
                  milliseconds(60'000));
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_EQ(result->standard_output.size(), 20000U * 17U);
}

TEST(Subprocess, StopsAtTheDeadline) {
  const auto result = run_process({"/bin/sh", "-c", "while :; do :; done"}, milliseconds(200));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, "process-timeout");
}

TEST(Subprocess, MissingProgram) {
  const auto result = run_process({"/nowhere/program"}, milliseconds(1000));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, "process-missing");
}

TEST(TritonMetadata, FieldsOfBothVersions) {
  const auto newer = read_triton_metadata(
      R"({"name":"mm","target":{"backend":"cuda","arch":90,"warp_size":32},"num_warps":8,"num_ctas":1,"num_stages":3,)"
      R"("warp_size":32,"maxnreg":null,"triton_version":"3.9.0","shared":18432,"global_scratch_size":0,)"
      R"("profile_scratch_size":16})");
  ASSERT_TRUE(newer) << newer.error().text();
  EXPECT_EQ(newer->name, "mm");
  EXPECT_EQ(newer->arch, 90U);
  EXPECT_EQ(newer->num_warps, 8U);
  EXPECT_EQ(newer->shared_bytes, 18432U);
  EXPECT_EQ(newer->profile_scratch_bytes, 16U);
  const auto older = read_triton_metadata(R"({"name":"k","target":{"arch":120},"num_warps":4,"shared":0})");
  ASSERT_TRUE(older) << older.error().text();
  EXPECT_EQ(older->num_ctas, 1U);
  EXPECT_EQ(older->profile_scratch_bytes, 0U);
}

TEST(TritonMetadata, RefusesWhatIsMissingOrWrong) {
  for (const char* text : {"", "[]", "{}", R"({"name":"k","num_warps":4,"shared":0})",
                           R"({"name":"k","target":{},"num_warps":4,"shared":0})",
                           R"({"name":7,"target":{"arch":90},"num_warps":4,"shared":0})",
                           R"({"name":"k","target":{"arch":90},"num_warps":-4,"shared":0})",
                           R"({"name":"k","target":{"arch":90},"num_warps":4,"shared":99999999999})"}) {
    const auto result = read_triton_metadata(text);
    ASSERT_FALSE(result) << text;
    EXPECT_EQ(result.error().code, "triton-metadata");
  }
}

}  // namespace
}  // namespace smreplay::sass
