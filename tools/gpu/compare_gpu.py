#!/usr/bin/env python3
"""Compares what tools/gpu/validate_h200.sh brought back with the emulator: outputs and counts per instruction.

    tools/gpu/compare_gpu.py RESULTS --emulate BUILD/bin/emulate_launch

Outputs: how many elements are the same bits, and the largest distance in units of the last place. Counts: every SASS
instruction's executed and thread-executed counts. Exit 1 where a count or a bit differs. From the
repository root; standard library only.
"""

import argparse
import csv
import glob
import hashlib
import os
import struct
import subprocess
import sys
import tarfile
import tempfile

WRITINGS = ("plain331", "plain390", "tuned", "cuda")
LAUNCHES = ("c1", "edge", "c96")
PROFILED = ("c1", "c96")
KERNELS = {"split": ("partial", "lse"), "combine": ("out",)}
EXECUTED = ("Instructions Executed", "inst_executed")
THREADS = ("Thread Instructions Executed", "thread_inst_executed")


def ordered(bits, width):
    """Maps IEEE bit patterns to integers in the order of their values, so that differences count representable steps."""
    sign = 1 << (width - 1)
    return sign - bits if bits & sign else bits


def distances(ours, theirs, width):
    code = "H" if width == 16 else "I"
    count = min(len(ours), len(theirs)) // (width // 8)
    a = struct.unpack(f"<{count}{code}", ours[: count * width // 8])
    b = struct.unpack(f"<{count}{code}", theirs[: count * width // 8])
    far = [abs(ordered(x, width) - ordered(y, width)) for x, y in zip(a, b)]
    return count, sum(d == 0 for d in far), max(far, default=0)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def compare_outputs(name, launch, kernel, gpu, emulated, hashes):
    """One line per buffer; false where an output is too far."""
    ok = True
    for buffer in KERNELS[kernel]:
        stem = f"{kernel}.{launch}.{buffer}.bin"
        path = next((p for p in (f"{gpu}/{name}/{stem}", f"{gpu}/{name}/{stem}.head") if os.path.exists(p)), None)
        if path is None:
            print(f"| {name} | {kernel}.{launch} | {buffer} | missing | | |")
            ok = False
            continue
        ours = read(os.path.join(emulated, stem))
        width = 16 if buffer == "out" else 32
        count, same, furthest = distances(ours, read(path), width)
        whole = hashes.get(f"./{name}/{stem}") == hashlib.sha256(ours).hexdigest()
        print(f"| {name} | {kernel}.{launch} | {buffer} | {count} | {100 * same / max(count, 1):.4f} % | {furthest}"
              f"{' (whole buffer equal)' if whole else ''} |")
        ok &= whole
    return ok


def column(header, names):
    for name in names:
        if name in header:
            return header.index(name)
    raise ValueError(f"no column {' or '.join(names)} in {header}")


def ncu_counts(path):
    """(executed, thread executed, SASS) of each instruction, in order."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    start = next(i for i, row in enumerate(rows) if "Source" in row)
    header = rows[start]
    source, executed, threads = header.index("Source"), column(header, EXECUTED), column(header, THREADS)
    result = []
    for row in rows[start + 1 :]:
        if len(row) <= max(source, executed, threads) or not row[executed].replace(",", "").isdigit():
            continue
        result.append((int(row[executed].replace(",", "")), int(row[threads].replace(",", "")), row[source].strip()))
    return result


def emulator_counts(path):
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))[1:]
    return [(int(row[1]), int(row[2]), row[4]) for row in rows]


def compare_counts(name, kernel, launch, ncu_path, counts_path):
    try:
        theirs = ncu_counts(ncu_path)
    except (OSError, ValueError, StopIteration) as error:
        print(f"| {name} | {kernel}.{launch} | not readable: {error} | | |")
        return False
    ours = emulator_counts(counts_path)
    # The section is padded behind the last instruction; what never runs there counts zero on both sides.
    length = min(len(ours), len(theirs))
    tail = any(row[0] for row in ours[length:]) or any(row[0] for row in theirs[length:])
    wrong = [i for i in range(length) if ours[i][:2] != theirs[i][:2]]
    total = sum(row[0] for row in theirs)
    print(f"| {name} | {kernel}.{launch} | {length} | {total} | {len(wrong) + tail} |")
    for i in wrong[:5]:
        print(f"  - instruction {i}: emulator {ours[i]}, GPU {theirs[i]}", file=sys.stderr)
    return not wrong and not tail


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("results")
    parser.add_argument("--emulate", required=True)
    options = parser.parse_args()
    ok = True
    with tempfile.TemporaryDirectory() as scratch:
        for archive in glob.glob(os.path.join(options.results, "*.tar.xz")):
            with tarfile.open(archive) as tar:
                tar.extractall(scratch, filter="data")
        hashes = {}
        with open(os.path.join(options.results, "hashes.txt"), encoding="utf-8") as file:
            for line in file:
                digest, name = line.split()
                hashes[name] = digest
        for writing in WRITINGS:
            folder = f"{writing}-v0-sm90"
            os.makedirs(os.path.join(scratch, "emulated", folder))
            for launch in LAUNCHES:
                command = [options.emulate, f"isa_traces/{folder}/combine.{launch}.launch.txtpb"]
                command += ["--outputs", os.path.join(scratch, "emulated", folder)]
                subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        print("| binary | launch | buffer | elements compared | same bits | largest distance (last places) |")
        print("|---|---|---|---:|---:|---:|")
        for writing in WRITINGS:
            folder = f"{writing}-v0-sm90"
            for launch in LAUNCHES:
                for kernel in KERNELS:
                    emulated = os.path.join(scratch, "emulated", folder)
                    ok &= compare_outputs(folder, launch, kernel, scratch, emulated, hashes)
        print("\n| binary | launch | instructions | warp instructions | instructions with another count |")
        print("|---|---|---:|---:|---:|")
        for writing in WRITINGS:
            folder = f"{writing}-v0-sm90"
            for launch in PROFILED:
                for kernel in KERNELS:
                    ncu = os.path.join(scratch, "ncu", f"{writing}-v0-{launch}.{kernel}.sass.csv")
                    counts = os.path.join(scratch, "emulated", folder, f"{kernel}.{launch}.counts.csv")
                    ok &= compare_counts(folder, kernel, launch, ncu, counts)
    sys.exit(0 if ok else 1)


if __name__ == "__main__":
    main()
