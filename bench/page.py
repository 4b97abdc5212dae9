#!/usr/bin/env python3
"""Measures what a page about a compilation costs; fails if a limit is exceeded.

    python3 bench/page.py [--toyc PATH]

Without --toyc it builds and measures target/release/toyc. The program has 300 functions and more than 2,100
lines. All figures are ratios of CPU time of the same compiler with and without, in turns, so that other load on the
machine is in both. Such load only adds to a time, so the least of many counts. And the size of the page.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import compiler


FUNCTIONS = 300
RUNS = 15

# With a page, of the time without; the plan, of the time of the stage that makes it.
PAGE_LIMIT = 1.3
PLAN_LIMIT = 1.2
SIZE_LIMIT = 3_000_000


def program():
    """No two functions are alike, and the result depends on all of them."""
    lines = [f"# A program of {FUNCTIONS} functions."]
    for i in range(FUNCTIONS - 1):
        last = f"exp(d) - d / {i + 2}" if i % 3 else f"d * d - d / {i + 2}"
        lines += [
            f"def f{i}(a, b) {{",
            f"  var c = transpose(a) * {i + 1};",
            f"  var d = c @ b + {i % 7};",
            f"  var e = {last};",
            "  return e;",
            "}",
            "",
        ]
    lines += ["def main() {", "  var a = [[1, 2, 3, 4], [5, 6, 7, 8], [9, 1, 2, 3]];",
              "  var b = [[1, 2], [3, 4], [5, 6]];", "  var s = transpose(a) @ b;"]
    lines += [f"  s = s + f{i}(a, b);" for i in range(FUNCTIONS - 1)]
    return "\n".join(lines + ["  print(s);", "}", ""])


def seconds(command, folder):
    """CPU seconds of a run."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def ratio(what, command, base, folder):
    """The CPU time of a command, of that of another one."""
    pairs = [(seconds(command, folder), seconds(base, folder)) for _ in range(RUNS)]
    one, other = [min(times) for times in zip(*pairs)]
    print(f"{what}: {one:.2f} s, without {other:.2f} s")
    return one / other


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--toyc", type=Path, help="measure this compiler")
    toyc = compiler.built(arguments.parse_args().toyc)
    toyc = str(toyc.resolve())
    exceeded = []

    def check(what, value, limit, form="{:.2f}"):
        mark = "" if value <= limit else " !"
        print(f"{what}: {form.format(value)} (limit {form.format(limit)}){mark}")
        if mark:
            exceeded.append(what)

    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "p.toy").write_text(program())
        for level in ["-O0", "-O2"]:
            make = [toyc, "p.toy", level, "-o", "p"]
            page = ratio(f"{level} with a page", [*make, "--report=p.html"], make, folder)
            check(f"{level} with a page, ratio", page, PAGE_LIMIT)
            size = Path(folder, "p.html").stat().st_size
            check(f"{level} bytes of the page", size, SIZE_LIMIT, "{:,}")
            stage = lambda name: [toyc, "p.toy", level, f"-emit={name}"]
            plan = ratio(f"{level} plan", stage("memory-plan"), stage("merged"), folder)
            check(f"{level} plan, ratio", plan, PLAN_LIMIT)
    if exceeded:
        sys.exit("exceeded limits: " + ", ".join(exceeded))


if __name__ == "__main__":
    main()
