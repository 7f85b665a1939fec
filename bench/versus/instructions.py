# SPDX-License-Identifier: BSD-3-Clause
"""The instructions of a small call in both trees: see call_instructions.cpp."""

import re
import tempfile

from trees import output_of, say, stop

LIMITS = {"collectives": ("headers alone", 1.05), "compiled": ("collectives::compiled", 1.10)}
AGREE_WITHIN = 1.01


def count(program):
    """Instructions per call."""
    with tempfile.NamedTemporaryFile() as out:
        calls = output_of(["valgrind", "--tool=callgrind", "--collect-atstart=no",
                           f"--callgrind-out-file={out.name}", program])
        counted = re.search(rb"^summary: (\d+)", out.read(), re.M)
    return int(counted[1]) / int(calls)


def count_twice(program):
    counts = [count(program) for _ in range(2)]
    if max(counts) > AGREE_WITHIN * min(counts):
        stop(f"two runs of {program} counted {counts[0]:.0f} and {counts[1]:.0f} instructions: nothing is compared")
    return min(counts)


def compare(old, new):
    """Prints the table; the status."""
    say("an all_reduce of 4 bytes whose peer is already there: instructions of a call")
    status = 0
    print(f"{'':<24}{'old':>8}{'new':>8}{'ratio':>8}{'limit':>8}", flush=True)
    for target, (title, limit) in LIMITS.items():
        try:
            counts = [count_twice(tree.build_program(f"call_instructions_{target}")) for tree in (old, new)]
        except RuntimeError as e:
            stop(f"the program of bench/versus cannot be built or run: {e}")
        ratio = counts[1] / counts[0]
        status |= ratio > limit
        print(f"{title:<24}{counts[0]:>8.0f}{counts[1]:>8.0f}{ratio:>8.3f}{limit:>8.2f}  "
              f"{'TOO MANY' if ratio > limit else 'ok'}", flush=True)
    return int(status)
