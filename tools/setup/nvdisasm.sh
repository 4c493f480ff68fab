#!/usr/bin/env bash
# Puts the pinned nvdisasm into .deps/bin (from PyPI's package of the disassembler, unpacked, not installed). Idempotent.
set -euo pipefail
cd "$(dirname "$0")/../.."
version=13.5.37
marker=.deps/nvdisasm-$version
[ -f "$marker" ] && [ -x .deps/bin/nvdisasm ] && exit 0

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
if ! python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: --dest "$work" \
  "nvidia-cuda-nvdisasm==$version" >"$work/log" 2>&1; then
  tail -n 5 "$work/log" >&2
  echo "nvdisasm.sh: error: PyPI's nvidia-cuda-nvdisasm==$version could not be had: check the network and run this again" >&2
  exit 1
fi
unzip -q -o "$work"/*.whl -d "$work/wheel"
found="$(find "$work/wheel" -type f -name nvdisasm | head -n 1)"
[ -n "$found" ] || { echo "nvdisasm.sh: error: the package holds no nvdisasm" >&2; exit 1; }
mkdir -p .deps/bin
install -m 755 "$found" .deps/bin/nvdisasm.new
mv .deps/bin/nvdisasm.new .deps/bin/nvdisasm
touch "$marker"
