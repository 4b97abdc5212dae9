#!/usr/bin/env python3
"""Writes benchmark programs in Toy: python3 bench/programs.py KIND N > prog.toy

Every program is valid, prints something that depends on all the work that is not meant to be dead,
and is the same for the same KIND and N. Functions stand before their callers, because upstream's
Toy knows no forward calls. Where a program multiplies often, its values are chosen to stay 0 or 1.
"""

import argparse
import os
import random
import sys

from families import FAMILIES, main


def literal(rows):
    return "[" + ", ".join("[" + ", ".join(map(str, row)) + "]" for row in rows) + "]"


def function(name, *body):
    """A function of one parameter x."""
    yield f"def {name}(x) {{"
    for statement in body:
        yield f"  {statement}"
    yield "}"


def sum_lines(terms):
    """print(t0 + t1 + ...), in lines of moderate length."""
    for i in range(0, len(terms), 16):
        head = "print(" if i == 0 else "  + "
        tail = ");" if i + 16 >= len(terms) else ""
        yield head + " + ".join(terms[i : i + 16]) + tail


def distinct_functions(n):
    """f0 .. f{n-1} on 2x2 tensors, no two of them alike."""
    for i in range(n):
        yield from function(
            f"f{i}",
            f"var k = {literal([[i, 1], [2, i + 3]])};",
            "return x * k + transpose(x);",
        )


A = "var a = [[1, 2], [3, 4]];"
# Multiplied with its transpose it is all ones, and stays so.
SCALES = literal([[0.125] * 4] * 4)
ONES_SOON = "var x0 = [[1, 2], [0.5, 1]];"


def const(n):
    """one N x N literal of random decimals of 1 to 3 digits, printed"""
    rng = random.Random(n)

    def number():
        digits = rng.randint(1, 3)
        return f"{rng.randrange(10**digits) / 10 ** rng.randrange(digits):g}"

    def rows():
        for i in range(n):
            row = "[" + ", ".join(number() for _ in range(n)) + "]"
            yield ("var a = [" if i == 0 else "  ") + row + ("];" if i == n - 1 else ",")

    yield from main(rows(), "print(a);")


def funcs(n):
    """N functions, each called once; all results are dead but the last, which is printed"""
    yield from distinct_functions(n)
    yield from main(A, (f"var r{i} = f{i}(a);" for i in range(n)), f"print(r{n - 1});")


def funcssum(n):
    """N functions, each called once; a running sum of the results, one variable per step, printed"""
    yield from distinct_functions(n)
    steps = (f"var s{i} = s{i - 1} + f{i}(a);" for i in range(1, n))
    yield from main(A, "var s0 = f0(a);", steps, f"print(s{n - 1});")


def funcslive(n):
    """N functions, each called once; all results are bound first, then summed in one expression"""
    yield from distinct_functions(n)
    results = (f"var r{i} = f{i}(a);" for i in range(n))
    yield from main(A, results, sum_lines([f"r{i}" for i in range(n)]))


def funcschain(n):
    """N functions, f_i calls f_(i-1) once; the last is called and printed"""
    yield from function("f0", "return x * transpose(x);")
    for i in range(1, n):
        yield from function(f"f{i}", f"return f{i - 1}(x) + x;")
    yield from main(A, f"print(f{n - 1}(a));")


def fanout(n):
    """f_i calls f_(i-1) twice with the same argument, i to N: 2^N calls of f_0, one shape"""
    yield from function("f0", "return x * x;")
    for i in range(1, n + 1):
        yield from function(f"f{i}", f"return f{i - 1}(x) + f{i - 1}(x);")
    yield from main(A, f"print(f{n}(a));")


def treeshapes(n):
    """f_i calls f_(i-1) with a tensor and with a transposed one, i to N: 2^N calls of f_0, two shapes"""
    yield from function("f0", "return x * x;")
    for i in range(1, n + 1):
        # The outer transpose keeps the shape, so that every f_i is called with both.
        yield from function(f"f{i}", f"return transpose(f{i - 1}(transpose(f{i - 1}(x))));")
    yield from main("var a = [[1, 0, 1], [0, 0, 1]];", f"print(f{n}(a));")


def chain(n):
    """N statements var x_i = x_(i-1) * transpose(x_(i-1)) on a 2x2 tensor, the last printed"""
    steps = (f"var x{i} = x{i - 1} * transpose(x{i - 1});" for i in range(1, n + 1))
    yield from main(ONES_SOON, steps, f"print(x{n});")


def chainexpr(n):
    """one expression of N additions of two 2x2 variables, printed"""
    terms = ["a" if i % 2 == 0 else "b" for i in range(n + 1)]
    yield from main(A, "var b = [[0.5, 0.25], [1, 10]];", sum_lines(terms))


def shapes(n):
    """one function called with literals of N different shapes, all results printed"""
    yield from function("f", "return transpose(x) * transpose(x + x);")
    # The N smallest of a grid as wide as upstream's (25 x 40, for N = 1000).
    height = 1
    while height * (height * 8 // 5) < n:
        height += 1
    width = max(1, height * 8 // 5)
    grid = sorted(((r, c) for r in range(1, height + 1) for c in range(1, width + 1)), key=lambda s: s[0] * s[1])

    def calls():
        for i, (rows, columns) in enumerate(grid[:n]):
            yield f"var v{i} = {literal([[r + c for c in range(columns)] for r in range(rows)])};"
            yield f"print(f(v{i}));"

    yield from main(calls())


def identical(n):
    """N functions of one body, each called once; a running sum of the results, printed"""
    for i in range(n):
        yield from function(f"f{i}", "var k = [[1, 1], [2, 4]];", "return x * k + transpose(x);")
    steps = (f"var s{i} = s{i - 1} + f{i}(a);" for i in range(1, n))
    yield from main(A, "var s0 = f0(a);", steps, f"print(s{n - 1});")


def elementwise(n):
    """N functions of four element-wise statements on two 4x4 tensors, each called with the result before"""
    for i in range(n):
        yield f"def f{i}(x, y) {{"
        yield "  var a = x * y + x;"
        yield f"  var b = a * {SCALES} + y;"
        yield "  var c = b * a + x * y;"
        yield f"  return c * {SCALES} + b * a + y;"
        yield "}"
    yield from main(
        f"var k = {SCALES};",
        "var x0 = k;",
        (f"var x{i + 1} = f{i}(x{i}, k);" for i in range(n)),
        f"print(x{n});",
    )


def same(n):
    """one function called N times with one shape, each time with the previous result, the last printed"""
    yield from function("f", "return x * transpose(x);")
    calls = (f"var x{i} = f(x{i - 1});" for i in range(1, n + 1))
    yield from main(ONES_SOON, calls, f"print(x{n});")


KINDS = {
    kind.__name__: kind
    for kind in [
        const, funcs, funcssum, funcslive, funcschain, fanout, treeshapes, chain, chainexpr, shapes, identical, elementwise,
        same, *FAMILIES,
    ]
}


def positive(text):
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return value


def run():
    parser = argparse.ArgumentParser(
        description="Write a benchmark program in Toy to standard output.",
        epilog="kinds:\n" + "\n".join(f"  {name:<12}{kind.__doc__}" for name, kind in KINDS.items()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("kind", metavar="KIND", choices=KINDS, help="see below")
    parser.add_argument("n", metavar="N", type=positive, help="size; at least 1")
    arguments = parser.parse_args()
    try:
        for line in KINDS[arguments.kind](arguments.n):
            sys.stdout.write(line + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader has seen enough; the interpreter must not flush once more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    run()
