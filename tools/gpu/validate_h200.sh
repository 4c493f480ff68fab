#!/usr/bin/env bash
# Validates the sm_90 captures on an H200, in one go of about six minutes:
#   tools/gpu/validate_h200.sh RUNNER OUT [times]   RUNNER: a built run_launch; OUT: an empty folder; times: also time
#                                                   every concurrency and the other configurations
# From the repository root. Needs the NVIDIA driver, ncu and python3 there; compiles nothing, downloads nothing.
#
# OUT receives
#   machine.txt            driver, clocks, date, versions
#   results.jsonl          one line per run: launch, times by events, registers, resident CTAs, error against float64
#   hashes.txt             SHA-256 of every output of every run
#   outputs-small.tar.xz   outputs of C = 1 and `edge`, whole
#   outputs-c96.tar.xz     outputs of C = 96: `out` and `lse` whole, the first MiB of `partial` (its hash covers the rest)
#   ncu.tar.xz             per kernel: counts and stall samples per SASS instruction (CSV), metrics (CSV), and the report
#   log.txt                everything that was said, with times; a failed step is named there and in the last line
# Steps are ordered by worth, and the last ones are left out when the time is up.
set -u

runner=${1:?path of run_launch}
out=${2:?folder for the results}
times=${3:-}
readonly runner out
readonly writings="plain331 plain390 tuned cuda"
readonly step_limit=100   # seconds for one command
readonly soft_end=330     # no further optional step after so many seconds
scratch=$(mktemp -d)
mkdir -p "$out" "$scratch/outputs" "$scratch/ncu"
exec > >(tee "$out/log.txt") 2>&1
failures=0

say() { echo "[$SECONDS s] $*"; }

step() {  # step NAME COMMAND...: runs it under a time limit, counts a failure, goes on
  local name=$1
  shift
  if ! timeout "$step_limit" "$@"; then
    say "FAILED: $name"
    failures=$((failures + 1))
    return 1
  fi
}

launch_file() { echo "isa_traces/$1-$2-sm90/$3.launch.txtpb"; }  # WRITING CONFIGURATION LAUNCH

measure() {  # measure TAG WRITING CONFIGURATION LAUNCH OPTIONS...: one line of results.jsonl
  local tag=$1 writing=$2 configuration=$3 launch=$4
  shift 4
  local line
  if line=$(timeout "$step_limit" "$runner" "$(launch_file "$writing" "$configuration" "$launch")" "$@"); then
    echo "{\"tag\": \"$tag\", \"writing\": \"$writing\", \"configuration\": \"$configuration\", \"run\": $line}" \
      >> "$out/results.jsonl"
  else
    say "FAILED: $tag $writing-$configuration $launch (exit $?)"
    failures=$((failures + 1))
  fi
}

machine() {  # no host names, no PCI ids
  date -u +%Y-%m-%dT%H:%M:%SZ
  nvidia-smi --query-gpu=name,driver_version,vbios_version,clocks.sm,clocks.mem,clocks.max.sm,clocks.max.mem,power.limit \
    --format=csv
  ncu --version | tail -n 1
}

clocks() { nvidia-smi --query-gpu=timestamp,clocks.sm,clocks.mem,temperature.gpu,power.draw --format=csv,noheader; }

say "machine"
machine > "$out/machine.txt" 2>&1

say "outputs and errors against float64"
for launch in c1 edge c96; do
  for writing in $writings; do
    folder="$scratch/outputs/$writing-v0-sm90"
    mkdir -p "$folder"
    measure check "$writing" v0 "split.$launch" --repeat 5 --outputs "$folder"
    measure check "$writing" v0 "combine.$launch" --repeat 5 --outputs "$folder"
  done
done
(cd "$scratch/outputs" && sha256sum ./*/*.bin) > "$out/hashes.txt"

# One profile of a combine launch holds the split kernel before it too. Counts per instruction must not be sampled or
# replayed by range: SourceCounters counts in passes of their own.
metrics=sm__cycles_elapsed.max,sm__cycles_elapsed.avg,sm__cycles_active.avg,gpu__time_duration.sum
metrics+=,dram__bytes_read.sum,dram__bytes_write.sum,smsp__inst_executed.sum,smsp__thread_inst_executed.sum
metrics+=,lts__t_sectors_op_read.sum,lts__t_sectors_op_write.sum,lts__t_sector_hit_rate.pct
metrics+=,l1tex__t_sector_hit_rate.pct,l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum
sections="--section SourceCounters --section WarpStateStats --section SchedulerStats --section LaunchStats"
sections+=" --section Occupancy --section SpeedOfLight --section MemoryWorkloadAnalysis"

profile() {  # profile WRITING CONFIGURATION C
  local name="$1-$2-$3"
  local report="$scratch/ncu/$name"
  local common=(ncu --clock-control none --cache-control all --import-source no --force-overwrite -o "$report")
  local target=("$runner" "$(launch_file "$1" "$2" "combine.$3")" --no-check --no-flush --repeat 1)
  # shellcheck disable=SC2086  # the sections are words
  if ! timeout "$step_limit" "${common[@]}" $sections --metrics "$metrics" "${target[@]}" > "$report.log" 2>&1; then
    say "ncu of $name with all metrics failed, with the counts alone instead:" && tail -n 3 "$report.log"
    step "ncu $name" "${common[@]}" --section SourceCounters \
      --metrics sm__cycles_elapsed.max,dram__bytes_read.sum,dram__bytes_write.sum "${target[@]}" || return
  fi
  for kernel in split combine; do
    local select=(ncu --import "$report.ncu-rep" --kernel-name "sparse_mla_$kernel" --csv)
    step "metrics $name" "${select[@]}" --page raw --print-units base > "$report.$kernel.metrics.csv"
    step "source $name" "${select[@]}" --page source --print-source sass --print-units base > "$report.$kernel.sass.csv"
    say "$name $kernel: $(wc -l < "$report.$kernel.sass.csv") lines of SASS, $(wc -l < "$report.$kernel.metrics.csv") of metrics"
  done
}

say "profiles"
clocks
for launch in c96 c1; do
  for writing in $writings; do profile "$writing" v0 "$launch"; done
done
clocks

if [ "$times" = times ]; then
say "times by concurrency, as launched and with one CTA per SM"
for c in 96 1 64 48 8 80 32 16; do
  for writing in $writings; do
    [ "$SECONDS" -gt "$soft_end" ] && break 2
    measure plain "$writing" v0 "split.c$c" --no-check --repeat 20
    measure padded "$writing" v0 "split.c$c" --no-check --repeat 20 --ctas-per-sm 1
  done
done
say "the other configurations"
for configuration in v1 v2; do
  for c in 96 1 48; do
    for writing in $writings; do
      [ "$SECONDS" -gt "$soft_end" ] && break 3
      measure plain "$writing" "$configuration" "split.c$c" --repeat 20
      measure padded "$writing" "$configuration" "split.c$c" --no-check --repeat 20 --ctas-per-sm 1
    done
  done
done
clocks
fi

say "packing"
cd "$scratch/outputs" || exit 1
for file in ./*/split.c96.partial.bin; do
  [ -f "$file" ] && head -c 1048576 "$file" > "$file.head" && rm "$file"
done
tar cJf "$out/outputs-small.tar.xz" ./*/*.c1.*.bin ./*/*.edge.*.bin
tar cJf "$out/outputs-c96.tar.xz" ./*/*.c96.*
tar cJf "$out/ncu.tar.xz" -C "$scratch" ncu
ls -l "$out"
say "done, $failures failed steps"
[ "$failures" -eq 0 ]
