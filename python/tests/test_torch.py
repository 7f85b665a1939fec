# SPDX-License-Identifier: BSD-3-Clause
"""The backend for torch.distributed. Skipped where torch is not installed; ./dev torch installs it."""

import importlib.util
import os
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

if importlib.util.find_spec("torch") is None:
    raise unittest.SkipTest("torch is not installed: ./dev torch runs these tests")

import torch
import torch.distributed as dist

import collectives.torch
from torch_ranks import run

collectives.torch._register._native()  # built before the ranks are forked

WHOLE = [torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.uint16, torch.uint32,
         torch.uint64]
REAL = [torch.float16, torch.bfloat16, torch.float32, torch.float64]
NARROW = [torch.float8_e4m3fn, torch.float8_e5m2, torch.float8_e4m3fnuz, torch.float8_e5m2fnuz]
COMPLEX = [torch.complex64, torch.complex128]
OPS = dist.ReduceOp


def values(rank, dtype, n=37):
    whole = (torch.arange(n) * (rank + 1) + rank) % 3 + 1
    return whole.to(dtype) if dtype not in WHOLE[5:] else whole.to(torch.int64).to(dtype)


def same(a, b):
    as_seen = torch.complex128 if a.is_complex() else torch.float64
    assert a.dtype == b.dtype and a.shape == b.shape, (a.dtype, b.dtype, a.shape, b.shape)
    assert torch.equal(a.to(as_seen), b.to(as_seen)), (a, b)


def every_operator(rank, size):
    done = 0
    for dtype in WHOLE + REAL + NARROW + COMPLEX:
        all_ranks = [values(r, dtype) for r in range(size)]
        wide = torch.complex128 if dtype.is_complex else torch.float64
        stack = torch.stack([x.to(wide) for x in all_ranks])
        expected = {OPS.SUM: stack.sum(0), OPS.PRODUCT: stack.prod(0)}
        if not dtype.is_complex:
            expected |= {OPS.MIN: stack.amin(0), OPS.MAX: stack.amax(0)}
        if dtype.is_floating_point or dtype.is_complex:
            expected[OPS.AVG] = stack.mean(0)
        if dtype in WHOLE:
            bits = torch.stack([x.to(torch.int64) for x in all_ranks])
            for op, f in ((OPS.BAND, torch.bitwise_and), (OPS.BOR, torch.bitwise_or),
                          (OPS.BXOR, torch.bitwise_xor)):
                total = bits[0]
                for more in bits[1:]:
                    total = f(total, more)
                expected[op] = total
        for op, result in expected.items():
            x = values(rank, dtype)
            options = dist.AllreduceOptions()
            options.reduceOp = op  # not by dist.all_reduce, which hands complex numbers on as reals
            dist.group.WORLD.allreduce([x], options).wait()
            if op == OPS.AVG and dtype not in (torch.float64, torch.complex128):
                error = (x.to(wide) - result).abs().max()
                assert error <= 2 * torch.finfo(dtype).eps * 3, (dtype, op, error)
            else:
                same(x, result.to(dtype))
            done += 1
    return done


def booleans(rank, size):
    given = torch.tensor([rank == 0, True, False])
    for op, result in ((OPS.SUM, [True, True, False]), (OPS.MAX, [True, True, False]),
                       (OPS.BOR, [True, True, False]), (OPS.PRODUCT, [False, True, False]),
                       (OPS.MIN, [False, True, False]), (OPS.BAND, [False, True, False]),
                       (OPS.BXOR, [True, size % 2 == 1, False])):
        x = given.clone()
        dist.all_reduce(x, op)
        assert x.tolist() == result, (op, x)


def premultiplied(rank, size):
    x = torch.full((5,), float(rank + 1))
    dist.all_reduce(x, dist._make_nccl_premul_sum(0.5))
    assert x.tolist() == [size * (size + 1) / 4] * 5, x


def strided(rank, size):
    x = torch.arange(12.).view(3, 4).t() * (rank + 1)
    dist.all_reduce(x)
    assert torch.equal(x, torch.arange(12.).view(3, 4).t() * (size * (size + 1) / 2))
    y = torch.full((4, 6), -1.)[:, ::2]
    if rank == 1:
        y.copy_(torch.arange(12.).view(4, 3))
    dist.broadcast(y, 1)
    assert torch.equal(y, torch.arange(12.).view(4, 3))
    out = [torch.empty(3, 2).t() for _ in range(size)]
    dist.all_gather(out, torch.full((3, 2), float(rank)).t())
    assert all(torch.equal(t, torch.full((2, 3), float(r))) for r, t in enumerate(out))


def rooted(rank, size):
    for root in range(size):
        x = torch.full((3,), float(rank + 1))
        dist.reduce(x, root)
        assert rank != root or x.tolist() == [size * (size + 1) / 2] * 3
        got = [torch.empty(2) for _ in range(size)] if rank == root else None
        dist.gather(torch.full((2,), float(rank)), got, dst=root)
        assert rank != root or [t[0].item() for t in got] == list(range(size))
        given = [torch.full((2,), float(r)) for r in range(size)] if rank == root else None
        y = torch.empty(2)
        dist.scatter(y, given, src=root)
        assert y.tolist() == [rank] * 2


def exchanged(rank, size):
    into = [torch.empty(r + 1) for r in range(size)]
    dist.all_to_all(into, [torch.full((rank + 1,), float(10 * rank + r)) for r in range(size)])
    assert [t.tolist() for t in into] == [[10. * r + rank] * (r + 1) for r in range(size)]
    sends = [r + 1 for r in range(size)]
    out = torch.empty(size * (rank + 1), 2)
    dist.all_to_all_single(out, torch.full((sum(sends), 2), float(rank)), [rank + 1] * size, sends)
    assert out[:, 0].tolist() == [float(r) for r in range(size) for _ in range(rank + 1)]
    uneven = [torch.empty(r + 1) for r in range(size)]
    dist.all_gather(uneven, torch.full((rank + 1,), float(rank)))
    assert [t.tolist() for t in uneven] == [[float(r)] * (r + 1) for r in range(size)]
    x = torch.empty(rank + 1)
    dist.reduce_scatter(x, [torch.ones(r + 1) for r in range(size)])
    assert x.tolist() == [size] * (rank + 1)


def coalesced(rank, size):
    xs = [torch.ones(n) * (rank + 1) for n in (3, 5000, 7)]
    dist.all_reduce_coalesced(xs)
    assert all((x == size * (size + 1) / 2).all() for x in xs)
    outs = [torch.empty(size * n) for n in (2, 3)]
    ins = [torch.full((n,), float(rank)) for n in (2, 3)]
    dist.group.WORLD.allgather_into_tensor_coalesced(outs, ins).wait()
    assert outs[0].tolist() == [float(r) for r in range(size) for _ in range(2)]
    dist.group.WORLD.reduce_scatter_tensor_coalesced(ins, outs).wait()
    assert ins[1].tolist() == [float(rank * size)] * 3


def parts_of_a_group(rank, size):
    """split_group, which only ranks of the part go on with."""
    if torch.__version__.startswith("2.9."):
        return  # it splits groups with a device alone
    half = size // 2
    part = dist.split_group(None, [list(range(half))[::-1], list(range(half, size))])
    x = torch.tensor([float(rank)])
    dist.all_reduce(x, group=part)
    assert x.item() == sum(range(half) if rank < half else range(half, size))
    assert part.rank() == (half - 1 - rank if rank < half else rank - half)
    first = dist.split_group(None, [[0]])
    assert (first == dist.GroupMember.NON_GROUP_MEMBER) == (rank != 0)


def in_shared_memory(rank, size):
    pages = []
    for i in range(20):
        x = collectives.torch.empty(1000, 300)
        assert x.shape == (1000, 300) and x.dtype == torch.float32 and x.is_contiguous()
        x.fill_(rank + i)
        work = dist.all_reduce(x, async_op=i % 2 == 1)
        if work is not None:
            work.wait()
        pages.append(x.data_ptr())
        part = collectives.torch.empty(300_000 * size, dtype=torch.float64)
        dist.all_gather_into_tensor(part, x.to(torch.float64).view(-1))
        assert (part == sum(r + i for r in range(size))).all()
    assert len(set(pages)) < 5, "memory of freed tensors is not used again"
    own = dist.new_group([rank], use_local_synchronization=True)
    assert collectives.torch.empty((3, 4), dtype=torch.bool, group=own).shape == (3, 4)
    forked = os.fork()
    if forked == 0:  # as a worker of a DataLoader: what it lets go of stays its parent's
        del x
        os._exit(0)
    assert os.waitpid(forked, 0)[1] == 0
    assert collectives.torch.empty(1000, 300).data_ptr() != x.data_ptr()
    kept = collectives.torch.empty(10).fill_(7)
    dist.destroy_process_group()
    assert kept.sum() == 70  # memory outlives the group


def calls_of_the_package(comm):
    """Tensors without torch.distributed: DLPack carries them."""
    total = comm.size * (comm.size + 1) // 2
    for dtype in REAL + NARROW[:2] + COMPLEX + WHOLE:
        x = torch.full((4,), comm.rank + 1).to(dtype)
        y = torch.empty((comm.size, 4), dtype=dtype)
        where = x.data_ptr()
        assert comm.all_reduce(x) is x and x.data_ptr() == where
        same(comm.all_gather(x, out=y), torch.full((comm.size, 4), total).to(dtype))
    with unittest.mock.patch.dict(sys.modules, ml_dtypes=None):
        try:
            comm.all_gather(torch.ones(3, dtype=torch.bfloat16))
        except collectives.UsageError as e:
            return str(e)


class Calls(unittest.TestCase):
    def test_tensors_without_the_backend(self):
        for text in collectives.run(2, calls_of_the_package, start="fork"):
            self.assertIn("an array of bfloat16 needs ml_dtypes", text)

    def test_operators_on_every_type(self):
        for size in (2, 3):
            self.assertEqual(run(every_operator, size), [102] * size)

    def test_booleans(self):
        run(booleans, 2)
        run(booleans, 3)

    def test_calls(self):
        for call in (premultiplied, strided, rooted, exchanged, coalesced, parts_of_a_group,
                     in_shared_memory):
            for size in (2, 4) if call in (strided, parts_of_a_group) else (1, 2, 4):
                with self.subTest(call=call.__name__, size=size):
                    run(call, size)

    def test_in_the_place_of_gloo(self):
        """A program that knows nothing of this backend, started in the two ways."""
        with tempfile.TemporaryDirectory() as folder:
            script = os.path.join(folder, "train.py")
            with open(script, "w") as file:
                file.write(PROGRAM)
            others = {k: v for k, v in os.environ.items() if k != "COLLECTIVES_TORCH_AS_GLOO"}
            for command, more in (([sys.executable, "-m", "collectives.torch", script], {}),
                                  ([sys.executable, script], {"COLLECTIVES_TORCH_AS_GLOO": "1"})):
                seen = subprocess.run([*command, "3"], env=others | more, stdout=subprocess.PIPE,
                                      check=True, text=True, timeout=240).stdout
                # The ends of lines come in any order: three processes write into one pipe.
                self.assertEqual("".join(seen.split()), "gloo:all_reduce:3.0" * 3)


PROGRAM = """
import sys, tempfile, torch, torch.distributed as dist, torch.multiprocessing as mp
def rank(r, n, store):
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=r, world_size=n)
    x = torch.ones(1)
    dist.all_reduce(x)
    assert "collectives.torch" in sys.modules
    try:
        dist.all_reduce(torch.ones(1 + r))
    except dist.DistBackendError as e:
        assert "collectives, group" in str(e), e
        print(f"{dist.get_backend()}:all_reduce:{x.item()}", flush=True)
if __name__ == "__main__":
    n = int(sys.argv[1])
    mp.spawn(rank, (n, tempfile.mktemp()), n)
"""


if __name__ == "__main__":
    unittest.main()
