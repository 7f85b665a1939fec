# SPDX-License-Identifier: BSD-3-Clause
"""Builds the backend against the torch that is here: once for each version, whoever comes first."""

import contextlib
import fcntl
import hashlib
import importlib.util
import os
import pathlib
import shutil
import sys

import torch

NAME = "collectives_torch_backend"
NATIVE = pathlib.Path(__file__).parent / "native"
LIBRARY = pathlib.Path(__file__).parent.parent / "native"


def folder():
    """Where it is kept: another one for each version of torch, of Python and of the sources."""
    known = hashlib.sha256()
    for part in (torch.__version__, sys.version, str(torch._C._GLIBCXX_USE_CXX11_ABI)):
        known.update(part.encode())
    for file in sorted(NATIVE.glob("*.?pp")) + sorted(LIBRARY.glob("*.a")):
        known.update(file.read_bytes())
    root = os.environ.get("TORCH_EXTENSIONS_DIR") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "collectives")
    return pathlib.Path(root) / f"torch-{torch.__version__}-{known.hexdigest()[:16]}"


def version():
    """A number of the sources. All ranks of a group must have the same."""
    known = hashlib.sha256()
    for file in sorted(NATIVE.glob("*.?pp")) + sorted((LIBRARY / "include").rglob("*.?pp")):
        known.update(file.read_bytes())
    return int.from_bytes(known.digest()[:8], "little")


@contextlib.contextmanager
def locked(where):
    """One process of a machine at a time; a lock goes with its process."""
    where.mkdir(parents=True, exist_ok=True)
    with open(where / "building", "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def reach_ninja():
    """Puts the ninja of the Python package on PATH where there is no other."""
    if shutil.which("ninja") is None:
        import ninja

        os.environ["PATH"] = os.pathsep.join((os.environ.get("PATH", os.defpath), ninja.BIN_DIR))


def build(where, verbose=False):
    from torch.utils import cpp_extension

    reach_ninja()
    print(f"collectives.torch: building the backend for torch {torch.__version__} in {where}; once, "
          "it takes a minute or two", file=sys.stderr, flush=True)
    with contextlib.suppress(FileNotFoundError):
        os.unlink(where / "lock")  # torch's own, of a process that was killed
    archives, libraries, between_hosts = ["libcollectives.a"], [], "without_ucx.cpp"
    if (LIBRARY / "libcollectives_ucx.a").exists():  # the package was built with UCX
        archives.insert(0, "libcollectives_ucx.a")
        libraries, between_hosts = ["-lucp", "-lucs", "-lsodium"], "over_ucx.cpp"
    cpp_extension.load(
        NAME, [str(NATIVE / source) for source in ("backend.cpp", between_hosts)],
        build_directory=str(where), verbose=verbose,
        extra_include_paths=[str(LIBRARY / "include")],
        extra_cflags=["-std=c++20", "-O2", "-g0", "-DCOLLECTIVES_COMPILED",
                      "-DCOLLECTIVES_COMPILED_UCX", "-fvisibility=hidden"],
        extra_ldflags=[*(str(LIBRARY / archive) for archive in archives), *libraries,
                       "-Wl,--exclude-libs,ALL"],
        is_python_module=False)


def load(verbose=False):
    """The module of the backend; builds it where that was not done before."""
    where = folder()
    file = where / f"{NAME}.so"
    done = where / "done"
    if not done.exists():
        with locked(where):
            if not done.exists():
                build(where, verbose)
                written = done.with_suffix(".new")
                written.write_text(str(version()))
                written.replace(done)    # whole or not at all: ranks look without the lock
    spec = importlib.util.spec_from_file_location(NAME, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.set_version(int(done.read_text()))
    return module
