#!/usr/bin/env python3
"""Writes toyc/hot.txt: which of LLVM's functions small programs run, for toyc/build/layout.rs.

    python3 bench/layout.py [--toyc PATH]

Runs the compiler under callgrind, first for the stages that everything needs. A line is the hash of the
name of a function (FNV-1a, 32 bits). Functions of Rust are left out: their names change with every
build. To be run when LLVM or the pipeline has changed much, with a build that has its symbols
(CARGO_PROFILE_RELEASE_STRIP=none); `bench/run.py` shows what it is worth, in the MiB of small programs.

valgrind cannot read the symbols of so large a program. So it runs a copy without them, and says which
addresses were executed; `nm` says to which functions they belong.
"""

import argparse
import bisect
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
        symbols = symbols_of(toyc)
        subprocess.run(["objcopy", "--strip-all", toyc, folder / "toyc"], check=True)
        for stage in STAGES:
            for text in PROGRAMS:
                names |= dict.fromkeys(functions(symbols, text, stage.split(), folder))
    hashes = dict.fromkeys(f"{fnv(name):08x}" for name in names)
    (ROOT / "toyc/hot.txt").write_text("".join(line + "\n" for line in hashes))
    print(f"{len(hashes)} functions")


def symbols_of(toyc):
    """The first address, the first one after it, and the name of each function, sorted."""
    table = subprocess.run(["nm", "--defined-only", "--print-size", toyc],
                           stdout=subprocess.PIPE, text=True, check=True).stdout
    found = re.findall(r"^(\w+) (\w+) [tTwW] (\S+)$", table, re.MULTILINE)
    if not found:
        raise SystemExit(f"{toyc} has no symbols: build it with CARGO_PROFILE_RELEASE_STRIP=none")
    return sorted((int(start, 16), int(start, 16) + int(size, 16), name) for start, size, name in found)


def functions(symbols, text, flags, folder):
    """The mangled names of the C++ functions that a run of the compiler executes."""
    source = folder / "program.toy"
    source.write_text(text)
    out = folder / "callgrind"
    output = [] if flags[:1] and flags[0].startswith("-emit") else ["-o", folder / "program"]
    subprocess.run(["valgrind", "--tool=callgrind", "--dump-instr=yes", "--compress-pos=no",
                    f"--callgrind-out-file={out}", folder / "toyc", source, *flags, *output],
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    starts = [start for start, _, _ in symbols]
    for address in re.findall(r"^0x([0-9a-f]+) ", out.read_text(), re.MULTILINE):
        address = int(address, 16)
        # Several functions may be one, of which any has the address.
        index = bisect.bisect_right(starts, address) - 1
        while index >= 0 and symbols[index][0] <= address < symbols[index][1]:
            name = symbols[index][2]
            is_rust = name.startswith("_R") or re.search(r"17h[0-9a-f]{16}E", name)
            if not is_rust:
                yield name
            index -= 1


def fnv(name):
    value = 0x811C9DC5
    for byte in name.encode():
        value = (value ^ byte) * 0x01000193 & 0xFFFFFFFF
    return value


if __name__ == "__main__":
    main()
