"""The kernels that exist: writings x configurations x architectures. Data only; build.py and launches.py read it."""

from dataclasses import dataclass

ARCHITECTURES = (120, 90)
PAGE_SIZE = 64
PAGE_BYTES = (PAGE_SIZE * 584 + 575) // 576 * 576
MAX_SPLITS = 16


BASE, TWO_PASSES, BF16_ACCUMULATORS = "", "_np2", "_acc16"  # texts of a writing: what its source's name ends in


@dataclass(frozen=True)
class Writing:
    name: str
    sources: dict  # by text
    triton: str  # pinned version; empty: CUDA C++


@dataclass(frozen=True)
class Configuration:
    name: str
    text: str = BASE
    heads: int = 16  # of a rank: 16 under tensor parallel 4, 32 under 2
    mma_block_h: int = 32
    block_t: int = 16
    warps: int = 4
    stages: int = 2
    architectures: tuple = ARCHITECTURES

    @property
    def block_h(self):
        return min(self.mma_block_h, self.heads)


def triton_sources(writing, texts=(BASE, TWO_PASSES, BF16_ACCUMULATORS)):
    return {text: f"kernels/triton/split_{writing}{text}.py" for text in texts}


WRITINGS = (
    Writing("plain331", triton_sources("plain"), "3.3.1"),
    Writing("plain390", triton_sources("plain"), "3.9.0"),
    Writing("tuned", triton_sources("tuned"), "3.3.1"),
    # Two passes or narrow accumulators would free registers that it does not lack: shared memory is its limit.
    Writing("cuda", {BASE: "kernels/cuda/split.cu"}, ""),
)

CONFIGURATIONS = (
    Configuration("v0"),
    Configuration("v1", warps=8),
    Configuration("v2", stages=3),
    Configuration("h32", mma_block_h=16),  # the null experiment: block_h is 16 already
    Configuration("v0h32", heads=32, mma_block_h=16),  # two head groups: what bh32 is compared with
    Configuration("bh32", heads=32),
    Configuration("bt32", block_t=32, architectures=(120,)),  # the question is whether it fits an sm_120
    Configuration("bt32w8", block_t=32, warps=8, architectures=(120,)),
    Configuration("s1", stages=1),
    Configuration("np2", TWO_PASSES),
    Configuration("acc16", BF16_ACCUMULATORS, architectures=(120,)),  # never timed
)


def builds():
    """(writing, configuration, architecture) of every folder of isa_traces/."""
    return [
        (writing, configuration, architecture)
        for writing in WRITINGS
        for configuration in CONFIGURATIONS
        for architecture in configuration.architectures
        if configuration.text in writing.sources
    ]


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
