#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""write_sets.py FOLDER: small sets in the formats of MNIST (mnist, gzipped) and CIFAR-10 (cifar), easy to learn."""

import gzip
import pathlib
import random
import struct
import sys

folder = pathlib.Path(sys.argv[1])
random.seed(7)


def stripe(label):
    """28 x 28 pixels: rows 2 label + 4 and the next are bright, the rest is noise."""
    return bytes(
        200 + random.randrange(56) if y // 2 == label + 2 else random.randrange(40) for y in range(28) for _ in range(28)
    )


def colour(label):
    """Planes of 32 x 32: how red, green and blue depend on the label."""
    levels = (25 * label, 240 - 25 * label, 120 * (label % 3))
    return b"".join(bytes(min(255, level + random.randrange(15)) for _ in range(1024)) for level in levels)


for name, write in (("mnist", open), ("gzipped", gzip.open)):
    random.seed(7)
    (folder / name).mkdir()
    suffix = ".gz" if write is gzip.open else ""
    for part, count in (("train", 200), ("t10k", 50)):
        labels = bytes(random.randrange(10) for _ in range(count))
        with write(folder / name / f"{part}-images-idx3-ubyte{suffix}", "wb") as out:
            out.write(struct.pack(">IIII", 0x0803, count, 28, 28) + b"".join(map(stripe, labels)))
        with write(folder / name / f"{part}-labels-idx1-ubyte{suffix}", "wb") as out:
            out.write(struct.pack(">II", 0x0801, count) + labels)

(folder / "cifar").mkdir()
for part in [f"data_batch_{i}" for i in range(1, 6)] + ["test_batch"]:
    labels = bytes(random.randrange(10) for _ in range(50))
    (folder / "cifar" / f"{part}.bin").write_bytes(b"".join(bytes([label]) + colour(label) for label in labels))
