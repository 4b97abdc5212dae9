#!/usr/bin/env python3
"""Measures gradients of Toy functions against the functions alone and against JAX; fails above a limit.

    python3 bench/gradients.py [--toyc PATH] [--element f32] [--seconds N] [NAME...]

The programs are GradBench's and a few more, in bench/gradients: each has a scalar function `loss` and its `gradient`, by one
parameter or several. Both are compiled for one shape with `toyc --export ... -emit=lib -O3` for this machine's processor
and called through their C interface with a workspace of the planned size. JAX differentiates the same computation written
for it; its time includes what a call of a compiled function costs there. A time is the minimum over many calls, in turns.

    function, gradient   microseconds in Toy
    / function           gradient / function: how many times as long the gradient takes
    JAX, / JAX           microseconds of JAX's gradient; Toy's gradient / JAX's
    workspace            bytes of memory that the gradient needs besides its results, known before the call
    compiled, in JAX     seconds

With `every k-th`, the gradient saves its variables every k-th iteration (`--tape-memory`), and is compared with the one that saves all.

GOALS are what toyc is to reach, `-` marks what is above; LIMITS fail the run, `!`: they are what has been reached, with a
margin for a loaded machine. Results are compared with JAX's, and the memory with the bound of its plan. It needs NumPy; without JAX,
only the gradient and the function are compared.
"""

import argparse
import ctypes
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import compiler

# Before JAX is loaded: one thread.
os.environ.update(OMP_NUM_THREADS="1", JAX_PLATFORMS="cpu", JAX_ENABLE_X64="1",
                  XLA_FLAGS="--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
try:
    import numpy as np
except ImportError as error:
    sys.exit(f"{error}; `./setup --tests` installs NumPy for /usr/bin/python3")
try:
    import jax
    import jax.numpy as jnp
except ImportError:
    jax = None

PROGRAMS = Path(__file__).resolve().parent / "gradients"

# Gradient / function, gradient / JAX's gradient; with checkpoints: gradient / gradient that saves all, bytes / bytes.
GOALS = (4, 1)
CHECKPOINT_GOALS = (1.4, 0.5)


def sigmoid(x):
    return 1 / (1 + jnp.exp(-x))


def llsq(x, t):
    y = 0 * t
    for coefficient in x:
        y = y * t + coefficient
    return jnp.sum((y - jnp.sign(t)) ** 2) / 2


def ode(x):
    def slope(y):
        return x * jnp.concatenate([jnp.ones(1, x.dtype), y[:-1]])

    def step(y, _):
        h = 1 / 20
        k1 = slope(y)
        k2 = slope(y + h / 2 * k1)
        k3 = slope(y + h / 2 * k2)
        k4 = slope(y + h * k3)
        return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), None

    return jnp.sum(jax.lax.scan(step, 0 * x, None, 20)[0])


def det(a):
    if len(a) == 1:
        return a[0, 0]
    minor = lambda k: jnp.concatenate([a[1:, :k], a[1:, k + 1:]], axis=1)
    return sum((-1) ** k * a[0, k] * det(minor(k)) for k in range(len(a)))


def lstm(main, extra, x):
    def step(state, inputs):
        h, c = state
        x, wanted = inputs
        y, hs, cs = x * extra[0], [], []
        for layer, (w, b) in enumerate(main):
            forget, outgate = sigmoid(y * w[0] + b[0]), sigmoid(y * w[2] + b[2])
            ingate, change = sigmoid(h[layer] * w[1] + b[1]), jnp.tanh(h[layer] * w[3] + b[3])
            cs.append(c[layer] * forget + ingate * change)
            y = outgate * jnp.tanh(cs[-1])
            hs.append(y)
        y = y * extra[1] + extra[2]
        return (jnp.stack(hs), jnp.stack(cs)), jnp.sum(wanted * (y - jnp.log(jnp.sum(jnp.exp(y)) + 2)))

    start = jnp.zeros((len(main), x.shape[1]), x.dtype)
    terms = jax.lax.scan(step, (start, start), (x[:-1], x[1:]))[1]
    return -jnp.sum(terms) / x[1:].size


def recurrent(wi, wf, wo, wc, x, wanted):
    def step(state, x):
        h, c = state
        c = sigmoid(wf @ h + x) * c + sigmoid(wi @ h + x) * jnp.tanh(wc @ h + x)
        return (sigmoid(wo @ h + x) * jnp.tanh(c), c), None

    (h, _), _ = jax.lax.scan(step, (0 * wanted, 0 * wanted), x)
    return jnp.sum((h - wanted) ** 2)


def gmm(alphas, means, icf, x):
    d = x.shape[1]
    columns, rows = np.triu_indices(d, 1)
    diagonals = jnp.exp(icf[:, :d])
    q = jnp.zeros((len(alphas), d, d), x.dtype).at[:, rows, columns].set(icf[:, d:])
    q = q + diagonals[:, :, None] * jnp.eye(d, dtype=x.dtype)
    y = jnp.einsum("kij,nkj->nki", q, x[:, None] - means)
    terms = alphas + jnp.sum(icf[:, :d], axis=1) - jnp.sum(y * y, axis=2) / 2
    prior = (jnp.sum(diagonals ** 2) + jnp.sum(icf[:, d:] ** 2)) / 2
    logsumexp = jax.scipy.special.logsumexp
    return jnp.sum(logsumexp(terms, axis=1)) - len(x) * logsumexp(alphas) + prior


def mlp(w, b, v, c, x, wanted):
    y = jax.nn.relu(x @ w + b) @ v + c
    return -jnp.sum(wanted * (y - jax.scipy.special.logsumexp(y, axis=1, keepdims=True))) / len(x)


# Name: program, JAX's function, shapes, the number of parameters that it is differentiated by, and limits like GOALS.
CASES = {
    "hello": ("hello", lambda x: x * x, "()", 1, (None, None)),
    "llsq 16, 1024": ("llsq", llsq, "16, 1024", 1, (3.5, 0.4)),
    "lse 4096": ("lse", lambda x: jax.scipy.special.logsumexp(x), "4096", 1, (2.5, 0.6)),
    "ode 16": ("ode", ode, "16", 1, (4, 0.6)),
    "det 5": ("det", det, "5x5", 1, (4, 0.8)),
    "lstm 2x14, 64": ("lstm", lstm, "2x2x4x14, 3x14, 64x14", 2, (4, 0.6)),
    "gmm 5x8, 500": ("gmm", gmm, "5, 5x8, 5x36, 500x8", 3, (4, 0.8)),
    "kmeans 8x4, 1024": ("kmeans", lambda c, p: jnp.sum(jnp.min(jnp.sum((p[:, None] - c) ** 2, 2), 1)), "8x4, 1024x4", 1,
                         (7, 0.5)),
    "mlp 256-128-10, 64": ("mlp", mlp, "256x128, 128, 128x10, 10, 64x256, 64x10", 4, (4, 1)),
    "recurrent 32, 64": ("recurrent", recurrent, "32x32, 32x32, 32x32, 32x32, 64x32, 32", 4, (4, 0.8)),
    "recurrent 128, 64": ("recurrent", recurrent, "128x128, 128x128, 128x128, 128x128, 64x128, 128", 4, (4.6, 1.2)),
}
# Name: the case with all iterations saved, the bytes of the tape, and limits like CHECKPOINT_GOALS.
CHECKPOINTS = {
    "recurrent 32, 1000, every k-th": ("recurrent", "32x32, 32x32, 32x32, 32x32, 1000x32, 32", 4, "256K", (1.5, 0.5)),
}

NUMPY = {"f64": np.float64, "f32": np.float32}
# The largest difference from JAX, of the largest element.
NEAR = {"f64": 1e-12, "f32": 1e-3}


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("names", nargs="*", metavar="NAME", help="only programs that begin with this")
    arguments.add_argument("--toyc", type=Path, help="measure this compiler")
    arguments.add_argument("--element", choices=list(NUMPY), default="f64")
    arguments.add_argument("--seconds", type=float, default=1.0, help="for each program")
    arguments.add_argument("--no-limits", action="store_true", help="only results and memory have to be right")
    arguments = arguments.parse_args()
    toyc = compiler.built(arguments.toyc)
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    print(f"JAX {jax.__version__}" if jax else "without JAX: only the gradient and the function are compared")
    is_wanted = lambda name: not arguments.names or name.startswith(tuple(arguments.names))
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(toyc.resolve(), arguments, Path(folder))
        bench.header("function", "gradient", "/ function", "JAX", "/ JAX", "workspace", "compiled", "in JAX")
        for name in filter(is_wanted, CASES):
            bench.case(name, *CASES[name])
        bench.header("all", "every k-th", "/ all", "", "", "of bytes", "workspace", "")
        for name in filter(is_wanted, CHECKPOINTS):
            bench.checkpoints(name, *CHECKPOINTS[name])
    if bench.exceeded and not arguments.no_limits:
        sys.exit("above their limits (marked with `!`):\n  " + "\n  ".join(bench.exceeded))


class Bench:
    def __init__(self, toyc, arguments, folder):
        self.toyc, self.arguments, self.folder = toyc, arguments, folder
        self.element = arguments.element
        self.libraries = 0
        # What is above its limit, in words.
        self.exceeded = []

    def header(self, *titles):
        print(f"\n{'µs':32}" + "".join(f"{title:>12}" for title in titles))

    def case(self, name, program, peer, shapes, count, limits):
        inputs = self.inputs(shapes)
        function = self.compiled(program, "loss", inputs, [np.zeros((), NUMPY[self.element])])
        results = [np.zeros_like(array) for array in inputs[:count]]
        gradient = self.compiled(program, "gradient", inputs, results)
        calls, in_jax = [function.call, gradient.call], None
        if jax:
            by = 0 if count == 1 else tuple(range(count))
            differentiated = jax.jit(jax.grad(peer, by))
            arrays = [jnp.array(array) for array in inputs]
            start = time.perf_counter()
            expected = jax.block_until_ready(differentiated(*arrays))
            in_jax = time.perf_counter() - start
            calls.append(lambda: jax.block_until_ready(differentiated(*arrays)))
            gradient.call()
            self.check(name, results, expected if count > 1 else [expected])
        times = self.times(calls)
        ratios = [times[1] / times[0], times[1] / times[2] if jax else None]
        marks = self.marks(name, ratios, GOALS, limits, ["the function", "JAX"])
        cells = [f"{times[0]:.1f}", f"{times[1]:.1f}", marks[0], f"{times[2]:.1f}" if jax else "", marks[1],
                 str(gradient.workspace), f"{gradient.seconds:.1f}", f"{in_jax:.1f}" if jax else ""]
        print(f"{name:32}" + "".join(f"{cell:>12}" for cell in cells), flush=True)

    def checkpoints(self, name, program, shapes, count, memory, limits):
        inputs = self.inputs(shapes)
        results = [[np.zeros_like(array) for array in inputs[:count]] for _ in range(2)]
        every = self.compiled(program, "gradient", inputs, results[0])
        some = self.compiled(program, "gradient", inputs, results[1], "--tape-memory", memory)
        every.call(), some.call()
        self.check(name, results[1], results[0])
        times = self.times([every.call, some.call])
        ratios = [times[1] / times[0], some.workspace / every.workspace]
        marks = self.marks(name, ratios, CHECKPOINT_GOALS, limits, ["saving all", "its bytes"])
        cells = [f"{times[0]:.1f}", f"{times[1]:.1f}", marks[0], "", "", marks[1], str(some.workspace)]
        print(f"{name:32}" + "".join(f"{cell:>12}" for cell in cells), flush=True)

    def inputs(self, shapes):
        random = np.random.default_rng(1)
        arrays = []
        for shape in shapes.split(", "):
            dims = () if shape == "()" else tuple(map(int, shape.split("x")))
            scale = max(dims[-1] if len(dims) == 2 else 1, 1) ** 0.5
            arrays.append(np.array(random.uniform(-1, 1, dims) / scale, NUMPY[self.element]))
        return arrays

    def compiled(self, program, function, inputs, results, *options):
        """A function for these arrays."""
        self.libraries += 1
        library = self.folder / f"library{self.libraries}.so"
        suffix = "" if self.element == "f64" else " " + self.element
        shapes = ("x".join(map(str, array.shape)) or "()" for array in inputs)
        export = f"f={function}({', '.join(shape + suffix for shape in shapes)})"
        words = [self.toyc, PROGRAMS / f"{program}.toy", "-w", "-O3", "--cpu", "native", "--export", export, *options]
        start = time.perf_counter()
        run(*words, "-emit=lib", "-o", library)
        seconds = time.perf_counter() - start
        plan = run(*words, "-emit=memory-plan", "-o", "-")
        of = lambda word: re.findall(rf"^  {word} +(\d+) bytes", plan, re.MULTILINE)
        if of("after") != of("bound"):
            sys.exit(f"{program}: the plan takes {of('after')} bytes, its bounds are {of('bound')}")
        header = run(*words, "-emit=header", "-o", "-")
        workspace = int(header.split("#define f_WORKSPACE ")[1].split()[0])
        return Function(library, inputs, results, workspace, seconds)

    def times(self, calls):
        """The least microseconds of each call, in turns."""
        least = [float("inf")] * len(calls)
        for call in calls:
            call()
        end = time.perf_counter() + self.arguments.seconds * len(calls)
        while time.perf_counter() < end:
            for number, call in enumerate(calls):
                for _ in range(10):
                    start = time.perf_counter_ns()
                    call()
                    least[number] = min(least[number], time.perf_counter_ns() - start)
        return [nanoseconds / 1e3 for nanoseconds in least]

    def check(self, name, results, expected):
        for result, other in zip(results, expected):
            other = np.asarray(other)
            difference = np.max(np.abs(result - other)) / max(np.max(np.abs(other)), 1e-300)
            if not difference <= NEAR[self.element]:
                sys.exit(f"{name}: the gradient differs by {difference:.1e} of its largest element")

    def marks(self, name, ratios, goals, limits, others):
        marks = []
        for ratio, goal, limit, other in zip(ratios, goals, limits, others):
            mark = " "
            if ratio is not None and limit is not None:
                if ratio > limit:
                    self.exceeded.append(f"{name}: {ratio:.2f} of {other}, the limit is {limit}")
                mark = "!" if ratio > limit else "-" if ratio > goal else " "
            marks.append("" if ratio is None else f"{ratio:.2f}{mark}")
        return marks


class Function:
    def __init__(self, library, inputs, results, workspace, seconds):
        self.workspace, self.seconds = workspace, seconds
        number = ctypes.c_float if inputs[0].dtype == np.float32 else ctypes.c_double
        self.space = np.zeros(workspace + 64, np.uint8)
        self.results = results
        pointer = lambda array: ctypes.c_void_p(array.ctypes.data)
        arguments = [pointer(array) if array.shape else number(array) for array in inputs]
        arguments += map(pointer, [*results, self.space])
        function = ctypes.CDLL(str(library)).f_in

        def call():
            if function(*arguments):
                sys.exit("a function failed")

        self.call = call


def run(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}:\n{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    main()
