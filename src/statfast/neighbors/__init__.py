# SPDX-License-Identifier: BSD-3-Clause
"""Nearest neighbours: the search, and the classifiers that vote among them."""

from statfast.neighbors.classify import KNeighborsClassifier
from statfast.neighbors.search import NearestNeighbors
from statfast.neighbors.tangent import TangentDistanceClassifier, tangent_distance

__all__ = [
    "KNeighborsClassifier",
    "NearestNeighbors",
    "TangentDistanceClassifier",
    "tangent_distance",
]
