# SPDX-License-Identifier: BSD-3-Clause
"""Threads that do the parts of many short steps together."""

import threading
import time

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from statfast._core.threads import spin_wait as kernel
from statfast._engine import blocks
from statfast._engine.team import Team


@pytest.fixture(autouse=True)
def several_threads(monkeypatch):
    """Whatever the machine has."""
    monkeypatch.setattr(blocks, "_cores", lambda: 4)


def marks_after(steps):
    """What the marks of one part, its own neighbor, become (wrapping as int64 does)."""
    marks = [0, 0]
    for i in range(steps):
        marks[1 - i % 2] += marks[i % 2] + 1
    return [(mark + 2**63) % 2**64 - 2**63 for mark in marks]


def in_step(team, steps, parts):
    marks = np.zeros((2, parts), np.int64)
    kernel.pace(team.state, steps, marks)
    assert_array_equal(marks, np.tile(marks_after(steps), (parts, 1)).T)


def here(team):
    return team._calls - len(team._gone)


def eventually(condition):
    end = time.monotonic() + 30
    while not condition() and time.monotonic() < end:
        time.sleep(1e-3)
    return condition()


@pytest.mark.parametrize("n_jobs", [1, 2, 7])
@pytest.mark.parametrize("parts", [1, 2, 5, 100])
def test_each_part_of_each_step_is_done_once_and_in_turn(n_jobs, parts):
    team = Team(n_jobs, np.inf)
    for steps in (0, 1, 2, 90):
        team.gather()
        in_step(team, steps, parts)
    for _ in range(20 if n_jobs <= blocks._cores() else 2):
        team.gather()
        in_step(team, 90, parts)
    team.release()
    assert eventually(lambda: here(team) == 0)


def test_threads_come_and_go_meanwhile():
    """While steps are taken, some leave and others join."""
    team, stop = Team(3, np.inf), threading.Event()

    def come_and_go():
        while not stop.is_set():
            kernel.serve(team.state, 0.0)

    others = [threading.Thread(target=come_and_go) for _ in range(2)]
    for thread in others:
        thread.start()
    try:
        for parts in (1, 3, 40) * 50:
            in_step(team, 30, parts)
    finally:
        stop.set()
        for thread in others:
            thread.join(30)


def test_threads_are_not_called_for_little_or_by_one_that_works_for_another():
    assert Team(4, 1.0)._helpers == 0
    assert Team(1, np.inf)._helpers == 0
    assert blocks.each(lambda _: Team(4, np.inf)._helpers, range(2), n_jobs=2) == [0, 0]
    assert Team(4, np.inf)._helpers == 3


def test_threads_leave_when_nothing_comes_and_are_called_again():
    team = Team(2, np.inf)
    for _ in range(3):
        team.gather()
        assert here(team) == 1
        team.gather()
        assert here(team) <= 1
        in_step(team, 20, 4)
        assert eventually(lambda: here(team) == 0)


def test_others_have_the_threads_once_released():
    team = Team(2, np.inf)
    team.gather()
    team.release()
    names = blocks.each(lambda _: (time.sleep(0.02), threading.get_ident())[1], range(8), n_jobs=2)
    assert len(set(names)) == 2
    team.gather()
    in_step(team, 20, 4)


def test_a_task_that_is_not_wanted_any_more_stops():
    reached = []

    def work(task):
        if task == 0:
            raise ValueError("first")
        time.sleep(0.05)  # until that is known
        Team(2, np.inf).gather()
        reached.append(task)

    with pytest.raises(ValueError, match="first"):
        blocks.each(work, range(2), n_jobs=2)
    assert not reached
