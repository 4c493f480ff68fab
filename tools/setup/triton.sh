#!/usr/bin/env bash
# triton.sh VERSION...: a virtual environment per pinned Triton, .deps/triton-VERSION. Triton compiles ahead of time
# without a card; nothing else is installed into it (no PyTorch). Idempotent.
set -euo pipefail
cd "$(dirname "$0")/../.."
[ $# -gt 0 ] || set -- 3.3.1 3.9.0
for version in "$@"; do
  folder=.deps/triton-$version
  [ -f "$folder/ready" ] && continue
  rm -rf "$folder"
  python3 -m venv "$folder"
  if ! "$folder/bin/pip" install --quiet --disable-pip-version-check "triton==$version" setuptools numpy >"$folder/log" 2>&1; then
    tail -n 5 "$folder/log" >&2
    echo "triton.sh: error: PyPI's triton==$version could not be installed: check the network and run this again" >&2
    exit 1
  fi
  touch "$folder/ready"
done
