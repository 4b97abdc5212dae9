"""Programs in Toy as objects: a function of the program is a function in Python.

Input: a program's text. Output: objects that compile a function for the shapes of a call, once, and call
it. Invariants: a function may be called from any thread, and in a process made by fork; two calls with
the same shapes use the same code, in one process and, through the cache, in all.
"""

import copyreg
import html
import os
import re
import threading
import types
import weakref

from . import _cache
from ._compiler import Compiler, warn
from ._errors import FAILURES, ArgumentError, Error, ShapeError, UnknownFunction, reworded, shown
from ._runtime import ARRAY, ordered, plain, shape_of, signature, spelled

# Locks of modules, which a process made by fork cannot take over: their holder may not exist in it.
MODULES = weakref.WeakSet()


def load(path, *, level=3, cpu="native", threads=1, compiler=None):
    """The functions of a file.

    They are compiled with `-O{level}` for the processor `cpu` (None: for any of this architecture) by
    `compiler`, a path; by default, the one that is found. Large loops run on that many threads.
    """
    with open(path, encoding="utf-8", newline="") as file:
        text = file.read()
    return Module(text, os.fspath(path), Compiler(compiler, level, cpu, threads))


def loads(text, name="program.toy", *, level=3, cpu="native", threads=1, compiler=None):
    """The functions of a program that is a text; `name` is what messages call it."""
    return Module(text, name, Compiler(compiler, level, cpu, threads))


class Module:
    """A program: its functions are its attributes and its items, whatever their names are."""

    __slots__ = ("_program", "__dict__", "__weakref__")

    def __init__(self, text, name, compiler):
        own = Program(text, name, compiler)
        Module._program.__set__(self, own)
        vars(self).update(own.functions)
        MODULES.add(self)
        if any(hasattr(vars(kind).get(name), "__set__") for kind in Module.__mro__ for name in own.functions):
            self.__class__ = Hiding

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        raise program(self).unknown(name)

    def __getitem__(self, name):
        return program(self).functions[name]

    def __dir__(self):
        return sorted({*dir(Module), *program(self).functions})

    def __repr__(self):
        own = program(self)
        return f"<Toy program {own.name}: {', '.join(own.functions) or 'no functions'}>"


class Hiding(Module):
    """A module whose functions have names that Python looks up before an object's attributes, `__class__` for instance."""

    __slots__ = ()

    def __getattribute__(self, name):
        function = program(self).functions.get(name)
        return object.__getattribute__(self, name) if function is None else function


def program(module):
    """The program of a module, none of whose attributes can be relied on."""
    return Module._program.__get__(module)


def reduced(module):
    """A pickle has the source."""
    own = program(module)
    return Module, (own.text, own.name, own.compiler)


# Methods for it would be attributes.
copyreg.pickle(Module, reduced)
copyreg.pickle(Hiding, reduced)


class Program:
    """The text of a module, and its functions by name."""

    def __init__(self, text, name, compiler):
        self.text, self.name, self.compiler = text, name, compiler
        tree, _ = compiler.run(name, text, "-emit=ast", "-o", "-")
        functions = re.findall(r"^ *Proto '(\w+)' @(.*):(\d+):(\d+)\n *Params: \[(.*)\]$", tree, re.MULTILINE)
        lines = text.splitlines()
        self.functions = {
            name: Function(self, name, f"{file}:{line}:{column}", [p for p in parameters.split(", ") if p],
                           comment(lines[:int(line) - 1]))
            for name, file, line, column, parameters in functions if name != "main"}
        # Warnings that have been shown.
        self.shown = []
        self.forget_locks()

    def forget_locks(self):
        self.lock = threading.Lock()

    def unknown(self, name):
        """The exception for a name that no function has."""
        # The compiler says it best, and knows similar names.
        try:
            self.compiler.run(self.name, self.text, "--export", f"{name}()", "-emit=shapes", "-o", "-")
        except Error as error:
            error = reworded(error, f"{name}()")
            return UnknownFunction(str(error), error.diagnostics)
        return UnknownFunction(f"`{self.name}` has no function `{name}`")


def comment(lines):
    """The comment that these lines end with."""
    start = len(lines)
    while start > 0 and lines[start - 1].startswith("#"):
        start -= 1
    return "\n".join(line.lstrip("#").strip() for line in lines[start:])


class Function:
    """A function of a program, or its gradient: compiled for the shapes of its arguments when they are first seen."""

    def __init__(self, program, name, place, parameters, comment):
        self.__name__ = self.__qualname__ = name
        self.shown = f"{name}({', '.join(parameters)}), from {place}"
        self.comment = comment
        self.__doc__ = self.shown + (f"\n\n{comment}" if comment else "")
        self.program, self.place, self.parameters = program, place, parameters
        self.__signature__ = signature(parameters)
        # By what `--export` says, and by the shapes of arguments that are arrays and numbers.
        self.specializations, self.by_shapes = {}, {}
        # The last call's function, if it takes these arguments, too.
        self.quick = lambda arguments, out: None
        # By the names of derivatives.
        self.gradients = {}

    def __repr__(self):
        return f"<Toy function {self.shown}>"

    def __reduce__(self):
        own = self.program
        return unpickled, (own.text, own.name, own.compiler, self.__name__)

    def __call__(self, /, *arguments, out=None, **keywords):
        if keywords:
            arguments = ordered(self.__name__, self.parameters, arguments, keywords, ArgumentError)
        result = self.quick(arguments, out)
        if result is not None:
            return result
        shapes = tuple([(argument.shape, argument.dtype) if type(argument) is ARRAY else type(argument)
                        for argument in arguments])
        function = self.by_shapes.get(shapes)
        if function is not None:
            self.quick = function.quick
            return function(*arguments, out=out)
        arguments = self._plain(arguments)
        key = self._spelled(arguments)
        function = self.specializations.get(key)
        if function is None:
            with self.program.lock:
                function = self.specializations.get(key)
                if function is None:
                    function = self.specializations[key] = self._compiled(key)
        if all(type(shape) is tuple or shape in (float, int) for shape in shapes):
            self.by_shapes[shapes] = function
        self.quick = function.quick
        return function(*arguments, out=out)

    def ir(self, stage, *arguments):
        """The program at a stage (`-emit={stage}`), as this call would make it; text."""
        self.program.compiler.check_stage(stage)
        return IR(self._run(self._spelled(self._plain(arguments)), f"-emit={stage}")[0])

    def plan(self, *arguments):
        """Where the buffers of this call lie in memory, and when."""
        export = self._spelled(self._plain(arguments))
        text, _ = self._run(export, "-emit=memory-plan")
        svg, _ = self._run(export, "-emit=memory-plan", picture="--memory-plan")
        return Plan(text, svg)

    @property
    def grad(self):
        """The gradient by the first parameter, or by others: `f.grad(a, b)`, `f.grad(a, b, by=1)`, `by=("a", "b")`."""
        return self._gradient("grad")

    @property
    def value_and_grad(self):
        """The function's value and the gradient, as a named tuple."""
        return self._gradient("value_and_grad")

    def _gradient(self, name):
        found = self.gradients.get(name)
        return found or self.gradients.setdefault(name, Gradient(self, name))

    def _plain(self, arguments):
        names = self.parameters + [f"argument {i + 1}" for i in range(len(self.parameters), len(arguments))]
        try:
            return [plain(argument, f"`{name}` of `{self.__name__}`") for name, argument in zip(names, arguments)]
        except (TypeError, ValueError) as error:
            kind = ArgumentError if isinstance(error, TypeError) else type(error)
            raise kind(f"{error}; it is defined in {self.place}") from None

    def _spelled(self, arguments):
        """The function with shapes, as `--export` takes it."""
        if len(arguments) != len(self.parameters):
            raise self._refused(ArgumentError, "E0532", f"`{self.__name__}` has {counted(self.parameters, 'parameter')}, "
                                f"but this call has {counted(arguments, 'argument')}")
        for name, argument in zip(self.parameters, arguments):
            if any(0 in shape for shape in leaves(shape_of(argument))):
                raise self._refused(ShapeError, "E0530", f"`{name}` of `{self.__name__}` has no elements, and Toy's "
                                    "arrays have some")
        return f"kernel={self.__name__}({', '.join(spelled(shape_of(argument)) for argument in arguments)})"

    def _refused(self, kind, code, message):
        """The exception for a call that the compiler is not asked about, in the form of its own."""
        file, line, column = self.place.rsplit(":", 2)
        span = {"start_line": int(line), "start_column": int(column), "primary": True,
                "label": f"`{self.__name__}` is defined here"}
        found = {"severity": "error", "code": code, "message": message, "file": file, "spans": [span]}
        return kind(shown(found), [found])

    def _run(self, export, *options, picture=None):
        compiler = self.program.compiler
        try:
            return compiler.run(self.program.name, self.program.text, "--export", export, *compiler.options, "-o", "-",
                                *options, picture=picture)
        except Error as error:
            raise reworded(error, export) from None

    def _compiled(self, export):
        file = _cache.path((self.program.compiler.key(), self.program.text, self.program.name, export))
        kept = _cache.read(file)
        if kept is not None:
            try:
                return self._loaded(kept)
            except Exception:  # Whatever is wrong with it: it is made anew.
                pass
        text, found = self._run(export, "-emit=python")
        function = self._loaded(text)
        _cache.write(file, text)
        new = [warning for warning in found if warning not in self.program.shown]
        self.program.shown += new
        warn(new, level=3)
        return function

    def _loaded(self, text):
        """The function of a module that `-emit=python` has made."""
        module = types.ModuleType(f"toyc.{self.__name__}")
        exec(compile(text, f"<{self.program.name}, compiled>", "exec"), module.__dict__)
        function = vars(module)["__getattr__"]("kernel")
        function.place, function.file = self.place, self.program.name
        function.refused, function.kinds = ArgumentError, FAILURES
        return function


class Gradient:
    """A gradient of a function: a function with the same parameters for each choice of `by`."""

    def __init__(self, function, name):
        self.function, self.__name__ = function, name
        self.__doc__ = f"{name} of {function.__doc__}"
        self.__signature__ = function.__signature__
        self.functions = {}

    def __repr__(self):
        return f"<{self.__name__} of {self.function!r}>"

    def __reduce__(self):
        return getattr, (self.function, self.__name__)

    def __call__(self, /, *arguments, by=0, out=None, **keywords):
        return self._by(by)(*arguments, out=out, **keywords)

    def ir(self, stage, *arguments, by=0):
        """The program at a stage (`-emit={stage}`), as this call would make it; text."""
        return self._by(by).ir(stage, *arguments)

    def plan(self, *arguments, by=0):
        """Where the buffers of this call lie in memory, and when."""
        return self._by(by).plan(*arguments)

    def _by(self, by):
        """The gradient by a parameter, or by several: numbers, counted from 0, or names."""
        # Not another kind of number that is equal.
        known = self.functions.get(by) if type(by) in (int, str) else None
        if known is not None:
            return known
        own = self.function
        numbers = [self._number(one) for one in (by if isinstance(by, (tuple, list)) else [by])]
        if not numbers or len(set(numbers)) < len(numbers):
            raise self._refused(f"`by` is {by!r}, and has to be different parameters of `{own.__name__}`")
        name = f"{self.__name__}({', '.join(map(str, [own.__name__, *numbers]))})"
        made = self.functions.get(name)
        if made is None:
            made = self.functions.setdefault(name, Function(own.program, name, own.place, own.parameters, own.comment))
        if type(by) in (int, str):
            self.functions[by] = made
        return made

    def _number(self, one):
        own = self.function
        if isinstance(one, str) and one in own.parameters:
            return own.parameters.index(one)
        if hasattr(one, "__index__") and not isinstance(one, bool) and 0 <= one < len(own.parameters):
            return int(one)
        names = " or ".join(f"`{name}`" for name in own.parameters) or "none"
        raise self._refused(f"`{own.__name__}` has no parameter {one!r} to take a gradient by: it has {names}")

    def _refused(self, message):
        return self.function._refused(ArgumentError, "E0531", message)


def unpickled(text, name, compiler, function):
    return program(Module(text, name, compiler)).functions[function]


def counted(things, name):
    return f"{len(things)} {name}{'s' * (len(things) != 1)}"


def leaves(shape):
    """The shapes of all arrays of an argument."""
    return [inner for field in shape for inner in leaves(field)] if isinstance(shape, list) else [shape]


class IR(str):
    """The text of a program at a stage, shown as text."""

    def __repr__(self):
        return str(self)

    def _repr_html_(self):
        return f"<pre>{html.escape(self)}</pre>"


class Plan:
    """Where buffers lie in memory: as text, and in a notebook as the picture."""

    def __init__(self, text, svg):
        self.text, self.svg = text, svg

    def __repr__(self):
        return self.text

    def _repr_svg_(self):
        return self.svg


def after_fork():
    for module in MODULES:
        program(module).forget_locks()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=after_fork)
