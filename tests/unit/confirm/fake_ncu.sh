#!/bin/sh
# In the place of Nsight Compute, for tests: writes an empty report, and exports the same two pages of any report.
report= page= import=
while [ $# -gt 0 ]; do
  case $1 in
    --version) printf 'NVIDIA (R) Nsight Compute Command Line Profiler\nVersion 2025.3.1.0 (build 1) (public-release)\n'; exit 0 ;;
    -o) report=$2; shift ;;
    --page) page=$2; shift ;;
    --import) import=$2; shift ;;
    --warp-sampling-*) [ -n "$FAKE_NCU_IS_OLD" ] && { echo "==ERROR== unrecognised option '$1'"; exit 1; }; shift ;;
  esac
  shift
done
if [ -n "$FAKE_NCU_REFUSES" ]; then
  echo "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters"
  exit 1
fi
if [ -n "$report" ]; then : > "$report.ncu-rep"; exit 0; fi
[ -f "$import" ] || exit 1
case $page in
  raw)
    printf '"ID","Kernel Name","sm__cycles_elapsed.max"\n"","","cycle"\n"0","sparse_mla_split","1,234"\n' ;;
  source)
    printf '"#","Source","Instructions Executed","Thread Instructions Executed","stall_wait","stall_selected"\n'
    printf '"0","MOV R1, R2","8","256","3","1"\n"1","EXIT","8","256","0","2"\n' ;;
esac
