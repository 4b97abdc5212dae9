#!/usr/bin/env python3
"""Makes the tutorial as a book: a PDF for paper, and an EPUB for readers of books.

    tools/book.py SITE NAME FOLDER

Input: a site with a page of everything, as `--book` of tutorial/site makes it; the name of the files. Output: NAME.pdf,
which Chromium prints, and NAME.epub, which pandoc makes, in the folder. It fails if the PDF lacks pages, or if a file or a
place that the EPUB refers to is not in it. The same input gives the same EPUB, and the same PDF
but for hundredths of a point in the letters of pictures, which Chromium scales anew: times are those of SOURCE_DATE_EPOCH.
"""

import base64
import os
import pathlib
import posixpath
import re
import subprocess
import sys
import tempfile
import time
import urllib.parse
import xml.etree.ElementTree
import zipfile

STYLE = """
pre { white-space: pre-wrap; overflow-wrap: anywhere; font-size: 0.8em; }
table { border-collapse: collapse; font-size: 0.9em; }
td, th { padding: 0.1em 0.5em; text-align: left; vertical-align: top; }
img, svg { max-width: 100%; height: auto; }
.figure { margin: 1em 0; padding: 0.5em; border: 1px solid; }
.off { visibility: hidden; }
.bar span { display: inline-block; box-sizing: border-box; text-align: center; }
.item { visibility: visible; border: 1px solid; }
"""


def main(site, name, folder):
    site, folder = pathlib.Path(site).resolve(), pathlib.Path(folder).resolve()
    date = time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"]))
    # Paper is light, without scripts, and answers of exercises are open.
    page = re.sub(r"<script.*?</script>", "", (site / "print.html").read_text(), flags=re.DOTALL)
    page = re.sub(r'<link [^>]*href="(tomorrow-night|ayu-highlight)\.css"[^>]*>', "", page)
    page = page.replace("<details>", '<details open="open">')
    (site / "paper.html").write_text(page)
    titles = re.findall("<h1 id=", page)
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        pdf(site / "paper.html", scratch / "book.pdf")
        printed = dated((scratch / "book.pdf").read_bytes(), date)
        pages = len(re.findall(rb"/Type\s*/Page\b", printed))
        assert pages > 3 * len(titles), f"the PDF has only {pages} pages"
        (folder / f"{name}.pdf").write_bytes(printed)

        (scratch / "body.html").write_text(body(page))
        epub(site, scratch)
        with zipfile.ZipFile(scratch / "book.epub") as made:
            files = {file: made.read(file) for file in made.namelist()}
        check(files, len(titles))
        with zipfile.ZipFile(folder / f"{name}.epub", "w") as packed:
            for file, data in files.items():
                info = zipfile.ZipInfo(file, date[:6])
                # The format wants its name first, and as it is.
                info.compress_type = zipfile.ZIP_STORED if file == "mimetype" else zipfile.ZIP_DEFLATED
                packed.writestr(info, data)
    print(f"{pages} pages, {len(titles)} chapters")


def pdf(page, file):
    """Prints the page, with an outline of its headings."""
    flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
    flags += ["--no-pdf-header-footer", "--generate-pdf-document-outline", f"--print-to-pdf={file}"]
    subprocess.run(["chromium", *flags, page.as_uri()], check=True, stderr=subprocess.DEVNULL)


def dated(data, date):
    """The same PDF, made at this time: as long as before, since a PDF has the places of its parts."""
    now = time.strftime("(D:%Y%m%d%H%M%S+00'00')", date).encode()
    return re.sub(rb"\(D:\d{14}\+00'00'\)", now, data)


def body(page):
    """The chapters alone, one after the other; pandoc makes a file of each."""
    text = re.search(r"<main>(.*)</main>", page, re.DOTALL)[1]
    text = re.sub(r'<div style="break-before: page;[^>]*></div>', "", text)
    # Of a figure, pandoc keeps the picture alone.
    text = re.sub(r'<figure class="touch [^"]*">(.*?)</figure>', r'<div class="figure">\1</div>', text, flags=re.DOTALL)
    text = re.sub(r"<(/?)figcaption>", r"<\1p>", text)
    # Pandoc's reader of HTML does not know that SVG has capital letters: drawings are pictures.
    text = re.sub(r"<svg.*?</svg>", lambda svg: picture(svg[0]), text, flags=re.DOTALL)
    return re.sub(r'<a class="header" [^>]*>(.*?)</a>', r"\1", text, flags=re.DOTALL)


def picture(svg):
    alt = xml.etree.ElementTree.fromstring(svg).get("aria-label")
    return f'<img alt="{alt}" src="data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}">'


def epub(site, scratch):
    (scratch / "style.css").write_text(STYLE)
    metadata = {"title": "toyc: a compiler with MLIR, in Rust", "lang": "en", "identifier": "toyc-tutorial"}
    metadata["date"] = time.strftime("%Y-%m-%d", time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"])))
    options = [f"--metadata={key}={value}" for key, value in metadata.items()]
    options += ["--from=html", "--to=epub3", "--toc", "--toc-depth=2", "--epub-chapter-level=1"]
    options += [f"--css={scratch}/style.css", f"--resource-path={site}", f"--output={scratch}/book.epub"]
    subprocess.run(["pandoc", f"{scratch}/body.html", *options], check=True)


def check(files, chapters):
    """Every chapter is a file, and whatever one refers to is there."""
    made = {file: xml.etree.ElementTree.fromstring(data) for file, data in files.items() if file.endswith(".xhtml")}
    ids = {file: {element.get("id") for element in tree.iter()} for file, tree in made.items()}
    found = [file for file in made if re.search(r"/ch\d+\.xhtml$", file)]
    assert len(found) >= chapters, f"{len(found)} files for {chapters} chapters"
    for file, tree in made.items():
        targets = (element.get(key) for element in tree.iter() for key in ("href", "src"))
        for target in filter(None, targets):
            if re.match(r"[a-z]+:", target):
                continue
            path, _, place = target.partition("#")
            path = posixpath.normpath(posixpath.join(posixpath.dirname(file), urllib.parse.unquote(path))) if path else file
            assert path in files, f"{file}: no {path}"
            assert not place or place in ids.get(path, ()), f"{file}: no place {target}"


main(*sys.argv[1:])
