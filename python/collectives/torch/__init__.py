# SPDX-License-Identifier: BSD-3-Clause
"""A backend for torch.distributed: `init_process_group("collectives")`.

For the tensors of the CPU alone, beside another backend for those of GPUs:
`init_process_group("cpu:collectives,cuda:nccl")`. `as_gloo()` puts it where a program asks for gloo,
and so does `python -m collectives.torch train.py`, or COLLECTIVES_TORCH_AS_GLOO=1. `empty` makes
tensors in memory that peers reach.
"""

import os

from ._memory import empty, is_shared, pool_usage, set_pool
from ._register import as_gloo, register

__all__ = ["as_gloo", "empty", "is_shared", "pool_usage", "register", "set_pool"]

register()
if os.environ.get("COLLECTIVES_TORCH_AS_GLOO") == "1":
    as_gloo()
