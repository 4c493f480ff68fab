#!/usr/bin/env python3
"""Prints the table of docs/KERNELS.md: resources of each split kernel, and what one warp executes per tile.

    python3 kernels/loop_table.py [isa_traces] [--nvdisasm PATH]

The main loop is the innermost-to-outermost backward branch that spans the most HMMA; counts are of instructions between
its target and itself (slow paths inside, such as calls, are counted once).
"""

import argparse
import json
import os
import re
import subprocess
import sys

import variants

COLUMNS = ("HMMA", "LDSM", "LDGSTS", "LDG", "LDS", "STS", "LDL", "STL", "BAR", "SHFL", "MUFU", "all")
INSTRUCTION = re.compile(r"/\*([0-9a-f]{4,})\*/\s+(?:@!?U?P\w+\s+)?([A-Z][A-Z0-9_.]*)(.*)")
LABEL = re.compile(r"^(\.L_\w+):")


def disassemble(nvdisasm, cubin):
    return subprocess.run([nvdisasm, "-c", cubin], capture_output=True, text=True, check=True).stdout


def parse(text):
    """Instructions in order, and the index that each label stands before."""
    instructions, labels = [], {}
    for line in text.splitlines():
        label = LABEL.match(line.strip())
        if label:
            labels[label.group(1)] = len(instructions)
            continue
        match = INSTRUCTION.search(line)
        if match:
            instructions.append((match.group(2).split(".")[0], match.group(3)))
    return instructions, labels


def main_loop(instructions, labels):
    best = None
    for position, (opcode, rest) in enumerate(instructions):
        target = re.search(r"`\((\.L_\w+)\)", rest)
        if opcode != "BRA" or not target or labels.get(target.group(1), position) >= position:
            continue
        body = instructions[labels[target.group(1)] : position + 1]
        key = (sum(name == "HMMA" for name, _ in body), -len(body))
        if best is None or key > best[0]:
            best = (key, body)
    return best[1] if best else []


def count(body):
    counts = {name: sum(opcode == name for opcode, _ in body) for name in COLUMNS}
    counts["all"] = len(body)
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", nargs="?", default="isa_traces")
    parser.add_argument("--nvdisasm", default="nvdisasm")
    parser.add_argument("--architecture", type=int, default=120)
    options = parser.parse_args()
    print("| writing | configuration | registers | stack B | shared B | " + " | ".join(COLUMNS) + " |")
    print("|---|---|" + "---:|" * (3 + len(COLUMNS)))
    for writing, configuration, architecture in variants.builds():
        if architecture != options.architecture:
            continue
        folder = os.path.join(options.folder, variants.folder(writing, configuration, architecture))
        if not os.path.exists(os.path.join(folder, "build.json")):
            print(f"kernels/loop_table.py: {folder} is not built", file=sys.stderr)
            continue
        with open(os.path.join(folder, "build.json"), encoding="utf-8") as file:
            split = json.load(file)["split"]
        instructions, labels = parse(disassemble(options.nvdisasm, os.path.join(folder, "split.cubin")))
        counts = count(main_loop(instructions, labels))
        cells = [split["registers"], split["stack_bytes"], split["dynamic_shared_bytes"]]
        cells += [counts[name] for name in COLUMNS]
        print(f"| {writing.name} | {configuration.name} | " + " | ".join(str(cell) for cell in cells) + " |")


if __name__ == "__main__":
    main()
