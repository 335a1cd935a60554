# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""Products of the columns of sparse rows: the terms of polynomials that are not 0.

The terms of one more factor that begin with a nonzero of a row are that nonzero times the terms
that begin with it, or with a later one, in the order in which preprocessing/bases/polynomials.py
counts them. So each term is one product, of those made before for the same row.

Cost: one multiplication a term, some 1.5 ns. With numpy's repeat and searchsorted it took ten times
as long. The caller guarantees rows sorted without zeros or duplicates, arrays of the sizes below,
and about 0.1 s of work a call.
"""

from cython cimport floating
from libc.stdint cimport int32_t, int64_t

ctypedef fused number_of_column:
    int32_t
    int64_t


def list_products(
    const Py_ssize_t[::1] start,    # IN (n + 1,) where the entries of a row begin
    const int32_t[::1] column,      # IN (nonzeros,)
    const double[::1] value,        # IN (nonzeros,)
    const int64_t[:, ::1] shift,    # IN (degrees - 1, d) how far the terms that begin with a column
                                    #    are behind the shorter ones that they are made of
    bint only,                      # no column twice
    int64_t bias,                   # 1 where the first place is that of the column of ones, else 0
    int64_t below,                  # terms of lower degrees, which are left out
    int64_t[:, ::1] places,         # WORK (4, most terms of a degree in a row + 1)
    double[:, ::1] values,          # WORK (2, as many)
    const Py_ssize_t[::1] out_start,  # IN (n,) where the terms of a row go
    number_of_column[::1] out_place,  # OUT (terms,)
    floating[::1] out_value,        # OUT (terms,)
):
    cdef Py_ssize_t i, t, k, q, n_row, count, made, target
    cdef int64_t move
    cdef double factor
    cdef int64_t *place = &places[0, 0]
    cdef int64_t *longer_place = &places[1, 0]
    cdef int64_t *first = &places[2, 0]
    cdef int64_t *longer_first = &places[3, 0]
    cdef double *term = &values[0, 0]
    cdef double *longer = &values[1, 0]
    with nogil:
        for i in range(out_start.shape[0]):
            n_row, target = start[i + 1] - start[i], out_start[i]
            if n_row == 0:
                continue
            count = n_row
            for t in range(n_row):
                place[t] = bias + column[start[i] + t]
                term[t] = value[start[i] + t]
                first[t] = t
            first[n_row] = n_row
            for k in range(shift.shape[0] + 1):
                if k:
                    made = 0
                    for t in range(n_row):
                        longer_first[t] = made
                        factor = value[start[i] + t]
                        move = shift[k - 1, column[start[i] + t]]
                        for q in range(first[t + only], count):
                            longer_place[made] = place[q] + move
                            longer[made] = factor * term[q]
                            made += 1
                    longer_first[n_row] = count = made
                    if count == 0:
                        break
                    place, longer_place = longer_place, place
                    first, longer_first = longer_first, first
                    term, longer = longer, term
                if place[0] >= bias + below:
                    for q in range(count):
                        out_place[target + q] = <number_of_column> (place[q] - below)
                        out_value[target + q] = <floating> term[q]
                    target += count
