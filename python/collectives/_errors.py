# SPDX-License-Identifier: BSD-3-Clause
"""The errors of the library, by type, with its messages."""


class Error(RuntimeError):
    """Base of all errors of the library."""


class UsageError(Error):
    """The caller's mistake, found before anything was sent. The communicator stays usable."""


class MismatchError(Error):
    """Ranks called with different collectives, counts, types, operators, roots or algorithms."""


class TimeoutError(Error):
    """The time of a call ran out."""

    missing: "list[int]" = []
    """Ranks of the communicator that had not entered the operation."""


class PeerLostError(Error):
    """A rank died, left early, or raised an exception in the middle of an operation."""

    peer: int = -1
    """Its rank in the communicator that reports it."""


class TransportError(Error):
    """The layer below failed: no memory to share, a refused system call."""


class RunError(Error):
    """A rank of `run` failed. If it raised, `__cause__` is its exception."""

    rank: int = -1
    exit_status: int = -1
    """-1 if a signal ended the rank."""
    signal: int = 0
    """The signal that ended the rank, or 0."""
    traceback: str = ""
    """That of the rank's exception, as text."""
