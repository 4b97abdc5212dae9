"""Programs with loops for bench/kernels.py: the same algorithm as Toy, as C, for NumPy and for JAX.

Input: a name and the shape of the first argument. Output: what `Expression` and `Reduction` in
bench/kernel_peers.py give. Invariant: the loops in C are those that the program in Toy says, in its order; NumPy and
JAX compute the same in the way their users write it, on whole arrays where that is possible.
"""

import re

import numpy as np

from kernel_peers import ONLY_READING, READING, Expression, jax, source

# Iterations of the outermost loop, where an algorithm has one of its own.
ROUNDS = 10
# Steps at most of a point of the Mandelbrot set.
LIMIT = 50

JACOBI = """
def f(plate) {
  var u = plate;
  var next = plate;
  for _ in 0..ROUNDS {
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
}
"""
JACOBI_C = """
  static double space[M * N];
  double *now = space, *next = r;
  for (long x = 0; x < M * N; x++) now[x] = next[x] = a[x];
  for (long round = 0; round < ROUNDS; round++) {
    for (long i = 1; i < M - 1; i++)
      for (long j = 1; j < N - 1; j++)
        next[i * N + j] = (now[(i - 1) * N + j] + now[(i + 1) * N + j] + now[i * N + j - 1] + now[i * N + j + 1]) / 4;
    double *last = now; now = next; next = last;
  }
  if (now != r) for (long x = 0; x < M * N; x++) r[x] = now[x];"""


def jacobi(a):
    now, next = a.copy(), a.copy()
    for _ in range(ROUNDS):
        inner = next[1:-1, 1:-1]
        np.add(now[:-2, 1:-1], now[2:, 1:-1], out=inner)
        inner += now[1:-1, :-2]
        inner += now[1:-1, 2:]
        inner /= 4
        now, next = next, now
    return now


def jacobi_jax(a):
    step = lambda _, u: u.at[1:-1, 1:-1].set((u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]) / 4)
    return jax.lax.fori_loop(0, ROUNDS, step, a)


LU = """
# The row with the largest element of column k, from row k on.
def pivot(a, k) {
  var best = k;
  for i in k + 1..shape(a, 0) {
    if (abs(a[i, k]) > abs(a[best, k])) { best = i; }
  }
  return best;
}

def f(matrix) {
  var a = matrix;
  for k in 0..shape(a, 0) {
    var p = pivot(a, k);
    if (p != k) {
      var row = a[k];
      a[k] = a[p];
      a[p] = row;
    }
    for i in k + 1..shape(a, 0) {
      var factor = a[i, k] / a[k, k];
      for j in k + 1..shape(a, 1) {
        a[i, j] = a[i, j] - factor * a[k, j];
      }
      a[i, k] = factor;
    }
  }
  return a;
}
"""
LU_C = """
  for (long x = 0; x < M * N; x++) r[x] = a[x];
  for (long k = 0; k < M; k++) {
    long p = k;
    for (long i = k + 1; i < M; i++)
      if (__builtin_fabs(r[i * N + k]) > __builtin_fabs(r[p * N + k])) p = i;
    if (p != k)
      for (long j = 0; j < N; j++) { double last = r[k * N + j]; r[k * N + j] = r[p * N + j]; r[p * N + j] = last; }
    for (long i = k + 1; i < M; i++) {
      double factor = r[i * N + k] / r[k * N + k];
      for (long j = k + 1; j < N; j++) r[i * N + j] -= factor * r[k * N + j];
      r[i * N + k] = factor;
    }
  }"""


def lu(matrix):
    a = matrix.copy()
    for k in range(len(a)):
        p = k + np.argmax(np.abs(a[k:, k]))
        if p != k:
            a[[k, p]] = a[[p, k]]
        a[k + 1:, k] /= a[k, k]
        a[k + 1:, k + 1:] -= np.multiply.outer(a[k + 1:, k], a[k, k + 1:])
    return a


POWER = """
def f(a) {
  var v<M> = 1;
  for _ in 0..ROUNDS {
    var w = a @ v;
    v = w / sqrt(w @ w);
  }
  return v;
}
"""
POWER_C = """
  double w[N];
  for (long i = 0; i < M; i++) r[i] = 1;
  for (long round = 0; round < ROUNDS; round++) {
    double length = 0;
    for (long i = 0; i < M; i++) {
      w[i] = 0;
      for (long k = 0; k < N; k++) w[i] += a[i * N + k] * r[k];
    }
    for (long i = 0; i < M; i++) length += w[i] * w[i];
    length = __builtin_sqrt(length);
    for (long i = 0; i < M; i++) r[i] = w[i] / length;
  }"""


def power(a):
    v = np.ones(len(a))
    for _ in range(ROUNDS):
        w = a @ v
        v = w / np.sqrt(w @ w)
    return v


def power_jax(a):
    def step(_, v):
        w = a @ v
        return w / jax.numpy.sqrt(w @ w)
    return jax.lax.fori_loop(0, ROUNDS, step, jax.numpy.ones(len(a)))


LIFE = """
def wrapped(i, size) {
  return i - size * floor(i / size);
}

def neighbors(world, i, j) {
  var count = 0;
  for di in -1..2 {
    for dj in -1..2 {
      var row = wrapped(i + di, shape(world, 0));
      var column = wrapped(j + dj, shape(world, 1));
      count = count + world[row, column];
    }
  }
  return count - world[i, j];
}

def generation(world) {
  var next = world;
  for i in 0..shape(world, 0) {
    for j in 0..shape(world, 1) {
      var n = neighbors(world, i, j);
      next[i, j] = n == 3 || n == 2 && world[i, j];
    }
  }
  return next;
}

def f(start) {
  var world = start;
  for _ in 0..ROUNDS { world = generation(world); }
  return world;
}
"""
LIFE_C = """
  static double space[M * N];
  double *now = space, *next = r;
  for (long x = 0; x < M * N; x++) now[x] = a[x];
  for (long round = 0; round < ROUNDS; round++) {
    for (long i = 0; i < M; i++)
      for (long j = 0; j < N; j++) {
        double n = 0;
        for (long di = -1; di < 2; di++)
          for (long dj = -1; dj < 2; dj++) n += now[(i + di + M) % M * N + (j + dj + N) % N];
        n -= now[i * N + j];
        next[i * N + j] = n == 3 || (n == 2 && now[i * N + j]);
      }
    double *last = now; now = next; next = last;
  }
  if (now != r) for (long x = 0; x < M * N; x++) r[x] = now[x];"""


def life(world):
    for _ in range(ROUNDS):
        count = -world
        for di in (-1, 0, 1):
            for dj in (-1, 0, 1):
                count = count + np.roll(world, (di, dj), (0, 1))
        world = ((count == 3) | ((count == 2) & (world != 0))).astype(float)
    return world


def life_jax(world):
    roll = lambda world, by: jax.numpy.roll(world, by, (0, 1))

    def step(_, world):
        count = sum(roll(world, (di, dj)) for di in (-1, 0, 1) for dj in (-1, 0, 1)) - world
        return ((count == 3) | ((count == 2) & (world != 0))).astype(float)
    return jax.lax.fori_loop(0, ROUNDS, step, world)


MANDELBROT = """
def steps(re, im) {
  var x = 0;
  var y = 0;
  var n = 0;
  while (n < LIMIT && x * x + y * y <= 4) {
    var next = x * x - y * y + re;
    y = 2 * x * y + im;
    x = next;
    n = n + 1;
  }
  return n;
}

def f(re, im) {
  var counts<M, N> = 0;
  for i in 0..shape(im, 0) {
    for j in 0..shape(re, 0) { counts[i, j] = steps(re[j], im[i]); }
  }
  return counts;
}
"""
MANDELBROT_C = """
  for (long i = 0; i < M; i++)
    for (long j = 0; j < N; j++) {
      double x = 0, y = 0, n = 0;
      while (n < LIMIT && x * x + y * y <= 4) {
        double next = x * x - y * y + a[j];
        y = 2 * x * y + b[i];
        x = next;
        n++;
      }
      r[i * N + j] = n;
    }"""


def mandelbrot(re, im):
    shape = len(im), len(re)
    re, im = np.broadcast_to(re, shape), np.broadcast_to(im[:, None], shape)
    x, y, n = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    for _ in range(LIMIT):
        inside = x * x + y * y <= 4
        x, y = np.where(inside, x * x - y * y + re, x), np.where(inside, 2 * x * y + im, y)
        n += inside
    return n


def mandelbrot_jax(re, im):
    shape = len(im), len(re)
    zero = jax.numpy.zeros(shape)

    def step(_, state):
        x, y, n = state
        inside = x * x + y * y <= 4
        where = jax.numpy.where
        return where(inside, x * x - y * y + re, x), where(inside, 2 * x * y + im[:, None], y), n + inside
    return jax.lax.fori_loop(0, LIMIT, step, (zero, zero, zero))[2]


# Name: the program, the loops in C, NumPy's and JAX's function, and the sizes.
LOOPS = {
    "Jacobi": (JACOBI, JACOBI_C, jacobi, jacobi_jax, ["16x16", "64x64", "500x500", "1000x1000"]),
    "LU": (LU, LU_C, lu, lambda a: jax.lax.linalg.lu(a)[0], ["16x16", "64x64", "200x200", "500x500"]),
    "power iteration": (POWER, POWER_C, power, power_jax, ["16x16", "64x64", "333x333", "1000x1000"]),
    "Game of Life": (LIFE, LIFE_C, life, life_jax, ["16x16", "64x64", "250x250"]),
    "Mandelbrot": (MANDELBROT, MANDELBROT_C, mandelbrot, mandelbrot_jax, ["21x60", "100x300"]),
}


class Loops:
    """A program with loops, for the shape of its result or of the matrix that it is given."""

    # NumPy computes the same, but products and sums add in another order.
    is_exact = False
    # Memory is not what limits it.
    has_limit = False
    is_arithmetic = False

    def __init__(self, name, shape):
        self.name = name
        self.program, self.loops, self.on_arrays, self.in_jax, _ = LOOPS[name]
        self.is_exact = name not in ["LU", "power iteration"]
        rows, columns = shape
        self.sizes = dict(M=rows, N=columns, ROUNDS=ROUNDS, LIMIT=LIMIT)
        self.shapes = [(columns,), (rows,)] if name == "Mandelbrot" else [shape]
        self.shape = (rows,) if name == "power iteration" else shape

    signature, bytes, dtype = Expression.signature, Expression.bytes, Expression.dtype
    element = "f64"

    def toy(self):
        return re.sub(r"\b(M|N|ROUNDS|LIMIT)\b", lambda word: str(self.sizes[word[0]]), self.program)

    def arrays(self, allocate):
        if self.name == "Mandelbrot":
            values = [np.linspace(-2.1, 0.9, self.shapes[0][0]), np.linspace(-1.1, 1.1, self.shapes[1][0])]
        elif self.name == "Game of Life":
            values = [np.random.default_rng(1).integers(0, 2, self.shape).astype(float)]
        else:
            values = [np.random.default_rng(1).uniform(0, 1, self.shapes[0])]
        arrays = [allocate(shape) for shape in self.shapes]
        for array, value in zip(arrays, values):
            array[...] = value
        return arrays

    def numpy(self, arrays, out):
        np.copyto(out, self.on_arrays(*arrays))
        return out

    def is_same(self, result, expected):
        """The peers may contract to fused multiply-adds, and a point may then take another number of steps."""
        close = np.isclose(result, expected, rtol=1e-6, atol=1e-9)
        return np.mean(close) > 0.99 if self.name == "Mandelbrot" else np.all(close)

    def python_peers(self, arrays, out):
        peers = {"NumPy": (lambda: self.numpy(arrays, out), lambda: self.on_arrays(*arrays))}
        if jax:
            function = jax.jit(self.in_jax)
            device = [jax.device_put(np.array(array)) for array in arrays]
            peers["JAX"] = None, lambda: function(*device).block_until_ready()
        return peers

    def c(self):
        body = "".join(f"  enum {{ {name} = {size} }};\n" for name, size in self.sizes.items()) + self.loops
        names = ["a", "b"][:len(self.shapes)]
        parameters = ", ".join(f"const double *{name}" for name in names)
        return source(self.element, parameters=parameters.replace("*", "*restrict "), body=body,
                      count=int(np.prod(self.shape)),
                      stream_functions=READING.format(parameters=parameters, reads="") + ONLY_READING,
                      types=", ".join(["const double *"] * len(names)),
                      values=", ".join(f"in[{i}]" for i in range(len(names))),
                      pointers=", ".join(f"in[{i}]" for i in range(len(names))))
