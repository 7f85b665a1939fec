# SPDX-License-Identifier: BSD-3-Clause
"""A rank of `run`: calls the function and reports to the process that started it."""

import os
import pickle
import signal
import struct
import sys
import time
import traceback

from . import _core
from ._errors import PeerLostError

_pipe = None  # to the process that started this rank
is_preparing = False  # in a fresh interpreter: it imports what its parent's main module is


def _report(kind, *what):
    data = pickle.dumps((kind, *what))
    left = memoryview(struct.pack("=Q", len(data)) + data)
    while left:
        left = left[os.write(_pipe, left) :]


def note_going_on():
    """Says that this rank lives on after a loss, so that nobody ends it."""
    if _pipe is not None:
        _report("going on")


def dumps(obj):
    """Pickles `obj`. What pickle cannot carry, such as classes of a notebook's cells, goes by
    value."""
    try:
        return pickle.dumps(obj)
    except Exception:
        import cloudpickle

        return cloudpickle.dumps(obj)


def _pickled(obj):
    """The exception, if the other side can read it."""
    try:
        data = dumps(obj)
        pickle.loads(data)
        return data
    except Exception:
        return None


def _as_bytes(result):
    try:
        return dumps(result)
    except Exception as e:
        raise TypeError(f"the function's result cannot be pickled: {e}") from None


def allow_interrupts():
    """In a new process: the parent held them back while it started its ranks."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])


def live(rank, size, job, pipe, parent, call):
    """A rank's whole life. `call(comm)` gives its result. Returns its exit status."""
    global _pipe
    _pipe = pipe
    if not _core.end_with(parent):
        return 1
    try:
        try:
            result = _as_bytes(call(_core.join_job(rank, size, job)))
        except SystemExit as e:
            _core.leave()
            return e.code if isinstance(e.code, int) else 0 if e.code is None else 1
        except BaseException as e:
            when = time.monotonic()
            text = "".join(traceback.format_exception(type(e), e, _ours_left_out(e)))
            summary = traceback.format_exception_only(type(e), e)[-1].strip()
            _report("failed", when, isinstance(e, PeerLostError), summary, text, _pickled(e))
            _core.leave()
            return 1
        _report("result", result)
        _core.leave()
        return 0
    finally:
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except Exception:  # the stream is closed, and holds nothing
                pass


def _ours_left_out(e):
    """Its traceback without the frames of this package that lead to the function."""
    trace = e.__traceback__
    folder = os.path.dirname(__file__)
    while trace.tb_next and os.path.dirname(trace.tb_frame.f_code.co_filename) == folder:
        trace = trace.tb_next
    return trace


def main(given, pipe):
    """In a fresh interpreter: reads from the descriptor `given` what to call."""
    global is_preparing
    from multiprocessing import spawn

    allow_interrupts()
    with open(given, "rb") as file:
        rank, size, job, parent, preparation = pickle.load(file)
        is_preparing = True
        spawn.prepare(preparation)
        is_preparing = False

        def call(comm):
            f, args = pickle.load(file)
            return f(comm, *args)

        status = live(rank, size, job, pipe, parent, call)
    sys.exit(status)
