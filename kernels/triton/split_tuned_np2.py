"""Sparse MLA decode, split kernel, tuned writing, the value dimension in two passes (experiment NP2).

As split_tuned.py, but the split's tiles are walked twice: the first pass accumulates values 0 to 255, the second 256 to
511. Each pass holds half the accumulators and gathers, dequantises and scores every tile anew: scores need all 512
dimensions, and keeping the first pass's probabilities would cost shared memory that grows with the split.
"""

import triton
import triton.language as tl

NOPE = tl.constexpr(448)
ROPE = tl.constexpr(64)
SCALE_GROUP = tl.constexpr(64)
DATA_BYTES = tl.constexpr(576)
SCALE_BYTES = tl.constexpr(8)
ROW = tl.constexpr(512)
MASKED = tl.constexpr(-1e30)
NOTHING_YET = tl.constexpr(-1e20)  # below any score, above a masked one


@triton.jit
def load_chunk(data, scales, valid, FIRST: tl.constexpr, WIDTH: tl.constexpr, BLOCK_T: tl.constexpr):
    GROUPS: tl.constexpr = WIDTH // SCALE_GROUP
    offs = tl.arange(0, WIDTH)
    fp8 = tl.load(data[:, None] + (FIRST + offs)[None, :], mask=valid[:, None], other=0).to(tl.float8e4nv, bitcast=True)
    groups = FIRST // SCALE_GROUP + tl.arange(0, GROUPS)
    scale = tl.load(scales[:, None] + groups[None, :], mask=valid[:, None], other=0)
    scale = (scale.to(tl.int32) << 23).to(tl.float32, bitcast=True).to(tl.bfloat16)
    value = tl.reshape(fp8.to(tl.bfloat16), (BLOCK_T, GROUPS, SCALE_GROUP)) * scale[:, :, None]
    return tl.reshape(value, (BLOCK_T, WIDTH))


@triton.jit
def gather(kv, row, pos, last, BLOCK_T: tl.constexpr, PAGE_SIZE: tl.constexpr, PAGE_BYTES: tl.constexpr):
    """A tile's tokens in chunks of 128, 128, 128, 64 and the rope; and which tokens there are."""
    index = tl.load(row + pos, mask=pos < last, other=-1)
    valid = index >= 0
    index = tl.where(valid, index, 0)
    page = (index // PAGE_SIZE).to(tl.int64) * PAGE_BYTES
    slot = index % PAGE_SIZE
    data = kv + page + slot * DATA_BYTES
    scales = kv + page + PAGE_SIZE * DATA_BYTES + slot * SCALE_BYTES
    k_a = load_chunk(data, scales, valid, 0, 128, BLOCK_T)
    k_b = load_chunk(data, scales, valid, 128, 128, BLOCK_T)
    k_c = load_chunk(data, scales, valid, 256, 128, BLOCK_T)
    k_d = load_chunk(data, scales, valid, 384, 64, BLOCK_T)
    rope = (data + NOPE).to(tl.pointer_type(tl.bfloat16))
    k_r = tl.load(rope[:, None] + tl.arange(0, ROPE)[None, :], mask=valid[:, None], other=0.0)
    return k_a, k_b, k_c, k_d, k_r, valid


@triton.jit
def attend(q_a, q_b, q_c, q_d, q_r, k_a, k_b, k_c, k_d, k_r, valid, m, l, scale_log2e):
    """One step of the online softmax: probabilities, the factor for what was summed before, new maximum and sum."""
    s = tl.dot(q_r, tl.trans(k_r))
    s = tl.dot(q_d, tl.trans(k_d), s)
    s = tl.dot(q_c, tl.trans(k_c), s)
    s = tl.dot(q_b, tl.trans(k_b), s)
    s = tl.dot(q_a, tl.trans(k_a), s)
    s = tl.where(valid[None, :], s * scale_log2e, MASKED)
    m_new = tl.maximum(m, tl.max(s, 1))
    alpha = tl.exp2(m - m_new)
    p = tl.exp2(s - m_new[:, None])
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
    offs_t = tl.arange(0, BLOCK_T)
    offs_a = tl.arange(0, 128)  # nope a to d, then rope
    offs_b = 128 + tl.arange(0, 128)
    offs_c = 256 + tl.arange(0, 128)
    offs_d = 384 + tl.arange(0, 64)
    offs_r = NOPE + tl.arange(0, 64)

    q_rows = q + (batch * HEADS + offs_h)[:, None] * ROW
    q_a = tl.load(q_rows + offs_a[None, :])
    q_b = tl.load(q_rows + offs_b[None, :])
    q_c = tl.load(q_rows + offs_c[None, :])
    q_d = tl.load(q_rows + offs_d[None, :])
    q_r = tl.load(q_rows + offs_r[None, :])

    length = tl.minimum(tl.load(topk_length + batch), topk)
    first = split * tiles_per_split * BLOCK_T
    last = tl.minimum(first + tiles_per_split * BLOCK_T, length)
    tokens = indices + batch * topk
    row = (batch * HEADS + offs_h) * nsplit + split
    to = partial + row[:, None] * ROW

    m = tl.full([BLOCK_H], NOTHING_YET, tl.float32)
    l = tl.zeros([BLOCK_H], tl.float32)
    acc_a = tl.zeros([BLOCK_H, 128], tl.float32)
    acc_b = tl.zeros([BLOCK_H, 128], tl.float32)
    for start in range(first, last, BLOCK_T):
        k_a, k_b, k_c, k_d, k_r, valid = gather(kv, tokens, start + offs_t, last, BLOCK_T, PAGE_SIZE, PAGE_BYTES)
        p, alpha, m, l = attend(q_a, q_b, q_c, q_d, q_r, k_a, k_b, k_c, k_d, k_r, valid, m, l, scale_log2e)
        acc_a = tl.dot(p, k_a, acc_a * alpha[:, None])
        acc_b = tl.dot(p, k_b, acc_b * alpha[:, None])
    inverse = tl.where(l > 0.0, 1.0 / l, 0.0)
    tl.store(to + offs_a[None, :], acc_a * inverse[:, None])
    tl.store(to + offs_b[None, :], acc_b * inverse[:, None])

    m = tl.full([BLOCK_H], NOTHING_YET, tl.float32)
    l = tl.zeros([BLOCK_H], tl.float32)
    acc_c = tl.zeros([BLOCK_H, 128], tl.float32)
    acc_d = tl.zeros([BLOCK_H, 64], tl.float32)
    acc_r = tl.zeros([BLOCK_H, 64], tl.float32)
    for start in range(first, last, BLOCK_T):
        k_a, k_b, k_c, k_d, k_r, valid = gather(kv, tokens, start + offs_t, last, BLOCK_T, PAGE_SIZE, PAGE_BYTES)
        p, alpha, m, l = attend(q_a, q_b, q_c, q_d, q_r, k_a, k_b, k_c, k_d, k_r, valid, m, l, scale_log2e)
        acc_c = tl.dot(p, k_c, acc_c * alpha[:, None])
        acc_d = tl.dot(p, k_d, acc_d * alpha[:, None])
        acc_r = tl.dot(p, k_r, acc_r * alpha[:, None])
    inverse = tl.where(l > 0.0, 1.0 / l, 0.0)
    tl.store(to + offs_c[None, :], acc_c * inverse[:, None])
    tl.store(to + offs_d[None, :], acc_d * inverse[:, None])
    tl.store(to + offs_r[None, :], acc_r * inverse[:, None])
    tl.store(lse + row, tl.where(l > 0.0, m + tl.log2(l), MASKED))
