#!/usr/bin/env bash
# Measures a GPU with kernels/microbench, in one go of at most four minutes:
#   tools/calibrate/measure_h200.sh OUT SMREPLAY [--simulate]
# From the repository root. OUT: an empty folder. SMREPLAY: the built smreplay. Needs the NVIDIA driver, and ncu for the
# counters and the states of warps; compiles and downloads nothing. --simulate: tries the way with the simulated H200 and
# the emulator's special function unit; PARTS and FUNCTIONS name what is run instead of everything, FUNCTIONS=none no
# function. With PARTS the states of warps are left out.
#   PARTS="levels bandwidth" FUNCTIONS=none tools/calibrate/measure_h200.sh OUT SMREPLAY
#
# OUT receives at most six files, each below 16 MiB
#   raw.jsonl.gz          every reading (docs/FORMATS.md)
#   machine.txtpb         the machine file from them
#   profiles.tar.gz       states.csv: per kernel of states.cu its SASS with the profiler's samples per instruction;
#                         states-metrics.csv: its counters of the same kernels; machine.txt: driver, clocks before, during
#                         and after
#   mufu-a.tar            sqrt.mufu, tanh.mufu, known.mufu (EX2, LG2, RCP, RSQ), and *.txt, how far each is from the
#   mufu-b.tar            emulator's; sin.mufu, cos.mufu
#   log.txt               what was said
# A tar of more than 15 MiB comes in pieces, <name>.0, <name>.1.
set -u

out=${1:?folder for the results}
smreplay=${2:?path of smreplay}
simulate=()
[ "${3:-}" = --simulate ] && simulate=(--simulate)
readonly out smreplay simulate
readonly seconds_allowed=235
readonly packs=(--microbenchmarks kernels/microbench/built)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out" "$work/profiles" "$work/mufu"
touch "$work/raw.jsonl"
exec > >(tee "$out/log.txt") 2>&1
say() { echo "[$SECONDS s] $*"; }

# Seconds for a part that wants $1, within what is left.
limit() {
  local left=$((seconds_allowed - SECONDS))
  [ "$left" -lt 1 ] && left=1
  echo $((left < $1 ? left : $1))
}

clocks() {
  command -v nvidia-smi > /dev/null || return 0
  timeout 10 nvidia-smi --format=csv \
    --query-gpu=name,driver_version,clocks.current.sm,clocks.current.memory,clocks.max.sm,temperature.gpu,power.draw
}

find_ncu() {
  command -v ncu && return
  for candidate in /usr/local/cuda*/bin/ncu /opt/nvidia/nsight-compute/*/ncu; do
    [ -x "$candidate" ] && echo "$candidate" && return
  done
}

{
  date -u +%Y-%m-%dT%H:%M:%SZ
  clocks
} > "$work/profiles/machine.txt" 2>&1
ncu=$(find_ncu)
if [ -n "$ncu" ]; then profiler=(--ncu "$ncu"); else profiler=(--no-profile); fi

# A process a part: a part that fails does not take the others along.
machine=()
[ ${#simulate[@]} -gt 0 ] && machine=(--simulate -m h200)
for part in ${PARTS:-core shared levels dispatch bandwidth queue ports barrier latency chip l1 counters}; do
  say "$part"
  if [ ${#simulate[@]} -gt 0 ]; then
    [ "$part" = counters ] && continue
    timeout "$(limit 60)" "$smreplay" calibrate --quiet "${packs[@]}" "${machine[@]}" --part "$part" --raw "$work/$part.jsonl" \
      -o /dev/null || say "FAILED: $part (exit $?)"
  else
    timeout "$(limit 60)" "$smreplay" calibrate "${packs[@]}" "${profiler[@]}" --part "$part" --raw "$work/$part.jsonl" \
      -o /dev/null 2> "$work/$part.log" || say "FAILED: $part (exit $?)"
    grep -E 'error|no counters|\{"name"' "$work/$part.log" | cut -c1-300  # launches that failed
  fi
  [ -f "$work/$part.jsonl" ] && cat "$work/$part.jsonl" >> "$work/raw.jsonl"
  clocks | tail -1 >> "$work/profiles/machine.txt"
done
say "machine file"
timeout 30 "$smreplay" calibrate --from-raw "$work/raw.jsonl" -o "$out/machine.txtpb" || say "FAILED: machine file"
gzip -9 < "$work/raw.jsonl" > "$out/raw.jsonl.gz"

# The four that no table gives yet, and those whose tables an H200 gave.
say "special function unit"
sweep() { # NAME FUNCTIONS
  timeout "$(limit 100)" "$smreplay" calibrate mufu "$work/mufu/$1.mufu" --quiet "${packs[@]}" "${simulate[@]}" --function "$2" \
    > "$work/mufu/$1.txt" || say "FAILED: mufu $1 (exit $?)"
}
sweeps=()
for one in ${FUNCTIONS:-sqrt sin cos tanh known}; do
  case $one in
    none) continue ;;
    known) sweep known ex2,lg2,rcp,rsq & ;;
    *) sweep "$one" "$one" & ;;
  esac
  sweeps+=($!)
done
if [ ${#sweeps[@]} -gt 0 ]; then
  wait "${sweeps[@]}"
  cat "$work"/mufu/*.txt
fi
pack_sweeps() { # NAME FILE...
  local name=$1 present=()
  shift
  for file in "$@"; do [ -s "$work/mufu/$file" ] && present+=("$file"); done
  [ ${#present[@]} -eq 0 ] && return
  tar -C "$work/mufu" -cf "$work/$name.tar" "${present[@]}"
  if [ "$(stat -c %s "$work/$name.tar")" -le $((15 << 20)) ]; then
    cp "$work/$name.tar" "$out/"
  else
    split -b 15M -d -a 1 "$work/$name.tar" "$out/$name.tar."
  fi
}
pack_sweeps mufu-a sqrt.mufu tanh.mufu known.mufu sqrt.txt tanh.txt known.txt
pack_sweeps mufu-b sin.mufu cos.mufu sin.txt cos.txt

profile_states() {
  local report=$work/states kernels
  if ! timeout "$(limit 90)" "$ncu" --clock-control none --import-source no --force-overwrite -o "$report" \
    --section SourceCounters --section WarpStateStats --section SchedulerStats \
    --metrics sm__cycles_elapsed.max,gpu__time_duration.sum \
    "$smreplay" calibrate --quiet "${packs[@]}" --under-profiler --part states > "$report.log" 2>&1; then
    say "FAILED: ncu"
    tail -n 5 "$report.log"
    return
  fi
  timeout 30 "$ncu" --import "$report.ncu-rep" --csv --page raw --print-units base > "$work/profiles/states-metrics.csv"
  kernels=$(grep -c '==PROF== Profiling' "$report.log")
  for ((i = 0; i < kernels; ++i)); do
    [ "$SECONDS" -gt $((seconds_allowed - 15)) ] && say "FAILED: time is up at kernel $i of $kernels" >&2 && break
    echo "== launch $i"
    timeout 20 "$ncu" --import "$report.ncu-rep" --launch-skip "$i" --launch-count 1 --csv --page source \
      --print-source sass --print-units base
  done > "$work/profiles/states.csv"
}
if [ ${#simulate[@]} -eq 0 ] && [ -n "$ncu" ] && [ -z "${PARTS:-}" ]; then
  say "states of warps"
  profile_states
fi
clocks | tail -1 >> "$work/profiles/machine.txt"
tar -C "$work/profiles" -czf "$out/profiles.tar.gz" .
say "done"
ls -l "$out"
