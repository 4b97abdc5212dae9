"""Threads, forks, processes and the cache on disk."""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import unittest
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from support import PACKAGE, Case, numbers, toyc

CALL = "import sys, toyc, numpy; print(toyc.load(sys.argv[1]).f(numpy.ones((2, 3)), numpy.ones((3, 2))).sum())"


class Threads(Case):
    def test_one_compilation_for_all_threads(self):
        runs = self.counting_compiler()
        m = self.module()
        a, b = numbers(40, 50), numbers(50, 40, seed=1)
        start = threading.Barrier(8)

        def work(index):
            start.wait()
            for n in range(1, 5):
                found = m.scaled(numbers(n), index)
                np.testing.assert_array_equal(found, index * numbers(n))
            for _ in range(50):
                np.testing.assert_array_equal(m.f(a, b), a.T * b)

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(work, range(8)))
        self.assertEqual(runs(), 5)

    def test_other_threads_run_during_a_call(self):
        m = self.module()
        a = numbers(1500, 1500)
        m.f(a, a)
        with ThreadPoolExecutor(4) as pool:
            for found in pool.map(lambda _: m.f(a, a), range(8)):
                np.testing.assert_array_equal(found, a.T * a)


    def test_kernels_with_threads_of_their_own(self):
        m, plain = self.module(threads=2), self.module()
        a, b = numbers(600, 700), numbers(700, 600, seed=1)
        expected = plain.f(a, b)
        with ThreadPoolExecutor(4) as pool:
            for found in pool.map(lambda _: m.f(a, b), range(8)):
                np.testing.assert_array_equal(found, expected)
        child = os.fork()
        if child == 0:
            signal.alarm(60)
            os._exit(0 if (m.f(a, b) == expected).all() else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)


class Forks(Case):
    def test_calls_after_fork(self):
        m = self.module()
        np.testing.assert_array_equal(m.same(numbers(3)), numbers(3))
        context = multiprocessing.get_context("fork")

        def child(queue, index):
            # Compiled before the fork, and after it.
            queue.put((m.same(numbers(3)).sum(), m.scaled(numbers(4), index).sum()))

        queue = context.Queue()
        children = [context.Process(target=child, args=(queue, i)) for i in range(4)]
        for process in children:
            process.start()
        found = sorted(queue.get(timeout=120) for _ in children)
        for process in children:
            process.join()
        expected = sorted((numbers(3).sum(), (numbers(4) * i).sum()) for i in range(4))
        np.testing.assert_array_equal(found, expected)

    def test_fork_while_another_thread_compiles(self):
        m = self.module()
        lock = toyc._module.program(m).lock
        lock.acquire()
        child = os.fork()
        if child == 0:
            status = 1
            try:
                status = 0 if m.total(1, 2) == 3 else 2
            finally:
                os._exit(status)
        lock.release()
        _, status = os.waitpid(child, 0)
        self.assertEqual(status, 0)


class Cache(Case):
    def test_a_second_process_does_not_compile(self):
        runs = self.counting_compiler()
        path = self.file()
        for _ in range(3):
            self.assertEqual(self.python(CALL, path), "6.0\n")
        self.assertEqual(runs(), 1)
        self.assertEqual(len(self.cached()), 1)

    def test_the_key_has_program_options_and_shapes(self):
        runs = self.counting_compiler()
        a = numbers(2)
        for count, module in enumerate([self.module(), self.module("def same(a) { return a + a; }"),
                                        self.module(level=0)], start=1):
            module.same(a)
            self.assertEqual(runs(), count)
        np.testing.assert_array_equal(self.module("def same(a) { return a + a; }").same(a), 2 * a)
        self.assertEqual(runs(), 3)
        self.module().same(numbers(3))
        self.assertEqual(runs(), 4)
        # Another compiler.
        os.utime(self.folder / "counting-toyc", ns=(1, 1))
        self.module().same(a)
        self.assertEqual(runs(), 5)

    def test_processes_that_compile_at_a_time(self):
        path = self.file()
        environment = {**os.environ, "PYTHONPATH": str(PACKAGE)}
        processes = [subprocess.Popen([sys.executable, "-c", CALL, path], env=environment,
                                      stdout=subprocess.PIPE, text=True) for _ in range(6)]
        self.assertEqual([process.communicate(timeout=300)[0] for process in processes], ["6.0\n"] * 6)
        self.assertEqual(len(self.cached()), 1)
        self.assertTrue(self.cached()[0].endswith(".py"))

    def test_a_damaged_file_is_made_anew(self):
        a = numbers(2)
        self.module().same(a)
        file = self.folder / "cache" / "toyc" / self.cached()[0]
        good = file.read_text()
        first, rest = good.split("\n", 1)
        for damage in ["", good[:5000], "exit(", good.replace("f0VMR", "AAAAA"), rest, f"{first}\n{rest[:-1]}",
                       good.replace("AAAA", "AAAB", 1)]:
            file.write_text(damage)
            np.testing.assert_array_equal(self.module().same(a), a)
            self.assertEqual(file.read_text(), good)
        file.write_bytes(good.encode() + b"\xff")
        np.testing.assert_array_equal(self.module().same(a), a)
        self.assertEqual(file.read_text(), good)

    def test_a_cache_that_cannot_be_used(self):
        (self.folder / "file").touch()
        for cache in [str(self.folder / "file"), "/proc/nothing"]:
            self.environment("XDG_CACHE_HOME", cache)
            np.testing.assert_array_equal(self.module().same(numbers(2)), numbers(2))

    def test_code_of_others_is_not_run(self):
        folder = self.folder / "cache" / "toyc"
        folder.mkdir(parents=True)
        self.assertEqual(self.module().total(1, 2), 3)
        [name] = self.cached()
        (folder / name).write_text("raise SystemExit('foreign code')")
        folder.chmod(0o777)
        self.assertEqual(self.module().total(1, 2), 3)
        self.assertEqual((folder / name).read_text(), "raise SystemExit('foreign code')")

    def test_files_that_others_left_are_not_run(self):
        folder = self.folder / "cache" / "toyc"
        self.assertEqual(self.module().total(1, 2), 3)
        [name] = self.cached()
        file = folder / name
        good = file.read_text()
        # Another function in place of this one, under a sum that is right for its own name.
        np.testing.assert_array_equal(self.module().same([1.0]), [1.0])
        [other] = set(self.cached()) - {name}

        def open_to_others():
            file.chmod(0o666)

        def link():
            (folder / "elsewhere").write_text(good)
            file.unlink()
            file.symlink_to(folder / "elsewhere")

        def another_function():
            file.unlink()
            os.link(folder / other, file)

        def a_pipe():
            file.unlink()
            os.mkfifo(file)

        def of_another_user():
            os.chown(file, 12345, 12345)

        plants = [open_to_others, link, another_function, a_pipe]
        for plant in plants + [of_another_user] * (os.getuid() == 0):
            plant()
            before = os.lstat(file).st_ino
            self.assertEqual(self.module().total(1, 2), 3)
            # It was made anew.
            self.assertNotEqual(os.lstat(file).st_ino, before, plant)
            self.assertEqual(file.read_text(), good)
            self.assertEqual(file.lstat().st_mode & 0o777, 0o600)

    def test_relative_cache_folders_are_ignored(self):
        self.environment("XDG_CACHE_HOME", "relative")
        self.environment("HOME", str(self.folder))
        self.assertEqual(toyc.cache_folder(), self.folder / ".cache" / "toyc")


if __name__ == "__main__":
    unittest.main()
