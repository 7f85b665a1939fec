# SPDX-License-Identifier: BSD-3-Clause
"""The rules: which cells are worse, and which means. A launch of a cell is (old, new, old again)."""

import math

CELL_LIMIT, MEAN_LIMIT = 1.05, 1.01
SLOWER, UNDECIDED = 1, 3    # the status


def ratio(launch):
    old, new, again = launch
    return new / math.sqrt(old * again)


def spread(launch):
    """Of the control: how far old lies from old."""
    old, _, again = launch
    return max(old, again) / min(old, again)


def is_worse(launches):
    """In each of them, by more than the control ever differs from itself."""
    limit = max(CELL_LIMIT, *map(spread, launches))
    return all(ratio(launch) > limit for launch in launches)


class Mean:
    """The geometric mean of the ratios of several launches, and how far noise alone may move it."""

    def __init__(self, launches):
        logs = [math.log(ratio(launch)) for launch in launches]
        controls = [math.log(spread(launch)) for launch in launches]
        self.value = math.exp(sum(logs) / len(logs))
        # Where one time varies by s, old against old does by sqrt(2) s, new against both by sqrt(3/2) s.
        # Twice the standard error of the mean follows.
        varies = math.sqrt(0.75 * sum(c * c for c in controls) / len(controls))
        self.noise = 2 * varies / math.sqrt(len(logs))
        self.above = self.value > MEAN_LIMIT
        self.worse = self.above and self.value > math.exp(self.noise)

    def __str__(self):
        mark = "!" if self.worse else "?" if self.above else " "
        return f"{self.value:.3f} ±{self.noise:.3f}{mark}"


def means(cells):
    """{(collective, ranks): Mean}"""
    groups = {}
    for (_, collective, ranks, _), launches in cells.items():
        groups.setdefault((collective, ranks), []).extend(launches)
    return {key: Mean(launches) for key, launches in groups.items()}


def table(by_group):
    ranks = sorted({r for _, r in by_group})
    lines = ["Geometric means of new by old, over all sizes and transports:"]
    lines.append("".ljust(16) + "".join(f"{r} ranks".rjust(17) for r in ranks))
    for collective in dict.fromkeys(c for c, _ in by_group):
        row = (str(by_group.get((collective, r), "-")).rjust(17) for r in ranks)
        lines.append(collective.ljust(16) + "".join(row))
    return "\n".join(lines)


def told(cell, launches):
    transport, collective, ranks, size = cell
    each = ", ".join(f"{ratio(x):.2f} ({spread(x):.2f})" for x in launches)
    times = ", ".join(f"{new:.3g} by {math.sqrt(old * again):.3g}" for old, new, again in launches)
    return f"  {transport} {collective}, {ranks} ranks, {size}: {each}; us: {times}"


def judge(cells, more, missing):
    """Prints what was found; the status. `more`: further launches of what looked worse. `missing`: words on
    what the new tree alone did not measure."""
    by_group = means(cells)
    with_more = {cell: [*launches, *more.get(cell, [])] for cell, launches in cells.items()}
    worse = {cell: launches for cell, launches in with_more.items() if is_worse(launches)}
    noisy = sum(any(spread(x) > CELL_LIMIT for x in launches) for launches in cells.values())
    slower = sum(mean.worse for mean in by_group.values())
    undecided = sum(mean.above and not mean.worse for mean in by_group.values())
    print("\n" + table(by_group))
    print(f"limit {MEAN_LIMIT}; ±: what noise alone may do, twice the standard error, from old against old; "
          "!: worse; ?: above the limit, but noise may be why")
    print(f"\n{len(worse)} of {len(cells)} cells are worse: ratio (control's spread) of each launch")
    for cell, launches in worse.items():
        print(told(cell, launches))
    print(f"In {noisy} cells old differs from old by more than {CELL_LIMIT} in a launch: less is seen there.")
    for words in missing:
        print(f"worse: {words}")
    print(f"\n{len(worse) + len(missing)} cells worse, {slower} means worse, {undecided} means undecided")
    return SLOWER if worse or missing or slower else UNDECIDED if undecided else 0
