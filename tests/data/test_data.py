"""Arguments and results of programs, against NumPy: `toyc run`, and executables.

Run by tests/data.rs, in an empty directory, with TOYC."""

import os
import subprocess
import unittest

import numpy as np
from numpy.lib import format as npy

TOYC = os.environ["TOYC"]
TYPES = ["<f8", "<f4", "|b1", "|i1", "<i2", "<i4", "<i8", "|u1", "<u2", "<u4", "<u8"]


def call(*words):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=300)


def write(name, content):
    with open(name, "wb" if isinstance(content, bytes) else "w") as file:
        file.write(content)
    return name


def header(descr="'<f8'", order="False", shape="(2, 3)", data=b"\0" * 48, version=1, text=None):
    """A .npy file as bytes, right or wrong."""
    if text is None:
        text = f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}\n"
    length = len(text).to_bytes(2 if version == 1 else 4, "little")
    return b"\x93NUMPY" + bytes([version, 0]) + length + text.encode() + data


class Test(unittest.TestCase):
    def setUp(self):
        write("double.toy", "def main(a, b) { return a * b; }\n")
        write("both.toy", "struct Both { var sum; var square; }\n"
                          "def main(a) { Both r = {sum(a), a * a}; return r; }\n")

    def run_toyc(self, *words, status=0):
        run = call(TOYC, "run", *words)
        self.assertEqual(run.returncode, status, (words, run.stdout, run.stderr))
        return run

    def refused(self, part, *words, code="E054"):
        """The command fails with a message and leaves no file."""
        before = set(os.listdir())
        run = call(*words)
        self.assertEqual(run.returncode, 1, (words, run))
        self.assertIn(part, run.stderr)
        self.assertIn(f"error[{code}", run.stderr)
        self.assertEqual(set(os.listdir()) - before, set())

    def test_every_type_and_order(self):
        for descr in TYPES:
            for shape in [(7,), (3, 4), (17, 33), (2, 3, 5, 4), (1, 1), ()]:
                for order in "CF":
                    rng = np.random.default_rng(len(shape))
                    x = np.asarray((rng.standard_normal(shape) * 60).astype(descr), order=order)
                    if descr[1] == "f":
                        x = np.where(x > 50, np.asarray(np.nan, descr), x)
                    np.save("x.npy", np.asarray(x, dtype=descr, order=order))
                    self.run_toyc("double.toy", "x.npy", 2, "-o", "y.npy")
                    y = np.load("y.npy")
                    # Two scalars of different types make an f64.
                    wanted = np.float32 if descr[1:] == "f4" and shape else np.float64
                    self.assertEqual((y.dtype, y.shape), (wanted, x.shape))
                    np.testing.assert_array_equal(y, x.astype("<f8") * 2, f"{descr} {shape} {order}")

    def test_versions_of_the_header(self):
        x = np.arange(6.0).reshape(2, 3)
        for version in [(1, 0), (2, 0), (3, 0)]:
            with open("v.npy", "wb") as file:
                npy.write_array(file, x, version=version)
            self.run_toyc("double.toy", "v.npy", 3, "-o", "y.npy")
            np.testing.assert_array_equal(np.load("y.npy"), 3 * x)

    def test_integers_that_no_double_is_equal_to(self):
        x = np.array([2**53, 2**53 + 1, -(2**63), 2**62 + 1, 5], "<i8")
        np.save("i.npy", x)
        run = self.run_toyc("double.toy", "i.npy", 1, "-o", "y.npy")
        self.assertIn("2 integers of `i.npy` beyond 2^53 were rounded", run.stderr)
        np.testing.assert_array_equal(np.load("y.npy"), x.astype("<f8"))
        np.save("i.npy", np.array([2**64 - 1, 2**63], "<u8"))
        self.assertIn("1 integer of `i.npy` beyond 2^53 was", self.run_toyc("double.toy", "i.npy", 1).stderr)
        np.save("i.npy", np.array([2**53, -(2**53)], "<i8"))
        self.assertEqual(self.run_toyc("double.toy", "i.npy", 1).stderr, "")

    def test_tables(self):
        x = np.array([[1, -2.5, 3e-300], [np.inf, 0.1, 123456789012345678]])
        for separator in [",", ";", "\t"]:
            for names in ["", "a,b,c", f'"x{separator}y","b",c']:
                np.savetxt("t.csv", x, delimiter=separator, header=names.replace(",", separator))
                self.run_toyc("double.toy", "t.csv", 1, "-o", "y.npy")
                np.testing.assert_array_equal(np.load("y.npy"), x)
        for text, shape in [("1\n2\n\n", (2,)), ("\ufeffx,y\r\n1,2\r\n", (1, 2)), ('"1", 2 ,+.5\n1e2,5.,-0', (2, 3)),
                            ("x\n1\n2\n3", (3,)), ("1,2\r3,4\r", (2, 2))]:
            write("t.csv", text.encode())
            self.run_toyc("double.toy", "t.csv", 1, "-o", "y.npy")
            self.assertEqual(np.load("y.npy").shape, shape, text)

    def test_written_tables_are_read_with_the_same_bits(self):
        rng = np.random.default_rng(5)
        bits = rng.integers(0, 2**64, (40, 5), dtype=np.uint64).view("<f8")
        x = np.where(np.isfinite(bits), bits, 0.1)
        np.save("x.npy", x)
        self.run_toyc("double.toy", "x.npy", 1, "-o", "y.csv")
        np.testing.assert_array_equal(np.loadtxt("y.csv", delimiter=","), x)
        self.run_toyc("double.toy", "y.csv", 1, "-o", "z.npy")
        np.testing.assert_array_equal(np.load("z.npy"), x)
        np.save("x.npy", np.array([1, np.nan, -np.inf, 0.1 + 0.2]))
        self.run_toyc("double.toy", "x.npy", 1, "-o", "y.csv")
        with open("y.csv") as file:
            self.assertEqual(file.read(), "1\nnan\n-inf\n0.30000000000000004\n")

    def test_several_results(self):
        np.save("x.npy", np.arange(4.0))
        self.run_toyc("both.toy", "x.npy", "-o", "r-{}.npy")
        self.assertEqual(float(np.load("r-sum.npy")), 6)
        np.testing.assert_array_equal(np.load("r-square.npy"), [0, 1, 4, 9])
        printed = "sum =\n6.000000\nsquare =\n0.000000 1.000000 4.000000 9.000000 \n"
        self.assertEqual(self.run_toyc("both.toy", "x.npy").stdout, printed.replace("6.000000\n", "6.000000 \n"))
        self.refused("2 results", TOYC, "run", "both.toy", "x.npy", "-o", "r.npy")

    def test_structs_are_given_by_their_tensors(self):
        write("c.toy", "struct C { var re; var im; }\n"
                       "def main(C p, k) { C r = {p.re * k, p.im + k}; return r; }\n")
        self.assertEqual(self.run_toyc("c.toy", 1, 2, 3).stdout, "re =\n3.000000 \nim =\n5.000000 \n")
        write("nested.toy", "struct C { var re; var im; }\nstruct P { C first; var int; }\n"
                            "def main(P p) { return p; }\n")
        shown = "first.re =\n1.000000 \nfirst.im =\n2.000000 \nint =\n3.000000 \n"
        self.assertEqual(self.run_toyc("nested.toy", 1, 2, 3).stdout, shown)
        self.refused("`main` needs 3", TOYC, "run", "nested.toy", 1)
        self.refused("`main` needs 3 arguments, but 2 are given", TOYC, "run", "c.toy", 1, 2)

    def test_numbers(self):
        for text, printed in [("-3.5", "-7.000000 "), ("1e2", "200.000000 "), (".5", "1.000000 "), ("nan", "nan "),
                              ("-inf", "-inf "), ("123456789012345678", "246913578024691360.000000 ")]:
            self.assertEqual(self.run_toyc("double.toy", "--", text, 2).stdout.strip("\n"), printed)
        for text in ["0x10", "1e", "--5", "1 2", "", "nan(1)", "-"]:
            self.refused("neither a number nor", TOYC, "run", "double.toy", "--", text, 2)

    def test_bad_files(self):
        bad = {
            "is empty": b"", "is an archive, as .npz is": b"PK\3\4 and more bytes", "is not a .npy file": b"PNG and more bytes",
            "of version 4": header(version=4), "ends in its header": header()[:40],
            "truncated: its header (2x3) says 48 bytes of data, but there are 40": header(data=b"\0" * 40),
            "too long": header(data=b"\0" * 56), "big-endian": header("'>f8'"), "type object": header("'|O'"),
            "several fields": header("[('a', '<f8')]"), "type `<c16`": header("'<c16'"), "type `<U3`": header("'<U3'"),
            "no elements (its shape is 0x3)": header(shape="(0, 3)", data=b""),
            "800000000000 bytes": header(shape="(100000000000,)"),
            "shape that is too large": header(shape=f"({'9' * 30}, 2)"),
            "cannot be read": header(text="{'descr': '<f8'}"),
        }
        for part, content in bad.items():
            write("bad.npy", content)
            self.refused(part, TOYC, "run", "double.toy", "bad.npy", 2, "-o", "y1.npy", code="E0540")
            self.refused(part, TOYC, "double.toy", "--main", "main(bad.npy, ())", "-o", "exe", code="E0540")
        for shape in ["(-1, 3)", "(2, 3", "(2.0, 3)", "2", f"({'1, ' * 300})", f"({'1000000, ' * 9})"]:
            write("bad.npy", header(shape=shape))
            self.refused("shape that is too large, or cannot be read", TOYC, "run", "double.toy", "bad.npy", 2)
        self.refused("No such file", TOYC, "run", "double.toy", "missing.npy", 2)
        self.refused("Is a directory", TOYC, "run", "double.toy", "/tmp/", 2)

    def test_bad_tables(self):
        for part, content in {
            "bad.csv:3:4: this row has 2 cells, but the first one has 3": "a,b,c\n1,2,3\n4,5\n",
            "bad.csv:2:5: this row has more than 2 cells": "1,2\n3,4,5\n", "bad.csv:2:3: `x` is not a number": "1,2\n3,x\n",
            "bad.csv:2:3: cell 2 is empty": "1,2\n3,\n", "bad.csv:1:1: cell 1 is empty": ",2\n",
            "bad.csv:1:1: `x` is not a number": "x,2020\n1,2\n", "`1,5` is not a number": "1,5;2,5\n",
            "bad.csv:1:1: `1 2` is not a number (cells are separated by commas, semicolons or tabs)": "1 2\n3 4\n",
            "has no numbers": "a,b\n", "is empty": "", "bad.csv:1:1: `0x10`": "0x10\n", "cell 1": "," * 1_000_000,
        }.items():
            write("bad.csv", content)
            self.refused(part, TOYC, "run", "double.toy", "bad.csv", 2, "-o", "y1.npy", code="E0540")

    def test_bad_arguments_and_outputs(self):
        np.save("x.npy", np.arange(4.0))
        self.refused("`main` needs 2 arguments", TOYC, "run", "double.toy", code="E0209")
        self.refused("needs 2 arguments, but 1 is", TOYC, "run", "double.toy", "x.npy")
        self.refused("needs 2 arguments, but 3 are", TOYC, "run", "double.toy", 1, 2, 3)
        self.refused("neither a .npy nor a .csv file", TOYC, "run", "double.toy", 1, 2, "-o", "y.txt")
        self.refused("cannot write `no/y.npy`", TOYC, "run", "double.toy", 1, 2, "-o", "no/y.npy", code="E0002")
        write("says.toy", "def main(a) { print(a); return a; }")
        os.makedirs("folder.npy", exist_ok=True)
        for place in ["no/y.npy", "no/{}.csv", "x.npy/y.npy", "folder.npy"]:
            run = call(TOYC, "run", "says.toy", 1, "-o", place)
            # The program does not run for nothing.
            self.assertEqual((run.returncode, run.stdout), (1, ""), run)
            self.assertIn("cannot write `", run.stderr)
        write("rank3.toy", "def main(a) {\n  var b<1, 2, 2> = a;\n  return b;\n}\n")
        self.refused("not a table", TOYC, "run", "rank3.toy", "x.npy", "-o", "y1.csv")
        write("index.toy", "def main(a, i) { return a[i]; }")
        for index in ["nan", "4", "-5", "0.5"]:
            run = call(TOYC, "run", "index.toy", "x.npy", index, "-o", "y1.npy")
            self.assertEqual((run.returncode, os.path.exists("y1.npy")), (1, False), run)
            self.assertIn("index", run.stderr)
        write("none.toy", "def main(a) { print(a); }")
        self.refused("no result", TOYC, "run", "none.toy", 1, "-o", "y1.npy")
        write("zero.toy", "def main() { print(1); }")
        self.refused("`main` has no parameters, but 1 argument is given", TOYC, "run", "zero.toy", 1)
        self.refused("cannot combine shapes 1x3 and 1x2", TOYC, "run", "double.toy", write("a.csv", "1,2,3\n"), write("b.csv", "1,2\n"), code="E0301")

    def test_an_output_is_replaced_whole_or_not_at_all(self):
        np.save("x.npy", np.arange(4.0))
        self.run_toyc("double.toy", "x.npy", 2, "-o", "x.npy")
        np.testing.assert_array_equal(np.load("x.npy"), np.arange(4.0) * 2)
        os.symlink("x.npy", "link.npy")
        self.run_toyc("double.toy", "x.npy", 2, "-o", "link.npy")
        self.assertTrue(os.path.islink("link.npy"))
        np.testing.assert_array_equal(np.load("x.npy"), np.arange(4.0) * 4)
        self.refused("cannot write `/dev/full/", TOYC, "run", "double.toy", 1, 2, "-o", "/dev/full/x.npy", code="E0002")
        with open("/dev/full", "w") as full:
            run = subprocess.run([TOYC, "run", "double.toy", "1", "2"], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(run.returncode, 1)
        self.assertIn("E0002", run.stderr)

    def test_recursion_allocates(self):
        write("r.toy", "def main(a, n) {\n  if (n <= 0) { return a + 0; }\n"
                       "  var b = main(a + 1, n - 1);\n  return b * a;\n}\n")
        np.save("x.npy", np.arange(3.0))
        for level in range(4):
            run = self.run_toyc(f"-O{level}", "r.toy", "x.npy", 3)
            self.assertEqual(run.stdout, "0.000000 24.000000 120.000000 \n")
            call(TOYC, f"-O{level}", "r.toy", "--main", "main(3, ())", "-o", "r")
            self.assertEqual(call("./r", "x.npy", 3).stdout, run.stdout)
            deep = call("./r", "x.npy", 1e9)
            self.assertEqual(deep.returncode, 1, deep)

    def test_executables(self):
        x = np.arange(6.0).reshape(2, 3)
        np.save("x.npy", x)
        for main in ["main(2x3, ())", "main(x.npy, ())", "main(<2, 3>, scalar)"]:
            made = call(TOYC, "-O2", "double.toy", "--main", main, "-o", "double")
            self.assertEqual((made.returncode, made.stderr), (0, ""))
        for name in ["x.npy", write("x.csv", "0,1,2\n3,4,5\n")]:
            self.assertEqual(call("./double", name, "-2", "-o", "y.npy").returncode, 0)
            np.testing.assert_array_equal(np.load("y.npy"), x * -2)
        np.save("f.npy", np.asfortranarray(x).astype("<f4"))
        self.assertEqual(call("./double", "f.npy", 1).stdout, "0.000000 1.000000 2.000000 \n3.000000 4.000000 5.000000 \n")
        shown = call("./double", "--help")
        self.assertEqual(shown.returncode, 0)
        for part in ["Usage: double [OPTIONS] a b", "a .npy or .csv file of 2x3 numbers", "b: a number", "-o FILE"]:
            self.assertIn(part, shown.stdout)
        np.save("t.npy", x.T)
        self.refused("`t.npy` has the shape 3x2, but `a` of this program has the shape 2x3", "./double", "t.npy", 1)
        np.save("t.npy", x[0])
        self.refused("`t.npy` has the shape 3, but", "./double", "t.npy", 1)
        self.refused("2 arguments are needed: `a`, `b`, but 0 are given", "./double")
        self.refused("`--foo` is not an option", "./double", "--foo")
        self.refused("a file is missing after `-o`", "./double", "x.npy", 2, "-o")
        self.refused("`3` is a scalar, but", "./double", 3, 1)
        self.refused("has the shape 2x3, but `b` of this program is a scalar", "./double", "x.npy", "x.npy")
        self.assertEqual(call("./double", "x.npy", 1, "--benchmark=3").stderr[:8], "3 runs: ")

    def test_other_functions_and_stages(self):
        write("lib.toy", "def mean(x) { return sum(x) / 3; }\n")
        np.save("x.npy", np.arange(3.0))
        self.assertEqual(call(TOYC, "lib.toy", "--main", "mean(3)", "-o", "mean").stderr, "")
        self.assertEqual(call("./mean", "x.npy").stdout, "1.000000 \n")
        self.assertEqual(self.run_toyc("lib.toy", "--main", "mean(3)", "x.npy").stdout, "1.000000 \n")
        self.refused("no function `men`", TOYC, "lib.toy", "--main", "men(3)", code="E0531")
        self.refused("`--main 'mean(3'` cannot be read", TOYC, "lib.toy", "--main", "mean(3", code="E0530")
        for stage in "toy shapes linalg memref merged dealloc loops mlir-llvm llvm asm memory-plan".split():
            for level in [0, 2]:
                made = call(TOYC, "double.toy", f"-O{level}", "--main", "main(2x3, 2x3)", f"-emit={stage}", "-o", "-")
                self.assertEqual((made.returncode, made.stderr), (0, ""), stage)
                if stage in ["linalg", "mlir-llvm"]:
                    write("again.mlir", made.stdout)
                    self.assertEqual(call(TOYC, "again.mlir", "-emit=llvm", "-o", "-").returncode, 0, stage)
        for stage in ["toy", "ast"]:
            self.assertEqual(call(TOYC, "double.toy", f"-emit={stage}").returncode, 0)
        self.refused("`main` needs 2 arguments", TOYC, "double.toy", "-emit=shapes", code="E0209")

    def test_check_needs_no_shapes(self):
        self.assertEqual(call(TOYC, "check", "double.toy").stderr, "")
        write("c.toy", "def main(a) {\n  var b = a * 2;\n  print(f(b));\n  return f([1, 2]);\n}\ndef f(x) { return x + [1, 2, 3]; }\n")
        self.refused("`+`", TOYC, "check", "c.toy", code="E0301")
        write("c.toy", "def main(a) { return b; }\n")
        self.refused("no variable `b`", TOYC, "check", "c.toy", code="E0201")

    def test_a_result_without_parameters(self):
        write("p.toy", "def main() { print(1); return [[1, 2], [3, 4]]; }")
        printed = "1.000000 1.000000 2.000000 \n3.000000 4.000000 \n"
        self.assertEqual(self.run_toyc("p.toy").stdout, printed)
        self.assertEqual(call(TOYC, "p.toy", "-o", "p").returncode, 0)
        self.assertEqual(call("./p").stdout, printed)
        self.run_toyc("p.toy", "-o", "p.npy")
        np.testing.assert_array_equal(np.load("p.npy"), [[1, 2], [3, 4]])

    def test_benchmark(self):
        write("p.toy", "def main() { print(transpose([[1, 2], [3, 4]])); }")
        run = self.run_toyc("-O2", "--benchmark=4", "p.toy")
        self.assertEqual(run.stdout, "1.000000 3.000000 \n2.000000 4.000000 \n")
        self.assertRegex(run.stderr, r"^4 runs: minimum [\d.e-]+ ms, median [\d.e-]+ ms; \d+ bytes planned\n$")
        np.save("x.npy", np.arange(6.0).reshape(2, 3))
        write("q.toy", "def main(a) { return transpose(a @ transpose(a)) @ a; }")
        run = self.run_toyc("-O2", "--benchmark=2", "q.toy", "x.npy")
        self.assertRegex(run.stderr, r"^2 runs: .*; [1-9]\d* bytes planned\n$")


if __name__ == "__main__":
    unittest.main()
