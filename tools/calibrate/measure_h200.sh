#!/usr/bin/env bash
# Measures a GPU with kernels/microbench, in one go of at most three minutes:
#   tools/calibrate/measure_h200.sh OUT SMREPLAY
# From the repository root. OUT: an empty folder. SMREPLAY: the built smreplay. Needs the NVIDIA driver, and ncu for the
# states of warps; compiles and downloads nothing.
#
# OUT receives
#   raw.jsonl.gz          every reading (docs/FORMATS.md); machine.txtpb: the machine file from them
#   states.csv.gz         per kernel of states.cu: its SASS with the profiler's samples per instruction
#   states-metrics.csv.gz the profiler's counters of the same kernels
#   empty.csv             elapsed cycles of empty kernels
#   machine.txt           driver, clocks before, during and after, versions
#   log.txt               what was said
set -u

out=${1:?folder for the results}
smreplay=${2:?path of smreplay}
readonly out smreplay
work=$(mktemp -d)
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
for part in core shared levels dispatch bandwidth queue ports barrier latency chip; do
  say "$part"
  timeout 60 "$smreplay" calibrate --quiet --part "$part" --raw "$work/$part.jsonl" -o /dev/null || say "FAILED: $part (exit $?)"
  cat "$work/$part.jsonl" >> "$work/raw.jsonl"
  clocks | tail -1 >> "$out/machine.txt"
done
"$smreplay" calibrate --from-raw "$work/raw.jsonl" -o "$out/machine.txtpb" || say "FAILED: machine file"
gzip -9 < "$work/raw.jsonl" > "$out/raw.jsonl.gz"

say "states of warps"
report=$work/states
if timeout 100 ncu --clock-control none --import-source no --force-overwrite -o "$report" --section SourceCounters \
  --section WarpStateStats --section SchedulerStats --metrics sm__cycles_elapsed.max,gpu__time_duration.sum \
  "$smreplay" calibrate --quiet --part states -o /dev/null > "$report.log" 2>&1; then
  ncu --import "$report.ncu-rep" --csv --page raw --print-units base | gzip -9 > "$out/states-metrics.csv.gz"
  kernels=$(grep -c '==PROF== Profiling' "$report.log")
  for ((i = 0; i < kernels; ++i)); do
    [ "$SECONDS" -gt 150 ] && say "FAILED: time is up at kernel $i of $kernels" && break
    echo "== launch $i"
    ncu --import "$report.ncu-rep" --launch-skip "$i" --launch-count 1 --csv --page source --print-source sass \
      --print-units base
  done | gzip -9 > "$out/states.csv.gz"
else
  say "FAILED: ncu (exit $?)"
  tail -n 5 "$report.log"
fi

say "empty kernels"
timeout 30 ncu --clock-control none --csv --kernel-name empty --launch-count 8 --metrics \
  sm__cycles_elapsed.max,sm__cycles_elapsed.avg,sm__cycles_active.max,gpc__cycles_elapsed.max,gpu__time_duration.sum \
  "$smreplay" calibrate --quiet --part dispatch -o /dev/null > "$work/ncu.csv" 2>&1 || say "FAILED: ncu of empty kernels"
grep '"' "$work/ncu.csv" > "$out/empty.csv"
clocks | tail -1 >> "$out/machine.txt"
rm -rf "$work"
say done
