#!/usr/bin/env python3
"""Benchmark of the memory planner: peak / lower bound and CPU time per instance and planner.

    cargo build -p memory-planner --release
    bench/planner.py [--minimalloc DIR] [--large] [--million] [--only TEXT] [--planners NAMES]
                     [--work UNITS]

The instances are generated with fixed seeds; MiniMalloc's eleven are not part of this repository:
fetch the folder benchmarks/challenging of github.com/google/minimalloc and give it with
--minimalloc. They are planned as they are, and shuffled, and shuffled with time reversed, at the
capacity in their file names and without a capacity. OR-tools' CP-SAT takes part in instances of
up to 500 buffers where the Python package `ortools` is installed.

CPU seconds are the process's user and system time, reading and writing the file included. Every
plan is verified here, independently of the planner.
"""

import argparse
import csv
import os
import random
import resource
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PLANNER = os.path.join(ROOT, "target", "release", "memory-planner")
BASELINES = ["greedy-by-size", "first-fit", "best-fit", "chunk-size", "chunk-hot"]
PLANNERS = ["portfolio", "exact"] + BASELINES

try:
    from ortools.sat.python import cp_model
except ImportError:
    cp_model = None


# Instances: lists of (size, lower, upper).

def chain(count, seed):
    """Inference: each layer's output is read by the next, some by a later one."""
    rng = random.Random(seed)
    buffers = []
    for tick in range(count):
        size = 256 * rng.randint(1, 4096)
        reach = 2 if rng.random() < 0.9 else rng.randint(3, 12)
        buffers.append((size, tick, tick + reach))
    return buffers


def mirror(count, seed):
    """Training: what the forward pass keeps is freed by the backward pass in opposite order."""
    rng = random.Random(seed)
    half = count // 2
    buffers = []
    for tick in range(half):
        size = 256 * rng.randint(1, 4096)
        kept = rng.random() < 0.3
        buffers.append((size, tick, 2 * half - tick if kept else tick + 2))
        buffers.append((256 * rng.randint(1, 4096), 2 * half - tick - 1, 2 * half - tick + 1))
    return buffers


def heavy(count, seed):
    """Sizes and lifetimes with heavy tails: thousands live at once."""
    rng = random.Random(seed)
    buffers = []
    for _ in range(count):
        start = rng.randrange(count)
        life = min(count // 4, int(rng.paretovariate(0.9) * 20))
        size = min(1 << 24, int(64 * rng.paretovariate(1.1)))
        buffers.append((size, start, start + max(1, life)))
    return buffers


def guillotine(count, seed):
    """A rectangle cut up: the optimum is known, and there is no waste in it."""
    rng = random.Random(seed)
    pieces = [(0, 1_000_000, 1 << 20)]
    while len(pieces) < count:
        at = max(rng.sample(range(len(pieces)), min(3, len(pieces))),
                 key=lambda at: (pieces[at][1] - pieces[at][0]) * pieces[at][2])
        lower, upper, size = pieces[at]
        if rng.random() < 0.5 and upper - lower > 1:
            cut = rng.randrange(lower + 1, upper)
            pieces[at] = (lower, cut, size)
            pieces.append((cut, upper, size))
        elif size > 1:
            cut = rng.randrange(1, size)
            pieces[at] = (lower, upper, cut)
            pieces.append((lower, upper, size - cut))
    return [(size, lower, upper) for lower, upper, size in pieces]


def guillotine_with_holes(count, seed):
    """The same with a tenth removed: the rest fits into the rectangle, but not without waste."""
    pieces = shuffled(guillotine(count, seed), seed)
    return pieces[count // 10:]


def shuffled(buffers, seed):
    buffers = list(buffers)
    random.Random(seed).shuffle(buffers)
    return buffers


def reversed_in_time(buffers):
    end = max(upper for _, _, upper in buffers)
    return [(size, end - upper, end - lower) for size, lower, upper in buffers]


def minimalloc_files(folder):
    """Names like A.1048576.csv: the capacity is part of the name."""
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return []
    return [name for name in names
            if len(name.split(".")) == 3 and name.endswith(".csv") and name.split(".")[1].isdigit()]


def instances(options):
    """Yields (name, buffers, capacity or None)."""
    if options.minimalloc:
        for name in minimalloc_files(options.minimalloc):
            parts = name.split(".")
            with open(os.path.join(options.minimalloc, name), newline="") as file:
                rows = [(int(row["size"]), int(row["lower"]), int(row["upper"]))
                        for row in csv.DictReader(file)]
            capacity = int(parts[1])
            yield f"{parts[0]} at capacity", rows, capacity
            yield f"{parts[0]} shuffled", shuffled(rows, 1), capacity
            yield f"{parts[0]} reversed", shuffled(reversed_in_time(rows), 2), capacity
            yield f"{parts[0]} least", rows, None
    for count, seed in [(60, 1), (100, 2), (150, 3), (200, 4), (250, 5), (4_000, 6), (16_000, 7)]:
        yield f"guillotine {count}", guillotine(count, seed), None
    for seed in range(1, 7):
        yield f"guillotine 300, {seed}", guillotine(300, seed), 1 << 20
        yield f"guillotine 300 with holes, {seed}", guillotine_with_holes(300, seed), 1 << 20
    counts = [1_000, 10_000]
    counts += [100_000] if options.large or options.million else []
    counts += [1_000_000] if options.million else []
    for count in counts:
        for make in [chain, mirror, heavy]:
            yield f"{make.__name__} {count}", make(count, 1), None


def lower_bound(buffers):
    events = []
    for size, lower, upper in buffers:
        events.append((lower, size))
        events.append((upper, -size))
    events.sort()
    live = most = 0
    for _, size in events:
        live += size
        most = max(most, live)
    return most


def verify(buffers, offsets):
    """The peak; raises if two buffers share memory: a sweep over time, live ones by offset."""
    import bisect
    events = []
    for index, (_, lower, upper) in enumerate(buffers):
        events.append((lower, 1, index))
        events.append((upper, 0, index))
    events.sort()
    live = []
    for _, starts, index in events:
        entry = (offsets[index], index)
        at = bisect.bisect_left(live, entry)
        if not starts:
            del live[at]
            continue
        if at > 0 and live[at - 1][0] + buffers[live[at - 1][1]][0] > entry[0]:
            raise ValueError(f"{live[at - 1][1]} and {index} overlap")
        if at < len(live) and entry[0] + buffers[index][0] > live[at][0]:
            raise ValueError(f"{index} and {live[at][1]} overlap")
        live.insert(at, entry)
    return max((offset + size for offset, (size, _, _) in zip(offsets, buffers)), default=0)


def run(planner, path, buffers, capacity, work):
    """(peak, CPU seconds, status) of the command."""
    command = [PLANNER, "--planner", planner, path]
    if work is not None:
        command += ["--work", work]
    if capacity is not None and planner in ("portfolio", "exact"):
        command += ["--capacity", str(capacity)]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if done.returncode != 0:
        return None, seconds, done.stderr.strip().splitlines()[0] if done.stderr else "failed"
    lines = done.stdout.splitlines()
    offsets = [int(line.rsplit(",", 1)[1]) for line in lines[1:]]
    status = done.stderr.split(", ")[2]
    return verify(buffers, offsets), seconds, status


def cp_sat(buffers, capacity, limit):
    """OR-tools: rectangles that must not overlap, the least height."""
    model = cp_model.CpModel()
    top = capacity or sum(size for size, _, _ in buffers)
    peak = model.NewIntVar(lower_bound(buffers), top, "peak")
    times, spaces, starts = [], [], []
    for index, (size, lower, upper) in enumerate(buffers):
        start = model.NewIntVar(0, top - size, f"o{index}")
        starts.append(start)
        times.append(model.NewFixedSizeIntervalVar(lower, upper - lower, f"t{index}"))
        spaces.append(model.NewFixedSizeIntervalVar(start, size, f"s{index}"))
        model.Add(start + size <= peak)
    model.AddNoOverlap2D(times, spaces)
    if capacity is None:
        model.Minimize(peak)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 1
    before = time.process_time()
    done = threading.Event()

    # Its own limit is wall time, of which a busy machine gives only a part: stop at CPU time.
    def watch():
        while not done.wait(0.05):
            if time.process_time() - before >= limit:
                solver.StopSearch()

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        status = solver.Solve(model)
    finally:
        done.set()
        watcher.join()
    seconds = time.process_time() - before
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return None, seconds, f"{solver.StatusName(status).lower()} at the limit"
    if status == cp_model.OPTIMAL and capacity is None:
        return verify(buffers, [solver.Value(start) for start in starts]), seconds, "optimal"
    return verify(buffers, [solver.Value(start) for start in starts]), seconds, "found"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minimalloc", metavar="DIR", help="folder with MiniMalloc's CSV files")
    parser.add_argument("--large", action="store_true", help="100,000 buffers as well")
    parser.add_argument("--million", action="store_true", help="1,000,000 buffers as well")
    parser.add_argument("--only", metavar="TEXT", default="", help="instances with TEXT in the name")
    parser.add_argument("--planners", metavar="NAMES", default=",".join(["portfolio"] + BASELINES))
    parser.add_argument("--work", metavar="UNITS", help="the planner's budget")
    parser.add_argument("--cp-sat-seconds", type=float, default=20.0, help="of CPU time")
    options = parser.parse_args()
    names = options.planners.split(",")
    for name in names:
        if name not in PLANNERS:
            parser.error(f"there is no planner {name!r}; there are {', '.join(PLANNERS)}")
    if options.minimalloc and not minimalloc_files(options.minimalloc):
        parser.error(f"{options.minimalloc}: no folder with files such as A.1048576.csv")
    if not os.path.exists(PLANNER):
        sys.exit("build first: cargo build -p memory-planner --release")
    if cp_model is None:
        print("(ortools is not installed: no CP-SAT)\n")
    found = False
    print("| instance | n | lower bound | planner | peak | ratio | CPU s | status |")
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name, buffers, capacity in instances(options):
            if options.only not in name:
                continue
            found = True
            path = os.path.join(folder, "instance.csv")
            with open(path, "w", newline="") as file:
                file.write("id,lower,upper,size\n")
                for index, (size, lower, upper) in enumerate(buffers):
                    file.write(f"{index},{lower},{upper},{size}\n")
            bound = lower_bound(buffers)
            results = [(planner, *run(planner, path, buffers, capacity, options.work))
                       for planner in names]
            if cp_model is not None and len(buffers) <= 500:
                results.append(("CP-SAT", *cp_sat(buffers, capacity, options.cp_sat_seconds)))
            for planner, peak, seconds, status in results:
                ratio = f"{peak / bound:.4f}" if peak else "-"
                print(f"| {name} | {len(buffers)} | {bound} | {planner} | {peak or '-'} | {ratio}"
                      f" | {seconds:.3f} | {status} |", flush=True)
    if not found:
        hint = "" if options.minimalloc else "; MiniMalloc's need --minimalloc DIR"
        sys.exit(f"no instance has {options.only!r} in its name{hint}")


if __name__ == "__main__":
    main()
