# SPDX-License-Identifier: BSD-3-Clause
"""python -m collectives.torch.bench [-n PROCESSES] [--all] [--csv FILE]: this backend beside torch's Gloo.

Both are groups of the same processes, called in the same way, in turns. `floor` is a backend that does
nothing: what torch itself takes for a call. Each time is the quickest of several runs of many calls."""

import argparse
import multiprocessing
import os
import tempfile
import time

import torch
import torch.distributed as dist

SIZES = [4, 1 << 10, 1 << 12, 1 << 16, 1 << 20, 1 << 24]
FLOOR, OURS, GLOO = "floor", "collectives", "gloo"


def calls_of(group, size, n, rank, every):
    """The calls, by name: each on tensors of which the larger has, per rank, `size` bytes."""
    x, out = torch.ones(size // 4), torch.ones(size // 4 * n)
    parts = list(torch.ones(n, size // 4).unbind()) if rank == 0 else None
    result = {
        "all_reduce": lambda: dist.all_reduce(x, group=group),
        "reduce_scatter_tensor": lambda: dist.reduce_scatter_tensor(x, out, group=group),
        "all_gather_into_tensor": lambda: dist.all_gather_into_tensor(out, x, group=group),
    }
    if every:
        other = torch.ones_like(out)
        result |= {
            "broadcast": lambda: dist.broadcast(x, 0, group=group),
            "reduce": lambda: dist.reduce(x, 0, group=group),
            "gather": lambda: dist.gather(x, parts, 0, group=group),
            "scatter": lambda: dist.scatter(x, parts, 0, group=group),
            "all_to_all_single": lambda: dist.all_to_all_single(other, out, group=group),
        }
        if size == SIZES[0]:
            result["barrier"] = lambda: dist.barrier(group=group)
    return result


def times_of(groups, sizes, rank, n, every, rounds):
    """Seconds a call, by call, size and group."""
    result = {}
    for size in sizes:
        calls = {name: calls_of(g, size, n, rank, every) for name, g in groups.items()}
        for call in calls[OURS]:
            best = dict.fromkeys(groups, float("inf"))
            for _ in range(rounds):
                for name in groups:
                    run = calls[name][call]
                    many = max(3, min(400, (1 << 23) // (size + 4096)))
                    dist.barrier()
                    begin = time.perf_counter()
                    for _ in range(many):
                        run()
                    best[name] = min(best[name], (time.perf_counter() - begin) / many)
            result[call, size] = best
    return result


def rank_main(rank, given, file, pipe):
    from . import _register

    torch.set_num_threads(1)
    native = _register._native()
    dist.Backend.register_backend(FLOOR, lambda store, r, n, time: native.create_floor(r, n),
                                  devices=["cpu"])
    dist.init_process_group(GLOO, init_method=f"file://{file}", rank=rank, world_size=given.n)
    groups = {name: dist.new_group(backend=name) for name in (FLOOR, OURS, GLOO)}
    times = times_of(groups, given.sizes, rank, given.n, given.all, given.rounds)
    slowest = [None] * given.n
    dist.all_gather_object(slowest, times)
    if rank == 0:
        pipe.send({k: {g: max(t[k][g] for t in slowest) for g in groups} for k in times})
    dist.destroy_process_group()


def main():
    parser = argparse.ArgumentParser(prog="python -m collectives.torch.bench", description=__doc__)
    parser.add_argument("-n", type=int, default=2, metavar="PROCESSES")
    parser.add_argument("--all", action="store_true", help="every collective, not three of them")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, metavar="BYTES")
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--csv", help="a file for the times")
    given = parser.parse_args()
    if os.environ.get("COLLECTIVES_TORCH_AS_GLOO") == "1":
        parser.error("with COLLECTIVES_TORCH_AS_GLOO=1 gloo is this backend, too")
    from . import _register

    _register._native()  # built before the ranks are forked
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    with tempfile.TemporaryDirectory() as folder:
        ranks = [context.Process(target=rank_main, args=(r, given, os.path.join(folder, "store"), theirs))
                 for r in range(given.n)]
        for rank in ranks:
            rank.start()
        theirs.close()
        try:
            times = ours.recv()
        except EOFError:
            raise SystemExit("a rank failed") from None
        for rank in ranks:
            rank.join()
    print(f"{given.n} processes, {os.cpu_count()} processors, torch {torch.__version__}; microseconds")
    print(f"{'call':24}{'bytes':>10}{'floor':>10}{'here':>11}{'Gloo':>11}{'Gloo/here':>11}")
    for (call, size), t in sorted(times.items(), key=lambda one: (one[0][0] != "all_reduce", one[0])):
        us = {k: v * 1e6 for k, v in t.items()}
        print(f"{call:24}{size:>10}{us[FLOOR]:>10.1f}{us[OURS]:>11.1f}{us[GLOO]:>11.1f}"
              f"{us[GLOO] / us[OURS]:>11.1f}")
    if given.csv:
        with open(given.csv, "w") as file:
            print("call,bytes,floor_us,collectives_us,gloo_us", file=file)
            for (call, size), t in times.items():
                print(call, size, *(f"{t[k] * 1e6:.2f}" for k in (FLOOR, OURS, GLOO)), sep=",", file=file)


if __name__ == "__main__":
    main()
