# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""The B-splines of a value, by the recursion of de Boor (1972, doi:10.1016/0021-9045(72)90080-9).

Of the splines of degree k, k + 1 are not 0 in an interval of the knots; each round makes those of
one degree more of those of one less. Beyond the first and the last inner knot they are those of
the end, go on straight by their slopes there, which the last round knows, or by their
polynomials; or the knots begin again.

Cost: k (k + 1) / 2 divisions a value. By numpy, a column at a time, a cubic spline takes 8 times
as long. The caller guarantees ascending knots, k of them before the first inner knot and k after
the last, values that are not infinite, arrays of the sizes below, and about 0.1 s of work a call.
"""

from cython cimport floating
from libc.math cimport fmod
from libc.stdint cimport int32_t

CONSTANT, LINEAR, CONTINUED, PERIODIC = range(4)
cdef enum:
    STRAIGHT = 1
    FURTHER = 2
    AGAIN = 3


def fill_splines(
    const double[:, ::1] X,     # IN (n, d) values; NaN: all splines are 0
    const double[:, ::1] knots,  # IN (d, intervals + 2 degree + 1)
    Py_ssize_t degree,
    Py_ssize_t count,           # of splines of a feature; later ones are the first ones again
    Py_ssize_t width,           # count or count - 1: the last is left out
    int beyond,                 # CONSTANT, LINEAR, CONTINUED or PERIODIC
    double[::1] work,           # WORK (2 degree + 2,)
    floating[:, :] out,         # OUT (n, d width)
):
    cdef Py_ssize_t i, j, k, s, first, start, d = X.shape[1]
    cdef Py_ssize_t intervals = knots.shape[1] - 2 * degree - 1
    with nogil:
        for i in range(X.shape[0]):
            for k in range(out.shape[1]):
                out[i, k] = 0
            for j in range(d):
                first = evaluate(X[i, j], &knots[j, 0], degree, intervals, beyond, &work[0])
                if first < 0:
                    continue
                start, k = j * width, first
                for s in range(degree + 1):
                    if k < width:
                        out[i, start + k] = <floating> (out[i, start + k] + work[s])
                    k = k + 1 if k + 1 < count else 0


def list_splines(
    const double[:, ::1] X,     # IN (n, d)
    const double[:, ::1] knots,  # IN (d, intervals + 2 degree + 1)
    Py_ssize_t degree,
    Py_ssize_t count,
    Py_ssize_t width,
    int beyond,
    double[::1] work,           # WORK (2 degree + 2,)
    int32_t[:, ::1] places,     # OUT (n, d (degree + 1)) numbers of splines; -1: left out
    floating[:, ::1] out,       # OUT (n, d (degree + 1)) their values
):
    cdef Py_ssize_t i, j, k, s, first, at, d = X.shape[1]
    cdef Py_ssize_t intervals = knots.shape[1] - 2 * degree - 1
    with nogil:
        for i in range(X.shape[0]):
            at = 0
            for j in range(d):
                first = evaluate(X[i, j], &knots[j, 0], degree, intervals, beyond, &work[0])
                k = first
                for s in range(degree + 1):
                    places[i, at] = -1 if first < 0 or k >= width else <int32_t> (j * width + k)
                    out[i, at] = 0 if first < 0 else <floating> work[s]
                    k = k + 1 if k + 1 < count else 0
                    at = at + 1


cdef Py_ssize_t evaluate(
    double x, const double *t, Py_ssize_t degree, Py_ssize_t intervals, int beyond, double *values
) noexcept nogil:
    """The first spline that is not 0, or -1; writes its value and those of the next ones.

    The slopes stand after the values.
    """
    cdef double *slopes = values + degree + 1
    cdef double low = t[degree], high = t[degree + intervals], inside = x
    cdef double right, left, part, carried
    cdef Py_ssize_t r, s, first
    if x != x or low == high:
        return -1
    if beyond == AGAIN:
        inside = fmod(x - low, high - low)
        inside = low + (inside + (high - low) if inside < 0 else inside)
    elif beyond != FURTHER:
        inside = low if x < low else high if x > high else x
    first = find_interval(inside, t + degree, intervals)
    values[0] = 1.0
    for s in range(degree + 1):
        slopes[s] = 0.0
    for r in range(1, degree + 1):
        carried = 0.0
        for s in range(r):
            right = t[first + degree + 1 + s]
            left = t[first + degree + 1 + s - r]
            part = values[s] / (right - left)
            values[s] = carried + (right - inside) * part
            carried = (inside - left) * part
            if r == degree and beyond == STRAIGHT:
                slopes[s] -= degree * part
                slopes[s + 1] += degree * part
        values[r] = carried
    if beyond == STRAIGHT and inside != x:
        for s in range(degree + 1):
            values[s] += (x - inside) * slopes[s]
    return first


cdef inline Py_ssize_t find_interval(double x, const double *t, Py_ssize_t n) noexcept nogil:
    """The last interval of a width that begins at x or before it, else the first of a width."""
    cdef Py_ssize_t first = 0, end = n, middle
    while end - first > 1:
        middle = (first + end) >> 1
        if t[middle] <= x:
            first = middle
        else:
            end = middle
    while first > 0 and t[first] == t[first + 1]:
        first -= 1
    while t[first] == t[first + 1]:
        first += 1
    return first
