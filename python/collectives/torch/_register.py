# SPDX-License-Identifier: BSD-3-Clause
"""Makes torch.distributed know the backend."""

import functools
import logging

import torch.distributed as dist
from torch.distributed import distributed_c10d as c10d

NAME = "collectives"
IN_ITS_PLACE = "collectives_in_place_of_gloo"
log = logging.getLogger("collectives.torch")
Gloo = getattr(c10d, "ProcessGroupGloo", None)  # the true one, also where another takes its place


@functools.cache
def _native():
    from . import _build

    return _build.load()


def _create(name, options):
    """The backend of a group. All ranks decide alike where they do not share a host."""
    made = _native().create(options.store, options.group_rank, options.group_size, options.timeout,
                            name, options.group_id)
    if made is not None:
        return made
    if Gloo is None:
        raise RuntimeError(f"collectives.torch: the ranks of group {options.group_id} are on several "
                           "hosts, this package was built without UCX or not to use it, and this torch "
                           "has no Gloo to go over")
    if options.group_rank == 0:
        log.warning("group %s: its ranks are on several hosts, so it goes over Gloo", options.group_id)
    return Gloo(options.store, options.group_rank, options.group_size, timeout=options.timeout)


def _create_ours(options, _pg_options=None):
    return _create(NAME, options)


def _create_as_gloo(options, _pg_options=None):
    return _create("gloo", options)


def register():
    """Makes the name known; torch calls it where a program asks for it (an entry point)."""
    if NAME.upper() not in dist.Backend._plugins:
        dist.Backend.register_backend(NAME, _create_ours, extended_api=True, devices=["cpu"])


def as_gloo():
    """From now on groups of CPU tensors for which a program asks for gloo are ours.

    To torch's C++ they are of the type CUSTOM: DDP takes a backend of the type GLOO for torch's own.
    """
    if hasattr(c10d, "_register_builtin_gloo_backend"):  # newer torch: Gloo is a plugin like others
        dist.Backend.register_backend("gloo", _create_as_gloo, extended_api=True, devices=["cpu"])
        return
    if IN_ITS_PLACE.upper() in dist.Backend._plugins:
        return
    dist.Backend.register_backend(IN_ITS_PLACE, _create_as_gloo, extended_api=True, devices=["cpu"])
    dist.Backend.backend_type_map["gloo"] = dist.ProcessGroup.BackendType.CUSTOM
    dist.Backend.backend_capability["gloo"] = ["cpu"]
    of_torch = c10d.BackendConfig.__init__

    def __init__(self, backend):
        of_torch(self, backend)
        for device, name in self.device_backend_map.items():
            if device == "cpu" and name == "gloo":
                self.device_backend_map[device] = IN_ITS_PLACE

    c10d.BackendConfig.__init__ = __init__
