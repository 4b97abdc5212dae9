"""The compiler's diagnostics as exceptions."""

import os
import pickle
import subprocess
import sys
import unittest
import warnings
from concurrent.futures import ThreadPoolExecutor

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

    def test_a_failed_check_is_an_exception(self):
        path = self.file("# Picks.\ndef f(a, i) {\n  return a[i];\n}\ndef g(a, n) {\n  for i in 0..n { a[i:i + 2] = 0; }\n"
                         "  return a;\n}\ndef h(n) { if (n == 0) { return 0; } return h(n + 1) + 1; }\ndef s(n) { var x = 0;\n  for i in 0..4..n "
                         "{ x = x + 1; }\n  return x;\n}\n")
        m = toyc.load(path, level=0)
        for call, kind, code, line, column, function, index, size, words in [
            (lambda: m.f([1, 2], 7), IndexError, "TOY_OUT_OF_RANGE", 3, 10, "f(2, scalar)", 7, 2,
             "index 7 is out of range: the dimension has 2 elements"),
            (lambda: m.f(np.ones(3), -1), IndexError, "TOY_OUT_OF_RANGE", 3, 10, "f(3, scalar)", -1, 3, "index -1 is out"),
            (lambda: m.f([1, 2], 1.5), IndexError, "TOY_NOT_WHOLE", 3, None, "f(2, scalar)", None, None,
             "index 1.5 is not a whole number"),
            (lambda: m.g([1, 2, 3], 3), IndexError, "TOY_OUT_OF_RANGE", 6, None, "g(3, scalar)", 3, 3, "index 3 is out"),
            (lambda: m.g([1, 2, 3], 0.5), ArithmeticError, "TOY_NOT_WHOLE", 6, None, "g(3, scalar)", None, None,
             "bound 0.5 is not a whole number"),
            (lambda: m.h(1), RecursionError, "TOY_TOO_DEEP", 9, 1, "h(scalar)", None, None, "recursion is too deep"),
            (lambda: m.s(0), RuntimeError, "TOY_ZERO_STEP", 11, None, "s(scalar)", None, None, "the step of the range is 0"),
        ]:
            with self.assertRaises(toyc.RuntimeError) as caught:
                call()
            error = caught.exception
            self.assertIsInstance(error, kind)
            self.assertIsInstance(error, toyc.Error)
            self.assertEqual((error.code, error.file, error.line, error.function, error.index, error.size),
                             (code, str(path), line, function, index, size))
            self.assertEqual(error.column, column or error.column)
            self.assertIn(words, error.message)
            self.assertEqual(str(error), f"{path}:{line}:{error.column}: error: {error.message}, in `{function}`")
            self.assertEqual(isinstance(error, toyc.IndexError), kind is IndexError)
            again = pickle.loads(pickle.dumps(error))
            self.assertEqual((type(again), vars(again)), (type(error), vars(error)))
        self.assertEqual(m.f([1, 2], 1), 2)

    def test_a_later_process_names_the_file_and_the_library_writes_nothing(self):
        path = self.file("def f(a, i) { return a[i]; }")
        text = ("import sys, toyc\ntry: toyc.load(sys.argv[1]).f([1, 2], 7)\n"
                "except IndexError as error: print(error, error.file, sep='\\n')")
        for shown in ["", "", "1"]:
            done = subprocess.run([sys.executable, "-c", text, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  env={**os.environ, "PYTHONPATH": str(PACKAGE), "TOY_SHOW_ERRORS": shown}, text=True)
            message = "error: index 7 is out of range: the dimension has 2 elements"
            self.assertEqual(done.stdout, f"{path}:1:22: {message}, in `f(2, scalar)`\n{path}\n")
            self.assertEqual(done.stderr, f"kernels.toy:1:22: {message}\n" if shown else "")

    def test_each_thread_has_its_error(self):
        m = self.module("def f(a, i) { return a[i]; }")

        def failed(index):
            found = []
            for _ in range(200):
                try:
                    m.f(np.ones(3), index)
                except IndexError as error:
                    found.append(error.index)
            return found

        with ThreadPoolExecutor(4) as pool:
            for index, found in zip(range(3, 11), pool.map(failed, map(float, range(3, 11)))):
                self.assertEqual(found, [index] * 200)

    def test_no_memory_for_a_workspace(self):
        text = ("import resource, numpy, toyc\nm = toyc.loads('def f(a) { var b = transpose(a) @ a; return "
                "transpose(b @ b) @ a; }', level=0)\na = numpy.ones((2000, 2000))\n"
                "out = numpy.empty((2000, 2000)); m.f.ir('header', a)\nf = m.f._compiled(m.f._spelled([a]))\n"
                "resource.setrlimit(resource.RLIMIT_AS, (1000 * 1024 + int(open('/proc/self/statm').read().split()[0]) "
                "* 4096,) * 2)\ntry: f(a, out=out)\nexcept MemoryError as error:\n"
                "    print(type(error), error.code, error.line, error.function, error.size > 3e7)")
        self.assertEqual(self.python(text),
                         "<class 'toyc.MemoryError'> TOY_OUT_OF_MEMORY 1 f(2000x2000) True\n")

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
