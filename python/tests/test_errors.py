"""The compiler's diagnostics as exceptions."""

import os
import subprocess
import sys
import unittest
import warnings

import numpy as np

from support import PACKAGE, Case, numbers, toyc


class Errors(Case):
    def test_shapes_that_do_not_fit(self):
        path = self.file("def add(a, b) {\n  return a + b;\n}\n")
        m = toyc.load(path)
        with self.assertRaises(toyc.ShapeError) as caught:
            m.add(numbers(2, 3), numbers(3, 2))
        error = caught.exception
        self.assertIsInstance(error, ValueError)
        self.assertEqual((error.code, error.file, error.line, error.column), ("E0301", str(path), 2, 10))
        self.assertIn("2x3 and 3x2", error.message)
        self.assertIn(f"{path}:2:10: error[E0301]", str(error))
        # The next call is not affected.
        np.testing.assert_array_equal(m.add(numbers(2), numbers(2)), 2 * numbers(2))

    def test_number_of_arguments(self):
        m = self.module()
        for arguments in [(), (numbers(2),), (numbers(2),) * 3]:
            with self.assertRaises(toyc.ArgumentError) as caught:
                m.f(*arguments)
            self.assertIsInstance(caught.exception, TypeError)
            self.assertIn("2 parameters", str(caught.exception))
            self.assertIn(f"this call has {len(arguments)} argument", str(caught.exception))
            self.assertNotIn("--export", str(caught.exception))
            self.assertEqual(caught.exception.code, "E0532")
            self.assertEqual(caught.exception.line, 1)

    def test_unknown_functions(self):
        m = self.module()
        with self.assertRaises(toyc.UnknownFunction) as caught:
            m.scale(numbers(2), 2)
        self.assertIsInstance(caught.exception, AttributeError)
        self.assertIn("`scaled`", str(caught.exception))
        self.assertFalse(hasattr(m, "nothing"))
        with self.assertRaises(AttributeError):
            m.main

    def test_programs_with_errors(self):
        with self.assertRaises(toyc.Error) as caught:
            self.module("def f(a) {\n  return a +;\n}\n")
        self.assertEqual((caught.exception.code, caught.exception.line), ("E0103", 2))
        with self.assertRaises(toyc.Error) as caught:
            self.module("def f(a) { return b; }").f(numbers(2))
        self.assertEqual(caught.exception.code, "E0201")
        with self.assertRaises(FileNotFoundError):
            toyc.load(self.folder / "nothing.toy")
        with self.assertRaises(toyc.Error) as caught:
            self.module("def f(a) { return f(a); }").f(numbers(2))
        self.assertEqual(caught.exception.code, "E0304")

    def test_a_program_that_stops_names_its_file(self):
        text = "import sys, toyc; toyc.load(sys.argv[1]).f([1, 2], 7)"
        done = subprocess.run([sys.executable, "-c", text, self.file("def f(a, i) { return a[i]; }")],
                              env={**os.environ, "PYTHONPATH": str(PACKAGE)}, stderr=subprocess.PIPE, text=True)
        self.assertRegex(done.stderr, "^kernels.toy:1: error: index 7 is out of range")

    def test_sizes_of_zero_are_errors(self):
        with self.assertRaisesRegex(toyc.ShapeError, "`a` of `same` has no elements"):
            self.module().same(np.empty((0, 3)))

    def test_no_message_speaks_of_the_options_of_the_compiler(self):
        m = self.module()
        for call in [lambda: m.step(numbers(2), 1), lambda: m.same((numbers(2), numbers(2))),
                     lambda: m.step((numbers(2),), 1), lambda: m.f(numbers(2, 3), numbers(2, 3)),
                     lambda: m.scale(numbers(2)), lambda: m.same(numbers(2)[:0]), lambda: m.f(),
                     lambda: m.f.ir("jit", numbers(2), numbers(2)), lambda: m.same(numbers(*[1] * 32))]:
            try:
                call()
            except toyc.Error as error:
                self.assertNotIn("--export", str(error))
                self.assertNotIn("kernel=", str(error))
        with self.assertRaisesRegex(toyc.ArgumentError, "a struct is a tuple of its fields"):
            m.step(numbers(2), 1)

    def test_options_of_a_module_that_cannot_be(self):
        for options, kind, words in [
            ({"level": 9}, ValueError, "`level` is 9, and has to be from 0 to 3"),
            ({"threads": -1}, ValueError, "`threads` is -1, and has to be from 1 to 255"),
            ({"threads": 0}, ValueError, "from 1 to 255"),
            ({"level": "2"}, TypeError, "`level` is '2'"),
            ({"threads": 1.5}, TypeError, "whole number"),
            ({"cpu": 3}, TypeError, "`cpu` is 3"),
        ]:
            with self.assertRaisesRegex(kind, words):
                self.module(**options)

    def test_unknown_stages_and_processors(self):
        with self.assertRaisesRegex(toyc.Error, "no stage `linag`; did you mean `linalg`"):
            self.module().f.ir("linag", numbers(2), numbers(2))
        with self.assertRaisesRegex(toyc.Error, "-emit=obj.*not text"):
            self.module().f.ir("obj", numbers(2), numbers(2))
        with self.assertRaisesRegex(toyc.Error, "E0534"):
            self.module().f.ir("jit", numbers(2), numbers(2))
        with self.assertRaisesRegex(toyc.Error, "znver2"):
            self.module(cpu="zenver2").f(numbers(2), numbers(2))

    def test_compilers_that_are_not_there(self):
        self.environment("TOYC", "/nothing/toyc")
        with self.assertRaisesRegex(toyc.CompilerNotFound, "TOYC"):
            self.module()
        self.environment("TOYC", "/bin/true")
        with self.assertRaises(toyc.Error):
            self.module().f(numbers(2), numbers(2))

    def test_the_compiler_is_found_on_the_path(self):
        real = toyc.Compiler().program
        (self.folder / "bin").mkdir()
        os.symlink(real, self.folder / "bin" / "toyc")
        self.environment("TOYC", None)
        self.environment("PATH", str(self.folder / "bin"))
        self.assertEqual(toyc.Compiler().program, str(self.folder / "bin" / "toyc"))

    def test_warnings_of_the_compiler_are_warnings(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            m = self.module("def f(a) { var unused = a; return a; }")
            m.f(numbers(2))
            m.f(numbers(3))
        texts = [str(warning.message) for warning in caught if warning.category is toyc.ToyWarning]
        self.assertEqual(len(texts), 1)
        self.assertIn("kernels.toy:1:16: warning[W0101]", texts[0])
        self.assertEqual(caught[0].filename, __file__)


if __name__ == "__main__":
    unittest.main()
