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
    unit: str | None = None           # None: the file's
    confidence: str = "MEASURED"      # ASSUMED: closes a measured sum whose split nobody measured


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


def intervals(raw):
    """From one warp a sub-core: of several, the scheduler lets one run ahead, and the warps' own times overlap little."""
    for op, count, timing in CHAINS:
        s = Scaled(slope(raw, "stream", op=op, warps=4), count)
        yield f"timing.{timing}.interval", rounded(s, f"per {op}, independent, one warp a sub-core")
    shared = slope(raw, "stream", op="I2F_F2I", warps=16)
    yield "timing.xu_convert.interval", rounded(Scaled(shared, 4), "per F2I with an I2FP each, four warps a sub-core")


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


BURST = 9  # of throughput.cu: eight instructions and the LDGDEPBAR that ends their group


def acceptance(raw):
    per_round = 8 * min(statistics.median(l.samples[1:]) / l.params["instructions"] for l in raw.all("sustained", op="LDS.32", ways=1))
    yield "memory.shared_interval", Value(round(per_round / BURST), f"{per_round:.2f} cycles and SM for 8 LDS.32 and an LDGDEPBAR, sustained")


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
    points = [(w, slope(raw, "synchronisation", op="BAR", warps=w).value) for w in (1, 2, 3, 4, 6, 8, 12, 16, 20, 24, 28, 32)]
    base, per_warp = fitted_line(points)
    yield "memory.barrier_release_cycles", Value(round(base), f"{base:.2f} + {per_warp:.2f} per warp for BAR after BAR of 1 to 32 warps")
    yield "memory.barrier_per_warp_cycles", Value(round(per_warp), f"slope {per_warp:.2f} of BAR after BAR over warps")


def fences(raw):
    costs = [slope(raw, "synchronisation", op=f"MEMBAR.{scope}", warps=1).value for scope in ("CTA", "GPU", "SYS")]
    yield "memory.membar_cycles", Value([round(c) for c in costs], "fence after fence, nothing outstanding; with ERRBAR and CCTL.IVALL")


def atomics(raw):
    for op, timing in (("ATOMS", "atoms"), ("ATOMG", "atomg")):
        s = slope(raw, "synchronisation", op=op, warps=1)
        for width in ("", "_64", "_128"):
            yield f"timing.{timing}.latency{width}", rounded(s, f"per {op}.EXCH of 32 bits, each storing what the one before returned")


# ---- beyond the SM ----------------------------------------------------------------------------------------------------

FAR = 600      # cycles of a DRAM read: below is the near half of the chip, above the far one (two modes, 530 and 710)
SLOW = 800     # above: refresh and address translation, no unloaded latency
STAMP = 2      # cycles of a stamped load beyond the same load in a chase: 34 and 32 for an L1 hit
HEADER = 8     # interconnect.header_bytes, assumed
LINE = 128


def dram_modes(raw):
    """Medians of a DRAM read served by the SM's own half of the chip and by the other, and their quartiles."""
    stamps = [v - STAMP for v in raw.one("stamped_chase", level="DRAM").samples]
    modes = sorted(v for v in stamps if v < FAR), sorted(v for v in stamps if FAR <= v < SLOW)
    quartile = lambda v, q: v[int(q * len(v))]
    return [(statistics.median(v), quartile(v, 0.25), quartile(v, 0.75)) for v in modes]


def far_half(raw):
    near, far = dram_modes(raw)
    yield "l2.far_extra_cycles", Value(round(far[0] - near[0]), f"DRAM reads by address: two modes, medians {near[0]:g} and {far[0]:g}",
                                       round(far[1] - near[1]), round(far[2] - near[2]))


def l2_hit(raw):
    """Chases over 1 to 24 MiB: all lines end up in the SM's half."""
    return statistics.mean(typical(l) / l.params["steps"] for l in raw.all("chase", level="L2") if 1 << 20 <= l.params["footprint"] <= 24 << 20)


def device(raw):
    """What the driver and the L2's own counters say."""
    line = raw.all("profiler")[0]
    slices = round(line.samples[1] / line.samples[0])
    width, memory = line.params["fb_bus_width"], line.params["memory_khz"]
    yield "l2.slices", Value(slices, "lts__cycles_elapsed: sum over average")
    yield "l2.bytes", Value(slices * 640, f"{slices} slices of 640 KiB; the driver reports {line.params['l2_bytes'] >> 20} MiB, which would be 96",
                            unit="KiB")
    mhz = statistics.median(1000 * l.samples[0] / l.samples[2] for l in raw.all("profiler") if l.samples[2] > 20000)
    yield "l2.clock", Value(round(mhz), "lts__cycles_elapsed over the time of kernels above 20 us", round(mhz) - 5, round(mhz) + 5)
    yield "dram.channels", Value(width // 32, f"bus of {width} bits, by the driver")
    yield "dram.clock", Value(memory // 2, f"half of the driver's {memory // 1000} MHz: 4.81 TB/s over {width} bits")


def bandwidth(raw):
    """Ports by the greatest rates of a stream, with a header for every line."""
    with_header = (LINE + HEADER) / LINE
    rate = lambda l, cycles: l.params["bytes_per_sm"] / cycles
    alone = max(rate(l, statistics.median(l.samples)) for l in raw.all("bandwidth", level="L2", write=0, sms=1))
    yield "interconnect.sm_reply_bytes_per_cycle", Value(round(alone * with_header), f"{alone:.1f} B/cycle read from L2 by one SM, with 8 B a line")
    written = max(rate(l, statistics.median(l.samples)) for l in raw.all("bandwidth", level="L2", write=1, sms=1))
    yield "interconnect.sm_request_bytes_per_cycle", Value(round(written * with_header), f"{written:.1f} B/cycle written by one SM, with 8 B a line")
    # The dispatcher fills GPC by GPC, so that among 32 and 64 SMs there are GPCs with all of their 16 and 18 SMs: the slowest.
    full = [sms * max(rate(l, max(l.samples)) for l in raw.all("bandwidth", level="L2", write=0, sms=active, window=16 << 20))
            for active, sms in ((32, 16), (64, 18))]
    text = " and ".join(f"{v:.0f}" for v in full)
    yield "interconnect.gpc_reply_bytes_per_cycle", Value(round(statistics.mean(full) * with_header), f"{text} B/cycle read from L2 by a whole GPC, with 8 B a line",
                                                          round(min(full) * with_header), round(max(full) * with_header))


# ---- instruction caches -----------------------------------------------------------------------------------------------

def instruction_caches(raw):
    """The last size whose warm passes run at full speed, and the last before the next step."""
    warm = {l.params["kib"]: l.samples[-1] / l.params["instructions"] for l in raw.all("straight_line", warps=1)}
    plateau = warm[64]
    l0 = max(k for k, v in warm.items() if v < 1.15)
    l1 = max(k for k, v in warm.items() if v < plateau * 1.2)
    yield "front_end.l0_bytes", Value(l0, f"straight-line code: {warm[24]:.2f} cycles per instruction at 24 KiB, {warm[32]:.2f} at 32, {warm[40]:.2f} at 40")
    yield "front_end.l1_bytes", Value(l1, f"straight-line code: {warm[120]:.2f} cycles per instruction at 120 KiB, {warm[128]:.2f} at 128, {warm[160]:.2f} at 160")


# ---- sums whose split is not measured ---------------------------------------------------------------------------------

SPLIT = "closes the sum, whose split is not measured"
EMPTY_BODY = 10  # cycles of a CTA that only exits, without its start and end


def closing(raw, number):
    """`number(key)`: the value of a key in canonical units, measured ones included. L2 hit: {L2 hit} = the parts + slice_cycles;
    a DRAM read that finds the bank open on another row: = L2 hit + miss_cycles + controller_cycles + the DRAM's own ticks."""
    core, l2, dram = number("core_clock"), number("l2.clock"), number("dram.clock")
    hit = round(l2_hit(raw))
    rest = hit - sum(number(k) for k in ("memory.miss_base_cycles", "interconnect.request_cycles", "interconnect.reply_cycles", "memory.fill_to_use_cycles"))
    slice_cycles = rest * l2 // core
    yield "l2.slice_cycles", Value(slice_cycles, f"{hit} for an L2 hit; {SPLIT}", confidence="ASSUMED")
    near = dram_modes(raw)[0][0]
    ticks = sum(number(f"dram.{k}") for k in ("rp", "rcd_read", "cl", "burst_ticks"))
    controller = round(near) - hit - -(-number("l2.miss_cycles") * core // l2) - -(-ticks * core // dram)
    yield "dram.controller_cycles", Value(controller, f"{near:g} for a DRAM read of the near half; {SPLIT}", confidence="ASSUMED")
    ns = [statistics.median(raw.one("empty_launch", ctas=c, threads=128, shared=204800).samples[2:]) for c in (1320, 13200)]
    turn = (ns[1] - ns[0]) / (11880 / 132) * core / 1e6
    yield "cta_start_cycles", Value(round(turn) - number("cta_end_cycles") - EMPTY_BODY,
                                    f"{turn:.0f} per empty CTA where an SM holds one; {SPLIT}", confidence="ASSUMED")


# ---- launches ---------------------------------------------------------------------------------------------------------

def dispatch(raw):
    core = raw.all("machine")[-1].params["core_khz"] / 1e6  # GHz
    ns = lambda ctas, threads, shared: statistics.median(raw.one("empty_launch", ctas=ctas, threads=threads, shared=shared).samples[2:])
    rates = [(ns(132000, t, 0) - ns(13200, t, 0)) / 118800 * core for t in (32, 128, 512)]
    yield "cta_dispatch_interval", Value(round(statistics.median(rates)), f"{statistics.median(rates):.2f} cycles per empty CTA, whole chip", 1, 2)
    empty = [l.samples for l in raw.all("profiler_empty", clock_control="none")]
    idle = [elapsed - active for elapsed, active, _ in empty]
    yield "launch_cycles", Value(round(statistics.median(idle)), "sm__cycles_elapsed.max less sm__cycles_active.max of empty kernels of 1 to 384 CTAs",
                                 round(min(idle)), round(max(idle)))


DERIVATIONS = [latencies, intervals, memory_latencies, acceptance, data_path, conflicts, barriers, fences, atomics, far_half, device,
               bandwidth, dispatch, instruction_caches]


CANONICAL = {"MHz": 1000, "KiB": 1024, "MiB": 1 << 20}


def derive(raw, leaves, complain):
    """All keys that the raw file gives; a derivation whose benchmark is missing is named, the others go on. `leaves`: those of
    the machine file, by key."""
    values = {}

    def number(key):
        value, unit = (values[key].value, values[key].unit) if key in values else (leaves[key].fields["value"], None)
        return int(value) * CANONICAL.get(unit or leaves[key].fields.get("unit", "").strip('"'), 1)

    for derivation in DERIVATIONS + [lambda raw: closing(raw, number)]:
        try:
            for key, value in derivation(raw):
                values[key] = value
        except (KeyError, IndexError) as error:
            complain(f"{derivation.__name__}: {error}")
    return values
