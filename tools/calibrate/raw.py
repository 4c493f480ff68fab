"""Raw files: lines by name and parameters, and the two statistics that all values rest on."""
import json
import pathlib
import statistics
import subprocess

REPEATS = 24   # readings of a warp in a launch (Harness.h)
COLD = 4       # of these, the first ones load code and data


class Line:
    def __init__(self, record):
        self.name, self.params, self.unit = record["name"], record["params"], record["unit"]
        self.samples = record["samples"]


class Raw:
    """All lines of a raw file, or of a folder's raw*.jsonl[.zst] and profiler*.jsonl[.zst]."""

    def __init__(self, path):
        path = pathlib.Path(path)
        files = sorted([*path.glob("raw*.jsonl*"), *path.glob("profiler*.jsonl*")]) if path.is_dir() else [path]
        self.lines = []
        for name in files:
            if name.suffix == ".zst":
                text = subprocess.run(["zstd", "-dcq", name], check=True, capture_output=True, text=True).stdout
            else:
                text = name.read_text(encoding="utf-8")
            self.lines += [Line(json.loads(line)) for line in text.splitlines()]

    def all(self, name, **params):
        return [l for l in self.lines if l.name == name and all(l.params.get(k) == v for k, v in params.items())]

    def one(self, name, **params):
        """The last line that fits: a part that ran twice counts with its later run."""
        found = self.all(name, **params)
        if not found:
            raise KeyError(f"no line {name} {params}")
        return found[-1]


def steady(line, repeats=REPEATS, cold=COLD):
    """Readings of all warps without each warp's cold ones."""
    return [v for i, v in enumerate(line.samples) if i % repeats >= cold]


def typical(line, **kwargs):
    return statistics.median(steady(line, **kwargs))


class Slope:
    """Cycles per instruction between two lengths of one benchmark, by medians; low and high by the quartiles."""

    def __init__(self, short, long, short_n, long_n):
        n = long_n - short_n
        a, b = sorted(steady(short)), sorted(steady(long))
        quartile = lambda v, q: v[min(len(v) - 1, int(q * len(v)))]
        self.value = (statistics.median(b) - statistics.median(a)) / n
        self.low = (quartile(b, 0.25) - quartile(a, 0.75)) / n
        self.high = (quartile(b, 0.75) - quartile(a, 0.25)) / n


def slope(raw, name, key="n", **params):
    """Slope between the shortest and the longest line of a benchmark."""
    lines = sorted(raw.all(name, **params), key=lambda l: l.params[key])
    if len(lines) < 2:
        raise KeyError(f"fewer than two lengths of {name} {params}")
    return Slope(lines[0], lines[-1], lines[0].params[key], lines[-1].params[key])
