# SPDX-License-Identifier: BSD-3-Clause
"""Members of Communicator that need no C++: objects, memory as arrays, fusion."""

import math
import operator
import pickle

import numpy as np

from . import _core
from ._core import Communicator
from ._errors import UsageError


def _bytes_of(obj):
    return np.frombuffer(pickle.dumps(obj, protocol=pickle.HIGHEST_PROTOCOL), np.uint8)


def broadcast_object(self, obj=None, root=0, **how):
    """Root's object, on every rank."""
    data = _bytes_of(obj).copy() if self.rank == root else None
    size = np.array([0 if data is None else data.size])
    self.broadcast(size, root, **how)
    if data is None:
        data = np.empty(size[0], np.uint8)
    self.broadcast(data, root, **how)
    return obj if self.rank == root else pickle.loads(data)


def gather_object(self, obj, root=0, **how):
    """The list of all ranks' objects, on root; None elsewhere."""
    return _gather(self, obj, lambda x, counts: self.gather(x, root, counts=counts, **how), how)


def all_gather_object(self, obj, **how):
    """The list of all ranks' objects, on every rank."""
    return _gather(self, obj, lambda x, counts: self.all_gather(x, counts=counts, **how), how)


def _gather(comm, obj, gather, how):
    data = _bytes_of(obj)
    counts = comm.all_gather(np.int64(data.size), **how)
    joined = gather(data, counts)
    if joined is None:
        return None
    ends = np.cumsum(counts)
    return [pickle.loads(joined[end - n : end]) for n, end in zip(counts, ends)]


def scatter_object(self, objs=None, root=0, **how):
    """Object `rank` of root's list."""
    parts, sizes = None, None
    if self.rank == root:
        objs = list(objs)
        if len(objs) != self.size:
            self.abort(f"scatter_object: {len(objs)} objects for {self.size} ranks")
        parts = [_bytes_of(obj) for obj in objs]
        sizes = np.array([part.size for part in parts])
    else:
        sizes = np.empty(self.size, np.int64)
    self.broadcast(sizes, root, **how)
    mine = np.empty(sizes[self.rank], np.uint8)
    self.scatter(np.concatenate(parts) if parts else None, mine, root, counts=sizes, **how)
    return pickle.loads(mine)


def send_object(self, obj, to, tag=0, **how):
    """An object to rank `to`."""
    data = _bytes_of(obj)
    self.send(np.array([data.size]), to, tag, **how)
    self.send(data, to, tag, **how)


def recv_object(self, source, tag=0, **how):
    """An object from rank `source`."""
    size = np.empty(1, np.int64)
    self.recv(size, source, tag, **how)
    data = np.empty(size[0], np.uint8)
    self.recv(data, source, tag, **how)
    return pickle.loads(data)


def empty(self, shape, dtype=float):
    """An array of zeros in memory that peers reach. Collective; the same size on all ranks."""
    dtype = np.dtype(dtype)
    if dtype.hasobject:
        raise TypeError("empty: peers cannot reach Python objects")
    shape = tuple(operator.index(n) for n in ((shape,) if np.ndim(shape) == 0 else shape))
    if min(shape, default=0) < 0:
        raise UsageError(f"rank {self.rank}, empty: there is no shape {shape}")
    return self._allocate(math.prod(shape) * dtype.itemsize).view(dtype).reshape(shape)


def fuse(self, op="sum", threshold=64 << 20, **how):
    """Tensor fusion: `with comm.fuse() as f: f.all_reduce(a); f.all_reduce(b)`."""
    return _core.fuse(self, op, threshold, **how)


def shrink(self, timeout=None):
    """After a loss: the living ranks in their order. Collective among them."""
    from ._ranks import note_going_on

    note_going_on()
    return self._shrink(timeout)


for member in (broadcast_object, gather_object, all_gather_object, scatter_object, send_object,
               recv_object, empty, fuse, shrink):
    setattr(Communicator, member.__name__, member)
