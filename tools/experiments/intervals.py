#!/usr/bin/env python3
"""The chapter "Intervals" of docs/EXPERIMENTS.md from configs/experiments/intervals/*.json (smreplay experiment run ...
--interval --interval-file FILE). document.py takes it by section(); alone, this script prints it."""

import json
import pathlib

STUDIES = pathlib.Path(__file__).resolve().parents[2] / "configs" / "experiments" / "intervals"
TOP = 3
VALUE_PLACES = 4  # of a speed-up that is looked up


def span(interval, unit, digits):
    value, low, high = (interval[key] / unit for key in ("value", "low", "high"))
    return f"{value:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"


def top(figure, value):
    swings = figure["one_at_a_time"]
    if not swings:
        return "; ".join(f"`{c['parameter']}` r {c['rank']:+.2f}" for c in figure["rank_correlations"][:TOP]) or "-"
    parts = [
        f"`{s['parameter']}` {100 * (s['at_low'] / value - 1):+.1f}, {100 * (s['at_high'] / value - 1):+.1f} %"
        for s in swings[:TOP]
    ]
    return "; ".join(parts)


def sign(change):
    return f"{change['same_sign']} of {change['of_draws']}" if change["of_draws"] else "-"


def how(study):
    text = f"{study['draws']} joint draws of {study['parameters']} parameters"
    if study["screened_at"]:
        return text + (
            f"; {study['one_at_a_time']} parameters one at a time, those that move C = {study['screened_at']} most"
        )
    return text + f"; {study['one_at_a_time']} parameters one at a time" if study["one_at_a_time"] else text


def kept():
    """Of every study: (machine_hash, writing, C, side, speed-up) to the speed-up with its interval, as Markdown. The
    value is part of the key: a study of another model counts where it gave the same value."""
    spans = {}
    for path in sorted(STUDIES.glob("*.json")):
        data = json.loads(path.read_text())
        for study in data["studies"]:
            where = (data["machine_hash"], study["writing"], study["C"])
            for change in study["changes"]:
                value = change["speedup"]
                spans[(*where, change["change"], round(value["value"], VALUE_PLACES))] = span(value, 1, 3)
    return spans


def study_part(study):
    text = f"### {study['writing']} at C = {study['C']}\n\n{how(study)}.\n\n"
    text += "| side | pair us | matters most (at low, at high) |\n|---|---:|---|\n"
    for side in study["sides"]:
        text += f"| {side['name']} | {span(side['time_ns'], 1e3, 2)} | {top(side, side['time_ns']['value'])} |\n"
    if study["changes"]:
        text += "\n| experiment | change | speed-up | sign survives | matters most (at low, at high) |\n|---|---|---:|---:|---|\n"
        for change in study["changes"]:
            text += (
                f"| {change['experiment']} | {change['side']} | {span(change['speedup'], 1, 3)} | {sign(change)} "
                f"| {top(change, change['speedup']['value'])} |\n"
            )
    return text + "\n"


def section():
    """Markdown; empty where no study is committed."""
    files = sorted(STUDIES.glob("*.json"))
    if not files:
        return ""
    text = (
        "## Intervals\n\n"
        "How far the predictions may be off where the machine file is: every uncertain value of it varied over its range "
        "(docs/MACHINES.md), together with the gap between kernels of a graph. Value [5th, 95th percentile of the joint "
        "draws, widened to the value where all of them are on one side of it]. Both sides of a change run on the same draws; the sign survives in those draws in which the same side is "
        "faster. Matters most: the parameters with the largest swing when they alone stand at the low and at the high end, "
        "or, where none ran alone, those whose place the figure follows most over the draws (r: rank correlation, where it is "
        "beyond what chance gives one parameter of a thousand). "
        "What the model leaves out is not in these intervals.\n\n"
    )
    for path in files:
        data = json.loads(path.read_text())
        text += f"Machine: {data['machine']}; model {data['model_version'][:12]}; seed {data['seed']}.\n\n"
        text += "".join(study_part(study) for study in data["studies"])
    return text


if __name__ == "__main__":
    print(section(), end="")
