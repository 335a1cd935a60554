# SPDX-License-Identifier: BSD-3-Clause
"""The bar of text that shows how far long calls are."""

import contextlib
import io
import itertools

import pytest

from statfast import progress_bar, set_progress
from statfast._engine import each, report, text_bar


def lines(call, monkeypatch, seconds=1.0):
    """What a call writes if its clock goes on by so much from look to look."""
    clock = itertools.count(0.0, seconds)
    monkeypatch.setattr(text_bar, "monotonic", lambda: next(clock))
    out = io.StringIO()
    with progress_bar(out):
        call()
    return out.getvalue()


def test_a_bar_grows(monkeypatch):
    said = lines(lambda: [report(done, 4) for done in (1, 2, 4)], monkeypatch)
    assert said.split("\r")[1:] == [
        f"[{'#' * 10}{'.' * 30}] 1/4", f"[{'#' * 20}{'.' * 20}] 2/4", f"[{'#' * 40}] 4/4\n",
    ]  # fmt: skip


def test_totals_that_are_not_known(monkeypatch):
    assert lines(lambda: report(3, None), monkeypatch) == f"\r[{'.' * 40}] 3/?\n"


def test_a_shorter_line_covers_a_longer_one(monkeypatch):
    said = lines(lambda: [report(100, 100), report(1, 1)], monkeypatch).split("\r")
    assert len(said[1]) == len(said[2].rstrip("\n"))


def test_not_more_often_than_ten_times_a_second(monkeypatch):
    said = lines(lambda: [report(done, 100) for done in range(1, 101)], monkeypatch, 0.01)
    assert 8 <= said.count("\r") <= 12
    assert said.endswith("100/100\n")


def test_nothing_is_written_where_nothing_is_reported(monkeypatch):
    assert lines(lambda: None, monkeypatch) == ""


def test_tasks_of_the_engine_are_counted(monkeypatch):
    said = lines(lambda: each(lambda i: i, range(5), n_jobs=1), monkeypatch)
    assert said.endswith("5/5\n")


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


def test_it_is_written_to_the_standard_error(capsys):
    with progress_bar():
        report(1, 1)
    assert "1/1" in capsys.readouterr().err


def test_what_cannot_be_written_to():
    with pytest.raises(TypeError, match="file must be a text file; got 3"), progress_bar(3):
        pass
