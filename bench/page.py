#!/usr/bin/env python3
"""Measures what a page about a compilation costs, and how soon a page's program prints; fails if a limit is exceeded.

    python3 bench/page.py [--toyc PATH]

Without --toyc it builds and measures target/release/toyc. The program has 300 functions and more than 2,100
lines. All figures are ratios of CPU time of the same compiler with and without, in turns, so that other load on the
machine is in both. Such load only adds to a time, so the least of many counts. And the size of the page.

In Chromium, if it is installed, it also measures the time from the start of a program in a page to its first output, in a
worker that is prepared, as one is wherever a program can be seen, and in a new one. Both are compared, as medians, with a
new worker that has an empty script and instantiates an empty module.
"""

import argparse
import base64
import http.server
import json
import os
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from compiler import ROOT, built

FUNCTIONS = 300
RUNS = 15

# With a page, of the time without; the plan, of the time of the stages that make it.
PAGE_LIMIT = 1.3
PLAN_LIMIT = 1.2
SIZE_LIMIT = 3_000_000

# A program's first output in a prepared worker, of an empty worker's start.
START_LIMIT = 1.0
STARTS = 40

PAGE = """<!doctype html><script>RUNNER</script><script>
const pause = () => new Promise((resolve) => setTimeout(resolve, 100));
const since = async (work) => {
  const start = performance.now();
  await new Promise(work);
  return performance.now() - start;
};
const first = (module) => (resolve) => runWasm(module, { host, onOutput: resolve });
const host = HOST;
const worker = 'onmessage = async ({ data }) => { await WebAssembly.instantiate(data); postMessage(0); };';
(async () => {
  const module = await WebAssembly.compile(Uint8Array.from(atob('MODULE'), (one) => one.charCodeAt(0)));
  const nothing = await WebAssembly.compile(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]));
  const url = URL.createObjectURL(new Blob([worker], { type: 'text/javascript' }));
  const times = { prepared: [], new: [], empty: [] };
  for (let i = 0; i < STARTS; i++) {
    prepareWasm(host);
    await pause();
    times.prepared.push(await since(first(module)));
    await pause();
    times.new.push(await since(first(module)));
    await pause();
    times.empty.push(await since((resolve) => {
      const one = new Worker(url);
      one.onmessage = () => {
        one.terminate();
        resolve();
      };
      one.postMessage(nothing);
    }));
  }
  fetch('/', { method: 'POST', body: JSON.stringify(times) });
})();
</script>"""


def program():
    """No two functions are alike, and the result depends on all of them."""
    lines = [f"# A program of {FUNCTIONS} functions."]
    for i in range(FUNCTIONS - 1):
        last = f"exp(d) - d / {i + 2}" if i % 3 else f"d * d - d / {i + 2}"
        lines += [
            f"def f{i}(a, b) {{",
            f"  var c = transpose(a) * {i + 1};",
            f"  var d = c @ b + {i % 7};",
            f"  var e = {last};",
            "  return e;",
            "}",
            "",
        ]
    lines += ["def main() {", "  var a = [[1, 2, 3, 4], [5, 6, 7, 8], [9, 1, 2, 3]];",
              "  var b = [[1, 2], [3, 4], [5, 6]];", "  var s = transpose(a) @ b;"]
    lines += [f"  s = s + f{i}(a, b);" for i in range(FUNCTIONS - 1)]
    return "\n".join(lines + ["  print(s);", "}", ""])


def seconds(command, folder):
    """CPU seconds of a run."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def ratio(what, command, bases, folder):
    """The CPU time of a command, of that of some others together."""
    pairs = [(seconds(command, folder), sum(seconds(base, folder) for base in bases)) for _ in range(RUNS)]
    one, other = [min(times) for times in zip(*pairs)]
    print(f"{what}: {one:.2f} s, without {other:.2f} s")
    return one / other


def starts(toyc, chromium, folder):
    """The medians of the times to the first output in milliseconds, by kind of worker."""
    hello = ROOT / "examples/hello.toy"
    subprocess.run([toyc, hello, "-O2", "--target", "wasm32", "-o", "hello.wasm"], cwd=folder, check=True)
    module = base64.b64encode(Path(folder, "hello.wasm").read_bytes()).decode()
    host = json.dumps(Path(folder, "hello.mjs").read_text()).replace("</", "<\\/")
    page = PAGE.replace("STARTS", str(STARTS)).replace("MODULE", module).replace("HOST", host)
    page = page.replace("RUNNER", (ROOT / "crates/toy-report/src/page/run.js").read_text())
    found = {}

    class Handler(http.server.BaseHTTPRequestHandler):
        """Hands out the page, and takes its times."""

        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(page.encode())

        def do_POST(self):
            found.update(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_):
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as server:
        server.timeout = 120
        command = [chromium, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                   f"--user-data-dir={folder}/profile", f"http://127.0.0.1:{server.server_port}/"]
        browser = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            while not found and browser.poll() is None:
                server.handle_request()
        finally:
            os.killpg(browser.pid, signal.SIGKILL)
            browser.wait()
    return {kind: statistics.median(times) for kind, times in found.items()}


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--toyc", type=Path, help="measure this compiler")
    toyc = built(arguments.parse_args().toyc)
    toyc = str(toyc.resolve())
    exceeded = []

    def check(what, value, limit, form="{:.2f}"):
        mark = "" if value <= limit else " !"
        print(f"{what}: {form.format(value)} (limit {form.format(limit)}){mark}")
        if mark:
            exceeded.append(what)

    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "p.toy").write_text(program())
        for level in ["-O0", "-O2"]:
            make = [toyc, "p.toy", level, "-o", "p"]
            page = ratio(f"{level} with a page", [*make, "--report=p.html"], [make], folder)
            check(f"{level} with a page, ratio", page, PAGE_LIMIT)
            size = Path(folder, "p.html").stat().st_size
            check(f"{level} bytes of the page", size, SIZE_LIMIT, "{:,}")
            # Without optimization, the plan is that of another compilation, at -O1.
            merged = [[toyc, "p.toy", one, "-emit=merged"] for one in ([level, "-O1"] if level == "-O0" else [level])]
            plan = ratio(f"{level} plan", [toyc, "p.toy", level, "-emit=memory-plan"], merged, folder)
            check(f"{level} plan, ratio", plan, PLAN_LIMIT)
        chromium = shutil.which("chromium")
        if chromium is None:
            print("starts of programs are not measured: there is no chromium")
        else:
            times = starts(toyc, chromium, folder)
            print("first output: " + ", ".join(f"{kind} worker {time:.1f} ms" for kind, time in times.items()))
            check("first output in a prepared worker, of an empty one's start", times["prepared"] / times["empty"], START_LIMIT)
    if exceeded:
        sys.exit("exceeded limits: " + ", ".join(exceeded))


if __name__ == "__main__":
    main()
