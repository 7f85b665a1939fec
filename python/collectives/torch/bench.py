# SPDX-License-Identifier: BSD-3-Clause
"""python -m collectives.torch.bench [-n PROCESSES] [--bind] [--all | --models] [--csv FILE]: this backend beside torch's Gloo.

Both are groups of the same processes, called in the same way, in turns. `floor` is a backend that does
nothing: what torch itself takes for a call; with more processes than processors it yields after each
call, as a call that needs all of them must. `here` has tensors as a program makes them, `private` those of
a program that has switched the pool off; so are those of the other columns.
Each time is the quickest of several rounds of many calls. With --models instead: a step of DDP, and series
of calls as decoding makes them."""

import argparse
import multiprocessing
import os
import statistics
import tempfile
import time

import torch
import torch.distributed as dist

import collectives.torch

SIZES = [4, 1 << 10, 1 << 12, 1 << 16, 1 << 20, 1 << 24]
FLOOR, OURS, PRIVATE, GLOO = "floor", "collectives", "private", "gloo"


def calls_of(group, empty, size, n, rank, every):
    """The calls, by name: each on tensors of which the larger has, per rank, `size` bytes."""
    x, out = empty(size // 4).fill_(1), empty(size // 4 * n).fill_(1)
    parts = list(empty(n, size // 4).fill_(1).unbind()) if rank == 0 else None
    result = {
        "all_reduce": lambda: dist.all_reduce(x, group=group),
        "reduce_scatter_tensor": lambda: dist.reduce_scatter_tensor(x, out, group=group),
        "all_gather_into_tensor": lambda: dist.all_gather_into_tensor(out, x, group=group),
    }
    if every:
        other = empty(size // 4 * n).fill_(1)
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


def times_of(groups, rank, given):
    """Seconds a call, by call, size and group."""
    result = {}
    for size in given.sizes:
        calls = {name: calls_of(group, empty, size, given.n, rank, given.all)
                 for name, (group, empty) in groups.items()}
        if given.n > os.cpu_count():
            calls[FLOOR] = {call: (lambda run=run: (run(), os.sched_yield()))
                            for call, run in calls[FLOOR].items()}
        for call in calls[OURS]:
            rounds = {name: [] for name in groups}
            for _ in range(given.rounds):
                for name in groups:
                    run = calls[name][call]
                    many = max(3, min(given.calls, (1 << 26) // (size + 4096)))
                    dist.barrier()
                    run()  # after the barrier some ranks still sleep
                    begin = time.perf_counter()
                    for _ in range(many):
                        run()
                    rounds[name].append((time.perf_counter() - begin) / many)
            of_all = statistics.median if given.median else min
            result[call, size] = {name: of_all(times) for name, times in rounds.items()}
    return result


def private(*shape):
    """A tensor that is not in the pool."""
    limit = collectives.torch.pool_usage()["limit"]
    collectives.torch.set_pool(0)
    x = torch.empty(*shape)
    collectives.torch.set_pool(limit)
    return x


def rank_main(rank, given, file, pipe):
    from . import _bench_model, _register

    if given.bind:
        processors = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {processors[rank % len(processors)]})
    torch.set_num_threads(1)
    native = _register._native()
    dist.Backend.register_backend(FLOOR, lambda store, r, n, time: native.create_floor(r, n),
                                  devices=["cpu"])
    dist.init_process_group(GLOO, init_method=f"file://{file}", rank=rank, world_size=given.n)
    made = {name: dist.new_group(backend=name) for name in (FLOOR, OURS, GLOO)}
    groups = {FLOOR: (made[FLOOR], private), OURS: (made[OURS], torch.empty),
              PRIVATE: (made[OURS], private), GLOO: (made[GLOO], private)}
    if given.models:
        times = _bench_model.times_of({OURS: made[OURS], GLOO: made[GLOO]}, rank, given.rounds)
    else:
        times = times_of(groups, rank, given)
    slowest = [None] * given.n
    dist.all_gather_object(slowest, times)
    if rank == 0:
        pipe.send({k: {g: max(t[k][g] for t in slowest) for g in times[k]} for k in times})
    dist.destroy_process_group()


def main():
    parser = argparse.ArgumentParser(prog="python -m collectives.torch.bench", description=__doc__)
    parser.add_argument("-n", type=int, default=2, metavar="PROCESSES")
    parser.add_argument("--all", action="store_true", help="every collective, not three of them")
    parser.add_argument("--models", action="store_true", help="DDP and decoding instead")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, metavar="BYTES")
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--median", action="store_true", help="of the rounds, not the quickest of them")
    parser.add_argument("--calls", type=int, default=400, help="at most so many in a round: few, and many "
                        "rounds, where the machine does other work too")
    parser.add_argument("--bind", action="store_true", help="each rank to one processor, as many to each: "
                        "else a scheduler may run three of four on one of two")
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
    if given.models:
        print(f"{'':34}{'here':>10}{'Gloo':>10}{'Gloo/here':>11}")
        for what, t in times.items():
            print(f"{what:34}{t[OURS] * 1e6:>10.0f}{t[GLOO] * 1e6:>10.0f}{t[GLOO] / t[OURS]:>11.1f}")
        return
    print(f"{'call':24}{'bytes':>10}{'floor':>9}{'here':>10}{'private':>10}{'Gloo':>10}{'Gloo/here':>11}"
          f"{'Gloo/private':>14}")
    for (call, size), t in sorted(times.items(), key=lambda one: (one[0][0] != "all_reduce", one[0])):
        us = {k: v * 1e6 for k, v in t.items()}
        print(f"{call:24}{size:>10}{us[FLOOR]:>9.1f}{us[OURS]:>10.1f}{us[PRIVATE]:>10.1f}{us[GLOO]:>10.1f}"
              f"{us[GLOO] / us[OURS]:>11.1f}{us[GLOO] / us[PRIVATE]:>14.1f}")
    if given.csv:
        with open(given.csv, "w") as file:
            print("call,bytes,floor_us,collectives_us,private_us,gloo_us", file=file)
            for (call, size), t in times.items():
                print(call, size, *(f"{us * 1e6:.2f}" for us in t.values()), sep=",", file=file)


if __name__ == "__main__":
    main()
