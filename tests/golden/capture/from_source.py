#!/usr/bin/env python3
"""Compiles and captures V0 from source in two copies of the tree, in folders of different names: the cubins, the
Programs and the launch at C = 1 must be the committed bytes. Exit code 77: a compiler is missing (skipped)."""

import argparse
import filecmp
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
CAPTURE = "plain331-v0-sm120"
TRITON = "3.3.1"
SKIPPED = 77
FILES = ("split.cubin", "combine.cubin", "split.program", "combine.program", "split.c1.launch.txtpb")


def missing():
    """What is not there, in words; empty: all is."""
    if not shutil.which("nvcc") and not pathlib.Path("/usr/local/cuda/bin/nvcc").exists():
        return "nvcc 13.0"
    if not (ROOT / ".deps" / f"triton-{TRITON}" / "ready").exists():
        return f"Triton {TRITON} (tools/setup/triton.sh)"
    if not (ROOT / ".deps" / "bin" / "nvdisasm").exists():
        return "nvdisasm (tools/setup/nvdisasm.sh)"
    return ""


def run(command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"from_source.py: {' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout}{done.stderr}")


def build_and_capture(copy, tool):
    """The sources in `copy`, V0 compiled there, captured with the copy as data folder."""
    for folder in ("kernels", "tools/capture", "isa_traces"):
        shutil.copytree(ROOT / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for file in FILES:
        (copy / "isa_traces" / CAPTURE / file).unlink()
    run([sys.executable, "kernels/build.py", "--only", CAPTURE, "--venvs", ROOT / ".deps"], cwd=copy)
    run([sys.executable, "kernels/launches.py"], cwd=copy)
    environment = {**os.environ, "PATH": f"{ROOT / '.deps' / 'bin'}:{os.environ['PATH']}"}
    run([sys.executable, "tools/capture/embedded.py", "--only", CAPTURE, "--smreplay", tool], cwd=copy, env=environment)


def main():
    parser = argparse.ArgumentParser(description="V0 from source")
    parser.add_argument("--smreplay", required=True)
    tool = parser.parse_args().smreplay
    lacking = missing()
    if lacking:
        print(f"skipped: {lacking} is not installed")
        return SKIPPED
    different = []
    with tempfile.TemporaryDirectory() as scratch:
        for name in ("a", "another-and-longer-name"):
            copy = pathlib.Path(scratch) / name
            copy.mkdir()
            build_and_capture(copy, tool)
            made = copy / "isa_traces" / CAPTURE
            for file in FILES:
                if not filecmp.cmp(made / file, ROOT / "isa_traces" / CAPTURE / file, shallow=False):
                    different.append(f"{name}: {file}")
    for line in different:
        print(f"{line} differs from the committed bytes")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
