# SPDX-License-Identifier: BSD-3-Clause
"""Communicators that are made and destroyed leave nothing behind. About half of the tests run, by the seed."""

import os
import time
import unittest

import numpy as np
from growth import grows_by
from helpers import over, same


def whole(comm):
    return comm.split(0)


def half(comm):
    return comm.split(comm.rank % 2, -comm.rank)


class Growth(unittest.TestCase):
    def setUp(self):
        seed = int(os.environ.get("COLLECTIVES_TEST_SEED") or time.time() // 86400)
        if not os.environ.get("COLLECTIVES_TEST_ALL") and (seed + sum(map(ord, self.id()))) % 2 != 0:
            self.skipTest(f"seed {seed}: another day's")

    def check(self, use):
        def f(comm):
            use(comm)
            memory, *others = grows_by(lambda: use(comm), comm.barrier)
            self.assertEqual(others, [0, 0, 0], "descriptors, threads, shared memory")
            self.assertLess(memory, 1 << 20)  # a page for each would be 4 MB

        over((4,), f)

    def test_communicators(self):
        def use(comm):
            for part in (whole(comm), half(comm)):
                same(part.all_reduce(np.ones(100)), np.full(100, float(part.size)))

        self.check(use)

    def test_one_that_is_dropped_at_once(self):
        self.check(lambda comm: half(comm) and None)

    def test_memory_that_peers_reach(self):
        def use(comm):
            part = half(comm)
            x = part.empty(10_000)
            x[:] = 1
            same(part.all_reduce(x), np.full(10_000, 2.0))

        self.check(use)

    def test_calls_in_the_background_and_plans(self):
        def use(comm):
            part = half(comm)
            again = part.plan_all_reduce(np.ones(100))
            again()
            part.all_reduce(np.ones(100), wait=False, progress="background").wait()

        self.check(use)


if __name__ == "__main__":
    unittest.main()
