#!/usr/bin/env python3
"""Measures toyc and prints ratios to upstream's compiler; fails if a limit is exceeded.

    python3 bench/run.py [--toyc PATH] [--upstream PATH] [--quick]

Without --toyc it builds and measures target/release/toyc. The peer is upstream's toyc-ch7 of LLVM
22.1.8, statically linked. With --upstream its binary is measured in the same run. Without, the
figures in UPSTREAM below are taken: those were measured once on another machine (a loaded one, one run
for the large programs), each on the program that it is listed with, as programs.py writes it.

A ratio below 1 means that toyc needs less. Times are CPU time (user + system) of one run, memory is
the peak resident set. Instructions (valgrind's callgrind) do not depend on the machine or its load.
Times do, so one that exceeds its limit is measured twice more, and the shortest counts. Every row is
printed; an exceeded limit is marked with `!`, and then the exit status is 1.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from compiler import ROOT, built
import growth

LITERAL = "def main() {\n  print([[1, 2], [3, 4]]);\n}\n"

# Of the program LITERAL: stage and options, millions of instructions.
UPSTREAM_INSTRUCTIONS = {
    "-emit=ast": 5.24,
    "-emit=mlir": 5.64,
    "-emit=llvm": 15.73,
    "-emit=llvm -opt": 18.78,
    "-emit=jit": 39.93,
    "-emit=jit -opt": 41.74,
}
# The same: peak MiB.
UPSTREAM_RESIDENT = {"-emit=ast": 24, "-emit=llvm": 33, "-emit=jit": 42}
# How many times upstream's figure toyc may need; 1 if it is not listed.
STARTUP_LIMITS = {"-emit=mlir": 1.14, "-emit=llvm -opt": 1.08}
RESIDENT_LIMIT = 0.8

# (program, options): CPU seconds and MiB; None: not known, or killed before it ended.
UPSTREAM = {
    ("const 1000", "-emit=ast"): (0.684, 97),
    ("const 1000", "-emit=mlir -opt"): (0.12, None),
    # Killed at 3284 MiB.
    ("const 1000", "-emit=llvm"): (30, None),
    ("funcssum 125", "-emit=llvm"): (0.289, 62),
    ("funcssum 250", "-emit=llvm"): (0.711, 126),
    ("funcssum 500", "-emit=llvm"): (1.768, 364),
    ("funcssum 1000", "-emit=llvm"): (4.336, 1265),
    # funcssum 4000 ends at 12 GB without a result.
    ("funcssum 125", "-emit=llvm -opt"): (2.87, None),
    ("funcssum 250", "-emit=llvm -opt"): (14.2, None),
    ("funcssum 125", "-emit=jit"): (0.797, 163),
    ("funcssum 250", "-emit=jit"): (2.405, 284),
    ("funcssum 1000", "-emit=jit"): (26.4, 1266),
    ("funcslive 500", "-emit=llvm"): (1.640, None),
    ("funcschain 1000", "-emit=llvm"): (8.294, None),
    ("same 1000", "-emit=llvm"): (1.907, 495),
    ("identical 1000", "-emit=llvm"): (1.163, 162),
    # Killed after 53.8 s.
    ("identical 1000", "-emit=llvm -opt"): (53.8, None),
    ("identical 1000", "-emit=jit"): (6.64, 354),
    ("chain 1000", "-emit=llvm"): (2.089, 494),
    ("shapes 1000", "-emit=llvm"): (30.39, 3515),
}

# How many times upstream's seconds toyc may need, where that is not 1: the next to be mended.
LARGE_LIMITS = {("identical 1000", "-emit=llvm"): 2, ("const 1000", "-emit=mlir -opt"): 2.5}
# The same for its MiB.
LARGE_MEMORY_LIMITS = {("const 1000", "-emit=ast"): 1.4}

# (program, options): limits of toyc's own, in seconds and MiB, where no peer gives one.
OWN_LIMITS = {
    ("const 1000", "-opt"): (3, 500),
    ("const 1000", "-emit=llvm -opt"): (6, None),
    ("treeshapes 40", "-emit=shapes"): (0.1, None),
    ("chain 4000", "-emit=llvm"): (None, None),
    ("funcssum 4000", "-emit=llvm"): (None, None),
    ("elementwise 300", "-opt"): (None, None),
    ("funcssum 10000", "-emit=shapes"): (2, None),
    ("chain 10000", "-emit=llvm"): (60, 4096),
    ("chainexpr 10000", "-emit=llvm"): (60, 4096),
    ("funcssum 10000", ""): (60, 4096),
    ("funcslive 10000", ""): (60, 4096),
}

# From a compilation of so many seconds on, the table of growth has no larger program of the family.
GROWTH_SECONDS = 2

PRINTF = r"""
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  long n = atol(argv[1]);
  for (long i = 0; i < n; i++) {
    for (long j = 0; j < n; j++) printf("%f ", (double)((i * n + j) % 1000));
    printf("\n");
  }
}
"""


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--toyc", type=Path, help="measure this compiler")
    arguments.add_argument("--upstream", type=Path, help="measure this toyc-ch7, too")
    arguments.add_argument("--quick", action="store_true", help="leave out the largest programs")
    arguments = arguments.parse_args()
    toyc = built(arguments.toyc)
    if arguments.upstream is None:
        print("Upstream's figures are stored ones, measured once on another machine.\n")
    with tempfile.TemporaryDirectory() as folder:
        upstream = arguments.upstream and arguments.upstream.resolve()
        bench = Bench(toyc.resolve(), upstream, Path(folder))
        bench.startup()
        bench.large(arguments.quick)
        bench.growth([1, 2, 4] if arguments.quick else [2, 4, 8, 16])
        bench.printing()
    if bench.exceeded:
        sys.exit("exceeded limits (marked with `!`):\n  " + "\n  ".join(bench.exceeded))


class Bench:
    def __init__(self, toyc, upstream, folder):
        self.toyc = toyc
        self.upstream = upstream
        self.folder = folder
        # What exceeds its limit, in words.
        self.exceeded = []

    def program(self, kind):
        """The file of a generated program; made once."""
        path = self.folder / (kind.replace(" ", "_") + ".toy")
        if not path.exists():
            with open(path, "w") as file:
                command = [sys.executable, ROOT / "bench/programs.py", *kind.split()]
                subprocess.run(command, stdout=file, check=True)
        return path

    def compile(self, path, flags):
        """CPU seconds and MiB of one run; exits if it fails."""
        output = [] if "-emit" in flags else ["-o", str(self.folder / "program")]
        return measured([self.toyc, path, *flags.split(), *output], self.folder)

    def check(self, what, value, limit, form="{:.2f}"):
        """The value as text, with a mark if it is more than its limit (None: there is no limit)."""
        text = form.format(value)
        if limit is None or value <= limit:
            return text
        self.exceeded.append(f"{what}: {text}, limit {form.format(limit)}")
        return text + " !"

    def startup(self):
        print("## print([[1, 2], [3, 4]]): instructions in millions, and MiB\n")
        path = self.folder / "literal.toy"
        path.write_text(LITERAL)
        rows = []
        for flags, stored in UPSTREAM_INSTRUCTIONS.items():
            command = [path, *flags.split()]
            count = instructions([self.toyc, *command], self.folder)
            _, peak = measured([self.toyc, *command], self.folder)
            resident = UPSTREAM_RESIDENT.get(flags)
            if self.upstream:
                stored = instructions([self.upstream, *command], self.folder)
                resident = measured([self.upstream, *command], self.folder)[1]
            limit = STARTUP_LIMITS.get(flags, 1) * stored
            row = [flags, self.check(f"instructions of {flags}", count, limit), f"{limit:.2f}",
                   f"{stored:.2f}", f"{count / stored:.2f}"]
            if resident is None:
                row += [f"{peak:.0f}", "-", "-", "-"]
            else:
                limit = RESIDENT_LIMIT * resident
                row += [self.check(f"MiB of {flags}", peak, limit, "{:.1f}"), f"{limit:.1f}",
                        f"{resident:.0f}", f"{peak / resident:.2f}"]
            rows.append(row)
        table(["command", "toyc", "limit", "upstream", "ratio",
               "MiB", "limit", "upstream", "ratio"], rows)

    def large(self, quick):
        print("## Large programs: CPU seconds and MiB\n")
        rows = []
        for (kind, flags), stored in UPSTREAM.items():
            if self.upstream and None not in stored:
                stored = measured([self.upstream, self.program(kind), *flags.split()], self.folder)
            seconds = LARGE_LIMITS.get((kind, flags), 1) * stored[0]
            peak = stored[1] and round(LARGE_MEMORY_LIMITS.get((kind, flags), 1) * stored[1])
            rows.append(self.row(kind, flags, (round(seconds, 3), peak), stored))
        for (kind, flags), limits in OWN_LIMITS.items():
            if not (quick and kind.endswith("10000")):
                rows.append(self.row(kind, flags, limits, None))
        table(["program", "command", "s", "limit", "time ratio", "MiB", "limit", "memory ratio"],
              rows)

    def row(self, kind, flags, limits, upstream):
        """One program with its limits, and what upstream needs, if that is known."""
        cpu, peak = self.compile(self.program(kind), flags)
        for _ in range(2):
            if limits[0] is not None and cpu > limits[0]:
                cpu = min(cpu, self.compile(self.program(kind), flags)[0])
        row = [kind, flags or "(executable)"]
        for unit, value, limit, peer, form in zip(
                ["s", "MiB"], [cpu, peak], limits, upstream or (None, None), ["{:.2f}", "{:.0f}"]):
            row.append(self.check(f"{unit} of {kind} {flags}".rstrip(), value, limit, form))
            row.append("-" if limit is None else f"{limit:g}")
            row.append("-" if peer is None else f"{value / peer:.3f}")
        return row

    def growth(self, times):
        print("## Growth at -O2: CPU seconds, and the exponent from the size before (1 is linear)\n")
        rows = []
        for kind, size, *_ in growth.families():
            row, before = [kind, size], None
            for factor in times:
                # Larger ones take too long, or nest too deeply.
                result = None
                if before is None or before[0] < GROWTH_SECONDS:
                    result = growth.compiled(self.toyc, kind, factor * int(size), self.folder)
                if result is None:
                    break
                exponent = f" ({growth.exponent(before, result):.1f})" if before else ""
                row.append(f"{result[0]:.2f}{exponent}")
                before = result
            rows.append(row + ["-"] * (2 + len(times) - len(row)))
        table(["program", "N", *(f"{factor} N" for factor in times)], rows)

    def printing(self):
        print("## Printing a 1000 x 1000 tensor: a compiled program against C's printf\n")
        side = 1000
        source = self.folder / "printf.c"
        source.write_text(PRINTF)
        subprocess.run(["cc", "-O2", source, "-o", self.folder / "printf"], check=True)
        literal = ", ".join(
            "[" + ", ".join(str((i * side + j) % 1000) for j in range(side)) + "]"
            for i in range(side))
        path = self.folder / "print.toy"
        path.write_text(f"def main() {{\n  print([{literal}]);\n}}\n")
        rows = []
        for flags in ["-O0", "-opt"]:
            program = self.folder / "print"
            measured([self.toyc, path, flags, "-o", program], self.folder)
            ours = subprocess.run([program], stdout=subprocess.PIPE, check=True).stdout
            c = subprocess.run([self.folder / "printf", str(side)], stdout=subprocess.PIPE).stdout
            # Best of several: the runs are short.
            best = min(measured([program], self.folder)[0] for _ in range(9))
            best_c = min(measured([self.folder / "printf", str(side)], self.folder)[0]
                         for _ in range(9))
            if ours != c:
                self.exceeded.append(f"the output of {flags} differs from that of C's printf")
            rows.append([flags, f"{best:.3f}", f"{best_c:.3f}", f"{best_c / best:.1f}",
                         "equal" if ours == c else "DIFFERENT !"])
        table(["program", "s", "printf s", "times faster", "output"], rows)


def measured(command, folder):
    """CPU seconds and peak MiB of a process; its output is thrown away."""
    errors = folder / "errors"
    with open(errors, "w") as stderr:
        process = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL, stderr=stderr)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{errors.read_text()[:2000]}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def instructions(command, folder):
    """Millions of instructions, as callgrind counts them."""
    valgrind = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/callgrind"]
    log = folder / "valgrind"
    valgrind.append(f"--log-file={log}")
    subprocess.run([*valgrind, *map(str, command)], stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, check=True)
    return int(re.search(r"Collected : (\d+)", log.read_text()).group(1)) / 1e6


def table(heads, rows):
    rows = [list(map(str, row)) for row in rows]
    widths = [max(len(row[i]) for row in [heads, *rows]) for i in range(len(heads))]
    for row in [heads, ["-" * width for width in widths], *rows]:
        print("| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |")
    print(flush=True)


if __name__ == "__main__":
    main()
