#!/usr/bin/env python3
"""Prints what a raw file says, benchmark by benchmark, before anything is made of it.

Usage: summary.py RAW.jsonl
"""
import collections
import statistics
import sys

from raw import COLD, Raw, Slope, steady, typical


def pairs(raw, name, key="n", group=()):
    by = collections.defaultdict(list)
    for line in raw.all(name):
        by[tuple((k, v) for k, v in line.params.items() if k != key and k in group)].append(line)
    for params, lines in by.items():
        lines.sort(key=lambda l: l.params[key])
        if len(lines) > 1:
            s = Slope(lines[0], lines[-1], lines[0].params[key], lines[-1].params[key])
            yield dict(params), s


def main():
    raw = Raw(sys.argv[1])
    for l in raw.all("machine")[:1]:
        print(l.params)
    for l in raw.all("clock_pair"):
        print("clock pair", steady(l)[:8])
    for l in raw.all("special_register"):
        print("special register", l.params, steady(l)[:8])
    print("== chains: cycles per step")
    for params, s in pairs(raw, "chain", group=("op",)):
        print(f"  {params['op']:12} {s.value:8.3f}  [{s.low:.3f}, {s.high:.3f}]")
    print("== streams: cycles per instruction and warp")
    by = collections.defaultdict(dict)
    for params, s in pairs(raw, "stream", group=("op", "warps")):
        by[params["op"]][params["warps"]] = s.value
    for op, values in by.items():
        print(f"  {op:12} " + "  ".join(f"{w} warps {v:.3f}" for w, v in values.items()))
    print("== shared chases")
    for params, s in pairs(raw, "shared_chase", group=("op", "ways")):
        print(f"  {params['op']:8} ways {params['ways']:2}  {s.value:8.3f}  [{s.low:.3f}, {s.high:.3f}]")
    print("== bursts: elapsed less that of none, n = 1..12")
    for op in dict.fromkeys(l.params["op"] for l in raw.all("burst")):
        for warps in (1, 2, 4):
            lines = {l.params["n"]: l for l in raw.all("burst", op=op, warps=warps)}
            base = typical(lines[0])
            print(f"  {op:14} {warps} warps  base {base:g}: " + " ".join(f"{typical(lines[n]) - base:g}" for n in range(1, 13)))
        for l in raw.all("burst_stamps", op=op, warps=1):
            n = l.params["n"]
            rows = [l.samples[i * n:(i + 1) * n] for i in range(len(l.samples) // n)][COLD:24]
            print(f"  {op:14} stamps: " + " ".join(f"{statistics.median(r[i] for r in rows):g}" for i in range(n)))
    print("== sustained: cycles per instruction and SM, bytes per cycle")
    by = collections.defaultdict(list)
    for l in raw.all("sustained"):
        cycles = statistics.median(l.samples[1:])
        per = cycles / l.params["instructions"]
        by[(l.params["op"], l.params["ways"])].append(f"{l.params['warps']}w {per:.2f} ({32 * l.params['bytes'] / per:.0f} B)")
    for (op, ways), texts in by.items():
        print(f"  {op:14} ways {ways:2}  " + "  ".join(texts))
    print("== synchronisation")
    for params, s in pairs(raw, "synchronisation", group=("op", "warps")):
        print(f"  {params['op']:20} {params['warps']:2} warps  {s.value:9.2f}  [{s.low:.2f}, {s.high:.2f}]")
    print("== chases")
    for l in raw.all("chase"):
        print(f"  {l.params['level']:6} {l.params['bits']:3} bit {l.params['steps']} steps {l.params['footprint'] / 1024:12.0f} KiB  {typical(l) / l.params['steps']:.2f}  min {min(steady(l)) / l.params['steps']:.2f} max {max(steady(l)) / l.params['steps']:.2f}")
    print("== stamped chases: quantiles, histogram by 20")
    for l in raw.all("stamped_chase"):
        v = sorted(l.samples)
        q = [v[int(f * (len(v) - 1))] for f in (0, .05, .25, .5, .75, .95, 1)]
        h = collections.Counter(x // 20 * 20 for x in v)
        print(f"  {l.params}\n    {q}  " + " ".join(f"{k}:{n}" for k, n in sorted(h.items()) if n > len(v) / 100))
    print("== bandwidth: B per cycle and SM (median SM), total B per ns")
    for l in raw.all("bandwidth"):
        p = l.params
        print(f"  {p['level']:4} {'write' if p['write'] else 'read '} window {p['window'] >> 20:5} MiB sms {p['sms']:3} threads {p['threads']:4} x{p['loads_in_flight']}  "
              f"{p['bytes_per_sm'] / statistics.median(l.samples):7.2f}  slowest {p['bytes_per_sm'] / max(l.samples):7.2f}  total {p['bytes_per_sm'] * p['sms'] / p['ns']:8.1f}")
    print("== loaded chase")
    for l in raw.all("loaded_chase"):
        p = l.params
        if "bytes_per_turn" in p:  # cycles and turns of each CTA, the chase first
            streams = [l.samples[i:i + 2] for i in range(2, len(l.samples), 2)]
            moved, cycles = sum(s[1] for s in streams) * p["bytes_per_turn"], max(s[0] for s in streams)
        else:
            moved, cycles = p["background_bytes"], p["background_cycles"]
        print(f"  {p['level']:4} {p['threads']:4} x{p['loads_in_flight']}  {l.samples[0] / p['steps']:8.1f} cycles, background {moved / max(1, cycles):8.1f} B/cycle")
    print("== straight line: cycles per instruction by pass (slowest warp)")
    for name in ("straight_line", "straight_line_again"):
        for l in raw.all(name):
            p = l.params
            warps = [l.samples[i:i + p["passes"]] for i in range(0, len(l.samples), p["passes"])]
            print(f"  {name[13:]:6} {p['kib']:4} KiB {p['warps']} warps  " + " ".join(f"{max(w[i] for w in warps) / p['instructions']:.3f}" for i in range(p["passes"])))
    print("== empty launches: median ns")
    for l in raw.all("empty_launch"):
        print(f"  {l.params}  {statistics.median(l.samples[2:]):g}")
    print("== dispatch")
    for l in raw.all("dispatch"):
        rows = [l.samples[i:i + 5] for i in range(0, len(l.samples), 5)]
        first = min(r[3] for r in rows)
        print(f"  {l.params}: first 12 SMs {[r[0] for r in rows[:12]]}, ns of start {[r[3] - first for r in rows[:12]]}, last start {max(r[3] for r in rows) - first}, end {max(r[4] for r in rows) - first}")


if __name__ == "__main__":
    main()
