# SPDX-License-Identifier: BSD-3-Clause
"""Nearest neighbours: searches exact and approximate, and what votes among those found."""

from statfast.neighbors.classify import KNeighborsClassifier
from statfast.neighbors.lsh import LSHNeighbors
from statfast.neighbors.search import NearestNeighbors
from statfast.neighbors.tangent import TangentDistanceClassifier, tangent_distance

__all__ = [
    "KNeighborsClassifier",
    "LSHNeighbors",
    "NearestNeighbors",
    "TangentDistanceClassifier",
    "tangent_distance",
]
