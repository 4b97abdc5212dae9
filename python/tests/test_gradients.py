"""Gradients: against central differences, of float64 and float32, by one parameter and by several."""

import pickle
import unittest

import numpy as np

from support import Case, numbers, toyc

PROGRAM = """\
struct Line { var slope; var offset; }
def smooth(a, b) { return sum(tanh(transpose(a) @ b)) + sum(a * b * b); }
def error(Line line, x, y) { return mean(pow(line.slope * x + line.offset - y, 2)); }
def curved(a, by) { return sum(exp(sin(a) * by)); }
def directed(a, by, v) { return sum(grad(curved)(a, by) * v); }
def list(a) { return 2 * a; }
def first(a, b) { return a[0] + 0 * sum(stop(b)); }
def through(a) { while (a < 100) { a = a * a; } return a; }
"""


def differences(function, *arguments, by=0, step=1e-5):
    """The gradient by an argument."""
    result = np.zeros(np.shape(arguments[by]))
    for index in np.ndindex(result.shape):
        def at(change):
            moved = [np.array(argument, dtype=float) for argument in arguments]
            moved[by][index] += change
            return function(*moved)
        result[index] = (at(step) - at(-step)) / (2 * step)
    return result


class Gradients(Case):
    def setUp(self):
        super().setUp()
        self.m = self.module(PROGRAM, "gradients.toy")

    def test_gradients_are_close_to_differences(self):
        a, b = numbers(3, 4), numbers(3, 4, seed=1)
        for by, name in enumerate(["a", "b"]):
            expected = differences(self.m.smooth, a, b, by=by)
            found = self.m.smooth.grad(a, b, by=by)
            np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)
            np.testing.assert_array_equal(self.m.smooth.grad(a, b, by=name), found)
            np.testing.assert_array_equal(self.m.smooth.grad(b=b, a=a, by=[by]), found)
        np.testing.assert_array_equal(self.m.smooth.grad(a, b), self.m.smooth.grad(a, b, by=0))

    def test_gradients_of_gradients(self):
        a, b, v = numbers(5), numbers(5, seed=1), numbers(5, seed=2)
        for by in range(3):
            expected = differences(self.m.directed, a, b, v, by=by)
            np.testing.assert_allclose(self.m.directed.grad(a, b, v, by=by), expected, rtol=1e-5, atol=1e-5)

    def test_several_results_are_a_named_tuple(self):
        a, b = numbers(3, 2), numbers(3, 2, seed=1)
        found = self.m.smooth.value_and_grad(a, b, by=("b", 0))
        self.assertEqual(found._fields, ("value", "by_b", "by_a"))
        self.assertEqual(found.value, self.m.smooth(a, b))
        np.testing.assert_array_equal(found.by_a, self.m.smooth.grad(a, b))
        np.testing.assert_array_equal(found.by_b, self.m.smooth.grad(a, b, by=1))
        self.assertEqual(self.m.smooth.value_and_grad(a, b)._fields, ("value", "by_a"))
        self.assertEqual(self.m.smooth.grad(a, b, by=(0, 1))._fields, ("by_a", "by_b"))
        out = np.empty((3, 2))
        self.assertIs(self.m.smooth.grad(a, b, out=out), out)
        np.testing.assert_array_equal(out, found.by_a)

    def test_structs(self):
        x, y = numbers(6), numbers(6, seed=1)
        step = self.m.error.value_and_grad((2, 1), x, y)
        self.assertEqual(step.by_line._fields, ("slope", "offset"))
        miss = 2 * x + 1 - y
        self.assertAlmostEqual(step.value, np.mean(miss ** 2))
        self.assertAlmostEqual(step.by_line.slope, np.mean(2 * miss * x))
        self.assertAlmostEqual(step.by_line.offset, np.mean(2 * miss))
        # It is an argument again.
        self.assertIsInstance(self.m.error(step.by_line, x, y), float)

    def test_float32(self):
        a, b = numbers(3, 4), numbers(3, 4, seed=1)
        found = self.m.smooth.grad(a.astype("f4"), b.astype("f4"))
        self.assertEqual(found.dtype, np.float32)
        np.testing.assert_allclose(found, self.m.smooth.grad(a, b), rtol=1e-4, atol=1e-5)

    def test_a_parameter_may_be_called_by(self):
        a, b = numbers(4), numbers(4, seed=1)
        expected = differences(self.m.curved, a, b, by=1)
        np.testing.assert_allclose(self.m.curved.grad(a, b, by="by"), expected, rtol=1e-6, atol=1e-6)

    def test_the_gradient_can_be_looked_at(self):
        a = numbers(2, 2)
        self.assertIn("grad(smooth, 1)(2x2, 2x2)", self.m.smooth.grad.ir("shapes", a, a, by=1))
        self.assertIn("smooth$grad", self.m.smooth.grad.plan(a, a).text)
        self.assertEqual(repr(self.m.smooth.grad),
                         "<grad of <Toy function smooth(a, b), from gradients.toy:2:1>>")
        again = pickle.loads(pickle.dumps(self.m.smooth.value_and_grad))
        self.assertEqual(again(a, a).value, self.m.smooth(a, a))

    def test_what_has_no_gradient(self):
        a = numbers(3)
        with self.assertRaisesRegex(toyc.ShapeError, "returns a tensor of shape 3") as caught:
            self.m.list.grad(a)
        self.assertEqual(caught.exception.code, "E0324")
        self.assertNotIn("--export", str(caught.exception))
        with self.assertRaisesRegex(toyc.ShapeError, "memory of a gradient"):
            self.m.through.grad(2)
        for by in [2, -1, "c", True, 0.5, None, (), (0, "a")]:
            with self.assertRaisesRegex(toyc.ArgumentError, "parameter.*smooth|smooth.*parameter"):
                self.m.smooth.grad(a, a, by=by)
        with self.assertWarnsRegex(toyc.ToyWarning, "by parameter 1 is 0"):
            np.testing.assert_array_equal(self.m.first.grad(a, a, by=1), np.zeros(3))
        with self.assertRaisesRegex(toyc.ArgumentError, "has 2 parameters, but this call has 1 argument"):
            self.m.smooth.grad(a)


if __name__ == "__main__":
    unittest.main()
