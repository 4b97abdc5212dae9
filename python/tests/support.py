"""What the tests share: a cache of their own, and programs."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

PACKAGE = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PACKAGE))

import toyc  # noqa: E402

PROGRAM = """\
def f(a, b) { return transpose(a) * b; }
def scaled(a, s) { return s * a; }
def mixed(a, b, s) { var t = transpose(a) * b; return transpose(t) + s * a - t / (b + s); }
def constant() { return [[1, 2], [3, 4]]; }
def total(x, y) { return x + y; }
def same(a) { return a; }
def len(a) { return a + a; }
def show(a) { print(a); }

struct Layer { var weights; var bias; }
struct Network { Layer hidden; Layer output; }
def step(Layer layer, rate) { Layer r = {layer.weights * rate, layer.bias - rate}; return r; }
def both(Network n, rate) {
  Network r = {step(n.hidden, rate), step(n.output, rate)};
  return r;
}
"""


class Case(unittest.TestCase):
    """A test with an empty cache; `self.folder` is deleted with it."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.environment("XDG_CACHE_HOME", str(self.folder / "cache"))

    def environment(self, name, value):
        """Sets or, with None, removes a variable until the end of the test."""
        before = os.environ.get(name)
        set_variable(name, value)
        self.addCleanup(set_variable, name, before)

    def module(self, text=PROGRAM, name="kernels.toy", **options):
        return toyc.loads(text, name, **options)

    def file(self, text=PROGRAM, name="kernels.toy"):
        path = self.folder / name
        path.write_text(text)
        return path

    def cached(self):
        return sorted(path.name for path in (self.folder / "cache" / "toyc").glob("*"))

    def python(self, text, *arguments, check=True, **environment):
        """Standard output of another Python."""
        run = subprocess.run([sys.executable, "-c", text, *map(str, arguments)], stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True, timeout=300,
                             env={**os.environ, "PYTHONPATH": str(PACKAGE), **environment})
        if check and run.returncode != 0:
            self.fail(run.stderr)
        return run.stdout

    def counting_compiler(self):
        """A toyc that writes a line for each run into the file `runs`."""
        program = self.folder / "counting-toyc"
        runs = self.folder / "runs"
        runs.touch()
        real = toyc.Compiler().program
        program.write_text(f'#!/bin/sh\necho "$*" >> {runs}\nexec {real} "$@"\n')
        program.chmod(0o755)
        self.environment("TOYC", str(program))
        return lambda: sum("-emit=python" in line for line in runs.read_text().splitlines())


def set_variable(name, value):
    if value is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = value


def numbers(*shape, seed=0):
    return np.random.default_rng(seed).uniform(0.5, 1.5, shape)
