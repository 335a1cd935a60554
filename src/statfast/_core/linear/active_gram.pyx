# SPDX-License-Identifier: BSD-3-Clause
"""The Cholesky factor of the Gram matrix of the columns that are not zero, for Newton steps.

It is made a block of columns at a time, each from those before it (left-looking: Golub & Van Loan
2013, section 4.2.9), by the register tile; rows and columns up to where the columns last changed
are kept. Blocks on the diagonal are kept inverted, so that rows below them are products too.

Cost: k^3 / 3 multiply-adds for k columns, of which r are new k^2 r. The caller guarantees a
symmetric G and budgets small enough that Ctrl-C is heard between calls.
"""

from libc.stdlib cimport free, malloc

from statfast._core.linear.blocked_cholesky cimport BLOCK_COLUMNS, TILE_SPARE_ROWS, invert, product
from statfast._core.linear.newton_steps cimport arranged
from statfast._core.tile.rows cimport aligned, panel_columns

COLUMNS_AT_ONCE = BLOCK_COLUMNS
SPARE_ROWS = TILE_SPARE_ROWS


def arrange(
    const double[::1] b,             # IN (m,)
    Py_ssize_t held,                 # columns that the factor had
    bint anew,                       # whether none of its rows is kept
    Py_ssize_t[::1] order,           # INOUT (m,) its columns, in their order
    Py_ssize_t[::1] mark,            # (m,)
):
    """Put the columns that are not zero in the order of a factor: see `arranged`. Returns their
    number, and the row from where on the factor is to be made."""
    cdef Py_ssize_t start, k
    with nogil:
        k = arranged(&b[0], b.shape[0], held, anew, &order[0], &mark[0], &start)
    return k, start


def factorize(
    const double[:, ::1] G,          # IN (>= m, >= m)
    const Py_ssize_t[::1] order,     # IN (k,) columns
    double ridge,                    # added to the diagonal
    double least,                    # share of its column's square that a pivot has to keep
    Py_ssize_t start,                # rows of the factor before it: a multiple of BLOCK_COLUMNS
    Py_ssize_t first,                # the block of columns to begin with
    double budget,                   # multiplications
    double[:, ::1] L,                # INOUT (>= k + SPARE_ROWS, ld), ld a multiple of BLOCK_COLUMNS
    double[::1] inverse,             # INOUT (>= k to a multiple of BLOCK_COLUMNS, BLOCK_COLUMNS)
):
    """Rows `start` and on of the factor of G[order, order] + ridge, blocks `first` and on of them.

    Returns the block to go on with, or -1 where a pivot says that the columns are dependent.
    """
    cdef Py_ssize_t k = order.shape[0], ld = L.shape[1], wide = panel_columns(<double>0)
    cdef Py_ssize_t c, low, i, j, t, some
    cdef double spent = 0
    cdef Py_ssize_t numbers = wide * ld + (k + TILE_SPARE_ROWS) * (BLOCK_COLUMNS + 1) + wide
    cdef void *room = malloc(64 + sizeof(double) * numbers)
    cdef double *panel
    cdef double *part
    cdef double *below
    cdef double *zero
    cdef const double *row
    cdef bint good = True
    if room == NULL:
        raise MemoryError
    with nogil:
        panel = <double *>aligned(room)
        part = panel + wide * ld
        zero = part + (k + TILE_SPARE_ROWS) * BLOCK_COLUMNS
        for i in range(k + TILE_SPARE_ROWS + wide):
            zero[i] = 0
        for i in range((k + TILE_SPARE_ROWS) * BLOCK_COLUMNS):
            part[i] = 0
        c = first * BLOCK_COLUMNS
        while c < k and good and spent <= budget:
            some = min(<Py_ssize_t>BLOCK_COLUMNS, k - c)
            low = max(start, c)
            if c > 0:
                product(&L[low, 0], ld, k - low, &L[c, 0], ld, c, zero, panel, wide, part,
                        BLOCK_COLUMNS)
            spent += <double>(k - low) * (c + BLOCK_COLUMNS) * BLOCK_COLUMNS
            for i in range(low, k):
                row = &G[order[i], 0]
                for j in range(some):
                    t = (i - low) * BLOCK_COLUMNS + j
                    part[t] = row[order[c + j]] - (part[t] if c > 0 else 0.0)
                    if i == c + j:
                        part[t] += ridge
            below = part
            if low == c:
                good = invert(part, some, least, G, order, c, &L[c, c], ld,
                              &inverse[c * BLOCK_COLUMNS])
                low = c + some
                below = part + some * BLOCK_COLUMNS
            if good and low < k:
                product(below, BLOCK_COLUMNS, k - low, &inverse[c * BLOCK_COLUMNS],
                        BLOCK_COLUMNS, BLOCK_COLUMNS, zero, panel, wide,
                        &L[low, c], ld)
            c += BLOCK_COLUMNS
    free(room)
    return c // BLOCK_COLUMNS if good else -1
