#!/usr/bin/env python3
"""Makes the wheel of toyc: the Python module and the command in one, as `pip install ruff` brings ruff.

    tools/wheel.py MODULE.whl COMMAND PLATFORM FOLDER [LICENSE...]

Input: the wheel of the module alone, which setuptools makes; the command; the tag of the machines that it runs on, such as
`manylinux_2_36_x86_64`; license files. Output: the wheel in the folder. The same input gives the same bytes: times are
those of SOURCE_DATE_EPOCH. Nothing depends on Python's ABI, and pip puts the command beside `python`.
"""

import base64
import hashlib
import os
import pathlib
import sys
import time
import zipfile


def main(module, command, platform, folder, *licenses):
    with zipfile.ZipFile(module) as wheel:
        files = {name: wheel.read(name) for name in wheel.namelist()}
    info = next(name for name in files if name.endswith(".dist-info/RECORD")).removesuffix("RECORD")
    package = info.removesuffix(".dist-info/")
    del files[info + "RECORD"]
    files[f"{package}.data/scripts/toyc"] = pathlib.Path(command).read_bytes()
    for file in licenses:
        files[f"{info}licenses/{os.path.basename(file)}"] = pathlib.Path(file).read_bytes()
    about = files[info + "WHEEL"].decode()
    changed = about.replace("Root-Is-Purelib: true", "Root-Is-Purelib: false")
    changed = changed.replace("Tag: py3-none-any", f"Tag: py3-none-{platform}")
    assert changed.count(platform) == 1 and "false" in changed, about
    files[info + "WHEEL"] = changed.encode()

    def row(name, data):
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        return f"{name},sha256={digest},{len(data)}\n"

    files[info + "RECORD"] = "".join([*(row(*file) for file in files.items()), f"{info}RECORD,,\n"]).encode()
    date = time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"]))[:6]
    path = pathlib.Path(folder) / f"{package}-py3-none-{platform}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, date)
            entry.external_attr = (0o100755 if "/scripts/" in name else 0o100644) << 16
            wheel.writestr(entry, data, zipfile.ZIP_DEFLATED, 9)
    print(path)


if __name__ == "__main__":
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
