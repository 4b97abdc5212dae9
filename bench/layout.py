#!/usr/bin/env python3
"""Writes toyc/hot.txt: which of LLVM's functions small programs run, for toyc/build/layout.rs.

    python3 bench/layout.py [--toyc PATH]

Runs the compiler under callgrind, first for the stages that everything needs. A line is the hash of the
name of a function (FNV-1a, 32 bits). Functions of Rust are left out: their names change with every
build. To be run when LLVM or the pipeline has changed much; `bench/run.py` shows what it is worth, in
the MiB of small programs.
"""

import argparse
import re
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

PROGRAMS = [
    "def main() {\n  print([[1, 2], [3, 4]]);\n}\n",
    """def multiply_transpose(a, b) {
  return transpose(a) * transpose(b);
}
def main() {
  var a<2, 3> = [[1, 2, 3], [4, 5, 6]];
  var b<2, 3> = [1, 2, 3, 4, 5, 6];
  var c = multiply_transpose(a, b);
  print(c + c);
}
""",
]
STAGES = ["-emit=toy", "-emit=llvm", "-emit=llvm -opt", "-emit=jit", "-opt", ""]


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--toyc", type=Path, default=ROOT / "target/release/toyc")
    toyc = arguments.parse_args().toyc.resolve()
    names = {}
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        for stage in STAGES:
            for text in PROGRAMS:
                names |= dict.fromkeys(functions(toyc, text, stage.split(), folder))
    hashes = dict.fromkeys(f"{fnv(name):08x}" for name in names)
    (ROOT / "toyc/hot.txt").write_text("".join(line + "\n" for line in hashes))
    print(f"{len(hashes)} functions")


def functions(toyc, text, flags, folder):
    """The mangled names of the C++ functions that a run of the compiler calls."""
    source = folder / "program.toy"
    source.write_text(text)
    out = folder / "callgrind"
    output = [] if flags[:1] and flags[0].startswith("-emit") else ["-o", folder / "program"]
    subprocess.run(["valgrind", "--tool=callgrind", "--demangle=no", f"--callgrind-out-file={out}",
                    toyc, source, *flags, *output],
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    for name in re.findall(r"^c?fn=\(\d+\) (\S+)$", out.read_text(), re.MULTILINE):
        # A number behind a quote tells apart the levels of a recursion.
        name = re.sub(r"'\d+$", "", name)
        is_rust = name.startswith("_R") or re.search(r"17h[0-9a-f]{16}E", name)
        if not is_rust and not name.startswith("0x"):
            yield name


def fnv(name):
    value = 0x811C9DC5
    for byte in name.encode():
        value = (value ^ byte) * 0x01000193 & 0xFFFFFFFF
    return value


if __name__ == "__main__":
    main()
