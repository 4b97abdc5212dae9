"""The command toyc: where it is, which one it is, and how it is run.

Input: a program's text and options. Output: what the command writes, or its diagnostics as an exception.
"""

import difflib
import functools
import html
import json
import os
import platform
import re
import shutil
import subprocess
import tempfile
import warnings
from importlib import metadata
from pathlib import Path

from ._errors import CompilerNotFound, Error, ToyWarning, exception, shown

# What the options of a module may be.
LEVELS, THREADS = range(4), range(1, 256)


def find():
    """The path of toyc: $TOYC, the command of this package's wheel, the PATH, the repository that this file is in."""
    named = os.environ.get("TOYC")
    if named:
        found = shutil.which(named)
        if not found:
            raise CompilerNotFound(f"$TOYC is `{named}`, and there is no such program")
        return found
    found = installed() or shutil.which("toyc")
    if found:
        return found
    root = Path(__file__).resolve().parents[2]
    for profile in ["release", "debug"]:
        program = root / "target" / profile / "toyc"
        if os.access(program, os.X_OK):
            return str(program)
    raise CompilerNotFound("the compiler toyc is not found: the wheel of toyc has it; otherwise set TOYC to its path, "
                           "put it on the PATH, or run `cargo build --release` in its repository")


def installed():
    """The command that pip has installed with this package, if it was in its wheel."""
    site = Path(__file__).resolve().parents[1]
    listed = [file.locate() for package in metadata.distributions(name="toyc", path=[str(site)])
              for file in package.files or [] if file.name == "toyc"]
    # `pip install --target` puts it elsewhere than it says.
    programs = [program for program in [*listed, site / "bin" / "toyc"] if os.access(program, os.X_OK)]
    return next((os.path.realpath(program) for program in programs if os.path.isfile(program)), None)


class Compiler:
    """One toyc with the options of a module."""

    def __init__(self, program=None, level=3, cpu="native", threads=1):
        for name, value, allowed in [("level", level, LEVELS), ("threads", threads, THREADS)]:
            if isinstance(value, bool) or not hasattr(value, "__index__"):
                raise TypeError(f"`{name}` is {value!r}, and has to be a whole number")
            if value not in allowed:
                raise ValueError(f"`{name}` is {value}, and has to be from {allowed[0]} to {allowed[-1]}")
        if cpu is not None and not isinstance(cpu, str):
            raise TypeError(f"`cpu` is {cpu!r}, and has to be a name or None")
        self.program = str(program) if program else find()
        self.options = [f"-O{level}", *(["--cpu", cpu] if cpu else [])]
        if threads != 1:
            self.options += ["--threads", str(threads)]

    def key(self):
        """What decides about the output besides the program and the shapes."""
        file = os.stat(self.program)
        compiler = os.path.realpath(self.program), file.st_size, file.st_mtime_ns, version(self.program)
        return compiler, self.options, machine()

    def check_stage(self, stage):
        """Refuses what is not the name of a stage."""
        if not isinstance(stage, str):
            raise TypeError(f"a stage is a name, and not {stage!r}")
        known = stages(self.program)
        if known and stage not in known:
            near = difflib.get_close_matches(stage, known, 1)
            hint = f"; did you mean `{near[0]}`?" if near else ""
            raise Error(f"there is no stage `{stage}`{hint}\n  note: stages are `{'`, `'.join(known)}`")

    def run(self, name, text, *options, picture=None):
        """Standard output of a run on a program of this name and text, and the diagnostics.

        With the name of an option that writes a picture, the output is that file.
        """
        with tempfile.TemporaryDirectory(prefix="toyc-") as folder:
            # The compiler shows the name of its file; it is the text that was loaded, though, whatever
            # has become of that file. The folder is in no message: it is gone when a program stops with one.
            base = os.path.basename(name)
            path = base if base.endswith(".toy") else "program.toy"
            with open(os.path.join(folder, path), "w", encoding="utf-8", newline="") as file:
                file.write(text)
            program = os.path.abspath(self.program) if os.path.dirname(self.program) else self.program
            command = [program, "--error-format=json", *options]
            if picture:
                command += [picture, os.path.join(folder, "picture.svg")]
            try:
                done = subprocess.run([*command, "--", path], cwd=folder, stdin=subprocess.DEVNULL,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            except OSError as error:
                raise CompilerNotFound(f"cannot run `{self.program}`: {error}") from None
            found, rest = [], []
            for line in done.stderr.decode("utf-8", "replace").splitlines():
                try:
                    diagnostic = json.loads(line)
                    diagnostic["severity"]
                except (ValueError, TypeError, KeyError):
                    rest.append(line)
                    continue
                if diagnostic.get("file") == path:
                    diagnostic["file"] = name
                found.append(diagnostic)
            if done.returncode == 0 and picture:
                with open(command[-1], encoding="utf-8") as file:
                    return named(file.read(), html.escape(path), html.escape(name)), found
            if done.returncode == 0:
                try:
                    return named(done.stdout.decode(), path, name), found
                except UnicodeDecodeError:
                    raise Error(f"what `{options[-1]}` makes is not text") from None
            if not found:
                raise Error("\n".join(rest) or f"`{' '.join(command)}` ended with status {done.returncode}")
            raise exception(found)


def named(text, path, name):
    """The text with another name of the file."""
    return re.sub(rf"(?<![\w./-]){re.escape(path)}(?![\w./-])", lambda _: name, text) if path != name else text


def warn(found, level):
    """The compiler's warnings as Python's."""
    for diagnostic in found:
        if diagnostic["severity"] == "warning":
            warnings.warn(shown(diagnostic), ToyWarning, stacklevel=level + 1)


@functools.lru_cache(maxsize=None)
def version(program):
    done = subprocess.run([program, "--version"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, encoding="utf-8")
    if done.returncode != 0 or not done.stdout.startswith("toyc "):
        raise CompilerNotFound(f"`{program}` is not toyc")
    return done.stdout


@functools.lru_cache(maxsize=None)
def stages(program):
    """The names of the stages, from the help of the compiler."""
    done = subprocess.run([program, "--help"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, encoding="utf-8")
    _, _, text = done.stdout.partition("\nStages:\n")
    names = [line.split()[0] for line in text.partition("\n\n")[0].splitlines() if line.strip()]
    # Upstream's names.
    return [*names, "mlir", "mlir-affine"] if names else []


@functools.lru_cache(maxsize=None)
def machine():
    """This machine's processor: code for `native` runs on it, and perhaps on no other."""
    lines = set()
    try:
        with open("/proc/cpuinfo") as file:
            lines = {line.strip() for line in file
                     if line.split("\t")[0] in ("model name", "flags", "Features", "CPU part", "CPU implementer")}
    except OSError:
        pass
    return platform.system(), platform.machine(), platform.processor(), sorted(lines)
