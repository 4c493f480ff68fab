#!/usr/bin/env python3
"""Runs microbenchmarks on the simulated GPU and compares what they read with the machine file that the simulation used.

Usage: round_trip.py SMREPLAY NVDISASM CUBIN_DIR MACHINE [--machine-file FILE]

CUBIN_DIR holds arithmetic.cubin, shared.cubin, synchronisation.cubin and throughput.cubin of kernels/microbench, compiled
with -DMICROBENCH_WITHOUT_CLOCKS. Cycles per instruction are the slope of the elapsed cycles over two lengths (or over two
numbers of warps), so launch, start and end cancel. A latency must come back within a cycle, a rate within 2 %.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

REPEATS = 24       # timed repeats of a kernel (Harness.h)
ITERATIONS = 68    # of throughput.cu, warming rounds included
BURST = 8

BUFFERS = """
buffers { name: "out" bytes: 65536 fill { zero {} } output: true element: "i32" }
buffers { name: "sink" bytes: 65536 fill { zero {} } }
buffers { name: "data" bytes: 4194304 fill { zero {} } }
"""
ARITHMETIC = 'arguments { buffer: "out" } arguments { f32: 0 } arguments { buffer: "sink" }'
SHARED = 'arguments { u32: %d } arguments { buffer: "out" } arguments { buffer: "sink" }'
SYNCHRONISATION = 'arguments { buffer: "data" } arguments { buffer: "out" } arguments { buffer: "sink" }'
SUSTAINED = ('arguments { buffer: "data" } arguments { u32: 16384 } arguments { u32: %d } arguments { u32: 0 } '
             'arguments { buffer: "out" } arguments { buffer: "sink" }')


class Simulator:
    def __init__(self, smreplay, nvdisasm, cubins, machine):
        self.smreplay, self.nvdisasm, self.cubins, self.machine = smreplay, nvdisasm, pathlib.Path(cubins), machine
        self.symbols = {}
        self.folder = tempfile.TemporaryDirectory()

    def symbol(self, source, pattern):
        if source not in self.symbols:
            text = subprocess.run([self.nvdisasm, "-c", self.cubins / f"{source}.cubin"], check=True, capture_output=True, text=True).stdout
            self.symbols[source] = re.findall(r"\.section\s+\.text\.([^,\s]+)", text)
        found = [s for s in self.symbols[source] if pattern in s]
        if len(found) != 1:
            sys.exit(f"{source}: {len(found)} kernels match {pattern}")
        return found[0]

    def elapsed(self, source, pattern, threads, arguments):
        symbol = self.symbol(source, pattern)
        folder = pathlib.Path(self.folder.name)
        program = folder / f"{symbol}.program"
        if not program.exists():
            subprocess.run([self.smreplay, "capture", self.cubins / f"{source}.cubin", "--nvdisasm", self.nvdisasm, "--symbol", symbol,
                            "--quiet", "-o", program], check=True)
        launch = folder / "k.launch.txtpb"
        launch.write_text(f'name: "k" program: "{program.name}" kernel: "{symbol}" grid {{ x: 1 y: 1 z: 1 }} '
                          f"block {{ x: {threads} y: 1 z: 1 }} dynamic_shared_bytes: {24576 if source == 'throughput' else 0} "
                          f"shared_carveout_kb: -1 {BUFFERS} {arguments}")
        result = folder / "k.json"
        subprocess.run([self.smreplay, "run", launch, "-m", self.machine, "--format", "json", "--quiet", "-o", result], check=True)
        return json.loads(result.read_text())["elapsed_cycles"]


def by_length(sim, source, pattern, threads, arguments, short, long):
    a = sim.elapsed(source, pattern % short, threads, arguments)
    b = sim.elapsed(source, pattern % long, threads, arguments)
    return (b - a) / (long - short) / REPEATS


def cases(sim):
    """(benchmark, key of the machine file, cycles read, cycles expected as a function of the key's value)."""
    same = lambda v: v
    for op, count, timing in (("FFMA", 1, "ffma"), ("IMAD", 1, "imad"), ("LOP3", 1, "alu"), ("FMNMX", 2, "alu_dual"), ("DFMA", 1, "fp64"),
                              ("HMMA16816", 1, "hmma_16816_f32"), ("MUFU_EX2", 1, "mufu"), ("POPC", 1, "xu_int"), ("LDC", 1, "ldc"),
                              ("SHFL", 1, "shfl")):
        read = by_length(sim, "arithmetic", f"{op}ELi%dELi1E", 32, ARITHMETIC, 64, 320) / count
        yield f"chain of {op}", f"timing.{timing}.latency", read, same, 1
        if op not in ("SHFL",):
            read = by_length(sim, "arithmetic", f"{op}ELi%dELi16E", 512, ARITHMETIC, 64, 320) / count / 4
            yield f"stream of {op}, 16 warps", f"timing.{timing}.interval", read, same, None
    for op, key in (("Lds32", "lds.latency"), ("Lds64", "lds.latency_64"), ("Lds128", "lds.latency_128"), ("Ldsm1", "ldsm.latency"),
                    ("Ldsm2", "ldsm.latency_64"), ("Ldsm4", "ldsm.latency_128")):
        yield f"chase of {op}", f"timing.{key}", by_length(sim, "shared", f"{op}ELi%dE", 32, SHARED % 0, 64, 256), same, 1
    one = by_length(sim, "shared", "Lds32ELi%dE", 32, SHARED % 0, 64, 256)
    many = by_length(sim, "shared", "Lds32ELi%dE", 32, SHARED % 5, 64, 256)
    yield "32-way conflict", "memory.conflict_latency_cycles", (many - one) / 31, same, 1
    few = by_length(sim, "synchronisation", "BarrierELi%dE", 32, SYNCHRONISATION, 4, 20)
    all_warps = by_length(sim, "synchronisation", "BarrierELi%dE", 1024, SYNCHRONISATION, 4, 20)
    yield "BAR, 1 to 32 warps", "memory.barrier_per_warp_cycles", (all_warps - few) / 31, same, 1
    yield "BAR, 1 warp", "memory.barrier_release_cycles", few - (all_warps - few) / 31, same, None
    for op, bytes_, key in (("Lds32", 4, "memory.shared_interval"), ("Lds128", 16, "memory.shared_bytes_per_cycle"),
                            ("Ldg128", 16, "memory.shared_bytes_per_cycle")):
        half = sim.elapsed("throughput", f"sustainedINS_{len(op)}{op}EE", 512, SUSTAINED % 0)
        full = sim.elapsed("throughput", f"sustainedINS_{len(op)}{op}EE", 1024, SUSTAINED % 0)
        read = (full - half) / (16 * BURST * ITERATIONS)
        expected = (lambda v: 32 * bytes_ / v) if key.endswith("per_cycle") else same
        yield f"sustained {op}", key, read, expected, None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("smreplay", "nvdisasm", "cubins", "machine"):
        parser.add_argument(name)
    arguments = parser.parse_args()
    show = subprocess.run([arguments.smreplay, "config", "show", "-m", arguments.machine], check=True, capture_output=True, text=True).stdout
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "tools" / "calibrate"))
    import machine_text
    leaves = machine_text.leaves(show)
    missed = 0
    for benchmark, key, read, expected, cycles in cases(Simulator(arguments.smreplay, arguments.nvdisasm, arguments.cubins, arguments.machine)):
        want = expected(float(leaves[key].fields["value"]))
        ok = abs(read - want) <= (1 if cycles else 0.02 * want)
        missed += not ok
        print(f"{'  ' if ok else '! '}{benchmark:28} {key:36} reads {read:8.3f}, file {want:8.3f}")
    print(f"{missed} missed")
    return missed != 0


if __name__ == "__main__":
    sys.exit(main())
