// Runs every microbenchmark on the first GPU and writes the raw file.
//
// Usage: microbench OUT.jsonl [PART...]   all of them or the named parts, under four minutes
//        microbench --empty                four empty launches, for a profiler
#include <algorithm>
#include <cstring>
#include <ctime>

#include "Harness.h"

using microbench::Recorder;

namespace {

void write_machine(Recorder& recorder) {
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0));
  int driver = 0, runtime = 0, core_khz = 0, memory_khz = 0;
  CHECK(cudaDriverGetVersion(&driver));
  CHECK(cudaRuntimeGetVersion(&runtime));
  CHECK(cudaDeviceGetAttribute(&core_khz, cudaDevAttrClockRate, 0));
  CHECK(cudaDeviceGetAttribute(&memory_khz, cudaDevAttrMemoryClockRate, 0));
  char date[32];
  const std::time_t now = std::time(nullptr);
  std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
  recorder.line("machine",
                {{"device", properties.name},
                 {"date", date},
                 {"driver", driver},
                 {"runtime", runtime},
                 {"core_khz", core_khz},
                 {"memory_khz", memory_khz},
                 {"sms", properties.multiProcessorCount},
                 {"l2_bytes", properties.l2CacheSize},
                 {"major", properties.major},
                 {"minor", properties.minor}},
                "none", std::vector<int>{});
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: microbench OUT.jsonl [PART...] | --empty\n");
    return 2;
  }
  if (std::strcmp(argv[1], "--empty") == 0) {
    microbench::launch_empty();
    return 0;
  }
  std::FILE* file = std::fopen(argv[1], "w");
  if (file == nullptr) {
    std::perror(argv[1]);
    return 1;
  }
  Recorder recorder(file);
  struct Part {
    const char* name;
    void (*measure)(Recorder&);
  };
  const Part parts[] = {{"arithmetic", microbench::measure_arithmetic},
                        {"shared", microbench::measure_shared},
                        {"queues", microbench::measure_queues},
                        {"throughput", microbench::measure_throughput},
                        {"synchronisation", microbench::measure_synchronisation},
                        {"chases", microbench::measure_chases},
                        {"dispatch", microbench::measure_dispatch},
                        {"bandwidth", microbench::measure_bandwidth},
                        {"instruction_cache", microbench::measure_instruction_cache}};
  write_machine(recorder);
  const std::vector<std::string> wanted(argv + 2, argv + argc);
  for (const Part& part : parts) {
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), part.name) == wanted.end()) continue;
    const std::time_t begin = std::time(nullptr);
    part.measure(recorder);
    CHECK(cudaDeviceSynchronize());
    std::printf("%s: %ld s\n", part.name, static_cast<long>(std::time(nullptr) - begin));
    std::fflush(stdout);
  }
  return std::fclose(file) == 0 ? 0 : 1;
}
