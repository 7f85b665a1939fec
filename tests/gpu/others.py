# SPDX-License-Identifier: BSD-3-Clause
"""Checks by programs other than those beside this file: compute-sanitizer, coll_perf, PyTorch, the trainer."""

import csv
import json
import os
import pathlib
import re
import shutil
import statistics
import sys
import tempfile
import time

from programs import build_nccl
from rows import cuda_folder, execute, has_device, row

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PERF_BYTES = (4, 4096, 1 << 20, 256 << 20)
PERF_SETTINGS = "21 5 0 1 1 0 1 0 0 0 0 64 67108864 0 0 0"  # settings in tools/coll_perf/job.hpp after the ranks
PERF_S = 60
PRIVATE_SETTINGS = "21 5 0 1 0 0 0 0 0 0 0 64 67108864 0 0 0"  # neither controls nor memory of the library's
NCCL_BYTES = tuple(1 << n for n in range(10, 31, 5))  # as in compare 2_peers
TOOLS = ("memcheck", "racecheck", "synccheck", "initcheck")
TOOL_S = 40
PEER_S = 60


def errors_told(done):
    """Errors and hazards that a tool of compute-sanitizer has found; None where it has looked at nothing."""
    told = re.findall(r"(?:ERROR SUMMARY: (\d+) error|RACECHECK SUMMARY: (\d+) hazard)", done.out + done.err)
    return sum(int(a or b) for a, b in told) if told else None


def sanitizer_rows(program, limit_s):
    """The tools of compute-sanitizer over little work: errors that each has found. That they look at all is
    seen by an error that is planted."""
    tool_program = shutil.which("compute-sanitizer") or str(cuda_folder() / "bin" / "compute-sanitizer")
    end = time.monotonic() + limit_s
    for tool, check in [("memcheck", "planted")] + [(t, c) for t in TOOLS for c in ("1_calls",)]:
        planted = check == "planted"
        title = f"compute-sanitizer, {tool}, {check}: errors"
        if not os.path.exists(tool_program):
            yield row(title, why="skipped: there is no compute-sanitizer")
            continue
        done = execute([tool_program, "--tool", tool, "--error-exitcode", "9", program, check],
                       min(TOOL_S, end - time.monotonic()), {"COLLECTIVES_TIMEOUT": "15"})
        if done.status is None:
            yield row(title, ok=False, why=done.late)
            continue
        if done.status == 77:
            yield row(title, ok=None if not has_device() else False,
                      why="skipped: there is no CUDA device" if not has_device() else "it found no device")
            continue
        if "Device not supported" in done.out + done.err:
            yield row(title, why="skipped: compute-sanitizer does not support this device, or not here")
            continue
        found = errors_told(done)
        if found is None:
            yield row(title, ok=False, why="it looked at nothing: " + done.tail)
        elif planted:
            seen = "Invalid __global__ write" in done.out + done.err
            yield row(title, float(found), "", ">", 1.0, seen, "" if seen else done.tail)
        else:
            fine = done.status == 0 and found == 0 and "CHECK\t" in done.out
            yield row(title, float(found), "", "<", 0.0, fine, "" if fine else done.tail)


def perf_rows(folder, coll_perf, out, limit_s):
    """coll_perf --transport cuda: its driver by itself, then coll_perf where it is built."""
    end = time.monotonic() + limit_s
    with tempfile.TemporaryDirectory() as room:
        for how, ranks in (("processes", 2), ("processes", 4), ("processes", 8), ("threads", 4)):
            board = pathlib.Path(room) / f"{how}{ranks}"
            board.write_bytes(bytes(1 << 20))
            where = f"{ranks} {how} sharing one GPU"
            cases = [f"all_reduce automatic float sum 0 {b // 4} 4 1 1" for b in PERF_BYTES]
            command = [str(folder / "ours_cuda"), how, str(board), "60", "0", f"{ranks} {PERF_SETTINGS}", *cases]
            done = execute(command, min(PERF_S, end - time.monotonic()))
            results = [line.split() for line in done.out.splitlines() if line.startswith("coll_perf-result")]
            if done.status != 0 or len(results) != len(cases):
                lacks = "there is no CUDA device" in done.out + done.err and not has_device()
                yield row(f"coll_perf's driver, {where}", ok=None if lacks else False,
                          why=("skipped: " if lacks else "") + (done.late or done.tail))
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
    files = [str(out.with_name(out.stem + "-coll_perf" + ending)) for ending in (".csv", ".json")]
    done = execute([coll_perf, "--transport", "cuda", "--ranks", "4", "--collective", "all_reduce,broadcast",
                    "-b", "4K", "-e", "16M", "-f", "64", "--percent-of-limit", "--peers-in", folder,
                    "--csv", files[0], "--json", files[1]], end - time.monotonic())
    if done.status != 0:
        lacks = done.status == 77 and not has_device()
        yield row(title, ok=None if lacks else False, why=("skipped: " if lacks else "") + (done.late or done.tail))
        return
    table = list(csv.DictReader(open(files[0])))
    json.loads(pathlib.Path(files[1]).read_text())
    bad = [r for r in table if not r["transport"].endswith("sharing one GPU") or float(r["wrong"]) != 0
           or not float(r["median_us"]) > 0]
    yield row(title, float(len(bad)), "", "<", 0.0, bool(table) and not bad)


def peer_rows(ours, limit_s):
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
                  why="skipped: there is no CUDA device" if lacks else "2_peers gave no times of ours")
    end = time.monotonic() + limit_s
    for size in sorted({k for k, _ in times}):
        title = f"PyTorch's symmetric memory, {size} processes: its time over ours, worst size"
        done = execute([sys.executable, HERE / "torch_symmetric.py", size], min(PEER_S, end - time.monotonic()),
                       {"GLOO_SOCKET_IFNAME": "lo"})
        theirs = {int(b): float(t) for b, t in (x.split() for x in done.out.splitlines() if re.fullmatch(r"\d+ [\d.]+", x))}
        both = {b: theirs[b] / times[size, b] for b in theirs if (size, b) in times}
        for b, ratio in both.items():
            yield row(f"PyTorch's symmetric memory, {size} processes, {b} bytes: its time over ours", ratio)
        if done.status == 77:
            yield row(title, why="skipped: " + done.tail)
        elif done.status != 0 or not both:
            yield row(title, ok=False, why=done.late or done.tail or f"status {done.status}, and no times")
        else:
            yield row(title, min(both.values()), "", ">", 1.0, min(both.values()) >= 1.0)


def samples_of(program, words_before, ranks, cases, limit_s, setting=None):
    """What a driver of coll_perf says of cases: per case its wrong elements and the median of its samples, in
    microseconds; and what became of the driver."""
    with tempfile.TemporaryDirectory() as room:
        board = pathlib.Path(room) / "board"
        board.write_bytes(bytes(1 << 20))
        done = execute([program, *words_before, board, f"{max(limit_s - 2, 2):.0f}", "0",
                        f"{ranks} {PRIVATE_SETTINGS}", *cases], limit_s, setting)
    results = {}
    for line in done.out.splitlines():
        if line.startswith("coll_perf-result"):
            words = line.split()
            results[int(words[1])] = int(words[2]), statistics.median(map(float, words[5:5 + int(words[4])])) / 1e3
    return results, done


def nccl_rows(folder, library, limit_s):
    """NCCL on the same GPU, its time over ours at each size, by two drivers of coll_perf that differ in the call
    alone: memory of the program's own, each sample the slowest rank's. Skipped without a library, or where NCCL
    says that it does not do it."""
    title = "NCCL, {} processes: its time over ours, worst size"
    why = build_nccl(folder, library) if library else "there is no libnccl.so.2: --nccl FILE names one"
    cases = [f"all_reduce automatic float sum 0 {b // 4} 4 0 1" for b in NCCL_BYTES]
    end = time.monotonic() + limit_s
    for ranks in (2, 4, 8):
        late = "no time was left" if end - time.monotonic() < 10 else ""
        if why or late:
            yield row(title.format(ranks), why="skipped: " + (why or late))
            continue
        ours, done = samples_of(folder / "ours_cuda", ["processes"], ranks, cases, min(PEER_S, end - time.monotonic()))
        theirs, other = samples_of(folder / "peer_nccl", [], ranks, cases, min(PEER_S, end - time.monotonic()),
                                   {"COLLECTIVES_NCCL": str(pathlib.Path(library).resolve())})
        ratios = []
        for i, b in enumerate(NCCL_BYTES):
            where = f"{ranks} processes, {b} bytes"
            for name, results in (("ours by coll_perf's driver", ours), ("NCCL", theirs)):
                if i in results:
                    yield row(f"{name}, {where}", results[i][1], "us")
                    yield row(f"{name}, {where}: wrong elements", float(results[i][0]), "", "<", 0.0, results[i][0] == 0)
            if i in ours and i in theirs:
                ratios.append(theirs[i][1] / ours[i][1])
                yield row(f"NCCL, {where}: its time over ours", ratios[-1])
        if done.status != 0 or len(ours) != len(cases):
            lacks = not has_device()
            yield row(title.format(ranks), ok=None if lacks else False,
                      why=("skipped: there is no CUDA device" if lacks else "ours: " + (done.late or done.tail)))
        elif not ratios:
            yield row(title.format(ranks), why="skipped: NCCL: " + (other.late or other.tail or f"status {other.status}"))
        else:
            some = "" if len(theirs) == len(cases) else f"NCCL did {len(theirs)} of {len(cases)} sizes: {other.late or other.tail}"
            yield row(title.format(ranks), min(ratios), "", ">", 1.0, min(ratios) >= 1.0, some)


def trainer_rows(trainer, limit_s):
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
        done = execute(command, limit_s, cwd=ROOT)
        if done.status != 0:
            yield row(title, ok=False, why=done.late or done.tail)
            return
        events = [json.loads(line) for line in log.read_text().splitlines()]
    accuracy = [e["accuracy"] for e in events if "accuracy" in e]
    if not accuracy:
        yield row(title, ok=False, why="its log has no accuracy")
        return
    accuracy = accuracy[-1]
    agree = [e["ranks_agree"] for e in events if e["event"] == "end"] == [True]
    yield row(title + ": accuracy", accuracy, "", ">", 0.96, accuracy >= 0.96)
    yield row(title + ": ranks whose parameters differ", float(not agree), "", "<", 0.0, agree)
