"""Sparse MLA decode, combine kernel: merges the splits of one query head by their log-sum-exp (base 2).

One program is (request, head). A split that saw no token carries lse -1e30 and weighs nothing; a head without any token
gets zeros, because its partial results are zeros.
"""

import triton
import triton.language as tl

DIM = tl.constexpr(512)


@triton.jit
def sparse_mla_combine(
    partial,  # [B, heads, nsplit, 512] f32
    lse,  # [B, heads, nsplit] f32, base 2
    out,  # [B, heads, 512] bf16
    nsplit,
    MAX_SPLITS: tl.constexpr,
):
    row = tl.program_id(0) * tl.num_programs(1) + tl.program_id(1)
    offs_s = tl.arange(0, MAX_SPLITS)
    offs_d = tl.arange(0, DIM)
    present = offs_s < nsplit

    split_lse = tl.load(lse + row * nsplit + offs_s, mask=present, other=-float("inf"))
    weight = tl.exp2(split_lse - tl.max(split_lse, 0))
    rows = (row * nsplit + offs_s).to(tl.int64) * DIM
    value = tl.load(partial + rows[:, None] + offs_d[None, :], mask=present[:, None], other=0.0)
    merged = tl.sum(value * weight[:, None], 0) / tl.sum(weight, 0)
    tl.store(out + row.to(tl.int64) * DIM + offs_d, merged.to(tl.bfloat16))
