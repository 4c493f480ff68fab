#!/usr/bin/env python3
"""Fills a machine file with what kernels/microbench measured: raw readings in, values with spread, source and confidence out.

Usage: from_raw.py RAW MACHINE.txtpb [--write | --check]

Without an option, lists what would change. --write rewrites the leaves that the raw file gives and keeps every other byte;
--check fails if that would change anything: a machine file in the tree is what its raw data say. RAW: a raw file or a folder.
"""
import argparse
import sys

import machine_text
from derive import derive
from raw import Raw

SOURCE = "H200"


def fields_of(leaf, value):
    """The leaf's fields with a measured value; unit, benchmark and what closes a sum stay."""
    fields = {"value": str(value.value)}
    if "unit" in leaf.fields:
        fields["unit"] = f'"{value.unit}"' if value.unit else leaf.fields["unit"]
    fields["source"] = f'"{SOURCE}"' if value.confidence == "MEASURED" else f'"{SOURCE}, GUESS"'
    fields["confidence"] = value.confidence
    # A spread that the readings do not give is stated in the file and stays.
    if value.low is not None:
        fields["low"], fields["high"] = str(value.low), str(value.high)
    else:
        fields.update({key: leaf.fields[key] for key in ("low", "high", "exact") if key in leaf.fields})
    if "closes" in leaf.fields:
        fields["closes"] = leaf.fields["closes"]
    fields["note"] = '"' + value.note.replace('"', "'") + '"'
    if "benchmark" in leaf.fields:
        fields["benchmark"] = leaf.fields["benchmark"]
    return fields


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("raw")
    parser.add_argument("machine")
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--write", action="store_true")
    mode.add_argument("--check", action="store_true")
    arguments = parser.parse_args()

    complaints = []
    with open(arguments.machine, encoding="utf-8") as file:
        before = file.read()
    leaves = machine_text.leaves(before)
    raw = Raw(arguments.raw)
    values = derive(raw, leaves, complaints.append)
    after = machine_text.rewrite(before, {key: fields_of(leaves[key], value) for key, value in values.items()})

    for complaint in complaints:
        print(f"not derived: {complaint}", file=sys.stderr)
    if arguments.check:
        if before != after:
            sys.exit(f"{arguments.machine} is not what {arguments.raw} gives; run from_raw.py --write")
        return
    for key, value in values.items():
        was, now = leaves[key].fields["value"], str(value.value)
        print(f"{'  ' if was == now else '* '}{key}: {was} -> {now}   ({value.note})")
    measured = sum(value.confidence == "MEASURED" for value in values.values())
    assumed = sum(leaf.fields.get("confidence") == "ASSUMED" for key, leaf in leaves.items() if key not in values)
    print(f"{measured} of {len(leaves)} keys measured, {len(values) - measured} close a measured sum, {assumed} of the others are ASSUMED")
    if arguments.write:
        with open(arguments.machine, "w", encoding="utf-8") as file:
            file.write(after)


if __name__ == "__main__":
    main()
