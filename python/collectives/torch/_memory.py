# SPDX-License-Identifier: BSD-3-Clause
"""Tensors in memory that the ranks of a host share."""

import math

import torch
import torch.distributed as dist

from . import _register


def empty(*shape, dtype=None, group=None):
    """A tensor of the CPU, of any content, for calls in `group`, which copy nothing of it on the way.

    All groups whose ranks are among those of `group` or share its memory move it so; in other calls it is
    a tensor like others. Not collective. Raises RuntimeError where the ranks of the group share no memory.
    """
    shape = shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape
    cpu = torch.device("cpu")
    backend = (group or dist.group.WORLD)._get_backend(cpu)
    if not backend.supports_tensor_alloc(cpu):
        raise RuntimeError(f"collectives.torch.empty: the ranks of this group, of the backend "
                           f"{backend.name()}, share no memory that it could give")
    return backend.allocate_tensor(math.prod(shape), dtype=dtype or torch.get_default_dtype(),
                                   device=cpu).view(shape)


def is_shared(x):
    """Whether peers reach the memory of this tensor of the CPU, so that calls copy nothing of it."""
    return bool(_register._native().is_reached(x.data_ptr(), x.untyped_storage().nbytes()
                                               - x.storage_offset() * x.element_size()))


def set_pool(limit):
    """How many bytes of this process's tensors, of 16 KiB and more, may lie in shared memory without
    asking for it, with those that are kept for the next ones. 0: none from now on; tensors that are
    there stay. The variable COLLECTIVES_TORCH_POOL sets it for the first group."""
    _register._native().set_pool_limit(limit)


def pool_usage():
    """A dict of `limit`, `in_tensors`, `kept` (bytes) and `refused`: how many tensors of 16 KiB and more
    became private, because a limit was reached or the machine had no memory."""
    return dict(zip(("limit", "in_tensors", "kept", "refused"), _register._native().pool_usage()))
