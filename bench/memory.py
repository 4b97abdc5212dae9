#!/usr/bin/env python3
"""Prints how much memory compiled programs allocate, with merge-alloc and without.

    python3 bench/memory.py [--toyc PATH] [PROGRAM.toy ...]

Without programs it takes all of examples/ and tests/programs/, whose tensors are mostly smaller
than a cache line, and some of its own: with larger tensors, with many that are a little larger than
a cache line, with large values that are computed twice and parameters that nothing reads. Without --toyc it builds and takes
target/release/toyc. Each program is compiled with -opt twice, with merge-alloc doing nothing and as
usual, and run with a library before libc's that counts what the program itself asks malloc for. The
columns:

  allocs       calls of malloc and aligned_alloc (of the temporaries; nothing else in a Toy program
               calls them)
  heap         the most bytes in use at once, as asked for: multiples of the alignment, which is 16
               at least
  stack        the bytes that all functions have on the stack for variables in memory (`alloca` in the
               optimized LLVM IR): merged allocations, if they are small and LLVM has not turned them
               into registers, and what is passed to the printing function
  plan         the bytes of main's merged allocation, on the heap or on the stack
  bound        the most bytes of buffers that are in use at one tick, in the whole call tree; no plan
               takes less. Small buffers with an allocation of their own LLVM sometimes turns into
               registers, and asks malloc for less

The exit status is 1 if a limit is exceeded: merging lets no program's heap grow, and lets heap and
stack of all programs together shrink; and a program of its own needs no more heap than is said with it.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from math import prod
from pathlib import Path

from compiler import ROOT, built

COUNTER = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

extern void *__libc_malloc(size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

/* What the program has asked for and not given back, by address. */
enum { SLOTS = 1 << 22 };
static struct { uintptr_t at; size_t size; } slots[SLOTS];
static size_t count, live, peak;

static int is_program(void *caller) {
  static char *program;
  extern char *program_invocation_name;
  Dl_info info;
  if (!dladdr(caller, &info)) return 0;
  if (!program) program = program_invocation_name;
  return info.dli_fname == program || !*info.dli_fname ||
         __builtin_strcmp(info.dli_fname, program) == 0;
}

static size_t slot(uintptr_t at) {
  size_t i = (at >> 4) * 0x9e3779b97f4a7c15u >> 42;
  while (slots[i].at && slots[i].at != at) i = (i + 1) % SLOTS;
  return i;
}

static void note(void *memory, size_t size) {
  size_t i = slot((uintptr_t)memory);
  slots[i].at = (uintptr_t)memory;
  slots[i].size = size;
  count++;
  live += size;
  if (live > peak) peak = live;
}

void *malloc(size_t size) {
  void *memory = __libc_malloc(size);
  if (memory && is_program(__builtin_return_address(0))) note(memory, size);
  return memory;
}

void *aligned_alloc(size_t alignment, size_t size) {
  void *memory = __libc_memalign(alignment, size);
  if (memory && is_program(__builtin_return_address(0))) note(memory, size);
  return memory;
}

void free(void *memory) {
  if (memory) {
    size_t i = slot((uintptr_t)memory);
    live -= slots[i].size;
    slots[i].size = 0;
  }
  __libc_free(memory);
}

__attribute__((destructor)) static void report(void) {
  char *path = getenv("TOYC_MEMORY");
  FILE *file = path ? fopen(path, "w") : NULL;
  if (file) {
    fprintf(file, "%zu %zu %zu\n", count, peak, live);
    fclose(file);
  }
}
"""

LAYERS = """
def norm(a) { var b = transpose(a); return a * b + transpose(b * transpose(a * a)); }
def layer(a) { var x = norm(a); var y = norm(transpose(x)); return x * a + transpose(y); }
def pair(a, b) { var c = layer(a); var d = layer(b); return c + transpose(d); }
def main() {
  var a = %s;
  var b = layer(a);
  var c = pair(a, b);
  var d = pair(b, c);
  print(pair(c, layer(d)) + transpose(a));
}
"""

SMALL = """
def main() {
  var a = [[1, 2, 3], [4, 5, 6], [7, 8, 9]];
  var t0 = transpose(a);
%s%s}
"""

TWICE = """
def main() {
  var a<64, 64> = %s;
%s}
"""

UNREAD = """
def second(a, b) { return b; }
def first(a, b) { return second(b, a); }
def main() {
  var a<64, 64> = %s;
  var x = a * a;
  var y = x + transpose(a);
  print(first(x, y * transpose(y)));
  print(first(a, y));
}
"""


def own_programs():
    """The name of each, its text, and the most bytes of heap that it may need."""
    tensor = 64 * 64 * 8
    rows = [[(i * 7 + j * 3) % 10 / 100 for j in range(64)] for i in range(64)]
    yield "layers_64x64", LAYERS % rows, 6 * tensor
    variables = "".join(f"  var t{i} = transpose(t{i - 1} * a);\n" for i in range(1, 61))
    prints = "".join(f"  print(t{i});\n" for i in reversed(range(61)))
    # 60 tensors of 72 bytes; malloc gives multiples of 16.
    yield "small_3x3", SMALL % (variables, prints), 60 * 80
    flat = sum(rows, [])
    products = "".join(f"  print(a * {i} * transpose(a));\n" for i in range(2, 42))
    yield "twice_64x64", TWICE % (flat, 2 * products), 2 * tensor
    yield "unread_64x64", UNREAD % flat, tensor


OFF = "--merge-alloc=call-trees=false stack=0 min-allocs=1000000000"
PLAN = "--merge-alloc=plan-only min-allocs=1"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--toyc", type=Path, help="measure this compiler")
    parser.add_argument("programs", type=Path, nargs="*")
    arguments = parser.parse_args()
    toyc = built(arguments.toyc)
    if not toyc.is_file():
        parser.error(f"there is no compiler {toyc}")
    folders = [ROOT / "examples", ROOT / "tests/programs"]
    programs = arguments.programs or [p for f in folders for p in sorted(f.glob("*.toy"))]
    with tempfile.TemporaryDirectory() as folder:
        limits = {}
        if not arguments.programs:
            for name, text, limit in own_programs():
                programs.append(Path(folder) / f"{name}.toy")
                programs[-1].write_text(text)
                limits[name] = limit
        table(toyc.resolve(), programs, limits, Path(folder), is_chosen=bool(arguments.programs))


def table(toyc, programs, limits, folder, is_chosen):
    counter = folder / "counter.so"
    (folder / "counter.c").write_text(COUNTER)
    build = ["cc", "-O1", "-shared", "-fPIC", "-o", counter, folder / "counter.c", "-ldl"]
    subprocess.run(build, check=True)
    columns = f"{'heap':>17} {'stack':>14} {'plan':>7} {'bound':>7}"
    print(f"{'program':36} {'allocs':>10} {columns}")
    none, worse, sums = 0, [], [[0, 0], [0, 0]]
    for program in programs:
        before = measure(toyc, program, [OFF], counter, folder)
        if before is None:
            # Some of the tests' programs are not valid, and are not to be.
            if is_chosen:
                sys.exit(f"{program} cannot be compiled:\n{run([toyc, program, '-emit=obj', '-o', '/dev/null']).stderr}")
            continue
        if before[0] == 0:
            none += 1
            continue
        after = measure(toyc, program, [], counter, folder)
        merged = run([toyc, "-opt", "-emit=merged", program]).stdout
        allocations = re.findall(r"memref\.alloca?\(\).*: (memref<.*>)$", body(merged), re.M)
        plan = sum(map(size, allocations))
        bound = lower_bound(run([toyc, "-opt", "-emit=merged", PLAN, program]).stdout)
        allocs, heap, stack = (f"{old} -> {new}" for old, new in zip(before, after))
        columns = f"{heap:>17} {stack:>14} {plan:>7} {bound:>7}"
        print(f"{program.stem:36} {allocs:>10} {columns}")
        if after[1] > before[1]:
            worse.append(f"{program.stem}: the heap grows from {before[1]} to {after[1]} bytes")
        if after[1] > limits.get(program.stem, after[1]):
            limit = limits[program.stem]
            worse.append(f"{program.stem}: {after[1]} bytes of heap, and the limit is {limit}")
        for sum_, measured in zip(sums, (before, after)):
            sum_[0] += measured[1]
            sum_[1] += measured[2]
    print(f"{none} programs allocate nothing.")
    (heap_before, stack_before), (heap, stack) = sums
    print(f"in all: heap {heap_before} -> {heap}, stack {stack_before} -> {stack} bytes")
    if heap + stack > heap_before + stack_before:
        worse.append("heap and stack of all programs together grow")
    if worse:
        sys.exit("\n".join(worse))


def measure(toyc, program, options, counter, folder):
    """(allocations, peak bytes, bytes on the stack) of a program; None if it is not valid."""
    executable, report = folder / "program", folder / "report"
    if run([toyc, "-opt", *options, program, "-o", executable]).returncode != 0:
        return None
    environment = {"LD_PRELOAD": str(counter), "TOYC_MEMORY": str(report)}
    subprocess.run([executable], env=environment, stdout=subprocess.DEVNULL, check=True)
    count, peak, leaked = map(int, report.read_text().split())
    if leaked:
        sys.exit(f"{program} leaks {leaked} bytes")
    text = run([toyc, "-opt", "-emit=llvm", *options, program]).stdout
    return count, peak, sum(map(llvm_size, re.findall(r"= alloca (.*?), align", text)))


def llvm_size(text):
    """The bytes of a variable of LLVM IR, by its type; all parts of structs here are 8 bytes wide."""
    if array := re.fullmatch(r"\[(\d+) x (.*)\]", text):
        return int(array[1]) * llvm_size(array[2])
    if vector := re.fullmatch(r"<(\d+) x (\w+)>", text):
        return int(vector[1]) * llvm_size(vector[2])
    if struct := re.fullmatch(r"\{ (.*) \}", text):
        return sum(map(llvm_size, re.split(r", (?![^\[]*\])", struct[1])))
    return {"i8": 1, "i32": 4, "i64": 8, "double": 8, "ptr": 8}[text]


def run(command):
    return subprocess.run(command, capture_output=True, text=True)


def size(text):
    """The bytes of a buffer; Toy has numbers of 8 bytes only."""
    *sizes, element = re.fullmatch(r"memref<(.*)>", text)[1].split("x")
    return prod(map(int, sizes)) * {"f64": 8, "i8": 1}[element]


def body(module, name="main"):
    """The text of a function."""
    start = re.search(rf"^  func\.func (private )?@{re.escape(name)}\(", module, re.M)
    return module[start.end() : module.index("\n  }", start.end())]


ALLOCATION = re.compile(
    r"memref\.alloc\(\).*merge_alloc\.lifetime = array<i64: \d+, (\d+), (\d+)>.* : (memref<.*>)$"
)
CALL = re.compile(r"call @(\S+)\(.*merge_alloc\.lifetime = array<i64: \d+, (\d+), (\d+)>")


def lower_bound(module):
    """The most bytes in use at once in main and what it calls, by the lifetimes in its text."""
    functions = {}
    for part in re.split(r"^  func\.func ", module, flags=re.M)[1:]:
        name = re.match(r"(?:private )?@(\S+?)\(", part)[1]
        lines = part.splitlines()
        own = [match.groups() for line in lines if (match := ALLOCATION.search(line))]
        calls = [match.groups() for line in lines if (match := CALL.search(line))]
        functions[name] = (own, calls)
    bounds = {}
    pending = ["main"]
    while pending:
        own, calls = functions[pending[-1]]
        missing = [callee for callee, _, _ in calls if callee not in bounds]
        if missing:
            pending.append(missing[0])
            continue
        buffers = [(int(first), int(last), size(text)) for first, last, text in own]
        buffers += [(int(first), int(last), bounds[callee]) for callee, first, last in calls]
        changes = sorted(
            [(first, bytes) for first, _, bytes in buffers]
            + [(last + 1, -bytes) for _, last, bytes in buffers]
        )
        load = most = 0
        for _, change in changes:
            load += change
            most = max(most, load)
        bounds[pending.pop()] = most
    return bounds["main"]


if __name__ == "__main__":
    main()
