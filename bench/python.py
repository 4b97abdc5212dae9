#!/usr/bin/env python3
"""What a call from Python costs, and the first one with new shapes; fails above a limit.

    /usr/bin/python3 bench/python.py [--toyc PATH] [--calls]

A call is compared with NumPy's own `a * b + a` on arrays of 4 x 4 elements, where the call is nearly all of it: in rounds
in which each runs many times, the shortest time of each. A new shape is compiled, linked and loaded; its figure is the
processor's time of Python and the compiler together, the median of several shapes, so that other load does not count.
"""

import argparse
import os
import resource
import statistics
import sys
import tempfile
import timeit
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))

# NumPy's time as often, and so many microseconds more; the time of a new shape in milliseconds.
TIMES, MORE, NEW_SHAPE = 1.2, 0.5, 100


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--toyc", help="measure this compiler")
    arguments.add_argument("--calls", action="store_true", help="no new shapes")
    arguments = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = folder
        import numpy as np
        import toyc
        m = toyc.loads("def f(a, b) { return a * b + a; } def scaled(a, s) { return a * s; }", compiler=arguments.toyc)
        a, out = np.ones((4, 4)), np.empty((4, 4))
        calls = {
            "NumPy": lambda: a * a + a,
            "m.f(a, b)": lambda: m.f(a, a),
            "m.f(a, b, out=out)": lambda: m.f(a, a, out=out),
            "m.scaled(a, 2)": lambda: m.scaled(a, 2),
        }
        times = {name: [] for name in calls}
        for _ in range(25):
            for name, call in calls.items():
                call()
                times[name].append(timeit.timeit(call, number=4000) / 4000 * 1e6)
        best = {name: min(found) for name, found in times.items()}
        limit = TIMES * best["NumPy"] + MORE
        slow = []
        for name, time in best.items():
            print(f"{name:20} {time:6.3f} µs  {time / best['NumPy']:5.2f} × NumPy")
            if time > limit:
                slow.append(f"{name}: {time:.3f} µs, and the limit is {limit:.3f} µs")
        if not arguments.calls:
            new = statistics.median(of_a_new_shape(m, np.ones((n, n))) for n in range(20, 31))
            print(f"{'a new shape':20} {new:6.1f} ms")
            if new > NEW_SHAPE:
                slow.append(f"a new shape: the limit is {NEW_SHAPE} ms")
    if slow:
        sys.exit("\n".join(slow))


def of_a_new_shape(m, a):
    """The processor's time of the first call, in milliseconds."""
    before = used()
    m.f(a, a)
    return (used() - before) * 1000


def used():
    whose = [resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN]
    return sum(found.ru_utime + found.ru_stime for found in map(resource.getrusage, whose))


if __name__ == "__main__":
    main()
