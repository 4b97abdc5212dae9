"""The cache on disk: what the compiler made, by what it made it from.

Input: everything that decides about the output. Output: a file. Invariants: a file in the cache is
complete, because it is written under another name and renamed, by however many processes at a time; and
nobody else can have written it, because it is code that will be run.
"""

import hashlib
import os
import stat
import tempfile
from pathlib import Path


def folder():
    """The folder of the cache: `$XDG_CACHE_HOME/toyc`, or `~/.cache/toyc`. Delete it whenever you like."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    # Relative paths are to be ignored, says the specification.
    return (Path(base) if os.path.isabs(base) else Path.home() / ".cache") / "toyc"


def path(key):
    """The file for a key: any values whose `repr` says all about them."""
    return folder() / (hashlib.sha256(repr(key).encode()).hexdigest()[:40] + ".py")


def read(file):
    """The text of a file of the cache, or None."""
    try:
        return file.read_text(encoding="utf-8") if is_ours(file.parent) else None
    except (OSError, UnicodeDecodeError):
        return None


def write(file, text):
    """Puts a file into the cache. A cache that cannot be written is not an error: it is slower without."""
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not is_ours(file.parent):
            return
        handle, temporary = tempfile.mkstemp(dir=file.parent, suffix=".part")
        try:
            with open(handle, "w", encoding="utf-8") as out:
                out.write(text)
            os.replace(temporary, file)
        except BaseException:
            os.unlink(temporary)
            raise
    except OSError:
        pass


def is_ours(folder):
    """Whether nobody but this user can write into the folder."""
    found = folder.stat()
    return found.st_uid == os.getuid() and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
