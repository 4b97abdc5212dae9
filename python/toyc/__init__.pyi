"""The types of the package, for editors and checkers; a test compares them with it."""

import builtins
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Union

from numpy import float32, float64
from numpy.typing import ArrayLike, NDArray

__all__ = ["ArgumentError", "Compiler", "CompilerNotFound", "Error", "IR", "Module", "Plan", "ShapeError",
           "ToyWarning", "UnknownFunction", "cache_folder", "load", "loads"]
__version__: str

# An array, a number, or a struct: a tuple of them.
_Argument = Union[ArrayLike, tuple["_Argument", ...]]
_By = Union[int, str, Sequence[Union[int, str]]]
_Out = Union[NDArray[float64], NDArray[float32], tuple["_Out", ...]]

class _Function:
    """A function of a program, compiled for the shapes of its arguments."""

    __name__: str
    # The result is an array, a float, or a named tuple of them: it depends on the program and the shapes.
    def __call__(self, /, *arguments: _Argument, out: _Out | None = None, **keywords: _Argument) -> Any: ...
    def ir(self, stage: str, *arguments: _Argument) -> IR: ...
    def plan(self, *arguments: _Argument) -> Plan: ...
    @property
    def grad(self) -> _Gradient: ...
    @property
    def value_and_grad(self) -> _Gradient: ...

class _Gradient:
    """A gradient of a function, by parameters: their numbers, counted from 0, or their names."""

    __name__: str
    def __call__(self, /, *arguments: _Argument, by: _By = 0, out: _Out | None = None, **keywords: _Argument) -> Any: ...
    def ir(self, stage: str, *arguments: _Argument, by: _By = 0) -> IR: ...
    def plan(self, *arguments: _Argument, by: _By = 0) -> Plan: ...

class Module:
    def __init__(self, text: str, name: str, compiler: Compiler) -> None: ...
    def __getattr__(self, name: str) -> _Function: ...
    def __getitem__(self, name: str) -> _Function: ...
    def __dir__(self) -> list[str]: ...

class Compiler:
    program: str
    options: list[str]
    def __init__(self, program: str | os.PathLike[str] | None = None, level: int = 3, cpu: str | None = "native",
                 threads: int = 1) -> None: ...

class IR(str):
    def _repr_html_(self) -> str: ...

class Plan:
    text: str
    svg: str
    def __init__(self, text: str, svg: str) -> None: ...
    def _repr_svg_(self) -> str: ...

class Error(Exception):
    diagnostics: list[dict[str, Any]]
    code: str | None
    message: str
    file: str | None
    line: int | None
    column: int | None
    help: str | None
    def __init__(self, text: str, diagnostics: Sequence[dict[str, Any]] = ()) -> None: ...

class CompilerNotFound(Error, FileNotFoundError): ...
class ShapeError(Error, ValueError): ...
class ArgumentError(Error, TypeError): ...
class UnknownFunction(Error, AttributeError): ...
class ToyWarning(UserWarning): ...

class RuntimeError(Error, builtins.RuntimeError, ArithmeticError):
    """A check that failed while a function ran."""

    function: str
    index: float | None
    size: float | None
    number: float | None

class IndexError(RuntimeError, builtins.IndexError): ...
class RecursionError(RuntimeError, builtins.RecursionError): ...
class MemoryError(RuntimeError, builtins.MemoryError): ...

def cache_folder() -> Path: ...
def load(path: str | os.PathLike[str], *, level: int = 3, cpu: str | None = "native", threads: int = 1,
         compiler: str | os.PathLike[str] | None = None) -> Module: ...
def loads(text: str, name: str = "program.toy", *, level: int = 3, cpu: str | None = "native", threads: int = 1,
          compiler: str | os.PathLike[str] | None = None) -> Module: ...
