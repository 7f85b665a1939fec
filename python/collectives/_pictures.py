# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of algorithms."""

import pathlib

from . import _core


class Picture:
    """A picture as SVG. A notebook shows it where it is the value of a cell."""

    title: str
    svg: str

    def __init__(self, title, svg):
        self.title = title
        self.svg = svg

    def save(self, path):
        """Writes the picture into a file, whose name should end with .svg."""
        pathlib.Path(path).write_text(self.svg, encoding="utf-8")

    def _repr_svg_(self):
        return self.svg

    def __repr__(self):
        return f"<Picture: {self.title}>"


def show(algorithm, size, collective="all_reduce", root=0):
    """The rounds of an algorithm over so many ranks: who sends what to whom, and what each rank has then."""
    return Picture(*_core.draw(algorithm, size, collective, root))
