#!/usr/bin/env python3
"""Measures kernels in Toy against what memory allows and against other compilers; fails below a limit.

    python3 bench/kernels.py [--toyc PATH] [--quick] [--kernel TEXT] [--size SHAPE ...] [--cpu NAME]

Each kernel is compiled for one shape with `toyc --export ... -emit=lib -O3`, loaded and called through
its C interface. Every figure is a ratio of CPU times in one run, so above 1 is faster: rounds in which
every variant runs once, and the median of the rounds' ratios. `limit` is the better of two streaming
loops that read the same number of inputs and add them, one with ordinary stores and one with non-temporal
ones; for products of matrices it is reading or as many fused multiply-adds, whichever takes longer. The peers are
the obvious loops in C (restrict, sizes known, clang -O3 -march=native), NumPy, and, where they are installed, numexpr
and JAX; NumPy and numexpr read transposed views in place and make one contiguous result. In the first group of
columns the result is given and has been touched; in the second it is fresh memory in each call, and the system's
work for its pages counts for all. JAX cannot be given a result, so it counts with a fresh one in both. All run on
one thread. The kernels of f32 are compared with those peers for float, and, in the last column, with the same
kernel of f64: how many times as many elements it computes in a second.

GOALS are what toyc is to reach, `-` marks what is below; LIMITS fail the run, `!`: they are what has
been reached, with a margin for a loaded machine. What falls below is measured twice more, and the best counts. Results are
compared with NumPy's before anything is timed. It needs NumPy, clang 22 (in the folder LLVM_BIN, or with
`-22` in the name) and a machine without other load to say much.
"""

import argparse
import ctypes
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import compiler

# Before the peers are loaded: one thread each.
os.environ.update(OMP_NUM_THREADS="1", NUMEXPR_MAX_THREADS="1", JAX_PLATFORMS="cpu", JAX_ENABLE_X64="1",
                  XLA_FLAGS="--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
try:
    import numpy as np
    import kernel_loops
    import kernel_peers as peers
except ImportError as error:
    sys.exit(f"{error}; `./setup --tests` installs NumPy for /usr/bin/python3")

PLANES = ["64x64", "65x63", "256x256", "333x517", "512x512", "1000x1000", "1023x2047", "2048x2048", "4096x4096"]
SMALL = ["7x5", "8x8", "13x17", "16x16", "24x24", "31x33", "48x48"]
RANK3 = ["7x5x3", "16x16x16", "100x37x64", "64x64x64", "200x200x200"]
RANK4 = ["5x6x7x8", "8x8x8x8", "31x17x13x40", "48x48x48x48"]
QUICK = {"64x64", "333x517", "1000x1000", "7x5", "16x16", "31x33", "16x16x16", "31x17x13x40"}


def eight(a, b, c):
    t, u = a.T, b.T
    return ((t * c + u) * c - t) * u + c * c + t


# Name: the function, sizes of its result.
KERNELS = {
    "a*b+a": (lambda a, b: a * b + a, SMALL + PLANES),
    "a+b*c-a*c": (lambda a, b, c: a + b * c - a * c, PLANES),
    "aT": (lambda a: a.T, SMALL + PLANES),
    "aT*bT": (lambda a, b: a.T * b.T, SMALL + PLANES),
    "(aT*b)T+c": (lambda a, b, c: (a.T * b).T + c, SMALL + PLANES),
    "8 operations, 2 T": (eight, SMALL + PLANES),
    "aT, rank 3": (lambda a: a.T, RANK3),
    "aT*b, rank 3": (lambda a, b: a.T * b, RANK3),
    "aT, rank 4": (lambda a: a.T, RANK4),
    "a*s+t": (lambda a, s, t: a * s + t, SMALL + PLANES),
    "aT*s+b": (lambda a, b, s: a.T * s + b, SMALL + PLANES),
}
# Rows x columns of the matrix; for products: rows x what both share x columns.
PRODUCTS = ["4x4x4", "16x16x16", "33x65x17", "64x64x64", "127x131x129", "256x256x256", "512x512x512", "1000x1000x1000",
            "1x1000x1000", "1000x1000x1", "2000x3x2000"]
SUMS = ["16x16", "64x64", "333x517", "1000x1000", "2048x2048"]
REDUCTIONS = {name: PRODUCTS if name == "a @ b" else SUMS for name in peers.REDUCTIONS}
# The same with numbers of 32 bits.
SINGLES = {"a*b+a": PLANES[:6], "aT": PLANES[:6], "aT*bT": PLANES[:6], "a @ b": PRODUCTS[1:8], "sum of all": SUMS[:4],
           "sums of rows": SUMS[:4], "exp of a": SUMS[:4], "log of a": SUMS[:4], "tanh of a, * b": SUMS[:4],
           "softmax of rows": SUMS[:4]}
QUICK |= {"16x16x16", "127x131x129", "512x512x512", "500x500", "21x60"}
# Of the limit (from 64x64 up, two dimensions), and of the best peer (all sizes): what is to be reached.
GOALS = {
    "a*b+a": (0.95, 1), "a+b*c-a*c": (0.95, 1), "aT": (0.9, 1), "aT*bT": (0.8, 1),
    "(aT*b)T+c": (0.7, 1), "8 operations, 2 T": (0.7, 1),
}
NO_GOAL = (None, 1)
# Goals against one peer, in the place of those.
PEER_GOALS = {
    "a @ b": {"NumPy": 1, "JAX": 1}, "matrix @ vector": {"NumPy": 0.95},
    "sum of all": {"NumPy": 2}, "sums of rows": {"NumPy": 2}, "sums of columns": {"NumPy": 1.5},
    "softmax of rows": {"NumPy": 2, "JAX": 1}, "normalized rows": {"NumPy": 2, "JAX": 1},
} | {name: {"clang": 1} for name in kernel_loops.LOOPS}
# The same for the whole run: the worst of a kernel's sizes, below which the bench fails.
LIMITS = {
    "a*b+a": (0.8, 0.8), "a+b*c-a*c": (0.75, 0.8), "aT": (0.3, 1.2), "aT*bT": (0.35, 1.8),
    "(aT*b)T+c": (0.35, 0.9), "8 operations, 2 T": (0.2, 1), "aT, rank 3": (0, 1.2), "aT*b, rank 3": (0, 2),
    "aT, rank 4": (0, 1.7), "a @ b": (0.75, 0.85), "matrix @ vector": (0.7, 0.9), "Jacobi": (0, 0.7),
    "softmax of rows": (0, 0.9), "normalized rows": (0, 2), "exp where a > b": (0, 1),
    "a*b+a, f32": (0.75, 0.8), "aT, f32": (0.2, 1), "aT*bT, f32": (0.22, 1), "a @ b, f32": (0.7, 0.8),
    "sum of all, f32": (0, 0.9), "exp of a, f32": (0, 1.4), "log of a, f32": (0, 1.1), "tanh of a, * b, f32": (0, 0.5),
    "softmax of rows, f32": (0, 1),
}
NO_LIMIT = (0, 0.5)

# Variants of the library in C; see kernel_peers.py.
STREAM, STREAM_PAST_THE_CACHE, LOOPS, TOY = range(4)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--toyc", type=Path, help="measure this compiler")
    arguments.add_argument("--quick", action="store_true", help="some of the sizes, fewer rounds")
    arguments.add_argument("--no-limits", action="store_true", help="only results have to be right")
    arguments.add_argument("--kernel", default="", help="only kernels with this text in their name")
    arguments.add_argument("--size", nargs="+", help="only these sizes")
    arguments.add_argument("--cpu", default="native", help="compile Toy for this processor")
    arguments.add_argument("--numpy-placed", action="store_true",
                           help="arrays where NumPy puts them, not staggered at multiples of 64 bytes")
    arguments = arguments.parse_args()
    toyc = compiler.built(arguments.toyc)
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    print(f"Peers: clang 22, NumPy {np.__version__}"
          + (f", numexpr {peers.numexpr.__version__}" if peers.numexpr else "")
          + (f", JAX {peers.jax.__version__}" if peers.jax else "") + "\n")
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(toyc.resolve(), arguments, Path(folder))
        try:
            for name, (function, sizes) in KERNELS.items():
                if arguments.kernel in name:
                    bench.kernel(name, lambda shape: peers.Expression(function, shape), sizes)
            for name, sizes in REDUCTIONS.items():
                if arguments.kernel in name:
                    bench.kernel(name, lambda shape: peers.Reduction(name, shape), sizes)
            for name, (*_, sizes) in kernel_loops.LOOPS.items():
                if arguments.kernel in name:
                    bench.kernel(name, lambda shape: kernel_loops.Loops(name, shape), sizes)
            for kernel, sizes in SINGLES.items():
                if arguments.kernel in (name := f"{kernel}, f32"):
                    bench.kernel(name, lambda shape, element="f32": singles(kernel, shape, element), sizes)
        finally:
            # What has been measured is worth having, whatever ended the run.
            bench.table()
    if not bench.rows:
        sys.exit("no kernel of this name and size")
    if bench.exceeded and not arguments.no_limits:
        sys.exit("below their limits (marked with `!`):\n  " + "\n  ".join(bench.exceeded))


def singles(name, shape, element):
    if name in KERNELS:
        return peers.Expression(KERNELS[name][0], shape, element)
    return peers.Reduction(name, shape, element)


class Bench:
    def __init__(self, toyc, arguments, folder):
        self.toyc = toyc
        self.arguments = arguments
        self.folder = folder
        self.libraries = 0
        self.rows = []
        # What is below its limit, in words.
        self.exceeded = []

    def kernel(self, name, expression_for, sizes):
        for size in sizes:
            if self.arguments.size and size not in self.arguments.size:
                continue
            if self.arguments.quick and not self.arguments.size and size not in QUICK:
                continue
            shape = tuple(map(int, size.split("x")))
            expression = expression_for(shape)
            case = Case(expression, self.compile(expression), self.arguments)
            case.check(f"{name} {size}")
            if name.endswith(", f32"):
                double = expression_for(shape, "f64")
                case.double = Case(double, self.compile(double), self.arguments)
            self.row(name, size, shape, case)

    def compile(self, expression):
        """The library with the peers, which knows toyc's function."""
        self.libraries += 1
        path = self.folder / f"kernel{self.libraries}"
        path.with_suffix(".toy").write_text(expression.toy())
        path.with_suffix(".c").write_text(expression.c())
        machine = ["--cpu", self.arguments.cpu] if self.arguments.cpu else []
        run(self.toyc, path.with_suffix(".toy"), "--export", f"kernel=f({expression.signature()})",
            "-emit=lib", "-O3", *machine, "-o", path.with_suffix(".toy.so"))
        # Without `-fno-builtin`, the streaming loop of one input would become memcpy.
        run(tool("clang"), "-O3", "-march=native", "-fno-builtin", "-shared", "-fPIC", path.with_suffix(".c"), "-lm",
            "-o", path.with_suffix(".c.so"))
        toy = ctypes.CDLL(path.with_suffix(".toy.so"))
        library = ctypes.CDLL(path.with_suffix(".c.so"))
        library.seconds.restype = ctypes.c_double
        library.seconds.argtypes = [ctypes.c_int, ctypes.c_long, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p]
        library.use.argtypes = [ctypes.c_void_p]
        library.use(ctypes.cast(toy.kernel, ctypes.c_void_p))
        library.toy = toy
        return library

    def row(self, name, size, shape, case):
        peer_goals = PEER_GOALS.get(name, {})
        goal = (None, None) if peer_goals else GOALS.get(name, NO_GOAL)
        limit = LIMITS.get(name, NO_LIMIT)
        is_compared = len(shape) == 2 or case.expression.is_arithmetic
        if not is_compared or min(shape) < 63:
            goal, limit = (None, goal[1]), (0, limit[1])
        for attempt in range(3):
            given = case.measure(fresh=False)
            of_limit = case.of_limit(given)
            rivals = {peer: ratio for peer, ratio in given.items() if not peer.startswith("stream")}
            of_double = rivals.pop("f64", None)
            fresh = case.measure(fresh=True)
            # The best time of a peer that cannot be given a result.
            if "JAX" in fresh:
                rivals["JAX"] = fresh["JAX"] * fresh["toy seconds"] / given["toy seconds"]
            rivals.pop("toy seconds")
            best = min(rivals.values())
            if attempt == 0 or (of_limit, best) > kept[:2]:
                kept = of_limit, best, rivals, fresh, given["toy seconds"], of_double
            if kept[0] >= limit[0] and kept[1] >= limit[1]:
                break
        of_limit, best, rivals, fresh, seconds, of_double = kept
        has_limit = case.expression.has_limit
        limited = lambda text: text if has_limit else ""
        cells = [name, size, limited(f"{case.expression.bytes() / seconds / 1e9:.1f}"), f"{seconds * 1e6:.4g}",
                 limited(self.mark(f"{name} {size} of the limit", of_limit, goal[0], limit[0])),
                 self.mark(f"{name} {size} of the best peer", best, goal[1], limit[1])]
        names = ["clang", "NumPy"] + ["numexpr"] * bool(peers.numexpr) + ["JAX"] * bool(peers.jax)

        def ratios(of):
            return [self.mark("", of[peer], peer_goals.get(peer), 0) if peer in of else "" for peer in names]
        best_fresh = min(fresh[peer] for peer in names if peer in fresh)
        cells += ratios(rivals)
        cells += [limited(self.mark("", case.of_limit(fresh), goal[0], 0)), self.mark("", best_fresh, goal[1], 0)]
        cells += ratios(fresh) + [f"{of_double:.2f}" if of_double else ""]
        self.rows.append(cells)
        of_the_limit = limited(f"{of_limit:.2f} of the limit, ")
        print(f"  {name} {size}: {of_the_limit}{best:.2f} of the best peer", file=sys.stderr)
        self.heads = ["kernel", "result", "GB/s", "µs", "× limit", "× best peer", *names,
                      "fresh: × limit", "× best peer", *names, "× f64"]

    def mark(self, what, value, goal, limit):
        text = f"{value:.2f}"
        if value < limit:
            self.exceeded.append(f"{what}: {text}, limit {limit:.2f}")
            return text + " !"
        return text + " -" if goal is not None and value < goal else text

    def table(self):
        if not self.rows:
            return
        widths = [max(len(row[i]) for row in [self.heads, *self.rows]) for i in range(len(self.heads))]
        for row in [self.heads, ["-" * width for width in widths], *self.rows]:
            print("| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |")
        print(flush=True)


class Case:
    """One kernel for one shape: arrays, variants and their clocks."""

    def __init__(self, expression, library, arguments):
        self.expression, self.library, self.quick = expression, library, arguments.quick
        allocate = np.empty if arguments.numpy_placed else Placed()
        self.arrays = expression.arrays(allocate)
        self.out = allocate(expression.shape, expression.dtype())
        # The same kernel of f64, for one of f32.
        self.double = None
        self.out[...] = 0
        self.pointers = (ctypes.c_void_p * len(self.arrays))(*(array.ctypes.data for array in self.arrays))
        self.python = expression.python_peers(self.arrays, self.out)

    def check(self, what):
        """Toy's result has NumPy's bits, if both add in one order; the others may contract to fused multiply-adds."""
        expected = self.expression.numpy(self.arrays, np.empty(self.expression.shape, self.expression.dtype()))
        self.out[...] = np.nan
        self.clock(TOY, False)(1)
        is_same = np.array_equal if self.expression.is_exact else self.expression.is_same
        if not is_same(self.out, expected):
            sys.exit(f"{what}: toyc's result is wrong")
        self.clock(LOOPS, False)(1)
        results = [self.out.copy()] + [np.asarray(fresh()) for _, fresh in self.python.values()]
        if not all(self.expression.is_same(result, expected) for result in results):
            sys.exit(f"{what}: a peer's result is wrong")

    def of_limit(self, ratios):
        streams = (ratio for name, ratio in ratios.items() if name.startswith("stream"))
        # The better of two ways, or what takes longer of two things that have to be done.
        return (max if self.expression.is_arithmetic else min)(streams, default=float("inf"))

    def clock(self, variant, fresh):
        return lambda calls: self.library.seconds(variant, calls, fresh, self.pointers, self.out.ctypes.data)

    def measure(self, fresh):
        """How many times faster toyc is than each variant; and its seconds."""
        no_reuse(fresh)
        variants = {"toy": self.clock(TOY, fresh), "clang": self.clock(LOOPS, fresh)}
        if self.expression.has_limit:
            variants |= {"stream": self.clock(STREAM, fresh), "stream NT": self.clock(STREAM_PAST_THE_CACHE, fresh)}
        if self.double:
            variants["f64"] = self.double.clock(TOY, fresh)
        for name, (given, made) in self.python.items():
            function = made if fresh else given
            if function:
                variants[name] = python_clock(function)
        # Long enough for the clock, and all rounds in about a second if that is enough rounds. Before a sample,
        # a call brings the arrays into the cache, if they are small enough for one.
        once = {name: clock(1) for name, clock in variants.items()}
        small = {name for name, seconds in once.items() if seconds < 5e-3}
        for name in small:
            once[name] = min(once[name], variants[name](1), variants[name](1))
        sample, total, rounds = (3e-4, 0.3, (5, 15)) if self.quick else (6e-4, 1.0, (5, 31))
        calls = {name: max(1, int(sample / seconds)) for name, seconds in once.items()}
        one_round = sum(calls[name] * seconds for name, seconds in once.items())
        count = max(rounds[0], min(rounds[1], int(total / one_round)))
        times = {name: [] for name in variants}
        for _ in range(count):
            for name, clock in variants.items():
                if name in small:
                    clock(1)
                times[name].append(clock(calls[name]))
        ratio = lambda name: statistics.median(
            other / toy for other, toy in zip(times[name], times["toy"]))
        return {name: ratio(name) for name in variants if name != "toy"} | {
            "toy seconds": statistics.median(times["toy"])}


def python_clock(function):
    """All threads count: a peer may compute on another one."""
    def seconds(calls):
        start = time.process_time()
        for _ in range(calls):
            function()
        return (time.process_time() - start) / calls
    return seconds


class Placed:
    """Arrays at multiples of 64 bytes, each 17 cache lines further within its page than the one before."""

    def __init__(self):
        self.lines = 0

    def __call__(self, shape, dtype=np.dtype(np.float64)):
        self.lines += 17
        size = dtype.itemsize * int(np.prod(shape))
        memory = np.zeros(size + 8192, np.uint8)
        start = -memory.ctypes.data % 4096 + self.lines * 64 % 4096
        return memory[start:start + size].view(dtype).reshape(shape)


def no_reuse(fresh):
    """malloc of glibc gives large blocks back at once and takes new ones, or keeps what it has."""
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except AttributeError:
        return
    mmap_threshold, trim_threshold = -3, -1
    mallopt(mmap_threshold, 1 << 17 if fresh else 1 << 25)
    mallopt(trim_threshold, 1 << 17 if fresh else 1 << 30)


def tool(name):
    folder = os.environ.get("LLVM_BIN")
    return f"{folder}/{name}" if folder else f"{name}-22"


def run(*command):
    """Whatever a command complains about ends the script."""
    done = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stdout[:2000]}")


if __name__ == "__main__":
    main()
