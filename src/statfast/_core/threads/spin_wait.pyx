# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""Waiting in a loop for a count to change, before a thread sleeps.

Waking a thread takes as long as a small call, and ten times as long on a virtual machine whose idle
processor has been given to others. A thread that serves a team stays awake for the next step. The
caller must be able to handle an early return.
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
    """Return when the count differs from the one seen, or after so many seconds."""
    with nogil:
        wait_awake_on(&count[0], seen, seconds)


def team_numbers():
    """The number of 64-bit integers that the memory of a team takes."""
    return TEAM_NUMBERS


def serve(
    int64_t[::1] team,         # INOUT see threads/team.pxd
    double seconds,
):
    """Do parts of the steps of a team, until there was none for so many seconds or all have to
    leave."""
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
    """Run steps with almost no work, each of which needs the one before.

    In each step a part increases its mark in one row by 1 plus that of its neighbor in the other
    row. Marks that differ among parts show that one was done twice, or not at all, or before the
    last step was over.
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
    bint now,                  # whether all that serve it have to leave
):
    """Tell the threads that serve a team to leave, or that they may stay."""
    team_leave(team_of(team), now)
