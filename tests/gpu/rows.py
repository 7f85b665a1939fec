# SPDX-License-Identifier: BSD-3-Clause
"""The rows of the table of checks, what this machine has, and how others' programs are run here."""

import contextlib
import glob
import math
import os
import pathlib
import shutil
import signal
import subprocess
import sys

NO_DEVICE = "skipped: there is no CUDA device: no /dev/nvidia*"


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
    if figure is not None and not math.isfinite(figure):
        figure, ok, why = None, False, f"{figure} is no figure"
    return {"check": check, "figure": figure, "unit": unit, "relation": relation, "threshold": threshold,
            "pass": ok, "why": why}


class Done:
    """What became of a command. status: None where it was not done in time."""

    def __init__(self, status, out, err, limit_s):
        self.status, self.out, self.err = status, out, err
        said = (out + err).strip()
        last = said.splitlines()[-1][-200:] if said else ""
        self.late = "" if status is not None else f"not done after {limit_s:.0f} s" + (f", last: {last}" if last else "")
        self.tail = said[-300:]


def execute(command, limit_s, setting=None, cwd=None):
    """Runs a command with `setting` added to the environment, for `limit_s` seconds at most. It leads a
    group of processes, which are killed when it has ended, or is late."""
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True, errors="replace", env=dict(os.environ, **(setting or {})), cwd=cwd,
                               start_new_session=True)
    late, out, err = False, "", ""
    try:
        out, err = process.communicate(timeout=max(limit_s, 1))
    except subprocess.TimeoutExpired:
        late = True
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    if late:
        try:
            out, err = process.communicate(timeout=5)
        except subprocess.TimeoutExpired as still:  # one that has left the group, or stands in the driver
            out, err = ((s or b"").decode(errors="replace") for s in (still.stdout, still.stderr))
    return Done(None if late else process.returncode, out, err, limit_s)
