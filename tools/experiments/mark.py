#!/usr/bin/env python3
"""Marks in prediction files which pairs had been measured before the prediction was made.

    tools/experiments/mark.py configs/experiments/predictions/h200.plain.2.json ... [--times FILE ...]

A side whose split launch is among the timed ones (configs/measurements/*/times.jsonl: writing, configuration, C, padding), or
is the same launch under another name, gets "made_afterwards": true; the top level gets "measured_before": the files that were looked at. Files are written anew,
compact, one experiment a line. Run it before committing a prediction; what is not marked was made before any measurement.
"""

import argparse
import json
import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]


def timed(files):
    """(machine's name as measured, writing, configuration, target CTAs, C, padding) of every timed launch."""
    launches = set()
    for file in files:
        for line in file.read_text().splitlines():
            row = json.loads(line)
            target = row.get("target_ctas", 512)
            launches.add((row["writing"], row["configuration"], target, row["concurrency"], row["padding"]))
    return launches


def sides_of(tree):
    for experiment in tree["experiments"]:
        for writing in experiment["writings"]:
            for row in writing["rows"]:
                for side in row["sides"]:
                    yield writing["writing"], row["C"], side


def mark(tree, launches):
    padding = "padded" if tree["padded_to_one_cta_per_sm"] else "plain"
    measured = set()  # keys of cells
    for writing, concurrency, side in sides_of(tree):
        launch = (writing, side["configuration"], side["target_ctas"], concurrency, padding)
        if launch in launches and "cell" in side:
            measured.add(side["cell"]["key"])
    count = 0
    for _, _, side in sides_of(tree):
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
    parser.add_argument("--times", nargs="*", type=pathlib.Path, help="default: configs/measurements/*/times.jsonl")
    options = parser.parse_args()
    files = options.times if options.times is not None else sorted((ROOT / "configs/measurements").glob("*/times.jsonl"))
    launches = timed(files)
    for path in options.predictions:
        tree = json.loads(path.read_text())
        is_measured_machine = tree["machine"].startswith("H200")
        tree["measured_before"] = [str(f.resolve().relative_to(ROOT)) for f in files] if is_measured_machine else []
        count = mark(tree, launches if is_measured_machine else set())
        write(path, tree)
        print(f"{path.name}: {count} cells made afterwards")


if __name__ == "__main__":
    main()
