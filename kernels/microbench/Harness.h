// What every microbenchmark shares: the clock, device buffers, and the raw file (one JSON object a line).
//
// A line is {"name", "params": {...}, "unit", "samples": [...]}: samples are whole readings as they came from the
// device, nothing is averaged or subtracted here. tools/calibrate/from_raw.py turns them into values.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#define CHECK(call)                                                                                   \
  do {                                                                                                \
    const cudaError_t error_ = (call);                                                                \
    if (error_ != cudaSuccess) {                                                                      \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(error_)); \
      std::exit(1);                                                                                   \
    }                                                                                                 \
  } while (0)

namespace microbench {

constexpr int kRepeats = 24;  // readings per launch; the first ones are cold and are kept, in order

// A reading of the SM's clock; volatile, so that it stays between the volatile instructions around it. Store both
// readings of a pair and subtract later: of a difference at once, ptxas reads one by S2UR, which passes through a
// queue. Without clocks the same code runs on the simulator, where the slope comes from the elapsed cycles of two
// lengths.
__device__ __forceinline__ uint32_t clock_now() {
#ifdef MICROBENCH_WITHOUT_CLOCKS
  asm volatile("" ::: "memory");
  return 0;
#else
  uint32_t t;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory");
  return t;
#endif
}

struct ClockPair {
  uint32_t begin, end;
  __device__ uint32_t cycles() const { return end - begin; }
};

__device__ __forceinline__ uint64_t clock64_now() {
  uint64_t t;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(t)::"memory");
  return t;
}

__device__ __forceinline__ uint64_t nanoseconds_now() {
  uint64_t t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)::"memory");
  return t;
}

__device__ __forceinline__ uint32_t sm_id() {
  uint32_t id;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
  return id;
}

// Lets everything that is in flight in the warp's memory pipeline drain before the next reading.
__device__ __forceinline__ void settle() { asm volatile("nanosleep.u32 400;" ::: "memory"); }

__device__ __forceinline__ uint32_t shared_address(const void* p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

// Device memory of `count` elements, freed with the object.
template <typename T>
class DeviceBuffer {
 public:
  explicit DeviceBuffer(size_t count) : count_(count) {
    CHECK(cudaMalloc(&data_, count * sizeof(T)));
    CHECK(cudaMemset(data_, 0, count < (size_t{1} << 28) ? count * sizeof(T) : 0));
  }
  ~DeviceBuffer() { cudaFree(data_); }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;

  T* data() const { return data_; }
  size_t size() const { return count_; }
  std::vector<T> read() const {
    std::vector<T> host(count_);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(host.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost));
    return host;
  }
  void write(const std::vector<T>& host) {
    CHECK(cudaMemcpy(data_, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
  }

 private:
  T* data_ = nullptr;
  size_t count_;
};

// One parameter of a line: a number or a text, as JSON.
struct Parameter {
  Parameter(const char* key, const char* text) : key(key), json("\"" + std::string(text) + "\"") {}
  Parameter(const char* key, const std::string& text) : Parameter(key, text.c_str()) {}
  template <typename T, typename = std::enable_if_t<std::is_integral_v<T>>>
  Parameter(const char* key, T number) : key(key), json(std::to_string(number)) {}
  const char* key;
  std::string json;
};
using Parameters = std::initializer_list<Parameter>;

// The raw file.
class Recorder {
 public:
  explicit Recorder(std::FILE* file) : file_(file) {}

  template <typename T>
  void line(const char* name, Parameters parameters, const char* unit, const std::vector<T>& samples) {
    std::string text = "{\"name\": \"" + std::string(name) + "\", \"params\": {";
    const char* separator = "";
    for (const Parameter& p : parameters) {
      text += std::string(separator) + "\"" + p.key + "\": " + p.json;
      separator = ", ";
    }
    text += "}, \"unit\": \"" + std::string(unit) + "\", \"samples\": [";
    separator = "";
    for (const T& sample : samples) {
      text += separator + std::to_string(sample);
      separator = ", ";
    }
    std::fprintf(file_, "%s]}\n", text.c_str());
    std::fflush(file_);
  }

 private:
  std::FILE* file_;
};

// The parts of the run, in the order in which main.cu calls them.
void measure_arithmetic(Recorder& recorder);
void measure_chases(Recorder& recorder);
void measure_shared(Recorder& recorder);
void measure_queues(Recorder& recorder);
void measure_throughput(Recorder& recorder);
void measure_synchronisation(Recorder& recorder);
void measure_bandwidth(Recorder& recorder);
void measure_dispatch(Recorder& recorder);
void measure_instruction_cache(Recorder& recorder);
void launch_empty();  // for a profiler: one empty kernel of one CTA, then of many

}  // namespace microbench
