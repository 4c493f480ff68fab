// The launches that calibrate a GPU, by part. What each measures: docs/CALIBRATION.md.
#pragma once

#include <string>
#include <vector>

#include "sim/calibrate/Benchmark.h"

namespace smreplay::calibrate {

struct Card {
  uint32_t sms = 0;
  uint32_t shared_per_cta = 0;     // opt-in maximum, bytes
  double bus_bytes_per_cycle = 0;  // peak of the memory bus, per core cycle; 0: not known
};

struct Part {
  std::string name;
  std::vector<Benchmark> benchmarks;
  bool for_profiler = false;  // says nothing by itself: run only where it is named
};

std::vector<Benchmark> core_list();    // pipes: chains and streams; instruction caches
std::vector<Benchmark> shared_list();  // shared memory, sustained memory instructions, barriers, fences
std::vector<Benchmark> level_list();   // chases through L1, L2 and DRAM
std::vector<Benchmark> bandwidth_list(const Card& card);  // L2 and DRAM by active SMs; loaded latency
std::vector<Benchmark> dispatch_list(const Card& card);   // CTAs and empty launches
std::vector<Benchmark> burst_list();    // memory queue: issue, operand read and result of n instructions
std::vector<Benchmark> port_list();     // register file: FFMA by the banks of its sources
std::vector<Benchmark> barrier_list();  // barriers: release, and what BAR holds back
std::vector<Benchmark> latency_list(const Card& card);  // whole-warp latencies; L2 by who touched the line first
std::vector<Benchmark> chip_list(const Card& card);     // mixed reads and writes, atomics, bulk copies
std::vector<Benchmark> l1_list();                       // L1 hits: tags apart from bank conflicts
std::vector<Benchmark> state_list(const Card& card);    // for a profiler: two stall causes at once
std::vector<Benchmark> counter_list(const Card& card);  // for a profiler: clocks and slices of the L2, empty kernels

std::vector<Part> all_parts(const Card& card);

}  // namespace smreplay::calibrate
