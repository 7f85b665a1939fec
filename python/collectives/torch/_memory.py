# SPDX-License-Identifier: BSD-3-Clause
"""Tensors in memory that the ranks of a host share."""

import math

import torch
import torch.distributed as dist


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
