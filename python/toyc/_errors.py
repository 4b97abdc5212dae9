"""What can go wrong: the compiler's diagnostics as exceptions.

Input: the objects that `toyc --error-format=json` prints. Output: an exception with the message as text
and the code, the place and the rest as attributes.
"""

import re

from . import _runtime


class Error(Exception):
    """The compiler refuses the program, or this use of it, or a function stops while it runs.

    `code`, `message`, `file`, `line`, `column` and `help` are those of the first error; `diagnostics` has
    all of them as dictionaries.
    """

    def __init__(self, text, diagnostics=()):
        super().__init__(text)
        self.diagnostics = list(diagnostics)
        first = self.diagnostics[0] if self.diagnostics else {}
        self.code, self.message, self.file = first.get("code"), first.get("message", text), first.get("file")
        span = primary(first)
        self.line, self.column = span.get("start_line"), span.get("start_column")
        self.help = (first.get("help") or {}).get("message")


class CompilerNotFound(Error, FileNotFoundError):
    """There is no toyc."""


class ShapeError(Error, ValueError):
    """The shapes of the arguments do not fit the program."""


class ArgumentError(Error, TypeError):
    """The function takes other arguments: another number of them, or a struct."""


class UnknownFunction(Error, AttributeError):
    """The program has no function of this name."""


# What a function raises that stops while it runs, by name.
FAILURES = _runtime.failures("toyc", Error)


class ToyWarning(UserWarning):
    """A warning of the compiler."""


def primary(diagnostic):
    spans = diagnostic.get("spans") or [{}]
    return next((span for span in spans if span.get("primary")), spans[0])


def shown(diagnostic):
    """A diagnostic as text: its place, code and message, then labels, notes and the help."""
    span = primary(diagnostic)
    place = f"{diagnostic['file']}:{span['start_line']}:{span['start_column']}: " if span else ""
    lines = [f"{place}{diagnostic['severity']}[{diagnostic['code']}]: {diagnostic['message']}"]
    for span in diagnostic.get("spans") or []:
        if span.get("label"):
            lines.append(f"  {diagnostic['file']}:{span['start_line']}:{span['start_column']}: {span['label']}")
    lines += [f"  note: {note.get('message', note) if isinstance(note, dict) else note}"
              for note in diagnostic.get("notes") or []]
    if diagnostic.get("help"):
        lines.append(f"  help: {diagnostic['help']['message']}")
    return "\n".join(lines)


def reworded(error, export):
    """The same error, which does not speak of an option that the caller has not written."""
    # A long one is shown in part.
    option = f"`--export '(?:{re.escape(export)}'|[^`]*…)`"

    def said(text):
        return re.sub(option, "this call", re.sub(f", exported by {option}|{option}: ", "", text))

    found = []
    for diagnostic in error.diagnostics:
        diagnostic = {**diagnostic, "message": said(diagnostic["message"])}
        diagnostic["notes"] = [{**note, "message": said(note["message"])} if isinstance(note, dict) else said(note)
                               for note in diagnostic.get("notes") or []]
        help = (diagnostic.get("help") or {}).get("message", "")
        if "--export" in help:
            diagnostic["help"] = {"message": "a struct is a tuple of its fields"} if "struct" in help else None
        found.append(diagnostic)
    return exception(found) if found else error


# What the caller did, by the compiler's code; what is not listed is the program's fault.
BY_CODE = {
    # Sizes of zero, and too large ones.
    "E0530": ShapeError,
    "E0532": ArgumentError,
}


def exception(diagnostics):
    """The exception for a failed run of the compiler."""
    errors = [found for found in diagnostics if found["severity"] == "error"] or diagnostics
    code = errors[0]["code"]
    kind = BY_CODE.get(code) or (ShapeError if code.startswith("E03") else Error)
    return kind("\n".join(map(shown, errors)), errors)
