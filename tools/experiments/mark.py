#!/usr/bin/env python3
"""Marks in prediction files which pairs had been measured before the prediction was made.

    tools/experiments/mark.py configs/experiments/predictions/h200.plain.2.json ... [--measured FILE ...]

A side whose split launch is among the timed ones (configs/measurements/*: times.jsonl names writing, configuration, C and
padding; measurement.json.zst, of smreplay confirm, the cell), or is the same launch under another name, gets "made_afterwards": true; the top level gets "measured_before": the files that were looked at. Files are written anew,
compact, one experiment a line. Run it before committing a prediction; what is not marked was made before any measurement.
"""

import argparse
import json
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]


H200_TARGET = 360  # TARGET_CTAS 512, scaled by the number of SMs


def timed(files):
    """Labels of every timed cell: "plain331-v0 C=96 c4 T360 padded"."""
    labels = set()
    for file in files:
        if file.suffix == ".zst":
            text = subprocess.run(["zstd", "-dc", file], check=True, capture_output=True).stdout
            labels.update(launch["id"] for launch in json.loads(text)["timed"])
            continue
        for line in file.read_text().splitlines():
            row = json.loads(line)
            label = f"{row['writing']}-{row['configuration']} C={row['concurrency']} c4 T{H200_TARGET}"
            labels.add(label + (" padded" if row["padding"] == "padded" else ""))
    return labels


def sides_of(tree):
    for experiment in tree["experiments"]:
        for writing in experiment["writings"]:
            for row in writing["rows"]:
                yield from row["sides"]


def mark(tree, labels):
    measured = {s["cell"]["key"] for s in sides_of(tree) if "cell" in s and s["cell"]["label"] in labels}
    count = 0
    for side in sides_of(tree):
        side.pop("made_afterwards", None)
        if "cell" in side and side["cell"]["key"] in measured:
            side["made_afterwards"] = True
            count += 1
    return count


def write(path, tree):
    experiments = tree.pop("experiments")
    head = json.dumps(tree, indent=1)[: -len("\n}")]
    body = ",\n".join(json.dumps(e, separators=(",", ":")) for e in experiments)
    temporary = path.with_suffix(".json.new")
    temporary.write_text(f'{head},\n "experiments": [\n{body}\n ]\n}}\n')
    os.replace(temporary, path)


def main():
    parser = argparse.ArgumentParser(description="marks predictions of pairs that were measured already")
    parser.add_argument("predictions", nargs="+", type=pathlib.Path)
    parser.add_argument("--measured", nargs="*", type=pathlib.Path, help="default: all of configs/measurements")
    options = parser.parse_args()
    files = options.measured
    if files is None:
        folders = ROOT / "configs/measurements"
        files = sorted([*folders.glob("*/times.jsonl"), *folders.glob("*/measurement.json.zst")])
    labels = timed(files)
    for path in options.predictions:
        tree = json.loads(path.read_text())
        is_measured_machine = tree["machine"].startswith("H200")
        tree["measured_before"] = [str(f.resolve().relative_to(ROOT)) for f in files] if is_measured_machine else []
        count = mark(tree, labels if is_measured_machine else set())
        write(path, tree)
        print(f"{path.name}: {count} cells made afterwards")


if __name__ == "__main__":
    main()
