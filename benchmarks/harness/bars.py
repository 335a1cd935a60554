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
    mean: float = 0.0  # of the ratios, geometric
    least: float = 0.0  # of the ratios
    slower: float = 0.0  # at most so many times as slow as the problem's baseline
    seconds: float = 0.0  # at most
    copies: float = 0.0  # at most so many times its input is taken as memory
    only: str = ""  # of the group, the problems whose names say this


SOLVERS = tuple(f"scikit-learn ({name})" for name in ("lbfgs", "newton-cg", "newton-cholesky"))
TREES = ("pykdtree", "pynanoflann", "scipy")

# Suite -> group -> bars; the group "" is that of the problems beyond, which have none to reach.
BARS: dict[str, dict[str, list[Bar]]] = {
    "kdtree": {
        "cross": [
            Bar("other rows, d = 2 to 8, k = 1 to 16", TREES, mean=2.5, least=1.5),
            Bar("the same"),
        ],
        "self": [
            Bar("the rows themselves, d = 2 to 5", ("quitefastmst",), mean=1.5),
            Bar("the same", ("pykdtree",), mean=2.5),
        ],
        "auto": [Bar('`algorithm="auto"`, normal, d = 10 to 16', least=2.0)],
        "many": [Bar("k = 100 and 1000, d = 3", ("pykdtree",), least=4.0)],
        "build": [Bar("build alone, n = 1e6, d = 3", ("pykdtree",), least=1.3)],
        "one": [Bar("one query at a time, n = 1e5, d = 3", ("scipy",), seconds=4e-6)],
        "worst": [Bar("worst cases, beside uniform rows", slower=2.0), Bar("the same")],
        "": [Bar("other shapes")],
    },
    "convergence": {
        "clusters": [Bar("to convergence, clusters", mean=4.0)],
        "uniform": [Bar("to convergence, uniform rows", mean=2.0)],
        "": [Bar("other shapes, and 20 iterations on sparse rows")],
    },
    "seeding": {
        "seeding": [Bar("k-means++ and an iteration, n = 1e5, d = 16 to 64", mean=4.0)],
        "": [Bar("other shapes")],
    },
    "multinomial": {
        "bar": [Bar("K classes with L2, n = 2e4 and 5e4", SOLVERS, least=3.0)],
        "": [Bar("other shapes")],
    },
    "lasso": {
        "path": [Bar("lasso path, 50 penalties, gap 1e-6", mean=2.5), Bar("the same")],
        "": [Bar("other shapes")],
    },
    "ols": {
        "ols": [
            Bar("least squares; ridge for 100 penalties", ("scikit-learn",), least=3.0),
            Bar("the same"),
        ],
        "": [Bar("other shapes")],
    },
    "svc": {
        "rbf": [
            Bar("RBF, l = 1e4 and 2e4, C = 1 to 100", ("scikit-learn-intelex",), mean=2.0),
            Bar("the same", ("scikit-learn",), mean=4.0),
            Bar("the same", least=1.3),
        ],
        "small": [Bar("RBF, l = 500 to 2000", ("scikit-learn",), least=2.0)],
        "large": [Bar("C = 100 to 1e4, l = 5e3", least=3.0)],
        "mnist": [Bar("MNIST, odd against even, l = 1e4", least=1.5)],
        "": [Bar("other shapes")],
    },
    "irls": {
        "few": [Bar("logistic, p = 5 to 50", mean=4.0, least=2.5)],
        "many": [
            Bar("logistic, p = 200 and 500", least=1.8),
            Bar("the same", ("glum",), least=8.0),
            Bar("the same", ("statsmodels",), least=8.0),
        ],
        "": [Bar("other shapes")],
    },
    "glm": {
        "glm": [
            Bar("Poisson and gamma, n = 1e5, p = 20", ("glum",), least=5.0),
            Bar("the same", ("statsmodels",), least=15.0),
            Bar("the same"),
        ],
        "": [Bar("other shapes")],
    },
    "linear-svc": {
        "bar": [Bar("two classes, a9a and 100 000 x 50", least=2.0)],
        "": [Bar("other shapes")],
    },
    "kmedoids": {
        "swaps": [Bar("FasterPAM on a matrix, n = 5k to 20k, k = 10 to 200", least=4.0)],
        "points": [Bar("from points, n = 20k", least=4.0)],
    },
    "svc-predict": {
        "values": [
            Bar("10 000 rows, 5000 support vectors, d = 50", ("scikit-learn",), least=4.0),
            Bar("the same", ("scikit-learn-intelex",), least=1.5),
        ],
        "": [Bar("other shapes")],
    },
    "silhouette": {"silhouette": [Bar("n = 2e4, d = 10", least=6.0)]},
    "linkage": {
        "rounds": [
            Bar("complete, average, weighted, Ward from a matrix", mean=4.0),
            Bar("the same, memory", copies=1.0),
        ],
        "single": [Bar("single from a matrix", mean=3.0), Bar("the same, memory", copies=1.0)],
        "one": [
            Bar("centroid, median from a matrix", mean=2.0),
            Bar("the same, memory", copies=1.0),
        ],
        "spanning": [
            Bar("spanning tree of rows, d = 2, 3, 5", ("quitefastmst",), mean=1.3),
            Bar("the same, n = 30 000", ("fastcluster",), mean=20.0, only=" n=30000 "),
        ],
        "ward": [Bar("Ward from rows, d = 8, 16", ("fastcluster",), mean=5.0)],
        "": [Bar("other shapes")],
    },
    "spectrum": {
        "spectrum": [Bar("spectrum kernel, 2000 strings of 500 letters, k = 4", seconds=1.0)],
        "": [Bar("other strings, and kernels of rows")],
    },
}


def table(document: dict) -> list[tuple[str, ...]]:
    """The lines of a suite's bars, as cells under HEAD."""
    bars = BARS[document["suite"]]
    lines = []
    for group, of_group in bars.items():
        rows = [row for row in document["problems"] if row.get("group", "") == group]
        rows = [row for row in rows if group or row["beyond"]]
        for bar in of_group:
            some = [row for row in rows if bar.only in row["name"]]
            lines += [_line(bar, some, document["problems"])] if some else []
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
    right = len(values) == len(rows)  # a problem that was not answered rightly is not reached
    yes = "yes" if right and all(reached) else "no"
    count = f"{len(values)}" if right else f"{len(values)} of {len(rows)}"
    return bar.title, count, words, f"{mean:.2f}x", worst, bound, yes if bound != "-" else "-"


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
    found = {}
    for row in rows:
        if not peers:
            ratios = [row["ratio"]] if "ratio" in row else []
        else:
            timed = {peer: row["ratios"][peer] for peer in peers if peer in row.get("ratios", {})}
            right = [r for p, r in timed.items() if row["libraries"][p].get("status") == "ok"]
            ratios = right or list(timed.values())
        if ratios:
            found[row["name"]] = min(ratios)
    return found


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
