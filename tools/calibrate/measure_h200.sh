#!/usr/bin/env bash
# Measures a GPU with kernels/microbench, in one go of at most three minutes:
#   tools/calibrate/measure_h200.sh OUT RUNNER CUBINS [all]
# From the repository root. OUT: an empty folder. RUNNER: a built calibrate_gpu. CUBINS: the folder of the microbenchmarks'
# cubins for the card. Needs the NVIDIA driver, and ncu for the states of warps; compiles and downloads nothing. With `all`
# also the benchmarks that still have host code of their own: needs nvcc 13 (another minute to compile, 40 s to run).
#
# OUT receives
#   raw-queues.jsonl.gz   every reading of RUNNER (docs/FORMATS.md)
#   states.csv.gz         per kernel of states.cu: its SASS with the profiler's samples per instruction
#   states-metrics.csv.gz the profiler's counters of the same kernels
#   raw.jsonl, sass.tar.xz, empty.csv   with `all`
#   machine.txt           driver, clocks before, during and after, versions
#   log.txt               what was said
set -u

out=${1:?folder for the results}
runner=${2:?path of calibrate_gpu}
cubins=${3:?folder of cubins}
what=${4:-}
readonly out runner cubins what
command -v nvcc > /dev/null || export PATH=$PATH:/usr/local/cuda/bin
build=$(mktemp -d)
mkdir -p "$out"
exec > >(tee "$out/log.txt") 2>&1
say() { echo "[$SECONDS s] $*"; }

clocks() {
  nvidia-smi --query-gpu=name,driver_version,clocks.current.sm,clocks.current.memory,clocks.max.sm,temperature.gpu,power.draw \
    --format=csv
}

{
  date -u +%Y-%m-%dT%H:%M:%SZ
  clocks
} > "$out/machine.txt" 2>&1

# A process a part: a part that fails does not take the others along.
for part in queue ports barrier latency chip; do
  say "$part"
  timeout 60 "$runner" "$cubins" -o "$build/$part.jsonl" --part "$part" || say "FAILED: $part (exit $?)"
  cat "$build/$part.jsonl" >> "$build/raw-queues.jsonl"
  clocks | tail -1 >> "$out/machine.txt"
done
gzip -9 < "$build/raw-queues.jsonl" > "$out/raw-queues.jsonl.gz"

say "states of warps"
report=$build/states
if timeout 100 ncu --clock-control none --import-source no --force-overwrite -o "$report" --section SourceCounters \
  --section WarpStateStats --section SchedulerStats --metrics sm__cycles_elapsed.max,gpu__time_duration.sum \
  "$runner" "$cubins" -o /dev/null --part states > "$report.log" 2>&1; then
  ncu --import "$report.ncu-rep" --csv --page raw --print-units base | gzip -9 > "$out/states-metrics.csv.gz"
  kernels=$(grep -c '==PROF== Profiling' "$report.log")
  for ((i = 0; i < kernels; ++i)); do
    [ "$SECONDS" -gt 200 ] && say "FAILED: time is up at kernel $i of $kernels" && break
    echo "== launch $i"
    ncu --import "$report.ncu-rep" --launch-skip "$i" --launch-count 1 --csv --page source --print-source sass \
      --print-units base
  done | gzip -9 > "$out/states.csv.gz"
else
  say "FAILED: ncu (exit $?)"
  tail -n 5 "$report.log"
fi
grep -v '^==PROF==' "$report.log" | head -n 20

if [ "$what" = all ]; then
  say compile
  compilers=()
  for source in arithmetic bandwidth chase dispatch instruction_cache main queue shared synchronisation throughput; do
    nvcc -arch=sm_90 -O3 -std=c++17 -c "kernels/microbench/$source.cu" -o "$build/$source.o" 2>&1 &
    compilers+=($!)
  done
  wait "${compilers[@]}"  # by name: a bare wait would also wait for the tee above, for good
  nvcc -arch=sm_90 -O3 -std=c++17 "$build"/*.o -o "$build/microbench" || say "FAILED: build"
  for part in arithmetic shared queues throughput synchronisation chases dispatch bandwidth instruction_cache; do
    timeout 45 "$build/microbench" "$build/$part.jsonl" "$part" || say "FAILED: $part (exit $?)"
    cat "$build/$part.jsonl" >> "$out/raw.jsonl"
    clocks | tail -1 >> "$out/machine.txt"
  done
  for control in none base; do
    timeout 60 ncu --clock-control "$control" --csv --metrics \
      sm__cycles_elapsed.max,sm__cycles_elapsed.avg,sm__cycles_active.max,gpc__cycles_elapsed.max,gpu__time_duration.sum \
      "$build/microbench" --empty > "$build/ncu.csv" 2>&1 || say "FAILED: ncu ($control)"
    sed "s/^/$control,/" "$build/ncu.csv" | grep '"' >> "$out/empty.csv"
  done
fi
clocks | tail -1 >> "$out/machine.txt"
rm -rf "$build"
say done
