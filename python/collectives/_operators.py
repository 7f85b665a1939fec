# SPDX-License-Identifier: BSD-3-Clause
"""Operators that are more than a name."""

import dataclasses
import numbers


@dataclasses.dataclass(frozen=True)
class premultiplied_sum:
    """The sum of all contributions, each of which is first multiplied by `factor`.

    The factor is a number and the same on all ranks. Integers take an int, real numbers an int or
    a float, complex ones any (in fusion, complex64 no complex one). Raises TypeError for what is no
    number.
    """

    factor: complex

    def __post_init__(self):
        kinds = ((numbers.Integral, int), (numbers.Real, float), (numbers.Complex, complex))
        for kind, as_python in kinds:
            if isinstance(self.factor, kind):
                return object.__setattr__(self, "factor", as_python(self.factor))
        raise TypeError(f"premultiplied_sum: the factor is a number, not {self.factor!r}")
