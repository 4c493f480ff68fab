// Emulates a launch file of isa_traces/ and holds its outputs against float64.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "kernels/reference/OutputCheck.h"
#include "sim/trace/LaunchFile.h"
#include "tools/gpu/EmulatedChain.h"

namespace smreplay::validation {

// The probabilities are rounded to bf16 before P V (relative error at most 2^-9, averaged over tokens), outputs of the
// combine kernel to bf16 (at most 2^-9 each); log-sum-exps are float32 all the way.
inline constexpr double kPartialBound = 1.0 / 1024;
inline constexpr double kOutBound = 1.0 / 512;
inline constexpr double kLseBound = 1.0 / (1 << 20);

// BLOCK_T of a folder's split kernel, from the options in its build.json.
inline uint32_t tokens_per_tile(const std::string& folder) {
  std::ifstream file("isa_traces/" + folder + "/build.json");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const std::string option = "BLOCK_T=";
  const size_t found = text.find(option);
  return found == std::string::npos ? 0 : static_cast<uint32_t>(std::stoul(text.substr(found + option.size())));
}

inline double bound(const std::string& buffer) {
  if (buffer == "lse") return kLseBound;
  return buffer == "partial" ? kPartialBound : kOutBound;
}

inline void expect_close(const std::string& folder, const std::string& launch) {
  const std::string path = "isa_traces/" + folder + "/" + launch + ".launch.txtpb";
  SCOPED_TRACE(path);
  auto chain = trace::load_launch_chain(path);
  ASSERT_TRUE(chain) << chain.error().text();
  auto launches = gpu::emulate_chain(*chain, "isa_traces/" + folder);
  ASSERT_TRUE(launches) << launches.error().text();
  auto errors = kernels::check_outputs(*chain, launches->back().outputs, tokens_per_tile(folder));
  ASSERT_TRUE(errors) << errors.error().text();
  for (const auto& error : *errors) {
    EXPECT_EQ(error.not_finite, 0u) << error.buffer;
    EXPECT_EQ(error.wrong_empty, 0u) << error.buffer;
    EXPECT_LT(error.rms_relative, bound(error.buffer)) << error.buffer;
    EXPECT_GT(error.values, 0u) << error.buffer;
  }
}

}  // namespace smreplay::validation
