"""Calls with arrays, numbers and structs: what they compute, and what they refuse."""

import collections
import inspect
import pickle
import unittest
from copy import deepcopy

import numpy as np

from support import Case, numbers, toyc


class Calls(Case):
    def equal(self, found, expected):
        self.assertIsInstance(found, np.ndarray)
        self.assertEqual(found.dtype, np.float64)
        np.testing.assert_array_equal(found, expected)

    def test_results_are_those_of_numpy(self):
        m = self.module()
        for n, k in [(2, 3), (1, 1), (7, 5), (64, 64), (65, 63), (100, 1)]:
            a, b = numbers(n, k), numbers(k, n, seed=1)
            self.equal(m.f(a, b), a.T * b)
        for shape in [(3,), (2, 3, 4), (2, 1, 3, 2)]:
            a, b = numbers(*shape), numbers(*shape[::-1], seed=1)
            self.equal(m.f(a, b), a.T * b)
        a = numbers(9, 9)
        b = numbers(9, 9, seed=2)
        t = a.T * b
        for level in range(4):
            self.equal(self.module(level=level).mixed(a, b, 0.5), t.T + 0.5 * a - t / (b + 0.5))

    def test_scalars_are_numbers(self):
        m = self.module()
        a = numbers(2, 3)
        for s in [2, 2.0, np.float64(2), np.array(2.0), np.int64(2), np.uint8(2)]:
            self.equal(m.scaled(a, s), 2 * a)
        result = m.total(1, 2.5)
        self.assertIsInstance(result, float)
        self.assertEqual(result, 3.5)
        out = np.zeros(())
        self.assertEqual(m.total(1, 2, out=out), 3.0)
        self.assertEqual(out, 3.0)
        with self.assertRaisesRegex(TypeError, "is a bool"):
            m.scaled(a, True)
        with self.assertRaisesRegex(TypeError, "float16"):
            m.scaled(a, np.float16(2))
        with self.assertRaisesRegex(TypeError, "bool"):
            m.scaled(a, np.bool_(True))
        with self.assertRaisesRegex(ValueError, "`s` of `scaled` is too large.*kernels.toy:2:1"):
            m.scaled(a, 10 ** 400)

    def test_float32(self):
        m = self.module()
        a, b = numbers(4, 5).astype("f4"), numbers(5, 4, seed=1).astype("f4")
        for _ in range(2):
            found = m.f(a, b)
            self.assertEqual(found.dtype, np.float32)
            np.testing.assert_array_equal(found, a.T * b)
            # The same shapes of the other type are another function.
            self.equal(m.f(a.astype(float), b.astype(float)), a.T.astype(float) * b)
        # Scalars adapt, and two of different types are float64.
        for s in [0.1, np.float32(0.1)]:
            found = m.scaled(a, s)
            self.assertEqual(found.dtype, np.float32)
            np.testing.assert_array_equal(found, np.float32(0.1) * a)
        self.assertEqual(m.total(np.float32(0.1), 1), float(np.float32(0.1)) + 1)
        self.assertEqual(m.total(np.float32(0.1), np.float32(0.2)), float(np.float32(0.1) + np.float32(0.2)))
        out = np.empty((5, 4), np.float32)
        self.assertIs(m.f(a, b, out=out), out)
        np.testing.assert_array_equal(out, a.T * b)
        np.testing.assert_array_equal(m.f(a[::-1], b), a[::-1].T * b)
        with self.assertRaisesRegex(TypeError, "float64, and has to be an array of float32"):
            m.f(a, b, out=np.empty((5, 4)))
        with self.assertRaisesRegex(toyc.Error, "cannot combine elements of f32 and f64"):
            m.f(a, b.astype(float))
        layer = m.step((a, np.float32(2)), 0.5)
        self.assertEqual(layer.weights.dtype, np.float32)
        np.testing.assert_array_equal(layer.weights, a * np.float32(0.5))
        # Calls in C.
        m.f(a, b)
        self.assertIsNotNone(m.f.specializations["kernel=f(4x5 f32, 5x4 f32)"].quick((a, b), None))
        self.assertIsNone(m.f.specializations["kernel=f(4x5 f32, 5x4 f32)"].quick((a, b.astype(float)), None))
        both = m.total.specializations["kernel=total(scalar f32, scalar f32)"]
        self.assertEqual(both.quick((0.1, 0.25), None), float(np.float32(0.1) + np.float32(0.25)))

    def test_lists_are_converted(self):
        m = self.module()
        self.equal(m.f([[1, 2]], [[3], [4.5]]), [[3], [9]])
        for ragged in [[[1, 2], [3]], [[1, 2], 3]]:
            with self.assertRaisesRegex(ValueError, "`a` of `same` is a list.*rows.*one length.*kernels.toy:6:1"):
                m.same(ragged)
        with self.assertRaisesRegex(TypeError, "`a` of `same`"):
            m.same("text")
        with self.assertRaisesRegex(TypeError, "NoneType"):
            m.same(None)
        with self.assertRaises(TypeError):
            m.same([1j])

    def test_other_element_types_are_refused(self):
        m = self.module()
        for dtype in ["int64", "float16", "complex128", "bool", ">f8" if np.little_endian else "<f8", "O"]:
            with self.assertRaisesRegex(TypeError, "`b` of `f`.*float64.*kernels.toy:1:1"):
                m.f(numbers(2, 3), np.ones((3, 2), dtype))
        with self.assertRaisesRegex(TypeError, "masked"):
            m.same(np.ma.masked_array([1.0, 2.0], [True, False]))
        # Nothing was compiled for them.
        self.assertEqual(self.cached(), [])

    def test_arrays_that_are_not_contiguous_are_copied(self):
        m = self.module()
        a = numbers(8, 6)
        for view in [a.T, a[::2], a[:, 1:4], a[::-1], np.asfortranarray(a), np.broadcast_to(a[0], (3, 6)),
                     np.frombuffer(b"x" + a.tobytes(), dtype=np.uint8)[1:].view(np.float64).reshape(8, 6)]:
            self.equal(m.same(view), view)
        read_only = a.copy()
        read_only.flags.writeable = False
        self.equal(m.same(read_only), a)

    def test_calls_in_c_take_what_needs_no_conversion(self):
        m = self.module("def f(a, s, b) { return a * s + b; } def total(x, y) { return x + y; }"
                        "def at(a, i) { return a[i]; } def show(a) { print(a); return a; }")
        a, b, scalar = numbers(4, 5), numbers(4, 5, seed=1), np.float64(0.1)
        read_only = a.copy()
        read_only.flags.writeable = False
        expected = a * 0.1 + b
        self.equal(m.f(a, 0.1, b), expected)
        for arguments in [(a, 0.1, b), (a, scalar, b), (read_only, 0.1, b)]:
            self.equal(m.f.quick(arguments, None), expected)
        self.equal(m.f.quick((a, -1, b), None), -a + b)
        self.equal(m.f.quick((a, -1.0, b), None), -a + b)
        out = np.empty((4, 5))
        self.assertIs(m.f.quick((a, 0.1, b), out), out)
        self.equal(out, expected)
        # Everything else is left to Python.
        class Array(np.ndarray):
            pass
        two = np.empty((2, 4, 5))
        read_only_out = np.empty((4, 5))
        read_only_out.flags.writeable = False
        for arguments, out in [
            ((a, 0.1), None), ((a, 0.1, b, b), None), ((a, True, b), None), ((a, 10 ** 400, b), None), ((a, np.int64(2), b), None),
            ((a, a, b), None), ((0.1, 0.1, b), None), ((a.T, 0.1, b), None), ((a[::-1], 0.1, b), None), ((a[:, :1], 0.1, b), None),
            ((a.astype("float32"), 0.1, b), None), ((a.view(Array), 0.1, b), None), ((a.tolist(), 0.1, b), None), ((None, 0.1, b), None),
            ((a, 0.1, b), a), ((a, 0.1, b), b), ((two[0], 0.1, b), two.reshape(-1)[10:30].reshape(4, 5)), ((a, 0.1, b), 5),
            ((a, 0.1, b), two), ((a, 0.1, b), np.empty((5, 4)).T), ((a, 0.1, b), read_only_out),
        ]:
            self.assertIsNone(m.f.quick(arguments, out), (arguments, out))
        # Scalars come back as numbers.
        self.assertEqual(m.total(1, 2.5), 3.5)
        self.assertIs(type(m.total.quick((1.0, 2), None)), float)
        self.assertIsNone(m.total.quick((1.0, 2), np.empty(())))
        # Another number of arguments, another shape, and the first one again.
        for n in [3, 4, 3]:
            self.equal(m.f(np.ones(n), 2, np.ones(n)), np.full(n, 3))
        # A failed check is the exception that it always is, and prints are in order.
        self.assertEqual(m.at(a[0], 1), a[0, 1])
        with self.assertRaisesRegex(toyc.IndexError, "index 7 is out of range"):
            m.at.quick((a[0], 7), None)
        self.equal(m.show([1.0]), [1])
        self.assertIsNone(m.show.quick((np.ones(1),), None))

    def test_calls_in_c_take_many_arguments(self):
        for arrays, scalars in [(1, 1), (5, 8), (6, 3), (7, 8), (12, 8), (15, 8), (16, 8), (15, 9), (20, 20)]:
            kinds = [name for pair in zip([f"a{i}" for i in range(arrays)] + [None] * 20,
                                          [f"s{i}" for i in range(scalars)] + [None] * 20) for name in pair if name]
            terms = " + ".join(f"{i + 1} * {name}" for i, name in enumerate(kinds))
            m = self.module(f"def f({', '.join(kinds)}) {{ return {terms}; }}")
            values = [numbers(3, seed=i) if name[0] == "a" else i / 7 for i, name in enumerate(kinds)]
            expected = 1 * values[0]
            for i, value in enumerate(values[1:], start=2):
                expected = expected + i * value
            for _ in range(2):
                self.equal(m.f(*values), expected)
            found = m.f.quick(tuple(values), None)
            self.assertEqual(found is not None, arrays <= 15 and scalars <= 8)

    def test_a_result_is_a_new_array(self):
        m = self.module()
        a = numbers(4, 4)
        result = m.same(a)
        self.assertFalse(np.shares_memory(result, a))
        first, second = m.constant(), m.constant()
        first[...] = 0
        self.equal(second, [[1, 2], [3, 4]])
        self.equal(m.constant(), [[1, 2], [3, 4]])

    def test_out_is_written_and_returned(self):
        m = self.module()
        a, b = numbers(5, 7), numbers(7, 5, seed=1)
        out = np.full((7, 5), np.nan)
        self.assertIs(m.f(a, b, out=out), out)
        self.equal(out, a.T * b)
        # A slice of rows is contiguous; what is around it stays as it is.
        frame = np.full((9, 5), np.nan)
        m.f(a, b, out=frame[1:8])
        self.equal(frame[1:8], a.T * b)
        self.assertTrue(np.isnan(frame[[0, 8]]).all())

    def test_a_large_out_may_start_anywhere(self):
        """Results of this size are written past the caches in lines, wherever these begin in a row."""
        m = self.module()
        a, b = numbers(1032, 520), numbers(520, 1032, seed=1)
        expected = a.T * b
        memory = np.empty(expected.size + 24)
        for start in range(8):
            memory[...] = -1
            out = memory[8 + start:][:expected.size].reshape(expected.shape)
            m.f(a, b, out=out)
            self.assertTrue(np.array_equal(out, expected), start)
            self.assertTrue(np.all(memory[:8 + start] == -1) and np.all(memory[8 + start + out.size:] == -1), start)

    def test_out_that_cannot_be_written_is_refused(self):
        m = self.module()
        a, b = numbers(4, 4), numbers(4, 4, seed=1)
        fixed = np.empty((4, 4))
        fixed.flags.writeable = False
        for out, kind, words in [
            (np.empty((4, 5)), ValueError, "shape 4x5, "),
            (np.empty(16), ValueError, "shape 16, "),
            (np.empty((4, 4), np.float32), TypeError, "float32"),
            ([[0.0] * 4] * 4, TypeError, "list"),
            (fixed, ValueError, "not writable"),
            (np.empty((4, 8))[:, ::2], ValueError, "not contiguous"),
            (np.asfortranarray(np.empty((4, 4))), ValueError, "not contiguous"),
            (a, ValueError, "overlaps an argument"),
            (b, ValueError, "overlaps an argument"),
        ]:
            with self.assertRaisesRegex(kind, words):
                m.f(a, b, out=out)
        memory = numbers(40)
        with self.assertRaisesRegex(ValueError, "overlaps"):
            m.f(memory[:16].reshape(4, 4), b, out=memory[15:31].reshape(4, 4))
        odd = np.zeros(4 * 4 * 8 + 1, np.uint8)[1:].view(np.float64).reshape(4, 4)
        self.assertTrue(odd.flags.c_contiguous)
        with self.assertRaisesRegex(ValueError, "`out` is not aligned.*multiple of 8"):
            m.f(a, b, out=odd)
        # Next to each other is not an overlap, and a copied argument is none either.
        left, right = memory[:16].reshape(4, 4), memory[16:32].reshape(4, 4)
        self.equal(m.f(left, b, out=right), left.T * b)
        a = numbers(4, 4)
        expected = a * b
        self.equal(m.f(a.T, b, out=a), expected)

    def test_functions_without_a_result(self):
        m = self.module()
        with self.assertRaisesRegex(TypeError, "no result"):
            m.show(numbers(2), out=np.empty(2))
        text = "import sys, toyc; print(toyc.load(sys.argv[1]).show([[1, 2], [3, 4]]))"
        self.assertEqual(self.python(text, self.file()), "1.000000 2.000000 \n3.000000 4.000000 \nNone\n")
        # In the order of the program, also where Python keeps what it prints.
        text = "import sys, toyc; m = toyc.load(sys.argv[1]); print('a'); m.show([1]); print('b'); m.show([2])"
        self.assertEqual(self.python(text, self.file()), "a\n1.000000 b\n2.000000 ")

    def test_names_of_python_are_functions_too(self):
        m = self.module()
        self.equal(m.len(numbers(3)), 2 * numbers(3))
        # In a module, nothing is before the functions.
        names = ["__init__", "__class__", "__dict__", "__reduce__", "__getattr__", "_program", "_lock", "keys", "__name__",
                 "__getitem__", "__dir__", "__doc__"]
        m = self.module(" ".join(f"def {name}(a) {{ return a + {i}; }}" for i, name in enumerate(names)))
        for i, name in enumerate(names):
            self.equal(getattr(m, name)([1, 2]), [1 + i, 2 + i])
            self.equal(m[name]([1, 2]), [1 + i, 2 + i])
            self.assertIn(name, dir(m))
        self.assertIn("__init__, ", repr(m))
        self.equal(pickle.loads(pickle.dumps(m))["keys"]([1]), [8])
        m = self.module("def lambda(a) { return a; } def __init__(a) { return a + a; } "
                        "def exp(a) { return a * a; } def _hidden(a) { return a; }")
        self.equal(m["lambda"](numbers(3)), numbers(3))
        self.equal(m.exp(numbers(3)), numbers(3) ** 2)
        self.equal(m._hidden(numbers(3)), numbers(3))
        names = ["name", "text", "compiler", "functions", "shown", "lock", "forget_locks"]
        m = self.module(" ".join(f"def {name}(a) {{ return a; }}" for name in names))
        for name in names:
            self.equal(getattr(m, name)(numbers(3)), numbers(3))

    def test_keyword_arguments_and_signatures(self):
        m = self.module("# Scales.\n#   By a factor.\ndef f(a, self, is) { return a * self - is; }\n"
                        "def g(out, x) { return out - x; }")
        for call in [lambda: m.f([4, 6], self=2, **{"is": 1}), lambda: m.f(**{"is": 1}, a=np.array([4.0, 6.0]), self=2.0)]:
            self.equal(call(), [7, 11])
            self.equal(call(), [7, 11])
        self.assertEqual(str(inspect.signature(m.f)), "(a, self, is_, *, out=None)")
        self.assertEqual(str(inspect.signature(m.g)), "(out_, x, *, out=None)")
        self.assertEqual(m.f.__doc__, "f(a, self, is), from kernels.toy:3:1\n\nScales.\nBy a factor.")
        self.assertEqual(m.g(5, x=3), 2)
        for call, words in [(lambda: m.f([1], 2, a=[1]), "two values for `a`"), (lambda: m.f([1], b=2), "no parameter `b`"),
                            (lambda: m.f([1]), "3 parameters"), (lambda: m.f([1], self=2), "no value for `is`"),
                            (lambda: m.g(out=np.ones(2), x=1), "no value for `out`; `out=` is for its result")]:
            with self.assertRaisesRegex(toyc.ArgumentError, words):
                call()

    def test_other_elements_are_errors_of_toyc_after_a_call_too(self):
        m = self.module()
        m.same(np.ones(2))
        for dtype in ["float16", "int64"]:
            with self.assertRaisesRegex(toyc.Error, rf"{dtype}.*astype\(float\)"):
                m.same(np.ones(2, dtype))
        with self.assertRaisesRegex(toyc.Error, r"`x` of `total` is a float16.*float\(\.\.\.\)"):
            m.total(np.float16(1), 2)

    def test_pickles_have_the_source(self):
        m = self.module()
        for copy in [pickle.loads(pickle.dumps(m)), pickle.loads(pickle.dumps([m.f, m]))[1], deepcopy(m)]:
            self.equal(copy.same([1, 2]), [1, 2])
        self.equal(pickle.loads(pickle.dumps(m.same))([3]), [3])

    def test_modules_show_their_functions(self):
        m = self.module()
        self.assertIn("scaled", dir(m))
        self.assertIn("f, scaled", repr(m))
        self.assertIn("f(a, b), from kernels.toy:1:1", repr(m.f))
        with self.assertRaises(AttributeError):
            m.__wrapped__
        self.assertFalse(hasattr(m, "_repr_svg_"))


class Structs(Case):
    def test_structs_are_tuples_in_and_named_tuples_out(self):
        m = self.module()
        weights, bias = numbers(2, 3), numbers(2, 1)
        result = m.step((weights, bias), 0.5)
        self.assertEqual(result._fields, ("weights", "bias"))
        self.assertEqual(type(result).__name__, "Layer")
        np.testing.assert_array_equal(result.weights, weights * 0.5)
        np.testing.assert_array_equal(result.bias, bias - 0.5)
        # A result is an argument.
        again = m.step(result, 2)
        np.testing.assert_array_equal(again.weights, weights)
        Other = collections.namedtuple("Other", "x y")
        np.testing.assert_array_equal(m.step(Other(weights, bias), 1).weights, weights)

    def test_structs_in_structs(self):
        m = self.module()
        network = ((numbers(2, 2), numbers(2)), (numbers(1, 2), 3.0))
        result = m.both(network, 2)
        np.testing.assert_array_equal(result.output.weights, 2 * network[1][0])
        self.assertEqual(result.output.bias, 1.0)
        np.testing.assert_array_equal(m.both(result, 0.5).hidden.weights, network[0][0])

    def test_out_of_a_struct_is_a_tuple_of_arrays(self):
        m = self.module()
        weights, bias = numbers(2, 3), numbers(2, 1)
        out = np.zeros((2, 3)), np.zeros((2, 1))
        result = m.step((weights, bias), 3, out=out)
        self.assertIs(result.weights, out[0])
        np.testing.assert_array_equal(out[1], bias - 3)
        shared = np.zeros(8)
        with self.assertRaisesRegex(ValueError, "overlaps"):
            m.step((weights, bias), 3, out=(shared[:6].reshape(2, 3), shared[5:7].reshape(2, 1)))
        with self.assertRaisesRegex(TypeError, "tuple of 2"):
            m.step((weights, bias), 3, out=out[0])

    def test_other_structs_are_errors(self):
        m = self.module()
        for layer in [numbers(2), (numbers(2),), (numbers(2), 1, 1), ((numbers(2), 1), 1)]:
            with self.assertRaises(toyc.Error) as caught:
                m.step(layer, 1)
            self.assertIsInstance(caught.exception, TypeError)
        with self.assertRaises(toyc.ArgumentError):
            m.same((numbers(2), numbers(2)))


if __name__ == "__main__":
    unittest.main()
