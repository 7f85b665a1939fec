# SPDX-License-Identifier: BSD-3-Clause
"""The programs of checks: how they are built, which checks each has, and what these say."""

import concurrent.futures
import hashlib
import os
import pathlib
import re

from rows import cuda_folder, execute, has_device, passes, row

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
CHECKS = ("compare", "correct", "fused", "order", "sanitized", "speed")
SOURCES = {name: HERE / (name + ".cpp") for name in CHECKS}
SOURCES["ours_cuda"] = ROOT / "bench" / "peers" / "our_cuda_driver.cpp"  # coll_perf's
KERNELS, FEW = "kernels.cu", "sanitized.cu"
BUILD_S = 300


def digest(commands):
    """Of all that the programs are made from."""
    made_from = hashlib.sha256(repr(commands).encode())
    for compiler in {command[0]: None for group in commands for command in group.values()}:
        made_from.update(execute([compiler, "--version"], 10).out.encode())
    for folder in ("include", "tests", "bench/peers", "tools/coll_perf"):
        for file in sorted(p for p in (ROOT / folder).rglob("*") if p.suffix in (".hpp", ".cpp", ".cu", ".cuh")):
            made_from.update(str(file.relative_to(ROOT)).encode() + file.read_bytes())
    return made_from.hexdigest()


def cuda_libraries(cuda):
    folders = (cuda / "lib64", cuda / "lib", cuda / "targets/x86_64-linux/lib")
    return [*(f"-L{lib}" for lib in folders), "-lcudart_static", "-pthread", "-ldl", "-lrt"]


def build(folder, architectures):
    """Builds the programs, all at once, unless they are there already, and gives why some could not be
    built: by name."""
    cuda = cuda_folder()
    folder.mkdir(parents=True, exist_ok=True)
    common = ["-std=c++20", "-O2", f"-I{ROOT}/include", f"-I{ROOT}/tests"]
    codes = [f"-gencode=arch=compute_{a},code=sm_{a}" for a in architectures]
    nvcc = [f"{cuda}/bin/nvcc", *common, "--expt-relaxed-constexpr", "--threads", "0", *codes]
    compiled = {name + ".o": [*nvcc, "-c", HERE / name, "-o", folder / (name + ".o")] for name in (KERNELS, FEW)}
    for name, source in SOURCES.items():
        compiled[name + ".o"] = ["g++", *common, f"-isystem{cuda}/include", "-pthread", "-c", source,
                                 "-o", folder / (name + ".o")]
    objects = {name: [name + ".o", (FEW if name == "sanitized" else KERNELS) + ".o"] for name in SOURCES}
    linked = {name: ["g++", *(folder / o for o in objects[name]), "-o", folder / name, *cuda_libraries(cuda)]
              for name in SOURCES}
    made, now = folder / "made-from", digest([compiled, linked])
    if made.exists() and made.read_text() == now:
        return {}
    for old in [made, *(folder / name for name in SOURCES)]:
        old.unlink(missing_ok=True)

    def why_not(command):
        done = execute(command, BUILD_S)
        return "" if done.status == 0 else done.late or " ".join(map(str, command)) + ": " + done.err[-2000:]

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        faults = dict(zip(compiled, pool.map(why_not, compiled.values())))
        needs = {name: next(filter(None, (faults[o] for o in objects[name])), "") for name in SOURCES}
        needs = dict(zip(needs, pool.map(lambda name: needs[name] or why_not(linked[name]), SOURCES)))
    faults = {name: why for name, why in needs.items() if why}
    if not faults:
        made.write_text(now)
    return faults


def build_nccl(folder, library):
    """Builds coll_perf's driver of NCCL in `folder`, where `build` has been; gives why it could not be built."""
    beside = pathlib.Path(library).resolve().parent
    if not os.path.exists(library):
        return f"there is no {library}"
    header = next((p for p in (beside, beside.parent / "include") if (p / "nccl.h").exists()), None)
    if header is None:
        return f"there is no nccl.h beside {library}, nor in ../include"
    cuda = cuda_folder()
    done = execute(["g++", "-std=c++20", "-O2", f"-I{ROOT}/include", f"-isystem{cuda}/include", f"-isystem{header}",
                    "-pthread", ROOT / "bench" / "peers" / "nccl_driver.cpp", folder / (KERNELS + ".o"),
                    "-o", folder / "peer_nccl", *cuda_libraries(cuda)], BUILD_S)
    return "" if done.status == 0 else done.late or done.err[-2000:]


def names(program):
    """The checks of a program, from its source."""
    return re.findall(r'\{"(\d_\w+)",\s*\w+\}', SOURCES[program].read_text())


def run_one(program, check, limit_s, setting=None):
    """Rows of one check. `setting`: of the environment; its rows name what is the library's own choice in it."""
    how = "".join(f", {name}={value}" for name, value in (setting or {}).items() if name.startswith("COLLECTIVES_CUDA"))
    title = f"{program.name} {check}{how}"
    done = execute([program, check], limit_s, setting)
    rows = parse(done.out)
    for r in rows:
        r["check"] += how
    if done.status is None:
        return rows + [row(title, ok=False, why=done.late)]
    why = next((line.split("\t", 1)[1] for line in done.out.splitlines() if line.startswith("ERROR\t")), "")
    if done.status == 78:  # the check itself found that it cannot be done here
        return rows + [row(title, why="skipped: " + why)]
    if done.status == 77:
        skipped = not has_device()  # a device that the check does not find is no reason to skip it
        return rows + [row(title, ok=None if skipped else False, why="skipped: " + why if skipped else why)]
    if done.status != 0 or not rows:
        rows.append(row(title, ok=False, why=why or f"status {done.status}: {done.tail}"))
    return rows


def parse(out):
    rows = []
    for line in out.splitlines():
        words = line.split("\t")
        if len(words) != 6 or words[0] != "CHECK":  # one that was killed ends in the middle
            continue
        _, name, figure, unit, relation, threshold = words
        figure, threshold = float(figure), float(threshold)
        rows.append(row(name, figure, unit, relation, threshold if relation != "-" else None,
                        passes(figure, relation, threshold)))
    return rows
