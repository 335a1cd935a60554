# SPDX-License-Identifier: BSD-3-Clause
"""The order of the rows in a ball tree: they are halved again and again, down to the leaves.

Rows are divided at the median of the difference of their squared distances to two pivots, that is
by a plane across the line of the pivots. The pivots are two distant rows of a sample after two
rounds of 2-means (Uhlmann 1991, doi:10.1016/0020-0190(91)90074-R, takes the rows themselves). They
lie along the direction in which the rows vary most, whatever the axes are. Where the rows vary in
few directions among many columns, each division along one of these halves the balls.

Cost: O(n d) for each level of halving. The caller guarantees rows of finite numbers, the shape of a
tree from balltree/build.pyx, and that calls at the same time have nodes of disjoint rows.
"""

from libc.math cimport INFINITY, fabs
from libc.stdint cimport int32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from statfast._core.order.keyed_rows cimport KeyedRow, comes_before
from statfast._core.tile.rows cimport squared_distances, real

cdef enum:
    FAN = 8        # children of a node
    PIVOT_SAMPLE = 96    # rows that choose the pivots


def choose_pivots(
    const real[:, ::1] X,           # IN (n, d)
    double[:, ::1] pivots,          # OUT (3, d) the two, and work space
):
    """Two points along the direction in which the rows vary most."""
    with nogil:
        pivots_of(&X[0, 0], X.shape[0], X.shape[1], &pivots[0, 0])


def measure_keys(
    const real[:, ::1] X,           # IN (n, d)
    double[:, ::1] pivots,          # IN (3, d)
    double[::1] key,                # OUT (n,)
):
    """The signed distance of rows from the plane between the pivots, up to a factor."""
    cdef Py_ssize_t i, d = X.shape[1]
    with nogil:
        for i in range(X.shape[0]):
            key[i] = key_of(&X[i, 0], &pivots[0, 0], d)


def part(
    const double[::1] key,          # IN (n,)
    Py_ssize_t left,
    Py_ssize_t[::1] order,          # OUT (n,) the `left` rows of the smallest keys first
):
    """Choose the rows that go left: those of the smallest keys, and of equal keys the first
    ones."""
    cdef Py_ssize_t n = key.shape[0], i
    cdef KeyedRow *keyed = <KeyedRow *>malloc(n * sizeof(KeyedRow))
    if keyed == NULL:
        raise MemoryError
    with nogil:
        for i in range(n):
            keyed[i].key = key[i]
            keyed[i].row = i
        select(keyed, n, left)
        for i in range(n):
            order[i] = keyed[i].row
    free(keyed)


def arrange(
    real[:, ::1] X,                 # INOUT (n, d) all rows
    Py_ssize_t[::1] ids,            # INOUT (n,)
    const int32_t[:, ::1] first,    # IN (nodes, 9)
    Py_ssize_t start,
    Py_ssize_t stop,
):
    """Bring the rows of nodes start to stop, a subtree, into the order of their children."""
    cdef Py_ssize_t n = X.shape[0], d = X.shape[1], node, low, most
    low = min(n, <Py_ssize_t>first[start, 0] * FAN)
    most = min(n, <Py_ssize_t>first[start, FAN] * FAN) - low
    cdef real *spare = <real *>malloc(most * d * sizeof(real))
    cdef KeyedRow *keyed = <KeyedRow *>malloc(most * sizeof(KeyedRow))
    cdef Py_ssize_t *moved = <Py_ssize_t *>malloc(most * sizeof(Py_ssize_t))
    cdef double *pivots = <double *>malloc(3 * d * sizeof(double))
    if spare == NULL or keyed == NULL or moved == NULL or pivots == NULL:
        free(spare)
        free(keyed)
        free(moved)
        free(pivots)
        raise MemoryError
    with nogil:
        for node in range(start, stop):
            divide(&X[0, 0], &ids[0], n, d, &first[node, 0], 0, children(&first[node, 0]),
                   spare, keyed, moved, pivots)
    free(spare)
    free(keyed)
    free(moved)
    free(pivots)


cdef inline Py_ssize_t children(const int32_t *first) noexcept nogil:
    cdef Py_ssize_t c = FAN
    while c > 1 and first[c - 1] == first[FAN]:
        c -= 1
    return c


cdef void divide(
    real *x, Py_ssize_t *ids, Py_ssize_t n, Py_ssize_t d, const int32_t *first,
    Py_ssize_t from_child, Py_ssize_t to_child, real *spare, KeyedRow *keyed,
    Py_ssize_t *moved, double *pivots,
) noexcept nogil:
    """Divide the rows of a node among some of its children, in up to three levels of halving."""
    if to_child - from_child < 2:
        return
    cdef Py_ssize_t middle = (from_child + to_child) // 2, i
    cdef Py_ssize_t low = min(n, <Py_ssize_t>first[from_child] * FAN)
    cdef Py_ssize_t count = min(n, <Py_ssize_t>first[to_child] * FAN) - low
    pivots_of(x + low * d, count, d, pivots)
    for i in range(count):
        keyed[i].key = key_of(x + (low + i) * d, pivots, d)
        keyed[i].row = i
    select(keyed, count, <Py_ssize_t>first[middle] * FAN - low)
    for i in range(count):
        memcpy(spare + i * d, x + (low + keyed[i].row) * d, d * sizeof(real))
        moved[i] = ids[low + keyed[i].row]
    memcpy(x + low * d, spare, count * d * sizeof(real))
    memcpy(ids + low, moved, count * sizeof(Py_ssize_t))
    divide(x, ids, n, d, first, from_child, middle, spare, keyed, moved, pivots)
    divide(x, ids, n, d, first, middle, to_child, spare, keyed, moved, pivots)


cdef inline double key_of(const real *x, const double *pivots, Py_ssize_t d) noexcept nogil:
    """The key of a row: negative if it is nearer to the first pivot; 0 where both squares
    overflow."""
    cdef double one, other, key
    squared_distances(pivots, x, d, 1, d, &one)
    squared_distances(pivots + d, x, d, 1, d, &other)
    key = one - other
    return key if key == key else 0


cdef void pivots_of(const real *x, Py_ssize_t n, Py_ssize_t d, double *pivots) noexcept nogil:
    cdef Py_ssize_t m = min(n, <Py_ssize_t>PIVOT_SAMPLE), i, j, p, count
    cdef Py_ssize_t at[PIVOT_SAMPLE]
    cdef bint near[PIVOT_SAMPLE]
    cdef double *mean = pivots + 2 * d
    for i in range(m):
        at[i] = i * n // m * d
    read(x + at[0], d, pivots)
    read(x + at[farthest(x, at, m, d, pivots)], d, pivots + d)
    read(x + at[farthest(x, at, m, d, pivots + d)], d, pivots)
    for _ in range(2):
        for i in range(m):
            near[i] = key_of(x + at[i], pivots, d) < 0
        for j in range(2):
            count = 0
            for p in range(d):
                mean[p] = 0
            for i in range(m):
                if near[i] == (j == 0):
                    count += 1
                    for p in range(d):
                        mean[p] += x[at[i] + p]
            for p in range(d):
                mean[p] /= count
                # No row is nearest to this pivot, or the mean has overflowed.
                if not fabs(mean[p]) < INFINITY:
                    break
            else:
                memcpy(pivots + j * d, mean, d * sizeof(double))


cdef inline void read(const real *x, Py_ssize_t d, double *out) noexcept nogil:
    cdef Py_ssize_t p
    for p in range(d):
        out[p] = x[p]


cdef Py_ssize_t farthest(
    const real *x, const Py_ssize_t *at, Py_ssize_t m, Py_ssize_t d, const double *q
) noexcept nogil:
    cdef Py_ssize_t i, index = 0
    cdef double to, most = -1
    for i in range(m):
        squared_distances(q, x + at[i], d, 1, d, &to)
        if to > most:
            most = to
            index = i
    return index


cdef void select(KeyedRow *a, Py_ssize_t n, Py_ssize_t k) noexcept nogil:
    """Bring the k first in order to the front, by Hoare's partition about pivots drawn at random.
    The draws are always the same; they make a quadratic cost unlikely for any order of rows."""
    cdef Py_ssize_t low = 0, high = n - 1, i, j
    cdef uint64_t state = 88172645463325252
    cdef KeyedRow pivot, one
    while low < high:
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        pivot = a[low + <Py_ssize_t>(state % <uint64_t>(high - low + 1))]
        i, j = low, high
        while i <= j:
            while comes_before(&a[i], &pivot):
                i += 1
            while comes_before(&pivot, &a[j]):
                j -= 1
            if i <= j:
                one = a[i]
                a[i] = a[j]
                a[j] = one
                i += 1
                j -= 1
        if low < k <= j:
            high = j
        elif k > i:
            low = i
        else:
            return
