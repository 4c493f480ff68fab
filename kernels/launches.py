#!/usr/bin/env python3
"""Writes the launch files of isa_traces/ (message LaunchSpec of sim/trace/launch.proto), from the cubins and build.json
that kernels/build.py left there.

    python3 kernels/launches.py

Each folder gets split.c<C>.launch.txtpb and combine.c<C>.launch.txtpb for every concurrency C, and one pair named `edge`
that is there for correctness only: ragged lengths, holes, a split without tokens. Arguments are checked, one by one,
against what the cubin says about its parameters.
"""

import json
import math
import os
import sys

import cubin_info
import variants

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

CONCURRENCIES = (1, 8, 16, 32, 48, 64, 80, 96)
DIM = 512
TOPK = 512
# Compressed entries a request has behind it (a context of 8,192 tokens at 4:1): the pool that the 512 come from.
TOKENS_PER_REQUEST = 2048
TARGET_CTAS = {120: 512, 90: 360}  # sm_90: scaled by the number of SMs, 512 * 132 / 188
# Softmax scale 1 / sqrt(512) times log2(e), the shortest decimal that reads back as the f32.
SCALE_LOG2E = 0.0637587159872055

EDGE_BATCH, EDGE_SPLITS = 5, 5  # seven tiles a split, the last split shorter

POINTER_BYTES = 8
ARGUMENT_BYTES = {"f32": 4, "i32": 4}


class LaunchError(Exception):
    pass


def split_count(batch, groups, target):
    return min(variants.MAX_SPLITS, math.ceil(target / (batch * groups)))


def tiles_per_split(nsplit, block_t):
    return math.ceil(math.ceil(TOPK / block_t) / nsplit)


class Launch:
    """The numbers of one launch pair. `edge` turns on lengths and masks that no benchmark has."""

    def __init__(self, batch, architecture, configuration, edge=False):
        self.batch = batch
        self.edge = edge
        self.heads = configuration.heads
        self.groups = self.heads // configuration.block_h
        self.nsplit = EDGE_SPLITS if edge else split_count(batch, self.groups, TARGET_CTAS[architecture])
        self.tiles = tiles_per_split(self.nsplit, configuration.block_t)
        self.tokens = batch * TOKENS_PER_REQUEST
        self.name = "edge" if edge else f"c{batch}"

    def partial_bytes(self):
        return self.batch * self.heads * self.nsplit * DIM * 4

    def lse_bytes(self):
        return self.batch * self.heads * self.nsplit * 4


def buffer(name, size, fill="", element="", output=False):
    lines = [f'  name: "{name}"', f"  bytes: {size}"]
    if fill:
        lines.append(f"  fill {{ {fill} }}")
    if output:
        lines.append("  output: true")
    if element:
        lines.append(f'  element: "{element}"')
    return "buffers {\n" + "\n".join(lines) + "\n}\n"


def split_buffers(launch):
    pages = launch.tokens // variants.PAGE_SIZE
    valid, masked = (TOPK, 50) if launch.edge else (TOPK, 0)
    length = "seed: 4 random_u32 { modulus: 513 }" if launch.edge else f"seed: 4 constant_u32 {{ value: {TOPK} }}"
    return "".join(
        (
            buffer("q", launch.batch * launch.heads * DIM * 2, "seed: 1 random_bf16 { max_exponent: 0 }", "bf16"),
            buffer(
                "kv",
                pages * variants.PAGE_BYTES,
                f"seed: 2 kv_pages {{ page_size: {variants.PAGE_SIZE} pages: {pages} }}",
                "u8",
            ),
            buffer(
                "indices",
                launch.batch * TOPK * 4,
                f"seed: 3 indices {{ tokens: {launch.tokens} row_length: {TOPK} valid: {valid} "
                f"masked_per_mille: {masked} }}",
                "i32",
            ),
            buffer("topk_length", launch.batch * 4, length, "i32"),
            buffer("partial", launch.partial_bytes(), "", "f32", output=True),
            buffer("lse", launch.lse_bytes(), "", "f32", output=True),
        )
    )


def combine_buffers(launch):
    return "".join(
        (
            buffer("partial", launch.partial_bytes(), "", "f32"),
            buffer("lse", launch.lse_bytes(), "", "f32"),
            buffer("out", launch.batch * launch.heads * DIM * 2, "", "bf16", output=True),
        )
    )


def arguments(values, info, where):
    """values: (name, kind, value) by ordinal; whatever the cubin has beyond them must be hidden scratch pointers."""
    if len(info.parameters) < len(values):
        raise LaunchError(f"{where}: {len(info.parameters)} parameters in the cubin, {len(values)} arguments")
    text = []
    for parameter, (name, kind, value) in zip(info.parameters, values):
        size = POINTER_BYTES if kind == "buffer" else ARGUMENT_BYTES[kind]
        if parameter.size != size:
            raise LaunchError(f"{where}: {name} has {size} bytes, the cubin's parameter {parameter.size}")
        shown = f'"{value}"' if kind == "buffer" else repr(value)
        text.append(f'arguments {{ {kind}: {shown} name: "{name}" }}\n')
    for parameter in info.parameters[len(values) :]:
        if parameter.size != POINTER_BYTES:
            raise LaunchError(f"{where}: hidden parameter {parameter.ordinal} is no pointer")
        text.append(f'arguments {{ hidden_null: true name: "scratch{parameter.ordinal}" }}\n')
    return "".join(text)


def split_arguments(launch):
    values = {
        "scale_log2e": ("f32", SCALE_LOG2E),
        "topk": ("i32", TOPK),
        "tiles_per_split": ("i32", launch.tiles),
        "nsplit": ("i32", launch.nsplit),
    }
    return [(name, *values.get(name, ("buffer", name))) for name, _ in variants.SPLIT_PARAMETERS]


def combine_arguments(launch):
    values = {"nsplit": ("i32", launch.nsplit)}
    return [(name, *values.get(name, ("buffer", name))) for name, _ in variants.COMBINE_PARAMETERS]


def header(stem, launch, build, grid, description, after=""):
    text = f'name: "{stem}.{launch.name}"\n'
    text += f'program: "{stem}.program"\n'
    text += f'kernel: "{build["kernel"]}"\n'
    text += f"grid {{ x: {grid[0]} y: {grid[1]} z: {grid[2]} }}\n"
    text += f"block {{ x: {build['threads']} y: 1 z: 1 }}\n"
    text += f"dynamic_shared_bytes: {build['dynamic_shared_bytes']}\n"
    text += "shared_carveout_kb: -1\n"
    text += f'description: "{description}"\n'
    return text + (f'after: "{after}"\n' if after else "")


def write(path, text):
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.write("# proto-file: sim/trace/launch.proto\n# proto-message: LaunchSpec\n# by kernels/launches.py\n" + text)
    os.replace(path + ".new", path)


def write_pair(folder, build, launch, configuration):
    split_info = cubin_info.read(os.path.join(folder, "split.cubin"))
    combine_info = cubin_info.read(os.path.join(folder, "combine.cubin"))
    split_file = f"split.{launch.name}.launch.txtpb"
    what = "ragged lengths and masked entries, for correctness only" if launch.edge else f"C = {launch.batch}"
    write(
        os.path.join(folder, split_file),
        header(
            "split",
            launch,
            build["split"],
            (launch.batch, launch.groups, launch.nsplit),
            f"sparse MLA decode, {what}: {launch.nsplit} splits of {launch.tiles} tiles of {configuration.block_t} tokens",
        )
        + split_buffers(launch)
        + arguments(split_arguments(launch), split_info, folder),
    )
    write(
        os.path.join(folder, f"combine.{launch.name}.launch.txtpb"),
        header(
            "combine",
            launch,
            build["combine"],
            (launch.batch, launch.heads, 1),
            f"merges the {launch.nsplit} splits, {what}",
            split_file,
        )
        + combine_buffers(launch)
        + arguments(combine_arguments(launch), combine_info, folder),
    )


def main():
    base = os.path.join(ROOT, "isa_traces")
    for writing, configuration, architecture in variants.builds():
        folder = os.path.join(base, variants.folder(writing, configuration, architecture))
        with open(os.path.join(folder, "build.json"), encoding="utf-8") as file:
            build = json.load(file)
        for batch in CONCURRENCIES:
            write_pair(folder, build, Launch(batch, architecture, configuration), configuration)
        write_pair(folder, build, Launch(EDGE_BATCH, architecture, configuration, edge=True), configuration)


if __name__ == "__main__":
    try:
        main()
    except (LaunchError, OSError, ValueError) as error:
        sys.exit(f"kernels/launches.py: {error}")
