# SPDX-License-Identifier: BSD-3-Clause
"""Tensors that lie in shared memory without asking for it: what programs rely on still holds."""

import importlib.util
import io
import os
import signal
import subprocess
import unittest
from unittest import mock

if importlib.util.find_spec("torch") is None:
    raise unittest.SkipTest("torch is not installed: ./dev torch runs these tests")

import torch
import torch.distributed as dist

import collectives.torch as ct
from torch_ranks import run

ct._register._native()  # built before the ranks are forked

LARGE = 1 << 18  # elements: 1 MiB


def in_fork(call):
    """Whether `call` is true in a forked process. The parent goes on at once: `.wait()` returns it."""
    child = os.fork()
    if child == 0:
        try:
            os._exit(0 if call() else 1)
        finally:
            os._exit(2)
    return lambda: os.waitpid(child, 0)[1] == 0


def taken_and_reused(rank, size):
    before = ct.pool_usage()
    x, small = torch.ones(LARGE), torch.ones(1000)
    assert ct.is_shared(x) and ct.is_shared(x[5:]) and not ct.is_shared(small)
    assert ct.pool_usage()["in_tensors"] == before["in_tensors"] + 4 * LARGE
    dist.all_reduce(x)
    assert (x == size).all()
    place = x.data_ptr()
    del x
    assert ct.pool_usage()["kept"] >= 4 * LARGE
    assert torch.empty(LARGE).data_ptr() == place
    work = dist.all_reduce(torch.ones(LARGE), async_op=True)  # nobody else holds its tensor
    others = [torch.zeros(LARGE) for _ in range(5)]
    work.wait()
    assert (work.result()[0] == size).all() and not any(o.any() for o in others)
    parts = torch.full((size, LARGE), float(rank))
    out = torch.empty(LARGE)
    work = dist.reduce_scatter(out, list(parts.unbind()), async_op=True)
    del parts
    other = torch.zeros(size * LARGE)
    work.wait()
    assert (out == sum(range(size))).all() and not other.any()


def used_as_others(rank, size):
    x = torch.arange(LARGE)
    x.resize_(2 * LARGE)
    assert ct.is_shared(x) and torch.equal(x[:LARGE], torch.arange(LARGE))
    x.untyped_storage().resize_(0)
    y = torch.ones(LARGE).share_memory_()
    assert y.is_shared() and not torch.ones(LARGE).is_shared()
    assert in_fork(lambda: y.fill_(2).any())() and (y == 2).all()
    file = io.BytesIO()
    torch.save(torch.arange(LARGE), file)
    file.seek(0)
    assert torch.equal(torch.load(file), torch.arange(LARGE))
    lazy = torch._lazy_clone(y := torch.ones(LARGE))
    lazy[0] = 5
    assert y[0] == 1
    assert torch.ones(LARGE).numpy().sum() == LARGE


class Numbers(torch.utils.data.Dataset):
    def __init__(self):
        self.all = torch.arange(16.).repeat(LARGE // 4, 1).t().contiguous()

    def __len__(self):
        return len(self.all)

    def __getitem__(self, i):
        row = self.all[i].clone()
        self.all[i] = -1  # as a worker's cache
        return row


def forked(rank, size):
    x = torch.ones(LARGE)
    gate, open_it = os.pipe()

    def child():
        os.read(gate, 1)  # the parent has changed, freed and used it again
        seen = (x == 1).all()
        x.fill_(7)
        fresh = torch.ones(LARGE)
        return seen and not ct.is_shared(fresh) and (fresh == 1).all()

    ends = in_fork(child)
    kept = torch.ones(LARGE)
    x.fill_(3)
    place = x.data_ptr()
    other = in_fork(lambda: (x == 3).all())  # a fork's copy is of its own moment
    x = torch.empty(0)
    again = torch.full((LARGE,), 5.)
    assert again.data_ptr() == place
    os.write(open_it, b"!")
    assert ends() and other() and (again == 5).all() and (kept == 1).all()
    dist.all_reduce(kept)
    assert (kept == size).all()

    def grandchild():
        kept.fill_(9)
        return in_fork(lambda: (kept == 9).all() and kept.fill_(1).any())() and (kept == 9).all()

    assert in_fork(grandchild)() and (kept == size).all()
    data = Numbers()
    assert ct.is_shared(data.all)
    loader = torch.utils.data.DataLoader(data, batch_size=4, num_workers=2,
                                         multiprocessing_context="fork")
    for _ in range(2):
        assert [b[:, 0].tolist() for b in loader] == [[4. * i + j for j in range(4)] for i in range(4)]
    assert (data.all >= 0).all()


def limited(rank, size):
    ct.set_pool(4 << 20)
    held = [torch.ones(LARGE) for _ in range(4)]
    held.pop()
    ct.set_pool(3 << 20)  # for tensors and kept memory together
    assert ct.pool_usage()["in_tensors"] + ct.pool_usage()["kept"] <= 3 << 20
    held.clear()
    all_of_them = [torch.ones(LARGE) for _ in range(5)]
    assert [ct.is_shared(x) for x in all_of_them] == [True] * 3 + [False] * 2
    assert ct.pool_usage()["refused"] == 2
    for x in all_of_them:
        dist.all_reduce(x)
        assert (x == size).all()
    mixed = torch.ones(LARGE)
    if rank == 0:  # one rank's is shared, and the others' are not
        all_of_them.clear()
        mixed = torch.ones(LARGE)
    dist.all_reduce(mixed)
    assert (mixed == size).all() and ct.is_shared(mixed) == (rank == 0)
    all_of_them.clear()
    torch.ones(2 * LARGE)
    assert ct.pool_usage()["kept"] <= 3 << 20  # the smaller ones made room
    ct.set_pool(0)
    assert not ct.is_shared(torch.ones(LARGE)) and ct.pool_usage()["kept"] == 0


def many(rank, size):
    """No more than a forked process can map one by one."""
    ct.set_pool(1 << 30)
    held = [torch.empty(4096) for _ in range(8200)]
    assert sum(map(ct.is_shared, held)) == 8192 and ct.pool_usage()["refused"] == 8
    held[-9].fill_(1)
    assert in_fork(lambda: (held[-9] == 1).all())()
    held.pop(0)
    assert ct.is_shared(torch.empty(4096))


def switched_off(rank, size):
    x = torch.ones(LARGE)
    dist.all_reduce(x)
    return ct.is_shared(x), ct.pool_usage()["limit"]


def told(rank, size):
    return ct.pool_usage()["limit"]


def after_a_failure(rank, size):
    if rank == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    x = torch.ones(LARGE)
    place = x.data_ptr()
    try:
        dist.all_reduce(x)
    except dist.DistBackendError:
        pass
    del x
    fresh = torch.empty(LARGE)
    return fresh.data_ptr() != place and not ct.is_shared(fresh) and ct.pool_usage()["kept"] == 0


def groups_come_and_go(rank, size):
    kept = torch.ones(LARGE)
    for _ in range(3):
        group = dist.new_group()
        dist.all_reduce(torch.ones(LARGE), group=group)
        dist.destroy_process_group(group)
        del group
    dist.destroy_process_group()
    assert not ct.is_shared(torch.ones(LARGE)) and ct.pool_usage()["kept"] == 0
    assert (kept == 1).all() and ct.is_shared(kept)


def of_a_larger_job(rank, size):
    """The ranks of the first job keep no memory that those of a larger one would not reach."""
    pair = dist.new_group([0, 1], backend="collectives")
    if rank < 2:
        x = torch.ones(LARGE)
        assert ct.is_shared(x)
        del x
        assert ct.pool_usage()["kept"] >= 4 * LARGE
    everybody = dist.new_group(backend="collectives")
    assert ct.pool_usage()["kept"] == 0
    x = torch.ones(LARGE)
    assert ct.is_shared(x)
    dist.all_reduce(x, group=everybody)
    if rank < 2:  # the first job goes on
        dist.all_reduce(x, group=pair)
    assert (x == size * (2 if rank < 2 else 1)).all()
    del x
    assert ct.pool_usage()["kept"] >= 4 * LARGE


def programs_started(rank, size):
    x = torch.ones(1 << 22)
    subprocess.run(["true"], check=True, preexec_fn=lambda: None)  # a fork; else it is none
    subprocess.run(["true"], check=True)
    assert (x == 1).all() and ct.is_shared(x)


class Pool(unittest.TestCase):
    def test_programs_see_no_difference(self):
        for call in (taken_and_reused, used_as_others, forked, limited, groups_come_and_go,
                     programs_started):
            for size in (2, 3):
                with self.subTest(call=call.__name__, size=size):
                    run(call, size)

    def test_many(self):
        run(many, 2)

    def test_a_larger_job(self):
        run(of_a_larger_job, 3, backend="gloo")

    def test_variable(self):
        with mock.patch.dict(os.environ, COLLECTIVES_TORCH_POOL="off"):
            self.assertEqual(run(switched_off, 2), [(False, 0)] * 2)
        for text, limit in (("0", 0), ("123456", 123456), ("64M", 64 << 20), ("2G", 2 << 30)):
            with mock.patch.dict(os.environ, COLLECTIVES_TORCH_POOL=text):
                self.assertEqual(run(told, 2), [limit] * 2)
        for text in ("no", "-1", "5T", "M", "1.5G"):
            with mock.patch.dict(os.environ, COLLECTIVES_TORCH_POOL=text):
                with self.assertRaisesRegex(AssertionError, "COLLECTIVES_TORCH_POOL is"):
                    run(told, 2)

    def test_memory_of_a_failed_call_is_not_used_again(self):
        self.assertEqual(run(after_a_failure, 3, lost=[1]), [True, None, True])

    def test_alone_a_rank_shares_nothing(self):
        self.assertEqual(run(switched_off, 1)[0][0], False)


if __name__ == "__main__":
    unittest.main()
