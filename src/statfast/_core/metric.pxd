# SPDX-License-Identifier: BSD-3-Clause
"""The distances of the table of metrics (statfast/_distances.py), as kernels see them: a number
for the kind, an exponent, and the reduced distance of two rows, which is what searches compare.

Reduced are |a - b|^2 for Euclidean rows and sum |a - b|^p for Minkowski's; all others are reduced
as they are. Sums are made in the order of ``apart`` (rows.pxd): eight partial sums and the rest,
so that every kernel that uses these functions finds the same bits. A kernel calls them with a
literal kind wherever it can: the choice is then made by the compiler."""

from libc.math cimport NAN, asin, cos, fabs, fmax, pow, sin, sqrt

cdef enum:
    EUCLIDEAN = 0
    MANHATTAN = 1
    CHEBYSHEV = 2
    MINKOWSKI = 3
    HAVERSINE = 4
    HAMMING = 5
    JACCARD = 6
    CALLABLE = 9  # a Python function, which no kernel calls: its reduced distance here is NaN

cdef extern from *:
    """
    #define STATFAST_POW_SPARE (1 - 0x1p-48)
    """
    # What the error of pow may take from its monotony, with much to spare: see box_reduced.
    const double POW_SPARE "STATFAST_POW_SPARE"


cdef inline double term(double t, int kind, double p) noexcept nogil:
    """What a difference t of one feature adds to the reduced distance (to Chebyshev's: may add)."""
    t = fabs(t)
    if kind == EUCLIDEAN:
        return t * t
    if kind == MANHATTAN or kind == CHEBYSHEV:
        return t
    if p == 3:
        return t * t * t
    if p == 4:
        return (t * t) * (t * t)
    return pow(t, p)


cdef inline double join(double a, double b, int kind) noexcept nogil:
    """The reduced distance of two parts of the features from those of each."""
    return fmax(a, b) if kind == CHEBYSHEV else a + b


cdef inline double joined(
    const double *a, const double *b, Py_ssize_t d, int kind, double p
) noexcept nogil:
    """The terms of all features, in the order of ``apart``."""
    cdef double part[8]
    cdef double rest = 0
    cdef Py_ssize_t i = 0, c
    for c in range(8):
        part[c] = 0
    while i + 8 <= d:
        for c in range(8):
            part[c] = join(part[c], term(a[i + c] - b[i + c], kind, p), kind)
        i += 8
    while i < d:
        rest = join(rest, term(a[i] - b[i], kind, p), kind)
        i += 1
    return in_order(part, rest, kind)


cdef inline double in_order(const double *part, double rest, int kind) noexcept nogil:
    cdef double low = join(join(part[0], part[1], kind), join(part[2], part[3], kind), kind)
    cdef double high = join(join(part[4], part[5], kind), join(part[6], part[7], kind), kind)
    return join(rest, join(low, high, kind), kind)


cdef inline double beyond(double q, double low, double high) noexcept nogil:
    """How far q lies outside an interval; 0 inside."""
    return fmax(fmax(low - q, q - high), 0)


cdef inline double box_joined(
    const double *q, const double *low, const double *high, Py_ssize_t d, int kind, double p
) noexcept nogil:
    cdef double part[8]
    cdef double rest = 0
    cdef Py_ssize_t i = 0, c
    for c in range(8):
        part[c] = 0
    while i + 8 <= d:
        for c in range(8):
            part[c] = join(
                part[c], term(beyond(q[i + c], low[i + c], high[i + c]), kind, p), kind
            )
        i += 8
    while i < d:
        rest = join(rest, term(beyond(q[i], low[i], high[i]), kind, p), kind)
        i += 1
    return in_order(part, rest, kind)


cdef inline double haversine(const double *a, const double *b) noexcept nogil:
    """The angle between two places (latitude, longitude), all in radians."""
    cdef double along = sin((a[0] - b[0]) / 2), across = sin((a[1] - b[1]) / 2)
    cdef double half = along * along + cos(a[0]) * cos(b[0]) * (across * across)
    return 2 * asin(1.0 if half > 1 else sqrt(half))


cdef inline double unequal(const double *a, const double *b, Py_ssize_t d) noexcept nogil:
    """The fraction of features that differ."""
    cdef Py_ssize_t i, differ = 0
    for i in range(d):
        differ += a[i] != b[i]
    return differ / <double>d


cdef inline double jaccard(const double *a, const double *b, Py_ssize_t d) noexcept nogil:
    """Of the features that one of two sets (of the numbers that are not 0) has, the fraction that
    the other has not; 0 for two empty sets."""
    cdef Py_ssize_t i, differ = 0, either = 0
    for i in range(d):
        differ += (a[i] != 0) != (b[i] != 0)
        either += (a[i] != 0) or (b[i] != 0)
    return differ / <double>either if either else 0.0


cdef inline double reduced(
    const double *a, const double *b, Py_ssize_t d, int kind, double p
) noexcept nogil:
    """The reduced distance of two rows of d numbers."""
    if kind == EUCLIDEAN:
        return joined(a, b, d, EUCLIDEAN, 2)
    if kind == MANHATTAN:
        return joined(a, b, d, MANHATTAN, 1)
    if kind == CHEBYSHEV:
        return joined(a, b, d, CHEBYSHEV, 1)
    if kind == MINKOWSKI:
        return joined(a, b, d, MINKOWSKI, p)
    if kind == HAVERSINE:
        return haversine(a, b)
    if kind == HAMMING:
        return unequal(a, b, d)
    if kind == JACCARD:
        return jaccard(a, b, d)
    return NAN


cdef inline double box_reduced(
    const double *q, const double *low, const double *high, Py_ssize_t d, int kind, double p
) noexcept nogil:
    """No more than the reduced distance of q to any row of the box, for kinds up to MINKOWSKI; 0
    for the others. It needs no slack: rounding is monotone, and the sums have the same order. The
    one function that might not be, pow, is given some."""
    if kind == EUCLIDEAN:
        return box_joined(q, low, high, d, EUCLIDEAN, 2)
    if kind == MANHATTAN:
        return box_joined(q, low, high, d, MANHATTAN, 1)
    if kind == CHEBYSHEV:
        return box_joined(q, low, high, d, CHEBYSHEV, 1)
    if kind == MINKOWSKI:
        return box_joined(q, low, high, d, MINKOWSKI, p) * POW_SPARE
    return 0


cdef inline double distance_of(double value, int kind, double p) noexcept nogil:
    """The distance of a reduced distance; what trees with the triangle inequality bound by."""
    if kind == EUCLIDEAN:
        return sqrt(value)
    if kind == MINKOWSKI:
        return pow(value, 1 / p)
    return value


cdef inline double reduced_of(double value, int kind, double p) noexcept nogil:
    """The reduced distance of a distance."""
    if kind == EUCLIDEAN or kind == MINKOWSKI:
        return term(value, kind, p)
    return value
