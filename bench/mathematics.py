#!/usr/bin/env python3
"""Measures how far exp, log, sin, cos, tanh and pow are from the true values; fails above one unit.

    python3 bench/mathematics.py [--points N] [--seed S] [FUNCTION ...]

The values are those of crates/toy-math, which are the bits of compiled programs, too. The true ones are MPFR's, with 160
bits (Debian's libmpfr-dev). N is 100,000,000 by default, which takes some ten minutes for each function; a unit is the distance
of neighboring numbers.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FUNCTIONS = ["exp", "log", "sin", "cos", "tanh", "pow"]


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("functions", nargs="*", metavar="FUNCTION", default=FUNCTIONS)
    arguments.add_argument("--points", type=int, default=100_000_000)
    arguments.add_argument("--seed", type=int, default=1)
    arguments = arguments.parse_args()
    build = ["cargo", "build", "--quiet", "--release", "-p", "toy-math", "--example", "points"]
    subprocess.run(build, cwd=ROOT, check=True)
    exceeded = False
    with tempfile.TemporaryDirectory() as folder:
        checker = Path(folder) / "checker"
        source = ROOT / "bench/mathematics.c"
        compiled = subprocess.run(["cc", "-O2", "-o", checker, source, "-lmpfr", "-lgmp", "-lm"])
        if compiled.returncode != 0:
            sys.exit("the checker needs MPFR: apt-get install libmpfr-dev")
        for function in arguments.functions:
            exceeded |= measure(function, arguments, checker)
    sys.exit(exceeded)


def measure(function, arguments, checker):
    """Prints a line about a function; true if it is wrong."""
    points = [ROOT / "target/release/examples/points", function, str(arguments.points), str(arguments.seed)]
    with subprocess.Popen(points, stdout=subprocess.PIPE) as source:
        check = subprocess.run([checker, function], stdin=source.stdout, stdout=subprocess.PIPE, text=True, check=True)
    *complaints, line = check.stdout.splitlines()
    count, wrong, worst, x, y = line.split()
    at = f"{x}, {y}" if function == "pow" else x
    print(*complaints, f"{function:5} {int(count):,} points: {worst} units at most, at {at}; {wrong} wrong", sep="\n")
    return float(worst) >= 1 or wrong != "0" or int(count) != arguments.points


if __name__ == "__main__":
    main()
