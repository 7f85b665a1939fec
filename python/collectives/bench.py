# SPDX-License-Identifier: BSD-3-Clause
"""python -m collectives.bench [ranks]: the time of an all_reduce of NumPy arrays between processes.

With mpi4py: mpiexec -n 2 python -m collectives.bench --mpi4py, which times MPI's Allreduce in the same way."""

import sys
import time

import numpy as np

SIZES = [4, 1 << 10, 1 << 16, 1 << 20, 1 << 24]


def best_time(call, barrier, size):
    """Seconds a call: the quickest of eleven runs of many calls."""
    calls = max(3, min(20000, (1 << 27) // (size + 4096)))
    times = []
    for _ in range(11):
        barrier()
        begin = time.perf_counter()
        for _ in range(calls):
            call()
        times.append((time.perf_counter() - begin) / calls)
    return min(times)


def measure(comm):
    times = []
    for size in SIZES:
        ours, reached = np.ones(size // 4, np.float32), comm.empty(size // 4, np.float32)
        for x in (ours, reached):
            times.append(best_time(lambda: comm.all_reduce(x), comm.barrier, size))
    return times


def measure_mpi():
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    for size in SIZES:
        x = np.ones(size // 4, np.float32)
        t = best_time(lambda: comm.Allreduce(MPI.IN_PLACE, x), comm.Barrier, size)
        if comm.rank == 0:
            print(f"{size:>10} bytes {t * 1e6:12.2f} us  mpi4py")


def main():
    if "--mpi4py" in sys.argv:
        return measure_mpi()
    import collectives as coll

    ranks = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    times = coll.run(ranks, measure)[0]
    for i, size in enumerate(SIZES):
        own, reached = times[2 * i : 2 * i + 2]
        print(f"{size:>10} bytes {own * 1e6:12.2f} us  {reached * 1e6:12.2f} us by comm.empty")


if __name__ == "__main__":
    main()
