#!/usr/bin/env bash
# Measures a GPU of compute capability 9.0 with kernels/microbench, in one go of about five minutes (a minute of it compiles):
#   tools/calibrate/measure_h200.sh OUT     OUT: an empty folder
# From the repository root. Needs nvcc 13, the NVIDIA driver, and for the empty kernel ncu. Downloads nothing.
#
# OUT receives
#   raw.jsonl        every reading (kernels/microbench/Harness.h says how a line looks)
#   machine.txt      driver, clocks before, during and after, versions
#   empty.csv        elapsed cycles of empty kernels, by ncu
#   sass.tar.xz      the cubins that ran, so that their inner loops can be checked: kernels/microbench/check_sass.py
#   log.txt          what was said
set -u

out=${1:?folder for the results}
readonly out
command -v nvcc > /dev/null || export PATH=$PATH:/usr/local/cuda/bin
readonly sources=kernels/microbench
build=$(mktemp -d)
mkdir -p "$out"
exec > >(tee "$out/log.txt") 2>&1
say() { echo "[$SECONDS s] $*"; }

clocks() {
  nvidia-smi --query-gpu=name,driver_version,clocks.current.sm,clocks.current.memory,clocks.max.sm,temperature.gpu,power.draw \
    --format=csv
}

say compile
compilers=()
for source in "$sources"/*.cu; do
  name=$(basename "$source" .cu)
  (nvcc -arch=sm_90 -O3 -std=c++17 -c "$source" -o "$build/$name.o" 2>&1 &&
    nvcc -arch=sm_90 -O3 -std=c++17 -cubin "$source" -o "$build/$name.cubin" 2>&1) &
  compilers+=($!)
done
wait "${compilers[@]}"  # by name: a bare wait would also wait for the tee above, for good
nvcc -arch=sm_90 -O3 -std=c++17 "$build"/*.o -o "$build/microbench" || { say "FAILED: build"; exit 1; }
tar -C "$build" -cJf "$out/sass.tar.xz" $(cd "$build" && ls ./*.cubin)

say measure
{
  date -u +%Y-%m-%dT%H:%M:%SZ
  uname -r
  nvcc --version | tail -2
  nvidia-smi
  clocks
} > "$out/machine.txt"
# A process a part: a part that fails does not take the others along.
for part in arithmetic shared queues throughput synchronisation chases dispatch bandwidth instruction_cache; do
  timeout 45 "$build/microbench" "$build/$part.jsonl" "$part" || say "FAILED: $part (exit $?)"
  cat "$build/$part.jsonl" >> "$out/raw.jsonl"
  clocks | tail -1 >> "$out/machine.txt"
done

say empty kernel
for control in none base; do
  timeout 60 ncu --clock-control "$control" --csv --metrics \
    sm__cycles_elapsed.max,sm__cycles_elapsed.avg,sm__cycles_active.max,gpc__cycles_elapsed.max,gpu__time_duration.sum \
    "$build/microbench" --empty > "$build/ncu.csv" 2>&1 || say "FAILED: ncu ($control)"
  sed "s/^/$control,/" "$build/ncu.csv" | grep '"' >> "$out/empty.csv"
done
rm -rf "$build"
say done
