# SPDX-License-Identifier: BSD-3-Clause
"""What a process holds, and how much more of it after something was done 1,000 times."""

import gc
import os

TIMES, WARM_UP = 1000, 200


def held():
    """Bytes that are resident, descriptors, threads, and parts of memory that others may share."""
    gc.collect()
    with open("/proc/self/statm") as statm:
        resident = int(statm.read().split()[1]) * os.sysconf("SC_PAGESIZE")
    with open("/proc/self/maps") as maps:
        shared = sum(part.split()[1].endswith("s") for part in maps)
    return resident, len(os.listdir("/proc/self/fd")), len(os.listdir("/proc/self/task")), shared


def grows_by(act, meet, times=TIMES):
    """The differences, after a warm-up that fills what is kept once. `meet` returns once all ranks are there."""
    for _ in range(WARM_UP):
        act()
    meet()
    before = held()
    meet()
    for _ in range(times):
        act()
    after = held()
    meet()  # no rank goes on, and ends, while another one counts
    return [b - a for a, b in zip(before, after)]
