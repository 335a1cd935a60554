# SPDX-License-Identifier: BSD-3-Clause
"""The bars that show how far long calls are."""

import contextlib
import io
import itertools
import sys
import threading
import types

import numpy as np
import pytest

import statfast
from statfast import progress_bar, set_progress
from statfast._engine import bars, count_steps, each, named_call, report


@pytest.fixture(autouse=True)
def text(monkeypatch):
    """Lines of text, also where tqdm is installed."""
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)


def lines(call, monkeypatch, seconds=1.0):
    """What a call writes if its clock goes on by so much from look to look."""
    clock = itertools.count(0.0, seconds)
    monkeypatch.setattr(bars, "monotonic", lambda: next(clock))
    out = io.StringIO()
    with progress_bar(out):
        call()
    return [line.rstrip() for line in out.getvalue().split("\r")]


def count(*counts):
    def call():
        with named_call("call"):
            for done, total in counts:
                report(done, total)

    return call


def test_a_bar_grows(monkeypatch):
    said = lines(count((1, 4), (2, 4), (4, 4)), monkeypatch)
    assert said[1:] == [
        f"call [{'#' * 6}{'.' * 18}] 1/4, 1.0 s", f"call [{'#' * 12}{'.' * 12}] 2/4, 2.0 s",
        f"call [{'#' * 24}] 4/4, 3.0 s", f"call [{'#' * 24}] 4/4, 4.0 s",
    ]  # fmt: skip


def test_totals_that_are_not_known(monkeypatch):
    assert lines(count((3, None)), monkeypatch)[1] == f"call [{'.' * 24}] 3/?, 1.0 s"


def test_a_shorter_line_covers_a_longer_one(monkeypatch):
    out = io.StringIO()
    clock = itertools.count(0.0)
    monkeypatch.setattr(bars, "monotonic", lambda: next(clock))
    with progress_bar(out):
        count((100, 100), (1, 1))()
    said = out.getvalue().split("\r")
    assert len(said[1]) == len(said[2])


def test_not_more_often_than_ten_times_a_second(monkeypatch):
    said = lines(count(*[(done, 100) for done in range(1, 101)]), monkeypatch, 0.01)
    assert 8 <= len(said) <= 12
    assert "100/100" in said[-1]


def test_a_line_is_no_wider_than_the_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "30")
    assert max(map(len, lines(count((1, 4)), monkeypatch))) == 29


def test_nothing_is_written_where_nothing_is_reported_or_calls_are_short(monkeypatch):
    assert lines(lambda: None, monkeypatch) == [""]
    assert lines(count((1, 1)), monkeypatch, 0.01) == [""]


def test_a_call_within_follows_the_call_and_its_passes_are_counted(monkeypatch):
    def call():
        with named_call("search"), count_steps(2) as step:
            for _ in range(2):
                with named_call("fit"):
                    for _ in range(2):
                        each(lambda i: i, range(3), n_jobs=1)
                step()

    said = lines(call, monkeypatch)
    assert f"search [{'.' * 24}] 0/2, 3.0 s | fit 1/3" in said
    assert any(line.endswith("| fit 3/3, pass 2") for line in said)
    assert said[-1].startswith(f"search [{'#' * 24}] 2/2")
    assert sum("\n" in line for line in said) == 0  # one line is written over


def test_calls_are_named_by_their_methods_and_functions(monkeypatch):
    X = np.random.default_rng(0).random((300, 2))
    model = statfast.KMeans(2, n_init=1, random_state=0)
    grid = {"n_clusters": [2, 3]}

    said = lines(lambda: model.fit(X), monkeypatch)
    assert {line.split(" ")[0].rstrip(":") for line in said[1:]} == {"KMeans.fit"}
    said = lines(lambda: model.fit_predict(X), monkeypatch)
    assert {line.split(" ")[0].rstrip(":") for line in said[1:]} <= {"KMeans.fit", "KMeans.predict"}
    said = lines(lambda: statfast.GridSearchCV(model, grid, cv=2).fit(X), monkeypatch)
    assert {line.split(" ")[0] for line in said[1:]} == {"GridSearchCV.fit"}
    assert any("| KMeans.fit" in line for line in said)
    assert " 4/4, " in said[-1]
    said = lines(lambda: statfast.cross_val_score(model, X), monkeypatch)
    assert {line.split(" ")[0] for line in said[1:]} == {"cross_val_score"}
    said = lines(lambda: statfast.linkage(X), monkeypatch)
    assert {line.split(" ")[0].rstrip(":") for line in said[1:]} == {"linkage"}


def test_other_threads_are_not_shown(monkeypatch):
    def call():
        thread = threading.Thread(target=count((1, 2), (2, 2)))
        thread.start()
        thread.join()

    assert lines(call, monkeypatch) == [""]


def test_bars_of_tqdm_are_below_one_another(monkeypatch):
    shown = []

    class Bar:
        def __init__(self, **options):
            self.options, self.start_t = options, 0.0
            shown.append(self)

        def set_postfix_str(self, text, refresh):
            self.postfix = text

        def refresh(self):
            self.seen = self.n, self.total

        def close(self):
            self.closed = True

    monkeypatch.setitem(sys.modules, "tqdm.auto", types.SimpleNamespace(tqdm=Bar))

    def call():
        with named_call("search"), count_steps(2) as step:
            for _ in range(2):
                with named_call("fit"):
                    report(1, 3)
                step()

    lines(call, monkeypatch)
    assert [bar.options["desc"] for bar in shown] == ["search", "fit", "fit"]
    assert [bar.options["position"] for bar in shown] == [0, 1, 1]
    assert [bar.options["leave"] for bar in shown] == [True, False, False]
    assert [bar.seen for bar in shown] == [(2, 2), (1, 3), (1, 3)]
    assert all(bar.closed for bar in shown)


def test_what_tqdm_itself_writes(monkeypatch):
    pytest.importorskip("tqdm")
    monkeypatch.delitem(sys.modules, "tqdm.auto")
    pytest.importorskip("tqdm.auto")
    out, clock = io.StringIO(), itertools.count(0.0)
    monkeypatch.setattr(bars, "monotonic", lambda: next(clock))
    with progress_bar(out):
        count((1, 4), (4, 4))()
    assert "call: 100%" in out.getvalue()


def test_a_verbose_call_keeps_the_hook_of_the_user(capsys):
    seen = []
    set_progress(lambda done, total: seen.append((done, total)))
    try:
        with named_call("outer", verbose=True), named_call("inner", verbose=True):
            each(lambda i: i, range(2), n_jobs=1)
        each(lambda i: i, range(1), n_jobs=1)
    finally:
        set_progress(None)
    assert seen == [(1, 2), (2, 2), (1, 1)]
    assert capsys.readouterr().err.strip().startswith("outer: done in 0.0 s")


def test_the_hook_that_was_set_before_comes_back():
    seen = []
    set_progress(lambda done, total: seen.append(done))
    try:
        with contextlib.suppress(KeyError), progress_bar(io.StringIO()):
            report(1, 2)
            raise KeyError
        report(2, 2)
    finally:
        set_progress(None)
    assert seen == [2]


def test_it_is_written_to_the_standard_error(capsys, monkeypatch):
    clock = itertools.count(0.0)
    monkeypatch.setattr(bars, "monotonic", lambda: next(clock))
    with progress_bar():
        report(1, 1)
    assert "1/1" in capsys.readouterr().err


def test_what_cannot_be_written_to():
    with pytest.raises(TypeError, match="file must be a text file; got 3"), progress_bar(3):
        pass
