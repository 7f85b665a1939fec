# SPDX-License-Identifier: BSD-3-Clause
"""Checks by programs other than those beside this file: compute-sanitizer, coll_perf, PyTorch, the trainer."""

import contextlib
import csv
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from rows import LIMIT_S, cuda_folder, has_device, row

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PERF_BYTES = (4, 4096, 1 << 20, 256 << 20)
TOOLS = ("memcheck", "racecheck", "synccheck", "initcheck")
TOOL_S = 40


@contextlib.contextmanager
def under_mps():
    """A daemon of MPS of our own, in a folder of its own; gives the setting that leads to it, or None where
    there is none or it does not start."""
    control = shutil.which("nvidia-cuda-mps-control")
    if control is None:
        yield None
        return
    with tempfile.TemporaryDirectory() as folder:
        setting = {"CUDA_MPS_PIPE_DIRECTORY": folder, "CUDA_MPS_LOG_DIRECTORY": folder}

        def tell(*arguments, **text):
            return subprocess.run(["timeout", "30", control, *arguments], env=dict(os.environ, **setting),
                                  stdout=subprocess.DEVNULL, text=True, **text).returncode
        if tell("-d") != 0:
            yield None
            return
        try:
            yield setting
        finally:
            tell(input="quit -t 5\n")


def sanitizer_rows(program, left):
    """The tools of compute-sanitizer over little work: errors that each has found."""
    tool_program = shutil.which("compute-sanitizer") or str(cuda_folder() / "bin" / "compute-sanitizer")
    environment = dict(os.environ, COLLECTIVES_TIMEOUT="15")
    for tool in TOOLS:
        title = f"compute-sanitizer, {tool}: errors"
        if not os.path.exists(tool_program):
            yield row(title, why="skipped: there is no compute-sanitizer")
            continue
        end = time.monotonic() + min(TOOL_S, left())
        command = [tool_program, "--tool", tool, "--target-processes", "all", "--error-exitcode", "9",
                   str(program), "3_sanitized"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, env=environment,
                                  timeout=max(end - time.monotonic(), 1))
        except subprocess.TimeoutExpired as late:
            yield row(title, ok=False, why=f"not done after {late.timeout:.0f} s")
            continue
        if done.returncode == 77:
            yield row(title, ok=None if not has_device() else False,
                      why="skipped: there is no CUDA device" if not has_device() else "it found no device")
            continue
        found = sum(int(n) for n in re.findall(r"ERROR SUMMARY: (\d+) error", done.stdout + done.stderr))
        found += sum(int(n) for n in re.findall(r"RACECHECK SUMMARY: (\d+) hazard", done.stdout + done.stderr))
        fine = done.returncode == 0 and found == 0
        yield row(title, float(found), "", "<", 0.0, fine, "" if fine else (done.stdout + done.stderr)[-300:])


def perf_rows(folder, coll_perf, out, left):
    """coll_perf --transport cuda: its driver by itself, then coll_perf where it is built."""
    with tempfile.TemporaryDirectory() as room:
        for how, ranks in (("processes", 2), ("processes", 4), ("processes", 8), ("threads", 4)):
            board = pathlib.Path(room) / f"{how}{ranks}"
            board.write_bytes(bytes(1 << 20))
            where = f"{ranks} {how} sharing one GPU"
            cases = [f"all_reduce automatic float sum 0 {b // 4} 4 1 1" for b in PERF_BYTES]
            command = [str(folder / "ours_cuda"), how, str(board), "60", "0", f"{ranks} 21 5 0 1 1 0 0 1", *cases]
            try:
                done = subprocess.run(command, capture_output=True, text=True, timeout=max(min(60, left()), 1))
            except subprocess.TimeoutExpired as late:
                yield row(f"coll_perf's driver, {where}", ok=False, why=f"not done after {late.timeout:.0f} s")
                continue
            results = [line.split() for line in done.stdout.splitlines() if line.startswith("coll_perf-result")]
            if done.returncode != 0 or len(results) != len(cases):
                lacks = "there is no CUDA device" in done.stdout + done.stderr and not has_device()
                yield row(f"coll_perf's driver, {where}", ok=None if lacks else False,
                          why=("skipped: " if lacks else "") + (done.stdout + done.stderr)[-300:].strip())
                continue
            for size, words_of_it in zip(PERF_BYTES, results):
                wrong, rest, lists = int(words_of_it[2]), words_of_it[4:], []
                while rest:
                    n = int(rest[0])
                    lists.append([float(x) for x in rest[1:n + 1]])
                    rest = rest[n + 1:]
                title = f"coll_perf, all_reduce, {where}, {size} bytes"
                yield row(title + ": median", statistics.median(lists[0]) / 1e3, "us")
                yield row(title + ": CUDA's copy by every rank at once", statistics.median(lists[1]) / 1e3, "us")
                yield row(title + ": wrong elements", float(wrong), "", "<", 0.0, wrong == 0)
    title = "coll_perf --transport cuda: rows that are wrong, or do not say who shares what"
    if not os.access(coll_perf, os.X_OK):
        yield row(title, why=f"skipped: there is no {coll_perf}; it needs fmt and CLI11")
        return
    files = [str(out.with_name(out.stem + "-coll_perf" + end)) for end in (".csv", ".json")]
    done = subprocess.run([str(coll_perf), "--transport", "cuda", "--ranks", "4", "--collective", "all_reduce,broadcast",
                           "-b", "4K", "-e", "16M", "-f", "64", "--percent-of-limit", "--peers-in", str(folder),
                           "--csv", files[0], "--json", files[1]], capture_output=True, text=True, timeout=max(left(), 1))
    if done.returncode != 0:
        lacks = done.returncode == 77 and not has_device()
        yield row(title, ok=None if lacks else False, why=("skipped: " if lacks else "") + done.stderr[-300:].strip())
        return
    table = list(csv.DictReader(open(files[0])))
    json.loads(pathlib.Path(files[1]).read_text())
    bad = [r for r in table if not r["transport"].endswith("sharing one GPU") or float(r["wrong"]) != 0
           or not float(r["median_us"]) > 0]
    yield row(title, float(len(bad)), "", "<", 0.0, bool(table) and not bad)


def peer_rows(ours, left):
    """PyTorch's symmetric memory on the same GPU: its time over ours, at its worst size for us. Skipped only
    where there is no such PyTorch, or no device."""
    times = {}
    for r in ours:
        found = re.match(r"ours, (\d+) processes, (\d+) bytes", r["check"])
        if found:
            times[int(found[1]), int(found[2])] = r["figure"]
    if not times:
        lacks = not has_device()
        yield row("PyTorch's symmetric memory: its time over ours", ok=None if lacks else False,
                  why="skipped: there is no CUDA device" if lacks else "9_peers gave no times of ours")
    for size in sorted({k for k, _ in times}):
        title = f"PyTorch's symmetric memory, {size} processes: its time over ours, worst size"
        try:
            done = subprocess.run([sys.executable, str(HERE / "torch_symmetric.py"), str(size)],
                                  capture_output=True, text=True, timeout=max(min(60, left()), 1))
        except subprocess.TimeoutExpired as late:
            yield row(title, ok=False, why=f"PyTorch was not done after {late.timeout:.0f} s")
            continue
        lines = [line.split() for line in done.stdout.splitlines()]
        theirs = {int(b): float(t) for b, t in (x for x in lines if len(x) == 2 and x[0].isdigit())}
        both = [theirs[b] / times[size, b] for b in theirs if (size, b) in times]
        why = (done.stdout + done.stderr).strip()[-200:]
        if done.returncode == 77:
            yield row(title, why="skipped: " + why)
            continue
        if done.returncode != 0 or not both:
            yield row(title, ok=False, why=why or f"status {done.returncode}, and no times")
            continue
        yield row(title, min(both), "", ">", 1.0, min(both) >= 1.0)


def trainer_rows(trainer, left):
    """sgd_trainer on the GPU: its accuracy on the digits, and whether its ranks end with equal parameters."""
    title = "sgd_trainer --device cuda, digits, 2 processes"
    reason = ("there is no CUDA device" if not has_device() else
              "" if trainer and os.access(trainer, os.X_OK) else
              "no sgd_trainer, which needs packages that the rest does not: build it and say --trainer FILE")
    if reason:
        yield row(title, why="skipped: " + reason)
        return
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder) / "log.json"
        command = [trainer, "train", "--device", "cuda", "--ranks", "2", "--log", str(log)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT,
                                  timeout=max(min(LIMIT_S, left()), 1))
        except subprocess.TimeoutExpired as late:
            yield row(title, ok=False, why=f"not done after {late.timeout:.0f} s")
            return
        if done.returncode != 0:
            yield row(title, ok=False, why=(done.stdout + done.stderr).strip()[-300:])
            return
        events = [json.loads(line) for line in log.read_text().splitlines()]
    accuracy = [e["accuracy"] for e in events if "accuracy" in e][-1]
    agree = [e["ranks_agree"] for e in events if e["event"] == "end"] == [True]
    yield row(title + ": accuracy", accuracy, "", ">", 0.96, accuracy >= 0.96)
    yield row(title + ": ranks whose parameters differ", float(not agree), "", "<", 0.0, agree)
