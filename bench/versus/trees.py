# SPDX-License-Identifier: BSD-3-Clause
"""The two trees that are held against each other: where they lie, and how they are built."""

import os
import pathlib
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDER = ROOT / "build/versus"
JOBS = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL") or str(os.cpu_count())


def stop(why):
    print(f"versus: {why}", file=sys.stderr)
    sys.exit(2)


def say(text):
    print(f"\n== {text}", flush=True)


def output_of(command, where=ROOT):
    done = subprocess.run(list(map(str, command)), cwd=where, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{shlex.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


class Tree:
    """A tree with its release build."""

    def __init__(self, name, root):
        self.name, self.root = name, root
        self.release = root / "build/release"

    def build(self, targets):
        """With the tree's own preset, as a developer there would."""
        (self.root / "build").mkdir(exist_ok=True)
        if not (self.root / "tools/launched").is_dir():  # where coll_perf had drivers for its ranks
            drivers = {"coll_perf_mpich": ["bench/ours_mpich"], "coll_perf_openmpi": ["bench/ours_openmpi"],
                       "collrun": ["collrun", "ours_ucx"]}
            targets = [driver for t in targets for driver in drivers.get(t, [t])]
        output_of(["cmake", "--preset", "release"], self.root)
        command = ["cmake", "--build", "--preset", "release", "--parallel", JOBS, "--target", *targets]
        if subprocess.run(command, cwd=self.root, check=False).returncode != 0:
            stop(f"the {self.name} tree is not built: {self.root}")

    def settings(self):
        """What of the build's cache changes the machine code."""
        wanted = ("CMAKE_BUILD_TYPE", "CMAKE_CXX_COMPILER", "CMAKE_CXX_FLAGS", "CMAKE_CXX_FLAGS_RELEASE",
                  "COLLECTIVES_LINK_COMPILED")
        lines = (self.release / "CMakeCache.txt").read_text().splitlines()
        return sorted(line for line in lines if line.partition(":")[0] in wanted)

    def build_program(self, target):
        """A program of bench/versus, this tree's text in both cases, with the library of that tree."""
        folder = FOLDER / f"programs-{self.root.name if self.name == 'old' else 'new'}"
        output_of(["cmake", "-G", "Ninja", "-S", pathlib.Path(__file__).parent, "-B", folder, f"-DTREE={self.root}",
                   "-DCMAKE_BUILD_TYPE=Release"])
        output_of(["cmake", "--build", folder, "--parallel", JOBS, "--target", target])
        return folder / target


def new_tree():
    return Tree("new", ROOT)


def old_tree(commit):
    """COMMIT in a worktree of its own below build/versus. It stays there, so the next time is quicker."""
    try:
        name = output_of(["git", "rev-parse", "--verify", "--short=12", f"{commit}^{{commit}}"]).strip()
    except RuntimeError:
        stop(f"there is no commit {commit}")
    root = FOLDER / name
    if not (root / "CMakeLists.txt").exists():
        FOLDER.mkdir(parents=True, exist_ok=True)
        output_of(["git", "worktree", "add", "--force", "--detach", root, name])
    return Tree("old", root)


def tell_differences(old, new):
    """Says what makes a comparison unfair. What each tree's coll_perf says of its options."""
    if old.settings() != new.settings():
        print("The two trees are not compiled alike:")
        for tree in (old, new):
            print(f"  {tree.name}: {', '.join(tree.settings())}")
    said = [output_of([tree.release / "tools/coll_perf", "--help"]).splitlines() for tree in (old, new)]
    lines = [[f"  {name} only: {line.strip()}" for line in these if line not in others and line.startswith("  -")]
             for name, these, others in (("old", said[0], said[1]), ("new", said[1], said[0]))]
    if any(lines):
        print("coll_perf has not the same options in both trees:", *lines[0], *lines[1], sep="\n")
    return said
