# SPDX-License-Identifier: BSD-3-Clause
"""What the torch backend does when a rank is lost, stopped or late, and what it leaves behind."""

import datetime
import importlib.util
import os
import signal
import subprocess
import time
import unittest

if importlib.util.find_spec("torch") is None:
    raise unittest.SkipTest("torch is not installed: ./dev torch runs these tests")

import torch
import torch.distributed as dist

import collectives.torch
from torch_ranks import run

collectives.torch._register._native()  # built before the ranks are forked


def failure_of(call):
    """The text of the DistBackendError that it raises."""
    try:
        call()
    except dist.DistBackendError as e:
        return str(e)
    raise AssertionError("it raised nothing")


def killed(rank, size):
    x = torch.ones(1000)
    dist.all_reduce(x)
    if rank == size - 1:
        os.kill(os.getpid(), signal.SIGKILL)
    texts = [failure_of(lambda: dist.all_reduce(x)), failure_of(lambda: dist.barrier())]
    work = failure_of(lambda: dist.all_reduce(x, async_op=True).wait())
    return texts + [work]


def within_half_a_second():
    options = dist.AllreduceOptions()
    options.timeout = datetime.timedelta(seconds=0.5)
    return failure_of(lambda: dist.group.WORLD.allreduce([torch.ones(3)], options).wait())


def late(rank, size):
    if rank == 1:
        time.sleep(1.5)
    return within_half_a_second()


def stopped(rank, size):
    dist.all_reduce(torch.ones(3))
    if rank == 1:
        waker = subprocess.Popen(["sh", "-c", f"sleep 1.5; kill -CONT {os.getpid()}"])
        os.kill(os.getpid(), signal.SIGSTOP)
        waker.wait()
    return within_half_a_second()


def different(rank, size):
    x = torch.ones(3 + rank)
    return failure_of(lambda: dist.all_reduce(x))


def aborted(rank, size):
    if rank == 0:
        dist.group.WORLD._get_backend(torch.device("cpu")).abort()
        return None
    return failure_of(lambda: dist.all_reduce(torch.ones(3), async_op=True).wait())


def wait_ends_early(rank, size):
    if rank == 1:
        dist.barrier()
        dist.send(torch.ones(3), 0)
        return None
    x = torch.zeros(3)
    work = dist.irecv(x, 1)
    text = failure_of(lambda: work.wait(datetime.timedelta(milliseconds=100)))
    dist.barrier()
    work.wait()
    assert x.tolist() == [1, 1, 1]
    return text


def detail(rank, size):
    dist.set_debug_level(dist.DebugLevel.DETAIL)
    group = dist.new_group()
    x = torch.ones(4)
    if rank < 2:  # the ranks make as many collectives, but not as many messages
        (dist.recv if rank else dist.send)(x, 1 - rank, group=group)
    dist.all_reduce(x, group=group)
    assert x.tolist() == [size] * 4
    try:
        dist.all_reduce(torch.ones(3 + rank), group=group)
    except RuntimeError as e:
        return str(e)
    raise AssertionError("it raised nothing")


def use():
    """Threads, descriptors, and KiB of memory that belong to this process alone or that it shares."""
    with open("/proc/self/status") as file:
        status = dict(line.split(":", 1) for line in file)
    memory = int(status["RssAnon"].split()[0]) + int(status["RssShmem"].split()[0])
    return int(status["Threads"]), len(os.listdir("/proc/self/fd")), memory


def many_groups(rank, size, count):
    def one():
        group = dist.new_group(list(range(size)))
        dist.all_reduce(torch.ones(2000), group=group)
        dist.all_reduce(torch.ones(20), group=group, async_op=True).wait()
        dist.destroy_process_group(group)

    for _ in range(10):
        one()
    before = use()
    for _ in range(count):
        one()
    return before, use()


class Failures(unittest.TestCase):
    def test_a_killed_rank_is_named(self):
        for texts in run(killed, 3, lost=[2])[:2]:
            for text in texts:
                self.assertIn("rank 2 has died", text)

    def test_a_late_rank_is_named(self):
        for text in run(late, 3):
            self.assertIn("Timed out", text)
            self.assertIn("not entered by rank 1", text)

    def test_a_stopped_rank_is_named(self):
        for text in run(stopped, 3):
            self.assertIn("Timed out", text)
            self.assertIn("not entered by rank 1", text)

    def test_different_calls(self):
        for text in run(different, 2):
            self.assertIn("rank 0 has 3, rank 1 has 4", text)

    def test_abort(self):
        for text in run(aborted, 3)[1:]:
            self.assertIn("aborted by rank 0", text)

    def test_a_wait_that_ends_early_harms_nothing(self):
        self.assertIn("Timed out after 100 ms", run(wait_ends_early, 2)[0])

    def test_detail(self):
        for text in run(detail, 3):
            self.assertIn("mismatch", text.lower())

    def test_groups_leave_nothing(self):
        for before, after in run(many_groups, 2, int(os.environ.get("COLLECTIVES_TEST_GROUPS", "100"))):
            self.assertLessEqual(after[0], before[0])
            self.assertLessEqual(after[1], before[1])
            self.assertLess(after[2] - before[2], 4096)


if __name__ == "__main__":
    unittest.main()
