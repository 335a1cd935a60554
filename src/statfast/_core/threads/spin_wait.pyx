# SPDX-License-Identifier: BSD-3-Clause
"""Wait awake for a count to change: what a thread does before it sleeps.

To wake a thread costs the time of a small call, ten times that on a virtual machine whose idle
processor has been given away. A thread that serves a team is awake for the next step. The caller
guarantees that nothing is wrong with waking up too early.
"""

from libc.stdint cimport int64_t

from statfast._core.threads.team cimport TEAM_NUMBERS, team_do, team_leave, team_of, team_serve

cdef extern from *:
    """
    #include "threads/wait.h"
    static void wait_awake_on(const volatile int64_t *count, int64_t seen, double seconds) {
        const double end = seconds_now() + seconds;
        do {
            for (int i = 0; i < 64; i++) {
                if (*count != seen) return;
                PAUSE();
            }
            YIELD();
        } while (seconds_now() < end);
    }
    """
    void wait_awake_on(const int64_t *count, int64_t seen, double seconds) noexcept nogil


def wait_awake(
    const int64_t[::1] count,  # IN (1,) changed by other threads
    int64_t seen,              # its value so far
    double seconds,            # at most
):
    """Return when the count is no longer the one seen, or after so many seconds."""
    with nogil:
        wait_awake_on(&count[0], seen, seconds)


def team_numbers():
    """Numbers of a team's memory."""
    return TEAM_NUMBERS


def serve(
    int64_t[::1] team,         # INOUT see threads/team.pxd
    double seconds,
):
    """Do parts of the steps of a team, until none has come for so many seconds or all are to go."""
    with nogil:
        team_serve(team_of(team), seconds)


cdef struct Pace:
    int64_t *before
    int64_t *after
    Py_ssize_t parts


cdef void pace_part(void *job, Py_ssize_t part) noexcept nogil:
    cdef Pace *p = <Pace *>job
    p.after[part] += p.before[(part + 1) % p.parts] + 1


def pace(
    int64_t[::1] team,         # INOUT
    Py_ssize_t steps,
    int64_t[:, ::1] marks,     # INOUT (2, parts)
):
    """Take steps of next to no work, each of which needs the one before.

    In each a part's mark in one row grows by its neighbor's in the other, and 1: marks that differ
    among parts show that one was done twice, or not at all, or before the last step was over.
    """
    cdef Pace p
    cdef Py_ssize_t i
    p.parts = marks.shape[1]
    with nogil:
        for i in range(steps):
            p.before = &marks[i % 2, 0]
            p.after = &marks[1 - i % 2, 0]
            team_do(team_of(team), pace_part, &p, p.parts)


def leave(
    int64_t[::1] team,         # INOUT
    bint now,                  # whether all that serve it are to go
):
    """Tell those that serve a team to go, or that they need not."""
    team_leave(team_of(team), now)
