# SPDX-License-Identifier: BSD-3-Clause
"""What models pay for their calls: a step of DDP, and the all_reduces of decoding tokens."""

import time

import torch
import torch.distributed as dist
from torch import nn

LAYERS, WIDTH, WORDS, BATCH = 4, 128, 32, 4
TOKENS, DECODED = 8, [4 << 10, 16 << 10, 64 << 10]


def transformer():
    torch.manual_seed(1)
    layer = nn.TransformerEncoderLayer(WIDTH, 4, 4 * WIDTH, dropout=0, batch_first=True)
    return nn.TransformerEncoder(layer, LAYERS, enable_nested_tensor=False)


def ddp_step(group, rank):
    """A step of training a small transformer: 0.8 million float32 gradients are reduced."""
    net = nn.parallel.DistributedDataParallel(transformer(), process_group=group)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    x = torch.randn(BATCH, WORDS, WIDTH, generator=torch.Generator().manual_seed(rank))

    def step():
        optimizer.zero_grad()
        net(x).square().mean().backward()
        optimizer.step()

    return step


def decoding(group, size):
    """The calls of decoding TOKENS tokens, with the tensors cut over the ranks: two per layer."""
    x = torch.ones(size // 2, dtype=torch.bfloat16)

    def decode():
        for _ in range(TOKENS * 2 * LAYERS):
            dist.all_reduce(x, group=group)

    return decode


def times_of(groups, rank, rounds):
    """Seconds, by what is done and group: the quickest of several rounds."""
    runs = {f"DDP step, {LAYERS} layers of {WIDTH}":
            {name: ddp_step(group, rank) for name, group in groups.items()}}
    for size in DECODED:
        runs[f"{TOKENS * 2 * LAYERS} all_reduces of {size >> 10} KiB"] = {
            name: decoding(group, size) for name, group in groups.items()}
    result = {}
    for what, of in runs.items():
        best = dict.fromkeys(groups, float("inf"))
        for _ in range(rounds):
            for name, run in of.items():
                dist.barrier()
                begin = time.perf_counter()
                run()
                best[name] = min(best[name], time.perf_counter() - begin)
        result[what] = best
    return result
