# SPDX-License-Identifier: BSD-3-Clause
"""Clustering."""

from statfast.cluster.bisecting import BisectingKMeans
from statfast.cluster.kmeans import KMeans
from statfast.cluster.minibatch import MiniBatchKMeans
from statfast.cluster.step import LloydStep

__all__ = ["BisectingKMeans", "KMeans", "LloydStep", "MiniBatchKMeans"]
