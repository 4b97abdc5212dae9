#!/usr/bin/env python3
"""Measures toyc and prints ratios to upstream's compiler.

    python3 bench/run.py [--toyc PATH] [--quick]

Without --toyc it builds and measures target/release/toyc. The baseline is upstream's toyc-ch7 of
LLVM 22.1.8, statically linked; its figures were measured once (one core of a loaded machine, single
runs for the large programs) and stand in UPSTREAM below. A ratio below 1 means that toyc needs
less. Times are CPU time (user + system) of one run, memory is the peak resident set. Instructions
(valgrind's callgrind) do not depend on the machine's load, CPU times do.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# name: (instructions in millions) or (CPU seconds, MiB); None: killed before it ended.
UPSTREAM_INSTRUCTIONS = {"-emit=ast": 5.14, "-emit=llvm -opt": 18.7}
UPSTREAM = {
    ("const 1000", "-emit=ast"): (1.23, 98.5),
    ("const 1000", "-emit=llvm"): (114.9, 3351),
    ("funcssum 10000", "-emit=mlir -opt"): (20.3, None),
    ("funcssum 1000", "-emit=llvm"): (1.27, 163),
    ("funcssum 4000", "-emit=llvm"): (12.5, 1795),
    ("chain 1000", "-emit=llvm"): (3.0, 495),
    ("chain 4000", "-emit=llvm"): (32.0, 6834),
    ("shapes 1000", "-emit=llvm"): (37.5, 1820),
}

LITERAL = "def main() {\n  print([[1, 2], [3, 4]]);\n}\n"

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
    arguments.add_argument("--quick", action="store_true", help="leave out the largest programs")
    arguments = arguments.parse_args()
    toyc = arguments.toyc
    if toyc is None:
        subprocess.run(["cargo", "build", "--release", "--quiet"], cwd=ROOT, check=True)
        toyc = ROOT / "target/release/toyc"
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(toyc.resolve(), Path(folder))
        bench.startup()
        bench.limits(arguments.quick)
        bench.growth([250, 500, 1000, 2000] if arguments.quick else [1250, 2500, 5000, 10000])
        bench.printing()


class Bench:
    def __init__(self, toyc, folder):
        self.toyc = toyc
        self.folder = folder

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

    def startup(self):
        print("## Small programs: instructions in millions\n")
        path = self.folder / "literal.toy"
        path.write_text(LITERAL)
        rows = []
        for flags, limit in [("-emit=ast", 6), ("-emit=toy", None), ("-emit=llvm", 20),
                             ("-emit=llvm -opt", None), ("-emit=jit", None)]:
            count = instructions([self.toyc, path, *flags.split()], self.folder)
            upstream = UPSTREAM_INSTRUCTIONS.get(flags)
            rows.append([flags, f"{count:.2f}", limit or "-", upstream or "-",
                         f"{count / upstream:.2f}" if upstream else "-"])
        table(["command", "toyc", "limit", "upstream", "ratio"], rows)

    def limits(self, quick):
        print("## Large programs: CPU seconds and MiB\n")
        # (program, flags, limit in seconds, limit in MiB)
        runs = [
            ("const 1000", "-emit=ast", None, None),
            ("const 1000", "-emit=llvm", None, None),
            ("const 1000", "-opt", 3, 500),
            ("const 1000", "-emit=llvm -opt", 6, None),
            ("treeshapes 40", "-emit=shapes", 0.1, None),
            ("shapes 1000", "-emit=llvm", None, None),
            ("chain 1000", "-emit=llvm", None, None),
            ("chain 4000", "-emit=llvm", None, None),
            ("funcssum 1000", "-emit=llvm", None, None),
            ("funcssum 4000", "-emit=llvm", None, None),
            ("funcssum 10000", "-emit=shapes", 2, None),
            ("chain 10000", "-emit=llvm", 60, 4096),
            ("chainexpr 10000", "-emit=llvm", 60, 4096),
            ("funcssum 10000", "", 60, 4096),
            ("funcslive 10000", "", 60, 4096),
        ]
        rows = []
        for kind, flags, seconds, mebibytes in runs:
            if quick and kind.endswith("10000"):
                continue
            cpu, peak = self.compile(self.program(kind), flags)
            upstream = UPSTREAM.get((kind, flags))
            rows.append([
                kind, flags or "(executable)", f"{cpu:.2f}", f"{peak:.0f}",
                limit(seconds, mebibytes),
                f"{upstream[0]} / {upstream[1] or '-'}" if upstream else "-",
                f"{cpu / upstream[0]:.3f}" if upstream else "-",
            ])
        table(["program", "command", "s", "MiB", "limit", "upstream s / MiB", "time ratio"], rows)

    def growth(self, sizes):
        print("## Growth: CPU seconds, and the factor to the size before (2.0 is linear)\n")
        rows = []
        for kind, flags in [("funcssum", "-emit=shapes"), ("funcssum", ""), ("funcslive", ""),
                            ("funcschain", ""), ("same", ""), ("chain", "-emit=llvm"),
                            ("chainexpr", "-emit=llvm")]:
            row, before = [kind, flags or "(executable)"], None
            for size in sizes:
                cpu, _ = self.compile(self.program(f"{kind} {size}"), flags)
                row.append(f"{cpu:.2f}" + (f" ({cpu / before:.1f})" if before else ""))
                before = cpu
            rows.append(row)
        for side in [250, 500, 1000]:
            cpu, _ = self.compile(self.program(f"const {side}"), "-opt")
            rows.append([f"const {side}", "-opt", f"{cpu:.2f}"] + [""] * (len(sizes) - 1))
        table(["program", "command", *map(str, sizes)], rows)

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
            rows.append([flags, f"{best:.3f}", f"{best_c:.3f}", f"{best_c / best:.1f}",
                         "equal" if ours == c else "DIFFERENT"])
        table(["program", "s", "printf s", "times faster", "output"], rows)


def limit(seconds, mebibytes):
    parts = ([f"{seconds} s"] if seconds else []) + ([f"{mebibytes} MiB"] if mebibytes else [])
    return ", ".join(parts) or "-"


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
    result = subprocess.run([*valgrind, *map(str, command)], stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, text=True, check=True)
    return int(re.search(r"Collected : (\d+)", result.stderr).group(1)) / 1e6


def table(heads, rows):
    rows = [list(map(str, row)) for row in rows]
    widths = [max(len(row[i]) for row in [heads, *rows]) for i in range(len(heads))]
    for row in [heads, ["-" * width for width in widths], *rows]:
        print("| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |")
    print(flush=True)


if __name__ == "__main__":
    main()
