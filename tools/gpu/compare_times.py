#!/usr/bin/env python3
"""Predicted beside measured ratios of V1 and V2 to V0, and of plain to padded, for the split kernel.

    tools/gpu/compare_times.py            markdown, as in docs/ACCURACY.md

Reads configs/measurements/h200-2026-11-30/times.jsonl (made by time_pairs.sh) and the predictions that were committed before
it, configs/experiments/predictions/h200.{plain,padded}.json. The null is the largest deviation between the two rounds of one
and the same binary.
"""

import collections
import json
import pathlib
import statistics

ROOT = pathlib.Path(__file__).resolve().parents[2]
MEASURED = ROOT / "configs/measurements/h200-2026-11-30/times.jsonl"
WRITINGS = ("plain331", "plain390", "tuned", "cuda")


def measured():
    """(writing, configuration, C, padding) -> medians in microseconds, one per round."""
    times = collections.defaultdict(list)
    for line in MEASURED.read_text().splitlines():
        row = json.loads(line)
        times[row["writing"], row["configuration"], row["concurrency"], row["padding"]].append(
            row["run"]["microseconds"]["median"]
        )
    return times


def predicted():
    """(writing, configuration, C, padding) -> nanoseconds of the split kernel."""
    times = {}
    for padding in ("plain", "padded"):
        tree = json.loads((ROOT / f"configs/experiments/predictions/h200.{padding}.json").read_text())
        for experiment in tree["experiments"]:
            for writing in experiment["writings"]:
                for row in writing["rows"]:
                    for side in row["sides"]:
                        if "cell" in side and side["target_ctas"] == 512 and side["side"] in ("V0", "V1", "V2"):
                            key = (writing["writing"], side["configuration"], row["C"], padding)
                            times[key] = side["cell"]["split"]["time_ns"]
    return times


def main():
    there, here = measured(), predicted()
    null = max(abs(rounds[1] / rounds[0] - 1) for rounds in there.values())
    deviations, agreeing, counted = [], 0, 0
    print("| pair | writing | C | padding | measured | predicted | same side of 1 |\n|---|---|---|---|---|---|---|")
    pairs = [(name, a, b) for name, a, b in (("V1 / V0", "v1", "v0"), ("V2 / V0", "v2", "v0"))]
    for name, a, b in pairs:
        for writing in WRITINGS:
            for c in (1, 8, 96):
                for padding in ("plain", "padded"):
                    real = statistics.mean(there[writing, a, c, padding]) / statistics.mean(there[writing, b, c, padding])
                    key_a, key_b = (writing, a, c, padding), (writing, b, c, padding)
                    if key_a not in here or key_b not in here:
                        print(f"| {name} | {writing} | {c} | {padding} | {real:.3f} | none | |")
                        continue
                    model = here[key_a] / here[key_b]
                    deviations.append(abs(model / real - 1))
                    side = "within the null" if abs(real - 1) <= 2 * null else "yes" if (model > 1) == (real > 1) else "NO"
                    if side != "within the null":
                        counted += 1
                        agreeing += side == "yes"
                    print(f"| {name} | {writing} | {c} | {padding} | {real:.3f} | {model:.3f} | {side} |")
    for writing in WRITINGS:
        for c in (1, 8, 96):
            real = statistics.mean(there[writing, "v0", c, "padded"]) / statistics.mean(there[writing, "v0", c, "plain"])
            model = here[writing, "v0", c, "padded"] / here[writing, "v0", c, "plain"]
            deviations.append(abs(model / real - 1))
            side = "within the null" if abs(real - 1) <= 2 * null else "yes" if (model > 1) == (real > 1) else "NO"
            if side != "within the null":
                counted += 1
                agreeing += side == "yes"
            print(f"| padded / plain | {writing} | {c} | V0 | {real:.3f} | {model:.3f} | {side} |")
    print(
        f"\nNull: {100 * null:.1f} % (largest difference between the two rounds of one binary). Mean deviation of the ratios"
        f" {100 * statistics.mean(deviations):.1f} %; direction right in {agreeing} of {counted} pairs beyond twice the null."
    )


if __name__ == "__main__":
    main()
