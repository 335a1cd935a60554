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

from statfast.audit import watch
from statfast.audit.__main__ import run
from statfast.audit.twins import twin_class

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*/*.py"))

pytestmark = [pytest.mark.once, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(autouse=True)
def patience(monkeypatch):
    """Reasons are looked for however slow the machine is."""
    monkeypatch.setattr("statfast.audit.explanation.MAX_SECONDS", np.inf)


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
