#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""torch_symmetric.py RANKS: seconds of an all_reduce of PyTorch's symmetric memory among processes that
share one GPU, as lines "BYTES MICROSECONDS". Status 77 where there is no such PyTorch."""

import os
import statistics
import sys
import tempfile
import time


def rank(me, size, meeting):
    import torch
    import torch.distributed as dist
    import torch.distributed._symmetric_memory as symmetric

    torch.cuda.set_device(0)
    dist.init_process_group("gloo", init_method="file://" + meeting, rank=me, world_size=size)
    group = dist.group.WORLD.group_name
    if hasattr(symmetric, "enable_symm_mem_for_group"):
        symmetric.enable_symm_mem_for_group(group)
    one_shot, two_shot = (getattr(torch.ops.symm_mem, n) for n in ("one_shot_all_reduce", "two_shot_all_reduce_"))
    size_in_bytes = 1024
    while size_in_bytes <= 1 << 30:
        data = symmetric.empty(size_in_bytes // 4, dtype=torch.float32, device="cuda:0")
        symmetric.rendezvous(data, group)
        data.normal_()
        best = None
        for call in (one_shot, two_shot):
            if call is one_shot and size_in_bytes > 1 << 25:
                continue
            times = []
            for i in range(-2, 100 if size_in_bytes < 1 << 24 else 10):
                start = time.perf_counter()
                call(data, "sum", group)
                torch.cuda.synchronize()
                if i >= 0:
                    times.append(time.perf_counter() - start)
            median = statistics.median(times)
            best = median if best is None else min(best, median)
        dist.barrier()
        if me == 0:
            print(size_in_bytes, best * 1e6, flush=True)
        size_in_bytes *= 32


def main():
    try:
        import torch.multiprocessing as processes
        import torch.distributed._symmetric_memory  # noqa: F401
    except ImportError as e:
        print(f"no PyTorch with symmetric memory here: {e}")
        return 77
    os.environ["TORCH_SYMM_MEM_ALLOW_OVERLAPPING_DEVICES"] = "1"
    size = int(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        processes.spawn(rank, (size, os.path.join(folder, "meeting")), nprocs=size)
    return 0


if __name__ == "__main__":
    sys.exit(main())
