"""Sparse MLA decode, split kernel, plain writing, the value dimension in two passes (experiment NP2).

As split_plain.py, but the split's tiles are walked twice: the first pass accumulates values 0 to 255, the second 256 to
447 and the 64 of rope. Each pass holds half the accumulators and gathers, dequantises and scores every tile anew: scores
need all 512 dimensions, and keeping the first pass's probabilities would cost shared memory that grows with the split.
"""

import triton
import triton.language as tl

NOPE = tl.constexpr(448)  # fp8 values of a token
HALF = tl.constexpr(256)
ROPE = tl.constexpr(64)  # bf16 values of a token
SCALE_GROUP = tl.constexpr(64)
DATA_BYTES = tl.constexpr(576)
SCALE_BYTES = tl.constexpr(8)


@triton.jit
def dequantised(data, scales, valid, offs, mask):
    row_mask = valid[:, None] & mask[None, :]
    fp8 = tl.load(data[:, None] + offs[None, :], mask=row_mask, other=0).to(tl.float8e4nv, bitcast=True)
    scale = tl.load(scales[:, None] + (offs // SCALE_GROUP)[None, :], mask=row_mask, other=0)
    scale = tl.where(valid[:, None], tl.exp2(scale.to(tl.float32) - 127.0), 0.0)
    return (fp8.to(tl.float32) * scale).to(tl.bfloat16)


@triton.jit
def gather(kv, row, pos, last, PAGE_SIZE: tl.constexpr, PAGE_BYTES: tl.constexpr):
    """A tile's tokens: values 0 to 255, 256 to 447 padded to 512, rope; and which tokens there are."""
    index = tl.load(row + pos, mask=pos < last, other=-1)
    valid = index >= 0
    index = tl.where(valid, index, 0)
    page = (index // PAGE_SIZE).to(tl.int64) * PAGE_BYTES
    slot = index % PAGE_SIZE
    data = kv + page + slot * DATA_BYTES
    scales = kv + page + PAGE_SIZE * DATA_BYTES + slot * SCALE_BYTES
    offs = tl.arange(0, HALF)
    k_low = dequantised(data, scales, valid, offs, offs < HALF)
    k_high = dequantised(data, scales, valid, HALF + offs, HALF + offs < NOPE)
    rope = (data + NOPE).to(tl.pointer_type(tl.bfloat16))
    k_rope = tl.load(rope[:, None] + tl.arange(0, ROPE)[None, :], mask=valid[:, None], other=0.0)
    return k_low, k_high, k_rope, valid


@triton.jit
def attend(q_low, q_high, q_rope, k_low, k_high, k_rope, valid, m, l, scale_log2e):
    """One step of the online softmax: probabilities, the factor for what was summed before, new maximum and sum."""
    s = tl.dot(q_low, tl.trans(k_low))
    s = tl.dot(q_high, tl.trans(k_high), s)
    s = tl.dot(q_rope, tl.trans(k_rope), s)
    s = tl.where(valid[None, :], s * scale_log2e, -1e30)
    m_new = tl.maximum(m, tl.max(s, 1))
    alpha = tl.exp2(m - m_new)
    p = tl.where(valid[None, :], tl.exp2(s - m_new[:, None]), 0.0)
    return p.to(tl.bfloat16), alpha, m_new, l * alpha + tl.sum(p, 1)


@triton.jit
def sparse_mla_split(
    q,  # [B, HEADS, 512] bf16: 448 nope, 64 rope
    kv,  # pages of tokens, bytes
    indices,  # [B, topk] int32, -1: none
    topk_length,  # [B] int32
    partial,  # [B, HEADS, nsplit, 512] f32, normalised
    lse,  # [B, HEADS, nsplit] f32, base 2
    scale_log2e,  # softmax scale * log2(e)
    topk,
    tiles_per_split,
    nsplit,
    HEADS: tl.constexpr,
    BLOCK_H: tl.constexpr,
    BLOCK_T: tl.constexpr,
    PAGE_SIZE: tl.constexpr,
    PAGE_BYTES: tl.constexpr,
):
    batch = tl.program_id(0)
    group = tl.program_id(1)
    split = tl.program_id(2)

    offs_h = group * BLOCK_H + tl.arange(0, BLOCK_H)
    offs_d = tl.arange(0, HALF)
    offs_r = tl.arange(0, ROPE)
    offs_t = tl.arange(0, BLOCK_T)
    mask_high = HALF + offs_d < NOPE

    q_rows = q + (batch * HEADS + offs_h)[:, None] * (NOPE + ROPE)
    q_low = tl.load(q_rows + offs_d[None, :])
    q_high = tl.load(q_rows + HALF + offs_d[None, :], mask=mask_high[None, :], other=0.0)
    q_rope = tl.load(q_rows + NOPE + offs_r[None, :])

    length = tl.minimum(tl.load(topk_length + batch), topk)
    first = split * tiles_per_split * BLOCK_T
    last = tl.minimum(first + tiles_per_split * BLOCK_T, length)
    tokens = indices + batch * topk
    row = (batch * HEADS + offs_h) * nsplit + split
    to = partial + row[:, None] * (NOPE + ROPE)

    m = tl.full([BLOCK_H], -1e30, tl.float32)
    l = tl.zeros([BLOCK_H], tl.float32)
    acc = tl.zeros([BLOCK_H, HALF], tl.float32)
    for start in range(first, last, BLOCK_T):
        k_low, k_high, k_rope, valid = gather(kv, tokens, start + offs_t, last, PAGE_SIZE, PAGE_BYTES)
        p, alpha, m, l = attend(q_low, q_high, q_rope, k_low, k_high, k_rope, valid, m, l, scale_log2e)
        acc = tl.dot(p, k_low, acc * alpha[:, None])
    inverse = tl.where(l > 0.0, 1.0 / l, 0.0)
    tl.store(to + offs_d[None, :], acc * inverse[:, None])

    m = tl.full([BLOCK_H], -1e30, tl.float32)
    l = tl.zeros([BLOCK_H], tl.float32)
    acc = tl.zeros([BLOCK_H, HALF], tl.float32)
    acc_rope = tl.zeros([BLOCK_H, ROPE], tl.float32)
    for start in range(first, last, BLOCK_T):
        k_low, k_high, k_rope, valid = gather(kv, tokens, start + offs_t, last, PAGE_SIZE, PAGE_BYTES)
        p, alpha, m, l = attend(q_low, q_high, q_rope, k_low, k_high, k_rope, valid, m, l, scale_log2e)
        acc = tl.dot(p, k_high, acc * alpha[:, None])
        acc_rope = tl.dot(p, k_rope, acc_rope * alpha[:, None])
    inverse = tl.where(l > 0.0, 1.0 / l, 0.0)
    tl.store(to + HALF + offs_d[None, :], acc * inverse[:, None], mask=mask_high[None, :])
    tl.store(to + NOPE + offs_r[None, :], acc_rope * inverse[:, None])
    tl.store(lse + row, tl.where(l > 0.0, m + tl.log2(l), -1e30))
