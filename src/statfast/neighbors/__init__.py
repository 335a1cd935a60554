# SPDX-License-Identifier: BSD-3-Clause
"""Nearest neighbours: the search, and the classifier that votes among them."""

from statfast.neighbors.ball_tree import BallTree
from statfast.neighbors.classify import KNeighborsClassifier
from statfast.neighbors.kd_tree import KDTree
from statfast.neighbors.search import NearestNeighbors

__all__ = ["BallTree", "KDTree", "KNeighborsClassifier", "NearestNeighbors"]
