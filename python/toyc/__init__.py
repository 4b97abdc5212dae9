"""Functions written in Toy, called with NumPy arrays.

    import toyc
    m = toyc.load("kernels.toy")
    m.f(a, b)                   # compiled on the first call with these shapes, then kept
    m.f(a, b, out=result)       # into an array of the caller's
    m.f.ir("linalg", a, b)      # the program at a stage of the compiler
    m.f.plan(a, b)              # where its buffers lie; in a notebook, a picture
    m.f.grad(a, b)              # the gradient by the first parameter, of a function that returns a scalar
    m.f.value_and_grad(a, b, by=("a", "b"))    # the value, too, and the gradients by both

Arrays are float64 or float32. One that is not contiguous is copied before the call; `out` has to be contiguous and may
not overlap an argument. Numbers are scalars, and tuples are structs: a result that is a struct is a named
tuple. Functions may be called from several threads at a time; other threads run meanwhile. One that stops while it
runs raises `toyc.RuntimeError`; its subclasses are also Python's own `IndexError`, `RecursionError` and `MemoryError`.

The compiler is the program `$TOYC`, or the one that the wheel has brought, or `toyc` on the path, or the one that
`cargo build` made in the repository of this file. What it makes is kept in `$XDG_CACHE_HOME/toyc`; see `toyc.cache_folder`.
"""

from ._cache import folder as cache_folder
from ._compiler import Compiler
from ._errors import (FAILURES, ArgumentError, CompilerNotFound, Error, ShapeError, ToyWarning, UnknownFunction)
from ._module import IR, Module, Plan, load, loads

__all__ = ["ArgumentError", "Compiler", "CompilerNotFound", "Error", "IR", "Module", "Plan", "ShapeError",
           "ToyWarning", "UnknownFunction", "cache_folder", "load", "loads"]
# Not in `__all__`, which would hide Python's.
RuntimeError, IndexError = FAILURES["RuntimeError"], FAILURES["IndexError"]
RecursionError, MemoryError = FAILURES["RecursionError"], FAILURES["MemoryError"]
__version__ = "0.2.0"
