"""Row softmax, compiled ahead of time by a given Triton: python row_softmax.py FOLDER writes one cubin per architecture."""

import sys

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def row_softmax(x, y, n, B: tl.constexpr):
    r = tl.program_id(0)
    o = tl.arange(0, B)
    v = tl.load(x + r * n + o, mask=o < n, other=-float("inf")).to(tl.float32)
    e = tl.math.exp2((v - tl.max(v, 0)) * 1.4426950408889634)
    tl.store(y + r * n + o, (e / tl.sum(e, 0)).to(tl.float16), mask=o < n)


def main(folder):
    types = {"x": "*fp16", "y": "*fp16", "n": "i32"}
    for arch in (90, 120):
        source = ASTSource(
            fn=row_softmax,
            signature={name: types.get(name, "constexpr") for name in row_softmax.arg_names},
            constexprs={"B": 512},
            attrs={(i,): [["tt.divisibility", 16]] for i in range(3)},
        )
        kernel = triton.compile(source, target=GPUTarget("cuda", arch, 32), options={"num_warps": 2})
        with open(f"{folder}/row_softmax.triton_{triton.__version__}.sm_{arch}.cubin", "wb") as out:
            out.write(kernel.asm["cubin"])


main(sys.argv[1])
