"""Modules that `-emit=python` writes: they work without the package and without the compiler."""

import subprocess
import unittest

import numpy as np

from support import Case, toyc


class Emitted(Case):
    def emit(self, *exports, text=None):
        path = self.file(text) if text else self.file()
        options = [option for export in exports for option in ["--export", export]]
        return subprocess.run([toyc.Compiler().program, path, *options, "-emit=python", "-O2", "-o",
                               self.folder / "made.py"], stderr=subprocess.PIPE, text=True)

    def use(self, text):
        """Runs Python where neither the package nor the compiler is."""
        (self.folder / "work").mkdir(exist_ok=True)
        return self.python(f"import numpy as np\nimport made\n{text}", PYTHONPATH=str(self.folder),
                           PATH="/nothing", TOYC="/nothing")

    def test_functions_by_name_and_by_symbol(self):
        self.assertEqual(self.emit("f(2x3, 3x2)", "f(3, 3)", "mt=scaled(2x2, ())", "len(2)", "show(2)").stderr, "")
        found = self.use("""
a, b = np.arange(6.).reshape(2, 3), np.arange(6.).reshape(3, 2)
assert (made.f(a, b) == a.T * b).all()
assert (made.f_2x3_3x2(a, b) == a.T * b).all()
assert (made.f([1, 2, 3], [4, 5, 6]) == [4, 10, 18]).all()
assert (made.mt(np.ones((2, 2)), 3) == 3).all() and (made.scaled(np.ones((2, 2)), 4) == 4).all()
assert (made.len([1, 2]) == [2, 4]).all()
assert len([1, 2]) == 2
out = np.empty((3, 2))
assert made.f(a, b, out=out) is out
made.show([5, 6])
for call, kind, words in [
    (lambda: made.f(a, a), ValueError, "was not compiled for these shapes"),
    (lambda: made.f_2x3_3x2(a, a), ValueError, "compiled for 3x2"),
    (lambda: made.f(a), TypeError, "takes 2 arguments"),
    (lambda: made.f(a, b.astype(int)), TypeError, "int64"),
    (lambda: made.nothing, AttributeError, "nothing"),
]:
    try:
        call()
    except kind as error:
        assert words in str(error), error
    else:
        raise AssertionError(words)
assert made.f_2x3_3x2.__doc__.startswith("f(a: 2x3, b: 3x2) -> 3x2, from "), made.f_2x3_3x2.__doc__
assert "(a: 2x2, " in made.mt.__doc__ and ": scalar) -> 2x2" in made.mt.__doc__, made.mt.__doc__
print(made.__all__)
print(made.__doc__.splitlines()[0][:26])
from made import f
""")
        self.assertEqual(found.splitlines(), [
            "5.000000 6.000000 ['f', 'f_2x3_3x2', 'f_3_3', 'len', 'len_2', 'mt', 'scaled', 'show', 'show_2']",
            f"Functions of {str(self.folder)[:13]}"])

    def test_float32(self):
        self.assertEqual(self.emit("f(2x3 f32, 3x2 f32)", "f(2x3, 3x2)", "third=scaled(2 f32, () f32)", "total(() f32, ())",
                                   "step({2 f32, ()}, ())").stderr, "")
        self.use("""
a, b = np.arange(6.).reshape(2, 3) / 10, np.arange(6.).reshape(3, 2) / 7
single = a.astype("f4"), b.astype("f4")
for x, y in [(a, b), single]:
    found = made.f(x, y)
    assert found.dtype == x.dtype and (found == x.T * y).all()
x = np.array([0.1, 0.2], "f4")
for s in [0.1, np.float32(0.1)]:
    found = made.third(x, s)
    assert found.dtype == np.float32 and (found == x * np.float32(0.1)).all()
assert made.total(0.1, 1) == float(np.float32(0.1)) + 1
step = made.step((x, 1.0), 0.5)
assert (step.weights == x * np.float32(0.5)).all() and step.weights.dtype == np.float32
for call, words in [(lambda: made.f(*single, out=np.empty((3, 2))), "has to be an array of float32"),
                    (lambda: made.f(a, single[1]), "was not compiled for these shapes"),
                    (lambda: made.third(x.astype(float), 1), "has shape 2, and this function was compiled for 2 f32")]:
    try:
        call()
    except (TypeError, ValueError) as error:
        assert words in str(error), error
    else:
        raise AssertionError(words)
assert made.third.__doc__.startswith("scaled(a: 2 f32, s: scalar f32) -> 2 f32, from "), made.third.__doc__
""")

    def test_structs(self):
        self.assertEqual(self.emit("both({{2x2, 2}, {1x2, ()}}, ())").stderr, "")
        found = self.use("""
r = made.both(((np.ones((2, 2)), np.ones(2)), (np.ones((1, 2)), 3)), 2)
print(type(r).__name__, r._fields, r.hidden._fields, r.output.bias, made.both(r, 1).hidden.weights.sum())
""")
        self.assertEqual(found, "Network ('hidden', 'output') ('weights', 'bias') 1.0 8.0\n")

    def test_names_that_a_module_cannot_have(self):
        run = self.emit("_toyc_load=__init__(2)", text="def __init__(a) { return a; }")
        self.assertEqual(run.returncode, 1)
        self.assertIn("E0533", run.stderr)
        self.assertFalse((self.folder / "made.py").exists())
        self.assertEqual(self.emit("x=__init__(2)", text="def __init__(a) { return a; }").stderr, "")
        self.assertEqual(self.use("print(made.x([1, 2]), made.__all__)"), "[1. 2.] ['x']\n")

    def test_failed_checks_keywords_and_pickles(self):
        self.emit("g=f(3, ())", "f(2, ())", text="def f(a, is) { return a[is]; }")
        found = self.use("""
import inspect, pickle
try:
    made.g([1, 2, 3], 3)
except IndexError as error:
    print(error, error.code, error.index, error.size, isinstance(error, RuntimeError))
print(made.g(a=[1, 2, 3], **{"is": 2}), made.f([4, 5], **{"is": 0}), inspect.signature(made.g))
for function in [made.g, made.f, made.f_2_s]:
    assert pickle.loads(pickle.dumps(function)) is function
for call in [lambda: made.g([1], a=2), lambda: made.g(b=2), lambda: made.g(a=[1, 2, 3])]:
    try:
        call()
    except TypeError as error:
        print(error)
""")
        path = self.folder / "kernels.toy"
        self.assertEqual(found.splitlines(), [
            f"{path}:1:23: error: index 3 is out of range: the dimension has 3 elements, in `f(3, scalar)` "
            "TOY_OUT_OF_RANGE 3 3 True",
            "3.0 4.0 (a, is_, *, out=None)",
            "`f` gets two values for `a`", "`f` has no parameter `b`: it has a, is", "`f` gets no value for `is`"])

    def test_several_modules_in_one_process(self):
        for number in range(3):
            self.emit("k=k(2)", text=f"def k(a) {{ return a + {number}; }}")
            (self.folder / "made.py").rename(self.folder / f"made{number}.py")
        self.emit("k=k(2)", text="def k(a) { return a * a; }")
        found = self.use("import made0, made1, made2\nfor m in [made, made0, made1, made2]: print(m.k([1, 3]))")
        self.assertEqual(found, "[1. 9.]\n[1. 3.]\n[2. 4.]\n[3. 5.]\n")


if __name__ == "__main__":
    unittest.main()
