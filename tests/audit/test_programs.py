# SPDX-License-Identifier: BSD-3-Clause
"""Programs like those of a gallery, and the examples of scikit-learn's docstrings, audited.

Programs and examples print what they print without an audit; twins answer, and no answer differs
without a row of the tables of differences that says why.
"""

import contextlib
import doctest
import io
import warnings
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sklearn")
pytest.importorskip("sklearn.experimental.enable_halving_search_cv")
from sklearn.utils import all_estimators

from statfast.audit import explanation, watch
from statfast.audit.__main__ import run
from statfast.audit.twins import twin_class

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*/*.py"))

pytestmark = [pytest.mark.once, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(autouse=True)
def patience(monkeypatch):
    """Reasons are looked for however slow the machine is."""
    monkeypatch.setattr(explanation, "MAX_SECONDS", np.inf)


def examples(cls):
    """The statements of a docstring, but for pictures."""
    return [
        example.source
        for example in doctest.DocTestParser().get_examples(cls.__doc__ or "")
        if not example.options.get(doctest.SKIP) and "plt" not in example.source
    ]


TWINS = {
    name: examples(cls)
    for name, cls in all_estimators()
    if isinstance(twin_class(cls), type) and examples(cls)
}


def unexplained(report):
    return [
        (row.call, row.line, row.verdict, row.difference, row.where, row.remarks)
        for row in report.rows
        if row.verdict in ("differs", "failed")
    ]


def printed(program):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert run(program, []) == 0
    return out.getvalue()


def test_there_are_programs():
    assert len(PROGRAMS) >= 30
    assert len(TWINS) >= 100


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_program(program):
    pytest.importorskip("pandas")
    alone = printed(program)
    with watch() as report:
        beside = printed(program)
    assert beside == alone
    assert report.counts()["doubled"] > 0
    assert not unexplained(report)


@pytest.mark.parametrize("name", TWINS)
def test_example(name):
    scope = {"__name__": "example"}
    with watch() as report, contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for source in TWINS[name]:
            exec(compile(source, name, "single"), scope)
    assert not unexplained(report)


def main():
    """The table of all examples and programs: ``python -m tests.audit.test_programs``."""
    columns = ("calls", "doubled", "rows", "faster", "slower", "equal", "explained", "differs",
               "failed", "not doubled")  # fmt: skip
    total = {"docstrings": dict.fromkeys(columns, 0), "programs": dict.fromkeys(columns, 0)}
    reasons = {}

    def add(kind, run_it):
        with watch() as report, contextlib.redirect_stdout(io.StringIO()):
            run_it()
        for column, count in report.counts().items():
            total[kind][column] += count
        for row in report.rows:
            for reason in row.explained_by.split("; ") if row.verdict == "explained" else ():
                reasons[reason.partition(" (scikit")[0]] = (
                    reasons.get(reason.partition(" (scikit")[0], 0) + 1
                )
        for row in unexplained(report):
            print(row)

    warnings.simplefilter("ignore")
    explanation.MAX_SECONDS = np.inf
    for program in PROGRAMS:
        add("programs", lambda program=program: run(program, []))
    for name, sources in TWINS.items():
        scope = {"__name__": "example"}
        add("docstrings", lambda sources=sources, name=name, scope=scope: [
            exec(compile(source, name, "single"), scope) for source in sources
        ])  # fmt: skip
    print(f"{'':12}", *(f"{column:>11}" for column in columns))
    for kind, counts in total.items():
        print(f"{kind:12}", *(f"{counts[column]:11}" for column in columns))
    for reason, count in sorted(reasons.items(), key=lambda item: -item[1]):
        print(f"{count:5} {reason}")


if __name__ == "__main__":
    main()
