# SPDX-License-Identifier: BSD-3-Clause
# build: glue
"""Which clusters of a condensed tree are selected; parents have lower numbers than their children.

Campello, Moulavi & Sander 2013, doi:10.1007/978-3-642-37456-2_14, and, for `merge_close`, Malzer &
Baum 2020, doi:10.1109/MFI49285.2020.9235263. Cost: O(clusters), for `merge_close` times the depth.
"""


def excess_of_mass(
    const Py_ssize_t[::1] parent,       # IN (clusters,) -1 of the root, which is 0
    const double[::1] size,             # IN (clusters,)
    double most,                        # IN no cluster selected is larger
    Py_ssize_t first,                   # IN the first that may be selected: 0, or 1: not the root
    double[::1] stability,              # INOUT (clusters,) of each; then of the best below it
    double[::1] below,                  # WORK (clusters,) at first 0
    unsigned char[::1] chosen,          # OUT (clusters,) marks, also of some below others
):
    """Mark clusters that are as stable as all below them are together."""
    cdef Py_ssize_t c
    with nogil:
        for c in range(parent.shape[0] - 1, first - 1, -1):
            chosen[c] = not (below[c] > stability[c] or size[c] > most)
            if not chosen[c]:
                stability[c] = below[c]
            if c > 0:
                below[parent[c]] += stability[c]


def merge_close(
    const Py_ssize_t[::1] parent,       # IN (clusters,)
    const double[::1] radius,           # IN (clusters,) at which each splits off; infinite: root
    double epsilon,                     # IN
    bint root,                          # IN whether the root may be selected
    const unsigned char[::1] chosen,    # IN (clusters,) marks
    unsigned char[::1] merged,          # OUT (clusters,) at first 0
):
    """In the place of clusters that split off below epsilon, those they are part of there."""
    cdef Py_ssize_t c, x
    with nogil:
        for c in range(parent.shape[0]):
            if not chosen[c]:
                continue
            x = c
            if radius[c] < epsilon:
                while radius[x] <= epsilon and parent[x] > 0:
                    x = parent[x]
                if radius[x] <= epsilon and root:
                    x = 0
            merged[x] = 1


def inherit(
    const Py_ssize_t[::1] parent,       # IN (clusters,)
    unsigned char[::1] chosen,          # INOUT (clusters,) marks; those below others are taken off
    Py_ssize_t[::1] selected,           # OUT (clusters,) the one that each is part of, or -1
):
    """The selected cluster, itself or above, that each cluster is part of."""
    cdef Py_ssize_t c
    with nogil:
        for c in range(parent.shape[0]):
            selected[c] = selected[parent[c]] if c > 0 else -1
            if selected[c] >= 0:
                chosen[c] = 0
            elif chosen[c]:
                selected[c] = c


def add_up(
    const Py_ssize_t[::1] parent,       # IN (clusters,)
    double[::1] total,                  # INOUT (clusters,) of each; then with all below it
    double[::1] most,                   # INOUT (clusters,) of each; then the largest, also below it
):
    """Sums and maxima over all clusters below each."""
    cdef Py_ssize_t c
    with nogil:
        for c in range(parent.shape[0] - 1, 0, -1):
            total[parent[c]] += total[c]
            most[parent[c]] = max(most[parent[c]], most[c])
