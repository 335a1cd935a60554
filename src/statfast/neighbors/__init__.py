# SPDX-License-Identifier: BSD-3-Clause
"""Nearest neighbours: the searches, exact and approximate, and the classifier on top."""

from statfast.neighbors.classify import KNeighborsClassifier
from statfast.neighbors.lsh import LSHNeighbors
from statfast.neighbors.search import NearestNeighbors

__all__ = ["KNeighborsClassifier", "LSHNeighbors", "NearestNeighbors"]
