#!/usr/bin/env python3
"""Writes the licenses of all that is linked into toyc, as one text.

    tools/licenses.py TARGET

Input: the graph of crates as cargo knows it, their sources, and the copyright files of Debian's packages and of Rust.
Output, on standard output: the parts with their licenses, then each text once, with the parts that it is for. A crate
without the text of its license has that of another crate of its repository, or of ours if it is Apache-2.0.
"""

import collections
import html
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# What is linked from Debian's packages, statically.
PACKAGES = ["llvm-22-dev", "libstdc++-{gcc}-dev", "libzstd-dev", "zlib1g-dev", "libffi-dev"]
NAMES = re.compile(r"(licen[cs]e|copying|notice|unlicense)", re.IGNORECASE)


def output(*command):
    return subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout


def crates(target):
    """The crates that are linked into toyc: neither build scripts nor what runs in the compiler."""
    graph = json.loads(output("cargo", "metadata", "--locked", "--format-version=1", f"--filter-platform={target}"))
    packages = {package["id"]: package for package in graph["packages"]}
    nodes = {node["id"]: node for node in graph["resolve"]["nodes"]}
    is_macro = lambda package: any("proc-macro" in target["kind"] for target in package["targets"])
    work = [next(package["id"] for package in graph["packages"] if package["name"] == "toyc")]
    found = set()
    while work:
        name = work.pop()
        if name in found or is_macro(packages[name]):
            continue
        found.add(name)
        work += [dependency["pkg"] for dependency in nodes[name]["deps"]
                 if any(kind["kind"] is None for kind in dependency["dep_kinds"])]
    return [package for name, package in packages.items() if name in found and package["source"]]


def texts_in(folder):
    """The license files of a source, those of libraries that it contains included."""
    files = (file for file in sorted(folder.rglob("*")) if NAMES.match(file.name) and file.suffix in
             ("", ".md", ".txt") + tuple(f".{word}" for word in "MIT APACHE BSL ZLIB".split()) and file.is_file())
    return [file.read_text(encoding="utf-8", errors="replace").strip() for file in files]


def main(target):
    parts, texts, missing = [], collections.defaultdict(list), []
    linked = sorted(crates(target), key=lambda package: (package["name"], package["version"]))
    siblings = collections.defaultdict(list)
    for package in linked:
        siblings[package["repository"]] += texts_in(pathlib.Path(package["manifest_path"]).parent)
    for package in linked:
        part = f"{package['name']} {package['version']}"
        parts.append(f"{part}: {package['license'] or 'see its text'}")
        own = texts_in(pathlib.Path(package["manifest_path"]).parent) or siblings[package["repository"]]
        if not own and "Apache-2.0" in package["license"]:
            own = [(ROOT / "LICENSE").read_text().strip()]
        if not own:
            missing.append(part)
        for text in dict.fromkeys(own):
            texts[text].append(part)
    gcc = output("gcc", "-dumpversion").split(".")[0].strip()
    for package in PACKAGES:
        package = package.format(gcc=gcc)
        version = output("dpkg-query", "-W", "-f", "${Version}", package)
        parts.append(f"{package} {version}, of Debian: see its text")
        texts[pathlib.Path(f"/usr/share/doc/{package}/copyright").read_text().strip()].append(package)
    rust = pathlib.Path(output("rustc", "--print", "sysroot").strip()) / "share/doc/rust/COPYRIGHT-library.html"
    parts.append("the standard library of Rust: see its text")
    texts[html.unescape(re.sub("<[^>]*>", "", rust.read_text())).strip()].append("the standard library of Rust")
    parts.append("CodeMirror: MIT")
    for text in texts_in(ROOT / "toyc/src/serve/editor"):
        texts[text].append("CodeMirror")
    if missing:
        sys.exit(f"licenses.py: no text of a license in {', '.join(missing)}")
    print("toyc is linked with these parts:\n")
    print("".join(f"  {part}\n" for part in parts))
    for text, owners in texts.items():
        print(f"{'=' * 100}\n{', '.join(owners)}\n{'=' * 100}\n\n{text}\n")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
