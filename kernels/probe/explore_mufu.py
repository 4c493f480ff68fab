#!/usr/bin/env python3
"""Looks for the interpolation table behind a sweep of MUFU whose form nobody knows yet.

    smreplay calibrate mufu tanh.mufu --compare --unpack words/
    kernels/probe/explore_mufu.py words/tanh.p0.u32 [--segments 64] [--square-bits 15] [--exact-first]

Assumes what all but TANH turned out to be (sim/emulator/SpecialFunctions.h): per segment of the mantissa a quadratic
floor((C0 + C1 x + C2 T(x)) / 2^F) in units of the result, where T is a truncated square. Then it asks, in this order:
  1. into how many segments: the fewest for which a linear program finds real C0, C1, C2 for the segments that are tried;
  2. on which grids C1 and C2 lie: the coarsest power of two that has a point in every segment's feasible range;
  3. F, the grid of C0 and the rounding constant: whole numbers under which every one of the 2^23 results comes out.
What it prints last is the line for TABLES of fit_mufu.py, which writes the tables. "no fit" at 1 means another form: other bits of the
square (--square-bits), an argument that is reduced first (a sweep of another exponent), or no quadratic.
Results of several octaves are taken in units of the greatest one's last place (--finer 2: a quarter of it). Needs numpy and scipy; a minute.
"""

import argparse

import numpy as np
from scipy.optimize import linprog

from fit_mufu import MANTISSAS, truncated_square

SUBSET = 60    # constraints added per round
TRIED = 6      # segments that decide on their number
FINEST = 24    # of grids: 2^-24 of the result's unit for C1 and C2, times the segment


class Results:
    """Whole numbers `low`, and how far each result reaches: low <= quadratic < low + width, in units of 2^-`finer` of the greatest
    result's last place. What a smaller result holds below that unit is left out, which only loosens its bounds."""

    def __init__(self, path, finer, exact_first):
        words = np.fromfile(path, dtype=np.uint32)
        if len(words) != MANTISSAS:
            raise SystemExit(f"{path}: {len(words)} words, expected {MANTISSAS}")
        values = words.view(np.float32).astype(np.float64)
        if not np.all(np.isfinite(values)):
            raise SystemExit(f"{path}: infinities or NaNs among the results")
        _, exponents = np.frexp(values)  # of 0: 0, which the width below does not mind
        counted = exponents[values != 0][1 if exact_first else 0:]
        unit = 24 - int(counted.max()) + finer
        size = np.floor(np.ldexp(np.abs(values), unit)).astype(np.int64)
        self.width = np.maximum(1, np.ldexp(1.0, np.clip(exponents - 24 + unit, 0, 40))).astype(np.int64)
        self.width[values == 0] = 1
        # Truncated towards zero: of a negative result the quadratic lies above -size - width.
        self.low = np.where(values < 0, -size - self.width + 1, size)

    def segment(self, s, segments):
        n = MANTISSAS // segments
        return self.low[s * n:(s + 1) * n], self.width[s * n:(s + 1) * n]


class Quadratic:
    """One segment's constraints on reals (C0, C1, C2), as functions of offset / n and square / 2^bits."""

    def __init__(self, low, width, square, first):
        n = len(low)
        self.x, self.square, self.first = np.arange(n) / n, square, first
        self.low = (low - low[first]).astype(np.float64)
        self.high = self.low + width
        self.chosen = set(range(first, n, max(1, n // 200)))

    def solve(self, objective, slack_free):
        """Minimises objective . (C0, C1, C2, slack); adds constraints until none is broken."""
        while True:
            index = np.array(sorted(self.chosen))
            a = np.stack([np.ones(len(index)), self.x[index], self.square[index]], 1)
            s = -np.ones((len(index), 1)) if slack_free else np.zeros((len(index), 1))
            program = np.vstack([np.hstack([-a, s]), np.hstack([a, s])])
            bounds = np.concatenate([-self.low[index], self.high[index]])
            answer = linprog(objective, A_ub=program, b_ub=bounds, bounds=[(None, None)] * 3 + [(None if slack_free else 0, None if slack_free else 0)],
                             method="highs")
            if answer.x is None:
                return None
            c = answer.x
            value = c[0] + c[1] * self.x + c[2] * self.square
            excess = np.maximum(self.low - value, value - self.high) - c[3]
            excess[:self.first] = -1
            worst = np.argsort(excess)[-SUBSET:]
            worst = worst[excess[worst] > 1e-9]
            if self.chosen.issuperset(worst.tolist()):
                return c
            self.chosen |= set(worst.tolist())

    def slack(self):
        c = self.solve([0, 0, 0, 1], True)
        return np.inf if c is None else c[3]

    def ranges(self):
        """Feasible ranges of C1 and C2."""
        found = []
        for which in (1, 2):
            ends = []
            for sign in (1, -1):
                objective = [0, 0, 0, 0]
                objective[which] = sign
                c = self.solve(objective, False)
                if c is None:
                    return None
                ends.append(c[which])
            found.append(tuple(ends))
        return found


def coarsest(ranges):
    """The greatest 2^-k of which every range holds a multiple; None beyond the finest."""
    for k in range(-24, FINEST + 1):
        step = 2.0 ** -k
        if all(np.floor(high / step) * step >= low - 1e-9 * abs(low) for low, high in ranges):
            return k
    return None


def common_rounding(bounds, grid):
    """The constants r in [0, 2^grid) for which each [low, high] holds r + a multiple of 2^grid."""
    size = 1 << grid
    count = np.zeros(size + 1, dtype=np.int64)
    for low, high in bounds:
        if high - low + 1 >= size:
            count[0] += 1
            continue
        a, b = low % size, high % size
        count[a] += 1
        if a <= b:
            count[b + 1] -= 1
        else:
            count[0] += 1
            count[b + 1] -= 1
    return np.flatnonzero(np.cumsum(count[:size]) == len(bounds))


def integer_bounds(low, width, squares, first, c1, c2, scale):
    """Range of C0, in units of 2^-scale, that gives every result."""
    rest = c1 * np.arange(len(low), dtype=np.int64) + c2 * squares
    least = ((low << scale) - rest)[first:].max()
    most = (((low + width) << scale) - 1 - rest)[first:].min()
    return int(least), int(most)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words")
    parser.add_argument("--segments", type=int, help="instead of 16 to 512")
    parser.add_argument("--square-bits", type=int, default=15)
    parser.add_argument("--exact-first", action="store_true", help="the first result is exact, not interpolated (RCP and RSQ of 1)")
    parser.add_argument("--finer", type=int, default=0, help="octaves below the greatest result's last place that count")
    options = parser.parse_args()
    results = Results(options.words, options.finer, options.exact_first)
    whole_square = truncated_square()

    def squares(n):
        bits = n.bit_length() - 1
        return whole_square[np.arange(n) >> max(0, bits - options.square_bits)]

    def quadratic(s, segments):
        n = MANTISSAS // segments
        low, width = results.segment(s, segments)
        return Quadratic(low, width, squares(n) / 2.0**options.square_bits, 1 if options.exact_first and s == 0 else 0)

    segments = None
    for candidate in [options.segments] if options.segments else [16, 32, 64, 128, 256]:
        slacks = [quadratic(s, candidate).slack() for s in np.linspace(0, candidate - 1, TRIED).astype(int)]
        print(f"{candidate} segments: off by at most {max(max(slacks), 0):.4f} units in {TRIED} of them", flush=True)
        if max(slacks) < 0:
            segments = candidate
            break
    if segments is None:
        raise SystemExit("no fit")

    n = MANTISSAS // segments
    parts = [quadratic(s, segments) for s in range(segments)]
    ranges = [part.ranges() for part in parts]
    if any(r is None for r in ranges):
        raise SystemExit(f"no quadratic in segments {[s for s, r in enumerate(ranges) if r is None]}")
    # As steps per offset, and per unit of the square.
    k1 = coarsest([(a / n, b / n) for (a, b), _ in ranges])
    k2 = coarsest([(a / 2.0**options.square_bits, b / 2.0**options.square_bits) for _, (a, b) in ranges])
    print(f"C1 lies on a grid of 2^-{k1}, C2 of 2^-{k2} units", flush=True)
    if k1 is None or k2 is None:
        raise SystemExit("no grid: another form of the square?")
    scale = max(k1, k2)
    unit1, unit2 = 1 << (scale - k1), 1 << (scale - k2)
    bounds, broken = [], []
    for s in range(segments):
        low, width = results.segment(s, segments)
        first = 1 if options.exact_first and s == 0 else 0
        best = None
        (a1, b1), (a2, b2) = ranges[s]
        units1 = np.arange(np.ceil(a1 * 2**scale / n / unit1 - 1e-6), np.floor(b1 * 2**scale / n / unit1 + 1e-6) + 1)
        units2 = np.arange(np.ceil(a2 * 2.0**(scale - options.square_bits) / unit2 - 1e-6),
                           np.floor(b2 * 2.0**(scale - options.square_bits) / unit2 + 1e-6) + 1)
        for c1 in units1[:4]:
            for c2 in units2[:8]:
                found = integer_bounds(low, width, squares(n), first, int(c1) * unit1, int(c2) * unit2, scale)
                if best is None or found[1] - found[0] > best[1] - best[0]:
                    best = found
        if best is None or best[0] > best[1]:
            broken.append(s)
        else:
            bounds.append(best)
    if broken:
        raise SystemExit(f"F = {scale}: no whole numbers in {len(broken)} of {segments} segments, first {broken[:8]}")
    for grid in range(scale, -1, -1):
        constants = common_rounding(bounds, grid)
        if len(constants):
            break
    print(f"F = {scale}, C0 on a grid of 2^{grid}, rounding constant {constants[0]} to {constants[-1]} ({len(constants)} values)")
    print(f"TABLES: segments {segments}, F {scale}, grid {grid}, rounding {constants[len(constants) // 2]}, units {unit1}, {unit2}")


if __name__ == "__main__":
    main()
