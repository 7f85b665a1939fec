# SPDX-License-Identifier: BSD-3-Clause
"""Torch's own tests of its distributed package, over this backend.

    BACKEND=collectives WORLD_SIZE=2 python suite.py [--results FILE] [--after FILE] [unittest's arguments]

BACKEND is collectives, or gloo: then the backend stands in gloo's place. The ranks are forked from
this process, which has imported torch. The first FILE gets one line per test: its name, what became of
it, in how many seconds, and why. `--after` leaves out what such a file of another WORLD_SIZE calls
skipped, unless the reason is the number of ranks.
"""

import os
import sys
import time
import unittest

os.environ.setdefault("BACKEND", "collectives")
os.environ.setdefault("WORLD_SIZE", "2")
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("DISTRIBUTED_TESTS_DEFAULT_TIMEOUT", "200")
AS_GLOO = os.environ["BACKEND"] == "gloo" and os.environ.get("TRUE_GLOO") != "1"
os.environ["COLLECTIVES_TORCH_AS_GLOO"] = "1" if AS_GLOO else "0"

import collectives.torch  # noqa: E402,F401
import torch.multiprocessing  # noqa: E402
from torch.testing._internal.common_distributed import DistTestCases  # noqa: E402

if os.environ["BACKEND"] == "collectives":
    for feature in ("ddp", "subgroup", "plugin"):
        DistTestCases.backend_feature[feature].add("collectives")

from torch.testing._internal.distributed.distributed_test import (  # noqa: E402
    DistributedTest, TestDistBackend)


class TorchSuite(TestDistBackend, DistributedTest._DistTestBase):
    def setUp(self):
        super().setUp()
        collectives.torch._register._native()  # built before the ranks are forked
        self._start_processes(torch.multiprocessing.get_context("fork").Process)


class Result(unittest.TextTestResult):
    """Writes each result down as soon as it is there."""

    file = None

    def startTest(self, test):
        self.began = time.time()
        super().startTest(test)

    def note(self, test, what, why=""):
        if self.file is not None:
            name = test.id().split(".")[-1]
            why = " ".join(why.split())
            print(name, what, f"{time.time() - self.began:.1f}", why, sep="\t", file=self.file,
                  flush=True)

    def addSuccess(self, test):
        super().addSuccess(test)
        self.note(test, "passed")

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.note(test, "skipped", reason)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.note(test, "failed", str(err[1])[-300:])

    def addError(self, test, err):
        super().addError(test, err)
        self.note(test, "failed", str(err[1])[-300:])


def worth_trying(file):
    """The tests that a file of results does not call skipped, or only for the number of ranks."""
    with open(file) as results:
        for line in results:
            test, what, _, why = (line.rstrip("\n").split("\t") + [""])[:4]
            if what != "skipped" or "world" in why:
                yield f"TorchSuite.{test}"


def main():
    given = sys.argv[1:]
    if given[:1] == ["--results"]:
        Result.file = open(given[1], "w")
        given = given[2:]
    if given[:1] == ["--after"]:
        given = [*worth_trying(given[1]), *given[2:]]
    runner = unittest.TextTestRunner(resultclass=Result, verbosity=2)
    unittest.main(argv=[sys.argv[0], *given], testRunner=runner)


if __name__ == "__main__":
    main()
