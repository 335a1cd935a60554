# SPDX-License-Identifier: BSD-3-Clause
"""Waiting awake for a count to change."""

import threading
from array import array

import pytest
from statfast._core.threads.spin_wait import wait_awake

LONG = 600.0  # seconds: a wait that does not end


def finishes(function, *args):
    thread = threading.Thread(target=function, args=args, daemon=True)
    thread.start()
    return thread


def test_a_count_that_has_changed_is_not_waited_for():
    thread = finishes(wait_awake, array("q", [5]), 4, LONG)
    thread.join(30)
    assert not thread.is_alive()


def test_a_change_ends_the_wait_and_nothing_else():
    count = array("q", [0, 0])
    thread = finishes(wait_awake, count, 0, LONG)
    count[1] = 1
    thread.join(0.05)
    assert thread.is_alive()
    count[0] = -1
    thread.join(30)
    assert not thread.is_alive()


@pytest.mark.parametrize("seconds", [0.0, 1e-3, -1.0])
def test_the_time_ends_the_wait(seconds):
    thread = finishes(wait_awake, array("q", [0]), 0, seconds)
    thread.join(30)
    assert not thread.is_alive()
