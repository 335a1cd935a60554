# SPDX-License-Identifier: BSD-3-Clause
"""Clusters that are merged one pair after the other, and their rows, made when they are needed.

At first every cluster has its row in a triangle (hierarchy/triangle.pxd), which is only read. A
union has a whole row in memory of its own; so has a cluster of the triangle once its row was made.
Such a row holds the distances to all clusters that were there when it was last filled. Those born
later know theirs to it, so a merge writes one row, not a column.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, uint64_t
from libc.string cimport memcpy
from libc.string cimport memmove

from statfast._core.hierarchy.lance_williams cimport rule_for, union_rule
from statfast._core.tile.rows cimport real
from statfast._core.hierarchy.triangle cimport AHEAD, fetch, seek, square, squeeze, unite


cdef enum:
    GONE = 2147483647  # born: the cluster is no more
    TILE = 16  # rows of the triangle that are picked from by turns
    SOON = 16  # rows of the triangle: their numbers are fetched so long before


cdef struct clusters:
    Py_ssize_t m
    const Py_ssize_t *rows      # addresses of rows of the triangle
    double scale                # if not 0, their numbers become (scale x)^2
    Py_ssize_t *own             # addresses of whole rows; 0: not made
    int32_t *born               # 0, or the merges there were with it
    int32_t *seen               # the merges there were when its own row was last filled
    int32_t *asked              # and when its nearest was last looked for
    int32_t *first              # the clusters born at 0 that are left, rising
    Py_ssize_t firsts
    int32_t *later              # the others, by birth
    Py_ssize_t laters
    int32_t now                 # merges


cdef inline clusters clusters_of(
    const Py_ssize_t[::1] rows, double scale, Py_ssize_t[::1] own, int32_t[:, ::1] time,
    int32_t[:, ::1] left, const Py_ssize_t[::1] state,
) noexcept nogil:
    cdef clusters k
    k.m, k.rows, k.scale, k.own = rows.shape[0], &rows[0], scale, &own[0]
    k.born, k.seen, k.asked = &time[0, 0], &time[1, 0], &time[2, 0]
    k.first, k.later = &left[0, 0], &left[1, 0]
    k.firsts, k.laters, k.now = state[0], state[1], <int32_t>state[2]
    return k


cdef inline Py_ssize_t beyond(
    const int32_t *some, Py_ssize_t n, const int32_t *key, Py_ssize_t x
) noexcept nogil:
    """How many of a list are not above x: the numbers themselves, or their keys, which rise."""
    cdef Py_ssize_t low = 0, middle, value
    while low < n:
        middle = (low + n) // 2
        value = some[middle]
        if key != NULL:
            value = key[value]
        if value > x:
            n = middle
        else:
            low = middle + 1
    return low


cdef inline void leave(clusters *k, Py_ssize_t x) noexcept nogil:
    """Take a cluster off the lists."""
    cdef Py_ssize_t c
    if k.born[x] == 0:
        c = beyond(k.first, k.firsts, NULL, x)
        memmove(k.first + c - 1, k.first + c, (k.firsts - c) * sizeof(int32_t))
        k.firsts -= 1
    else:
        c = beyond(k.later, k.laters, k.born, k.born[x])
        memmove(k.later + c - 1, k.later + c, (k.laters - c) * sizeof(int32_t))
        k.laters -= 1


cdef inline void fill(
    const clusters *k, const int32_t *some, const Py_ssize_t *to, Py_ssize_t n,
    const uint64_t *keep, const int32_t *place, real *work
) noexcept nogil:
    """Write into the rows `to` of some clusters what they do not hold yet; into rows that were not
    made yet perhaps packed, that is of the columns to keep, each at its place.

    What comes out of columns of the triangle is picked for all of them from a few rows at a time,
    as columns side by side share lines of the cache. What comes out of later rows goes to places
    far apart, so there it is the row written to that stays in the cache. Columns of clusters that
    are no more hold anything.
    """
    cdef Py_ssize_t e, c, begin = 0, end, q, x
    cdef real scale = <real>k.scale, value
    cdef real *row
    cdef bint bare = False
    for e in range(n):
        x = some[e]
        if k.own[x]:
            continue
        bare = True
        row = <real *>to[e] if keep == NULL else work
        if k.scale:
            square(<const real *>k.rows[x], k.m - x - 1, k.scale, row + x + 1)
        else:
            memcpy(row + x + 1, <const real *>k.rows[x], (k.m - x - 1) * sizeof(real))
        if keep != NULL:
            squeeze(row + x + 1, keep, x + 1, k.m - x - 1, <real *>to[e] + place[x] + 1)
    while bare and begin < k.firsts:
        end = min(begin + TILE, k.firsts)
        for e in range(n):
            x, row, c = some[e], <real *>to[e], begin
            if k.own[x]:
                continue
            while c < end and k.first[c] < x:
                q = k.first[min(c + SOON, k.firsts - 1)]
                fetch(<const real *>k.rows[q] + x - q - 1)
                q = k.first[c]
                value = (<const real *>k.rows[q])[x - q - 1]
                if k.scale:
                    value = (value * scale) * (value * scale)
                row[q if place == NULL else place[q]] = value
                c += 1
        begin = end
    for e in range(n):
        x, row, c = some[e], <real *>to[e], 0
        if k.own[x]:
            c = beyond(k.later, k.laters, k.born, k.seen[x])
        while c < k.laters:
            fetch(<const real *>k.own[k.later[min(c + AHEAD, k.laters - 1)]] + x)
            q = k.later[c]
            row[q if place == NULL else place[q]] = (<const real *>k.own[q])[x]
            c += 1


cdef inline void fill_one(const clusters *k, Py_ssize_t x, real *row) noexcept nogil:
    cdef int32_t some = <int32_t>x
    cdef Py_ssize_t to = <Py_ssize_t>row
    fill(k, &some, &to, 1, NULL, NULL, row)


cdef inline void ask(
    const clusters *k, Py_ssize_t x, const real *gone, const real *gone_first, real *low,
    int32_t *who
) noexcept nogil:
    """The nearest of those that are not later: for a cluster of the triangle, to its right."""
    cdef real *row = <real *>k.own[x]
    low[x], who[x] = <real>INFINITY, -1
    if k.born[x] == 0:
        seek(<const real *>k.rows[x], gone_first, k.m, x + 1, &low[x], &who[x])
        if k.scale:
            square(&low[x], 1, k.scale, &low[x])
        return
    fill_one(k, x, row)
    k.seen[x] = k.asked[x] = k.now
    seek(row, gone, x, 0, &low[x], &who[x])
    seek(row + x + 1, gone, k.m, x + 1, &low[x], &who[x])


cdef inline void lead(
    const real *low, const real *gone, Py_ssize_t m, Py_ssize_t block, real *least, int32_t *place
) noexcept nogil:
    """The smallest of 64 bounds."""
    cdef Py_ssize_t first = 64 * block
    least[block], place[block] = <real>INFINITY, -1
    seek(low + first, gone, min(m, first + 64), first, &least[block], &place[block])


cdef inline void join_rows(
    clusters *k, int rule, Py_ssize_t x, Py_ssize_t y, real height, real *size, Py_ssize_t *room,
    Py_ssize_t *vacant,
) noexcept nogil:
    """Make y part of x. The row of the union takes the place of that of x."""
    cdef union_rule u = rule_for(rule, size[x], size[y], height)
    cdef real *a = <real *>(k.own[x] if k.own[x] else room[vacant[0] - 1])
    cdef real *b = <real *>(k.own[y] if k.own[y] else room[0])
    fill_one(k, x, a)
    fill_one(k, y, b)
    unite(&u, a, b, size, k.m, a)
    if k.own[x] == 0:
        vacant[0] -= 1
        k.own[x] = <Py_ssize_t>a
    if k.own[y]:
        room[vacant[0]] = k.own[y]
        vacant[0] += 1
        k.own[y] = 0
    leave(k, x)
    leave(k, y)
    k.now += 1
    k.later[k.laters] = <int32_t>x
    k.laters += 1
    k.born[x], k.seen[x], k.born[y] = k.now, k.now, GONE
    size[x] += size[y]
