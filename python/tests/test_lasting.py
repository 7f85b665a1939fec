# SPDX-License-Identifier: BSD-3-Clause
"""Calls that outlast a line of the program: planned calls, and calls that go on in the background."""

import gc
import signal
import sys
import time
import unittest
import weakref

import collectives as coll
import numpy as np
from helpers import given, over, same

LIMIT = 20  # seconds for what takes milliseconds


def total(comm, shape):
    return sum(given(r, shape) for r in range(comm.size))


class Persistent(unittest.TestCase):
    def test_each_collective(self):
        def f(comm):
            size, me, root = comm.size, comm.rank, comm.size - 1
            x, rows = np.empty(5), np.empty((2 * size, 3))
            out, back = np.empty(5), np.empty((2, 3))
            cut = {"counts": [2] * size, "displacements": [3 * r for r in range(size)]}
            exchange = {"send_counts": [2] * size, "recv_counts": [2] * size}
            calls = [  # the plan, and the blocking call
                (comm.plan_all_reduce(x, out=out), lambda: comm.all_reduce(x.copy())),
                (comm.plan_all_reduce(x, "max", out), lambda: comm.all_reduce(x.copy(), "max")),
                (comm.plan_reduce(x, root=root), lambda: comm.reduce(x, root=root)),
                (comm.plan_scan(x), lambda: comm.scan(x)),
                (comm.plan_exscan(x), lambda: comm.exscan(x)),
                (comm.plan_reduce_scatter(rows, algorithm="ring"),
                 lambda: comm.reduce_scatter(rows)),
                (comm.plan_all_gather(x), lambda: comm.all_gather(x)),
                (comm.plan_all_gather(back, **cut), lambda: comm.all_gather(back, **cut)),
                (comm.plan_gather(x, root), lambda: comm.gather(x, root)),
                (comm.plan_scatter(rows, back, root),
                 lambda: comm.scatter(rows, np.empty_like(back), root)),
                (comm.plan_all_to_all(rows, **exchange), lambda: comm.all_to_all(rows)),
                (comm.plan_barrier(), lambda: comm.barrier()),
            ]
            for step in range(3):
                x[:], rows[:] = given(me + step, x.shape), given(me + step, rows.shape)
                for planned, blocking in calls:
                    back[:] = me + step
                    expected = blocking()
                    if step == 1:
                        planned.start()
                        while not planned.test():
                            pass
                        got = planned.wait()
                    else:
                        got = planned()
                    if expected is None:
                        self.assertIsNone(got)
                    else:
                        same(got, expected)
                moving = given(me, (4,)) + step
                planned = comm.plan_broadcast(moving, root)
                self.assertIs(planned(), moving)
                same(moving, given(root, (4,)) + step)

        over((1, 3), f)

    def test_in_place(self):
        def f(comm):
            x = given(comm.rank, (1000,))
            again = comm.plan_all_reduce(x)
            same(x, given(comm.rank, (1000,)))  # nothing has moved
            for step in range(1, 4):
                self.assertIs(again(), x)
                same(x, total(comm, (1000,)) * comm.size ** (step - 1))

        over((2, 3), f)

    def test_it_keeps_arrays_and_communicator(self):
        class Array(np.ndarray):
            pass  # which can be referred to weakly

        def f(comm):
            x = given(comm.rank, (1000,)).view(Array)
            alive = weakref.ref(x)
            part = comm.split(0)
            again = part.plan_all_reduce(x)
            del x, part
            gc.collect()
            self.assertIsNotNone(alive())
            same(np.asarray(again()), total(comm, (1000,)))
            again.start()
            del again  # waits
            gc.collect()
            self.assertIsNone(alive())
            comm.barrier()

        over((2, 3), f)

    def test_errors(self):
        def f(comm):
            with self.assertRaisesRegex(coll.UsageError, f"rank {comm.rank}, all_reduce #[0-9]+: out has 4"):
                comm.plan_all_reduce(np.ones(3), out=np.ones(4))
            x = np.ones(3)
            again = comm.plan_all_reduce(x, timeout=LIMIT)
            self.assertTrue(again.test())
            if comm.rank == 0:
                again.start()
                with self.assertRaisesRegex(coll.UsageError, "rank 0, all_reduce #.*is under way"):
                    again.start()
                comm.recv(np.empty(1), 1)
                again.wait()
            else:
                comm.send(np.empty(1), 0)
                again()
            same(x, np.full(3, 2.0))
            comm.abort("over")
            with self.assertRaisesRegex(coll.Error, "aborted by rank [01]: over"):
                again()

        over((2,), f)


class Background(unittest.TestCase):
    def await_result(self, x, expected):
        """Without a call of the library."""
        limit = time.monotonic() + LIMIT
        while not (x == expected).all():
            self.assertLess(time.monotonic(), limit, "the call does not go on by itself")
            time.sleep(0.001)

    def test_started_and_planned_calls(self):
        def f(comm):
            shape = (300_000,)
            x, out = given(comm.rank, shape), np.full(shape, -1.0)
            expected = total(comm, shape)
            started = comm.all_reduce(x, out=out, wait=False, progress="background")
            self.await_result(out, expected)
            self.assertIs(started.wait(), out)
            planned = comm.plan_all_reduce(x, out=out, progress="background")
            for _ in range(3):
                out[:] = -1
                planned.start()
                self.await_result(out, expected)
                self.assertIs(planned.wait(), out)
            comm.all_reduce(x, progress="background")  # a blocking call takes the option too
            same(x, expected)

        over((2, 3), f)

    def test_messages(self):
        def f(comm):
            x = np.full(300_000, float(comm.rank))
            if comm.rank == 0:
                sent = comm.send(x, 1, wait=False, progress="background")
                time.sleep(0.1)
                self.assertIsNone(sent.wait())
            else:
                received = comm.recv(x, 0, wait=False, progress="background")
                self.await_result(x, np.zeros_like(x))
                self.assertIs(received.wait(), x)

        over((2,), f)

    def test_the_thread_needs_no_gil(self):
        def f(comm):
            x = np.array([float(comm.rank)])
            if comm.rank == 0:
                time.sleep(0.2)  # meanwhile the thread of rank 1 finds nothing, and looks why
                comm.send(x, 1)
            else:
                received = comm.recv(x, 0, wait=False, progress="background")
                sys.setswitchinterval(2 * LIMIT)  # a loop that does not sleep keeps the GIL
                limit = time.monotonic() + LIMIT
                while x[0] != 0:
                    self.assertLess(time.monotonic(), limit, "the thread waits for the GIL")
                received.wait()

        over((2,), f)

    def test_other_calls_while_one_waits_long(self):
        def f(comm):
            signal.alarm(LIMIT)  # ends a rank that is stuck
            x = np.ones(1000)
            if comm.rank == 1:
                late = comm.recv(x, 0, 1, wait=False, progress="background")
                limit = time.monotonic() + 0.3
                while time.monotonic() < limit:
                    comm.send(np.zeros(1), 1, wait=False)  # to itself
                    comm.recv(np.empty(1), 1)
                comm.send(np.zeros(1), 0)
                late.wait()
                same(x, np.full(1000, 7.0))
            else:
                comm.recv(np.empty(1), 1)
                comm.send(np.full(1000, 7.0), 1, 1)
            signal.alarm(0)

        over((2,), f)

    def test_who_takes_it(self):
        def f(comm):
            with self.assertRaisesRegex(coll.UsageError, "all_reduce #[0-9]+: progress is 'background'"):
                comm.all_reduce(np.ones(3), wait=False, progress="soon")
            with self.assertRaisesRegex(coll.UsageError, f"rank {comm.rank}, fuse: progress"):
                comm.fuse(progress="background")
            comm.all_reduce(np.ones(3), progress=None)

        over((2,), f)


if __name__ == "__main__":
    unittest.main()
