# SPDX-License-Identifier: BSD-3-Clause
"""Groups whose ranks are on several hosts: over UCX where the package was built with it, else over Gloo.

`pip install --config-settings=cmake.define.COLLECTIVES_WITH_UCX=ON ./python` builds it so."""

import contextlib
import importlib.util
import os
import subprocess
import sys
import tempfile
import time
import unittest

if importlib.util.find_spec("torch") is None:
    raise unittest.SkipTest("torch is not installed: ./dev torch runs these tests")

import torch
import torch.distributed as dist

import collectives.torch
from test_torch import coalesced, exchanged, premultiplied, rooted, strided
from test_torch_asynchronous import callbacks, futures, messages
from test_torch_failures import failure_of, killed, late
from test_torch_pool import LARGE, in_fork
from torch_ranks import run

HAS_UCX = collectives.torch._register._native().has_ucx()  # built before the ranks are forked


@contextlib.contextmanager
def hosts_of(ranks, **more):
    """So many ranks count as being on one host."""
    before = dict(os.environ)
    os.environ.update(COLLECTIVES_RANKS_PER_HOST=str(ranks), **more)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def name():
    return dist.group.WORLD._get_backend(torch.device("cpu")).name()


def over_gloo(rank, size):
    x = torch.ones(4)
    dist.all_reduce(x)
    assert x.tolist() == [size] * 4
    return name()


def of_two_minds(rank, size):
    dist.destroy_process_group()
    if rank == 1:
        os.environ["COLLECTIVES_TORCH_BETWEEN_HOSTS"] = "gloo"
    dist.init_process_group("collectives", init_method=os.environ["SECOND_STORE"], rank=rank, world_size=size)
    return over_gloo(rank, size)


def misspelt(rank, size, name, value):
    """What each rank hears, and after how many seconds, where the variable is wrong on the last one."""
    dist.destroy_process_group()
    if rank == size - 1:
        os.environ[name] = value
    began = time.monotonic()
    try:
        dist.init_process_group("collectives", init_method=os.environ["SECOND_STORE"], rank=rank,
                                world_size=size)
    except dist.DistBackendError as e:
        return str(e), time.monotonic() - began


def of_another_version(rank, size):
    dist.destroy_process_group()
    if rank == 1:
        collectives.torch._register._native().set_version(1)
    return failure_of(lambda: dist.init_process_group(
        "collectives", init_method=os.environ["SECOND_STORE"], rank=rank, world_size=size))


def every_call(rank, size):
    for call in (premultiplied, strided, rooted, exchanged, coalesced, messages, futures, callbacks):
        call(rank, size)
    for n in (1, 1000, 300_000):
        x = torch.arange(n, dtype=torch.float64) + rank
        dist.all_reduce(x)
        assert torch.equal(x, size * torch.arange(n, dtype=torch.float64) + sum(range(size)))
    return name()


def of_pairs(rank, size, which):
    """Groups of ranks of one host, or of several."""
    for members in which:
        group = dist.new_group(members)
        if rank in members:
            x = torch.full((5000,), rank + 1.)
            dist.all_reduce(x, group=group)
            assert x[0] == sum(r + 1 for r in members)
            work = dist.all_reduce(x, group=group, async_op=True)
            work.wait()
            assert x[-1] == len(members) * sum(r + 1 for r in members)
            assert group._get_backend(torch.device("cpu")).name() == "collectives"
            dist.destroy_process_group(group)
    dist.barrier()


def forked(rank, size):
    """A fork gets copies of the pool's tensors while UCX, which replaces mmap and mremap, is in use."""
    pair = [dist.new_group([first, first + 1]) for first in range(0, size, 2)][rank // 2]
    x = torch.ones(LARGE)
    assert collectives.torch.is_shared(x)
    dist.all_reduce(x)  # over UCX
    child = in_fork(lambda: (x == size).all() and x.fill_(9).any())
    x.fill_(3)
    assert child() and (x == 3).all()
    dist.all_reduce(x, group=pair)
    dist.all_reduce(x)
    assert (x == 6 * size).all()


class OneMachine(unittest.TestCase):
    def test_gloo_where_the_program_asks_for_it_or_ucx_is_missing(self):
        with hosts_of(1, COLLECTIVES_TORCH_BETWEEN_HOSTS="gloo"):
            self.assertEqual(run(over_gloo, 2), ["gloo", "gloo"])

    def test_an_unknown_way(self):
        with hosts_of(1, COLLECTIVES_TORCH_BETWEEN_HOSTS="doves"):
            with self.assertRaisesRegex(AssertionError, "is 'doves', not ucx or gloo"):
                run(over_gloo, 1)

    def test_a_wrong_variable_of_one_rank_is_an_error_of_all(self):
        for ranks in (1, 3):
            for name, value, said in (("COLLECTIVES_TORCH_BETWEEN_HOSTS", "doves", "not ucx or gloo"),
                                      ("COLLECTIVES_TORCH_POOL", "much", "not off, or bytes")):
                with tempfile.TemporaryDirectory() as folder, self.subTest(name=name, ranks=ranks):
                    with hosts_of(ranks, SECOND_STORE=f"file://{folder}/store"):
                        for text, seconds in run(misspelt, 3, name, value):
                            self.assertRegex(text, f"rank 2: {name} is '{value}', {said}")
                            self.assertLess(seconds, 20)

    def test_another_version(self):
        for ranks in (1, 3):
            with tempfile.TemporaryDirectory() as folder, self.subTest(ranks=ranks):
                with hosts_of(ranks, SECOND_STORE=f"file://{folder}/store"):
                    for text in run(of_another_version, 3):
                        self.assertIn("rank 1 has another version of the package", text)

    @unittest.skipUnless(HAS_UCX, "the package was built without UCX")
    def test_ranks_decide_alike(self):
        with tempfile.TemporaryDirectory() as folder:
            with hosts_of(1, SECOND_STORE=f"file://{folder}/store"):
                self.assertEqual(run(of_two_minds, 2), ["gloo", "gloo"])

    @unittest.skipUnless(HAS_UCX, "the package was built without UCX")
    def test_calls(self):
        with hosts_of(2):
            self.assertEqual(run(every_call, 4), ["collectives"] * 4)

    @unittest.skipUnless(HAS_UCX, "the package was built without UCX")
    def test_groups(self):
        with hosts_of(2):
            run(of_pairs, 4, [[0, 1], [2, 3], [0, 1, 2], [1, 2, 3], [0, 1, 2, 3]] * 3)

    @unittest.skipUnless(HAS_UCX, "the package was built without UCX")
    def test_a_fork(self):
        with hosts_of(2):
            run(forked, 4)

    @unittest.skipUnless(HAS_UCX, "the package was built without UCX")
    def test_a_killed_rank_is_named(self):
        with hosts_of(1, UCX_TLS="tcp,self"):  # in shared memory UCX takes a zombie for alive
            for texts in run(killed, 3, lost=[2])[:2]:
                for text in texts:
                    self.assertRegex(text, "lost: .*rank 2 ")

    @unittest.skipUnless(HAS_UCX, "the package was built without UCX")
    def test_a_late_rank_is_named(self):
        with hosts_of(1):
            for text in run(late, 3):
                self.assertIn("Timed out", text)
                self.assertIn("rank 1", text)


RANK = """
import datetime, os, sys
import torch, torch.distributed as dist
sys.path.insert(0, sys.argv[1])
from test_torch_hosts import every_call, of_pairs
rank, size = int(sys.argv[2]), int(sys.argv[3])
torch.set_num_threads(1)
dist.init_process_group("collectives", init_method=f"file://{sys.argv[4]}", rank=rank, world_size=size,
                        timeout=datetime.timedelta(seconds=60))
print(every_call(rank, size))
of_pairs(rank, size, [[0, 1], [2, 3], [0, 2], [0, 1, 2, 3]])
dist.destroy_process_group()
"""


def ip(*words):
    subprocess.run(["ip", *words], check=True, capture_output=True, text=True)


@contextlib.contextmanager
def linked_hosts():
    """Two network name spaces with a link between them. Skips where they cannot be made."""
    names = [f"torch{os.getpid()}{side}" for side in "ab"]
    made = []
    try:
        try:
            for one in names:
                ip("netns", "add", one)
                made.append(one)
            ip("-n", names[0], "link", "add", "wire", "type", "veth", "peer", "name", "wire",
               "netns", names[1])
            for i, one in enumerate(names):
                ip("-n", one, "addr", "add", f"10.79.0.{i + 1}/24", "dev", "wire")
                for device in ("lo", "wire"):
                    ip("-n", one, "link", "set", device, "up")
        except FileNotFoundError:
            raise unittest.SkipTest("ip is not installed") from None
        except subprocess.CalledProcessError as e:
            raise unittest.SkipTest(f"no network name spaces here: {e.stderr.strip()}") from None
        limit = time.monotonic() + 10
        for one in names:  # UCX leaves a link out until the kernel says that it works
            while "state UP" not in subprocess.check_output(["ip", "-n", one, "link", "show", "wire"],
                                                            text=True):
                assert time.monotonic() < limit, "the link does not come up"
                time.sleep(0.02)
        yield names
    finally:
        for one in made:
            subprocess.run(["ip", "netns", "del", one], check=False)


@unittest.skipUnless(HAS_UCX, "the package was built without UCX")
class TwoHosts(unittest.TestCase):
    def test_calls_between_name_spaces(self):
        here = os.path.dirname(os.path.abspath(__file__))
        with linked_hosts() as hosts, tempfile.TemporaryDirectory() as folder:
            others = {**os.environ, "UCX_TLS": "tcp,self", "UCX_NET_DEVICES": "wire"}
            ranks = [subprocess.Popen(
                ["ip", "netns", "exec", hosts[r // 2], sys.executable, "-c", RANK, here, str(r), "4",
                 os.path.join(folder, "store")],
                env=others, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for r in range(4)]
            try:
                said = [rank.communicate(timeout=120) for rank in ranks]
            finally:
                for rank in ranks:
                    rank.kill()
            for rank, (out, err) in zip(ranks, said):
                self.assertEqual(rank.returncode, 0, err)
                self.assertEqual(out.split(), ["collectives"])


if __name__ == "__main__":
    unittest.main()
