# SPDX-License-Identifier: BSD-3-Clause
"""python -m collectives.bench [ranks]: the time of an all_reduce of NumPy arrays between processes.

As ranks of an MPI: mpiexec -n 2 python bench.py --mpi4py times MPI's Allreduce in the same way. It needs an mpi4py that
was built for the launcher's MPI. It does not need the package collectives. python/beside_mpi does all of it."""

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
    import mpi4py
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    if comm.size == 1:  # each rank of another MPI's launcher takes itself for the only one
        sys.exit(f"one rank of {MPI.Get_library_version().splitlines()[0]}: is the launcher another MPI's?")
    name = f"mpi4py {mpi4py.__version__}, {MPI.get_vendor()[0]} {'.'.join(map(str, MPI.get_vendor()[1]))}"
    for size in SIZES:
        x = np.ones(size // 4, np.float32)
        t = best_time(lambda: comm.Allreduce(MPI.IN_PLACE, x), comm.Barrier, size)
        if comm.rank == 0:
            print(f"{size:>10} bytes {t * 1e6:12.2f} us  {name}")


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
