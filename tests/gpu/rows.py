# SPDX-License-Identifier: BSD-3-Clause
"""The rows of the table of checks, and what this machine has."""

import glob
import os
import pathlib
import shutil
import sys

LIMIT_S = 100  # of one check; all of them stay below nine minutes


def cuda_folder():
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    if not os.path.exists(nvcc):
        sys.exit("there is no nvcc, neither in PATH nor in /usr/local/cuda")
    return pathlib.Path(os.path.realpath(nvcc)).parent.parent


def has_device():
    return any(glob.glob(pattern) for pattern in ("/dev/nvidia[0-9]*", "/dev/dxg"))


def passes(figure, relation, threshold):
    return {"<": figure <= threshold, ">": figure >= threshold, "-": None}[relation]


def row(check, figure=None, unit="", relation="-", threshold=None, ok=None, why=""):
    return {"check": check, "figure": figure, "unit": unit, "relation": relation, "threshold": threshold,
            "pass": ok, "why": why}
