"""The kernels that exist: writings x configurations x architectures. Data only; build.py and launches.py read it."""

from dataclasses import dataclass

ARCHITECTURES = (120, 90)
PAGE_SIZE = 64
PAGE_BYTES = (PAGE_SIZE * 584 + 575) // 576 * 576
MAX_SPLITS = 16


@dataclass(frozen=True)
class Writing:
    name: str
    source: str
    triton: str  # pinned version; empty: CUDA C++


@dataclass(frozen=True)
class Configuration:
    name: str
    block_t: int = 16
    block_h: int = 16
    warps: int = 4
    stages: int = 2
    committed: bool = True  # False: built for the table in docs/KERNELS.md only


WRITINGS = (
    Writing("plain331", "kernels/triton/split_plain.py", "3.3.1"),
    Writing("plain390", "kernels/triton/split_plain.py", "3.9.0"),
    Writing("tuned", "kernels/triton/split_tuned.py", "3.3.1"),
    Writing("cuda", "kernels/cuda/split.cu", ""),
)

CONFIGURATIONS = (
    Configuration("v0"),
    Configuration("v1", warps=8),
    Configuration("v2", stages=3),
    Configuration("s1", stages=1, committed=False),
    Configuration("bh32", block_h=32, committed=False),
    Configuration("bt32", block_t=32, committed=False),
    Configuration("bt32w8", block_t=32, warps=8, committed=False),
)

# Parameters of the split kernel by ordinal, in every writing: (name, Triton type, kind of argument).
SPLIT_PARAMETERS = (
    ("q", "*bf16"),
    ("kv", "*u8"),
    ("indices", "*i32"),
    ("topk_length", "*i32"),
    ("partial", "*fp32"),
    ("lse", "*fp32"),
    ("scale_log2e", "fp32"),
    ("topk", "i32"),
    ("tiles_per_split", "i32"),
    ("nsplit", "i32"),
)
COMBINE_PARAMETERS = (("partial", "*fp32"), ("lse", "*fp32"), ("out", "*bf16"), ("nsplit", "i32"))

COMBINE_SOURCE_TRITON = "kernels/triton/combine.py"
COMBINE_SOURCE_CUDA = "kernels/cuda/combine.cu"
COMBINE_THREADS = 128


def folder(writing, configuration, architecture):
    return f"{writing.name}-{configuration.name}-sm{architecture}"
