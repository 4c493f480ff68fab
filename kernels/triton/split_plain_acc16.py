"""Sparse MLA decode, split kernel, plain writing, accumulators in bf16 (experiment ACC16).

split_plain.py with one change: the accumulators are carried from tile to tile as bf16, so that they take half the
registers, and each tile's sum is rounded. A text of its own, because the line numbers of split_plain.py are part of
pinned cubins.
"""

import triton
import triton.language as tl

NOPE = tl.constexpr(448)      # fp8 values of a token
NOPE_PAD = tl.constexpr(512)  # next power of two
ROPE = tl.constexpr(64)       # bf16 values of a token
SCALE_GROUP = tl.constexpr(64)
DATA_BYTES = tl.constexpr(576)
SCALE_BYTES = tl.constexpr(8)


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
    offs_d = tl.arange(0, NOPE_PAD)
    offs_r = tl.arange(0, ROPE)
    offs_t = tl.arange(0, BLOCK_T)
    mask_d = offs_d < NOPE

    q_rows = q + (batch * HEADS + offs_h)[:, None] * (NOPE + ROPE)
    q_nope = tl.load(q_rows + offs_d[None, :], mask=mask_d[None, :], other=0.0)
    q_rope = tl.load(q_rows + NOPE + offs_r[None, :])

    length = tl.minimum(tl.load(topk_length + batch), topk)
    first = split * tiles_per_split * BLOCK_T
    last = tl.minimum(first + tiles_per_split * BLOCK_T, length)

    m = tl.full([BLOCK_H], -1e30, tl.float32)
    l = tl.zeros([BLOCK_H], tl.float32)
    acc_nope = tl.zeros([BLOCK_H, NOPE_PAD], tl.bfloat16)
    acc_rope = tl.zeros([BLOCK_H, ROPE], tl.bfloat16)

    for start in range(first, last, BLOCK_T):
        pos = start + offs_t
        index = tl.load(indices + batch * topk + pos, mask=pos < last, other=-1)
        valid = index >= 0
        index = tl.where(valid, index, 0)
        page = (index // PAGE_SIZE).to(tl.int64) * PAGE_BYTES
        slot = index % PAGE_SIZE
        data = kv + page + slot * DATA_BYTES
        scales = kv + page + PAGE_SIZE * DATA_BYTES + slot * SCALE_BYTES

        row_mask = valid[:, None] & mask_d[None, :]
        k_fp8 = tl.load(data[:, None] + offs_d[None, :], mask=row_mask, other=0).to(tl.float8e4nv, bitcast=True)
        scale = tl.load(scales[:, None] + (offs_d // SCALE_GROUP)[None, :], mask=row_mask, other=0)
        k_rope = tl.load(
            (data + NOPE).to(tl.pointer_type(tl.bfloat16))[:, None] + offs_r[None, :], mask=valid[:, None], other=0.0
        )
        scale = tl.where(valid[:, None], tl.exp2(scale.to(tl.float32) - 127.0), 0.0)
        k_nope = (k_fp8.to(tl.float32) * scale).to(tl.bfloat16)

        s = tl.dot(q_nope, tl.trans(k_nope))
        s = tl.dot(q_rope, tl.trans(k_rope), s)
        s = tl.where(valid[None, :], s * scale_log2e, -1e30)

        m_new = tl.maximum(m, tl.max(s, 1))
        alpha = tl.exp2(m - m_new)
        p = tl.where(valid[None, :], tl.exp2(s - m_new[:, None]), 0.0)
        l = l * alpha + tl.sum(p, 1)
        p = p.to(tl.bfloat16)
        acc_nope = tl.dot(p, k_nope, acc_nope.to(tl.float32) * alpha[:, None]).to(tl.bfloat16)
        acc_rope = tl.dot(p, k_rope, acc_rope.to(tl.float32) * alpha[:, None]).to(tl.bfloat16)
        m = m_new

    inverse = tl.where(l > 0.0, 1.0 / l, 0.0)
    row = (batch * HEADS + offs_h) * nsplit + split
    to = partial + row[:, None] * (NOPE + ROPE)
    tl.store(to + offs_d[None, :], acc_nope.to(tl.float32) * inverse[:, None], mask=mask_d[None, :])
    tl.store(to + NOPE + offs_r[None, :], acc_rope.to(tl.float32) * inverse[:, None])
    tl.store(lse + row, tl.where(l > 0.0, m + tl.log2(l), -1e30))
