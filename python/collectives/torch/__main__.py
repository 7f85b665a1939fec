# SPDX-License-Identifier: BSD-3-Clause
"""python -m collectives.torch train.py [arguments], or -m module [arguments]: runs a program in which
gloo is this backend, in the processes that it starts too."""

import os
import runpy
import sys

USAGE = "usage: python -m collectives.torch SCRIPT [ARGUMENTS], or -m MODULE [ARGUMENTS]"


def main():
    given = sys.argv[1:]
    if not given or given[0] in ("-h", "--help") or given == ["-m"]:
        print(__doc__ if given and given[0] != "-m" else USAGE)
        return 0 if given and given[0] != "-m" else 2
    os.environ["COLLECTIVES_TORCH_AS_GLOO"] = "1"
    from . import as_gloo

    as_gloo()
    if given[0] == "-m":
        sys.argv = given[1:]
        runpy.run_module(given[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = given
        sys.path[0] = os.path.dirname(os.path.abspath(given[0]))
        runpy.run_path(given[0], run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main())
