# SPDX-License-Identifier: BSD-3-Clause
"""Runs a function in several processes that are the ranks of a torch.distributed group."""

import datetime
import multiprocessing
import os
import tempfile
import traceback


def _rank(function, rank, size, backend, file, pipe, timeout, arguments):
    import torch
    import torch.distributed as dist

    torch.set_num_threads(1)
    try:
        dist.init_process_group(backend, init_method=f"file://{file}", rank=rank, world_size=size,
                                timeout=datetime.timedelta(seconds=timeout))
        result = function(rank, size, *arguments)
        if dist.is_initialized():
            dist.destroy_process_group()
        pipe.send((True, result))
    except BaseException:
        pipe.send((False, traceback.format_exc()))
        pipe.close()
        os._exit(1)
    pipe.close()


def run(function, size, *arguments, backend="collectives", timeout=60, lost=()):
    """What function(rank, size, *arguments) returns on each rank; None on those that are `lost`."""
    context = multiprocessing.get_context("fork")
    with tempfile.TemporaryDirectory() as folder:
        ranks = []
        for rank in range(size):
            ours, theirs = context.Pipe()
            process = context.Process(target=_rank, args=(function, rank, size, backend,
                                                          os.path.join(folder, "store"), theirs,
                                                          timeout, arguments))
            process.start()
            theirs.close()
            ranks.append((process, ours))
        results = []
        for rank, (process, pipe) in enumerate(ranks):
            try:
                fine, result = pipe.recv() if pipe.poll(240) else (False, "it does not end")
            except EOFError:
                fine, result = rank in lost, None
            if not fine:
                for other, _ in ranks:
                    other.kill()
                raise AssertionError(f"rank {rank}: {result}")
            results.append(result)
        for process, _ in ranks:
            process.join()
        return results
