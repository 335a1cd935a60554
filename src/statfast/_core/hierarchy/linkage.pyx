# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""Agglomeration of a dissimilarity matrix: rounds of reciprocal nearest neighbors, and chains.

Two clusters that are each other's nearest neighbor may be merged at once if the rule is reducible
(no union is nearer to a third cluster than the nearer of its parts), independently of all other
merges: Bruynooghe 1978; Murtagh 1983, doi:10.1093/comjnl/26.4.354. `contract` writes the matrix of
the next round, and finds its nearest neighbors on the way, so that a round is one sequential read
and write. Where few pairs are reciprocal, or few clusters remain, `follow` follows the chain of
nearest neighbors of Benzecri 1982 instead, one merge after the other, in a square matrix.

A matrix is given by its upper triangle, as rows at addresses (distance/triangle.pyx). Numbers of
row r in the columns before r are read from other rows; `contract` needs them only between the two
parts of a union. Ties go to the lowest index.

Cost: `contract` takes m^2 / 2 reads, the writes of the new matrix, and the reads from other rows, a
ninth of m^2 if half of the rows are merged at random; `follow` takes about 3 m sequential reads and
writes for a merge. The
caller guarantees addresses, finite numbers, and clusters sorted by their lowest row.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, uint64_t
from libc.stdlib cimport free, malloc

from statfast._core.hierarchy.clusters cimport Clusters, address_of
from statfast._core.hierarchy.lance_williams cimport WARD, rule_for, union_rule
from statfast._core.tile.rows cimport real
from statfast._core.hierarchy.square cimport become_one, journal, mirror, pack, refresh
from statfast._core.hierarchy.triangle cimport (
    fold, pick, row_at, scan_row, seek, square, squeeze, unite,
)


cdef class Unions:
    """The merges of a round, as one argument. Keeps its arrays alive."""

    cdef const Py_ssize_t[::1] rows
    cdef const int32_t[::1] first, second, pairs
    cdef const uint64_t[::1] keep
    cdef const void *size
    cdef const void *height
    cdef int rule
    cdef double scale
    cdef tuple arrays

    def __cinit__(
        self,
        const Py_ssize_t[::1] rows,     # IN (m,) addresses
        const int32_t[::1] first,       # IN (k,) the lowest row of each new cluster, rising
        const int32_t[::1] second,      # IN (k,) the other row merged into it, or -1
        const int32_t[::1] pairs,       # IN (p,) the new clusters with two parts
        const uint64_t[::1] keep,       # IN (m / 64 + 1,) a bit for each row in `first`
        size,                           # IN (m,) points of the old clusters
        height,                         # IN (k,) the distance of the two parts
        int rule,
        double scale,                   # IN if not 0, numbers become (scale x)^2 first
    ):
        self.rows, self.first, self.second, self.pairs, self.keep = rows, first, second, pairs, keep
        self.arrays = size, height
        self.size, self.height = address_of(size), address_of(height)
        self.rule, self.scale = rule, scale


def contract(
    Unions unions,
    Py_ssize_t begin,                   # IN the new rows to write
    Py_ssize_t end,
    real[::1] out,                      # OUT their numbers in sequence, and SLACK more
    Py_ssize_t[::1] places,             # OUT [begin, end) of (k,): addresses of the new rows
    real[::1] low,                      # INOUT (k,) this and the next as in triangle.neighbors
    int32_t[::1] who,                   # INOUT (k,)
    real[::1] right_low,                # OUT (k,)
    int32_t[::1] right_who,             # OUT (k,)
):
    """Rows of the matrix of the next round, and the smallest numbers of its rows and columns."""
    cdef const Py_ssize_t[::1] rows = unions.rows
    cdef const int32_t[::1] first = unions.first, second = unions.second, pairs = unions.pairs
    cdef const real *size = <const real *>unions.size
    cdef const real *height = <const real *>unions.height
    cdef int rule = unions.rule
    cdef double scale = unions.scale
    cdef Py_ssize_t m = rows.shape[0], count = pairs.shape[0]
    cdef Py_ssize_t p, i, j, c, n, at = 0
    cdef union_rule u
    cdef real mine
    cdef real *to = &out[0]
    cdef const real *a
    cdef const real *b
    cdef real *row = <real *>malloc((2 * m + 3 * count + 1) * sizeof(real))
    cdef int32_t *partner = <int32_t *>malloc((count + 1) * sizeof(int32_t))
    if row == NULL or partner == NULL:
        free(row)
        free(partner)
        raise MemoryError
    cdef real *picked = row + m
    cdef real *one = picked + m
    cdef real *two = one + count
    cdef real *apart = two + count
    with nogil:
        for c in range(count):
            p = pairs[c]
            u = rule_for(rule, size[first[p]], size[second[p]], height[p])
            partner[c], two[c], apart[c] = second[p], size[second[p]], height[p]
            one[c] = size[first[p]] if rule == WARD else <real>u.share
        for p in range(begin, end):
            i, j = first[p], second[p]
            mine = size[i]
            a = row_at(rows, i, <real>0) - i - 1
            if scale:
                square(a + i + 1, m - i - 1, scale, row + i + 1)
                a = row
            if j >= 0:
                mine = mine + size[j]
                u = rule_for(rule, size[i], size[j], height[p])
                pick(rows, i + 1, j, j, picked)
                b = row_at(rows, j, <real>0) - j - 1
                if scale:
                    square(picked + i + 1, j - i - 1, scale, picked + i + 1)
                    square(b + j + 1, m - j - 1, scale, picked + j + 1)
                    b = picked
                unite(&u, a + i + 1, picked + i + 1, size + i + 1, j - i - 1, row + i + 1)
                if j + 1 < m:
                    unite(&u, a + j + 1, b + j + 1, size + j + 1, m - j - 1, row + j + 1)
                a = row
            places[p] = <Py_ssize_t>to
            n = squeeze(a + i + 1, &unions.keep[0], i + 1, m - i - 1, to)
            while at < count and pairs[at] <= p:
                at += 1
            if at < count:
                fold(rule, mine, a, partner + at, &pairs[at], one + at, two + at, apart + at,
                     count - at, to - p - 1)
            right_low[p] = <real>INFINITY
            right_who[p] = -1
            if n > 0:
                scan_row(to, n, p, p + 1, &low[p + 1], &who[p + 1], &right_low[p], &right_who[p])
            to += n
    free(partner)
    free(row)


def unfold(
    const Py_ssize_t[::1] rows,         # IN (m,) addresses
    double scale,                       # IN if not 0, numbers become (scale x)^2
    Py_ssize_t begin,                   # IN the rows to write
    Py_ssize_t end,
    real[::1] matrix,                   # OUT (m^2,) the square matrix, infinite on the diagonal
):
    """Rows of a symmetric matrix."""
    with nogil:
        mirror(rows, scale, begin, end, &matrix[0])


def follow(
    real[::1] matrix,                   # INOUT (m^2,) a symmetric matrix, infinite on the diagonal
    int rule,
    Clusters clusters,                  # INOUT of the type of the matrix
    int32_t[:, ::1] notes,              # INOUT (6, m) the chain and the journal
    Py_ssize_t[::1] state,              # INOUT (5,) clusters, links, merges; m, time of the journal
    int32_t[::1] kept,                 # OUT (m - 1,) a point of the cluster that is kept
    int32_t[::1] merged,               # OUT (m - 1,) a point of the cluster merged into it
    real[::1] height,                   # OUT (m - 1,)
    double shrunk,                      # IN the share of clusters left at which to pack the matrix
    Py_ssize_t budget,                  # IN about how many numbers to look at
):
    """Merge along the chain of nearest neighbors until one cluster is left."""
    cdef Py_ssize_t count = state[0], links = state[1], merges = state[2], x, y, i, j, start = 0
    cdef real *size = <real *>clusters.size
    cdef real *gone = <real *>clusters.gone
    cdef int32_t *point = clusters.point
    cdef journal t
    cdef real best
    cdef int32_t at
    cdef int32_t *link = &notes[0, 0]
    cdef uint64_t *keep = <uint64_t *>malloc((notes.shape[1] // 64 + 2) * sizeof(uint64_t))
    if keep == NULL:
        raise MemoryError
    t.m, t.time = state[3], state[4]
    t.unions, t.changed, t.fresh = &notes[1, 0], &notes[2, 0], &notes[3, 0]
    t.now, t.later = &notes[4, 0], &notes[5, 0]
    with nogil:
        while count > 1 and budget > 0:
            if count < shrunk * t.m:
                budget -= t.m * t.m
                pack(&t, &matrix[0], size, gone, point, link, links, keep)
                start = 0
            if links == 0:
                while gone[start] > 0:
                    start += 1
                link[0] = <int32_t>start
                links = 1
            x, y = link[links - 1], -1
            budget -= t.m + refresh(&t, &matrix[0], x)
            best, at = <real>INFINITY, -1
            if links > 1:
                y = link[links - 2]
                best, at = matrix[x * t.m + y], <int32_t>y
            seek(&matrix[x * t.m], gone, t.m, 0, &best, &at)
            if at < 0:  # all are infinite
                at = 0
                while at == x or gone[at] > 0:
                    at += 1
            if at != y:
                link[links] = at
                links += 1
                continue
            links -= 2
            i, j = min(x, y), max(x, y)
            budget -= 2 * t.m + refresh(&t, &matrix[0], y)
            kept[merges], merged[merges], height[merges] = point[i], point[j], best
            merges += 1
            become_one(&t, &matrix[0], rule, i, j, best, size, gone)
            count -= 1
    state[0], state[1], state[2], state[3], state[4] = count, links, merges, t.m, t.time
    free(keep)


def generic(
    real[::1] matrix,                   # INOUT (m^2,) as in follow
    int rule,
    Clusters clusters,                  # INOUT as in follow
    real[::1] low,                      # INOUT (m,) lower bounds of the smallest number of each row
    int32_t[::1] who,                   # INOUT (m,) the column of that number
    int32_t[:, ::1] notes,              # INOUT (5, m) the journal
    Py_ssize_t[::1] state,              # INOUT (4,) clusters, merges; m and time of the journal
    int32_t[::1] kept,                 # OUT (m - 1,)
    int32_t[::1] merged,               # OUT (m - 1,)
    real[::1] height,                   # OUT (m - 1,)
    double shrunk,                      # IN as in follow
    Py_ssize_t budget,                  # IN
):
    """Merge the two nearest clusters, one pair after the other, by any rule.

    The generic algorithm of Muellner 2011, arXiv:1109.2378: it keeps lower bounds of the smallest
    numbers of rows, and computes the smallest number of a row when its bound is the smallest of
    all. Deviation: instead of a heap the bounds are scanned, which takes less time than a union.
    """
    cdef Py_ssize_t count = state[0], merges = state[1], x, y, c
    cdef real *size = <real *>clusters.size
    cdef real *gone = <real *>clusters.gone
    cdef int32_t *point = clusters.point
    cdef journal t
    cdef real best
    cdef int32_t at
    cdef real *row
    cdef uint64_t *keep = <uint64_t *>malloc((notes.shape[1] // 64 + 2) * sizeof(uint64_t))
    if keep == NULL:
        raise MemoryError
    t.m, t.time = state[2], state[3]
    t.unions, t.changed, t.fresh = &notes[0, 0], &notes[1, 0], &notes[2, 0]
    t.now, t.later = &notes[3, 0], &notes[4, 0]
    with nogil:
        while count > 1 and budget > 0:
            if count < shrunk * t.m:
                budget -= t.m * t.m
                c = t.m
                pack(&t, &matrix[0], size, gone, point, &who[0], c, keep)
                for x in range(c):
                    y = t.now[x]
                    if y >= 0:
                        low[y], who[y] = low[x], who[x]
            best, at = <real>INFINITY, -1
            seek(&low[0], gone, t.m, 0, &best, &at)
            x = at
            y = who[x]
            budget -= t.m
            if y < 0 or gone[y] > 0 or best < between(&t, &matrix[0], x, y):
                budget -= t.m + refresh(&t, &matrix[0], x)
                low[x], who[x] = <real>INFINITY, -1
                seek(&matrix[x * t.m], gone, t.m, 0, &low[x], &who[x])
                continue
            if y < x:
                x, y = y, x
            budget -= 4 * t.m + refresh(&t, &matrix[0], x) + refresh(&t, &matrix[0], y)
            kept[merges], merged[merges], height[merges] = point[x], point[y], best
            merges += 1
            count -= 1
            become_one(&t, &matrix[0], rule, x, y, best, size, gone)
            row = &matrix[x * t.m]
            low[x], who[x], best = <real>INFINITY, -1, -<real>INFINITY
            # Update rows that are nearer to it.
            scan_row(row, t.m, x, 0, &low[0], &who[0], &best, &at)
            low[x], who[x] = <real>INFINITY, -1
            seek(row, gone, t.m, 0, &low[x], &who[x])
    state[0], state[1], state[2], state[3] = count, merges, t.m, t.time
    free(keep)


cdef inline real between(
    const journal *t, const real *matrix, Py_ssize_t x, Py_ssize_t y
) noexcept nogil:
    """The distance of two clusters, which is in the row of the one that was made last."""
    return matrix[x * t.m + y] if t.changed[x] >= t.changed[y] else matrix[y * t.m + x]
