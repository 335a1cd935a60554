# SPDX-License-Identifier: BSD-3-Clause
"""Clustering."""

from statfast.cluster.kmeans import KMeans
from statfast.cluster.linkage import linkage
from statfast.cluster.step import LloydStep

__all__ = ["KMeans", "LloydStep", "linkage"]
