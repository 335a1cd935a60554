# SPDX-License-Identifier: BSD-3-Clause
"""Waiting awake for a count to change."""

import os
import threading
from array import array

import pytest
from statfast._core.threads.spin_wait import allow, linger, processor

LONG = 600.0  # seconds: a wait that does not end


def finishes(function, *args):
    thread = threading.Thread(target=function, args=args, daemon=True)
    thread.start()
    return thread


def test_a_count_that_has_changed_is_not_waited_for():
    thread = finishes(linger, array("q", [5]), 4, LONG)
    thread.join(30)
    assert not thread.is_alive()


def test_a_change_ends_the_wait_and_nothing_else():
    count = array("q", [0, 0])
    thread = finishes(linger, count, 0, LONG)
    count[1] = 1
    thread.join(0.05)
    assert thread.is_alive()
    count[0] = -1
    thread.join(30)
    assert not thread.is_alive()


@pytest.mark.parametrize("seconds", [0.0, 1e-3, -1.0])
def test_the_time_ends_the_wait(seconds):
    thread = finishes(linger, array("q", [0]), 0, seconds)
    thread.join(30)
    assert not thread.is_alive()


LINUX = pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="Linux alone")


def test_the_processor_is_told():
    assert processor() >= 0
    if hasattr(os, "sched_getaffinity"):
        assert processor() - 1 in os.sched_getaffinity(0)


@LINUX
def test_a_thread_is_kept_off_a_processor_unless_it_may_run_nowhere_else():
    number, began, ended = [], threading.Event(), threading.Event()

    def wait():
        number.append(threading.get_native_id())
        began.set()
        ended.wait(30)

    thread = finishes(wait)
    assert began.wait(30)
    everywhere = os.sched_getaffinity(number[0])
    *some, last = sorted(everywhere)
    for place in some:
        assert allow(number[0], place + 1, False)
        assert not allow(number[0], place + 1, False)  # it did not take away what is not there
    assert os.sched_getaffinity(number[0]) == {last}
    assert not allow(number[0], last + 1, False)
    assert os.sched_getaffinity(number[0]) == {last}
    for place in some:
        assert allow(number[0], place + 1, True)
    assert os.sched_getaffinity(number[0]) == everywhere
    for place in (0, -5, 1 << 40):
        assert not allow(number[0], place, False)
    ended.set()
    thread.join(30)
