# SPDX-License-Identifier: BSD-3-Clause
"""python table.py FOLDER: the results of torch's tests as a page. The status is 1 if a test failed that
is not known to fail."""

import datetime
import os
import pathlib
import sys
import textwrap

import torch

SIZES = (2, 3, 4)
NAMES = ("collectives", "gloo")
# What no backend that is not torch's own can pass, and why.
KNOWN = {
    "test_ddp_logging_data_cpu": "torch's C++ calls every backend that is not its own 'custom', and the "
                                 "test compares that with the name that the program gave",
}


def read(folder):
    """What became of each test, and why, by name and size."""
    results = {}
    for name in NAMES:
        for size in SIZES:
            for line in (folder / f"{name}-{size}.tsv").read_text().splitlines():
                test, what, _, why = (line.split("\t") + [""])[:4]
                results.setdefault(test, {})[name, size] = what, why
    for result in results.values():  # what two ranks skip is not tried with more
        for name in NAMES:
            two = result.get((name, SIZES[0]))
            if two is not None and two[0] == "skipped":
                for size in SIZES[1:]:
                    result.setdefault((name, size), two)
    return results


def item(text):
    """Prints an item of a list, in lines of at most 100 columns."""
    print(textwrap.fill("- " + text, 100, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False))


def main():
    results = read(pathlib.Path(sys.argv[1]))
    columns = [(name, size) for name in NAMES for size in SIZES]
    unknown = [(t, c) for t, r in results.items() for c in columns
               if r.get(c, ("missing", ""))[0] in ("failed", "missing") and t not in KNOWN]
    print("# Torch's own tests\n")
    print(textwrap.fill(
        "`./dev torch` runs the tests that torch ships for its distributed package "
        "(`torch.testing._internal.distributed.distributed_test`) over the backend "
        "[`collectives`](guide/pytorch.md), and in gloo's place, and writes this page: with torch "
        f"{torch.__version__} on a machine with {os.cpu_count()} processors, {datetime.date.today()}. "
        "Most of those that are skipped need GPUs. One that two ranks skip is tried with more only where "
        "the number of ranks is the reason.", 100, break_long_words=False, break_on_hyphens=False) + "\n")
    print("| | " + " | ".join(f"as {n}, {s} ranks" for n, s in columns) + " |")
    print("|---|" + "---|" * len(columns))
    for what in ("passed", "failed", "skipped"):
        counts = [sum(r.get(c, ("", ""))[0] == what for r in results.values()) for c in columns]
        print(f"| {what} | " + " | ".join(map(str, counts)) + " |")
    print("\n## Those that fail\n")
    for test, why in KNOWN.items():
        item(f"`{test}`: {why}.")
    for test, (name, size) in unknown:
        item(f"`{test}`, as {name} with {size} ranks: {results[test].get((name, size), ('', ''))[1]}")
    print("\n## Those that pass\n")
    print("| test | " + " | ".join(f"{n} {s}" for n, s in columns) + " |")
    print("|---|" + "---|" * len(columns))
    signs = {"passed": "yes", "skipped": "-", "failed": "**no**", "missing": "?"}
    for test, r in sorted(results.items()):
        seen = [r.get(c, ("missing", ""))[0] for c in columns]
        if any(s != "skipped" for s in seen):
            print(f"| {test} | " + " | ".join(signs[s] for s in seen) + " |")
    print("\n## Those that are skipped everywhere, and why\n")
    reasons = {}
    for test, r in sorted(results.items()):
        if all(r.get(c, ("", ""))[0] == "skipped" for c in columns):
            reasons.setdefault(r["gloo", 4][1], []).append(test)
    for why, tests in sorted(reasons.items(), key=lambda one: (-len(one[1]), one[0])):
        item(f"{why} ({len(tests)}): " + ", ".join(f"`{t}`" for t in tests))
    return 1 if unknown else 0


if __name__ == "__main__":
    sys.exit(main())
