# SPDX-License-Identifier: BSD-3-Clause
"""Searching a ball tree: the k nearest rows of a query, or all within a radius; exact.

Omohundro 1989 ("Five balltree construction algorithms", ICSI TR-89-063) and Uhlmann 1991
(doi:10.1016/0020-0190(91)90074-R): a ball is skipped if all its points are farther than the k-th
nearest so far. The up to eight balls of a node are measured at once and searched in the order of
their bounds, leaves in octets of points (balltree/leaf_scan.h). Sums run in the order of brute
force, so that the results equal those of brute force bit for bit; ties go to the lowest row.

**Rounding.** Let t and s be the computed distances of the query to a center and to a point of its
ball, R the stored radius, computed with the same functions, and `loss` at least twice their
relative error: (d + 32) 2^-53 for sums of d terms that are exact to a few roundings. Underflow of
the terms adds at most `tau` to either distance. By the triangle inequality of the true distances,

    s (1 + loss/2) + tau >= t (1 - loss/2) - tau - (R - 2 tau) / (1 + loss/2)

so s > w for the k-th distance w if t (1 - loss) - R > w (1 + loss), where R was widened by 1 + loss
and 2 tau; the rest of the loss covers the rounding of the bound itself. A t that overflows is
replaced by the largest number, which is less. A ball whose radius overflows is never skipped, nor
is one whose bound equals w, since a lower row number may tie.

Angles on the sphere (haversine) are searched as chords between unit vectors. `slack` is how far the
two may disagree: the bounds are those of the chords, less `slack`, and every point that its chord
does not exclude is compared by its angle.

Cost: O(log n) balls for a query in few intrinsic dimensions, O(n) in many. A call ends after
`budget` distances, at the end of a query, and returns the next query. The caller guarantees finite
queries, k <= n (k < n for the rows' own queries) and arrays from balltree/build.pyx.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from statfast._core.balltree.bounds cimport (
    MAX_OCTETS, MAX_WAITING, FAN, LOWEST_BIT, Ball, Query, Tree, bounds, enter, limit_of, measure,
    exact_distance, near_balls, near_points, reach_of,
)
from statfast._core.tile.metric cimport EUCLIDEAN, HAVERSINE, distance_of
from statfast._core.order.keyed_rows cimport (
    KeyedRow, finish_first, last_key, offer_row, start_first,
)
from statfast._core.order.neighbor_order cimport NeighborOrder, open_order
from statfast._core.tile.rows cimport real
from statfast._core.tile.tiles cimport level

cdef extern from "simd/compiler.h":
    int POPCOUNT(uint64_t x) nogil

cdef extern from "balltree/search_table.h" nogil:
    ctypedef struct balltree_kernels:
        near_points near_f64
        near_points near_f32
        near_balls balls
        Py_ssize_t (*keep)(
            uint64_t hits, Py_ssize_t n, const double *distance, const Py_ssize_t *rows,
            double *distance_out, Py_ssize_t *row_out,
        ) noexcept nogil
        void (*write)(
            const NeighborOrder *order, Py_ssize_t count, const double *distance,
            const Py_ssize_t *row, double *distance_out, Py_ssize_t *row_out,
        ) noexcept nogil
    const balltree_kernels *balltree_at(int level)

cdef const balltree_kernels *table = balltree_at(level())


cdef void nearest(
    const Tree *tree, Query *query, Py_ssize_t k, KeyedRow *nearest_rows
) noexcept nogil:
    cdef Ball stack[MAX_WAITING]
    cdef double distances[FAN * MAX_OCTETS]
    cdef double reach = INFINITY, limit = INFINITY, to
    cdef Py_ssize_t depth, at, some, i
    cdef uint64_t hits
    cdef bint closer
    cdef Ball ball
    start_first(nearest_rows, k)
    depth = enter(tree, query, 0, reach, stack, 0)
    while depth > 0:
        depth -= 1
        ball = stack[depth]
        if ball.low > reach:
            continue
        if ball.node >= 0:
            depth = enter(tree, query, ball.node, reach, stack, depth)
            continue
        closer = False
        at = ball.start
        while at < ball.stop:
            some = min(<Py_ssize_t>MAX_OCTETS, ball.stop - at)
            hits = measure(tree, query, at, some, limit, distances)
            while hits:
                i = LOWEST_BIT(hits)
                hits &= hits - 1
                to = exact_distance(tree, query, distances[i], at * FAN + i)
                closer |= offer_row(nearest_rows, k, to, tree.ids[at * FAN + i])
            at += some
        if closer:
            to = last_key(nearest_rows, k)
            reach = reach_of(tree, to)
            limit = limit_of(tree, to, reach)
    finish_first(nearest_rows, k)


cdef Py_ssize_t within(
    const Tree *tree, Query *query, double most, double *distance_out, Py_ssize_t *row_out,
) noexcept nogil:
    """Write the rows within the reduced distance `most`, and return their number. Distances are
    left out if `distance_out` is NULL; if `row_out` is NULL rows are only counted."""
    cdef Ball stack[MAX_WAITING]
    cdef double to[FAN]
    cdef double low[FAN]
    cdef double distances[FAN * MAX_OCTETS]
    cdef double reach = reach_of(tree, most), limit = limit_of(tree, most, reach), distance
    cdef double inside = -1  # balls that end before this have all their points within
    cdef Py_ssize_t total = 0, depth = 1, at, some, i, c, node, last
    cdef bint counts = row_out == NULL, measured = distance_out != NULL
    cdef const int32_t *first
    cdef uint64_t hits, near
    if not measured and tree.kind != HAVERSINE:
        inside = distance_of(most, tree.kind, tree.p) * (1 - tree.loss)
    stack[0].node = 0
    while depth > 0:
        depth -= 1
        if stack[depth].node >= 0:
            node = stack[depth].node
            first = tree.first + node * (FAN + 1)
            near = bounds(tree, query, node, reach, to, low)
            while near:
                c = LOWEST_BIT(near)
                near &= near - 1
                if (to[c] * (1 + tree.loss) + tree.radius[node * FAN + c]) <= inside:
                    last = min(tree.n, <Py_ssize_t>first[c + 1] * FAN)
                    at = first[c] * <Py_ssize_t>FAN
                    if not counts:
                        memcpy(row_out + total, tree.ids + at, (last - at) * sizeof(Py_ssize_t))
                    total += last - at
                    continue
                stack[depth].node = tree.child[node * FAN + c]
                stack[depth].start = first[c]
                stack[depth].stop = first[c + 1]
                depth += 1
            continue
        at = stack[depth].start
        last = stack[depth].stop
        while at < last:
            some = min(<Py_ssize_t>MAX_OCTETS, last - at)
            hits = measure(tree, query, at, some, limit, distances)
            if tree.kind != HAVERSINE and counts:
                total += POPCOUNT(hits)
            elif hits and tree.kind != HAVERSINE and (at + some) * FAN <= tree.n:
                total += table.keep(
                    hits, some, distances, tree.ids + at * FAN,
                    distance_out + total if measured else NULL, row_out + total,
                )
            else:
                while hits:
                    i = LOWEST_BIT(hits)
                    hits &= hits - 1
                    distance = exact_distance(tree, query, distances[i], at * FAN + i)
                    if distance <= most:
                        if measured:
                            distance_out[total] = distance
                        if not counts:
                            row_out[total] = tree.ids[at * FAN + i]
                        total += 1
            at += some
    return total


# ------------------------------------------------------------------ the interface
cdef void bind(Tree *tree, const real[:, :, ::1] octets) noexcept:
    tree.octets = <const char *>&octets[0, 0, 0]
    tree.wide = sizeof(real)
    tree.d = octets.shape[1]
    tree.size = FAN * tree.d * tree.wide
    if real is double:
        tree.near = table.near_f64
    else:
        tree.near = table.near_f32


cdef class BallView:
    """A ball tree as one argument, since binding its arrays in each call takes longer than a query
    of few points. It keeps the arrays alive, is not changed by queries and cannot be pickled."""

    cdef Tree tree
    cdef tuple arrays

    def __cinit__(
        self,
        octets,                             # IN (octets, d, 8) the tree's arrays: see BallTreeIndex
        const Py_ssize_t[::1] ids,
        const double[:, :, ::1] center,
        const double[:, ::1] radius,
        const int32_t[:, ::1] first,
        const int32_t[:, ::1] child,
        const double[:, ::1] places,
        int kind,
        double p,
        double loss,
    ):
        self.arrays = octets, ids, center, radius, first, child, places
        if octets.itemsize == sizeof(float):
            bind[float](&self.tree, octets)
        else:
            bind[double](&self.tree, octets)
        self.tree.balls = table.balls
        self.tree.center = &center[0, 0, 0]
        self.tree.radius = &radius[0, 0]
        self.tree.first = &first[0, 0]
        self.tree.child = &child[0, 0]
        self.tree.ids = &ids[0]
        self.tree.places = &places[0, 0] if places.shape[0] else NULL
        self.tree.n = ids.shape[0]
        self.tree.vector = EUCLIDEAN if kind == HAVERSINE else kind
        self.tree.kind, self.tree.p, self.tree.loss = kind, p, loss


def search(
    BallView view,
    double slack,                       # of chords against angles
    const double[:, ::1] Q,             # IN (m, d)
    const double[:, ::1] asked,         # IN (m, 2) latitude and longitude, for haversine
    Py_ssize_t own,                     # position of the first query among the rows, or -1
    Py_ssize_t start,                   # the query to begin with
    double budget,
    double[:, ::1] distance_out,    # OUT (m, k) reduced distances, ascending
    Py_ssize_t[:, ::1] row_out,         # OUT (m, k)
    Py_ssize_t[::1] work,               # INOUT (2,) distances to rows and to centers
):
    """The k nearest rows of queries; returns the next query, m after the last."""
    cdef Tree tree = view.tree
    cdef Query query
    cdef Py_ssize_t m = Q.shape[0], k = row_out.shape[1], at = start, c
    cdef KeyedRow *nearest_rows = <KeyedRow *>malloc(k * sizeof(KeyedRow))
    tree.slack = slack
    tree.row = <double *>malloc(tree.d * sizeof(double))
    if nearest_rows == NULL or tree.row == NULL:
        free(nearest_rows)
        free(tree.row)
        raise MemoryError
    query.work = query.scanned = 0
    with nogil:
        while at < m and query.work <= budget:
            query.point = &Q[at, 0]
            query.place = &asked[at, 0] if tree.kind == HAVERSINE else NULL
            query.own = own + at if own >= 0 else -1
            nearest(&tree, &query, k, nearest_rows)
            for c in range(k):
                distance_out[at, c] = nearest_rows[c].key
                row_out[at, c] = nearest_rows[c].row
            at += 1
    work[0] += query.scanned
    work[1] += query.work - query.scanned
    free(nearest_rows)
    free(tree.row)
    return at


def search_radius(
    BallView view,
    double slack,                       # of chords against angles
    const double[:, ::1] Q,             # IN (m, d)
    const double[:, ::1] asked,         # IN (m, 2)
    const double[::1] most,             # IN (m,) reduced radii
    Py_ssize_t start,
    double budget,
    Py_ssize_t[::1] count,              # OUT (m,)
    double[::1] distance_out,       # OUT (room,) query after query, by (distance, row); or by row,
    Py_ssize_t[::1] row_out,            # OUT (room,) then perhaps None; no room: rows are counted
    Py_ssize_t filled,
    bint by_row,
):
    """All rows within the radii; returns the next query, and the number of entries written.

    It stops before a query whose rows do not fit; the caller then provides more room."""
    cdef Tree tree = view.tree
    cdef Query query
    cdef Py_ssize_t m = Q.shape[0], room = row_out.shape[0], at = start, total
    cdef bint counts = room == 0, measured = distance_out is not None and not counts
    cdef NeighborOrder order
    cdef Py_ssize_t longest = 0 if counts else tree.n + FAN * MAX_OCTETS
    cdef double *distances = NULL
    cdef Py_ssize_t *rows = NULL
    tree.slack = slack
    tree.row = <double *>malloc((tree.d + 2 * longest) * sizeof(double))
    order.key = NULL
    if tree.row == NULL or not counts and not open_order(&order, by_row, tree.n, room - filled):
        free(tree.row)
        raise MemoryError
    if not counts:
        rows = <Py_ssize_t *>(tree.row + tree.d)
        distances = <double *>(rows + longest) if measured else NULL
    query.work = 0
    query.own = -1
    with nogil:
        while at < m and query.work <= budget:
            query.point = &Q[at, 0]
            query.place = &asked[at, 0] if tree.kind == HAVERSINE else NULL
            total = within(&tree, &query, most[at], distances, rows)
            if not counts:
                if total > room - filled:
                    break
                if total:
                    table.write(
                        &order, total, distances, rows,
                        &distance_out[filled] if measured else NULL, &row_out[filled],
                    )
                filled += total
            count[at] = total
            at += 1
    free(order.key)
    free(tree.row)
    return at, filled


def home(
    BallView view,
    const double[:, ::1] Q,             # IN (m, d)
    int32_t[::1] out,                   # OUT (m,)
):
    """An octet near each query: that of the leaf reached by the nearest center of each node."""
    cdef Py_ssize_t d = Q.shape[1], i, c, best, node
    cdef const Tree *tree = &view.tree
    cdef const int32_t *first
    cdef double to[FAN]
    cdef double low[FAN]
    cdef double no_radius[FAN]
    for c in range(FAN):
        no_radius[c] = 0
    with nogil:
        for i in range(Q.shape[0]):
            node = 0
            while node >= 0:
                table.balls(&Q[i, 0], tree.center + node * FAN * d, no_radius, d, EUCLIDEAN, 0, 0,
                            to, low)
                first = tree.first + node * (FAN + 1)
                best = 0
                for c in range(1, FAN):
                    if first[c] < first[FAN] and to[c] < to[best]:
                        best = c
                out[i] = first[best]
                node = tree.child[node * FAN + best]
