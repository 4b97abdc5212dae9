"""Kernels as WebAssembly in Node: against the same loops in JavaScript, and against native code.

    python3 bench/wasm.py [--toyc FILE] [--seconds N] [KERNEL...]

Input: the kernels below, each in Toy and in JavaScript. Output: a line for each: the minimum of the times of a call in
JavaScript, as WebAssembly, and as native code for any x86-64 and for this machine's processor; and ratios. Invariants:
all compute the same numbers, and WebAssembly the same bits as native code; the loops in JavaScript work on typed arrays;
only the computation is timed, and no copy into the module. `product` is exact: each of its steps rounds once, for which
WebAssembly has no instruction. `product, two roundings` is the same sum as loops in Toy, which round twice.
"""

import argparse
import ctypes
import json
import pathlib
import struct
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Name: Toy, the shapes of the arguments, JavaScript's function of the arguments and the result, the result's size.
KERNELS = {
    "a * b + a": (
        "def f(a, b) { return a * b + a; }", ["128x128", "128x128"],
        "(a, b, r) => { for (let i = 0; i < r.length; i++) r[i] = a[i] * b[i] + a[i]; }", 128 * 128),
    "f32: a * b + a": (
        "def f(a, b) { return a * b + a; }", ["128x128 f32", "128x128 f32"],
        "(a, b, r) => { for (let i = 0; i < r.length; i++) r[i] = a[i] * b[i] + a[i]; }", 128 * 128),
    "exp(a)": (
        "def f(a) { return exp(a); }", ["128x128"],
        "(a, r) => { for (let i = 0; i < r.length; i++) r[i] = Math.exp(a[i]); }", 128 * 128),
    "tanh(a) * b": (
        "def f(a, b) { return tanh(a) * b; }", ["128x128", "128x128"],
        "(a, b, r) => { for (let i = 0; i < r.length; i++) r[i] = Math.tanh(a[i]) * b[i]; }", 128 * 128),
    "sum of squares": (
        "def f(a) { return sum(a * a); }", ["128x128"],
        "(a, r) => { let s = 0; for (let i = 0; i < a.length; i++) s += a[i] * a[i]; r[0] = s; }", 1),
    "transpose": (
        "def f(a) { return transpose(a); }", ["256x256"],
        "(a, r) => { for (let i = 0; i < 256; i++) for (let j = 0; j < 256; j++) r[j * 256 + i] = a[i * 256 + j]; }",
        256 * 256),
    "jacobi": ("""
def f(plate) {
  var u = plate;
  var next = plate;
  for _ in 0..10 {
    for i in 1..shape(u, 0) - 1 {
      for j in 1..shape(u, 1) - 1 {
        next[i, j] = (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]) / 4;
      }
    }
    var last = u;
    u = next;
    next = last;
  }
  return u;
}""", ["128x128"], """(a, r) => {
  let now = a.slice(), next = a.slice();
  for (let round = 0; round < 10; round++) {
    for (let i = 1; i < 127; i++)
      for (let j = 1; j < 127; j++)
        next[i * 128 + j] = (now[(i - 1) * 128 + j] + now[(i + 1) * 128 + j] + now[i * 128 + j - 1]
                             + now[i * 128 + j + 1]) / 4;
    [now, next] = [next, now];
  }
  r.set(now);
}""", 128 * 128),
    "product": (
        "def f(a, b) { return a @ b; }", ["128x128", "128x128"], """(a, b, r) => {
  r.fill(0);
  for (let i = 0; i < 128; i++)
    for (let k = 0; k < 128; k++)
      for (let j = 0; j < 128; j++) r[i * 128 + j] += a[i * 128 + k] * b[k * 128 + j];
}""", 128 * 128),
    "product, two roundings": ("""
def f(a, b) {
  var c = a * 0;
  for i in 0..128 {
    for k in 0..128 {
      c[i] = c[i] + a[i, k] * b[k];
    }
  }
  return c;
}""", ["128x128", "128x128"], """(a, b, r) => {
  r.fill(0);
  for (let i = 0; i < 128; i++)
    for (let k = 0; k < 128; k++)
      for (let j = 0; j < 128; j++) r[i * 128 + j] += a[i * 128 + k] * b[k * 128 + j];
}""", 128 * 128),
}

HOST = """
import fs from "node:fs";
const { file, symbol, sizes, single, count, seconds, workspace, numbers } = JSON.parse(process.argv[2]);
const js = JAVASCRIPT;
const A = single ? Float32Array : Float64Array;
const module = await WebAssembly.compile(fs.readFileSync(file));
const toy = new Proxy({}, { get: () => () => 0 });
const { exports } = await WebAssembly.instantiate(module, { toy });
const at = [...sizes, count].map((size) => exports.malloc(size * A.BYTES_PER_ELEMENT));
const space = exports.malloc(workspace + 64);
const view = (k, size) => new A(exports.memory.buffer, at[k], size);
const inputs = sizes.map((size) => A.from({ length: size }, (_, i) => numbers[i % numbers.length]));
inputs.forEach((input, k) => view(k, input.length).set(input));
const result = new A(count);
const best = (work) => {
  let least = Infinity;
  const end = performance.now() + 1000 * seconds;
  do {
    const start = process.hrtime.bigint();
    work();
    least = Math.min(least, Number(process.hrtime.bigint() - start));
  } while (performance.now() < end);
  return least / 1e3;
};
const times = { js: best(() => js(...inputs, result)), wasm: best(() => exports[symbol](...at, space)) };
const found = view(sizes.length, count);
let worst = 0;
for (let i = 0; i < count; i++) worst = Math.max(worst, Math.abs(found[i] - result[i]) / (1 + Math.abs(result[i])));
console.log(JSON.stringify({ ...times, worst, first: found[0] }));
"""


def run(*words, cwd=None):
    done = subprocess.run([str(word) for word in words], cwd=cwd, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{words}: {done.stderr}")
    return done.stdout


def native(library, symbol, sizes, single, count, seconds, workspace, numbers):
    """The minimum of the times of a call in microseconds, and the first number of the result."""
    number = ctypes.c_float if single else ctypes.c_double
    arrays = [(number * size)(*(numbers[i % len(numbers)] for i in range(size))) for size in sizes]
    result, space = (number * count)(), ctypes.create_string_buffer(workspace + 64)
    function = getattr(ctypes.CDLL(str(library)), symbol)
    arguments = [*(ctypes.byref(array) for array in arrays), ctypes.byref(result), space]
    least, end = 1e9, time.perf_counter() + seconds
    while time.perf_counter() < end:
        start = time.perf_counter_ns()
        function(*arguments)
        least = min(least, time.perf_counter_ns() - start)
    return least / 1e3, result[0]


def measure(name, options, folder):
    text, shapes, javascript, count = KERNELS[name]
    (folder / "k.toy").write_text(text + "\n")
    export = ["--export", f"f=f({', '.join(shapes)})"]
    run(options.toyc, "k.toy", "-O2", "-w", "-emit=lib", "--target", "wasm32", "-o", "k.wasm", *export, cwd=folder)
    header = run(options.toyc, "k.toy", "-O2", "-w", "-emit=header", "-o", "-", *export, cwd=folder)
    workspace = int(header.split("#define f_WORKSPACE ")[1].split()[0])
    about = {"sizes": [], "single": "f32" in shapes[0], "count": count, "seconds": options.seconds,
             "workspace": workspace, "numbers": [((i * 37) % 101) / 50 - 1 for i in range(101)]}
    for shape in shapes:
        size = 1
        for part in shape.split()[0].split("x"):
            size *= int(part)
        about["sizes"].append(size)
    (folder / "host.mjs").write_text(HOST.replace("JAVASCRIPT", javascript))
    found = json.loads(run("node", "host.mjs", json.dumps({**about, "file": "k.wasm", "symbol": "f_in"}), cwd=folder))
    if found["worst"] > (1e-4 if about["single"] else 1e-9):
        raise SystemExit(f"{name}: WebAssembly and JavaScript differ by {found['worst']}")
    times = [found["js"], found["wasm"]]
    for cpu in ["x86-64", "native"]:
        library = folder / f"libk-{cpu}.so"
        run(options.toyc, "k.toy", "-O2", "-w", "-emit=lib", "--cpu", cpu, "-o", library, *export, cwd=folder)
        of_native, first = native(library, "f_in", **about)
        bits = [struct.pack("<d", value) for value in [first, found["first"]]]
        if bits[0] != bits[1]:
            raise SystemExit(f"{name}: WebAssembly and {cpu} differ: {found['first']} and {first}")
        times.append(of_native)
    js, wasm, old, new = times
    print(f"{name:24}{js:10.1f}{wasm:10.1f}{old:10.1f}{new:10.1f}{js / wasm:12.1f}{wasm / old:12.1f}{wasm / new:12.1f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("kernels", nargs="*", metavar="KERNEL", help="some of: " + ", ".join(KERNELS))
    parser.add_argument("--toyc", default=ROOT / "target/release/toyc")
    parser.add_argument("--seconds", type=float, default=3.0, help="for each measurement")
    options = parser.parse_args()
    options.toyc = pathlib.Path(options.toyc).resolve()
    print(f"{'µs':24}{'JS':>10}{'wasm32':>10}{'x86-64':>10}{'native':>10}{'JS/wasm':>12}{'wasm/x86-64':>12}"
          f"{'wasm/native':>12}")
    for name in options.kernels or KERNELS:
        with tempfile.TemporaryDirectory() as folder:
            measure(name, options, pathlib.Path(folder))


if __name__ == "__main__":
    main()
