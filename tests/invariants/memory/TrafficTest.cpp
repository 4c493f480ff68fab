// Random traffic of all kinds through the whole memory system: the balance of requests and replies, order and
// timeliness of the replies, and independence of how time is cut into windows.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "sim/memory/MemorySystem.h"
#include "sim/memory/UnloadedLatency.h"
#include "tests/unit/memory/Drive.h"
#include "tests/unit/memory/Random.h"
#include "tests/unit/memory/TestMachine.h"

namespace smreplay::memory {
namespace {

using engine::Cycle;
using engine::MemoryReply;
using engine::MemoryRequest;
using engine::RequestKind;

std::vector<MemoryRequest> random_traffic(const machine::Machine& machine, uint32_t seed, uint32_t count) {
  Random random(seed);
  std::vector<MemoryRequest> requests;
  for (uint32_t i = 0; i < count; ++i) {
    MemoryRequest request = read_request(random() % (count / 4), random() % machine.sm_count, random() % 4000,
                                         static_cast<uint8_t>(1 + random() % 15));
    request.tag = i;
    request.kind = static_cast<RequestKind>(random() % kRequestKinds);
    const bool whole = random() % 2 == 0;
    const auto bytes = static_cast<uint8_t>(__builtin_popcount(request.sectors) * 32);
    if (request.kind == RequestKind::kWrite) request.write_bytes = whole ? bytes : static_cast<uint8_t>(bytes / 2);
    if (request.kind == RequestKind::kAtomic) request.write_bytes = 4;
    if (random() % 1000 == 0) request.cycle += 100'000;  // a late burst after an idle spell
    requests.push_back(request);
  }
  std::stable_sort(requests.begin(), requests.end(), [](const MemoryRequest& a, const MemoryRequest& b) {
    return std::tie(a.cycle, a.sm) < std::tie(b.cycle, b.sm);
  });
  return requests;
}

machine::Machine small(machine::Machine machine) {
  machine.l2.bytes = 64 * 1024;
  machine.l2.mshrs_per_slice = 6;
  machine.dram.queue_entries = 8;
  machine.dram.write_high = 6;
  machine.dram.write_low = 2;
  return machine;
}

std::vector<machine::Machine> machines() {
  machine::Machine wide = small(test_machine_hbm());
  wide.dram.burst_bytes = 64;
  wide.interconnect.gpc_reply_bytes_per_cycle = 96;
  machine::Machine shared = small(test_machine());
  shared.l2.slices = 24;
  return {small(test_machine()), small(test_machine_hbm()), wide, shared};
}

TEST(Traffic, EveryRequestIsAnsweredOnceAndEntirely) {
  for (const machine::Machine& machine : machines()) {
    for (uint32_t seed = 0; seed < 4; ++seed) {
      const auto requests = random_traffic(machine, seed, 20'000);
      MemorySystem memory(machine, seed);
      const auto replies = drive(memory, requests);
      std::map<uint32_t, uint8_t> missing;
      for (const MemoryRequest& request : requests) missing[request.tag] = request.sectors;
      std::map<uint32_t, const MemoryRequest*> by_tag;
      for (const MemoryRequest& request : requests) by_tag[request.tag] = &request;
      for (const MemoryReply& reply : replies) {
        const MemoryRequest& request = *by_tag[reply.tag];
        ASSERT_EQ(reply.sm, request.sm);
        ASSERT_EQ(reply.line, request.line);
        ASSERT_EQ(reply.kind, request.kind);
        ASSERT_EQ(missing[reply.tag] & reply.sectors, reply.sectors) << "answered twice or not asked for";
        ASSERT_GE(reply.cycle, request.cycle + machine.interconnect.request_cycles + machine.interconnect.reply_cycles);
        missing[reply.tag] = static_cast<uint8_t>(missing[reply.tag] & ~reply.sectors);
      }
      for (const auto& [tag, sectors] : missing) ASSERT_EQ(sectors, 0) << "request " << tag;
      EXPECT_EQ(memory.counters().l2.answered_requests, requests.size());
      EXPECT_GT(memory.counters().dram_write_bytes, 0U);
      EXPECT_TRUE(memory.idle());
      EXPECT_EQ(memory.next(), engine::kNever);
    }
  }
}

TEST(Traffic, TheWindowDoesNotMatter) {
  const auto key = [](const MemoryReply& r) { return std::tie(r.cycle, r.sm, r.tag, r.sectors, r.served_by); };
  for (const machine::Machine& machine : machines()) {
    const auto requests = random_traffic(machine, 9, 8000);
    std::vector<std::vector<MemoryReply>> runs;
    for (const Cycle window : {Cycle{1}, Cycle{13}, MemorySystem(machine).window()}) {
      MemorySystem memory(machine);
      runs.push_back(drive(memory, requests, window));
      std::stable_sort(runs.back().begin(), runs.back().end(),
                       [&](const auto& a, const auto& b) { return key(a) < key(b); });
    }
    for (const auto& run : runs) {
      ASSERT_EQ(run.size(), runs[0].size());
      for (size_t i = 0; i < run.size(); ++i) ASSERT_EQ(key(run[i]), key(runs[0][i])) << "reply " << i;
    }
  }
}

// The protocol's promise: what run_until(end) has not given yet is due at end + window or later.
TEST(Traffic, RepliesComeInTime) {
  for (const machine::Machine& machine : machines()) {
    const auto requests = random_traffic(machine, 5, 8000);
    MemorySystem memory(machine);
    std::vector<MemoryReply> replies;
    size_t sent = 0, taken = 0;
    for (Cycle end = memory.window(); sent < requests.size() || !memory.idle(); end += memory.window()) {
      std::vector<MemoryRequest> due;
      while (sent < requests.size() && requests[sent].cycle < end) due.push_back(requests[sent++]);
      memory.submit(due);
      memory.run_until(end);
      memory.take_replies(replies);
      for (; taken < replies.size(); ++taken) ASSERT_GE(replies[taken].cycle, end);
    }
  }
}

TEST(Traffic, CountersClearAndTheRunRepeats) {
  const machine::Machine machine = small(test_machine());
  MemorySystem memory(machine);
  const auto requests = random_traffic(machine, 2, 5000);
  drive(memory, requests);
  memory.clear_counters();
  EXPECT_EQ(memory.counters().l2.answered_requests, 0U);
  auto later = requests;
  for (MemoryRequest& request : later) request.cycle += 10'000'000;
  drive(memory, later);
  EXPECT_EQ(memory.counters().l2.answered_requests, later.size());
}

}  // namespace
}  // namespace smreplay::memory
