"""Programs of N alike parts in the ways that programs get long: control flow, vectors, parts of tensors, structs, names.

Each family is a function: the size gives the lines of a valid program, the same ones each time. `programs.py` writes
them, `../tests/growth.txt` says which sizes the suite doubles.
"""


def main(*parts):
    """main; a part is a statement or an iterable of lines."""
    yield "def main() {"
    for part in parts:
        for line in [part] if isinstance(part, str) else part:
            yield f"  {line}"
    yield "}"


def block(head, lines):
    """A branch or a loop around lines."""
    yield head + " {"
    for line in lines:
        yield "  " + line
    yield "}"


def each(n, form, start=0):
    """A line for each number: `#` is the number, `^` the one after it, and `$` the one before."""
    for i in range(start, n):
        yield form.replace("#", str(i)).replace("^", str((i + 1) % n)).replace("$", str(i - 1))


def joined(operator, n, form):
    """An expression of N operands, in lines of moderate length."""
    operands = list(each(n, form))
    for i in range(0, n, 16):
        yield ("" if i == 0 else operator + " ") + f" {operator} ".join(operands[i : i + 16])


def printed(n, form="a#"):
    """print of a sum of N operands."""
    yield from ["print(", *joined("+", n, form), ");"]


def vectors(n):
    """N vectors of 101 elements, of each its sum and its largest element"""
    yield from main(each(n, "var v# = range(101) * #; print(sum(v#), max(v#));"))


def widevectors(n):
    """N vectors of 256 elements, of each its sum and its largest element"""
    yield from main(each(n, "var v# = range(256) * #; print(sum(v#), max(v#));"))


def vectorsums(n):
    """N element-wise expressions of vectors of 33 elements, each of the one before, the last printed"""
    yield from main("var v0 = range(33);", each(n + 1, "var v# = v$ * # + range(33) / (v$ + 1);", 1), f"print(v{n});")


def mathematics(n):
    """N calls of exp and sin on vectors of 37 elements, each of the one before"""
    yield from main("var v0 = range(37);", each(n + 1, "var v# = sin(exp(v$) + #);", 1), f"print(v{n});")


def matrices(n):
    """N products of 5x5 matrices, each with the one before"""
    yield from main("var m0 = eye(5) / 2;", each(n + 1, "var m# = m$ @ (eye(5) + #);", 1), f"print(m{n});")


def concatenations(n):
    """N concatenations of vectors of 7 elements, of each a part"""
    yield from main("var v0 = range(7);", each(n + 1, "var v# = concat(v$, range(7) * #)[3:10];", 1), f"print(v{n});")


def updates(n):
    """N elements of one vector, each set to a multiple of another one"""
    yield from main(f"var v = range({n});", each(n, "v[#] = v[^] * #;"), "print(sum(v));")


def windows(n):
    """a loop that reads N windows of a matrix at indices that it computes"""
    reads = each(n, "v = v + m[i, i:i + 3] * #;")
    yield from main("var m = eye(9);", "var v = zeros(3);", block("for i in 0..6", reads), "print(v);")


def element_reads(n):
    """a loop that reads N elements at indices that are checked when the program runs"""
    reads = each(n, "s = s + v[(i * # + k) % 9];")
    yield from main("var v = range(9);", "var s = 0;", "var k = v[2];", block("for i in 0..6", reads), "print(s);")


def lists(n):
    """one list of N computed scalars"""
    yield from main("var x = 3;", block("for i in 0..4", ["x = x * 2 + i;"]), "print([", joined(",", n, "x - #"), "]);")


def whiles(n):
    """N scalars that a while loop carries"""
    steps = each(n, "a# = a# + a^ * 2;")
    yield from main("var i = 0;", each(n, "var a# = #;"), block("while (i < 3)", [*steps, "i = i + 1;"]), printed(n))


def branches(n):
    """N scalars that a while loop carries and a branch in it assigns again"""
    branch = block("if (i > 3)", each(n, "a# = a# + 1;"))
    steps = [*each(n, "a# = a# + 1;"), *branch, "i = i + 1;"]
    yield from main("var i = 0;", each(n, "var a# = #;"), block("while (i < 10)", steps), each(n, "print(a#);"))


def rotation(n):
    """N tensors that a loop rotates: each gets the value of the next one"""
    steps = [*each(n, "a$ = a#;", 1), f"a{n - 1} = t;"]
    yield from main(each(n, "var a# = [#, 1];"), block("for i in 0..5", ["var t = a0;", *steps]), printed(n))


def tensors(n):
    """N tensors that a loop carries and computes anew"""
    steps = each(n, "a# = a# + a^ * i;")
    yield from main(each(n, "var a# = [#, 1];"), block("for i in 0..5", steps), printed(n))


def conjunction(n):
    """one chain of N comparisons with &&"""
    yield from main("var x = 1;", block("for i in 0..4", ["x = x * 2 + i;"]), "print(", joined("&&", n, "x > #"), ");")


def disjunction(n):
    """one chain of N comparisons with ||"""
    yield from main("var x = 1;", block("for i in 0..4", ["x = x * 2 + i;"]), "print(", joined("||", n, "x < #"), ");")


def ifs(n):
    """N branches one after the other, each of which may assign a tensor"""
    branches = each(n, "if (s > #) { v = v + #; s = sum(v); }")
    yield from main("var s = 9;", block("for i in 0..4", ["s = s * 2 + i;"]), "var v = [1, 2];", branches, "print(v);")


def elses(n):
    """one chain of N else if"""
    chain = ["if (s < 0) { v = v + 1; }", *each(n, "else if (s < #) { v = v * #; }")]
    yield from main("var s = 9;", block("for i in 0..4", ["s = s * 2 + i;"]), "var v = [1, 2];", chain, "print(v);")


def loops(n):
    """N loops one after the other, each of which carries a tensor"""
    yield from main("var v = [1, 2];", each(n, "for i in 0..4 { v = v / 2 + v[0] * i; }"), "print(v);")


def breaks(n):
    """a loop with N ways out of it"""
    steps = each(n, "if (s > 9# + i) { break; } s = s + #;")
    yield from main("var s = 9;", block("for i in 0..4", steps), "print(s);")


def returns(n):
    """a function with N conditions and results"""
    yield from block("def f(x)", [*each(n, "if (x > #) { return x * #; }"), "return 0;"])
    yield from main("print(f(7), f(9));")


def parameters(n):
    """a function of N tensors"""
    names = ", ".join(each(n, "a#"))
    yield from block(f"def f({names})", ["return", *joined("+", n, "a#"), ";"])
    yield from main("print(f(", joined(",", n, "[#, 1]"), "));")


def mutual(n):
    """N functions, each of which may call the next one, and the last one the first one"""
    yield from each(n, "def f#(x) { if (x < #) { return x; } return f^(x - 3) + #; }")
    yield from main("print(f0(99));")


def specializations(n):
    """about N specializations of a function that calls itself with other shapes, whatever the length of the program"""
    side = 1
    while side * side < n:
        side += 1
    yield "def f(x, y) {"
    yield "  if (shape(x, 0) > 1) { return f(x[1:], y) + x[0]; }"
    yield "  if (shape(y, 0) > 1) { return f(concat(x, zeros(shape(y, 0) - 1)), y[1:]) * 2; }"
    yield "  return x[0] + y[0];"
    yield "}"
    yield from main(f"print(f(range({side}), range({side})));")


def fields(n):
    """a struct of N fields, which a loop carries and a function changes"""
    yield from block("struct S", each(n, "var a#;"))
    yield from block("def f(S s)", [*each(n, "s.a# = s.a^ + 1;"), "return s;"])
    start = ["S s = {", *joined(",", n, "#"), "};"]
    yield from main(start, "for i in 0..3 { s = f(s); }", printed(n, "s.a#"))


def structs(n):
    """N values of one struct, each made of the one before"""
    yield "struct Pair { var a; var b; }"
    yield "def f(Pair p) { Pair q = {p.b + 1, p.a}; return q; }"
    yield from main("Pair p0 = {[1, 2], 3};", each(n + 1, "Pair p# = f(p$);", 1), f"print(p{n});")


def lifetimes(n):
    """N tensors of different sizes, all made first and read last in the opposite order"""
    reads = (f"s = s * 2 + sum(a{i});" for i in reversed(range(n)))
    yield from main("var s = 0;", each(n, "var a# = sin(range(# % 7 + 1));"), reads, "print(s);")


def prints(n):
    """N lines of output, of texts and numbers"""
    yield from main("var x = [1, 2];", each(n, 'print("line #:", x * #, x[0], digits = 2);'))


def warnings(n):
    """N variables that are never used"""
    yield from main(each(n, "var a# = #;"), "print(1);")


FAMILIES = [
    vectors, widevectors, vectorsums, mathematics, matrices, concatenations, updates, windows, element_reads, lists, whiles,
    branches, rotation, tensors, conjunction, disjunction, ifs, elses, loops, breaks, returns, parameters, mutual,
    specializations, fields, structs, lifetimes, prints, warnings,
]
