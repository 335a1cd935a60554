# SPDX-License-Identifier: BSD-3-Clause
"""Distances and kernels of pairs of rows, under scikit-learn's name of the module."""

from statfast._scikit_learn import missing_names
from statfast.metrics.distance.tables import (
    pairwise_distances,
    pairwise_distances_argmin,
    pairwise_distances_argmin_min,
    pairwise_kernels,
)

__all__ = [
    "pairwise_distances",
    "pairwise_distances_argmin",
    "pairwise_distances_argmin_min",
    "pairwise_kernels",
]

__getattr__ = missing_names(__name__)
