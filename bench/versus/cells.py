# SPDX-License-Identifier: BSD-3-Clause
"""What is measured: blocks, each a program's run that gives the times of several cells."""

import csv
import os
import re
import subprocess
import tempfile

COLLECTIVES = ("all_reduce", "reduce_scatter", "all_gather", "broadcast", "reduce", "gather", "scatter", "all_to_all",
               "barrier")
RANKS = {"shm": (2, 4, 8), "threads": (2, 4, 8), "mpi-mpich": (2, 4), "mpi-openmpi": (2, 4), "ucx": (2, 4)}
TARGETS = {"shm": [], "threads": [], "mpi-mpich": ["coll_perf_mpich"], "mpi-openmpi": ["coll_perf_openmpi"],
           "ucx": ["collrun"]}
OPTIONS = ("--transport", "--ranks", "--collective", "--minbytes", "--maxbytes", "--stepfactor", "--iters",
           "--budget", "--form", "--time-limit", "--csv")
# 4, 64, 1 Ki, 16 Ki, 256 Ki and 4 Mi bytes; quickly: 4, 4 Ki and 4 Mi
FACTOR, QUICK_FACTOR = "16", "1024"
SECONDS_PER_BLOCK = 300


class Failed(Exception):
    """A program did not end well."""


def run(command):
    try:
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False,
                              timeout=SECONDS_PER_BLOCK)
    except subprocess.TimeoutExpired as e:
        raise Failed(f"not done after {SECONDS_PER_BLOCK} s") from e
    if done.returncode != 0:
        lines = (done.stderr or done.stdout).strip().splitlines()
        raise Failed(f"status {done.returncode}: {lines[-1] if lines else 'no word'}")
    return done.stdout


class Perf:
    """One collective over one transport and so many ranks, at all sizes, by each tree's coll_perf."""

    def __init__(self, transport, collective, ranks):
        self.transport, self.collective, self.ranks = transport, collective, ranks
        self.name = f"{transport}/{collective}/{ranks}"
        self.targets = ["coll_perf", *TARGETS[transport]]

    def has(self, cell):
        return cell[:3] == (self.transport, self.collective, self.ranks)

    def left_out(self):
        spins = self.transport == "mpi-mpich" and self.ranks > len(os.sched_getaffinity(0))
        return "MPICH's ranks spin, and do not end with fewer cores than ranks" if spins else ""

    def measure(self, tree, quick):
        """{cell: microseconds}, a cell being (transport, collective, ranks, bytes or words)"""
        with tempfile.NamedTemporaryFile(suffix=".csv") as table:
            run([tree.release / "tools/coll_perf", "--transport", self.transport, "--collective", self.collective,
                 "--ranks", self.ranks, "--minbytes", "4", "--maxbytes", "4M",
                 "--stepfactor", QUICK_FACTOR if quick else FACTOR, "--iters", "10" if quick else "30",
                 "--budget", "0.1", "--form", "out", "--time-limit", "20", "--csv", table.name])
            with open(table.name, encoding="utf-8", newline="") as file:
                rows = [row for row in csv.DictReader(file) if float(row["median_us"]) > 0]
        return {(self.transport, self.collective, self.ranks, row["bytes"]): float(row["median_us"]) for row in rows}


class Fusion:
    """Steps of many tensors, by this tree's bench/fusion.cpp with each tree's library."""

    name, targets = "fusion", []
    line = re.compile(r"^(.*?)\s+(\d+) ranks,.*: fused +([\d.]+) us,.*default threshold +([\d.]+) us;"
                      r" not fused +([\d.]+) us", re.M)

    def __init__(self):
        self.programs = {}

    def has(self, cell):
        return cell[1] == "fusion"

    def left_out(self):
        return ""

    def prepare(self, trees):
        self.programs = {tree.name: tree.build_program("fusion") for tree in trees}

    def measure(self, tree, quick):
        times = {}
        for what, ranks, *figures in self.line.findall(run([self.programs[tree.name], 3 if quick else 15])):
            for how, figure in zip(("one bucket", "default", "not fused"), figures):
                times["shm", "fusion", int(ranks), f"{what}, {how}"] = float(figure)
        if not times:
            raise Failed("bench/fusion.cpp prints other lines than bench/versus/cells.py reads")
        return times


def blocks(pattern):
    """Those whose name TRANSPORT/COLLECTIVE/RANKS, or `fusion`, the pattern is found in."""
    every = [Perf(transport, collective, ranks)
             for transport, counts in RANKS.items() for ranks in counts for collective in COLLECTIVES]
    return [block for block in [*every, Fusion()] if re.search(pattern, block.name)]
