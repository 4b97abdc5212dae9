"""What bench/kernels.py compares: one expression as Toy, as C, and for NumPy, numexpr and JAX.

Input: a kernel as a Python function of symbols (`lambda a, b: a.T * b`) and the shape of its result.
Output: the program in Toy, a library in C with the peers' loops, the streaming loops and the clocks, and
functions of arrays. Invariant: all of them do the same operations in the same order.
"""

import inspect
import re

import numpy as np

try:
    import numexpr
except ImportError:
    numexpr = None
try:
    import jax
except ImportError:
    jax = None


class Node:
    """An expression: a name, or an operation on two expressions; `transposed` counts from outside."""

    def __init__(self, operation, left=None, right=None, transposed=False, name=None, scalar=False):
        self.operation, self.left, self.right = operation, left, right
        self.transposed, self.name, self.scalar = transposed, name, scalar

    def __add__(self, other):
        return Node("+", self, other)

    def __sub__(self, other):
        return Node("-", self, other)

    def __mul__(self, other):
        return Node("*", self, other)

    @property
    def T(self):
        return Node(self.operation, self.left, self.right, not self.transposed, self.name, self.scalar)

    def toy(self):
        text = self.name or f"({self.left.toy()} {self.operation} {self.right.toy()})"
        return f"transpose({text})" if self.transposed else text

    def pushed(self, transposed=False):
        """The same with transposes at the names only."""
        transposed ^= self.transposed
        if self.name:
            return Node(None, transposed=transposed and not self.scalar, name=self.name, scalar=self.scalar)
        return Node(self.operation, self.left.pushed(transposed), self.right.pushed(transposed))

    def leaves(self):
        return [self] if self.name else self.left.leaves() + self.right.leaves()

    def text(self, leaf):
        """Infix text with names as `leaf` writes them."""
        if self.name:
            return leaf(self)
        return f"({self.left.text(leaf)} {self.operation} {self.right.text(leaf)})"


class Expression:
    """A kernel for one shape of its result. Parameters of the names s and t are scalars."""

    # Whether NumPy's result has the same bits.
    is_exact = True
    # Whether it is compared with what memory allows.
    has_limit = True
    # Whether it is also compared with what the processor's arithmetic allows.
    is_arithmetic = False

    def __init__(self, function, shape, element="f64"):
        self.shape, self.element = shape, element
        self.names = list(inspect.signature(function).parameters)
        self.tree = function(*(Node(None, name=name, scalar=name in "st") for name in self.names))
        self.pushed = self.tree.pushed()
        reversed_names = {leaf.name for leaf in self.pushed.leaves() if leaf.transposed}
        self.shapes = [() if name in "st" else shape[::-1] if name in reversed_names else shape
                       for name in self.names]

    def toy(self):
        return f"def f({', '.join(self.names)}) {{\n  return {self.tree.toy()};\n}}\n"

    def signature(self):
        """The arguments of --export."""
        suffix = "" if self.element == "f64" else f" {self.element}"
        return ", ".join(("x".join(map(str, shape)) or "()") + suffix for shape in self.shapes)

    def dtype(self):
        return np.dtype({"f64": np.float64, "f32": np.float32}[self.element])

    def bytes(self):
        """Compulsory traffic: each input read once, the result written once."""
        return self.dtype().itemsize * sum(int(np.prod(shape)) for shape in [*self.shapes, self.shape] if shape)

    def arrays(self, allocate):
        random = np.random.default_rng(1)
        arrays = []
        for shape in self.shapes:
            array = allocate(shape, self.dtype()) if shape else np.empty((), self.dtype())
            array[...] = random.uniform(0.5, 1.5, shape)
            arrays.append(array)
        return arrays

    def numpy(self, arrays, out):
        """As somebody writes it who avoids temporaries; views are read in place."""
        views = dict(zip(self.names, arrays))

        def evaluate(node, out):
            if node.name:
                return views[node.name].T if node.transposed else views[node.name]
            left = evaluate(node.left, out)
            right = evaluate(node.right, None if node.right.name else np.empty(self.shape, self.dtype()))
            return {"+": np.add, "-": np.subtract, "*": np.multiply}[node.operation](left, right, out=out)

        result = evaluate(self.pushed, out)
        if self.pushed.name:
            np.copyto(out, result)
        return out

    def is_same(self, result, expected):
        """Whether a peer, which may contract to fused multiply-adds, computed the same."""
        # Sums one by one lose three digits.
        return np.allclose(result, expected, rtol={"f64": 1e-12, "f32": 1e-3}[self.element])

    def python_peers(self, arrays, out):
        """{name: (with the destination given or None, with a fresh result)}, functions without arguments."""
        peers = {"NumPy": (lambda: self.numpy(arrays, out),
                           lambda: self.numpy(arrays, np.empty(self.shape, self.dtype())))}
        if numexpr:
            text = self.pushed.text(lambda leaf: leaf.name + ("T" if leaf.transposed else ""))
            values = {}
            for leaf in self.pushed.leaves():
                array = arrays[self.names.index(leaf.name)]
                values[leaf.name + ("T" if leaf.transposed else "")] = array.T if leaf.transposed else array
            run = lambda out: numexpr.evaluate(text, values, {}, out=out, order="C", casting="no")
            peers["numexpr"] = lambda: run(out), lambda: run(np.empty(self.shape))
        if jax:
            function = jax.jit(lambda *arrays: self.apply(dict(zip(self.names, arrays))))
            device = [jax.device_put(np.array(array)) for array in arrays]
            peers["JAX"] = None, lambda: function(*device).block_until_ready()
        return peers

    def apply(self, values):
        """The expression on objects with operators of their own."""
        def evaluate(node):
            if node.name:
                value = values[node.name]
            else:
                left, right = evaluate(node.left), evaluate(node.right)
                value = {"+": lambda: left + right, "-": lambda: left - right,
                         "*": lambda: left * right}[node.operation]()
            return value.T if node.transposed else value
        return evaluate(self.tree)

    def c(self):
        """The library's source: the loops as one writes them, streaming loops, and the clock."""
        def element(leaf):
            if leaf.scalar:
                return leaf.name
            order = range(len(self.shape))
            order, sizes = (order, self.shape) if not leaf.transposed else (order[::-1], self.shape[::-1])
            index = "0"
            for i, size in zip(order, sizes):
                index = f"({index}) * {size} + i{i}"
            return f"{leaf.name}[{index}]"

        loops = "".join(f"  for (long i{i} = 0; i{i} < {size}; i{i}++)\n"
                        for i, size in enumerate(self.shape))
        index = "0"
        for i, size in enumerate(self.shape):
            index = f"({index}) * {size} + i{i}"
        inputs = [name for name, shape in zip(self.names, self.shapes) if shape]
        kinds = [f"const double *restrict {n}" if s else f"double {n}" for n, s in zip(self.names, self.shapes)]
        plain = ", ".join("const double *" if shape else "double" for shape in self.shapes)
        values = ", ".join(f"in[{i}]" if shape else f"*in[{i}]" for i, shape in enumerate(self.shapes))
        total = lambda index: " + ".join(f"{name}[{index}]" for name in inputs)
        unaligned = " + ".join(f"*(const loaded *)({name} + i)" for name in inputs)
        streams = STREAMS.format(streams=", ".join(f"const double *restrict {name}" for name in inputs),
                                 sum=total("i"), vectors=unaligned)
        return source(self.element, parameters=", ".join(kinds),
                      body=f"{loops}    r[{index}] = {self.pushed.text(element)};",
                      count=int(np.prod(self.shape)), stream_functions=streams, types=plain, values=values,
                      pointers=", ".join(f"in[{i}]" for i, s in enumerate(self.shapes) if s))


def source(element, **parts):
    """The library's source, whose numbers are `double` in the templates."""
    number = {"f64": "double", "f32": "float"}[element]
    return re.sub(r"\bdouble\b", number, C.format(**parts)).replace("DOUBLE", "double")


# Name: the function in Toy, the same for NumPy and JAX, and the loops as one writes them in C.
REDUCTIONS = {
    "a @ b": ("a @ b", lambda np, a, b, **out: np.matmul(a, b, **out), """
  for (long x = 0; x < M * N; x++) r[x] = 0;
  for (long i = 0; i < M; i++)
    for (long k = 0; k < K; k++)
      for (long j = 0; j < N; j++) r[i * N + j] += a[i * K + k] * b[k * N + j];"""),
    "matrix @ vector": ("a @ b", lambda np, a, b, **out: np.matmul(a, b, **out), """
  for (long i = 0; i < M; i++) {
    double sum = 0;
    for (long k = 0; k < K; k++) sum += a[i * K + k] * b[k];
    r[i] = sum;
  }"""),
    "sum of all": ("sum(a)", lambda np, a, **out: np.sum(a, **out), """
  double sum = 0;
  for (long x = 0; x < M * K; x++) sum += a[x];
  r[0] = sum;"""),
    "sums of rows": ("sum(a, axis = 1)", lambda np, a, **out: np.sum(a, axis=1, **out), """
  for (long i = 0; i < M; i++) {
    double sum = 0;
    for (long k = 0; k < K; k++) sum += a[i * K + k];
    r[i] = sum;
  }"""),
    "sums of columns": ("sum(a, axis = 0)", lambda np, a, **out: np.sum(a, axis=0, **out), """
  for (long k = 0; k < K; k++) r[k] = 0;
  for (long i = 0; i < M; i++)
    for (long k = 0; k < K; k++) r[k] += a[i * K + k];"""),
    "sum of a * b": ("sum(a * b)", lambda np, a, b, **out: np.sum(a * b, **out), """
  double sum = 0;
  for (long x = 0; x < M * K; x++) sum += a[x] * b[x];
  r[0] = sum;"""),
    "sum of (a - b)^2": ("sum((a - b) * (a - b))", lambda np, a, b, **out: np.sum((a - b) * (a - b), **out), """
  double sum = 0;
  for (long x = 0; x < M * K; x++) sum += (a[x] - b[x]) * (a[x] - b[x]);
  r[0] = sum;"""),
    "squares of rows": ("sum(a * a, axis = 1)", lambda np, a, **out: np.sum(a * a, axis=1, **out), """
  for (long i = 0; i < M; i++) {
    double sum = 0;
    for (long k = 0; k < K; k++) sum += a[i * K + k] * a[i * K + k];
    r[i] = sum;
  }"""),
    "normalized rows": ("normalized(a)", lambda np, a, **out: given(np, normalized(np, a), **out), """
  for (long i = 0; i < M; i++) {
    double sum = 0, squares = 0;
    for (long k = 0; k < K; k++) sum += a[i * K + k];
    for (long k = 0; k < K; k++) squares += (a[i * K + k] - sum / K) * (a[i * K + k] - sum / K);
    for (long k = 0; k < K; k++) r[i * K + k] = (a[i * K + k] - sum / K) / sqrt(squares / K);
  }"""),
    "softmax of rows": ("softmax(a)", lambda np, a, **out: given(np, softmax(np, a), **out), """
  for (long i = 0; i < M; i++) {
    double most = a[i * K], sum = 0;
    for (long k = 0; k < K; k++) most = fmax(most, a[i * K + k]);
    for (long k = 0; k < K; k++) sum += r[i * K + k] = exp(a[i * K + k] - most);
    for (long k = 0; k < K; k++) r[i * K + k] /= sum;
  }"""),
    "exp of a": ("exp(a)", lambda np, a, **out: np.exp(a, **out), """
  for (long x = 0; x < M * K; x++) r[x] = exp(a[x]);"""),
    "tanh of a, * b": ("tanh(a) * b", lambda np, a, b, **out: np.multiply(np.tanh(a), b, **out), """
  for (long x = 0; x < M * K; x++) r[x] = tanh(a[x]) * b[x];"""),
    "log of a": ("log(a)", lambda np, a, **out: np.log(a, **out), """
  for (long x = 0; x < M * K; x++) r[x] = log(a[x]);"""),
    "exp where a > b": ("where(a > b, exp(b - a), a)",
                        lambda np, a, b, **out: given(np, np.where(a > b, np.exp(b - a), a), **out), """
  for (long x = 0; x < M * K; x++) r[x] = a[x] > b[x] ? exp(b[x] - a[x]) : a[x];"""),
}
# Functions of Toy that these call.
DEFINITIONS = {
    "normalized rows": """def normalized(a) {
  var c = a - mean(a, axis = 1, keep = 1);
  return c / sqrt(mean(c * c, axis = 1, keep = 1));
}
""",
    "softmax of rows": """def softmax(a) {
  var e = exp(a - max(a, axis = 1, keep = 1));
  return e / sum(e, axis = 1, keep = 1);
}
""",
}
# Their results are as large as their operand, so that reading is not all.
OF_ELEMENTS = {"normalized rows", "softmax of rows", "exp of a", "tanh of a, * b", "log of a",
               "exp where a > b"}


def normalized(np, a):
    c = a - np.mean(a, axis=1, keepdims=True)
    return c / np.sqrt(np.mean(c * c, axis=1, keepdims=True))


def softmax(np, a):
    e = np.exp(a - np.max(a, axis=1, keepdims=True))
    return e / np.sum(e, axis=1, keepdims=True)


def given(np, result, out=None):
    """The result, in the place that is given for it."""
    return result if out is None else np.copyto(out, result)


class Reduction:
    """A product of matrices, or sums of one, for sizes of the form ROWSxCOLUMNS, ROWSxSHAREDxCOLUMNS for products."""

    # NumPy adds in another order.
    is_exact = False

    def __init__(self, name, size, element="f64"):
        self.element = element
        # Of a product of matrices, reading is seldom what takes longest.
        self.is_arithmetic = name == "a @ b"
        self.text, self.function, self.loops = REDUCTIONS[name]
        self.definitions = DEFINITIONS.get(name, "")
        self.has_limit = name not in OF_ELEMENTS
        rows, shared, columns = (size + (1, 1))[:3]
        self.sizes = dict(M=rows, K=shared, N=columns)
        self.shapes = [(rows, shared)]
        if "@" in name:
            self.shapes.append((shared, columns) if len(size) > 2 else (shared,))
        elif re.search(r"\bb\b", self.text):
            self.shapes.append((rows, shared))
        results = {"a @ b": (rows, columns), "sums of columns": (shared,)}
        results |= dict.fromkeys(OF_ELEMENTS, (rows, shared))
        self.shape = () if name.startswith("sum of ") else results.get(name, (rows,))
        self.names = ["a", "b"][:len(self.shapes)]

    signature, arrays, bytes = Expression.signature, Expression.arrays, Expression.bytes
    is_same, dtype = Expression.is_same, Expression.dtype

    def toy(self):
        return f"{self.definitions}def f({', '.join(self.names)}) {{\n  return {self.text};\n}}\n"

    def numpy(self, arrays, out):
        self.function(np, *arrays, out=out)
        return out

    def python_peers(self, arrays, out):
        peers = {"NumPy": (lambda: self.numpy(arrays, out),
                           lambda: self.numpy(arrays, np.empty(self.shape, self.dtype())))}
        if jax:
            function = jax.jit(lambda *arrays: self.function(jax.numpy, *arrays))
            device = [jax.device_put(np.array(array)) for array in arrays]
            peers["JAX"] = None, lambda: function(*device).block_until_ready()
        return peers

    def c(self):
        lengths = [int(np.prod(shape)) for shape in self.shapes]
        reads = "".join(f"  for (long i = 0; i + 4 * LANES <= {length}; i += 4 * LANES)\n"
                        f"    for (int part = 0; part < 4; part++) sums[part] += *(const loaded *)({name} + i + LANES * part);\n"
                        for name, length in zip(self.names, lengths))
        parameters = ", ".join(f"const double *{name}" for name in self.names)
        streams = READING.format(parameters=parameters, reads=reads)
        if self.is_arithmetic:
            streams += ARITHMETIC.format(parameters=parameters, count=" * ".join(map(str, self.sizes.values())))
        else:
            streams += ONLY_READING
        body = "".join(f"  enum {{ {name} = {size} }};\n" for name, size in self.sizes.items()) + self.loops
        parameters = ", ".join(f"const double *restrict {name}" for name in self.names)
        return source(self.element, parameters=parameters, body=body,
                      count=int(np.prod(self.shape)), stream_functions=streams,
                      types=", ".join(["const double *"] * len(self.names)),
                      values=", ".join(f"in[{i}]" for i in range(len(self.names))),
                      pointers=", ".join(f"in[{i}]" for i in range(len(self.names))))


# The limit of what writes as many elements as it reads.
STREAMS = """static __attribute__((noinline)) void stream({streams}, double *restrict r)
{{
  for (long i = 0; i < COUNT; i++) r[i] = {sum};
}}

static __attribute__((noinline)) void stream_past_the_cache({streams}, double *restrict r)
{{
  long i = 0;
  for (; i < COUNT && (uintptr_t)(r + i) % 64; i++) r[i] = {sum};
  for (; i + LANES <= COUNT; i += LANES) __builtin_nontemporal_store({vectors}, (stored *)(r + i));
  for (; i < COUNT; i++) r[i] = {sum};
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}}"""

# The limit of what reads a lot and writes little: everything is read once.
READING = """static __attribute__((noinline)) void stream({parameters}, double *restrict r)
{{
  loaded sums[4] = {{}};
{reads}  loaded sum = sums[0] + sums[1] + sums[2] + sums[3];
  // In memory: without AVX-512, no register holds it.
  __asm__ volatile("" : : "m"(sum));
}}"""

# Where that is all.
ONLY_READING = "\n#define stream_past_the_cache stream"

# The limit of a product, beside reading: as many fused multiply-adds in registers.
ARITHMETIC = """
#ifdef __aarch64__
#define KEEP(vector) __asm__ volatile("" : "+w"(vector))
#else
#define KEEP(vector) __asm__ volatile("" : "+v"(vector))
#endif
#if defined __AVX512F__
typedef double chain __attribute__((vector_size(64)));
#elif defined __AVX__
typedef double chain __attribute__((vector_size(32)));
#else
typedef double chain __attribute__((vector_size(16)));
#endif

static __attribute__((noinline)) void stream_past_the_cache({parameters}, double *restrict r)
{{
  enum {{ CHAINS = 12 }};
  chain sums[CHAINS] = {{}}, factor = {{}}, other = {{}};
  KEEP(factor);
  KEEP(other);
  long steps = (long){count} / (CHAINS * sizeof(chain) / sizeof(double));
  for (long step = 0; step < steps; step++) {{
#pragma clang loop unroll(full)
    for (int at = 0; at < CHAINS; at++) {{
      // Each product is another one to the compiler.
      KEEP(factor);
      sums[at] = __builtin_elementwise_fma(factor, other, sums[at]);
    }}
  }}
  for (int at = 0; at < CHAINS; at++) KEEP(sums[at]);
}}"""


# `seconds` is CPU time of this thread. A fresh result comes from malloc, which bench/kernels.py has told to
# take it from the system and to give it back: its pages have not been touched. Large ones may be huge
# pages, as NumPy asks for them for its own arrays.
C = r"""
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <tgmath.h>
#include <time.h>
#define COUNT {count}L
typedef double stored __attribute__((vector_size(64)));
typedef double loaded __attribute__((vector_size(64), aligned(sizeof(double)), may_alias));
enum {{ LANES = 64 / sizeof(double) }};
typedef DOUBLE cpu_seconds;

static int loops({parameters}, double *restrict r)
{{
{body}
  return 0;
}}

{stream_functions}

// Toy's function, and the loops in C: called in the same way.
typedef int kernel({types}, double *);
static kernel *volatile toy, *volatile c = loops;
void use(void *function) {{ toy = function; }}

static void call(int variant, const double *const *in, double *r)
{{
  switch (variant) {{
  case 0: stream({pointers}, r); break;
  case 1: stream_past_the_cache({pointers}, r); break;
  default: if ((variant == 2 ? c : toy)({values}, r)) abort();
  }}
}}

static double *fresh_result(void)
{{
  double *result = malloc(COUNT * sizeof(double));
  if (!result) abort();
#ifdef MADV_HUGEPAGE
  if (COUNT * sizeof(double) >= 4 << 20)
    madvise((void *)(((uintptr_t)result + 4095) & -4096), COUNT * sizeof(double) - 4096, MADV_HUGEPAGE);
#endif
  return result;
}}

static cpu_seconds now(void)
{{
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec + time.tv_nsec * 1e-9;
}}

cpu_seconds seconds(int variant, long calls, int fresh, const double *const *in, double *r)
{{
  cpu_seconds start = now();
  for (long i = 0; i < calls; i++) {{
    double *result = fresh ? fresh_result() : r;
    call(variant, in, result);
    __asm__ volatile("" : : "r"(result) : "memory");
    if (fresh) free(result);
  }}
  return (now() - start) / calls;
}}
"""
