#!/usr/bin/env bash
# Times V0, V1 and V2 of every writing on the GPU present, each plain and padded to one CTA per SM, interleaved, twice over
# (the second round is the null experiment of the first), about three minutes:
#   tools/gpu/time_pairs.sh RUNNER OUT      RUNNER: a built run_launch; OUT: an empty folder
# OUT receives times.jsonl (one line per run: round, writing, configuration, launch, plain or padded, the runner's JSON),
# cycles.csv (elapsed cycles by ncu, caches flushed, clocks as they are) and machine.txt.
set -u
runner=${1:?path of run_launch}
out=${2:?folder for the results}
scratch=$(mktemp -d)
{
  date -u +%Y-%m-%dT%H:%M:%SZ
  nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem,clocks.max.sm,power.limit --format=csv
  ncu --version | tail -n 1
} > "$out/machine.txt"

for round in 1 2; do
  for c in 96 1 8; do
    for writing in plain331 plain390 tuned cuda; do
      for padding in plain padded; do
        for configuration in v0 v1 v2; do
          pad=()
          [ "$padding" = padded ] && pad=(--ctas-per-sm 1)
          line=$(timeout 60 "$runner" "isa_traces/$writing-$configuration-sm90/split.c$c.launch.txtpb" --no-check --repeat 20 \
            "${pad[@]}") || line='{"failed": true}'
          echo "{\"round\": $round, \"writing\": \"$writing\", \"configuration\": \"$configuration\", \"concurrency\": $c, \"padding\": \"$padding\", \"run\": $line}" >> "$out/times.jsonl"
        done
      done
    done
  done
  echo "[$SECONDS s] round $round"
done
nvidia-smi --query-gpu=clocks.sm,temperature.gpu --format=csv,noheader >> "$out/machine.txt"

for c in 96 1; do
  for writing in plain331 plain390 tuned cuda; do
    for configuration in v1 v2; do
      [ "$SECONDS" -gt 280 ] && break 3
      timeout 60 ncu --clock-control none --cache-control all --csv --page raw --print-units base \
        --metrics sm__cycles_elapsed.max,sm__cycles_active.avg,smsp__inst_executed.sum,dram__bytes_read.sum \
        "$runner" "isa_traces/$writing-$configuration-sm90/split.c$c.launch.txtpb" --no-check --no-flush --repeat 1 \
        > "$scratch/ncu.csv" 2> /dev/null
      grep '^"' "$scratch/ncu.csv" | sed "s/^/$writing,$configuration,$c,/" >> "$out/cycles.csv"
    done
  done
done
echo "[$SECONDS s] done"
