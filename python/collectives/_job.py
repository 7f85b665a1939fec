# SPDX-License-Identifier: BSD-3-Clause
"""The processes of a job: starts them, reads what they report, and leaves none behind."""

import contextlib
import os
import pickle
import select
import signal
import struct
import time

GRACE = 5.0  # seconds that ranks have to end once one has failed


class Rank:
    """A process, and what it has reported."""

    def __init__(self, number, pid, pipe):
        self.number = number
        self.pid = pid
        self.pidfd = os.pidfd_open(pid)
        self.pipe = pipe  # None: it reports nothing
        self.pipe_is_open = pipe is not None
        self.data = bytearray()
        self.result = None  # pickled
        self.failure = None  # (when, is a consequence, summary, traceback, pickled exception)
        self.going_on = False
        self.status = None  # as os.waitstatus_to_exitcode gives it
        self.ended = None  # when
        self.killed = False  # by us

    @property
    def failed(self):
        return self.failure is not None or (self.status is not None and not self.fine)

    @property
    def fine(self):
        return self.status == 0 and (self.pipe is None or self.result is not None)

    def read(self):
        """Takes what is in the pipe, without waiting."""
        while True:
            try:
                some = os.read(self.pipe, 1 << 20)
            except BlockingIOError:
                break
            if not some:
                self.pipe_is_open = False
                break
            self.data += some
        while len(self.data) >= 8:
            (size,) = struct.unpack_from("=Q", self.data)
            if len(self.data) < 8 + size:
                break
            kind, *what = pickle.loads(memoryview(self.data)[8 : 8 + size])
            del self.data[: 8 + size]
            if kind == "result":
                self.result = what[0]
            elif kind == "failed":
                self.failure = what
            else:
                self.going_on = True

    def reap(self):
        pid, status = os.waitpid(self.pid, os.WNOHANG)
        if pid == 0:
            return
        self.status = os.waitstatus_to_exitcode(status)
        self.ended = time.monotonic()
        if self.pipe is not None:
            self.read()

    def kill(self, number):
        if self.status is None:
            self.killed = True
            signal.pidfd_send_signal(self.pidfd, number)


class Job:
    """Use it in a `with`: at its end no process and no descriptor is left."""

    def __init__(self, end_others=None):
        self.ranks = []
        self.end_others = end_others  # a signal for the others once a rank has failed
        self.limit = None  # when ranks are killed

    def __enter__(self):
        return self

    def __exit__(self, error, *_):
        try:
            if error is KeyboardInterrupt:
                # The terminal has told the ranks, too. Twice would cut them short.
                self._ended_within(0.3)
        finally:
            self.stop(signal.SIGINT, 1.0)
        for rank in self.ranks:
            os.close(rank.pidfd)
            if rank.pipe is not None:
                os.close(rank.pipe)

    def add(self, number, pid, pipe=None):
        if pipe is not None:
            os.set_blocking(pipe, False)
        self.ranks.append(Rank(number, pid, pipe))

    @contextlib.contextmanager
    def starting(self):
        """Holds Ctrl-C back, so that every process that was started is known when it comes."""
        before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def forget(self):
        """In a child: closes what belongs to the parent."""
        for rank in self.ranks:
            os.close(rank.pidfd)
            if rank.pipe is not None:
                os.close(rank.pipe)

    def wait(self):
        """Returns once all have ended. After a failure the others have GRACE seconds."""
        while any(rank.status is None for rank in self.ranks):
            failed = any(rank.failed for rank in self.ranks)
            if failed and not any(rank.going_on for rank in self.ranks) and self.limit is None:
                self.limit = time.monotonic() + GRACE
                if self.end_others is not None:
                    self._kill(self.end_others)
            left = None if self.limit is None else self.limit - time.monotonic()
            if left is not None and left <= 0:
                self._kill(signal.SIGKILL)
                left = None
            self._look(left)

    def stop(self, number, time_left):
        """Ends those that still run: by this signal, and SIGKILL after so many seconds."""
        self._kill(number)
        if not self._ended_within(time_left):
            self._kill(signal.SIGKILL)
            self._ended_within(None)

    def first_failed(self):
        """The rank that failed first; not those that failed as a consequence. None: none did."""

        def place(rank):
            when, is_consequence = rank.failure[:2] if rank.failure else (rank.ended, False)
            return rank.killed, is_consequence, when

        return min((rank for rank in self.ranks if rank.failed), key=place, default=None)

    def _ended_within(self, seconds):
        """Whether all have ended: returns once they have, or after so many seconds if not None."""
        limit = None if seconds is None else time.monotonic() + seconds
        while any(rank.status is None for rank in self.ranks):
            left = None if limit is None else limit - time.monotonic()
            if left is not None and left <= 0:
                return False
            self._look(left)
        return True

    def _kill(self, number):
        for rank in self.ranks:
            rank.kill(number)

    def _look(self, seconds):
        """Waits for a report or an end, at most so long."""
        poll = select.poll()
        for rank in self.ranks:
            if rank.status is None:
                poll.register(rank.pidfd, select.POLLIN)
                if rank.pipe_is_open:
                    poll.register(rank.pipe, select.POLLIN)
        ready = {fd for fd, _ in poll.poll(None if seconds is None else seconds * 1000)}
        for rank in self.ranks:
            if rank.pipe in ready:
                rank.read()
            elif rank.pidfd in ready:
                rank.reap()
