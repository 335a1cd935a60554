# SPDX-License-Identifier: BSD-3-Clause
"""A ball tree as searches see it: distances to octets of points, and lower bounds of the distances
to the points of balls.

The rounding that the bounds allow for is derived in balltree/search.pyx; the arrays are those of
balltree/build.pyx."""

from libc.float cimport DBL_MAX
from libc.math cimport INFINITY, sin
from libc.stdint cimport int32_t, uint64_t

from statfast._core.tile.metric cimport CHEBYSHEV, EUCLIDEAN, HAVERSINE, distance_of, reduced

cdef extern from "simd/compiler.h":
    int LOWEST_BIT(uint64_t x) nogil

cdef enum:
    FAN = 8
    MAX_WAITING = 128    # 7 balls wait on each of at most 11 levels
    MAX_OCTETS = 8      # octets

ctypedef uint64_t (*near_points)(
    const double *, const void *, Py_ssize_t, Py_ssize_t, int, double, double *
) noexcept nogil

ctypedef uint64_t (*near_balls)(
    const double *, const double *, const double *, Py_ssize_t, int, double, double, double *,
    double *
) noexcept nogil


cdef struct Tree:
    const char *octets
    Py_ssize_t size                 # bytes of an octet
    Py_ssize_t wide                 # bytes of a number
    near_points near
    near_balls balls
    const double *center
    const double *radius
    const int32_t *first
    const int32_t *child
    const Py_ssize_t *ids
    const double *places            # (n, 2) latitude and longitude, or NULL
    Py_ssize_t n, d
    int kind
    int vector                      # the kind of distance, by the numbers of leaf_scan.h
    double p, loss, slack
    double *row                     # work space (2, d)


cdef struct Query:
    const double *point
    const double *place
    Py_ssize_t own                  # the position of the query among the rows, or -1
    Py_ssize_t work                 # distances measured
    Py_ssize_t scanned              # those of them that were to rows


cdef struct Ball:
    double low                      # no point of it is nearer
    int32_t node                    # -1: a leaf
    int32_t start                   # its octets
    int32_t stop


# ------------------------------------------------------------------ distances
cdef inline void gather(const Tree *tree, const char *octet, Py_ssize_t lane, double *out) \
        noexcept nogil:
    cdef Py_ssize_t j
    for j in range(tree.d):
        if tree.wide == 8:
            out[j] = (<const double *>octet)[j * FAN + lane]
        else:
            out[j] = (<const float *>octet)[j * FAN + lane]


cdef inline uint64_t measure(
    const Tree *tree, Query *query, Py_ssize_t start, Py_ssize_t some, double limit,
    double *distances,
) noexcept nogil:
    """Reduced distances (or squared chords) to `some` octets of points. The result has a bit for
    each point within the limit, but none for places without a row and for the query itself."""
    cdef const char *octet = tree.octets + start * tree.size
    cdef Py_ssize_t i, first = start * FAN
    cdef uint64_t hits = 0
    query.work += some * FAN
    query.scanned += min(some * FAN, tree.n - first)
    if tree.kind <= CHEBYSHEV or tree.kind == HAVERSINE:
        hits = tree.near(query.point, octet, some, tree.d, tree.vector, limit, distances)
    else:
        for i in range(some * FAN):
            gather(tree, octet + i // FAN * tree.size, i % FAN, tree.row)
            distances[i] = reduced(query.point, tree.row, tree.d, tree.kind, tree.p)
            if distances[i] <= limit:
                hits |= <uint64_t>1 << i
    if first + some * FAN > tree.n:
        hits &= (<uint64_t>1 << (tree.n - first)) - 1
    if first <= query.own < first + some * FAN:
        hits &= ~(<uint64_t>1 << (query.own - first))
    return hits


cdef inline double exact_distance(
    const Tree *tree, const Query *query, double distance, Py_ssize_t position
) noexcept nogil:
    """The reduced distance of a point that `measure` has reported as within the limit."""
    if tree.kind == HAVERSINE:
        return reduced(query.place, tree.places + 2 * position, 2, HAVERSINE, 2)
    return distance


cdef inline double reach_of(const Tree *tree, double most) noexcept nogil:
    """How far balls are searched, as a distance, where `most` is the reduced distance."""
    if tree.kind == HAVERSINE:
        if most >= 3.14:
            return INFINITY
        return 2 * (sin(most / 2) + tree.slack) * (1 + tree.loss)
    return distance_of(most, tree.kind, tree.p) * (1 + tree.loss)


cdef inline double limit_of(const Tree *tree, double most, double reach) noexcept nogil:
    """The limit that `measure` compares with."""
    return reach * reach * (1 + tree.loss) if tree.kind == HAVERSINE else most


cdef inline uint64_t bounds(
    const Tree *tree, Query *query, Py_ssize_t node, double reach, double *to, double *low
) noexcept nogil:
    """Distances to the centers of a node's balls, lower bounds of the distances to their points,
    and a bit for each ball whose bound is within reach."""
    cdef const double *center = tree.center + node * FAN * tree.d
    cdef const double *radius = tree.radius + node * FAN
    cdef const int32_t *first = tree.first + node * (FAN + 1)
    cdef Py_ssize_t c, j
    cdef uint64_t near = 0, there = 0
    query.work += FAN
    for c in range(FAN):
        there |= <uint64_t>(first[c] < first[FAN]) << c
    if tree.kind <= CHEBYSHEV or tree.kind == HAVERSINE:
        return there & tree.balls(query.point, center, radius, tree.d, tree.vector, tree.loss,
                                  reach, to, low)
    for c in range(FAN):
        if there >> c & 1:
            for j in range(tree.d):
                tree.row[j] = center[j * FAN + c]
            to[c] = reduced(query.point, tree.row, tree.d, tree.kind, tree.p)
            to[c] = distance_of(min(to[c], DBL_MAX), tree.kind, tree.p)
            low[c] = to[c] * (1 - tree.loss) - radius[c]
            near |= <uint64_t>(low[c] <= reach) << c
    return near


# ------------------------------------------------------------------ the search
cdef inline Py_ssize_t enter(
    const Tree *tree, Query *query, Py_ssize_t node, double reach, Ball *stack, Py_ssize_t depth
) noexcept nogil:
    """Put the balls within reach on the stack, the one with the lowest bound on top."""
    cdef double to[FAN]
    cdef double low[FAN]
    cdef const int32_t *first = tree.first + node * (FAN + 1)
    cdef const int32_t *child = tree.child + node * FAN
    cdef uint64_t near = bounds(tree, query, node, reach, to, low)
    cdef Py_ssize_t c, at, held = 0
    while near:
        c = LOWEST_BIT(near)
        near &= near - 1
        at = held
        while at > 0 and stack[depth + at - 1].low < low[c]:
            stack[depth + at] = stack[depth + at - 1]
            at -= 1
        stack[depth + at].low = low[c]
        stack[depth + at].node = child[c]
        stack[depth + at].start = first[c]
        stack[depth + at].stop = first[c + 1]
        held += 1
    return depth + held
