#!/usr/bin/env python3
"""Measures how far exp, log, sin, cos, tanh and pow are from the true values; fails above one unit.

    python3 bench/mathematics.py [--single] [--points N] [--seed S] [FUNCTION ...]

The values are those of crates/toy-math, which are the bits of compiled programs, too. The true ones are MPFR's, with
160 bits (Debian's libmpfr-dev), of each point that may be the worst. N is 100,000,000 by default, which takes a minute
for each function; a unit is the distance of neighboring numbers. With `--single`, the functions of f32 are measured,
for all of their 2^32 arguments (`pow` for N pairs): the C library's functions of f64 are near enough to tell.
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
    arguments.add_argument("--single", action="store_true", help="measure the functions of f32, for all arguments")
    arguments.add_argument("--points", type=int, default=100_000_000)
    arguments.add_argument("--seed", type=int, default=1)
    arguments = arguments.parse_args()
    example = "singles" if arguments.single else "points"
    build = ["cargo", "build", "--quiet", "--release", "-p", "toy-math", "--example", example]
    subprocess.run(build, cwd=ROOT, check=True)
    exceeded = False
    if arguments.single:
        for function in arguments.functions:
            command = [ROOT / "target/release/examples/singles", function, str(arguments.points), str(arguments.seed)]
            measured = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
            count = arguments.points if function == "pow" else 1 << 32
            exceeded |= is_wrong(function, measured.stdout.splitlines(), count)
        sys.exit(exceeded)
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
    return is_wrong(function, check.stdout.splitlines(), arguments.points)


def is_wrong(function, lines, points):
    *complaints, line = lines
    count, wrong, worst, x, y = line.split()
    at = f"{x}, {y}" if function == "pow" else x
    print(*complaints, f"{function:5} {int(count):,} points: {worst} units at most, at {at}; {wrong} wrong", sep="\n")
    return float(worst) >= 1 or wrong != "0" or int(count) != points


if __name__ == "__main__":
    main()
