# SPDX-License-Identifier: BSD-3-Clause
"""The rules of Lance and Williams 1967, doi:10.1093/comjnl/9.4.373, as a table.

Clusters I and J, f and g points of them, at the distance h, become one. Its distance to a third
cluster K of s points, to which I had the distance a and J had b, is

    single      min(a, b)                                   LEAST
    complete    max(a, b)                                   LARGEST
    average     a + g / (f + g) (b - a)                     MIX, share g / (f + g)
    weighted    a + 1/2 (b - a)                             MIX, share 1/2
    centroid    a + g / (f + g) (b - a) - f g h / (f + g)^2 MIX, with a drop; squared distances
    median      a + 1/2 (b - a) - h / 4                     MIX, with a drop; squared distances
    ward        ((f + s) a + (g + s) b - s h) / (f + g + s) WARD; squared distances
"""


cdef extern from "hierarchy/linkage_table.h" nogil:
    enum:
        LINK_SMALLEST
        LINK_LARGEST
        LINK_MIX
        LINK_WARD

    ctypedef struct union_rule:
        int kind
        double share
        double drop
        double first
        double second
        double apart


# The rules as callers number them: the order of METHODS in cluster/hierarchy/linkage.py.
cdef enum rules:
    SINGLE, COMPLETE, AVERAGE, WEIGHTED, CENTROID, MEDIAN, WARD


cdef inline union_rule rule_for(int rule, double f, double g, double h) noexcept nogil:
    """The update of distances to the union of clusters of f and g points at the distance h."""
    cdef union_rule u
    u.first, u.second, u.apart = f, g, h
    u.share, u.drop = 0.5, 0
    u.kind = LINK_MIX
    if rule == SINGLE:
        u.kind = LINK_SMALLEST
    elif rule == COMPLETE:
        u.kind = LINK_LARGEST
    elif rule == WARD:
        u.kind = LINK_WARD
    elif rule == AVERAGE or rule == CENTROID:
        u.share = g / (f + g)
    if rule == CENTROID:
        u.drop = u.share * (1 - u.share) * h
    elif rule == MEDIAN:
        u.drop = h / 4
    return u


cdef inline double united(const union_rule *u, double a, double b, double s) noexcept nogil:
    """The rule for one number; `unite` of hierarchy/linkage.h applies it to rows of numbers."""
    if u.kind == LINK_SMALLEST:
        return min(a, b)
    if u.kind == LINK_LARGEST:
        return max(a, b)
    if u.kind == LINK_MIX:
        return a + u.share * (b - a) - u.drop
    return (u.first * a + u.second * b + s * (a + b - u.apart)) / (u.first + u.second + s)
