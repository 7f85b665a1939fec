# SPDX-License-Identifier: BSD-3-Clause
"""What goes wrong, and what is said of it."""

import os
import signal
import time
import unittest

import collectives as coll
import numpy as np


class Errors(unittest.TestCase):
    def test_arguments(self):
        read_only = np.ones(3)
        read_only.flags.writeable = False
        cases = [
            ("x is not contiguous", lambda c: c.all_reduce(np.ones((4, 4))[:, 1])),
            ("x is not contiguous", lambda c: c.all_gather(np.ones((4, 4)).T)),
            ("x is read-only", lambda c: c.all_reduce(read_only)),
            ("out is read-only", lambda c: c.all_reduce(np.ones(3), out=read_only)),
            ("x is of type float, which has neither", lambda c: c.all_reduce(1.5)),
            ("x has elements of a type that .* carry: 'O'",
             lambda c: c.all_reduce(np.array([None]))),
            ("type that .* carry: '>i'", lambda c: c.all_reduce(np.ones(2, ">i4"))),
            ("type that .* carry: 'g'", lambda c: c.all_reduce(np.ones(2, np.longdouble))),
            ("float64, and out of float32",
             lambda c: c.all_reduce(np.ones(3), out=np.ones(3, np.float32))),
            ("out has 4 elements, not 3", lambda c: c.all_reduce(np.ones(3), out=np.ones(4))),
            ("no operator 'plus'", lambda c: c.all_reduce(np.ones(3), "plus")),
            ("is no operator on double", lambda c: c.all_reduce(np.ones(3), "bit_or")),
            ("unknown algorithm \"rring", lambda c: c.all_reduce(np.ones(3), algorithm="rring")),
            ("timeout is a number of seconds", lambda c: c.barrier(timeout=-1)),
            ("segment is a whole number", lambda c: c.all_reduce(np.ones(3), segment=-1)),
            ("segment is a whole number", lambda c: c.all_reduce(np.ones(3), segment="4k")),
            ("algorithm is the name", lambda c: c.all_reduce(np.ones(3), algorithm=3)),
            ("reproducible is True or", lambda c: c.all_reduce(np.ones(3), reproducible="no")),
            ("x is of type NoneType, which", lambda c: c.all_reduce(None)),
            ("x is of type NoneType, which", lambda c: c.send(None, 0)),
            ("x is of type NoneType, which", lambda c: c.fuse().all_reduce(None)),
            ("op is an operator's name .* NoneType", lambda c: c.all_reduce(np.ones(3), None)),
            (r"empty: there is no shape \(3, -1\)", lambda c: c.empty((3, -1))),
            ("root 2 is no rank of 2", lambda c: c.broadcast(np.ones(3), 2)),
            ("peer 7 is no rank of 2", lambda c: c.send(np.ones(3), 7)),
            ("3 rows of x do not make 2", lambda c: c.all_to_all(np.ones(3))),
            ("an array without axes has no rows", lambda c: c.reduce_scatter(np.float64(3))),
            ("3 counts for 2 ranks", lambda c: c.all_gather(np.ones(3), counts=[1, 2, 3])),
            ("in and out overlap", lambda c: (lambda x: c.all_reduce(x[1:], out=x[:-1]))(np.ones(4))),
        ]

        def f(comm):
            for text, call in cases:
                with self.assertRaisesRegex(coll.UsageError, f"rank {comm.rank}, .*{text}|{text}"):
                    call(comm)
            with self.assertRaisesRegex(TypeError, "no option 'timeoout'"):
                comm.barrier(timeoout=3)
            comm.barrier()  # usable all the while

        coll.run(2, f)
        for error in (coll.MismatchError, coll.UsageError, coll.PeerLostError, coll.RunError):
            self.assertTrue(issubclass(error, coll.Error))

    def test_mismatch(self):
        def f(comm):
            with self.assertRaisesRegex(coll.MismatchError, "rank 0 .*rank 1 "):
                comm.all_reduce(np.ones(3 + comm.rank), algorithm="ring")
            with self.assertRaises(coll.MismatchError):
                comm.barrier()

        coll.run(2, f)

    def test_timeout_names_who_is_missing(self):
        def f(comm):
            if comm.rank == 1:
                time.sleep(0.6)
            with self.assertRaisesRegex(coll.TimeoutError, "not entered by rank 1") as caught:
                comm.barrier(timeout=0.2)
            self.assertEqual(caught.exception.missing, [1])

        coll.run(3, f)

    def test_a_killed_rank_is_named(self):
        def f(comm):
            if comm.rank == 1:
                os.kill(os.getpid(), signal.SIGKILL)
            with self.assertRaises(coll.PeerLostError) as caught:
                comm.all_reduce(np.ones(3))
            self.assertEqual(caught.exception.peer, 1)

        with self.assertRaisesRegex(coll.RunError, r"rank 1 was ended by signal 9") as caught:
            coll.run(3, f)
        self.assertEqual((caught.exception.rank, caught.exception.signal), (1, 9))

    def test_going_on_after_a_loss(self):
        def f(comm):
            if comm.rank == 2:
                os.kill(os.getpid(), signal.SIGKILL)
            try:
                comm.barrier()
            except coll.PeerLostError:
                comm = comm.shrink()
            if comm.all_reduce(np.array(comm.rank)) != 0 + 1:
                raise AssertionError

        with self.assertRaisesRegex(coll.RunError, r"rank 2 was ended by signal 9"):
            coll.run(3, f)

    def test_an_exception_has_rank_and_traceback(self):
        def f(comm):
            if comm.rank == 1:
                raise KeyError("what was looked for")
            comm.barrier()

        with self.assertRaisesRegex(coll.RunError, "rank 1 threw: KeyError: 'what") as caught:
            coll.run(3, f)
        error = caught.exception
        self.assertEqual((error.rank, error.exit_status, error.signal), (1, 1, 0))
        self.assertIsInstance(error.__cause__, KeyError)
        self.assertIn("test_errors.py", error.traceback)
        self.assertNotIn("_run.py", error.traceback)

    def test_a_rank_that_exits(self):
        def f(comm):
            if comm.rank == 0:
                os._exit(7)
            comm.barrier()

        with self.assertRaisesRegex(coll.RunError, "rank 0 ended its process with status 7"):
            coll.run(2, f)

    def test_abort(self):
        def f(comm):
            if comm.rank == 0:
                comm.abort("enough")
            with self.assertRaisesRegex(coll.Error, "barrier #1: aborted by rank 0: enough"):
                comm.barrier()

        coll.run(2, f)

    def test_two_threads_in_one_rank(self):
        import threading

        def f(comm):
            if comm.rank == 0:
                thread = threading.Thread(target=comm.barrier)
                thread.start()
                time.sleep(0.2)  # the thread waits for rank 1
                with self.assertRaisesRegex(coll.UsageError, "another thread"):
                    comm.barrier()
                comm.abort("over")  # any thread may
                thread.join()
            else:
                time.sleep(0.5)

        threading.excepthook = lambda what: None
        coll.run(2, f)

    def test_memory_of_a_call_under_way_is_kept(self):
        def f(comm):
            if comm.rank == 1:
                time.sleep(0.1)
            sent = [comm.all_reduce(np.full(50000, 1.0), wait=False) for _ in range(5)]
            for handle in sent:
                self.assertEqual(float(handle.wait().sum()), 50000.0 * comm.size)

        coll.run(2, f)


if __name__ == "__main__":
    unittest.main()
