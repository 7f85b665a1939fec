# SPDX-License-Identifier: BSD-3-Clause
"""Every call against NumPy: shapes, places, started calls."""

import time
import unittest

import collectives as coll
import numpy as np
from helpers import given, over, same

SIZES = (1, 2, 3, 4)


class Collectives(unittest.TestCase):
    def test_all_reduce(self):
        def f(comm):
            for shape in ((), (1,), (7,), (3, 4, 5), (0,), (100000,)):
                x = given(comm.rank, shape)
                total = sum(given(r, shape) for r in range(comm.size))
                out = np.empty_like(x)
                self.assertIs(comm.all_reduce(x, out=out), out)
                same(out, total)
                same(x, given(comm.rank, shape))
                self.assertIs(comm.all_reduce(x), x)
                same(x, total)

        over(SIZES, f)

    def test_options(self):
        def f(comm):
            x = given(comm.rank, (1000,), np.float32)
            total = sum(given(r, (1000,), np.float32) for r in range(comm.size))
            for name in coll.algorithms:
                same(comm.all_reduce(x.copy(), algorithm=name), total)
            same(comm.all_reduce(x.copy(), segment=64, timeout=5), total)
            same(comm.all_reduce(x, reproducible=True, timeout=float("inf")), total)

        over((3,), f)

    def test_reduce_and_broadcast(self):
        def f(comm):
            for root in range(comm.size):
                x = given(comm.rank, (3, 2))
                total = sum(given(r, (3, 2)) for r in range(comm.size))
                got = comm.reduce(x, root=root)
                if comm.rank == root:
                    same(got, total)
                    comm.reduce(x, "sum", root, x)
                    same(x, total)
                else:
                    self.assertIsNone(got)
                    self.assertIsNone(comm.reduce(x, "sum", root, x))
                    x[:] = -1
                self.assertIs(comm.broadcast(x, root), x)
                same(x, total)

        over(SIZES, f)

    def test_reduce_scatter(self):
        def f(comm):
            for rows in (comm.size, 2 * comm.size, 7, 1, 0):
                x = given(comm.rank, (rows, 3))
                total = sum(given(r, (rows, 3)) for r in range(comm.size))
                same(comm.reduce_scatter(x), np.array_split(total, comm.size)[comm.rank])
            counts = list(range(comm.size))
            x = given(comm.rank, (sum(counts), 2))
            total = sum(given(r, x.shape) for r in range(comm.size))
            mine = np.split(total, np.cumsum(counts)[:-1])[comm.rank]
            same(comm.reduce_scatter(x, counts=counts), mine)
            out = np.empty_like(mine)
            self.assertIs(comm.reduce_scatter(x, out=out, counts=counts), out)
            same(out, mine)

        over(SIZES, f)

    def test_gathers(self):
        def f(comm):
            for shape in ((), (4,), (2, 3), (0,)):
                parts = np.stack([given(r, shape, np.int32) for r in range(comm.size)])
                mine = parts[comm.rank].copy()
                same(comm.all_gather(mine), parts)
                out = np.zeros_like(parts)
                self.assertIs(comm.all_gather(mine, out=out), out)
                same(out, parts)
                root = comm.size - 1
                got = comm.gather(mine, root)
                if comm.rank == root:
                    same(got, parts)
                else:
                    self.assertIsNone(got)
                back = np.zeros_like(mine)
                self.assertIs(comm.scatter(got, back, root), back)
                same(back, mine)
            out = np.zeros((comm.size, 3))
            out[comm.rank] = comm.rank
            same(comm.all_gather(out[comm.rank], out=out)[:, 0], np.arange(float(comm.size)))
            counts = list(range(1, comm.size + 1))
            parts = [given(r, (counts[r], 2)) for r in range(comm.size)]
            same(comm.all_gather(parts[comm.rank], counts=counts), np.concatenate(parts))
            got = comm.gather(parts[comm.rank], counts=counts)
            back = np.zeros_like(parts[comm.rank])
            same(comm.scatter(got, back, counts=counts), parts[comm.rank])

        over(SIZES, f)

    def test_all_to_all(self):
        def f(comm):
            whole = [given(r, (2 * comm.size, 3)) for r in range(comm.size)]
            expected = np.concatenate([np.split(x, comm.size)[comm.rank] for x in whole])
            same(comm.all_to_all(whole[comm.rank]), expected)

        over(SIZES, f)

    def test_messages(self):
        def f(comm):
            right, left = (comm.rank + 1) % comm.size, (comm.rank - 1) % comm.size
            sent = comm.send(given(comm.rank, (9,)), right, 5, wait=False)
            x = np.empty(9)
            self.assertIs(comm.recv(x, left, 5), x)
            self.assertIsNone(sent.wait())
            same(x, given(left, (9,)))

        over((2, 3), f)

    def test_send_recv(self):
        def f(comm):
            right, left = (comm.rank + 1) % comm.size, (comm.rank - 1) % comm.size
            x = given(comm.rank, (9, 2))
            same(comm.send_recv(x, right, left), given(left, (9, 2)))
            out = np.empty(3 + left, np.int16)  # of another size and type than what goes out
            mine = given(comm.rank, (3 + comm.rank,), np.int16)
            self.assertIs(comm.send_recv(mine, right, left, 3, out), out)
            same(out, given(left, (3 + left,), np.int16))
            with self.assertRaisesRegex(coll.UsageError, "send_recv .* must not overlap"):
                comm.send_recv(x[1:], right, left, out=x[:-1])
            with self.assertRaisesRegex(coll.UsageError, f"rank {comm.rank}, .*peer 9 is no rank"):
                comm.send_recv(x, right, 9)
            same(comm.send_recv(x, right, left, timeout=60), given(left, (9, 2)))

        over(SIZES, f)

    def test_probe(self):
        def f(comm):
            if comm.rank == 0:
                self.assertIsNone(comm.probe(1, 5))
                comm.barrier()
                limit = time.monotonic() + 20
                while (waiting := comm.probe(1, 5)) is None:
                    self.assertLess(time.monotonic(), limit)
                self.assertEqual(waiting, 28)
                self.assertIsNone(comm.probe(1, 6))
                x = np.empty(waiting // 4, np.float32)
                same(comm.recv(x, 1, 5), given(1, (7,), np.float32))
                self.assertIsNone(comm.probe(1, 5))
            else:
                comm.barrier()
                comm.send(given(1, (7,), np.float32), 0, 5)
            with self.assertRaisesRegex(coll.UsageError, f"rank {comm.rank}, .*peer 3 is no rank"):
                comm.probe(3)
            comm.barrier()

        over((2,), f)

    def test_scans(self):
        def f(comm):
            me = comm.rank
            for shape in ((), (1,), (2, 3), (0,), (50000,)):
                x = given(me, shape)
                upto = [sum((given(r, shape) for r in range(n)), np.zeros(shape))
                        for n in range(comm.size + 1)]
                same(np.asarray(comm.scan(x)), upto[me + 1])
                same(x, given(me, shape))
                before = comm.exscan(x)
                if me == 0:
                    self.assertIsNone(before)
                else:
                    same(before, upto[me])
                out = np.full(shape, 7.0)
                self.assertIs(comm.exscan(x, out=out), out)
                same(out, upto[me] if me else np.full(shape, 7.0))
                self.assertIs(comm.scan(x, "sum", out), out)
                same(out, upto[me + 1])
                started = comm.scan(x, out=x, wait=False)
                self.assertIs(started.wait(), x)
                same(x, upto[me + 1])
                x = given(me, shape)
                self.assertIs(comm.exscan(x, out=x, wait=False).wait(), x)
                same(x, upto[me] if me else given(me, shape))
            x = np.array([me, -me])
            same(comm.scan(x, "max", algorithm="ring"), np.array([me, 0]))
            for call in (comm.scan, comm.exscan):
                with self.assertRaisesRegex(coll.UsageError, f"rank {me}, (ex)?scan #[0-9]+: average is for"):
                    call(np.ones(3), "average")

        over(SIZES, f)

    def test_started_calls(self):
        def f(comm):
            x, y = given(comm.rank, (1000,)), np.ones(3)
            first = comm.all_reduce(x, wait=False)
            second = comm.all_gather(y, wait=False)
            self.assertEqual(second.wait().shape, (comm.size, 3))
            while not first.test():
                pass
            self.assertIs(first.wait(), x)
            self.assertIs(first.wait(), x)
            same(x, sum(given(r, (1000,)) for r in range(comm.size)))
            comm.all_reduce(y, wait=False)  # dropped: waits
            same(y, np.full(3, float(comm.size)))
            comm.barrier(wait=False).wait()

        over((1, 3), f)

    def test_groups(self):
        def f(comm):
            part = comm.split(comm.rank % 2, key=-comm.rank)
            ranks = [r for r in range(comm.size) if r % 2 == comm.rank % 2][::-1]
            self.assertEqual((part.rank, part.size), (ranks.index(comm.rank), len(ranks)))
            same(part.all_gather(np.array(comm.rank)), np.array(ranks))
            del part
            comm.barrier()

        over((1, 4), f)

    def test_fusion(self):
        def f(comm):
            fused = comm.fuse("average", threshold=1 << 10)
            for step in range(3):
                xs = [np.full(n, comm.rank + step, t) for n, t in
                      ((1, np.float32), (300, np.float64), (7, np.float32), (5, np.int64))]
                with fused as g:
                    for i, x in enumerate(xs):
                        g.all_reduce(x, name=f"x{i}")
                for x in xs:
                    self.assertEqual(float(x[0]), int(1 + step) if x.dtype == int else 1 + step)
            with self.assertRaises(ZeroDivisionError):
                with comm.fuse() as g:
                    g.all_reduce(np.ones(3))
                    raise ZeroDivisionError
            comm.barrier()

        over((3,), f)

    def test_objects(self):
        def f(comm):
            mine = {"rank": comm.rank, "data": "x" * (1000 * comm.rank)}
            all_of_them = [{"rank": r, "data": "x" * (1000 * r)} for r in range(comm.size)]
            self.assertEqual(comm.all_gather_object(mine), all_of_them)
            root = comm.size - 1
            got = comm.gather_object(mine, root)
            self.assertEqual(got, all_of_them if comm.rank == root else None)
            self.assertEqual(comm.scatter_object(got, root), mine)
            self.assertEqual(comm.broadcast_object(mine, root), all_of_them[root])
            if comm.rank == 0:
                comm.send_object(mine, root, wait=True) if root else None
            elif comm.rank == root:
                self.assertEqual(comm.recv_object(0), all_of_them[0])

        over((1, 3), f)

    def test_without_running(self):
        proof = coll.check("ring", 13)
        self.assertTrue(proof and proof.ok)
        self.assertEqual((proof.what, proof.order_preserving), ("correct", False))
        self.assertTrue(coll.check("two_shot", 5).left_fold)
        cost = coll.cost("ring", 8, 1 << 20)
        self.assertEqual((cost.rounds, cost.busiest.sent), (14, 14 * (1 << 20) // 8))
        self.assertEqual(len(cost.ranks), 8)
        self.assertEqual(cost.bound.rounds, 3)
        self.assertIn("sends 1835008 bytes", repr(cost.busiest))
        self.assertIn("3 rounds", repr(cost.bound))
        self.assertTrue(coll.check("butterfly", 6, "scan"))
        text = coll.run(2, lambda comm: comm.explain(1 << 20))[1]
        self.assertIn("all_reduce of 1048576 bytes over 2 ranks", text)
        with self.assertRaisesRegex(coll.UsageError, "rring"):
            coll.check("rring", 3)


if __name__ == "__main__":
    unittest.main()
