#!/usr/bin/env python3
"""Runs clang-tidy over the project's translation units, in parallel, within a time budget, skipping what has not changed.

A translation unit is unchanged when the preprocessed text, .clang-tidy and the clang-tidy binary are those of an earlier
clean run; the stamps live in BUILD/tidy. With a budget, units that are not begun in time are named as not checked and do
not fail (./check --full has no such budget).

usage: tidy.py BUILD_DIR [--budget SECONDS] [--jobs N]
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import shlex
import subprocess
import sys
import time

CLANG_TIDY = "clang-tidy-14"
ROOT = pathlib.Path(__file__).resolve().parents[2]
CHECKED_FOLDERS = ("sim", "tools", "tests")


def translation_units(build):
    """Our own units of the compilation database (no generated code), as (file, command, directory)."""
    units = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        file = pathlib.Path(entry["directory"], entry["file"]).resolve()
        if file.is_relative_to(ROOT) and file.relative_to(ROOT).parts[0] in CHECKED_FOLDERS:
            units[file] = (entry["command"], entry["directory"])
    return sorted((file, command, directory) for file, (command, directory) in units.items())


def preprocessed(command, directory):
    """The unit's text after preprocessing, without line markers."""
    words = shlex.split(command)
    if pathlib.Path(words[0]).name == "ccache":
        words = words[1:]
    if "-o" in words:
        at = words.index("-o")
        del words[at : at + 2]
    words = [word for word in words if word != "-c"] + ["-E", "-P"]
    return subprocess.run(words, cwd=directory, capture_output=True, check=True).stdout


def check(unit, build, salt, deadline):
    """(file, 'clean' | 'cached' | 'late' | 'bad', output)"""
    file, command, directory = unit
    if deadline is not None and time.monotonic() > deadline:
        return file, "late", ""
    try:
        digest = hashlib.sha256(salt + str(file.relative_to(ROOT)).encode() + preprocessed(command, directory)).hexdigest()
    except subprocess.CalledProcessError as error:
        return file, "bad", error.stderr.decode(errors="replace")
    stamp = build / "tidy" / digest
    if stamp.exists():
        return file, "cached", ""
    done = subprocess.run([CLANG_TIDY, "-p", str(build), "--quiet", str(file)], capture_output=True, text=True)
    if done.returncode == 0:
        stamp.touch()
        return file, "clean", ""
    return file, "bad", done.stdout + done.stderr


def main():
    parser = argparse.ArgumentParser(description="clang-tidy over the project, in parallel and cached")
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--budget", type=float, help="seconds after which no further unit is begun")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()

    build = arguments.build.resolve()
    (build / "tidy").mkdir(exist_ok=True)
    version = subprocess.run([CLANG_TIDY, "--version"], capture_output=True, check=True).stdout
    salt = version + (ROOT / ".clang-tidy").read_bytes()
    deadline = time.monotonic() + arguments.budget if arguments.budget is not None else None

    count = {"clean": 0, "cached": 0, "late": 0, "bad": 0}
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        work = [pool.submit(check, unit, build, salt, deadline) for unit in translation_units(build)]
        for future in concurrent.futures.as_completed(work):
            file, state, output = future.result()
            count[state] += 1
            if state == "bad":
                print(f"{file.relative_to(ROOT)}:\n{output}", flush=True)
    print(f"  clang-tidy: {count['clean']} clean, {count['cached']} unchanged since a clean run, {count['bad']} with findings"
          + (f", {count['late']} not checked for want of time (./check --full checks all)" if count["late"] else ""))
    return 1 if count["bad"] else 0


if __name__ == "__main__":
    sys.exit(main())
