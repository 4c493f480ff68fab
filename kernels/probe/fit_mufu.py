#!/usr/bin/env python3
"""Recovers the interpolation tables of MUFU from the sweeps that mufu.cu measured, and writes them as C++.

    smreplay calibrate mufu configs/measurements/h200-2026-12-01-calibrate/special.mufu --compare --unpack words/
    kernels/probe/fit_mufu.py configs/measurements/h200-2026-11-30/mufu words > sim/emulator/SpecialFunctionTables.inc

The folders hold sweeps as mufu.cu wrote them (.i8.xz), or words as `smreplay calibrate mufu --compare --unpack` writes them (.u32). A
function that is not in TABLES: explore_mufu.py.

Each function is a quadratic per segment of its argument: floor((C0 + C1 x + C2 T(x)) / 2^F) with x the offset in the segment
and T a truncated square (sim/emulator/SpecialFunctions.h). A linear program finds the reals C0, C1, C2 that put every one of
a segment's results into its unit; C1 and C2 come out as whole numbers, and one rounding constant for all segments puts C0 on
a grid. The script then evaluates the integers over every point and fails unless each equals the hardware's result.
Needs numpy and scipy; about a minute.
"""

import lzma
import os
import sys

import numpy as np
from scipy.optimize import linprog

MANTISSAS = 1 << 23
SQUARE_BITS = 15
SUBSET = 60  # constraints added per round

# name, file, true function, first argument, exponent, bits of the result at fraction 0, segments,
# F, log2 of the grid of C0, rounding constant, unit of C1 and C2 (of the formula above)
TABLES = (
    ("kExp2", "ex2.p0", np.exp2, 0, 0x40000000, 64, 15, 13, 6114, 1, 1),
    ("kLog2", "lg2.p1", np.log2, 1, 0x3F800000, 64, 15, 12, 837, 1, 2),
    ("kReciprocal", "rcp.p0", lambda x: 1 / x, 0, 0x3F000000, 128, 15, 13, 2023, 1, 1),
    ("kRootEven", "rsq.p0", lambda x: 1 / np.sqrt(x), 0, 0x3F000000, 64, 16, 14, -1, 1, 4),
    ("kRootOdd", "rsq.p1", lambda x: 1 / np.sqrt(x), 1, 0x3F000000, 64, 16, 14, -1, 1, 4),
    ("kSquareRootEven", "sqrt.p0", np.sqrt, 0, 0x3F800000, 64, 17, 15, -1, 1, 2),
    ("kSquareRootOdd", "sqrt.p1", np.sqrt, 1, 0x3F800000, 64, 16, 14, -1, 1, 1),
    ("kSine", "sin.p-2", None, -2, 0, 64, 14, 12, 0, 1, 1),
)
# From a quarter of a turn on the unit goes through its table backwards; results are in units of the last place of those near 1.
BACKWARDS = "sin.p-2"
FRACTION_BITS = 24


def truncated_square():
    """T of each 15-bit number: the partial products of z^2 below 2^15 are left out, the rest is shifted right by 15."""
    z = np.arange(1 << SQUARE_BITS, dtype=np.int64)
    bit = [(z >> i) & 1 for i in range(SQUARE_BITS)]
    total = np.zeros_like(z)
    for i in range(SQUARE_BITS):
        if 2 * i >= SQUARE_BITS:
            total += bit[i] << (2 * i)
        for j in range(i + 1, SQUARE_BITS):
            if i + j + 1 >= SQUARE_BITS:
                total += (bit[i] & bit[j]) << (i + j + 1)
    return total >> SQUARE_BITS


def measured(folders, file, function, exponent):
    """The hardware's results as int32 bit patterns: words, or the correctly rounded ones plus the measured differences."""
    for folder in folders:
        words = f"{folder}/{file}.u32"
        if os.path.exists(words):
            return np.fromfile(words, dtype=np.int32).astype(np.int64)
        if os.path.exists(f"{folder}/{file}.i8.xz"):
            with lzma.open(f"{folder}/{file}.i8.xz") as stream:
                difference = np.frombuffer(stream.read(), dtype=np.int8).astype(np.int64)
            x = (np.arange(MANTISSAS, dtype=np.uint32) | np.uint32((exponent + 127) << 23)).view(np.float32)
            return function(x.astype(np.float64)).astype(np.float32).view(np.int32).astype(np.int64) + difference
    raise SystemExit(f"no {file}.u32 and no {file}.i8.xz in {', '.join(folders)}")


def fixed_point(results):
    """Floats' bits, backwards, as whole units of 2^-FRACTION_BITS."""
    values = results.astype(np.int32).view(np.float32)[::-1].astype(np.float64)
    return np.floor(np.ldexp(values, FRACTION_BITS)).astype(np.int64)


def feasible(results, square, first):
    """Reals (C0, C1, C2), in units of the result and of the segment, with results <= C0 + C1 x + C2 T < results + 1."""
    n = len(results)
    x = np.arange(n) / n
    wanted = (results - results[first]).astype(np.float64)
    chosen = set(range(first, n, n // 200))
    while True:
        index = np.array(sorted(chosen))
        a = np.stack([np.ones(len(index)), x[index], square[index]], 1)
        slack = -np.ones((len(index), 1))
        bounds = np.concatenate([-wanted[index], wanted[index] + 1])
        program = np.vstack([np.hstack([-a, slack]), np.hstack([a, slack])])
        solution = linprog([0, 0, 0, 1], A_ub=program, b_ub=bounds, bounds=[(None, None)] * 4, method="highs").x
        value = solution[0] + solution[1] * x + solution[2] * square - wanted
        excess = np.maximum(-value, value - 1) - solution[3]
        excess[:first] = -1
        worst = np.argsort(excess)[-SUBSET:]
        worst = worst[excess[worst] > 1e-9]
        if chosen.issuperset(worst.tolist()):  # also where the solver's tolerance leaves a chosen one over its bound
            return solution[:3], solution[3]
        chosen |= set(worst.tolist())


def segment(results, square, scale, grid, rounding, unit1, unit2, first):
    """Integers (c0, c1, c2), checked on every point from `first`."""
    n = len(results)
    (_, slope, curvature), slack = feasible(results, square / 2.0**SQUARE_BITS, first)
    if slack >= 0:
        raise SystemExit(f"no quadratic fits a segment (by {slack} of a unit)")
    c1 = round(slope * 2**scale / n / unit1)
    c2 = round(curvature * 2 ** (scale - SQUARE_BITS) / unit2)
    x = np.arange(n, dtype=np.int64)
    rest = c1 * unit1 * x + c2 * unit2 * square + rounding
    c0 = -((-(results * 2**scale - rest)[first:].max()) >> grid)
    if np.any((((c0 << grid) + rest) >> scale)[first:] != results[first:]):
        raise SystemExit("a segment's integers do not give the measured results")
    return c0, c1, c2


def main():
    folders = sys.argv[1:]
    square = truncated_square()
    print("// Written by kernels/probe/fit_mufu.py from configs/measurements/h200-2026-11-30/mufu. Not edited by hand.")
    for name, file, function, exponent, base, segments, scale, grid, rounding, unit1, unit2 in TABLES:
        results = measured(folders, file, function, exponent) - base
        if file == BACKWARDS:
            results = fixed_point(results)
        n = MANTISSAS // segments
        squares = square[np.arange(n) >> (n.bit_length() - 1 - SQUARE_BITS)]
        print(f"inline constexpr Segment {name}[] = {{")
        row = "   "
        for s in range(segments):
            first = 1 if s == 0 and file in ("rcp.p0", "rsq.p0") else 0  # the result at 1 is exact, not interpolated
            part = results[s * n : (s + 1) * n]
            c = segment(part, squares, scale, grid, rounding, unit1, unit2, first)
            text = " {%d, %d, %d}," % c
            if len(row) + len(text) > 120:
                print(row)
                row = "   "
            row += text
        print(row + "\n};")


if __name__ == "__main__":
    main()
