# SPDX-License-Identifier: BSD-3-Clause
"""Starting ranks, and ending them: nothing is left."""

import functools
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import unittest
import unittest.mock

import collectives as coll
import numpy as np


def rank_and_process(comm, factor=1):
    return comm.rank * factor, os.getpid(), int(comm.all_reduce(np.array(1)))


def script(text):
    file = tempfile.NamedTemporaryFile("w", suffix=".py")
    file.write(textwrap.dedent(text))
    file.flush()
    return file


def python(*arguments, **how):
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, timeout=30,
                          **how)


class Starting(unittest.TestCase):
    def setUp(self):
        self.descriptors = len(os.listdir("/proc/self/fd"))

    def tearDown(self):
        self.assertEqual(len(os.listdir("/proc/self/fd")), self.descriptors)
        with self.assertRaises(ChildProcessError):
            os.waitpid(-1, os.WNOHANG)

    def test_no_file_has_a_name(self):
        def f(comm):
            comm.empty(1000)
            comm.all_reduce(np.ones(100_000))
            with open("/proc/self/maps") as maps:
                shared = [line.split() for line in maps if line.split()[1] == "rw-s"]
            self.assertTrue(shared)
            self.assertTrue(all(words[5].startswith("/memfd:") for words in shared), shared)

        coll.run(2, f)

    def test_results_by_rank(self):
        self.assertEqual(coll.run(3, lambda comm: comm.rank), [0, 1, 2])
        self.assertEqual(coll.run(2, lambda comm, a, b: a + b + comm.rank, 3, 4), [7, 8])

    def test_large_results(self):
        for size, x in zip((2, 2), coll.run(2, lambda comm: np.full(5_000_000, comm.rank))):
            self.assertEqual(x.size, 5_000_000)

    def test_one_after_the_other_and_one_in_the_other(self):
        self.assertEqual([coll.run(1, lambda comm: i) for i in range(3)], [[0], [1], [2]])
        inner = coll.run(2, lambda comm: coll.run(2, lambda c: (comm.rank, c.rank)))
        self.assertEqual(inner, [[(0, 0), (0, 1)], [(1, 0), (1, 1)]])

    def test_fresh_interpreters(self):
        results = coll.run(2, rank_and_process, 10, start="fresh")
        self.assertEqual([(r, n) for r, _, n in results], [(0, 2), (10, 2)])
        self.assertNotIn(os.getpid(), [pid for _, pid, _ in results])

    def test_threads_ask_for_fresh_interpreters(self):
        over = threading.Event()
        thread = threading.Thread(target=over.wait)
        thread.start()
        try:
            self.assertEqual(coll.run(2, rank_and_process)[1][2], 2)
            with self.assertRaisesRegex(coll.UsageError, "cannot be given .*has 2 threads"):
                lock = threading.Lock()
                coll.run(2, lambda comm: lock)
            self.assertEqual(coll.run(2, lambda comm: comm.rank, start="fork"), [0, 1])
            self.assertEqual(coll.run(2, lambda comm: 2 * comm.rank), [0, 2])
        finally:
            over.set()
            thread.join()

    def test_a_main_module_that_calls_run_unguarded(self):
        with script("""
            import collectives as coll
            def f(comm): return comm.rank
            coll.run(1, f, start="fresh")
            """) as file:
            self.assertIn("if __name__ == '__main__'", python(file.name).stderr)

    def test_functions_of_a_script_go_by_name(self):
        with script("""
            import threading
            import collectives as coll
            lock = threading.Lock()    # no pickle can carry it
            def f(comm):
                with lock: return comm.rank
            if __name__ == "__main__": print(coll.run(2, f, start="fresh"))
            """) as file:
            self.assertEqual(python(file.name).stdout, "[0, 1]\n")

    def test_what_run_is_given(self):
        with self.assertRaisesRegex(coll.UsageError, "f is of type int, which cannot be called"):
            coll.run(2, 3)
        for size in "2", 2.0:
            with self.assertRaisesRegex(TypeError, f"{type(size).__name__}' object cannot be"):
                coll.run(size, abs)
        self.assertEqual(coll.run(np.int64(2), lambda comm: comm.size), [2, 2])

    def test_a_result_that_cannot_be_pickled(self):
        with self.assertRaisesRegex(coll.RunError, "rank 0 threw: .*result cannot be pickled"):
            coll.run(1, lambda comm: threading.Lock())

    def test_other_ranks_are_ended(self):
        def f(comm):
            if comm.rank == 0:
                raise ValueError
            time.sleep(60)

        begin = time.monotonic()
        with self.assertRaisesRegex(coll.RunError, "rank 0 threw: ValueError"):
            with unittest.mock.patch("collectives._job.GRACE", 0.3):
                coll.run(2, f)
        self.assertLess(time.monotonic() - begin, 5)

    def test_module(self):
        with script("""
            import sys, numpy, collectives as coll
            comm = coll.init()
            assert coll.init() is comm
            sum = comm.all_reduce(numpy.ones(2))
            sys.stdout.write(f"{sys.argv[1:]} {comm.rank} {comm.size} {sum}\\n")
            """) as file:
            name = os.path.basename(file.name)
            module = name.removesuffix(".py")
            for what in ([file.name], ["-m", module], ["-m" + module]):
                done = python("-m", "collectives", "-n", "3", *what, "a", "-n", "5", "-m", "b",
                              cwd=os.path.dirname(file.name))
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(sorted(done.stdout.splitlines()),
                                 [f"['a', '-n', '5', '-m', 'b'] {r} 3 [3. 3.]" for r in range(3)])

    def test_module_gives_the_status_of_what_failed_first(self):
        with script("""
            import sys, collectives as coll
            comm = coll.init()
            if comm.rank == 1: sys.exit(7)
            comm.barrier()
            """) as file:
            self.assertEqual(python("-m", "collectives", "-n", "3", file.name).returncode, 7)
        for wrong in (["-n", "2"], ["-n", "2", "-m"], ["-n", "0", "x.py"], ["x.py"]):
            self.assertEqual(python("-m", "collectives", *wrong).returncode, 2)

    def test_init_reads_the_environment(self):
        code = "import collectives as coll; c = coll.init(); print(c.rank, c.size); c.barrier()"
        ranks = []
        for rank in range(2):
            environment = {**os.environ, "COLLECTIVES_RANK": str(rank), "COLLECTIVES_SIZE": "2",
                           "COLLECTIVES_JOB": f"test-{os.getpid()}"}
            ranks.append(subprocess.Popen([sys.executable, "-c", code], env=environment,
                                          stdout=subprocess.PIPE, text=True))
        self.assertEqual([r.communicate(timeout=30)[0] for r in ranks], ["0 2\n", "1 2\n"])
        self.assertEqual([r.returncode for r in ranks], [0, 0])
        alone = python("-c", "import collectives; collectives.init()")
        self.assertIn("UsageError: no launcher's variables are set", alone.stderr)

    def test_who_ends_early_does_not_break_the_rest(self):
        with script("""
            import time, numpy, collectives as coll
            comm = coll.init()
            if comm.rank == 2: time.sleep(0.5)
            comm.reduce(numpy.ones(3), root=2)
            """) as file:
            done = python("-m", "collectives", "-n", "3", file.name)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    @unittest.skipUnless(coll._core.has_ucx, "the package was built without UCX")
    def test_several_hosts(self):
        """Each pair of ranks counts as a host, and UCX reaches others by TCP alone."""
        with script("""
            import numpy, collectives as coll
            comm = coll.init()
            x = comm.all_reduce(numpy.arange(100_000) * (comm.rank + 1))
            assert (x == 10 * numpy.arange(100_000)).all()
            half = comm.split(comm.rank % 2)
            assert half.all_gather(numpy.array([comm.rank])).ravel().tolist() == [comm.rank % 2, comm.rank % 2 + 2]
            print(comm.explain(1 << 20), flush=True)
            """) as file:
            done = python("-m", "collectives", "-n", "4", file.name, env={
                **os.environ, "COLLECTIVES_TRANSPORT": "ucx", "COLLECTIVES_RANKS_PER_HOST": "2",
                "UCX_TLS": "tcp,self"})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout.count("hierarchical:2"), 4, done.stdout)

    @unittest.skipIf(coll._core.has_ucx, "the package was built with UCX")
    def test_no_way_between_hosts(self):
        done = python("-c", "import collectives; collectives.init()", env={
            **os.environ, "COLLECTIVES_RANK": "0", "COLLECTIVES_SIZE": "2",
            "COLLECTIVES_TRANSPORT": "ucx"})
        self.assertIn("can join a job over: shm", done.stderr)

    def interrupt(self, *arguments, ranks_too=False):
        """Ctrl-C for this process alone, or as a terminal sends it, once its ranks wait."""
        heed = functools.partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
        process = subprocess.Popen([sys.executable, *arguments], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, start_new_session=True,
                                   preexec_fn=heed)  # a job in the background ignores it
        ranks = [int(process.stdout.readline()) for _ in range(2)]
        time.sleep(0.2)
        begin = time.monotonic()
        (os.killpg if ranks_too else os.kill)(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=20)
        taken = time.monotonic() - begin
        for rank in ranks:
            with self.assertRaises(ProcessLookupError):
                os.kill(rank, 0)
        self.assertLess(taken, 5)
        return process.returncode, out, err

    def test_interrupt(self):
        body = """
            import os, collectives as coll
            def f(comm):
                os.write(1, b"%d\\n" % os.getpid())
                if comm.rank == 0: comm.recv(bytearray(1), 1)
                else: comm.barrier()
            """
        with script(textwrap.dedent(body) + "coll.run(2, f)\n") as file:
            status, _, err = self.interrupt(file.name)
            self.assertIn("KeyboardInterrupt", err)
        with script(textwrap.dedent(body) + "f(coll.init())\n") as file:
            status, _, err = self.interrupt("-m", "collectives", "-n", "2", file.name)
            self.assertEqual(status, 130)
            self.assertIn("KeyboardInterrupt", err)

    def test_an_interrupt_of_the_ranks_too(self):
        body = """
            import os, time, collectives as coll
            def f(comm):
                os.write(1, b"%d\\n" % os.getpid())
                try: comm.recv(bytearray(1), 1 - comm.rank)
                finally:
                    time.sleep(0.1)            # a second interrupt would cut this short
                    os.write(2, b"in order\\n")
            """
        with script(textwrap.dedent(body) + "coll.run(2, f)\n") as file:
            err = self.interrupt(file.name, ranks_too=True)[2]
            self.assertEqual(err.count("in order"), 2, err)
        with script(textwrap.dedent(body) + "f(coll.init())\n") as file:
            err = self.interrupt("-m", "collectives", "-n", "2", file.name, ranks_too=True)[2]
            self.assertEqual(err.count("in order"), 2, err)

    def test_a_handler_that_raises_ends_a_wait(self):
        def f(comm):
            def stop(*what):
                raise OSError("alarm")

            if comm.rank == 0:
                signal.signal(signal.SIGALRM, stop)
                signal.setitimer(signal.ITIMER_REAL, 0.1)
                with self.assertRaisesRegex(OSError, "alarm"):
                    comm.barrier()
            else:
                time.sleep(0.5)
                with self.assertRaisesRegex(coll.Error, "handler of a signal"):
                    comm.barrier()

        coll.run(2, f)

    def test_the_end_of_the_parent_ends_the_ranks(self):
        with script("""
            import os, time, collectives as coll
            coll.run(2, lambda comm: (os.write(1, b"%d\\n" % os.getpid()), time.sleep(60)))
            """) as file:
            process = subprocess.Popen([sys.executable, file.name], stdout=subprocess.PIPE, text=True)
            ranks = [int(process.stdout.readline()) for _ in range(2)]
            process.kill()
            process.communicate()
        limit = time.monotonic() + 5
        while any(os.path.exists(f"/proc/{rank}/exe") for rank in ranks):
            self.assertLess(time.monotonic(), limit)
            time.sleep(0.01)


if __name__ == "__main__":
    unittest.main()
