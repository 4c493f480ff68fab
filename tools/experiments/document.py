#!/usr/bin/env python3
"""Writes docs/EXPERIMENTS.md from the committed predictions and the tool's own texts.

    tools/experiments/document.py --smreplay build/bin/smreplay [--step plain331.md ...]

Predictions: configs/experiments/predictions/*.json (smreplay experiment run ... --format json). --step takes what
`smreplay experiment run V0 ... --markdown` wrote about the step model; without it that part is left out.
"""

import argparse
import json
import os
import pathlib
import subprocess

import intervals

ROOT = pathlib.Path(__file__).resolve().parents[2]
PREDICTIONS = ROOT / "configs" / "experiments" / "predictions"
FILES = ("rtx_pro_6000.3", "h200.plain.3", "h200.padded.3")
WRITINGS = ("plain331", "plain390", "tuned", "cuda")
SUMMARY_AT = 96  # C
SUMMARY = (  # row, experiment, sides
    ("V1, 8 warps (believed: 1.3 to 1.8)", "V1", ("V1",)),
    ("V2, 3 stages (believed: faster)", "V2", ("V2",)),
    ("T256 (reported: slower)", "T256", ("T256",)),
    ("BH32", "BH32", ("BH32",)),
    ("BT32, 4 / 8 warps", "BT32", ("BT32", "BT32 8 warps")),
    ("S1x2", "S1x2", ("S1x2",)),
    ("NP2", "NP2", ("NP2",)),
    ("ACC16", "ACC16", ("ACC16",)),
    ("R2, the ceiling (believed: at most 1.8)", "R2", ("R2",)),
)
TOP_STATES = 3
HEADER = (
    "| binary | C | side | split us | combine us | speed-up | CTAs/SM | SM act % | DRAM % | splits | waves | tail % "
    "| issued % | empty % | stalled issue slots |\n|---|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|\n"
)
WAVES_HEADER = (
    "| binary | C | side | splits of tiles | CTAs | waves + tail | tail % of the time | pair us | requests per us |\n"
    "|---|---:|---|---:|---:|---:|---:|---:|---:|\n"
)
AFTERWARDS = " †"


def share(part, whole):
    return f"{100 * part / whole:.1f}"


def top_states(split):
    total = split["issue_slots_total"]
    stalls = sorted(((n, s) for s, n in split["issue_slots"].items() if s != "selected"), reverse=True)
    return ", ".join(f"{state} {share(slots, total)} %" for slots, state in stalls[:TOP_STATES])


def cell_row(writing, concurrency, side, speedup):
    if "cell" not in side:
        why = "no binary of this configuration in this writing"
        if "refused" in side:
            why = "refused: " + side["refused"]["message"]
        if side.get("rejected_by_gate"):
            why = "no timing: rejected by the numerical gate"
        return f"| {writing} | {concurrency} | {side['side']} | - | - | - | - | - | - | - | - | - | - | - | {why} |\n"
    split, combine = side["cell"]["split"], side["cell"]["combine"]
    total = split["issue_slots_total"]
    name = side["side"] + (AFTERWARDS if side.get("made_afterwards") else "")
    return (
        f"| {writing} | {concurrency} | {name} | {split['time_ns'] / 1e3:.2f} | {combine['time_ns'] / 1e3:.2f} "
        f"| {speedup} | {split['ctas_per_sm']} | {split['sm_active_percent']:.1f} "
        f"| {split['dram_use_percent']:.1f} | {side['cell']['splits']}x{side['cell']['tiles_per_split']} "
        f"| {split['full_waves']}+{split['tail_ctas']} "
        f"| {share(split['tail_cycles'], split['elapsed_cycles'])} "
        f"| {share(split['issue_slots'].get('selected', 0), total)} | {share(split['issue_slots_empty'], total)} "
        f"| {top_states(split)} |\n"
    )


def claim_line(claim):
    values = ", ".join(f"C={v['C']}: {v['value']:.3f}" for v in claim["values"])
    hedged = " (decides nothing)" if claim["hedged"] else ""
    return f"  * {claim['text']}{hedged}: {claim['verdict']}" + (f" [{values}]" if values else "") + "\n"


def verdict_of(writing):
    """Over the claims that decide: one refuted refutes; one undecided, or without its concurrencies, leaves it open."""
    changes = [side for row in writing["rows"] for side in row["sides"][1:]]
    if changes and all("refused" in side for side in changes):
        return "refused by the launch check"
    if writing.get("verdict") in ("not run", "rejected by the numerical gate"):
        return "no binary" if writing["verdict"] == "not run" else writing["verdict"]
    outcomes = [c["verdict"] for c in writing["claims"] if not c["hedged"]]
    if not outcomes:
        return "open question"
    if "refuted" in outcomes:
        return "refuted"
    return "supported" if all(o == "supported" for o in outcomes) else "undecided"


def verdicts(experiment):
    by_verdict = {}
    for writing in experiment["writings"]:
        by_verdict.setdefault(verdict_of(writing), []).append(writing["writing"])
    return "; ".join(f"{verdict}: {', '.join(names)}" for verdict, names in by_verdict.items())


def choice_line(writing):
    choices = []
    for row in writing["rows"]:
        timed = [side for side in row["sides"] if "pair_ns" in side]
        if timed:
            best = min(timed, key=lambda side: side["pair_ns"])
            choices.append(f"C={row['C']}: {best['side']} ({best['speedup']:.3f})")
    return f"* {writing['writing']}: fastest that fits and passes the gate, with its speed-up: {', '.join(choices)}\n"


def waves_part(experiment):
    """The wave and tail view: what each split count gives at each concurrency."""
    text = WAVES_HEADER
    for writing in experiment["writings"]:
        for row in writing["rows"]:
            for side in row["sides"]:
                if "cell" not in side:
                    continue
                cell, split = side["cell"], side["cell"]["split"]
                name = "T512" if side["side"] == "V0" else side["side"]
                text += (
                    f"| {writing['writing']} | {row['C']} | {name} | {cell['splits']} of {cell['tiles_per_split']} "
                    f"| {split['ctas']} | {split['full_waves']} + {split['tail_ctas']} "
                    f"| {share(split['tail_cycles'], split['elapsed_cycles'])} | {side['pair_ns'] / 1e3:.2f} "
                    f"| {1e3 * row['C'] / side['pair_ns']:.3f} |\n"
                )
    return text


def speedup_of(data, spans, writing, concurrency, side):
    """With its interval where a study has one."""
    value = side.get("speedup", 0)
    name = side["side"].split(" (")[0]
    key = (data["machine_hash"], writing, concurrency, name, round(value, intervals.VALUE_PLACES))
    return spans.get(key, f"{value:.3f}")


def machine_part(data, name, spans):
    experiment = next((e for e in data["experiments"] if e["id"] == name), None)
    if experiment is None:
        return ""
    padded = ", padded to one CTA per SM" if data["padded_to_one_cta_per_sm"] else ""
    text = f"### {data['machine']}{padded}\n\n{HEADER}"
    for writing in experiment["writings"]:
        for row in writing["rows"]:
            sides = row["sides"] if name != "V0" else row["sides"][:1]
            for side in sides:
                speedup = speedup_of(data, spans, writing["writing"], row["C"], side)
                text += cell_row(writing["writing"], row["C"], side, speedup)
    text += f"\nAcross binaries: {verdicts(experiment)}.\n\n"
    for writing in experiment["writings"]:
        if writing["claims"]:
            text += f"* {writing['writing']}\n" + "".join(claim_line(c) for c in writing["claims"])
    for writing in experiment["writings"]:
        for gate in writing.get("gate", []):
            verdict = "rejected" if gate["rejected"] else "passed"
            text += f"* numerical gate, {writing['writing']}, {gate['side']}: {verdict}: {gate['text']}\n"
    if name == "V3":
        text += "".join(choice_line(writing) for writing in experiment["writings"])
    if name == "T256":
        text += "\n" + waves_part(experiment)
    return text + "\n"


def summary_cell(data, spans, experiment, writing, name):
    found = next(e for e in data["experiments"] if e["id"] == experiment)
    rows = [r for w in found["writings"] if w["writing"] == writing for r in w["rows"] if r["C"] == SUMMARY_AT]
    side = next((s for r in rows for s in r["sides"] if s["side"] == name), None)
    if side is None or side.get("missing"):
        return "-"
    if side.get("rejected_by_gate"):
        return "rejected"
    if "cell" not in side:
        return "refused" if "refused" in side else "-"
    return speedup_of(data, spans, writing, SUMMARY_AT, side)


def summary(data, spans):
    """Speed-ups of the headline's C, with their intervals where a study has them."""
    text = f"| | {' | '.join(WRITINGS)} |\n|---|{'---:|' * len(WRITINGS)}\n"
    for label, experiment, names in SUMMARY:
        cells = []
        for writing in WRITINGS:
            values = [summary_cell(data, spans, experiment, writing, name) for name in names]
            cells.append(values[0] if len(set(values)) == 1 else " / ".join(values))
        text += f"| {label} | {' | '.join(cells)} |\n"
    return text


def step_part(path):
    """What `experiment run --markdown` wrote about the step model: from its first heading to the next chapter."""
    text = pathlib.Path(path).read_text()
    start = text.index("### Attention of one decode step")
    return text[start:].split("\n## ")[0].strip() + "\n\n"


def tool_text(tool, *arguments):
    environment = {**os.environ, "SMREPLAY_DATA": str(ROOT)}
    return subprocess.run([tool, *arguments], env=environment, check=True, capture_output=True, text=True).stdout


def main():
    parser = argparse.ArgumentParser(description="docs/EXPERIMENTS.md")
    parser.add_argument("--smreplay", default=str(ROOT / "build" / "bin" / "smreplay"))
    parser.add_argument("--step", nargs="+", help="files with the Markdown of an experiment run, whose step model is taken")
    options = parser.parse_args()
    data = [json.loads((PREDICTIONS / f"{name}.json").read_text()) for name in FILES]
    text = (ROOT / "tools" / "experiments" / "preface.md").read_text()
    spans = intervals.kept()
    text = text.replace("@MODEL@", data[0]["model_version"][:12]).replace("@SUMMARY@", summary(data[0], spans))
    for line in tool_text(options.smreplay, "experiment", "list").splitlines():
        name = line.split()[0]
        shown = tool_text(options.smreplay, "experiment", "show", name)
        text += f"## {shown.splitlines()[0]}\n\n"
        for entry in shown.splitlines()[1:]:
            if entry.strip():
                label, value = entry.strip().split(None, 1)
                text += f"* {label}: {value}\n"
        text += "\n"
        parts = "".join(machine_part(d, name, spans) for d in data)
        text += parts or "No prediction yet.\n\n"
    if options.step:
        text += "## Step time\n\n" + "".join(step_part(path) for path in options.step)
    text += intervals.section()
    text += "## Checked arithmetic\n\n" + tool_text(options.smreplay, "experiment", "arithmetic", "--markdown")
    target = ROOT / "docs" / "EXPERIMENTS.md"
    target.with_suffix(".md.new").write_text(text)
    os.replace(target.with_suffix(".md.new"), target)


if __name__ == "__main__":
    main()
