# SPDX-License-Identifier: BSD-3-Clause
"""What tests share: numbers, jobs, and how results are compared."""

import collectives as coll
import numpy as np


def given(rank, shape, dtype=np.float64):
    """Small numbers, whose sums and products are exact in every type."""
    numbers = np.arange(1, 1 + int(np.prod(shape))) + rank
    return (numbers % 3).astype(dtype).reshape(shape)


def same(got, expected):
    np.testing.assert_array_equal(got, expected)
    assert got.dtype == expected.dtype, (got.dtype, expected.dtype)


def over(sizes, f):
    """f in jobs of these sizes; what it asserts on a rank fails here."""
    for size in sizes:
        coll.run(size, f)
