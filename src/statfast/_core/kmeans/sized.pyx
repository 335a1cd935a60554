# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""The assignment of rows to clusters of bounded sizes at least cost, by minimum cost flow.

Bradley, Bennett & Demiriz 2000, Constrained k-means clustering, Microsoft Research MSR-TR-2000-65.
A unit flows from each row to a cluster, and from a cluster to the sink, between the least and the
largest size of them. Successive shortest paths (Ahuja, Magnanti & Orlin 1993, section 9.7) from the
assignment of each row to its cheapest cluster: a path runs over the k clusters and the sink alone,
as the cheapest move from cluster a to b is the least cost[i, b] - cost[i, a] of the rows in a,
which a heap of them keeps for each pair; rows that have left a are dropped when they come to the
top. Prices of the clusters (node potentials) keep reduced costs from falling below zero, and prove
the answer in the end: see `bound` in cluster/kmeans/constrained.py. Of equally cheap moves that of
the first row is taken, of equally near clusters the first, so that the answer depends on the costs
alone.

Cost: a path for each unit by which sizes exceed their bounds at the start, of k^2 steps and k
log n for each of its moves. Memory: 4 n k bytes at the start, and 4 k for each move; costs are read
where they lie. The caller guarantees finite costs, and that n rows fit k such sizes.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t
from libc.stdlib cimport calloc, free, realloc

cdef extern from *:
    """
    #include "order/heap.h"
    typedef struct { const double *cost; ptrdiff_t k, from, to; } Move;
    #define KEY(m, i) ((m)->cost[(i) * (m)->k + (m)->to] - (m)->cost[(i) * (m)->k + (m)->from])
    static inline int cheaper(const Move *m, const int *a, const int *b) {
        double x = KEY(m, (ptrdiff_t)*a), y = KEY(m, (ptrdiff_t)*b);
        return x < y || (x == y && *a < *b);
    }
    DEFINE_HEAP(moves, int, const Move *, cheaper)
    """
    ctypedef struct Move:
        const double *cost
        Py_ssize_t k
        Py_ssize_t source "from"
        Py_ssize_t target "to"
    double KEY(const Move *m, Py_ssize_t i) noexcept nogil
    void moves_sift_up(int *heap, Py_ssize_t i, int item, const Move *m) noexcept nogil
    void moves_sift_down(int *heap, Py_ssize_t n, int item, const Move *m) noexcept nogil


cdef struct Heap:
    int *rows
    Py_ssize_t count
    Py_ssize_t room


cdef class SizedAssignment:
    """The flow, from the cheapest clusters to sizes within bounds."""

    cdef const double[:, ::1] cost     # (n, k)
    cdef int32_t[::1] labels           # (n,)
    cdef double[::1] price             # (k + 1,) of the clusters and of the sink
    cdef double[::1] distance          # (k + 1,) work space
    cdef Py_ssize_t[::1] before        # (k + 1,) the node before on a shortest path
    cdef Py_ssize_t[::1] excess        # (k + 1,) units that a node has too many
    cdef Py_ssize_t[::1] drained       # (k,) units that flow from a cluster to the sink
    cdef char[::1] done                # (k + 1,) whether the distance of a node is final
    cdef Py_ssize_t n, k, low, high
    cdef Heap *heaps                   # (k, k)

    def __cinit__(
        self,
        const double[:, ::1] cost,     # IN (n, k)
        int32_t[::1] labels,           # INOUT (n,) the cheapest cluster of each row, the first
        double[::1] price,             # OUT (k + 1,)
        double[::1] distance,          # work space (k + 1,)
        Py_ssize_t[::1] before,        # work space (k + 1,)
        Py_ssize_t[::1] excess,        # work space (k + 1,)
        Py_ssize_t[::1] drained,       # work space (k,)
        char[::1] done,                # work space (k + 1,)
        Py_ssize_t low,                # IN the least size of a cluster
        Py_ssize_t high,               # IN the greatest
    ):
        self.n = cost.shape[0]
        self.k = cost.shape[1]
        self.cost = cost
        self.labels = labels
        self.price = price
        self.distance = distance
        self.before = before
        self.excess = excess
        self.drained = drained
        self.done = done
        self.low = low
        self.high = high
        self.heaps = <Heap *>calloc(self.k * self.k, sizeof(Heap))
        if self.heaps == NULL:
            raise MemoryError

    def __dealloc__(self):
        cdef Py_ssize_t i
        if self.heaps != NULL:
            for i in range(self.k * self.k):
                free(self.heaps[i].rows)
        free(self.heaps)

    def begin(self):
        """Let all units flow by the cheapest clusters; returns whether sizes are within bounds."""
        cdef Py_ssize_t i, c
        cdef bint within = True
        with nogil:
            self.price[:] = 0
            self.excess[:] = 0
            for i in range(self.n):
                self.excess[self.labels[i]] = self.excess[self.labels[i]] + 1
            self.excess[self.k] = -self.n
            for c in range(self.k):
                self.drained[c] = min(max(self.excess[c], self.low), self.high)
                self.excess[c] = self.excess[c] - self.drained[c]
                self.excess[self.k] = self.excess[self.k] + self.drained[c]
                within = within and self.excess[c] == 0
        return within

    def fill(self, Py_ssize_t first, Py_ssize_t last):
        """Enter the rows from first to last into the heaps of their clusters."""
        cdef Py_ssize_t i
        cdef bint full = False
        with nogil:
            for i in range(first, last):
                if not self.enter(i):
                    full = True
                    break
        if full:
            raise MemoryError

    def advance(self, Py_ssize_t paths):
        """Send a unit along each of so many paths; returns whether all sizes are within bounds."""
        cdef Py_ssize_t source = 0, target, _path
        cdef bint full = False
        with nogil:
            for _path in range(paths):
                while source <= self.k and self.excess[source] <= 0:
                    source += 1
                if source > self.k:
                    break
                target = self.shortest(source)
                if not self.send(source, target):
                    full = True
                    break
        if full:
            raise MemoryError
        return source > self.k

    cdef bint enter(self, Py_ssize_t i) noexcept nogil:
        """Put a row into the heaps of its cluster; returns whether there was memory."""
        cdef Move move
        cdef Py_ssize_t c, a = self.labels[i], room
        cdef Heap *heap
        cdef int *rows
        move.cost = &self.cost[0, 0]
        move.k = self.k
        move.source = a
        for c in range(self.k):
            if c == a:
                continue
            heap = self.heaps + a * self.k + c
            if heap.count == heap.room:
                room = heap.room * 2 + 64
                rows = <int *>realloc(heap.rows, room * sizeof(int))
                if rows == NULL:
                    return False
                heap.rows = rows
                heap.room = room
            move.target = c
            moves_sift_up(heap.rows, heap.count, <int>i, &move)
            heap.count = heap.count + 1
        return True

    cdef double cheapest(self, Py_ssize_t a, Py_ssize_t b) noexcept nogil:
        """The cost of the cheapest move from a to b; that row becomes the top of the heap."""
        cdef Heap *heap = self.heaps + a * self.k + b
        cdef Move move
        move.cost = &self.cost[0, 0]
        move.k = self.k
        move.source = a
        move.target = b
        while heap.count > 0 and self.labels[heap.rows[0]] != a:
            heap.count = heap.count - 1
            if heap.count > 0:
                moves_sift_down(heap.rows, heap.count, heap.rows[heap.count], &move)
        return KEY(&move, heap.rows[0]) if heap.count > 0 else INFINITY

    cdef double length(self, Py_ssize_t a, Py_ssize_t b) noexcept nogil:
        """The reduced cost of the arc from a node to another, not below zero."""
        cdef double cost = 0
        if a < self.k and b < self.k:
            cost = self.cheapest(a, b)
        elif a < self.k:
            if self.drained[a] >= self.high:
                return INFINITY
        elif self.drained[b] <= self.low:
            return INFINITY
        return max(cost + self.price[a] - self.price[b], 0.0)

    cdef Py_ssize_t shortest(self, Py_ssize_t source) noexcept nogil:
        """The nearest node that lacks a unit, by Dijkstra's algorithm; prices follow."""
        cdef Py_ssize_t a, b
        cdef double length
        self.distance[:] = INFINITY
        self.done[:] = 0
        self.distance[source] = 0
        self.before[source] = source
        while True:
            a = -1
            for b in range(self.k + 1):
                if not self.done[b] and (a < 0 or self.distance[b] < self.distance[a]):
                    a = b
            self.done[a] = 1
            if self.excess[a] < 0:
                break
            for b in range(self.k + 1):
                if not self.done[b]:
                    length = self.distance[a] + self.length(a, b)
                    if length < self.distance[b]:
                        self.distance[b] = length
                        self.before[b] = a
        for b in range(self.k + 1):
            self.price[b] = self.price[b] + min(self.distance[b], self.distance[a])
        return a

    cdef bint send(self, Py_ssize_t source, Py_ssize_t target) noexcept nogil:
        """Move a unit along the path; returns whether there was memory."""
        cdef Py_ssize_t b = target, a, row
        self.excess[source] = self.excess[source] - 1
        self.excess[target] = self.excess[target] + 1
        while b != source:
            a = self.before[b]
            if b == self.k:
                self.drained[a] = self.drained[a] + 1
            elif a == self.k:
                self.drained[b] = self.drained[b] - 1
            else:
                row = self.heaps[a * self.k + b].rows[0]
                self.labels[row] = <int32_t>b
                if not self.enter(row):
                    return False
            b = a
        return True
