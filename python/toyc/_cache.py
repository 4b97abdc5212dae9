"""The cache on disk: what the compiler made, by what it made it from.

Input: everything that decides about the output. Output: a file. Invariants: a file in the cache is
complete, because it is written under another name and renamed, by however many processes at a time, and
begins with a sum of its name and text; and nobody else can have written it, because it is code that will be run.
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
    """The text of a file of the cache; None if there is none, if it is damaged, or if it may be somebody else's."""
    try:
        if not is_ours(os.stat(file.parent)):
            return None
        # While the folder was open to others, they may have left files and links in it.
        with open(os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), encoding="utf-8", newline="") as opened:
            found = os.fstat(opened.fileno())
            if not is_ours(found) or not stat.S_ISREG(found.st_mode):
                return None
            sum, _, text = opened.read().partition("\n")
    except (OSError, UnicodeDecodeError):
        return None
    return text if sum == summed(file, text) else None


def summed(file, text):
    """The first line of a file with this text. A link to a file of another name has another sum."""
    return f"# {hashlib.sha256(f'{file.name} {text}'.encode()).hexdigest()}"


def write(file, text):
    """Puts a file into the cache. A cache that cannot be written is not an error: it is slower without."""
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not is_ours(os.stat(file.parent)):
            return
        handle, temporary = tempfile.mkstemp(dir=file.parent, suffix=".part")
        try:
            with open(handle, "w", encoding="utf-8", newline="") as out:
                out.write(f"{summed(file, text)}\n{text}")
            os.replace(temporary, file)
        except BaseException:
            os.unlink(temporary)
            raise
    except OSError:
        pass


def is_ours(found):
    """Whether nobody but this user can write into the folder or the file."""
    return found.st_uid == os.getuid() and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
