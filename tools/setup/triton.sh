#!/usr/bin/env bash
# triton.sh [VERSION...]: a virtual environment per pinned Triton, .deps/triton-VERSION, from kernels/triton/requirements-
# VERSION.txt. Triton compiles ahead of time without a card. Idempotent.
set -euo pipefail
cd "$(dirname "$0")/../.."
[ $# -gt 0 ] || set -- 3.3.1 3.9.0
for version in "$@"; do
  folder=.deps/triton-$version
  requirements=kernels/triton/requirements-$version.txt
  cmp -s "$requirements" "$folder/ready" && continue
  rm -rf "$folder"
  python3 -m venv "$folder"
  log=.deps/triton-$version.log
  if ! "$folder/bin/pip" install --quiet --disable-pip-version-check -r "$requirements" >"$log" 2>&1; then
    tail -n 5 "$log" >&2
    echo "triton.sh: error: PyPI's packages of $requirements could not be installed: check the network and run this again" >&2
    exit 1
  fi
  cp "$requirements" "$folder/ready"
done
