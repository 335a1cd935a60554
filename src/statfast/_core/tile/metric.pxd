# SPDX-License-Identifier: BSD-3-Clause
"""The distances of the table of metrics (statfast/_distance/metrics.py), as kernels see them: a
number for the kind, an exponent, and the reduced distance of two rows, which is what searches
compare.

The functions are written and described in tile/passes/metric.h, so that C kernels share them. Call
them with a literal kind where you can, so that the compiler makes the choice."""


cdef extern from "tile/passes/metric.h" nogil:
    enum:
        EUCLIDEAN "METRIC_EUCLIDEAN"    # 0
        MANHATTAN "METRIC_MANHATTAN"    # 1
        CHEBYSHEV "METRIC_CHEBYSHEV"    # 2
        MINKOWSKI "METRIC_MINKOWSKI"    # 3
        HAVERSINE "METRIC_HAVERSINE"    # 4
        HAMMING "METRIC_HAMMING"        # 5
        JACCARD "METRIC_JACCARD"        # 6
        CALLABLE "METRIC_CALLABLE"      # 9

    # The term of a difference in one feature, and the reduced distance over two parts of the
    # features from those over each.
    double term "metric_term"(double t, int kind, double p) noexcept
    double join "metric_join"(double a, double b, int kind) noexcept

    # The distance of q from an interval; 0 inside.
    double beyond "metric_beyond"(double q, double low, double high) noexcept

    # The reduced distance of two rows of d numbers.
    double reduced "metric_reduced_f64"(
        const double *a, const double *b, Py_ssize_t d, int kind, double p
    ) noexcept

    # A lower bound, safe without slack, of the reduced distance of q to the rows of a box; 0 for
    # kinds beyond MINKOWSKI.
    double box_reduced "metric_box_reduced"(
        const double *q, const double *low, const double *high, Py_ssize_t d, int kind, double p
    ) noexcept

    # The distance from a reduced distance, and the reverse.
    double distance_of "metric_distance_of"(double value, int kind, double p) noexcept
    double reduced_of "metric_reduced_of"(double value, int kind, double p) noexcept
