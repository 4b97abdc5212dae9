#!/usr/bin/env python3
"""Compiles a program of N parts and one of 2 N, and fails if the second takes too much more time.

    python3 bench/growth.py TOYC KIND N [BYTES]

The exponent is that of the processor's time in the size of the program: 1 is linear, 2 is quadratic. The size doubles, or,
if the text grows more than that, is the length of the text. At most BYTES bytes of object code are made for each character.

Other processes share the machine and may slow one of the two, so the smallest exponent of several rounds counts: growth
that is there is there in all of them. (Instructions would be steadier, but counting them with valgrind takes 30 times as
long, and virtual machines have no counters of their own.)
"""

import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import programs

# An exponent above this is a cliff.
LIMIT = 1.5
ROUNDS = 12
COMMAND = ["-O2", "-emit=obj"]
FAMILIES = Path(__file__).resolve().parent.parent / "tests/growth.txt"


def families():
    """The lines of the suite's list, as words: KIND N [BYTES]."""
    lines = FAMILIES.read_text().splitlines()
    return [line.split() for line in lines if line and not line.startswith("#")]


def compiled(toyc, kind, n, folder):
    """Seconds of the processor outside of the kernel, the length of the program, and that of the object file; None if the
    program is invalid: branches are nested too deeply."""
    program, objects = folder / f"{kind}_{n}.toy", folder / f"{kind}_{n}.o"
    if not program.exists():
        program.write_text("".join(line + "\n" for line in programs.KINDS[kind](n)))
    command = [toyc, program, *COMMAND, "-o", objects]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    errors = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if b"E0104" in errors:
        return None
    if process.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{errors.decode()[:2000]}")
    return usage.ru_utime, program.stat().st_size, objects.stat().st_size


def exponent(smaller, larger):
    """The exponent of the time between two results of `compiled`."""
    growth = max(2, larger[1] / smaller[1])
    return math.log(max(larger[0], 1e-3) / max(smaller[0], 1e-3)) / math.log(growth)


def main(toyc, kind, n, most_bytes="inf"):
    with tempfile.TemporaryDirectory() as folder:
        lowest = math.inf
        for _ in range(ROUNDS):
            pair = [compiled(toyc, kind, size, Path(folder)) for size in (int(n), 2 * int(n))]
            lowest = min(lowest, exponent(*pair))
            if lowest <= LIMIT:
                break
    seconds = " and ".join(f"{seconds:.2f} s" for seconds, _, _ in pair)
    each = pair[1][2] / pair[1][1]
    print(f"{kind} {n} and {2 * int(n)}: {seconds}, exponent {lowest:.2f}, {each:.0f} bytes per character")
    if lowest > LIMIT or each > float(most_bytes):
        sys.exit(f"at most an exponent of {LIMIT} and {most_bytes} bytes are expected")


if __name__ == "__main__":
    main(*sys.argv[1:])
