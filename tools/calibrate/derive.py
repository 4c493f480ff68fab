"""From readings to the keys of a machine file.

Each function takes the raw file and yields (key, Value). A value is rounded to the file's whole units; low and high hold
the spread of the readings (quartiles, or the least and greatest of the benchmarks that agree), never less than the value
itself. Nothing here knows any kernel but those of kernels/microbench.
"""
import dataclasses
import math
import statistics

from raw import COLD, REPEATS, Slope, slope, steady, typical


@dataclasses.dataclass
class Value:
    value: object           # int, or a list of int
    note: str               # the reading and how it was taken
    low: int | None = None
    high: int | None = None


def rounded(s, note, extra=0):
    """A slope as a value: the nearest whole number, with the quartiles' range rounded outwards."""
    value = round(s.value + extra)
    low, high = math.floor(s.low + extra + 0.25), math.ceil(s.high + extra - 0.25)
    return Value(value, f"{s.value:.2f} {note}", min(low, value), max(high, value))


# ---- arithmetic -------------------------------------------------------------------------------------------------------

# Benchmark, instructions of the class in a step, timing class.
CHAINS = [("FFMA", 1, "ffma"), ("IMAD", 1, "imad"), ("LOP3", 1, "alu"), ("FMNMX", 2, "alu_dual"), ("DFMA", 1, "fp64"),
          ("HMMA16816", 1, "hmma_16816_f32"), ("MUFU_EX2", 1, "mufu"), ("POPC", 1, "xu_int"), ("LDC", 1, "ldc")]


class Scaled:
    def __init__(self, s, by):
        self.value, self.low, self.high = s.value / by, s.low / by, s.high / by


def latencies(raw):
    for op, count, timing in CHAINS:
        s = Scaled(slope(raw, "chain", op=op), count)
        yield f"timing.{timing}.latency", rounded(s, f"per {op} in a dependent chain")
    shfl = slope(raw, "chain", op="SHFL")
    for width in ("", "_64", "_128"):
        yield f"timing.shfl.latency{width}", rounded(shfl, "per SHFL in a dependent chain")
    # I2FP runs in the ALU; its distance to F2I is that of the hazard table's cell alu -> mio, one more than the chain's.
    pair, alu = slope(raw, "chain", op="I2F_F2I"), slope(raw, "chain", op="LOP3")
    yield "timing.xu_convert.latency", rounded(pair, "per I2FP and F2I in a dependent chain, less the ALU's latency and 1",
                                               -alu.value - 1)
    read = statistics.median(steady(raw.one("special_register", reads=1)))
    none = statistics.median(steady(raw.one("special_register", reads=0)))
    yield "timing.s2r.latency", Value(round(read - none), f"{read:g} cycles around S2R and its user, {none:g} around the user alone")


def interval(raw, op, count):
    """Cycles per instruction of a sub-core's pipe: the least over one warp, one and four warps a sub-core."""
    best = None
    for warps in (1, 4, 16):
        s = Scaled(slope(raw, "stream", op=op, warps=warps), count * math.ceil(warps / 4))
        if best is None or s.value < best.value:
            best = s
    return best


def intervals(raw):
    for op, count, timing in CHAINS:
        yield f"timing.{timing}.interval", rounded(interval(raw, op, count), f"per {op}, independent, best of 1, 4 and 16 warps")


# ---- memory inside the SM ---------------------------------------------------------------------------------------------

def memory_latencies(raw):
    for bits, width in ((32, ""), (64, "_64"), (128, "_128")):
        lines = [l for l in raw.all("chase", level="L1", bits=bits) if l.params["footprint"] <= 8192]
        lines.sort(key=lambda l: l.params["steps"])
        s = Slope(lines[0], lines[-1], lines[0].params["steps"], lines[-1].params["steps"])
        yield f"timing.ldg.latency{width}", rounded(s, f"per LDG.{bits} in a pointer chase, L1 hit")
        yield f"timing.ldl.latency{width}", rounded(s, "as LDG")
        s = slope(raw, "shared_chase", op=f"LDS.{bits}", ways=1)
        yield f"timing.lds.latency{width}", rounded(s, f"per LDS.{bits} in a pointer chase")
    for count, width in ((1, ""), (2, "_64"), (4, "_128")):
        s = slope(raw, "shared_chase", op=f"LDSM.{count}", ways=1)
        yield f"timing.ldsm.latency{width}", rounded(s, f"per LDSM.x{count} in a pointer chase")


def burst(raw, op, warps):
    """Cycles from the first issue to the one after instruction n, n = 0..12, all warps' median."""
    lines = {l.params["n"]: l for l in raw.all("burst", op=op, warps=warps)}
    empty = typical(lines[0])
    return [typical(lines[n]) - empty for n in sorted(lines)]


def queue(raw):
    """Depth, address unit and acceptance from LDS.32: full speed while the queue has room, then one per free entry."""
    alone, together = burst(raw, "LDS.32", 1), burst(raw, "LDS.32", 4)
    depth = next(n for n in range(1, 13) if alone[n] > alone[1] + (n - 1)) - 1
    yield "memory.queue_entries", Value(depth, f"LDS.32 back to back from one warp issue at {[round(v) for v in alone[1:]]}".replace(",", ""))
    yield "memory.accept_cycles", Value(round(alone[depth + 1] - 1), f"instruction {depth + 1} of a burst issues so long after the first")
    steps = [b - a for a, b in zip(alone[depth + 1:], alone[depth + 2:])]
    agu = statistics.mean(steps)
    yield "memory.agu_interval", Value(round(agu), f"{agu:.2f} per LDS.32 beyond the queue, one sub-core", round(min(steps)), round(max(steps)))
    per_sm = min(statistics.median(l.samples[1:]) / l.params["instructions"] for l in raw.all("sustained", op="LDS.32", ways=1))
    yield "memory.shared_interval", Value(round(per_sm), f"{per_sm:.2f} cycles per LDS.32 and SM, sustained")


def sustained_bytes(raw, op):
    return max(32 * l.params["bytes"] * l.params["instructions"] / statistics.median(l.samples[1:])
               for l in raw.all("sustained", op=op, ways=1))


def data_path(raw):
    best = sustained_bytes(raw, "LDS.128")
    yield "memory.shared_bytes_per_cycle", Value(2 ** round(math.log2(best)), f"LDS.128 {best:.1f}, LDG.128 {sustained_bytes(raw, 'LDG.128'):.1f} sustained")


def conflicts(raw):
    latency = {w: slope(raw, "shared_chase", op="LDS.32", ways=w).value for w in (1, 2, 4, 8, 16, 32)}
    per = (latency[32] - latency[1]) / 31
    yield "memory.conflict_latency_cycles", Value(round(per), f"chase of LDS.32: {latency[1]:.1f} without, {latency[32]:.1f} with 32 ways")
    line = raw.one("sustained", op="LDS.32", ways=32)
    passes = statistics.median(line.samples[1:]) / line.params["instructions"] / 32
    yield "memory.conflict_pass_cycles", Value(round(passes), f"{passes:.2f} cycles per pass of a 32-way conflict, sustained")


# ---- barriers and fences ----------------------------------------------------------------------------------------------

def fitted_line(points):
    n, sx, sy = len(points), sum(x for x, _ in points), sum(y for _, y in points)
    sxx, sxy = sum(x * x for x, _ in points), sum(x * y for x, y in points)
    b = (n * sxy - sx * sy) / (n * sxx - sx * sx)
    return (sy - b * sx) / n, b


def barriers(raw):
    points = [(w, slope(raw, "synchronisation", op="BAR", warps=w).value) for w in (1, 2, 4, 8, 12, 16, 20, 24, 28, 32)]
    base, per_warp = fitted_line(points)
    text = " ".join(f"{w}:{y:.1f}" for w, y in points)
    yield "memory.barrier_release_cycles", Value(round(base), f"BAR after BAR by warps {text}")
    yield "memory.barrier_per_warp_cycles", Value(round(per_warp), f"slope {per_warp:.2f} of BAR after BAR over warps")


def fences(raw):
    costs = [slope(raw, "synchronisation", op=f"MEMBAR.{scope}", warps=1).value for scope in ("CTA", "GPU", "SYS")]
    yield "memory.membar_cycles", Value([round(c) for c in costs], "fence after fence, nothing outstanding; with ERRBAR and CCTL.IVALL")


# ---- beyond the SM ----------------------------------------------------------------------------------------------------

def near_and_far(raw):
    """Medians of the two modes of the per-address L2 latencies of an SM, without the stamp's own cycles."""
    stamp = statistics.median(raw.one("stamped_chase", level="L1").samples[16:])
    chase = slope(raw, "chase", "steps", level="L1", bits=64, footprint=8192).value
    near, far = [], []
    for line in raw.all("stamped_chase", level="L2"):
        values = [v - (stamp - chase) for v in line.samples]
        middle = (min(values) + sorted(values)[int(0.98 * len(values))]) / 2
        near += [v for v in values if v < middle]
        far += [v for v in values if v >= middle]
    return statistics.median(near), statistics.median(far), len(far) / (len(near) + len(far))


DERIVATIONS = [latencies, intervals, memory_latencies, queue, data_path, conflicts, barriers, fences]


def derive(raw, complain):
    """All keys that the raw file gives; a derivation whose benchmark is missing is named, the others go on."""
    values = {}
    for derivation in DERIVATIONS:
        try:
            for key, value in derivation(raw):
                values[key] = value
        except (KeyError, StopIteration) as error:
            complain(f"{derivation.__name__}: {error}")
    return values
