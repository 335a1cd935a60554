# SPDX-License-Identifier: BSD-3-Clause
"""The vote of the nearest neighbours: from neighbours to a class, or to each class's share.

Cost: O(k) a row for the winner, whatever the number of classes K: the votes of a row are counted
in K doubles, and only those it touched are cleared again. O(k + K) for the shares.

The caller guarantees: ids in [0, n), codes in [0, K), d2 ascending along each row, weights not
negative and some of each row positive, matching shapes, k >= 1.
"""

from libc.math cimport sqrt

ctypedef Py_ssize_t intp


def winners(
    const intp[::1] codes,          # IN (n,) class of each fitted row
    const intp[:, ::1] ids,         # IN (m, k) neighbours, nearest first
    const double[:, ::1] d2,        # IN (m, k) their squared distances
    const double[:, ::1] weights,   # IN (m, k) weight of each vote, or None: one each
    bint nearest,                   # IN tie rule: the nearest class, else the lowest
    double[::1] votes,              # WORK (K,) zeros, and zeros again afterwards
    intp[::1] out,                  # OUT (m,) class with the largest vote
):
    cdef intp i
    with nogil:
        for i in range(ids.shape[0]):
            count(codes, ids, weights, i, votes)
            out[i] = largest(codes, ids, d2, i, nearest, votes)
            clear(codes, ids, i, votes)


def shares(
    const intp[::1] codes,          # IN (n,) class of each fitted row
    const intp[:, ::1] ids,         # IN (m, k) neighbours
    const double[:, ::1] weights,   # IN (m, k) weight of each vote, or None: one each
    double[:, ::1] out,             # IN, OUT (m, K) zeros; each class's share of the vote
):
    cdef intp i, c
    cdef double total
    with nogil:
        for i in range(ids.shape[0]):
            total = count(codes, ids, weights, i, out[i])
            for c in range(out.shape[1]):
                out[i, c] /= total


def inverse_distances(
    const double[:, ::1] d2,        # IN (m, k) squared distances
    double[:, ::1] out,             # OUT (m, k) 1 / distance; in a row with zeros 1 there, else 0
):
    cdef intp i, j
    with nogil:
        for i in range(d2.shape[0]):
            if d2[i, 0] == 0.0:
                for j in range(d2.shape[1]):
                    out[i, j] = d2[i, j] == 0.0
            else:
                for j in range(d2.shape[1]):
                    out[i, j] = 1.0 / sqrt(d2[i, j])


cdef inline double count(
    const intp[::1] codes, const intp[:, ::1] ids, const double[:, ::1] weights,
    intp i, double[::1] votes,
) noexcept nogil:
    """Add row i's votes to those of the classes, nearest first; return their sum."""
    cdef intp j
    cdef double w, total = 0.0
    for j in range(ids.shape[1]):
        w = 1.0 if weights is None else weights[i, j]
        votes[codes[ids[i, j]]] += w
        total += w
    return total


cdef inline intp largest(
    const intp[::1] codes, const intp[:, ::1] ids, const double[:, ::1] d2,
    intp i, bint nearest, const double[::1] votes,
) noexcept nogil:
    """Class with the largest vote in row i.

    Neighbours come nearest first, so a class is first met, and judged, at its nearest member.
    Met again it is no better: the best has more votes, or is nearer, or is lower.
    """
    cdef intp j, c, best = codes[ids[i, 0]]
    cdef double best_d2 = d2[i, 0]
    for j in range(1, ids.shape[1]):
        c = codes[ids[i, j]]
        if votes[c] > votes[best]:
            best, best_d2 = c, d2[i, j]
        elif votes[c] == votes[best] and c < best and (not nearest or d2[i, j] == best_d2):
            best = c
    return best


cdef inline void clear(
    const intp[::1] codes, const intp[:, ::1] ids, intp i, double[::1] votes
) noexcept nogil:
    cdef intp j
    for j in range(ids.shape[1]):
        votes[codes[ids[i, j]]] = 0.0
