"""The compiler that a bench measures."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def built(given):
    """The given file, or without one, the compiler of a release build of this repository."""
    if given is not None:
        return given
    subprocess.run(["cargo", "build", "--release", "--quiet"], cwd=ROOT, check=True)
    return ROOT / "target/release/toyc"
