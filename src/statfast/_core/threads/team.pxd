# SPDX-License-Identifier: BSD-3-Clause
"""Steps too short for a thread pool, done in parts by threads that stay awake: see
threads/team.h."""

from libc.stdint cimport int64_t

cdef extern from "threads/team.h" nogil:
    ctypedef struct team:
        pass
    void team_do(
        team *t, void (*work)(void *job, Py_ssize_t part) noexcept nogil, void *job,
        Py_ssize_t parts)
    void team_serve(team *t, double seconds)
    void team_leave(team *t, int64_t leave)
    int TEAM_NUMBERS  # of 64 bits: the memory of a team, all zero at first


cdef inline team *team_of(
    int64_t[::1] state,             # INOUT the memory of a team
) noexcept nogil:
    return <team *>&state[0]
