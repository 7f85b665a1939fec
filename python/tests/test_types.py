# SPDX-License-Identifier: BSD-3-Clause
"""Types, operators, and whose memory a call may use."""

import array
import pickle
import unittest

import collectives as coll
import numpy as np
from helpers import given, over, same

try:
    import ml_dtypes
except ImportError:
    ml_dtypes = None

INTEGERS = [np.dtype(f"{u}int{bits}") for u in ("", "u") for bits in (8, 16, 32, 64)]
FLOATS = [np.dtype(t) for t in ("float16", "float32", "float64")]
COMPLEX = [np.dtype(t) for t in ("complex64", "complex128")]
IN_NUMPY = {"sum": np.add, "product": np.multiply, "max": np.maximum, "min": np.minimum,
            "bit_and": np.bitwise_and, "bit_or": np.bitwise_or, "bit_xor": np.bitwise_xor,
            "logical_and": np.logical_and, "logical_or": np.logical_or}


class Tensor:
    """Has DLPack alone."""

    def __init__(self, data):
        self.data = data

    def __dlpack__(self, **how):
        return self.data.__dlpack__(**how)

    def __dlpack_device__(self):
        return self.data.__dlpack_device__()


class Types(unittest.TestCase):
    def test_types_and_operators(self):
        def f(comm):
            for dtype in [*INTEGERS, *FLOATS, *COMPLEX, np.dtype(bool)]:
                for op, of_two in IN_NUMPY.items():
                    if op.startswith("bit") and dtype.kind not in "iub":
                        continue
                    if dtype.kind == "c" and op not in ("sum", "product"):
                        continue
                    if op in ("max", "min") and dtype.kind == "b":
                        continue
                    if dtype.kind == "b" and op in ("sum", "product"):
                        continue
                    parts = [given(r, (5,), dtype) for r in range(comm.size)]
                    expected = parts[0]
                    for part in parts[1:]:
                        expected = of_two(expected, part).astype(dtype)
                    same(comm.all_reduce(parts[comm.rank].copy(), op), expected)
            same(comm.all_reduce(np.full(2, comm.rank), "average"),
                 np.full(2, sum(range(comm.size)) // comm.size))

        over((2, 3), f)

    def test_premultiplied_sum(self):
        def f(comm):
            cases = [(d, 3) for d in INTEGERS + FLOATS + COMPLEX]
            cases += [(d, 0.5) for d in FLOATS + COMPLEX]
            cases += [(d, 2 + 1j) for d in COMPLEX] + [(np.dtype(np.uint64), 2**63 + 1)]
            for dtype, factor in cases:
                for number in (factor, np.min_scalar_type(factor).type(factor)):
                    parts = [given(r, (5,), dtype) for r in range(comm.size)]
                    expected = sum(p * dtype.type(factor) for p in parts).astype(dtype)
                    op = coll.premultiplied_sum(number)
                    same(comm.all_reduce(parts[comm.rank].copy(), op), expected)
            half = coll.premultiplied_sum(0.5)
            self.assertEqual(half, pickle.loads(pickle.dumps(half)))
            parts = [given(r, (4,)) for r in range(comm.size)]
            same(comm.scan(parts[comm.rank], half), sum(parts[: comm.rank + 1]) / 2)
            with comm.fuse(half) as fused:
                fused.all_reduce(x := parts[comm.rank].copy())
            same(x, sum(given(r, (4,)) for r in range(comm.size)) / 2)

        over((1, 3), f)

    def test_operators_that_are_none(self):
        def f(comm):
            for text, op in (
                ("no operator 'plus'; .*premultiplied_sum", "plus"),
                ("not of type list", [1]),
                ("premultiplied_sum is no operator on .*int", coll.premultiplied_sum(0.5)),
                ("an int beyond 64 bits", coll.premultiplied_sum(2**64)),
            ):
                with self.assertRaisesRegex(coll.UsageError, f"rank {comm.rank}, reduce #[0-9]+: .*{text}"):
                    comm.reduce(np.ones(3, int), op)
            with self.assertRaisesRegex(coll.MismatchError, "premultiplied_sum"):
                comm.all_reduce(np.ones(3), coll.premultiplied_sum(comm.rank), algorithm="ring")

        over((2,), f)
        with self.assertRaisesRegex(TypeError, "factor is a number, not 'a half'"):
            coll.premultiplied_sum("a half")

    @unittest.skipIf(ml_dtypes is None, "ml_dtypes is not installed")
    def test_bfloat16(self):
        def f(comm):
            x = given(comm.rank, (5,), ml_dtypes.bfloat16)
            total = sum(given(r, (5,)) for r in range(comm.size)).astype(x.dtype)
            same(comm.all_gather(comm.all_reduce(x)), np.stack([total] * comm.size))
            part = comm.empty(3, x.dtype)
            part[:] = comm.rank
            same(comm.all_reduce(part, "max"), np.full(3, comm.size - 1, x.dtype))

        over((3,), f)

    @unittest.skipIf(ml_dtypes is None, "ml_dtypes is not installed")
    def test_floats_of_8_bits(self):
        def f(comm):
            for dtype in (ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2):
                x = np.array([comm.rank, -1, 0.5, 16 if comm.rank == 0 else 1], dtype)
                total = np.array([comm.size * (comm.size - 1) // 2, -comm.size, 0.5 * comm.size,
                                  15 + comm.size]).astype(dtype)
                same(comm.all_gather(comm.all_reduce(x, reproducible=True)),
                     np.stack([total] * comm.size))
                part = comm.empty(3, dtype)
                part[:] = comm.rank
                same(comm.all_reduce(part, "max"), np.full(3, comm.size - 1, dtype))
            with self.assertRaises(coll.UsageError):
                comm.all_reduce(np.zeros(3, ml_dtypes.float8_e4m3b11fnuz))

        over((3,), f)

    def test_memory_that_peers_reach(self):
        def f(comm):
            x = comm.empty((3, 5), np.float32)
            self.assertFalse(x.any())
            x[:] = comm.rank
            part = x[1:]  # keeps the memory
            del x
            comm.all_reduce(part, "max")
            same(part, np.full((2, 5), comm.size - 1, np.float32))
            self.assertEqual(comm.empty(0).shape, (0,))
            for _ in range(50):
                comm.empty(1 << 24, np.uint8)[:] = 1
            with open("/proc/self/status") as status:
                (resident,) = [int(s.split()[1]) for s in status if s.startswith("RssShmem")]
            self.assertLess(resident, 400_000)  # kB: not all 800 MB are there

        over((2,), f)

    def test_other_objects_with_memory(self):
        def f(comm):
            a = array.array("d", [comm.rank, 1])
            comm.all_reduce(a)
            self.assertEqual(a.tolist(), [sum(range(comm.size)), comm.size])
            b = bytearray([comm.rank, 7])
            self.assertEqual(comm.all_reduce(b, "max"), bytearray([comm.size - 1, 7]))
            same(comm.all_gather(bytes([comm.rank])), np.arange(comm.size, dtype=np.uint8)[:, None])
            x = np.full((2, 3), comm.rank, np.int16)
            t = Tensor(x)
            self.assertIs(comm.all_reduce(t), t)
            same(x, np.full((2, 3), sum(range(comm.size)), np.int16))

        over((3,), f)


if __name__ == "__main__":
    unittest.main()
