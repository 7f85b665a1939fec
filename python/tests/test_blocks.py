# SPDX-License-Identifier: BSD-3-Clause
"""Counts and displacements, against NumPy."""

import unittest

import collectives as coll
import numpy as np
from helpers import given, over, same

SIZES = (1, 2, 3, 4)


def blocks(counts, first, role=""):
    """Keyword arguments, and the rows of each rank's block."""
    return ({f"{role}counts": counts, f"{role}displacements": first},
            [slice(f, f + n) for f, n in zip(first, counts)])


def places(size, shift=0):
    """Blocks of 1, 2, 0, 1, 2, ... rows from the back to the front, with a gap behind each."""
    counts = [(r + 1 + shift) % 3 for r in range(size)]
    return counts, [3 * (size - 1 - r) for r in range(size)]


class Blocks(unittest.TestCase):
    def test_gathers(self):
        def f(comm):
            cut, rows = blocks(*places(comm.size))
            parts = [given(r, (n, 2)) + 1 for r, n in enumerate(cut["counts"])]
            end = max((s.stop for s in rows if s.stop > s.start), default=0)
            expected = np.zeros((end, 2))
            for part, where in zip(parts, rows):
                expected[where] = part
            same(comm.all_gather(parts[comm.rank], **cut), expected)
            longer = np.full((end + 2, 2), -1.0)
            kept = longer.copy()
            for part, where in zip(parts, rows):
                kept[where] = part
            self.assertIs(comm.all_gather(parts[comm.rank], out=longer, **cut), longer)
            same(longer, kept)
            root = comm.size - 1
            got = comm.gather(parts[comm.rank], root, **cut)
            if comm.rank == root:
                same(got, expected)
            else:
                self.assertIsNone(got)

        over(SIZES, f)

    def test_scatters(self):
        def f(comm):
            cut, rows = blocks(*places(comm.size))
            shape = (3 * comm.size + 1, 2)
            n = cut["counts"][comm.rank]
            total = sum(given(r, shape) for r in range(comm.size))
            same(comm.reduce_scatter(given(comm.rank, shape), **cut), total[rows[comm.rank]])
            x, out = given(7, shape), np.empty((n, 2))
            for root in range(comm.size):
                out[:] = -1
                mine = x if comm.rank == root else None
                self.assertIs(comm.scatter(mine, out, root, **cut), out)
                same(out, x[rows[comm.rank]])

        over(SIZES, f)

    def test_blocks_that_overlap_may_be_read(self):
        def f(comm):
            x, out = np.arange(4.0), np.empty(3)
            cut = {"counts": [3] * comm.size, "displacements": [r % 2 for r in range(comm.size)]}
            same(comm.scatter(x, out, **cut), x[comm.rank % 2 :][:3])
            with self.assertRaisesRegex(coll.UsageError, "blocks 0 and 1 overlap in out"):
                comm.all_gather(out, **cut)
            comm.barrier()

        over((2,), f)

    def test_all_to_all(self):
        def f(comm):
            me, ranks = comm.rank, range(comm.size)
            rows = [[(i + 2 * j) % 3 for j in ranks] for i in ranks]  # from rank i to rank j
            whole = [given(i, (sum(rows[i]), 2)) + 10 * i for i in ranks]
            piece = [np.split(whole[i], np.cumsum(rows[i])[:-1])[me] for i in ranks]
            receives = [rows[i][me] for i in ranks]
            counts = {"send_counts": rows[me], "recv_counts": np.array(receives)}
            same(comm.all_to_all(whole[me], **counts), np.concatenate(piece))

            sends_at, receives_at = ([3 * (comm.size - 1 - r) + 1 for r in ranks] for _ in "12")
            spread = np.full((3 * comm.size + 1, 2), -5.0)
            for first, part in zip(sends_at, np.split(whole[me], np.cumsum(rows[me])[:-1])):
                spread[first : first + len(part)] = part
            expected = np.zeros_like(spread)
            for first, part in zip(receives_at, piece):
                expected[first : first + len(part)] = part
            out = np.zeros_like(spread)
            self.assertIs(comm.all_to_all(spread, out, **counts, send_displacements=sends_at,
                                          recv_displacements=receives_at), out)
            same(out, expected)
            got = comm.all_to_all(spread, **counts, send_displacements=sends_at,
                                  recv_displacements=receives_at)
            same(got, expected[: len(got)])
            self.assertFalse(expected[len(got) :].any())
            same(comm.all_to_all(whole[me], **counts, recv_displacements=receives_at), got)

        over(SIZES, f)

    def test_ranks_that_cut_differently(self):
        def f(comm):
            with self.assertRaises(coll.MismatchError):
                comm.all_gather(np.ones(2), counts=[2, 2], displacements=[0, 2 + comm.rank])

        over((2,), f)

    def test_errors(self):
        cases = [
            ("all_gather: 3 counts for 2 ranks", lambda c: c.all_gather(np.ones(3), counts=[1] * 3)),
            ("gather: 1 displacements for 2 ranks",
             lambda c: c.gather(np.ones(3), counts=[3, 3], displacements=[0])),
            ("reduce_scatter: counts are whole numbers",
             lambda c: c.reduce_scatter(np.ones(4), counts=[5, -1])),
            ("all_to_all: send_counts are whole numbers",
             lambda c: c.all_to_all(np.ones(4), send_counts=[1.5, 2], recv_counts=[2, 2])),
            ("scatter: displacements need counts",
             lambda c: c.scatter(np.ones(4), np.ones(2), displacements=[0, 2])),
            ("all_to_all: recv_displacements need recv_counts",
             lambda c: c.all_to_all(np.ones(4), recv_displacements=[0, 2])),
            ("all_to_all: send_counts and recv_counts come together",
             lambda c: c.all_to_all(np.ones(4), send_counts=[2, 2])),
            ("reduce_scatter: in has 4 elements, not 3",
             lambda c: c.reduce_scatter(np.ones(4), counts=[1, 2])),
            ("reduce_scatter: block 1, 2 elements from 3 on, is not within in, which has 4",
             lambda c: c.reduce_scatter(np.ones(4), counts=[2, 2], displacements=[0, 3])),
            ("all_gather: in has 2 elements, not 1",
             lambda c: c.all_gather(np.ones(2), counts=[1, 1])),
            ("gather: an array without axes has no rows",
             lambda c: c.gather(np.float64(1), counts=[1, 1])),
            ("gather: the blocks have more elements than can be counted",
             lambda c: c.gather(np.ones((2, 8)), counts=[2**61, 2])),
            ("all_gather: the blocks have more elements than can be counted",
             lambda c: c.all_gather(np.ones(2), counts=[2, 2], displacements=[0, 2**64 - 1])),
        ]

        def f(comm):
            for text, call in cases:
                pattern = text.replace(": ", " #[0-9]+: ", 1)
                with self.assertRaisesRegex(coll.UsageError, f"rank {comm.rank}, {pattern}"):
                    call(comm)
            comm.barrier()  # usable all the while

        over((2,), f)


if __name__ == "__main__":
    unittest.main()
