"""Compiled Toy functions as Python functions of NumPy arrays.

Input: a shared library made by toyc, and what its functions take and return. Output: functions.
`toyc -emit=python` puts this file into every module that it writes: it needs NumPy and nothing else, and
it has to work inside of a function. Invariant: nothing reaches the library that it does not expect, so no
argument can crash the process.
"""

import base64
import collections
import ctypes
import inspect
import keyword
import os
import sys
import tempfile

import numpy

ARRAY, EMPTY = numpy.ndarray, numpy.empty
FLOAT64 = numpy.dtype(numpy.float64)
# The element types beside float64, by the compiler's names: NumPy's and C's.
ELEMENTS = {"f32": (numpy.dtype(numpy.float32), ctypes.c_float)}
NAMES = {dtype: name for name, (dtype, _) in ELEMENTS.items()}
DTYPES = " and ".join(map(str, (FLOAT64, *NAMES)))

class LastError(ctypes.Structure):
    """The struct `toy_error` of the C header."""

    _fields_ = [*[(name, ctypes.c_int) for name in ["code", "line", "column"]],
                *[(name, ctypes.c_char_p) for name in ["file", "function", "message", "text"]],
                *[(name, ctypes.c_int64) for name in ["index", "size"]], ("number", ctypes.c_double)]


# The codes of failures in C.
OUT_OF_MEMORY, OUT_OF_RANGE, NOT_WHOLE, ZERO_STEP, TOO_DEEP = 1, 16, 17, 18, 19
CODES = {OUT_OF_MEMORY: "TOY_OUT_OF_MEMORY", OUT_OF_RANGE: "TOY_OUT_OF_RANGE", NOT_WHOLE: "TOY_NOT_WHOLE",
         ZERO_STEP: "TOY_ZERO_STEP", TOO_DEEP: "TOY_TOO_DEEP"}


def failures(module, *bases):
    """The exceptions of functions that stop while they run: the general one is the first base of all others."""
    def made(kind, *bases):
        text = """A check failed while a function ran, or there was no memory for it.

        `code` is that of the C header, `file`, `line`, `column` and `function` say where, and `message` why. `index` and
        `size` are those of an index that is out of range, `number` is the one that is not whole.
        """
        return type(kind.__name__, (*bases, kind), {"__module__": module, "__doc__": text})

    general = type("RuntimeError", (*bases, RuntimeError, ArithmeticError),
                   {"__module__": module, "__doc__": made(ArithmeticError).__doc__})
    return {"RuntimeError": general, "IndexError": made(IndexError, general),
            "RecursionError": made(RecursionError, general), "MemoryError": made(MemoryError, general)}


def failure(kinds, last, file):
    """The exception for the last error of a library."""
    words = {name: getattr(last, name).decode("utf-8", "replace") for name in ["file", "function", "message"]}
    if file:
        words["file"] = file
    kind = {OUT_OF_MEMORY: "MemoryError", OUT_OF_RANGE: "IndexError", TOO_DEEP: "RecursionError"}.get(last.code)
    if last.code == NOT_WHOLE and words["message"].startswith("index "):
        kind = "IndexError"
    error = kinds[kind or "RuntimeError"](f"{words['file']}:{last.line}:{last.column}: error: {words['message']}, in "
                                          f"`{words['function']}`")
    vars(error).update(words, code=CODES.get(last.code), line=last.line, column=last.column, index=None, size=None,
                       number=None)
    if last.code == OUT_OF_RANGE:
        error.index, error.size = last.index, last.size
    elif last.code == NOT_WHOLE:
        error.number = last.number
    elif last.code == OUT_OF_MEMORY:
        error.size = last.size
    return error


def signature(parameters):
    """The signature for Python: a name that it cannot have there, and `out`, get `_` behind them."""
    names = []
    for name in parameters:
        if keyword.iskeyword(name) or name == "out":
            name += "_"
            while name in parameters:
                name += "_"
        names.append(name)
    kind = inspect.Parameter
    return inspect.Signature([*[kind(name, kind.POSITIONAL_OR_KEYWORD) for name in names],
                              kind("out", kind.KEYWORD_ONLY, default=None)])


def ordered(name, parameters, arguments, keywords, refused):
    """The arguments of a call in the order of the parameters."""
    rest = parameters[len(arguments):]
    for given in keywords:
        if given not in rest:
            raise refused(f"`{name}` gets two values for `{given}`" if given in parameters else
                          f"`{name}` has no parameter `{given}`: it has {', '.join(parameters) or 'none'}")
    missing = [parameter for parameter in rest if parameter not in keywords]
    if missing:
        raise refused(f"`{name}` gets no value for `{'`, `'.join(missing)}`" + (
            "; `out=` is for its result" if "out" in missing else ""))
    return (*arguments, *(keywords[parameter] for parameter in rest))


class Struct:
    """The type of a struct: its name and, in order, the names and types of its fields.

    The type of a tensor is its shape, that of a scalar `()`; of one that is not of float64, an `Elements`.
    """

    def __init__(self, name, fields):
        self.name, self.fields = name, fields
        # A struct named like a keyword of Python gets `_` after its name, a field the name of its
        # position: `_0`.
        python_name = name + "_" if keyword.iskeyword(name) else name
        self.tuple = collections.namedtuple(python_name, [field for field, _ in fields], rename=True)


class Elements(tuple):
    """The type of a tensor of other elements than float64: its shape, and their type by the compiler's name."""

    def __new__(cls, name, shape):
        self = super().__new__(cls, shape)
        self.name = name
        return self

    def __eq__(self, other):
        return type(other) is Elements and self.name == other.name and tuple.__eq__(self, other)

    def __ne__(self, other):
        return not self == other

    __hash__ = tuple.__hash__


def dtype_of(ty):
    """NumPy's type of the elements of a tensor."""
    return ELEMENTS[ty.name][0] if type(ty) is Elements else FLOAT64


def spelled(ty):
    """A type as the compiler's messages write it: `2x3`, `scalar`, `2x3 f32`; a struct by its name."""
    if isinstance(ty, Struct):
        return ty.name
    if isinstance(ty, list):
        return "{" + ", ".join(map(spelled, ty)) + "}"
    return ("x".join(map(str, ty)) or "scalar") + (f" {ty.name}" if type(ty) is Elements else "")


def plain(argument, what):
    """An argument as what can be passed on: a float, or a contiguous array; a struct as a tuple.

    Numbers and lists of numbers are converted. An array has to have elements of float64 or of a type in ELEMENTS; one
    that is not contiguous, or not aligned, is copied.
    """
    if isinstance(argument, (float, int, numpy.integer)) and not isinstance(argument, bool):
        try:
            return float(argument)
        except OverflowError:
            raise ValueError(f"{what} is too large for a float64") from None
    if isinstance(argument, tuple):
        return tuple(plain(field, f"field {i} of {what}") for i, field in enumerate(argument))
    if isinstance(argument, numpy.ma.MaskedArray):
        raise TypeError(f"{what} is a masked array, whose mask would be lost; use its method `filled`")
    try:
        array = numpy.asarray(argument)
    except ValueError:
        raise ValueError(f"{what} is a {type(argument).__name__} that is no array: its rows have to be of one length, "
                         "and all of it numbers") from None
    if isinstance(argument, list) and array.dtype.kind in "iu":
        array = array.astype(numpy.float64)
    if array.dtype != FLOAT64 and array.dtype not in NAMES:
        if isinstance(argument, numpy.generic):
            raise TypeError(f"{what} is a {array.dtype}, and Toy computes with {DTYPES}: write `float(...)` around it")
        raise TypeError(f"{what} has elements of type {array.dtype}, and Toy computes with {DTYPES}: "
                        "use its method `astype(float)`" if isinstance(argument, numpy.ndarray) else
                        f"{what} is {'an' if type(argument).__name__[0] in 'aeiou' else 'a'} "
                        f"{type(argument).__name__}, and not numbers of type float64")
    if not (array.flags.c_contiguous and array.flags.aligned):
        array = array.copy(order="C")
    return array


def shape_of(argument):
    """The type of a plain argument; of a struct, the types of its fields in a list."""
    if isinstance(argument, tuple):
        return [shape_of(field) for field in argument]
    if isinstance(argument, float):
        return ()
    return argument.shape if argument.dtype == FLOAT64 else Elements(NAMES[argument.dtype], argument.shape)


class Function:
    """One exported function, for one combination of shapes."""

    # What the package sets: its exceptions, and the file that the caller knows.
    refused, kinds, file = TypeError, None, None

    def __init__(self, library, name, symbol, parameters, result, prints, place):
        self.__name__ = self.__qualname__ = name
        self.__module__, self._symbol = __name__, symbol
        self.names = [name for name, _ in parameters]
        self.__signature__ = signature(self.names)
        self._last = library.toy_last_error
        self._last.restype = ctypes.POINTER(LastError)
        self.parameters, self.result, self.place = parameters, result, place
        text = ", ".join(f"{name}: {spelled(ty)}" for name, ty in parameters)
        to = "" if result is None else f" -> {spelled(result)}"
        self.__doc__ = f"{name}({text}){to}, from {place}"
        self._function = getattr(library, symbol)
        self._function.restype = ctypes.c_int
        self._function.argtypes = [argument for _, ty in parameters for argument in c_types(ty)]
        if result is not None:
            self._function.argtypes += [ctypes.c_void_p for _ in c_types(result)]
        self.quick = self._caller(library)
        if prints:
            # What Python has printed before comes first.
            function = self._function
            self.quick = lambda arguments, out: None
            self._function = lambda *values: flushed() or function(*values)

    def __repr__(self):
        return f"<Toy function {self.__doc__}>"

    def __reduce__(self):
        # An attribute of its module.
        return self._symbol

    def __call__(self, /, *arguments, out=None, **keywords):
        """The result: an array, a float or a named tuple of them; written into `out` if that is given."""
        if keywords:
            arguments = ordered(self.__name__, self.names, arguments, keywords, self.refused)
        result = self.quick(arguments, out)
        if result is not None:
            return result
        if len(arguments) != len(self.parameters):
            raise TypeError(f"`{self.__name__}` takes {len(self.parameters)} "
                            f"argument{'s' * (len(self.parameters) != 1)}, and this call has {len(arguments)}; "
                            f"it is defined in {self.place}")
        # Arrays made here live as long as `inputs`.
        inputs = []
        for (name, ty), argument in zip(self.parameters, arguments):
            what = f"`{name}` of `{self.__name__}`"
            try:
                argument = plain(argument, what)
            except (TypeError, ValueError) as error:
                kind = self.refused if isinstance(error, TypeError) else type(error)
                raise kind(f"{error}; it is defined in {self.place}") from None
            self._flatten(ty, argument, what, inputs)
        results = []
        if out is not None:
            self._check(out, inputs, results)
        elif self.result is not None:
            out = made(self.result, results)
        values = [value if isinstance(value, float) else value.ctypes.data for value in inputs]
        status = self._function(*values, *(array.ctypes.data for array in results))
        if status:
            self._fail(status)
        return finished(self.result, out)

    def _caller(self, library):
        """The function of runtime/python.c that calls this one; it returns None for what is not just as it has to be."""
        types = [*(ty for _, ty in self.parameters), self.result]
        numbers = sum(isinstance(ty, tuple) and not ty for ty in types[:-1])
        if (self.result is None or any(isinstance(ty, Struct) for ty in types) or numbers > 8
                or len(types) - numbers > 16 or object.__basicsize__ != 16 or not hasattr(library, "toy_python_caller")):
            return lambda arguments, out: None
        # A Python whose objects begin with two words, as C expects it.
        objects = (ARRAY, float, int, None, EMPTY, (tuple(self.result), dtype_of(self.result)), self._fail)
        dtypes = [dtype_of(ty) for ty in types]
        words = [ctypes.cast(self._function, ctypes.c_void_p).value, *map(id, objects), len(self.parameters)]
        for ty, dtype in zip(types, dtypes):
            words += [id(dtype), dtype.itemsize, len(ty), *ty]
        make = ctypes.PyDLL(None, handle=library._handle).toy_python_caller
        make.argtypes, make.restype = [ctypes.py_object], ctypes.py_object
        return make((bytes((ctypes.c_int64 * len(words))(*words)), (objects, dtypes)))

    def _fail(self, status):
        if status in (1, 5):
            raise failure(self.kinds or failures(self.__module__), self._last().contents, self.file)
        if status == 4:
            raise OSError(f"`{self.__name__}` cannot print: standard output failed")
        raise ValueError(f"`{self.__name__}` failed with status {status}")

    def _flatten(self, ty, argument, what, inputs):
        """Appends what the function takes for an argument: a struct goes by its fields."""
        if isinstance(ty, Struct):
            if not isinstance(argument, tuple) or len(argument) != len(ty.fields):
                given = (f"a tuple of {len(argument)}" if isinstance(argument, tuple)
                         else f"shape {spelled(shape_of(argument))}")
                raise TypeError(f"{what} is a `{ty.name}`, a tuple of {len(ty.fields)}, and not {given}; "
                                f"see {self.place}")
            for (field, inner), value in zip(ty.fields, argument):
                self._flatten(inner, value, f"`{field}` in {what}", inputs)
            return
        if isinstance(argument, tuple):
            raise TypeError(f"{what} is a tensor of shape {spelled(ty)}, and not a tuple, which is a struct; see {self.place}")
        # A number is one of any type.
        if shape_of(argument) != ty and not (isinstance(argument, float) and not ty):
            raise ValueError(f"{what} has shape {spelled(shape_of(argument))}, and this function was compiled "
                             f"for {spelled(ty)}; see {self.place}")
        inputs.append(argument if ty else float(argument))

    def _check(self, out, inputs, results):
        """Refuses an `out` that the result cannot be written into; else appends its arrays."""
        if self.result is None:
            raise TypeError(f"`{self.__name__}` has no result, so it takes no `out`; it is defined in {self.place}")
        leaves = []
        places(self.result, out, "`out`", leaves)
        for what, ty, array in leaves:
            if not isinstance(array, numpy.ndarray) or array.dtype != dtype_of(ty):
                kind = f"of {array.dtype}" if isinstance(array, numpy.ndarray) else f"of type {type(array).__name__}"
                raise TypeError(f"{what} is {kind}, and has to be an array of {dtype_of(ty)}")
            if array.shape != tuple(ty):
                raise ValueError(f"{what} has shape {spelled(array.shape)}, and the result of "
                                 f"`{self.__name__}` has {spelled(ty)}; see {self.place}")
            if not array.flags.writeable:
                raise ValueError(f"{what} is not writable")
            if not array.flags.c_contiguous:
                raise ValueError(f"{what} is not contiguous: the result would have to be copied")
            if array.ctypes.data % array.itemsize:
                raise ValueError(f"{what} is not aligned: it starts at an address that is not a multiple of "
                                 f"{array.itemsize}")
            for other in [*inputs, *results]:
                if not isinstance(other, float) and overlap(array, other):
                    raise ValueError(f"{what} overlaps an argument of `{self.__name__}`, or another part of the "
                                     "result: it would change while it is read")
            results.append(array)


def flushed():
    """Writes what Python's standard output keeps, if there is one."""
    try:
        sys.stdout.flush()
    except (AttributeError, OSError, ValueError):
        pass


def c_types(ty):
    """What the C function takes for an argument of a type: pointers, and scalars by value."""
    if isinstance(ty, Struct):
        return [argument for _, inner in ty.fields for argument in c_types(inner)]
    number = ELEMENTS[ty.name][1] if type(ty) is Elements else ctypes.c_double
    return [ctypes.c_void_p if ty else number]


def made(ty, results):
    """A new result; its arrays are appended."""
    if isinstance(ty, Struct):
        return ty.tuple(*(made(inner, results) for _, inner in ty.fields))
    results.append(numpy.empty(tuple(ty), dtype_of(ty)))
    return results[-1]


def finished(ty, result):
    """What the caller gets: scalars are numbers, unless an array was given for them."""
    if isinstance(ty, Struct):
        return ty.tuple(*(finished(inner, field) for (_, inner), field in zip(ty.fields, result)))
    return result.item() if ty is not None and not ty else result


def places(ty, out, what, leaves):
    """Where each tensor of a result goes: (words, shape, what is given for it)."""
    if not isinstance(ty, Struct):
        leaves.append((what, ty, out))
        return
    if not isinstance(out, tuple) or len(out) != len(ty.fields):
        raise TypeError(f"{what} has to be a tuple of {len(ty.fields)}, the fields of `{ty.name}`")
    for (field, inner), value in zip(ty.fields, out):
        places(inner, value, f"`{field}` in {what}", leaves)


def overlap(one, other):
    """Whether two contiguous arrays share memory."""
    start, end = one.ctypes.data, one.ctypes.data + one.nbytes
    return start < other.ctypes.data + other.nbytes and other.ctypes.data < end


class Overloads:
    """A function that is exported for several combinations of shapes."""

    def __init__(self, functions):
        self._functions = functions
        self.__name__ = self.__qualname__ = functions[0].__name__
        self.__doc__ = "\n".join(function.__doc__ for function in functions)
        self.__module__, self.__signature__ = functions[0].__module__, functions[0].__signature__

    def __repr__(self):
        return "\n".join(map(repr, self._functions))

    def __reduce__(self):
        return self.__name__

    def __call__(self, /, *arguments, out=None, **keywords):
        if keywords:
            arguments = ordered(self.__name__, self._functions[0].names, arguments, keywords, TypeError)
        arguments = [plain(argument, f"argument {i + 1} of `{self.__name__}`")
                     for i, argument in enumerate(arguments)]
        shapes = [shape_of(argument) for argument in arguments]
        for function in self._functions:
            if shapes == [shapes_in(ty) for _, ty in function.parameters]:
                return function(*arguments, out=out)
        if len(self._functions) == 1 or all(len(arguments) != len(f.parameters) for f in self._functions):
            return self._functions[0](*arguments, out=out)
        raise ValueError(f"`{self.__name__}` was not compiled for these shapes, only as\n{self.__doc__}")


def shapes_in(ty):
    """The shapes of a type, in the form of `shape_of`."""
    return [shapes_in(inner) for _, inner in ty.fields] if isinstance(ty, Struct) else ty


def loaded(text):
    """The shared library whose bytes are this text in base 64."""
    data = base64.b64decode(text)
    # The loader needs a file, but only until it has loaded it.
    handle, path = tempfile.mkstemp(suffix=".so", prefix="toyc-")
    try:
        with open(handle, "wb") as file:
            file.write(data)
        return ctypes.CDLL(path)
    except OSError:
        if not hasattr(os, "memfd_create"):
            raise
        # No program can be run from files of this folder. The descriptor stays open: the loader takes
        # two libraries of one name for the same.
        handle = os.memfd_create("toyc")
        with open(handle, "wb", closefd=False) as file:
            file.write(data)
        return ctypes.CDLL(f"/proc/self/fd/{handle}")
    finally:
        os.unlink(path)


def functions(library, exports):
    """The functions of a library by name: by the name in Toy, and by the symbol."""
    library = loaded(library)
    by_name, found = {}, {}
    for export in exports:
        function = Function(library, *export)
        found[export[1]] = function
        by_name.setdefault(export[0], []).append(function)
    for name, overloads in by_name.items():
        found[name] = overloads[0] if len(overloads) == 1 else Overloads(overloads)
    return found
