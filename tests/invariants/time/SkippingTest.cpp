// Time and determinism on a real kernel (V0 at C = 1, golden trace): the Result is the same, byte by byte, whether the
// SMs skip cycles in which nothing can change or look at every warp in each of them, and for one, two and four threads.
#include <gtest/gtest.h>

#include <sstream>

#include "sim/attribution/Simulate.h"
#include "sim/machine/LoadMachine.h"
#include "sim/trace/TraceReader.h"
#include "sim/views/JsonView.h"

namespace smreplay {
namespace {

std::string result_of(const attribution::SimulateOptions& options) {
  auto trace = trace::TraceReader::open("isa_traces/plain331-v0-sm120/split.c1.trace");
  auto machine = machine::load_machine("rtx_pro_6000");
  if (!trace || !machine) {
    ADD_FAILURE() << (trace ? machine.error().text() : trace.error().text());
    return {};
  }
  auto result = attribution::simulate((*trace)->program(), (*trace)->launch(), *machine, **trace, options);
  if (!result) {
    ADD_FAILURE() << result.error().text();
    return {};
  }
  EXPECT_GT(result->elapsed_cycles, 10'000U);
  return views::to_json(*result);
}

// The first line that differs, with the two before it; empty: none. (A test's own diff of megabytes takes gigabytes.)
std::string first_difference(const std::string& a, const std::string& b) {
  std::istringstream left(a), right(b);
  std::string x, y, before;
  while (true) {
    const bool more_x = static_cast<bool>(std::getline(left, x));
    const bool more_y = static_cast<bool>(std::getline(right, y));
    if (!more_x && !more_y) return "";
    if (!more_x || !more_y || x != y) return before + "\n  " + x + "\n  " + y;
    before = before.substr(before.rfind('\n') + 1) + "\n" + x;
  }
}

TEST(Time, SkippingLosesNothing) {
  attribution::SimulateOptions every;
  every.every_cycle = true;
  EXPECT_EQ(first_difference(result_of({}), result_of(every)), "");
}

TEST(Time, ThreadsDoNotShow) {
  const std::string one = result_of({});
  for (const uint32_t threads : {2U, 4U}) {
    attribution::SimulateOptions options;
    options.threads = threads;
    EXPECT_EQ(first_difference(one, result_of(options)), "") << threads;
  }
}

}  // namespace
}  // namespace smreplay
