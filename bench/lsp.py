#!/usr/bin/env python3
"""The time of a keystroke in an editor, in a program of 2,000 lines.

    python3 bench/lsp.py [--toyc PATH] [--keys N]

Starts `toyc lsp`, opens the program, and types: each key is a change, after which the diagnostics and a hover are
waited for. Prints the median of that, the time until the shapes of a new program are known, and both as ratios to
`toyc check` of the same file.
"""

import argparse
import json
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
URI = "file:///tmp/large.toy"


def program():
    lines = []
    for function in range(160):
        lines.append(f"def f{function}(a, b) {{")
        lines += [f"  var x{i} = a * b + transpose(transpose(a)) - {i};" for i in range(8)]
        lines += ["  return x0 + x1 + x2 + x3 + x4 + x5 + x6 + x7;", "}", ""]
    lines.append("def main() {")
    lines += [f"  print(f{i}([[1, 2], [3, 4]], [[5, 6], [7, 8]]));" for i in range(160)]
    return "\n".join(lines + ["}", ""])


class Server:
    def __init__(self, toyc):
        self.process = subprocess.Popen([toyc, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.request("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
        self.version = 0

    def send(self, **message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def receive(self):
        length = 0
        while (line := self.process.stdout.readline().strip()):
            length = int(line.split()[1])
        return json.loads(self.process.stdout.read(length))

    def request(self, method, params):
        self.send(id=1, method=method, params=params)
        while (message := self.receive()).get("id") != 1:
            pass
        return message["result"]

    def open(self, text):
        document = {"uri": URI, "languageId": "toy", "version": 0, "text": text}
        self.send(method="textDocument/didOpen", params={"textDocument": document})

    def type(self, line, column, text):
        """Returns after the diagnostics of the new text."""
        self.version += 1
        place = {"line": line, "character": column}
        change = {"range": {"start": place, "end": place}, "text": text}
        document = {"uri": URI, "version": self.version}
        self.send(method="textDocument/didChange",
                  params={"textDocument": document, "contentChanges": [change]})
        while self.receive().get("params", {}).get("version") != self.version:
            pass

    def hover(self, line, column):
        position = {"line": line, "character": column}
        return self.request("textDocument/hover",
                            {"textDocument": {"uri": URI}, "position": position})


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--toyc", type=Path, default=ROOT / "target/release/toyc")
    arguments.add_argument("--keys", type=int, default=50)
    arguments = arguments.parse_args()
    toyc, text = arguments.toyc.resolve(), program()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "large.toy"
        file.write_text(text)
        check = median(lambda: subprocess.run([toyc, "check", file], check=True), 10)
    server = Server(toyc)
    server.open(text)

    def known():
        while "2x2" not in json.dumps(server.hover(1, 6)):
            time.sleep(0.001)

    start = time.perf_counter()
    known()
    shapes = time.perf_counter() - start

    def key():
        server.type(1, 6, "y")
        server.hover(2, 6)

    keys = []
    for _ in range(arguments.keys):
        start = time.perf_counter()
        key()
        keys.append(time.perf_counter() - start)
    server.process.kill()
    lines = text.count("\n")
    print(f"{lines} lines; `toyc check` takes {check * 1000:.0f} ms")
    keystroke = statistics.median(keys)
    print(f"a keystroke       {keystroke * 1000:6.1f} ms  {keystroke / check:.2f} of a check"
          f"  (the slowest: {max(keys) * 1000:.1f} ms)")
    print(f"shapes are known  {shapes * 1000:6.1f} ms  {shapes / check:.2f} of a check")


def median(work, count):
    times = []
    for _ in range(count):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


if __name__ == "__main__":
    main()
