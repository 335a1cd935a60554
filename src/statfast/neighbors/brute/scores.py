# SPDX-License-Identifier: BSD-3-Clause
"""The searches of a block of queries by brute force, one for each type of score.

Each takes the index, the queries and k; ``scan(first, stop)`` shows it rows; afterwards ``count``
and ``row`` hold the candidates of every query, count -1 standing for undecided.
"""

import numpy as np

from statfast._core.neighbors import brute, quantized
from statfast._core.neighbors.search_state import SearchState
from statfast._core.tile import tiles


class FloatScores:
    """The search of some queries by scores of one floating-point type."""

    def __init__(self, index, Q, k, room=None):
        self.index, self.k = index, k
        m, d = Q.shape
        width = tiles.tile_shape(np.dtype(self.real).char)[1]
        filled = -(-m // width) * width
        self.panels = np.empty(filled * d, self.real)
        self.slope, self.slack, self.level = np.empty((3, filled), self.real)
        self.count = np.empty((2, filled), np.int32)
        self.score = np.empty((filled, room or 2 * k + 64), self.real)
        self.row = np.empty(self.score.shape, np.int32)
        self.state = SearchState(
            k, self.slope, self.slack, self.level, self.count, self.score, self.row
        )
        brute.begin(
            Q, index.origin, index.scale, *index.measure, index.lean, self.panels, self.state
        )

    def scan(self, first, stop):
        index = self.index
        brute.scan(
            index.points[first:stop], first, index.origin, index.scale, index.norm,
            *index.measure, self.panels, self.state,
        )  # fmt: skip


class Float32Scores(FloatScores):
    real = np.float32


class Float64Scores(FloatScores):
    real = np.float64


class ByteScores:
    """The search of some queries by scores of bytes."""

    def __init__(self, index, Q, k):
        self.index, self.k = index, k
        m, d = Q.shape
        width = tiles.tile_shape("f")[1]
        filled = -(-m // width) * width
        self.panels = np.empty(filled * quantized.padded_depth(d), np.int8)
        self.offset = np.empty(filled, np.int32)
        self.unit, self.slope, self.slack, self.level = np.empty((4, filled), np.float32)
        self.count = np.empty((2, filled), np.int32)
        self.score = np.empty((filled, index.bytes.room(k)), np.float32)
        self.row = np.empty(self.score.shape, np.int32)
        code = index.bytes
        self.state = SearchState(
            k, self.slope, self.slack, self.level, self.count, self.score, self.row
        )
        quantized.begin(
            Q, index.origin, index.scale, code.step, code.left, self.panels, self.offset,
            self.unit, self.state,
        )  # fmt: skip

    def scan(self, first, stop):
        index = self.index
        quantized.scan(
            index.bytes.code[first:stop], index.bytes.start, index.norm, first, self.panels,
            self.offset, self.unit, self.state,
        )  # fmt: skip
