# SPDX-License-Identifier: BSD-3-Clause
"""Called at the end of `import torch`: does something only where the environment asks for it."""

import os
import sys


def autoload():
    if os.environ.get("COLLECTIVES_TORCH_AS_GLOO") != "1" or "collectives.torch" in sys.modules:
        return  # the latter, which imports torch, does it itself
    from .torch import as_gloo

    as_gloo()
