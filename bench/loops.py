#!/usr/bin/env python3
"""Measures loops that toyc makes: who vectorizes them, and what that gains.

    python3 bench/loops.py [--toyc PATH] [--cpu NAME] [--side N ...] [--claims]

Two functions of two N x N tensors, `rows` (a * b + a) and `columns` (transpose(a) * b), are made in
eight ways and called from C: without any vectorizer, with LLVM's, as toyc does it, with one loop nest per
operation, in tiles of 8 x 8 without any vectorizer, and vectorized by MLIR: from affine loops, and from
linalg in tiles of 1 x 8 and of 8 x 8. The table has ratios of time to the first: above 1 is faster. Runs are
interleaved, and the best of many counts. Without --toyc it measures target/release/toyc; LLVM's tools come from the folder LLVM_BIN or are
those with `-22` in the name.
--cpu asks LLVM for that processor (`native`: this one) instead of the baseline that toyc uses.
--claims prints, in place of the tables, what chapter 11 of the tutorial says about them, with bounds that leave room for other
machines. It exits with 1 if something does not hold.
"""

import argparse
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

KERNELS = """
func.func @rows(%a: tensor<NxNxf64>, %b: tensor<NxNxf64>) -> tensor<NxNxf64>
    attributes {llvm.emit_c_interface} {
  %0 = "toy.mul"(%a, %b) : (tensor<NxNxf64>, tensor<NxNxf64>) -> tensor<NxNxf64>
  %1 = "toy.add"(%0, %a) : (tensor<NxNxf64>, tensor<NxNxf64>) -> tensor<NxNxf64>
  return %1 : tensor<NxNxf64>
}
func.func @columns(%a: tensor<NxNxf64>, %b: tensor<NxNxf64>) -> tensor<NxNxf64>
    attributes {llvm.emit_c_interface} {
  %0 = "toy.transpose"(%a) : (tensor<NxNxf64>) -> tensor<NxNxf64>
  %1 = "toy.mul"(%0, %b) : (tensor<NxNxf64>, tensor<NxNxf64>) -> tensor<NxNxf64>
  return %1 : tensor<NxNxf64>
}
"""

# One version of each function: LLVM's tools, which follow, link no runtime that chooses among several.
BASELINE = ["--cpu", "x86-64" if platform.machine() == "x86_64" else "generic"]

# What is claimed about 512 x 512: a sentence, how the loops are made, the kernel, those that they are compared with, and
# the least and the most that they may be faster.
CLAIMS = [
    ("one loop nest instead of two helps", "LLVM's vectorizer", 0, "one nest per operation", 1.2, None),
    ("LLVM's vectorizer leaves the transpose slow", "LLVM's vectorizer", 1, "no vectorizer", None, 1.5),
    ("tiles make the transpose fast, even without vectors", "tiles 8x8, no vectors", 1, "no vectorizer", 2, None),
    ("so does toyc -O2", "toyc -O2", 1, "no vectorizer", 2, None),
]

SCHEDULE = """
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %generic = transform.structured.match ops{["linalg.generic"]} in %module
        : (!transform.any_op) -> !transform.any_op
    %tiled, %loops:2 = transform.structured.tile_using_for %generic tile_sizes [ROWS, 8]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    VECTORIZE
    transform.yield
  }
}
"""

# malloc keeps what is freed: the operating system has no part in the loop that is measured.
DRIVER = r"""
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
struct tensor { double *allocated, *aligned; int64_t offset, sizes[2], strides[2]; };
void _mlir_ciface_rows(struct tensor *, struct tensor *, struct tensor *);
void _mlir_ciface_columns(struct tensor *, struct tensor *, struct tensor *);
static struct tensor make(int64_t n, double start) {
  double *data = aligned_alloc(64, n * n * sizeof(double));
  for (int64_t i = 0; i < n * n; i++) data[i] = start + i % 17;
  return (struct tensor){data, data, 0, {n, n}, {n, 1}};
}
static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec * 1e-9;
}
int main(int argc, char **argv) {
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  int64_t n = atol(argv[1]);
  struct tensor a = make(n, 1), b = make(n, 2), result;
  void (*kernels[])(struct tensor *, struct tensor *, struct tensor *) = {
      _mlir_ciface_rows, _mlir_ciface_columns};
  long calls = 20000000 / (n * n);
  for (int k = 0; k < 2; k++) {
    double sum = 0, start = 0;
    for (long call = -2; call < calls; call++) {
      if (call == 0) start = now();
      kernels[k](&result, &a, &b);
      sum += result.aligned[n + 1];
      free(result.allocated);
    }
    printf("%.3f %.9f\n", sum / (calls + 2), (now() - start) / calls);
  }
}
"""


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--toyc", type=Path, default=ROOT / "target/release/toyc")
    arguments.add_argument("--cpu", help="generate code for this processor")
    arguments.add_argument("--side", type=int, nargs="+", default=[64, 512])
    arguments.add_argument("--claims", action="store_true", help="check what the tutorial says")
    arguments = arguments.parse_args()
    if arguments.claims:
        with tempfile.TemporaryDirectory() as folder:
            sys.exit(check(arguments, Path(folder)))
    with tempfile.TemporaryDirectory() as folder:
        for side in arguments.side:
            measure(arguments, side, Path(folder))


def measure(arguments, side, folder):
    programs = compiled_variants(arguments, side, folder)
    best, results = {}, set()
    for _ in range(15):
        run_all(programs, side, best, results)
    print(f"{side} x {side}: times faster than without a vectorizer"
          f"{'' if len(results) == 1 else ' (RESULTS DIFFER)'}\n")
    print(f"| {'loops':<22} | rows | columns |\n| {'-' * 22} | ---- | ------- |")
    for name, times in best.items():
        rows, columns = (base / time for base, time in zip(best["no vectorizer"], times))
        print(f"| {name:<22} | {rows:4.2f} | {columns:7.2f} |")
    print()


def check(arguments, folder):
    """Measures until all claims hold, or long enough to say that one does not: 1 then, and 0 otherwise."""
    side, best, results = 512, {}, set()
    names = {name for _, name, _, other, _, _ in CLAIMS for name in (name, other)}
    programs = compiled_variants(arguments, side, folder, names)
    for _ in range(40):
        run_all(programs, side, best, results)
        wrong = []
        for claim, name, kernel, other, least, most in CLAIMS:
            ratio = best[other][kernel] / best[name][kernel]
            if ratio < (least or 0) or most and ratio > most:
                wrong.append(f"does not hold, with a factor of {ratio:.2f}: {claim}")
        if len(results) > 1:
            wrong.append("the results differ")
        if not wrong:
            break
    print("\n".join(wrong or [claim for claim, *_ in CLAIMS]))
    return 1 if wrong else 0


def compiled_variants(arguments, side, folder, names=None):
    """The programs that are compared, by how their loops are made: all, or those of these names."""
    toyc = arguments.toyc.resolve()

    def compiled(text, *flags):
        return run([toyc, "-x", "mlir", "-", *BASELINE, *flags], text)

    kernels = KERNELS.replace("N", str(side))
    fused = compiled(kernels, "-O2", "-emit=linalg")
    separate = compiled(compiled(kernels, "-emit=linalg"), "-O0", "-emit=mlir-llvm")
    buffers = compiled(fused, "-O2", "-emit=dealloc")
    affine = affine_vectors(toyc, buffers)
    no_vectors = ["-vectorize-loops=false", "-vectorize-slp=false"]
    variants = {
        "no vectorizer": (compiled(fused, "-O1", "-emit=mlir-llvm"), no_vectors),
        "LLVM's vectorizer": (compiled(fused, "-O1", "-emit=mlir-llvm"), []),
        "toyc -O2": (compiled(fused, "-O2", "-emit=mlir-llvm"), []),
        "one nest per operation": (separate, []),
        "tiles 8x8, no vectors": (tiled(toyc, buffers, 8, folder, vectorize=False), no_vectors),
        "MLIR, affine": (compiled(affine, "-O2", "-emit=mlir-llvm"), []),
        "MLIR, tiles 1x8": (tiled(toyc, fused, 1, folder), []),
        "MLIR, tiles 8x8": (tiled(toyc, fused, 8, folder), []),
    }
    (folder / "driver.c").write_text(DRIVER)
    programs = {}
    for number, (name, (text, flags)) in enumerate(variants.items()):
        if names and name not in names:
            continue
        # Without optimization, but with the target's triple and data layout.
        llvm = compiled(text, "-O0", "-emit=llvm")
        programs[name] = program(llvm, flags, arguments.cpu, folder / f"variant{number}")
    return programs


def run_all(programs, side, best, results):
    """Runs each program once; the best times of all runs count. All have to compute the same."""
    for name, path in programs.items():
        lines = [line.split() for line in run([path, str(side)], "").splitlines()]
        results.add(tuple(value for value, _ in lines))
        times = [float(time) for _, time in lines]
        best[name] = list(map(min, times, best.get(name, times)))


def affine_vectors(toyc, text):
    passes = ["--convert-linalg-to-affine-loops", "--affine-super-vectorize=virtual-vector-size=8"]
    return run([toyc.with_name("toy-opt"), *passes], text)


def tiled(toyc, text, rows, folder, vectorize=True):
    """linalg, tiled and vectorized by MLIR's transform dialect, as the LLVM dialect."""
    schedule = folder / "schedule.mlir"
    vectors = "transform.structured.vectorize %tiled : !transform.any_op" if vectorize else ""
    schedule.write_text(SCHEDULE.replace("ROWS", str(rows)).replace("VECTORIZE", vectors))
    library = f"--transform-preload-library=transform-library-paths={schedule}"
    vectors = run([toyc.with_name("toy-opt"), library, "--transform-interpreter", "--canonicalize"], text)
    return run([toyc, "-x", "mlir", "-", *BASELINE, "-O2", "-emit=mlir-llvm"], vectors)


def program(llvm, flags, cpu, path):
    cpu = [f"-mcpu={cpu}"] if cpu else []
    bitcode = path.with_suffix(".bc")
    run([tool("opt"), "-passes=default<O2>", *flags, *cpu, "-o", bitcode], llvm)
    object_file = path.with_suffix(".o")
    run([tool("llc"), "-O2", "-relocation-model=pic", "-filetype=obj", *cpu, bitcode, "-o", object_file], "")
    run(["cc", "-O2", path.parent / "driver.c", object_file, "-o", path], "")
    return path


def tool(name):
    folder = os.environ.get("LLVM_BIN")
    return f"{folder}/{name}" if folder else f"{name}-22"


def run(command, text):
    """Standard output of a command; whatever it complains about ends the script."""
    return subprocess.run(list(map(str, command)), input=text, stdout=subprocess.PIPE, text=True, check=True).stdout


if __name__ == "__main__":
    main()
