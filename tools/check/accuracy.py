#!/usr/bin/env python3
"""The model's elapsed cycles beside measured ones, as found: one row per measured launch, and the mean absolute error.

    tools/check/accuracy.py                                    all rows, text
    tools/check/accuracy.py --markdown > table.md              for docs/ACCURACY.md
    tools/check/accuracy.py --measured configs/measurements/h200-2026-11-30/cycles.csv --machine h200 --smreplay build/bin/smreplay

A row whose cubin is not the one that was measured is refused, not compared. Needs build/bin/smreplay only.
"""

import argparse
import csv
import hashlib
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Nsight Compute's short names of the sampled states.
STATES = {
    "long_sb": "long_scoreboard", "short_sb": "short_scoreboard", "no_inst": "no_instructions", "imc": "imc_miss",
    "math": "math_pipe_throttle", "mio": "mio_throttle", "lg": "lg_throttle", "dispatch": "dispatch_stall",
}  # fmt: skip


def find(tree, key):
    if isinstance(tree, dict):
        if key in tree:
            return tree[key]
        for value in tree.values():
            found = find(value, key)
            if found is not None:
                return found
    return None


def simulate(tool, machine, capture, kernel, concurrency):
    done = subprocess.run(
        [tool, "--quiet", "--data", str(ROOT), "run", capture, "-C", concurrency, "--kernel", kernel, "-m", machine,
         "--format", "json"],
        capture_output=True, text=True,
    )  # fmt: skip
    if done.returncode != 0:
        sys.exit(f"accuracy.py: {capture} {kernel} C = {concurrency}: exit code {done.returncode}\n{done.stderr}")
    return json.loads(done.stdout)


def shares(counts):
    total = sum(counts.values()) or 1
    return {state: 100.0 * n / total for state, n in counts.items()}


def top(vector, n=3):
    best = sorted(vector.items(), key=lambda item: -item[1])[:n]
    return ", ".join(f"{state} {share:.0f} %" for state, share in best)


def main():
    parser = argparse.ArgumentParser(description="measured and simulated cycles")
    parser.add_argument("--measured", default=str(ROOT / "configs/measurements/h200-2026-11-30/cycles.csv"))
    parser.add_argument("--machine", default="h200")
    parser.add_argument("--smreplay", default=str(ROOT / "build/bin/smreplay"))
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args()

    with open(options.measured, encoding="utf-8") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    errors = []
    header = ("capture", "kernel", "C", "measured", "simulated", "error", "states measured", "states simulated", "distance")
    table = []
    for row in rows:
        cubin = ROOT / "isa_traces" / f"{row['capture']}-sm90" / f"{row['kernel']}.cubin"
        if hashlib.sha256(cubin.read_bytes()).hexdigest() != row["cubin_sha256"]:
            sys.exit(f"accuracy.py: {cubin} is not the cubin that was measured; measure again")
        result = simulate(options.smreplay, options.machine, row["capture"], row["kernel"], row["concurrency"])
        measured, simulated = int(row["sm__cycles_elapsed.max"]), find(result, "elapsed_cycles")
        error = simulated / measured - 1.0
        errors.append(abs(error))
        samples = dict(pair.split(":") for pair in row["stall_samples"].split())
        there = shares({STATES.get(name, name): int(n) for name, n in samples.items()})
        here = shares({state: n for state, n in find(result, "warp_cycles").items() if n})
        # Half the sum of the differences: the share of warp time that is in another state.
        distance = sum(abs(there.get(s, 0) - here.get(s, 0)) for s in set(there) | set(here)) / 2
        table.append((row["capture"], row["kernel"], row["concurrency"], f"{measured:,}", f"{simulated:,}",
                      f"{100 * error:+.1f} %", top(there), top(here), f"{distance:.0f} %"))  # fmt: skip
    if options.markdown:
        print("| " + " | ".join(header) + " |\n|" + "---|" * len(header))
        for line in table:
            print("| " + " | ".join(line) + " |")
    else:
        for line in (header, *table):
            print(f"{line[0]:12} {line[1]:8} {line[2]:>3} {line[3]:>10} {line[4]:>10} {line[5]:>9}  {line[8]:>8}  {line[6]:55} {line[7]}")
    mean = 100 * sum(errors) / len(errors)
    print(f"\nmean absolute error {mean:.1f} % over {len(errors)} launches, worst {100 * max(errors):.1f} %")


if __name__ == "__main__":
    main()
