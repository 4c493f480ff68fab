#!/usr/bin/env python3
"""Makes the Programs (and golden traces) of isa_traces/ from the cubins and build.json that kernels/build.py left there.

    tools/capture/embedded.py                     all Programs
    tools/capture/embedded.py --only plain331-v0  by prefix of the folder's name
    tools/capture/embedded.py --traces            the golden traces too
    tools/capture/embedded.py --check             writes nothing: compares with what is there

Needs build/bin/smreplay (or --smreplay) and the pinned nvdisasm (tools/setup/nvdisasm.sh). The same cubins give the same
bytes.
"""

import argparse
import filecmp
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
CAPTURES = ROOT / "isa_traces"
# (folder, kernel, launch) of the complete traces that are kept.
GOLDEN_TRACES = (("plain331-v0-sm120", "split", "c1"), ("plain331-v0-sm120", "split", "c96"))


def smreplay(tool, *arguments):
    environment = {**os.environ, "SMREPLAY_DATA": str(ROOT)}
    done = subprocess.run([tool, "--quiet", *arguments], env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"embedded.py: smreplay {' '.join(arguments)}: exit code {done.returncode}\n{done.stderr}")


def capture_program(tool, folder, kernel, output):
    build = json.loads((folder / "build.json").read_text())[kernel]
    smreplay(
        tool, "capture", str(folder / f"{kernel}.cubin"), "-o", str(output),
        "--source", build["source"],
        "--producer", build["producer"].split(" (")[0],
        "--compiler-options", build["options"],
    )  # fmt: skip


def put(made, target, check):
    """Moves a file into place; with check only compares. Gives 1 where something differs."""
    if check:
        same = target.exists() and filecmp.cmp(made, target, shallow=False)
        if not same:
            print(f"{target.relative_to(ROOT)}: differs from what its cubin gives")
        return 0 if same else 1
    os.replace(made, target)
    return 0


def main():
    parser = argparse.ArgumentParser(description="Programs and golden traces of isa_traces/")
    parser.add_argument("--only", default="", help="prefix of the folder's name")
    parser.add_argument("--traces", action="store_true", help="the golden traces too")
    parser.add_argument("--check", action="store_true", help="compare only")
    parser.add_argument("--smreplay", default=str(ROOT / "build" / "bin" / "smreplay"))
    options = parser.parse_args()

    different = 0
    for folder in sorted(CAPTURES.glob(options.only + "*")):
        if not (folder / "build.json").exists():
            continue
        with tempfile.TemporaryDirectory(dir=None if options.check else folder) as scratch:
            for kernel in ("split", "combine"):
                made = pathlib.Path(scratch) / f"{kernel}.program"
                capture_program(options.smreplay, folder, kernel, made)
                different += put(made, folder / made.name, options.check)
    for name, kernel, launch in GOLDEN_TRACES if options.traces else ():
        folder = CAPTURES / name
        if not name.startswith(options.only):
            continue
        with tempfile.TemporaryDirectory(dir=None if options.check else folder) as scratch:
            made = pathlib.Path(scratch) / f"{kernel}.{launch}.trace"
            smreplay(options.smreplay, "capture", str(folder / f"{kernel}.{launch}.launch.txtpb"), "-o", str(made))
            different += put(made, folder / made.name, options.check)
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
