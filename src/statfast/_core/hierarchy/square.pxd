# SPDX-License-Identifier: BSD-3-Clause
"""A symmetric matrix of clusters, whose rows are brought up to date when they are read.

A union of two clusters changes a row and a column. The row is written at once. The numbers of the
column are copied from it into each other row when that is next read, if it ever is: the `unions` of
a journal list the rows that have changed since. Thus rows are read and written in sequence, except
for those numbers. Clusters that no longer exist stay in the matrix, with `gone` infinite, until
`pack` removes them.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, uint64_t
from libc.string cimport memcpy

from statfast._core.hierarchy.lance_williams cimport rule_for, union_rule
from statfast._core.tile.rows cimport real
from statfast._core.hierarchy.triangle cimport row_at, square, squeeze, unite


ctypedef struct journal:
    Py_ssize_t m            # rows of the matrix
    Py_ssize_t time         # unions so far
    int32_t *unions         # (time,) the cluster that each union made
    int32_t *changed        # (m,) the time after the last union that made a cluster, or 0
    int32_t *fresh          # (m,) the time at which a row was up to date
    int32_t *now            # (m,) work space
    int32_t *later          # (m,) work space


cdef inline void mirror(
    const Py_ssize_t[::1] rows, double scale, Py_ssize_t begin, Py_ssize_t end, real *table
) noexcept nogil:
    """Rows of the square matrix of a triangle, with an infinite diagonal."""
    cdef Py_ssize_t m = rows.shape[0], r, c
    cdef const real *a
    for r in range(begin, end):
        table[r * m + r] = <real>INFINITY
        memcpy(table + r * m + r + 1, row_at(rows, r, table[0]), (m - r - 1) * sizeof(real))
    for c in range(end - 1):
        a = row_at(rows, c, table[0]) - c - 1
        for r in range(max(begin, c + 1), end):
            table[r * m + c] = a[r]
    if scale:
        square(table + begin * m, (end - begin) * m, scale, table + begin * m)


cdef inline Py_ssize_t refresh(journal *t, real *table, Py_ssize_t x) noexcept nogil:
    """Bring row x up to date; returns about how many numbers that cost."""
    cdef real *row = table + x * t.m
    cdef Py_ssize_t e, c, cost = 2 * (t.time - t.fresh[x])
    for e in range(t.fresh[x], t.time):
        c = t.unions[e]
        if t.changed[c] == e + 1 and c != x:
            row[c] = table[c * t.m + x]
            cost += 8
    t.fresh[x] = <int32_t>t.time
    return cost


cdef inline void become_one(
    journal *t, real *table, int rule, Py_ssize_t i, Py_ssize_t j, real height, real *size,
    real *gone,
) noexcept nogil:
    """Merge cluster j into i; the rows of both are up to date."""
    cdef union_rule u = rule_for(rule, size[i], size[j], height)
    unite(&u, table + i * t.m, table + j * t.m, size, t.m, table + i * t.m)
    table[i * t.m + i] = <real>INFINITY
    size[i] += size[j]
    gone[j] = <real>INFINITY
    t.unions[t.time] = <int32_t>i
    t.time += 1
    t.changed[i] = t.fresh[i] = <int32_t>t.time


cdef inline void pack(
    journal *t, real *table, real *size, real *gone, int32_t *point, int32_t *link,
    Py_ssize_t links, uint64_t *keep,
) noexcept nogil:
    """Remove the clusters that are gone; `keep` is work space of m / 64 + 2 words.

    `link` holds clusters, or -1; those that are gone become -1.
    """
    cdef Py_ssize_t c, e, k = 0, kept = 0
    for c in range(t.m // 64 + 2):
        keep[c] = 0
    for c in range(t.m):
        t.now[c] = -1
        if gone[c] == 0:
            keep[c // 64] |= <uint64_t>1 << (c % 64)
            t.now[c] = <int32_t>k
            k += 1
    for e in range(t.time):
        c = t.unions[e]
        t.later[e] = <int32_t>kept
        if t.now[c] >= 0 and t.changed[c] == e + 1:
            t.unions[kept] = t.now[c]
            kept += 1
    for e in range(links):
        link[e] = t.now[link[e]] if link[e] >= 0 else -1
    for c in range(t.m):
        if t.now[c] < 0:
            continue
        e = t.now[c]
        squeeze(table + c * t.m, keep, 0, t.m, table + e * k)
        size[e], point[e], gone[e] = size[c], point[c], 0
        t.fresh[e] = <int32_t>kept if t.fresh[c] == t.time else t.later[t.fresh[c]]
        t.changed[e] = t.later[t.changed[c] - 1] + 1 if t.changed[c] > 0 else 0
    t.m, t.time = k, kept
