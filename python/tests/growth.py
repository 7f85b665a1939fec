# SPDX-License-Identifier: BSD-3-Clause
"""What a process holds, and how much more of it after something was done 1,000 times."""

import gc
import os

TIMES, WARM_UP = 1000, 200


def held():
    """Bytes that are resident, descriptors, threads, and files in shared memory."""
    gc.collect()
    with open("/proc/self/statm") as statm:
        resident = int(statm.read().split()[1]) * os.sysconf("SC_PAGESIZE")
    return (resident, len(os.listdir("/proc/self/fd")), len(os.listdir("/proc/self/task")),
            len(os.listdir("/dev/shm")))


def grows_by(act, meet, times=TIMES):
    """The differences, after a warm-up that fills what is kept once. `meet` returns once all ranks are there."""
    for _ in range(WARM_UP):
        act()
    meet()
    before = held()
    meet()
    for _ in range(times):
        act()
    meet()
    return [b - a for a, b in zip(before, held())]
