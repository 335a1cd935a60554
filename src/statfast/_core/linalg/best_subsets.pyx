# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""The best of all subsets of the columns of least squares, by branch and bound.

A node is a set of columns, of which the first ones are kept in all its descendants; its children
are the set without one of the free columns, each of which keeps those that stand before it. No
set below a node leaves fewer squares than the node does, so that a child is cut where it leaves
no fewer than the best known set of the least size below it (G. M. Furnival & R. W. Wilson 1974,
Regressions by leaps and bounds, doi:10.1080/00401706.1974.10489231). Free columns are ordered by
what the node loses without them, the most first, so that the largest branches have the highest
bounds (C. Gatu & E. J. Kontoghiorghes 2006, doi:10.1198/106186006X100290). Beside a node stand the
inverse of its cross products and its coefficients, by which the loss without each column is
b_j^2 / B_jj; taking a column off is a step of rank one.

Cost: m^2 flop for each node of m columns that is not cut; their number grows exponentially. Memory:
d^3 numbers. The caller guarantees 2 to 64 independent columns, levels 0 with all of them, and lists
of squares that ascend, infinite where there is none yet.
"""

ctypedef unsigned long long bits

cdef double ROUNDING = 1e-12  # A set that is better by a smaller share is not.


cdef class Search:
    """The open nodes, one for each level, and the best sets so far; it goes on where it was."""

    cdef double[:, :, ::1] B        # (d, d, d) inverse cross products of the columns of a node
    cdef double[:, ::1] b           # (d, d) coefficients
    cdef double[:, ::1] loss        # (d, d) squares without each column, less those of the node
    cdef Py_ssize_t[:, ::1] column  # (d, d) the columns, those that are kept first
    cdef Py_ssize_t[::1] next       # (d,) the next child
    cdef Py_ssize_t[::1] kept       # (d,) how many columns descendants keep
    cdef double[::1] squares        # (d,) that a node leaves
    cdef double[:, ::1] best        # (K + 1, N) squares of the best sets of each size, ascending
    cdef bits[:, ::1] sets          # (K + 1, N) their columns
    cdef Py_ssize_t level, d
    cdef readonly Py_ssize_t n_nodes

    def __init__(
        self,
        double[:, :, ::1] B,        # INOUT (d, d, d) the first is given
        double[:, ::1] b,           # INOUT (d, d) the first is given
        double[:, ::1] loss,        # OUT (d, d)
        Py_ssize_t[:, ::1] column,  # OUT (d, d)
        Py_ssize_t[:, ::1] counts,  # OUT (2, d)
        double[::1] squares,        # INOUT (d,) the first is given
        double[:, ::1] best,        # INOUT (K + 1, N)
        bits[:, ::1] sets,          # INOUT (K + 1, N)
    ):
        cdef Py_ssize_t j
        self.B, self.b, self.loss, self.column, self.squares = B, b, loss, column, squares
        self.next, self.kept = counts[0], counts[1]
        self.best, self.sets = best, sets
        self.d, self.level, self.n_nodes = B.shape[0], 0, 0
        for j in range(self.d):
            self.column[0, j] = j
            self.loss[0, j] = b[0, j] * b[0, j] / B[0, j, j]
        self.kept[0], self.next[0] = 0, self.d - 1
        self.note(0, -1, squares[0])

    def run(self, Py_ssize_t n_multiplications):
        """Search on, for so many multiplications or so; returns whether it has ended."""
        cdef Py_ssize_t work = 0
        with nogil:
            while self.level >= 0 and work < n_multiplications:
                work = work + self.step()
        return self.level < 0

    cdef Py_ssize_t step(self) noexcept nogil:
        """Look at the next child of the last open node; returns the multiplications it took."""
        cdef Py_ssize_t L = self.level, i = self.next[L], m = self.d - L, least
        cdef double left
        if i < self.kept[L]:
            self.level = L - 1
            return 1
        self.next[L] = i - 1
        left = self.squares[L] + self.loss[L, i]
        self.note(L, i, left)
        least = i if i > 1 else 1
        # A child that keeps more columns than are asked for, has no descendants or is bounded.
        if least >= self.best.shape[0] or i >= m - 1 or m <= 2:
            return 1
        if left >= self.best[least, self.best.shape[1] - 1] * (1.0 - ROUNDING):
            return 1
        self.open(L, i, left)
        return m * m

    cdef void open(self, Py_ssize_t L, Py_ssize_t i, double left) noexcept nogil:
        """Make a child the last open node."""
        cdef Py_ssize_t m = self.d - L, new = L + 1, r, s, j, t, p
        cdef double pivot = self.B[L, i, i], slope = self.b[L, i] / pivot, share, size, value
        # The places of its columns in the node: those that are kept, and the free ones by loss.
        cdef Py_ssize_t place[64]
        for r in range(m - 1):
            p = r if r < i else r + 1
            share = self.B[L, p, i]
            size = self.B[L, p, p] - share * share / pivot
            value = self.b[L, p] - share * slope
            value = value * value / size
            t = r
            if r >= i:
                while t > i and self.loss[new, t - 1] < value:
                    self.loss[new, t] = self.loss[new, t - 1]
                    place[t] = place[t - 1]
                    t = t - 1
            self.loss[new, t] = value
            place[t] = p
        for r in range(m - 1):
            p = place[r]
            share = self.B[L, p, i] / pivot
            self.column[new, r] = self.column[L, p]
            self.b[new, r] = self.b[L, p] - self.B[L, p, i] * slope
            for s in range(r + 1):
                j = place[s]
                value = self.B[L, p, j] - share * self.B[L, j, i]
                self.B[new, r, s] = value
                self.B[new, s, r] = value
        self.squares[new], self.kept[new], self.next[new] = left, i, m - 2
        self.level = new
        self.n_nodes = self.n_nodes + 1

    cdef void note(self, Py_ssize_t L, Py_ssize_t without, double left) noexcept nogil:
        """Keep the columns of a node, without one of them or with all, if they are among the best
        of their number."""
        cdef Py_ssize_t m = self.d - L, size = m - (without >= 0), N = self.best.shape[1], t, r
        cdef bits members = 0
        if size >= self.best.shape[0] or not left < self.best[size, N - 1]:
            return
        for r in range(m):
            if r != without:
                members |= (<bits>1) << self.column[L, r]
        for t in range(N):  # Sets that were known before the search are met again.
            if self.sets[size, t] == members:
                return
        t = N - 1
        while t > 0 and left < self.best[size, t - 1]:
            self.best[size, t] = self.best[size, t - 1]
            self.sets[size, t] = self.sets[size, t - 1]
            t = t - 1
        self.best[size, t] = left
        self.sets[size, t] = members
