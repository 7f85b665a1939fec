# SPDX-License-Identifier: BSD-3-Clause
"""Starts the ranks of a script, or of a module, on this machine."""

import argparse
import os
import secrets
import signal
import subprocess
import sys

from . import _core, _ranks
from ._job import Job

USAGE = "python -m collectives -n RANKS (SCRIPT | -m MODULE) [ARGUMENTS]"
OTHER_LAUNCHERS = ("RANK", "WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "PMI_RANK",
                   "PMI_SIZE", "PMIX_RANK")


def environment(rank, size, job):
    """That of a rank: what other launchers say is not meant for it."""
    result = {k: v for k, v in os.environ.items() if k not in OTHER_LAUNCHERS}
    for kind in ("", "LOCAL_"):
        result[f"COLLECTIVES_{kind}RANK"] = str(rank)
        result[f"COLLECTIVES_{kind}SIZE"] = str(size)
    result["COLLECTIVES_JOB"] = job
    return result


def main():
    rest = argparse.REMAINDER
    parser = argparse.ArgumentParser(prog="python -m collectives", description=__doc__, usage=USAGE)
    parser.add_argument("-n", type=int, required=True, metavar="RANKS", help="how many")
    parser.add_argument("-m", nargs=rest, default=[], help="a module and its arguments")
    parser.add_argument("script", nargs=rest, help="a script and its arguments")
    given = parser.parse_args()
    command = ["-m", *given.m, *given.script] if given.m else given.script
    if given.n < 1 or not command:
        parser.error("give at least one rank, and a script or a module")

    def stop(number, frame):
        raise SystemExit(128 + number)

    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)
    name = f"{os.getpid()}-{secrets.token_hex(8)}"
    parent = os.getpid()

    def begin():
        _ranks.allow_interrupts()
        _core.end_with(parent)

    try:
        with Job(end_others=signal.SIGTERM) as job:
            with job.starting():
                for rank in range(given.n):
                    process = subprocess.Popen([sys.executable, *command],
                                               env=environment(rank, given.n, name),
                                               stdin=None if rank == 0 else subprocess.DEVNULL,
                                               preexec_fn=begin)
                    process.returncode = 0  # the job waits for it
                    job.add(rank, process.pid)
            job.wait()
            first = job.first_failed()
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    if first is None:
        return 0
    return first.status if first.status > 0 else 128 - first.status


if __name__ == "__main__":
    sys.exit(main())
