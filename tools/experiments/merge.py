#!/usr/bin/env python3
"""Joins prediction files of several runs into one: experiments by id, writings by name, in the order given.

    tools/experiments/merge.py OUT.json IN.json ...

All must come from one model version, machine and padding. Where two files hold one writing of one experiment, the one
with more cells stays.
"""

import json
import pathlib
import sys

import mark

SAME = ("model_version", "machine", "machine_hash", "core_clock_khz", "padded_to_one_cta_per_sm")


def cells(writing):
    return sum("cell" in side for row in writing["rows"] for side in row["sides"])


def add(tree, other):
    for experiment in other["experiments"]:
        found = next((e for e in tree["experiments"] if e["id"] == experiment["id"]), None)
        if found is None:
            tree["experiments"].append(experiment)
            continue
        for writing in experiment["writings"]:
            names = [w["writing"] for w in found["writings"]]
            if writing["writing"] not in names:
                found["writings"].append(writing)
            elif cells(writing) > cells(found["writings"][names.index(writing["writing"])]):
                found["writings"][names.index(writing["writing"])] = writing


def main():
    if len(sys.argv) < 3 or sys.argv[1] in ("-h", "--help"):
        sys.exit(__doc__)
    trees = [json.loads(pathlib.Path(name).read_text()) for name in sys.argv[2:]]
    for key in SAME:
        if len({tree[key] for tree in trees}) != 1:
            sys.exit(f"merge.py: the files differ in {key}: {', '.join(str(tree[key]) for tree in trees)}")
    for other in trees[1:]:
        add(trees[0], other)
    mark.write(pathlib.Path(sys.argv[1]), trees[0])


if __name__ == "__main__":
    main()
