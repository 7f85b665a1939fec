# SPDX-License-Identifier: BSD-3-Clause
"""Ranks as processes of this machine."""

import operator
import os
import pickle
import secrets
import signal
import subprocess
import sys
import threading
import traceback

from . import _ranks
from ._errors import RunError, UsageError
from ._job import Job


def run(size, f, *args, start="auto"):
    """Calls f(comm, *args) in `size` processes at once; returns the list of results by rank.

    start="fork" forks this process: f may be anything, also a lambda. "fresh" starts interpreters,
    to which cloudpickle carries f and args. "auto" forks where Python has one thread.

    Raises RunError for the rank that failed first. Ranks that still run 5 seconds later are killed,
    unless a rank has called `shrink`.
    """
    if _ranks.is_preparing:
        raise UsageError("run: a rank imports the main module, which calls run again: "
                         "call it below `if __name__ == '__main__':`")
    size = operator.index(size)
    if size < 1:
        raise UsageError(f"run: {size} ranks")
    if not callable(f):
        raise UsageError(f"run: f is of type {type(f).__name__}, which cannot be called")
    job_name = f"collectives-{os.geteuid()}-run-{os.getpid()}-{secrets.token_hex(8)}"
    begin = _fork if _forks(start) else _fresh(f, args, start)
    with Job() as job:
        with job.starting():
            for rank in range(size):
                begin(job, rank, size, job_name, f, args)
        job.wait()
        first = job.first_failed()
        if first is not None:
            _raise(first)
        return [pickle.loads(rank.result) for rank in job.ranks]


def _forks(start):
    if start not in ("auto", "fork", "fresh"):
        raise UsageError(f"run: start is 'auto', 'fork' or 'fresh', not {start!r}")
    return start == "fork" or (start == "auto" and threading.active_count() == 1)


def _fork(job, rank, size, name, f, args):
    sys.stdout.flush()
    sys.stderr.flush()
    theirs, ours = os.pipe()[::-1]
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            os.close(ours)
            job.forget()
            signal.signal(signal.SIGINT, signal.default_int_handler)
            _ranks.allow_interrupts()
            status = _ranks.live(rank, size, name, theirs, parent, lambda comm: f(comm, *args))
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    os.close(theirs)
    job.add(rank, pid, ours)


def _fresh(f, args, start):
    """What starts a fresh interpreter that calls f."""
    from multiprocessing import spawn

    what = _picklable(f, args, start)

    def begin(job, rank, size, name, _f, _args):
        given = os.memfd_create("collectives")
        try:
            preparation = spawn.get_preparation_data(f"rank {rank}")
            preparation.pop("authkey", None)  # which may not be pickled
            os.write(given, pickle.dumps((rank, size, name, os.getpid(), preparation)))
            with open(given, "r+b", closefd=False) as file:
                file.seek(0, os.SEEK_END)
                file.write(what)
            os.lseek(given, 0, os.SEEK_SET)
            ours, theirs = os.pipe()
            code = f"from collectives._ranks import main; main({given}, {theirs})"
            process = subprocess.Popen([sys.executable, "-c", code], pass_fds=(given, theirs))
        finally:
            os.close(given)
        os.close(theirs)
        process.returncode = 0  # the job waits for it
        job.add(rank, process.pid, ours)

    return begin


def _picklable(f, args, start):
    import cloudpickle

    # A fresh interpreter imports the main module of a script, but has no cells of a notebook.
    by_name = hasattr(sys.modules["__main__"], "__file__")
    try:
        return (_ranks.dumps if by_name else cloudpickle.dumps)((f, args))
    except Exception as e:
        why = "" if start == "fresh" else (
            f", and this process has {threading.active_count()} threads, so that a fork might hang")
        raise UsageError(
            f"run: a fresh interpreter cannot be given {f!r}: {e}{why}. Pass start='fork' if no "
            "other thread holds a lock") from None


def _raise(rank):
    """Raises what is known of the rank's failure."""
    who = f"rank {rank.number}"
    error, cause = None, None
    if rank.failure is not None:
        summary, text, pickled = rank.failure[2:]
        error = RunError(f"{who} threw: {summary}\n\n{text}")
        error.traceback = text
        cause = None if pickled is None else pickle.loads(pickled)
    elif rank.status < 0:
        name = signal.strsignal(-rank.status)
        error = RunError(f"{who} was ended by signal {-rank.status} ({name})")
        error.signal = -rank.status
    else:
        error = RunError(f"{who} ended its process with status {rank.status}")
    error.rank = rank.number
    if rank.status is not None and rank.status >= 0:
        error.exit_status = rank.status
    raise error from cause
