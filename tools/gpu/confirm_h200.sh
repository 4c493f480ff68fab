#!/usr/bin/env bash
# Runs a confirm kit for sm_90 on an H200, from its folder alone, in about five minutes:
#   tools/gpu/confirm_h200.sh KIT OUT [OPTION...]
#                                         KIT: made by `smreplay confirm kit KIT V0 V1 V2 T256 -m h200 --writing all`
#                                         OUT: an empty folder; OPTIONs go to the kit's run.sh (--dry-run)
# The kit is copied to a folder of its own and started with an empty environment but PATH and HOME, so that nothing of the
# repository can help it. OUT receives
#   measurement.json.zst   what the kit wrote: smreplay confirm --import OUT
#   pages.tar.xz           what Nsight Compute exported, as CSV (at most 15 MiB; names of hosts taken out)
#   log.txt                what was said, with the time of each part; driver, clocks and versions
set -u
kit=${1:?folder of the kit}
out=${2:?folder for the results}
shift 2
readonly seconds=260            # the kit leaves out profiles that would begin later
readonly limit=360              # and is stopped then
readonly most_bytes=15728640
mkdir -p "$out"
out=$(cd "$out" && pwd)
alone=$(mktemp -d)
exec > >(tee "$out/log.txt") 2>&1

say() { echo "[$SECONDS s] $*"; }
clocks() { nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem,clocks.max.sm,temperature.gpu,power.draw --format=csv; }

cp -r "$kit/." "$alone/"
say "the kit alone: $(ls "$alone" | tr '\n' ' ')"
ldd --version | head -n 1
command -v ncu && ncu --version | tail -n 1
clocks
env -i PATH="$PATH" HOME="${HOME:-/tmp}" LD_LIBRARY_PATH="${LD_LIBRARY_PATH:-}" timeout "$limit" \
  "$alone/run.sh" --repeat 40 --rounds 8 --seconds "$seconds" --keep-pages "$alone/pages" "$@"
code=$?
say "the kit ended with $code"
clocks

[ -f "$alone/measurement.json.zst" ] && cp "$alone/measurement.json.zst" "$out/"
if [ -d "$alone/pages" ]; then
  sed -i -E "s/\"$(hostname)\"/\"\"/g" "$alone"/pages/*.raw.csv
  XZ_OPT="-T0 -6" tar cJf "$out/pages.tar.xz" -C "$alone" pages
  if [ "$(stat -c %s "$out/pages.tar.xz")" -gt "$most_bytes" ]; then
    say "pages are too large; the first of them alone"
    XZ_OPT="-T0 -6" tar cJf "$out/pages.tar.xz" -C "$alone" "$(cd "$alone" && ls pages/*.raw.csv | head -n 1)" "$(cd "$alone" && ls pages/*.source.csv | head -n 1)"
  fi
fi
ls -l "$out"
say "done"
exit "$code"
