"""Programs in Toy as objects: a function of the program is a function in Python.

Input: a program's text. Output: objects that compile a function for the shapes of a call, once, and call
it. Invariants: a function may be called from any thread, and in a process made by fork; two calls with
the same shapes use the same code, in one process and, through the cache, in all.
"""

import html
import os
import re
import threading
import types
import weakref

from . import _cache
from ._compiler import Compiler, warn
from ._errors import ArgumentError, Error, ShapeError, UnknownFunction, reworded, shown
from ._runtime import ARRAY, plain, shape_of

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
    """A program; its functions are attributes, so that all others begin with `_`."""

    def __init__(self, text, name, compiler):
        self._text, self._name, self._compiler = text, name, compiler
        tree, _ = compiler.run(name, text, "-emit=ast", "-o", "-")
        functions = re.findall(r"^ *Proto '(\w+)' @(.*):(\d+):(\d+)\n *Params: \[(.*)\]$", tree, re.MULTILINE)
        self._functions = {
            name: Function(self, name, f"{file}:{line}:{column}", [p for p in parameters.split(", ") if p])
            for name, file, line, column, parameters in functions if name != "main"}
        # Warnings that have been shown.
        self._shown = []
        self._forget_locks()
        MODULES.add(self)

    def _forget_locks(self):
        self._lock = threading.Lock()

    def __getattr__(self, name):
        try:
            return self.__dict__["_functions"][name]
        except KeyError:
            pass
        if name.startswith("_") or "_functions" not in self.__dict__:
            raise AttributeError(name)
        # The compiler says it best, and knows similar names.
        try:
            self._compiler.run(self._name, self._text, "--export", f"{name}()", "-emit=shapes", "-o", "-")
        except Error as error:
            error = reworded(error, f"{name}()")
            raise UnknownFunction(str(error), error.diagnostics) from None
        raise UnknownFunction(f"`{self._name}` has no function `{name}`")

    def __getitem__(self, name):
        """The function of a name that an attribute cannot have."""
        return self._functions[name]

    def __dir__(self):
        return [*super().__dir__(), *self._functions]

    def __repr__(self):
        return f"<Toy program {self._name}: {', '.join(self._functions) or 'no functions'}>"


class Function:
    """A function of a program: compiled for the shapes of its arguments when they are first seen."""

    def __init__(self, module, name, place, parameters):
        self.__name__ = self.__qualname__ = name
        self.__doc__ = f"{name}({', '.join(parameters)}), from {place}"
        self.module, self.place, self.parameters = module, place, parameters
        # By what `--export` says, and by the shapes of arguments that are arrays and numbers.
        self.specializations, self.by_shapes = {}, {}

    def __repr__(self):
        return f"<Toy function {self.__doc__}>"

    def __call__(self, *arguments, out=None):
        shapes = tuple([argument.shape if type(argument) is ARRAY else type(argument) for argument in arguments])
        function = self.by_shapes.get(shapes)
        if function is not None:
            return function(*arguments, out=out)
        arguments = self._plain(arguments)
        key = self._spelled(arguments)
        function = self.specializations.get(key)
        if function is None:
            with self.module._lock:
                function = self.specializations.get(key)
                if function is None:
                    function = self.specializations[key] = self._compiled(key)
        if all(type(shape) is tuple or shape in (float, int) for shape in shapes):
            self.by_shapes[shapes] = function
        return function(*arguments, out=out)

    def ir(self, stage, *arguments):
        """The program at a stage (`-emit={stage}`), as this call would make it; text."""
        self.module._compiler.check_stage(stage)
        return IR(self._run(self._spelled(self._plain(arguments)), f"-emit={stage}")[0])

    def plan(self, *arguments):
        """Where the buffers of this call lie in memory, and when."""
        export = self._spelled(self._plain(arguments))
        text, _ = self._run(export, "-emit=memory-plan")
        svg, _ = self._run(export, "-emit=memory-plan", picture="--memory-plan")
        return Plan(text, svg)

    def _plain(self, arguments):
        names = self.parameters + [f"argument {i + 1}" for i in range(len(self.parameters), len(arguments))]
        try:
            return [plain(argument, f"`{name}` of `{self.__name__}`") for name, argument in zip(names, arguments)]
        except (TypeError, ValueError) as error:
            raise type(error)(f"{error}; it is defined in {self.place}") from None

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
        compiler = self.module._compiler
        try:
            return compiler.run(self.module._name, self.module._text, "--export", export, *compiler.options, "-o", "-",
                                *options, picture=picture)
        except Error as error:
            raise reworded(error, export) from None

    def _compiled(self, export):
        file = _cache.path((self.module._compiler.key(), self.module._text, self.module._name, export))
        kept = _cache.read(file)
        if kept is not None:
            try:
                return self._loaded(kept)
            except Exception:  # Whatever is wrong with it: it is made anew.
                pass
        text, found = self._run(export, "-emit=python")
        function = self._loaded(text)
        _cache.write(file, text)
        new = [warning for warning in found if warning not in self.module._shown]
        self.module._shown += new
        warn(new, level=3)
        return function

    def _loaded(self, text):
        """The function of a module that `-emit=python` has made."""
        module = types.ModuleType(f"toyc.{self.__name__}")
        exec(compile(text, f"<{self.module._name}, compiled>", "exec"), module.__dict__)
        function = module.__getattr__(self.__name__)
        function.place = self.place
        return function


def counted(things, name):
    return f"{len(things)} {name}{'s' * (len(things) != 1)}"


def leaves(shape):
    """The shapes of all arrays of an argument."""
    return [inner for field in shape for inner in leaves(field)] if isinstance(shape, list) else [shape]


def spelled(shape):
    """A shape as `--export` takes it: `2x3`, `()`; of a struct, those of its fields in braces."""
    if isinstance(shape, list):
        return "{" + ", ".join(map(spelled, shape)) + "}"
    return "x".join(map(str, shape)) or "()"


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
        module._forget_locks()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=after_fork)
