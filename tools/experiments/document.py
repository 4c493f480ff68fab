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

ROOT = pathlib.Path(__file__).resolve().parents[2]
PREDICTIONS = ROOT / "configs" / "experiments" / "predictions"
FILES = ("rtx_pro_6000", "h200.plain", "h200.padded")
TOP_STATES = 3
HEADER = (
    "| binary | C | side | split us | combine us | speed-up | CTAs/SM | SM act % | DRAM % | waves | tail % | issued % "
    "| empty % | stalled issue slots |\n|---|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|\n"
)


def share(part, whole):
    return f"{100 * part / whole:.1f}"


def top_states(split):
    total = split["issue_slots_total"]
    stalls = sorted(((n, s) for s, n in split["issue_slots"].items() if s != "selected"), reverse=True)
    return ", ".join(f"{state} {share(slots, total)} %" for slots, state in stalls[:TOP_STATES])


def cell_row(writing, concurrency, side):
    if "cell" not in side:
        why = side.get("refused", {}).get("message", "no binary of this configuration in this writing")
        return f"| {writing} | {concurrency} | {side['side']} | - | - | - | - | - | - | - | - | - | - | {why} |\n"
    split, combine = side["cell"]["split"], side["cell"]["combine"]
    total = split["issue_slots_total"]
    return (
        f"| {writing} | {concurrency} | {side['side']} | {split['time_ns'] / 1e3:.2f} | {combine['time_ns'] / 1e3:.2f} "
        f"| {side.get('speedup', 0):.3f} | {split['ctas_per_sm']} | {split['sm_active_percent']:.1f} "
        f"| {split['dram_use_percent']:.1f} | {split['full_waves']}+{split['tail_ctas']} "
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


def machine_part(data, name):
    experiment = next((e for e in data["experiments"] if e["id"] == name), None)
    if experiment is None:
        return ""
    padded = ", padded to one CTA per SM" if data["padded_to_one_cta_per_sm"] else ""
    text = f"### {data['machine']}{padded}\n\n{HEADER}"
    for writing in experiment["writings"]:
        for row in writing["rows"]:
            sides = row["sides"] if name != "V0" else row["sides"][:1]
            text += "".join(cell_row(writing["writing"], row["C"], side) for side in sides)
    text += f"\nAcross binaries: {verdicts(experiment)}.\n\n"
    for writing in experiment["writings"]:
        if writing["claims"]:
            text += f"* {writing['writing']}\n" + "".join(claim_line(c) for c in writing["claims"])
    missing = [g for g in data.get("not_predicted", []) if g["experiment"] == name]
    for gap in missing:
        text += f"* no prediction for {gap['writing']} at C = {gap['C']}: {gap['error']}\n"
    return text + "\n"


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
    text = text.replace("@MODEL@", data[0]["model_version"][:12])
    for line in tool_text(options.smreplay, "experiment", "list").splitlines():
        name = line.split()[0]
        shown = tool_text(options.smreplay, "experiment", "show", name)
        text += f"## {shown.splitlines()[0]}\n\n"
        for entry in shown.splitlines()[1:]:
            if entry.strip():
                label, value = entry.strip().split(None, 1)
                text += f"* {label}: {value}\n"
        text += "\n"
        parts = "".join(machine_part(d, name) for d in data)
        text += parts or "No prediction yet.\n\n"
    if options.step:
        text += "## Step time\n\n" + "".join(step_part(path) for path in options.step)
    text += "## Checked arithmetic\n\n" + tool_text(options.smreplay, "experiment", "arithmetic", "--markdown")
    target = ROOT / "docs" / "EXPERIMENTS.md"
    target.with_suffix(".md.new").write_text(text)
    os.replace(target.with_suffix(".md.new"), target)


if __name__ == "__main__":
    main()
