# SPDX-License-Identifier: BSD-3-Clause
"""The lines of the bars, on results made up for it."""

from benchmarks.harness import bars, report
from benchmarks.harness.bars import Bar
from benchmarks.harness.registry import SUITES
from benchmarks.harness.results import compare

SUITE = SUITES["kdtree"]


def _row(name, ours, group="g", baseline="", beyond=False, **peers):
    """Peers: name -> seconds, or (status, seconds)."""
    peers = {p: t if isinstance(t, tuple) else ("ok", t) for p, t in peers.items()}
    timed = {"statfast": ("ok", ours), **peers}
    entries = {n: {"status": s, "median": t, "min": t} for n, (s, t) in timed.items() if t}
    row = {"name": name, "group": group, "baseline": baseline, "beyond": beyond}
    return compare(row | {"libraries": entries}, SUITE)


def lines(bar, *rows):
    table = bars.table({"g": [bar]}, list(rows))
    return [dict(zip(bars.HEAD, line, strict=True)) for line in table]


def test_the_fastest_of_the_bars_peers_counts():
    bar = Bar("trees", ("pykdtree", "scipy"), mean=2.0, least=1.5)
    rows = (
        _row("a", 1.0, pykdtree=4.0, scipy=9.0, faiss=1.1),
        _row("b", 1.0, pykdtree=5.0, scipy=2.0),
    )
    (line,) = lines(bar, *rows)
    assert line["against"] == "pykdtree, scipy"
    assert line["geometric mean"] == "2.83x"
    assert line["least"] == "2.00x (b)"
    assert line["bar"] == ">= 2x, none < 1.5x"
    assert line["reached"] == "yes"
    (line,) = lines(bar, *rows, _row("c", 1.0, pykdtree=1.4))
    assert line["reached"] == "no"
    (line,) = lines(Bar("any"), *rows)
    assert line["least"] == "1.10x (a)"
    assert line["reached"] == "-"


def test_a_peer_that_differs_counts_only_if_none_is_right():
    bar = Bar("trees", ("pykdtree", "scipy"), least=2.0)
    (line,) = lines(bar, _row("a", 1.0, pykdtree=("differs", 1.0), scipy=3.0))
    assert line["least"] == "3.00x (a)"
    (line,) = lines(bar, _row("a", 1.0, pykdtree=("differs", 1.0), scipy=("differs", 4.0)))
    assert line["least"] == "1.00x (a)"
    assert line["reached"] == "no"
    (line,) = lines(bar, _row("a", 1.0, faiss=1.0))
    assert line["problems"] == "0 of 1"
    assert line["reached"] == "-"


def test_a_bar_of_seconds_needs_no_peer():
    bar = Bar("alone", seconds=2.0)
    (line,) = lines(bar, _row("a", 1.0), _row("b", 1.5))
    assert line["problems"] == "2"
    assert line["against"] == line["geometric mean"] == "-"
    assert (line["least"], line["bar"], line["reached"]) == ("1.5 s", "<= 2 s", "yes")
    (line,) = lines(bar, _row("a", 1.0), _row("b", 2.5))
    assert line["reached"] == "no"
    (line,) = lines(bar, _row("a", 1.0), _row("b", None))
    assert (line["problems"], line["reached"]) == ("1 of 2", "no")
    (line,) = lines(bar, _row("a", None))
    assert (line["problems"], line["reached"]) == ("0 of 1", "-")
    (line,) = lines(Bar("with a peer", ("scipy",), seconds=2.0), _row("a", 1.0))
    assert line["reached"] == "-"


def test_a_problem_without_an_answer_of_ours_is_not_reached():
    bar = Bar("trees", ("scipy",), least=2.0)
    (line,) = lines(bar, _row("a", 1.0, scipy=3.0), _row("b", None, scipy=3.0))
    assert line["problems"] == "1 of 2"
    assert line["reached"] == "no"


def test_slowdowns_are_beside_the_baseline():
    base = _row("usual", 2.0, group="", beyond=True)
    rows = (_row("equal", 1.0, baseline="usual"), _row("line", 3.8, baseline="usual"))
    (line,) = lines(Bar("worst", slower=2.0), base, *rows)
    assert line["against"] == "uniform rows"
    assert line["least"] == "1.90x (line)"
    assert line["reached"] == "yes"
    (line,) = lines(Bar("worst", slower=2.0), base, *rows, _row("grid", 4.2, baseline="usual"))
    assert line["reached"] == "no"


def test_a_bar_of_some_problems_only():
    bar = Bar("small", ("scipy",), mean=20.0, only=" n=30000 ")
    large = _row("tree, n=300000 d=2", 1.0)  # scipy is not asked
    (line,) = lines(bar, _row("tree, n=30000 d=2", 1.0, scipy=25.0), large)
    assert (line["problems"], line["reached"]) == ("1", "yes")
    assert not lines(bar, large)


def test_seconds():
    bar = Bar("one", ("scipy",), seconds=4e-6)
    (line,) = lines(bar, _row("a", 3e-6, scipy=30e-6))
    assert line["geometric mean"] == "10.00x"
    assert line["least"] == "3 µs"
    assert line["reached"] == "yes"
    (line,) = lines(bar, _row("a", 5e-6, scipy=30e-6))
    assert line["reached"] == "no"


def test_the_page_has_a_line_for_each_bar_and_none_for_each_problem():
    rows = [_row("a", 1.0, group="cross", scipy=3.0), _row("b", 1.0, group="", beyond=True)]
    document = {
        "suite": "kdtree",
        "openblas_coretype": "unset",
        "machine": {"cpu": "a processor", "usable_cores": 2, "isa": None},
        "versions": {},
        "date": "2020-02-02",
        "problems": rows,
        "geometric_means": {},
    }
    text = report.page({"kdtree": document})
    assert "\nother rows, d = 2 to 8, k = 1 to 16 " in text
    assert "3.00x (a)" in text
    assert "\na " not in text
    assert "1e6" not in text  # groups without a problem have no line
