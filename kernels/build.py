#!/usr/bin/env python3
"""Builds every cubin of kernels/variants.py ahead of time, without a GPU, byte for byte reproducibly.

    python3 kernels/build.py                      all, into isa_traces/ (or -o DIR)
    python3 kernels/build.py --only plain331-v0   by prefix of the folder's name
    python3 kernels/build.py --make-venvs         first creates the pinned virtual environments (needs a package index)

Each folder <writing>-<configuration>-sm<architecture> gets split.cubin, combine.cubin and build.json (producer, options,
threads, shared bytes, registers, parameters, SHA-256). Needs nvcc 13.0 and the pinned Tritons in --venvs; whatever is
missing ends the build with a message.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import cubin_info
import variants

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
NVCC_VERSION = "13.0"
DEFAULT_VENVS = "/opt/smreplay"


class BuildError(Exception):
    pass


def run(command, folder=ROOT, **options):
    result = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False, **options)
    if result.returncode != 0:
        raise BuildError(f"{' '.join(command[:3])} ... failed:\n{result.stdout}{result.stderr}")
    return result.stdout


def find_nvcc():
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    if not os.path.exists(nvcc):
        raise BuildError(f"nvcc {NVCC_VERSION} not found")
    version = run([nvcc, "--version"]).split("V")[-1].split()[0]
    if not version.startswith(NVCC_VERSION + "."):
        raise BuildError(f"nvcc {version} found, {NVCC_VERSION} needed: other compilers give other bytes")
    return nvcc, version


def venv_python(venvs, version):
    python = os.path.join(venvs, f"triton-{version}", "bin", "python")
    if not os.path.exists(python):
        raise BuildError(f"{python} not found: run kernels/build.py --make-venvs")
    return python


def make_venvs(venvs):
    for version in sorted({writing.triton for writing in variants.WRITINGS if writing.triton}):
        path = os.path.join(venvs, f"triton-{version}")
        if os.path.exists(os.path.join(path, "bin", "python")):
            continue
        run([sys.executable, "-m", "venv", path])
        run([os.path.join(path, "bin", "pip"), "install", "-q", "-r", f"kernels/triton/requirements-{version}.txt"])


def compile_triton(python, request):
    """One process a kernel, with an empty cache: nothing of an earlier build can leak in."""
    with tempfile.TemporaryDirectory() as cache:
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": cache,
            "TRITON_CACHE_DIR": cache,
            "TRITON_DEFAULT_FP_FUSION": "1",
            "PYTHONHASHSEED": "0",
        }
        reply = json.loads(run([python, "kernels/triton/compile.py", json.dumps(request)], env=environment))
    options = f"num_warps={request['num_warps']} num_stages={request['num_stages']} " + " ".join(
        f"{name}={value}" for name, value in request["constants"].items()
    )
    return {**reply, "options": options}


def split_triton(writing, configuration, architecture, output, tools):
    request = {
        "source": writing.sources[configuration.text],
        "kernel": "sparse_mla_split",
        "sm": architecture,
        "num_warps": configuration.warps,
        "num_stages": configuration.stages,
        "signature": dict(variants.SPLIT_PARAMETERS),
        "constants": {
            "HEADS": configuration.heads,
            "BLOCK_H": configuration.block_h,
            "BLOCK_T": configuration.block_t,
            "PAGE_SIZE": variants.PAGE_SIZE,
            "PAGE_BYTES": variants.PAGE_BYTES,
        },
        # What the just-in-time path would find: aligned pointers, topk = 512. The split count varies: not specialised.
        "divisible_by_16": [name for name, kind in variants.SPLIT_PARAMETERS if kind[0] == "*"] + ["topk"],
        "output": output,
    }
    return compile_triton(venv_python(tools.venvs, writing.triton), request)


def combine_triton(writing, architecture, output, tools):
    request = {
        "source": variants.COMBINE_SOURCE_TRITON,
        "kernel": "sparse_mla_combine",
        "sm": architecture,
        "num_warps": variants.COMBINE_THREADS // 32,
        "num_stages": 2,
        "signature": dict(variants.COMBINE_PARAMETERS),
        "constants": {"MAX_SPLITS": variants.MAX_SPLITS},
        "divisible_by_16": [name for name, kind in variants.COMBINE_PARAMETERS if kind[0] == "*"],
        "output": output,
    }
    return compile_triton(venv_python(tools.venvs, writing.triton), request)


def normalise_ptx(ptx):
    """Source names relative to the repository or the toolkit; no time stamps and sizes of the source files."""

    def replace(match):
        number, path = match.group(1), os.path.normpath(match.group(2))
        if path.startswith(ROOT + os.sep):
            path = os.path.relpath(path, ROOT)
        elif "/include/" in path:
            path = "cuda/include/" + path.split("/include/", 1)[1]
        elif os.path.isabs(path):
            raise BuildError(f"source outside the repository and the toolkit: {path}")
        return f'.file {number} "{path}"'

    return re.sub(r'\.file\s+(\d+)\s+"([^"]+)"(?:,\s*\d+,\s*\d+)?', replace, ptx)


def compile_cuda(source, architecture, defines, output, tools):
    """In two steps, because nvcc writes absolute paths and times into the PTX. ptxas runs where the sources are not:
    it would look them up and add their times again."""
    nvcc, version = tools.nvcc
    options = ["-std=c++20", f"-arch=sm_{architecture}", "-lineinfo"]
    options += [f"-D{name}={value}" for name, value in defines.items()]
    run([nvcc, "-ptx", *options, "-I.", source, "-o", output + ".ptx"])
    with open(output + ".ptx", encoding="utf-8") as file:
        ptx = normalise_ptx(file.read())
    with open(output + ".ptx", "w", encoding="utf-8") as file:
        file.write(ptx)
    ptxas = os.path.join(os.path.dirname(nvcc), "ptxas")
    stem = os.path.basename(output)
    command = [ptxas, f"-arch=sm_{architecture}", "-lineinfo", stem + ".ptx", "-o", stem + ".cubin"]
    run(command, folder=os.path.dirname(output))
    return {"producer": f"nvcc {version}", "options": " ".join(options)}


def shared_bytes_cuda(configuration):
    """Asks the kernel's own header (kernels/cuda/SplitShape.h) through the host compiler."""
    shape = f"{configuration.warps}, {configuration.stages}, {configuration.block_t}, {configuration.block_h}"
    program = (
        '#include <cstdio>\n#include "kernels/cuda/SplitShape.h"\n'
        f'int main() {{ std::printf("%d", smreplay::kernels::SplitShape<{shape}>::kSharedBytes); }}\n'
    )
    with tempfile.TemporaryDirectory() as folder:
        binary = os.path.join(folder, "shape")
        run(["g++", "-std=c++20", "-I.", "-x", "c++", "-", "-o", binary], input=program)
        return int(run([binary]))


def split_cuda(writing, configuration, architecture, output, tools):
    defines = {
        "SMREPLAY_WARPS": configuration.warps,
        "SMREPLAY_STAGES": configuration.stages,
        "SMREPLAY_BLOCK_T": configuration.block_t,
        "SMREPLAY_BLOCK_H": configuration.block_h,
    }
    reply = compile_cuda(writing.sources[configuration.text], architecture, defines, output, tools)
    return {**reply, "threads": 32 * configuration.warps, "shared_bytes": shared_bytes_cuda(configuration)}


def combine_cuda(architecture, output, tools):
    reply = compile_cuda(variants.COMBINE_SOURCE_CUDA, architecture, {}, output, tools)
    return {**reply, "threads": variants.COMBINE_THREADS, "shared_bytes": 0}


def describe(source, reply, output):
    path = output + ".cubin"
    info = cubin_info.read(path)
    with open(path, "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    return {
        "kernel": info.kernel,
        "source": source,
        "producer": reply["producer"],
        "options": reply["options"],
        "threads": reply["threads"],
        "dynamic_shared_bytes": reply["shared_bytes"],
        "static_shared_bytes": info.static_shared_bytes,
        "registers": info.registers,
        "stack_bytes": info.stack_bytes,
        "parameters": " ".join(f"{p.offset}+{p.size}" for p in info.parameters),  # offset+size by ordinal
        "sha256": digest,
    }


def build(writing, configuration, architecture, destination, tools, keep_ir):
    """Builds in a scratch folder, then moves: a failed build leaves what was there."""
    name = variants.folder(writing, configuration, architecture)
    with tempfile.TemporaryDirectory() as scratch:
        split, combine = os.path.join(scratch, "split"), os.path.join(scratch, "combine")
        if writing.triton:
            split_reply = split_triton(writing, configuration, architecture, split, tools)
            combine_reply = combine_triton(writing, architecture, combine, tools)
            combine_source = variants.COMBINE_SOURCE_TRITON
        else:
            split_reply = split_cuda(writing, configuration, architecture, split, tools)
            combine_reply = combine_cuda(architecture, combine, tools)
            combine_source = variants.COMBINE_SOURCE_CUDA
        record = {
            "split": describe(writing.sources[configuration.text], split_reply, split),
            "combine": describe(combine_source, combine_reply, combine),
        }
        target = os.path.join(destination, name)
        os.makedirs(target, exist_ok=True)
        suffixes = [".cubin"] + ([".ttgir"] if keep_ir and writing.triton else [])
        for stem in ("split", "combine"):
            for suffix in suffixes:
                shutil.move(os.path.join(scratch, stem + suffix), os.path.join(target, stem + suffix))
        with open(os.path.join(target, "build.json"), "w", encoding="utf-8") as file:
            json.dump(record, file, indent=2)
            file.write("\n")
    s = record["split"]
    return f"{name}: {s['registers']} registers, {s['stack_bytes']} B stack, {s['dynamic_shared_bytes']} B shared"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("-o", "--output", default=os.path.join(ROOT, "isa_traces"))
    parser.add_argument("--only", default="", help="prefix of the folder's name")
    parser.add_argument("--keep-ir", action="store_true", help="keep Triton's TTGIR beside the cubin")
    parser.add_argument("--venvs", default=DEFAULT_VENVS)
    parser.add_argument("--make-venvs", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    tools = parser.parse_args()
    if tools.make_venvs:
        make_venvs(tools.venvs)
    tools.nvcc = find_nvcc()
    destination = os.path.abspath(tools.output)
    wanted = [item for item in variants.builds() if variants.folder(*item).startswith(tools.only)]
    if not wanted:
        raise BuildError(f"nothing is named {tools.only}...")
    with concurrent.futures.ThreadPoolExecutor(tools.jobs) as pool:
        for line in pool.map(lambda item: build(*item, destination, tools, tools.keep_ir), wanted):
            print(line, flush=True)


if __name__ == "__main__":
    try:
        main()
    except BuildError as error:
        sys.exit(f"kernels/build.py: {error}")
