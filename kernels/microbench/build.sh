#!/usr/bin/env bash
# Compiles the microbenchmarks for sm_90 and sm_120 and packs them: cubins for a GPU, Programs for the simulated one.
#   kernels/microbench/build.sh PACK NVDISASM [OUT]     PACK: a built calibrate_pack; OUT: kernels/microbench/built
# From the repository root. Needs nvcc 13.0. The packs are part of the repository: whoever calibrates compiles nothing.
set -eu

pack=${1:?path of calibrate_pack}
nvdisasm=${2:?path of nvdisasm}
out=${3:-kernels/microbench/built}
readonly pack nvdisasm out
command -v nvcc > /dev/null || export PATH=$PATH:/usr/local/cuda/bin
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
mkdir -p "$out"
for sm in 90 120; do
  for source in kernels/microbench/*.cu; do
    nvcc -arch=sm_$sm -O3 -std=c++17 -cubin "$source" -o "$build/$(basename "$source" .cu).sm$sm.cubin"
  done
  python3 kernels/microbench/plain_mufu.py "$build/mufu.sm$sm.cubin"
  "$pack" -o "$out/sm$sm.cubins" "$build"/*.sm$sm.cubin
  # Of what the simulated GPU runs; the disassembler takes minutes.
  programs=()
  for source in arithmetic bandwidth barrier burst chase instruction_cache memory shared spread synchronisation throughput; do
    programs+=("$build/$source.sm$sm.cubin")
  done
  "$pack" -o "$out/sm$sm.programs" --nvdisasm "$nvdisasm" "${programs[@]}"
done
