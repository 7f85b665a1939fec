# SPDX-License-Identifier: BSD-3-Clause
"""Collective communication of arrays between processes.

    import collectives as coll
    results = coll.run(4, lambda comm: comm.all_reduce(numpy.ones(3)))
"""

from . import _communicator, _core
from ._core import (Communicator, Cost, Fusion, Pending, Persistent, Proof, Traffic, algorithms,
                    check, cost)
from ._errors import (Error, MismatchError, PeerLostError, RunError, TimeoutError, TransportError,
                      UsageError)
from ._operators import premultiplied_sum
from ._pictures import Picture, show
from ._run import run

__all__ = [
    "Communicator", "Cost", "Error", "Fusion", "MismatchError", "PeerLostError", "Pending",
    "Persistent", "Picture", "Proof", "RunError", "TimeoutError", "Traffic", "TransportError", "UsageError",
    "algorithms", "check", "cost", "init", "premultiplied_sum", "run", "show",
]

_world = None


def init(timeout=None):
    """The communicator of all ranks, in a script that a launcher started.

    The launcher is `python -m collectives`, mpiexec, srun, torchrun, or what sets COLLECTIVES_RANK
    and COLLECTIVES_SIZE. A second call returns the same communicator.
    """
    global _world
    if _world is None:
        _world = _core.join(timeout)
    return _world
