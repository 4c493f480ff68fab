#!/usr/bin/env python3
"""Turns what tools/gpu/validate_h200.sh brought back into the reference data of this folder.

    tests/validation/h200/import_gpu.py RESULTS

From the repository root, at the commit whose cubins ran; RESULTS is that script's output folder. Rewrites data/ whole:
see README.md for its files. Needs the zstd command.
"""

import csv
import glob
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile

WRITINGS = ("plain331", "plain390", "tuned", "cuda")
OUTPUTS = {"split": ("partial", "lse"), "combine": ("out",)}
LAUNCHES = ("c1", "edge", "c96")
PROFILED = ("c1", "c96")
KEPT_BYTES = {"c1": 1 << 17, "edge": 1 << 17, "c96": 1 << 14}  # of each output; the hash covers the rest
COUNT_COLUMNS = ("Instructions Executed", "Thread Instructions Executed", "Predicated-On Thread Instructions Executed")


def sha256(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def keep(data, blobs):
    """Stores bytes under their own hash, so that equal outputs of two writings are stored once. Returns the name."""
    name = hashlib.sha256(data).hexdigest()[:16] + ".zst"
    path = os.path.join(blobs, name)
    if not os.path.exists(path):
        subprocess.run(["zstd", "-q", "-19", f"--stream-size={len(data)}", "-o", path], input=data, check=True)
    return name


def counts(path):
    """Runs of instructions with equal counts: (instructions, executed, threads, predicated-on threads)."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    start = next(i for i, row in enumerate(rows) if "Source" in row)
    columns = [rows[start].index(name) for name in COUNT_COLUMNS]
    runs = []
    for row in rows[start + 1 :]:
        values = tuple(int(row[column].replace(",", "")) for column in columns)
        if runs and runs[-1][1] == values:
            runs[-1][0] += 1
        else:
            runs.append([1, values])
    return [(length, *values) for length, values in runs]


def main():
    results = sys.argv[1]
    data = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")
    shutil.rmtree(data, ignore_errors=True)
    blobs = os.path.join(data, "outputs")
    os.makedirs(blobs)
    os.makedirs(os.path.join(data, "counts"))
    shutil.copy(os.path.join(results, "machine.txt"), data)
    with open(os.path.join(results, "hashes.txt"), encoding="utf-8") as file:
        hashes = {name.removeprefix("./"): digest for digest, name in (line.split() for line in file)}
    with tempfile.TemporaryDirectory() as scratch:
        for archive in glob.glob(os.path.join(results, "*.tar.xz")):
            with tarfile.open(archive) as tar:
                tar.extractall(scratch, filter="data")
        write(scratch, data, hashes)


def write(scratch, data, hashes):
    cubins, outputs = ["folder,kernel,sha256"], ["folder,launch,buffer,sha256,kept,kept_bytes"]
    for writing in WRITINGS:
        folder = f"{writing}-v0-sm90"
        for kernel, buffers in OUTPUTS.items():
            cubins.append(f"{folder},{kernel},{sha256(f'isa_traces/{folder}/{kernel}.cubin')}")
            for launch in LAUNCHES:
                for buffer in buffers:
                    name = f"{folder}/{kernel}.{launch}.{buffer}.bin"
                    path = os.path.join(scratch, name)
                    with open(path if os.path.exists(path) else path + ".head", "rb") as file:
                        content = file.read(KEPT_BYTES[launch])
                    kept = keep(content, os.path.join(data, "outputs"))
                    outputs.append(f"{folder},{kernel}.{launch},{buffer},{hashes[name]},{kept},{len(content)}")
            for launch in PROFILED:
                runs = counts(os.path.join(scratch, "ncu", f"{writing}-v0-{launch}.{kernel}.sass.csv"))
                with open(f"{data}/counts/{folder}.{kernel}.{launch}.csv", "w", encoding="utf-8") as file:
                    file.write("instructions,executed,threads,threads_true\n")
                    file.writelines(",".join(map(str, run)) + "\n" for run in runs)
    for name, lines in (("cubins.csv", cubins), ("outputs.csv", outputs)):
        with open(os.path.join(data, name), "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
