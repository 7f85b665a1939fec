# SPDX-License-Identifier: BSD-3-Clause
"""Groups of torch.distributed that are made and destroyed leave nothing behind. Skipped where torch is not installed."""

import importlib.util
import os
import unittest
from unittest import mock

if importlib.util.find_spec("torch") is None:
    raise unittest.SkipTest("torch is not installed: ./dev torch runs these tests")

import torch
import torch.distributed as dist

import collectives.torch
from growth import TIMES, grows_by
from torch_ranks import run

collectives.torch._register._native()  # built before the ranks are forked


def growth(rank, size):
    """Of groups of all ranks and of every other one; each rank is in two that are made in turn."""
    all_ranks = list(range(size))

    def act():
        for members in (all_ranks, all_ranks[::2], all_ranks[1::2]):
            group = dist.new_group(members)
            if rank not in members:
                continue
            x = torch.ones(100)
            dist.all_reduce(x, group=group)
            assert x[0] == len(members)
            dist.destroy_process_group(group)

    return grows_by(act, dist.barrier, TIMES // 2)


class Growth(unittest.TestCase):
    # Torch itself keeps the last 2,000 calls, whose groups may be gone.
    @mock.patch.dict(os.environ, TORCH_FR_BUFFER_SIZE="0")
    def test_groups(self):
        for memory, *others in run(growth, 4):
            self.assertEqual(others, [0, 0, 0], "descriptors, threads, shared memory")
            self.assertLess(memory, 1 << 20)  # a page for each would be 4 MB


if __name__ == "__main__":
    unittest.main()
