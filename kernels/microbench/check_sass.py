#!/usr/bin/env python3
"""Checks in SASS that a timed region holds what its benchmark claims: the instructions under test, so many of them, and
nothing else.

Usage: check_sass.py NVDISASM CUBIN...

A region lies between two readings of the clock (CS2R of SR_CLOCKLO). Published microbenchmarks went wrong by what the
compiler adds or takes away (fused additions, merged equal instructions, address arithmetic, a clock read through the queue
of S2UR), so each kernel has a rule here and a kernel without one is an error.
"""
import collections
import re
import subprocess
import sys

# What may stand in a region beside the instructions under test: the three guarded-off LDS that ptxas puts before LDGSTS,
# moves of start values (the same in both lengths of a pair, so the slope does not see them), the NOPs that stretch the
# fixed distance between two HMMAs of a chain.
MOVES = {"MOV": 8, "IMAD.MOV.U32": 8, "R2UR": 4}
LDGSTS = {"LDS": 3}

ARITHMETIC = {
    "FFMA": {"FFMA": 1}, "LOP3": {"LOP3.LUT": 1}, "FMNMX": {"FMNMX": 2}, "IADD3": {"IADD3": 1}, "IMAD": {"IMAD": 1},
    "DFMA": {"DFMA": 1}, "HMMA16816": {"HMMA.16816.F32": 1},
    "MUFU_EX2": {"MUFU.EX2": 1}, "MUFU_RSQ": {"MUFU.RSQ": 1}, "RCP_TANH": {"MUFU.RCP": 1, "MUFU.TANH": 1},
    "POPC": {"POPC": 1}, "I2F_F2I": {"I2FP.F32.S32": 1, "F2I.TRUNC.NTZ": 1}, "SHFL": {"SHFL.IDX": 1}, "LDC": {"LDC": 1},
}
MEMORY = {
    "LDS_32": "LDS", "LDS_64": "LDS.64", "LDS_128": "LDS.128", "LDSM_1": "LDSM.16.M88", "LDSM_2": "LDSM.16.M88.2",
    "LDSM_4": "LDSM.16.M88.4", "STS_32": "STS", "STS_64": "STS.64", "STS_128": "STS.128", "LDG_32": "LDG.E", "LDG_64": "LDG.E.64",
    "LDG_128": "LDG.E.128", "LDG_128_L2": "LDG.E.128.STRONG.GPU", "LDG_64_L2": "LDG.E.64.STRONG.GPU", "STG_32": "STG.E",
    "STG_128": "STG.E.128", "LDL_32": "LDL", "LDL_128": "LDL.128", "STL_32": "STL", "STL_128": "STL.128", "LDGSTS_32": "LDGSTS.E",
    "LDGSTS_64": "LDGSTS.E.64", "LDGSTS_128": "LDGSTS.E.128", "LDGSTS_128_L2": "LDGSTS.E.BYPASS.128", "SHFL": "SHFL.IDX",
    "MUFU_EX2": "MUFU.EX2", "FFMA": "FFMA",
}
FENCE = {"ERRBAR": 1, "CGAERRBAR": 1, "CCTL.IVALL": 1}
COPY = {"LDGDEPBAR": 1, "DEPBAR.LE": 1}
SYNCHRONISATION = {
    "BAR": {"BAR.SYNC.DEFER_BLOCKING": 1}, "MEMBAR_CTA": {"MEMBAR.SC.CTA": 1}, "MEMBAR_GPU": {"MEMBAR.SC.GPU": 1, **FENCE},
    "MEMBAR_SYS": {"MEMBAR.SC.SYS": 1, **FENCE}, "STG_MEMBAR_GPU": {"STG.E": 1, "MEMBAR.SC.GPU": 1, **FENCE},
    "ATOMS": {"ATOMS.EXCH": 1}, "ATOMG": {"ATOMG.E.EXCH.STRONG.GPU": 1},
    "LDGSTS_32": {"LDGSTS.E": 1, **COPY}, "LDGSTS_128": {"LDGSTS.E.128": 1, **COPY}, "LDGSTS_128_L2": {"LDGSTS.E.BYPASS.128": 1, **COPY},
}
LOOP = {**{o: 64 for o in ("LOP3.LUT", "MOV", "IMAD.MOV.U32")},
        **{o: 4 for o in ("VIADD", "IADD3", "ISETP.NE.AND", "LDGDEPBAR", "DEPBAR.LE", "BRA", "BRA.U", "S2R", "STL", "UIADD3", "UISETP.NE.AND",
                          "R2UR", "UMOV", "LDS", "STG.E")}}
UNTIMED = r"(hold|state|mix|atomics|stream_read|stream_write|loaded_chase)_|(stagger|bulk_copy|first_touch|link_ring|touch|timed_work|empty)$|mufu_"
BURST, WIDE_BURST = 32, 24  # instructions of burst.cu


def scaled(opcodes, n):
    return {opcode: int(count * n) for opcode, count in opcodes.items()}


def rule(kernel):
    """(instructions of the first region, what else it may hold), or None for a kernel that times a loop or nothing."""
    if re.match(UNTIMED, kernel):
        return None
    if m := re.fullmatch(r"(?:chain|stream)_(\w+)_(\d+)", kernel):
        n = int(m[2])
        if m[1] == "HFMA2":  # ptxas for sm_90 alternates two opcodes
            return {"HFMA2": n // 2}, {"HFMA2": n // 2, "HFMA2.MMA": n // 2}
        nops = {"HMMA16816": n - 1, "DFMA": 4 * n}.get(m[1], 0)  # DFMA of sm_120: a stall of 64 cycles in pieces
        return scaled(ARITHMETIC[m[1]], n), dict(MOVES, NOP=nops, FMUL=2)
    if re.fullmatch(r"accumulators_HMMA16816_\d", kernel):
        return {"HMMA.16816.F32": 320}, dict(MOVES, NOP=319)
    if m := re.fullmatch(r"special_register_([01])", kernel):
        return {"IMAD": 1, **({"S2R": 1} if m[1] == "1" else {})}, {}
    if m := re.fullmatch(r"sync_(\w+)_(\d+)", kernel):
        return scaled(SYNCHRONISATION[m[1]], int(m[2])), {"IADD3": 1, "VIADD": 1, "ISETP.NE.AND": 1, **LDGSTS}
    if m := re.fullmatch(r"shared_chase_(\w+)_(\d+)", kernel):
        return {MEMORY[m[1]]: int(m[2])}, {"WARPSYNC.ALL": 1}
    if m := re.fullmatch(r"stamped_(\w+)", kernel):
        return {MEMORY[m[1]]: 1}, {"IMAD": 1}
    if m := re.fullmatch(r"(chase|still|spread)_(\w+)_(\d+)", kernel):
        return {MEMORY[m[2]]: int(m[3])}, {"MOV": 3, "R2UR": 8, "IMAD.MOV.U32": 3, "IADD3": 1, "VIADD": 1, "IMAD.IADD": 1, "IADD": 1, "IADD.64": 1}
    if m := re.fullmatch(r"burst_(\w+)", kernel):
        wide = m[1].endswith(("_128", "_128_L2")) and not m[1].startswith("ST") or m[1] == "LDSM_4"
        return {MEMORY[m[1]]: WIDE_BURST if wide else BURST}, LDGSTS
    if m := re.fullmatch(r"(?:sustained|rate)_(\w+)", kernel):
        return {MEMORY[m[1]]: 8}, LOOP
    if m := re.fullmatch(r"straight_line_(\d+)", kernel):
        return {"FFMA": 64 * int(m[1])}, {}
    raise KeyError(f"no rule for kernel {kernel}")


def kernels(text):
    """Instructions of every kernel of a disassembly."""
    name, instructions = None, []
    for line in text.splitlines():
        if m := re.match(r"\s*\.section\s+\.text\.([^,\s]+)", line):
            if name:
                yield name, instructions
            name, instructions = m[1], []
        elif m := re.match(r"\s*/\*[0-9a-f]{4,}\*/\s+(.*?);", line):
            instructions.append(m[1].strip())
    if name:
        yield name, instructions


def complaints(kernel, instructions):
    expected = rule(kernel)
    if expected is None:
        return []
    wanted, allowed = expected
    clocks = [i for i, text in enumerate(instructions) if "SR_CLOCKLO" in text]
    if len(clocks) < 2:
        return ["fewer than two clock readings"]
    found = []
    for i in clocks[:2]:
        if "CS2R" not in instructions[i]:
            found.append(f"the clock is read by {instructions[i]}")
    opcodes = [re.sub(r"^@!?U?P\w+\s+", "", text).split()[0] for text in instructions[clocks[0] + 1:clocks[1]]]
    counts = collections.Counter(opcodes)
    for opcode, n in wanted.items():
        slack = allowed.get(opcode, 0)
        if not n <= counts[opcode] <= n + slack:
            found.append(f"{counts[opcode]} {opcode}, expected {n}")
    for opcode, n in counts.items():
        if opcode not in wanted and n > allowed.get(opcode, 0):
            found.append(f"{n} {opcode} in the timed region, at most {allowed.get(opcode, 0)} allowed")
    return found


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    checked = bad = 0
    for cubin in sys.argv[2:]:
        text = subprocess.run([sys.argv[1], "-c", cubin], check=True, capture_output=True, text=True).stdout
        for kernel, instructions in kernels(text):
            checked += 1
            found = complaints(kernel, instructions)
            bad += bool(found)
            for complaint in found:
                print(f"{cubin}: {kernel}: {complaint}")
    print(f"{checked} kernels, {bad} with complaints")
    sys.exit(bad != 0)


if __name__ == "__main__":
    main()
