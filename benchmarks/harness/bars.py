# SPDX-License-Identifier: BSD-3-Clause
"""The bars that groups of problems have to reach, and where they stand: one line for each bar.

A bar says against which peers it counts (all that are right where it names none), the geometric
mean of the ratios to the fastest of them, and the least ratio of a single problem. Where none of
those it names is right, the fastest stands in all the same: a rough answer is the easier one.
"""

import statistics
from dataclasses import dataclass

ANY = "any peer"
HEAD = ("work", "problems", "against", "geometric mean", "least", "bar", "reached")


@dataclass(frozen=True)
class Bar:
    """What a group has to reach; what is zero is not asked for."""

    title: str
    peers: tuple[str, ...] = ()
    mean: float = 0.0  # The geometric mean of the ratios.
    least: float = 0.0  # The least ratio of a problem.
    slower: float = 0.0  # The most times that the problem may be slower than its baseline.
    seconds: float = 0.0  # The most seconds.
    copies: float = 0.0  # The most memory, in copies of the input.
    only: str = ""  # The bar counts for problems of the group with this text in their names.


def table(bars: dict[str, list[Bar]], problems: list[dict]) -> list[tuple[str, ...]]:
    """The lines of a suite's bars, as cells under HEAD; "" is the group of the problems beyond."""
    lines = []
    for group, of_group in bars.items():
        rows = [row for row in problems if row.get("group", "") == group]
        rows = [row for row in rows if group or row["beyond"]]
        for bar in of_group:
            chosen = [row for row in rows if bar.only in row["name"]]
            lines += [_line(bar, chosen, problems)] if chosen else []
    return lines


def _line(bar, rows, every):
    if bar.copies:
        values, words = _copies(rows), "its input"
        extreme, bound = max, f"<= {bar.copies:g}x"
        reached = [value <= bar.copies for value in values.values()]
    elif bar.slower:
        values, words = _slowdowns(rows, every), "uniform rows"
        extreme, bound = max, f"<= {bar.slower:g}x"
        reached = [value <= bar.slower for value in values.values()]
    else:
        values, words = _ratios(rows, bar.peers), ", ".join(bar.peers) or ANY
        extreme, bound = min, _bound(bar)
        reached = [value >= bar.least for value in values.values()]
    if not values and bar.seconds and not (bar.peers or bar.mean or bar.least):
        return _alone(bar, rows)
    if not values:
        return bar.title, f"0 of {len(rows)}", words, "-", "-", bound, "-"
    mean = statistics.geometric_mean(values.values())
    name = extreme(values, key=values.get)
    reached += [mean >= bar.mean]
    worst = f"{values[name]:.2f}x ({name})"
    if bar.seconds:
        times = [row["libraries"]["statfast"]["median"] for row in rows if row["name"] in values]
        reached += [max(times) <= bar.seconds]
        worst = _time(max(times))
    right = len(values) == len(rows)  # A problem without a right answer does not reach the bar.
    yes = "yes" if right and all(reached) else "no"
    count = f"{len(values)}" if right else f"{len(values)} of {len(rows)}"
    return bar.title, count, words, f"{mean:.2f}x", worst, bound, yes if bound != "-" else "-"


def _alone(bar, rows):
    """The line of a bar of seconds, of problems that nobody else was asked."""
    entries = [row["libraries"].get("statfast", {}) for row in rows]
    times = [entry["median"] for entry in entries if entry.get("status") == "ok"]
    if not times:
        return bar.title, f"0 of {len(rows)}", "-", "-", "-", _bound(bar), "-"
    right = len(times) == len(rows)
    count = f"{len(times)}" if right else f"{len(times)} of {len(rows)}"
    yes = "yes" if right and max(times) <= bar.seconds else "no"
    return bar.title, count, "-", "-", _time(max(times)), _bound(bar), yes


def _bound(bar):
    parts = [
        f">= {bar.mean:g}x" if bar.mean else "",
        f"none < {bar.least:g}x" if bar.least else "",
        f"<= {_time(bar.seconds)}" if bar.seconds else "",
    ]
    return ", ".join(filter(None, parts)) or "-"


def _time(seconds):
    return f"{seconds:.3g} s" if seconds > 0.01 else f"{seconds * 1e6:.3g} µs"


def _ratios(rows, peers):
    """Problem -> the time of the fastest of the peers that is right, divided by ours; of all of
    these peers if none is."""
    ratios_by_name = {}
    for row in rows:
        if not peers:
            ratios = [row["ratio"]] if "ratio" in row else []
        else:
            timed = {peer: row["ratios"][peer] for peer in peers if peer in row.get("ratios", {})}
            right = [r for p, r in timed.items() if row["libraries"][p].get("status") == "ok"]
            ratios = right or list(timed.values())
        if ratios:
            ratios_by_name[row["name"]] = min(ratios)
    return ratios_by_name


def _copies(rows):
    """Problem -> the extra memory of our first run, divided by what it was given."""
    extra = {row["name"]: row["libraries"]["statfast"].get("extra_bytes") for row in rows}
    return {r["name"]: extra[r["name"]] / r["nbytes"] for r in rows if extra[r["name"]]}


def _slowdowns(rows, every):
    """Problem -> our time divided by that of its baseline."""
    times = {row["name"]: row["libraries"].get("statfast", {}).get("median") for row in every}
    return {
        row["name"]: times[row["name"]] / times[row["baseline"]]
        for row in rows
        if times.get(row["name"]) and times.get(row["baseline"])
    }
