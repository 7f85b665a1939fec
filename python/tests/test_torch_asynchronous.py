# SPDX-License-Identifier: BSD-3-Clause
"""Calls over the torch backend that go on while the program does something else."""

import importlib.util
import time
import unittest

if importlib.util.find_spec("torch") is None:
    raise unittest.SkipTest("torch is not installed: ./dev torch runs these tests")

import torch
import torch.distributed as dist

import collectives.torch
from torch_ranks import run

collectives.torch._register._native()  # built before the ranks are forked


def messages(rank, size):
    right, left = (rank + 1) % size, (rank - 1) % size
    got = torch.empty(100)
    coming = dist.irecv(got, left, tag=3)  # before the send: it must not block
    dist.isend(torch.full((100,), float(rank)), right, tag=3).wait()
    coming.wait()
    assert got[0] == left
    if rank == 0:
        seen = set()
        for _ in range(size - 1):
            x = torch.empty(1)
            seen.add((dist.recv(x), int(x)))
        assert seen == {(r, r) for r in range(1, size)}
    else:
        dist.send(torch.tensor([float(rank)]), 0)


def from_nobody(rank, size):
    """A receive from any rank ends when all others have gone."""
    if rank != 0:
        return None
    try:
        dist.recv(torch.empty(1))
    except dist.DistBackendError as e:
        return str(e)


def futures(rank, size):
    works = [dist.all_reduce(torch.full((4,), float(i)), async_op=True) for i in range(20)]
    doubled = [w.get_future().then(lambda f: f.value()[0] * 2) for w in works]
    for i, f in enumerate(doubled):
        assert f.wait().tolist() == [2. * size * i] * 4
    assert all(w.is_completed() and w.is_success() for w in works)
    with torch.inference_mode():
        y = torch.ones(6).view(2, 3).t()
        dist.all_reduce(y, async_op=True).wait()
        assert (y == size).all()


def callbacks(rank, size):
    """They make calls of the group, and wait for these, and for such as are under way."""
    def again(done, times):
        x = done.value()[0]
        if times == 0:
            return x.clone()
        dist.all_reduce(x)
        dist.all_reduce(y := torch.ones(3), async_op=True).get_future().wait()
        assert y.tolist() == [size] * 3
        more = dist.all_reduce(x, async_op=True).get_future()
        return more.then(lambda f: again(f, times - 1)).wait()

    works = [dist.all_reduce(torch.full((3,), rank + 1.), async_op=True) for _ in range(5)]
    done = works[2].get_future().then(lambda f: again(f, 2))
    assert done.wait().tolist() == [size * (size + 1) / 2 * size ** 4] * 3
    left, right = (rank - 1) % size, (rank + 1) % size
    if size > 1:
        got = torch.empty(1)
        coming = dist.irecv(got, left)
        then = dist.all_reduce(torch.ones(1), async_op=True).get_future().then(
            lambda f: coming.get_future().wait()[0] + f.value()[0])
        time.sleep(0.05)
        dist.isend(torch.tensor([float(rank)]), right)
        assert then.wait().item() == left + size


def end_within_callbacks(rank, size):
    """The group ends while callbacks call it: each has its result, or an error."""
    said = []

    def again(done):
        x = done.value()[0]
        try:
            dist.all_reduce(x)
            said.append(x.item() == size ** 2)
        except (RuntimeError, ValueError):  # the group, or torch's list of groups, has it no more
            said.append(True)

    for _ in range(5):
        dist.all_reduce(torch.ones(1), async_op=True).get_future().then(again)
    began = time.monotonic()
    dist.destroy_process_group()
    return time.monotonic() - began, said


def works(rank, size):
    """A blocking call has no Work, unless the profiler asks for one."""
    x = torch.ones(3)
    how = dist.AllreduceOptions()
    how.asyncOp = False
    backend = dist.group.WORLD._get_backend(torch.device("cpu"))
    assert backend.allreduce([x], how) is None and x.tolist() == [size] * 3
    assert dist.all_reduce(x, async_op=True).wait() and x.tolist() == [size ** 2] * 3
    with torch.autograd.profiler.profile(use_kineto=False) as seen:
        assert backend.allreduce([x], how).is_completed()
        dist.all_gather_into_tensor(torch.empty(3 * size), x)
        dist.broadcast(x, 0, async_op=True).wait()
    titles = [e.name for e in seen.function_events if e.name.startswith("collectives:")]
    assert sorted(titles) == ["collectives:_all_gather_base", "collectives:all_reduce",
                              "collectives:broadcast"], titles
    assert x.tolist() == [size ** 3] * 3 and backend._get_sequence_number_for_group() == 5


class Asynchronous(unittest.TestCase):
    def test_calls(self):
        for call in (messages, futures, callbacks, works):
            for size in (2, 4) if call is messages else (1, 2, 4):
                with self.subTest(call=call.__name__, size=size):
                    run(call, size)

    def test_the_end_of_a_group_within_callbacks(self):
        for seconds, said in run(end_within_callbacks, 2):
            self.assertLess(seconds, 20)
            self.assertEqual(said, [True] * 5)

    def test_receive_from_nobody(self):
        self.assertIn("all other ranks have gone", run(from_nobody, 3)[0])


if __name__ == "__main__":
    unittest.main()
