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
ADDRESS = {"IADD3": 1, "IMAD.X": 1, "IADD3.X": 1, "LDS": 3}
# The long DFMA stream runs out of registers and its first reading goes through S2UR: a few cycles in 640.
CLOCK_BY_S2UR = "4DFMAELi320ELi16E"

ARITHMETIC = {
    "FFMA": {"FFMA": 1}, "LOP3": {"LOP3.LUT": 1}, "FMNMX": {"FMNMX": 2}, "IADD3": {"IADD3": 1}, "IMAD": {"IMAD": 1},
    "HFMA2": {"HFMA2": 0.5, "HFMA2.MMA": 0.5}, "DFMA": {"DFMA": 1}, "HMMA16816": {"HMMA.16816.F32": 1},
    "MUFU_EX2": {"MUFU.EX2": 1}, "MUFU_RSQ": {"MUFU.RSQ": 1}, "RCP_TANH": {"MUFU.RCP": 1, "MUFU.TANH": 1},
    "POPC": {"POPC": 1}, "I2F_F2I": {"I2FP.F32.S32": 1, "F2I.TRUNC.NTZ": 1}, "SHFL": {"SHFL.IDX": 1}, "LDC": {"LDC": 1},
}
MEMORY = {
    "Lds32": "LDS", "Lds64": "LDS.64", "Lds128": "LDS.128", "Ldsm1": "LDSM.16.M88", "Ldsm2": "LDSM.16.M88.2",
    "Ldsm4": "LDSM.16.M88.4", "Sts32": "STS", "Sts64": "STS.64", "Sts128": "STS.128", "Ldg32": "LDG.E", "Ldg64": "LDG.E.64",
    "Ldg128": "LDG.E.128", "LdgL2": "LDG.E.128.STRONG.GPU", "Stg32": "STG.E", "Stg128": "STG.E.128", "Ldl32": "LDL",
    "Ldl128": "LDL.128", "Stl32": "STL", "Stl128": "STL.128", "Ldgsts32": "LDGSTS.E", "Ldgsts64": "LDGSTS.E.64",
    "Ldgsts128": "LDGSTS.E.128", "LdgstsL2": "LDGSTS.E.BYPASS.128", "Shfl": "SHFL.IDX", "MufuEx2": "MUFU.EX2",
}
CHASE = {"0": "LDG.E", "1": "LDG.E.64", "2": "LDG.E.64.STRONG.GPU"}
FENCE = {"ERRBAR": 1, "CGAERRBAR": 1, "CCTL.IVALL": 1}
SYNCHRONISATION = {
    "Barrier": {"BAR.SYNC.DEFER_BLOCKING": 1}, "MembarCta": {"MEMBAR.SC.CTA": 1}, "MembarGpu": {"MEMBAR.SC.GPU": 1, **FENCE},
    "MembarSys": {"MEMBAR.SC.SYS": 1, **FENCE}, "StoreMembarGpu": {"STG.E": 1, "MEMBAR.SC.GPU": 1, **FENCE},
    "Atoms": {"ATOMS.EXCH": 1}, "Atomg": {"ATOMG.E.EXCH.STRONG.GPU": 1},
    "Copy4": {"LDGSTS.E": 1, "LDGDEPBAR": 1, "DEPBAR.LE": 1}, "Copy16": {"LDGSTS.E.128": 1, "LDGDEPBAR": 1, "DEPBAR.LE": 1},
    "Copy16L2": {"LDGSTS.E.BYPASS.128": 1, "LDGDEPBAR": 1, "DEPBAR.LE": 1},
}


def scaled(opcodes, n):
    return {opcode: int(count * n) for opcode, count in opcodes.items()}


def rule(kernel):
    """(instructions of the first region, what else it may hold), or None for a kernel that times a loop or nothing."""
    if m := re.search(r"repeat_opINS0_\d+(\w+?)ELi(\d+)ELi(\d+)E", kernel):
        extra = dict(MOVES)
        if m[1] == "HMMA16816":
            extra["NOP"] = int(m[2]) - 1
        return scaled(ARITHMETIC[m[1]], int(m[2])), extra
    if m := re.search(r"repeat_opINS0_\d+(\w+?)ELi(\d+)E", kernel):
        return scaled(SYNCHRONISATION[m[1]], int(m[2])), {"IADD3": 1, "VIADD": 1, "ISETP.NE.AND": 1, "LDS": 3}
    if m := re.search(r"shared_chaseINS0_\d+(\w+?)ELi(\d+)E", kernel):
        return {MEMORY[m[1]]: int(m[2])}, {"WARPSYNC.ALL": 1}
    if m := re.search(r"stamped_chaseILNS0_4LoadE(\d)E", kernel):
        return {CHASE[m[1]]: 1}, {"IMAD": 1}
    if m := re.search(r"wide_chaseILi(\d+)E", kernel):
        return {"LDG.E.128": int(m[1])}, {}
    if m := re.search(r"\d+chaseILNS0_4LoadE(\d)ELi(\d+)E", kernel):
        return {CHASE[m[1]]: int(m[2])}, {"MOV": 2, "IMAD.MOV.U32": 2}
    if m := re.search(r"burstINS_\d+(\w+?)ELi(\d+)ELb([01])E", kernel):
        n = int(m[2]) if m[3] == "0" else 1
        return {MEMORY[m[1]]: n} if n else {}, ADDRESS
    if m := re.search(r"sustainedINS_\d+(\w+?)EE", kernel):
        loop = {o: 64 for o in ("LOP3.LUT", "MOV", "IMAD.MOV.U32")}
        loop.update({o: 4 for o in ("VIADD", "IADD3", "ISETP.NE.AND", "LDGDEPBAR", "DEPBAR.LE", "BRA", "S2R", "STL", "UIADD3", "R2UR", "UMOV", "LDS", "STG.E")})
        return {MEMORY[m[1]]: 8}, loop
    if m := re.search(r"straight_lineILi(\d+)E", kernel):
        return {"FFMA": 64 * int(m[1])}, {}
    if "special_registerILb1" in kernel:
        return {"S2R": 1, "IMAD": 1}, {}
    if "special_registerILb0" in kernel:
        return {"IMAD": 1}, {}
    if "clock_pair" in kernel:
        return {}, {}
    if re.search(r"stream|loaded_chase|touch|link_ring|timed_work|empty_kernel|clock_edges", kernel):
        return None
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
    if CLOCK_BY_S2UR in kernel:
        allowed = {**allowed, "NOP": 1}
    for i in clocks[:2]:
        if "CS2R" not in instructions[i] and CLOCK_BY_S2UR not in kernel:
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
