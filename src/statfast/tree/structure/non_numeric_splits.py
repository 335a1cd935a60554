# SPDX-License-Identifier: BSD-3-Clause
"""Splits of a tree beside those at numbers: sets of categories, and surrogates."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from statfast._typing import Array

# As cart_surrogate of _core/cart/cart.h.
SURROGATE = np.dtype(
    [
        ("threshold", "f8"), ("agree", "f8"), ("adjusted", "f8"), ("sent", "i8"), ("node", "i4"),
        ("column", "i4"), ("reversed", "i4"), ("of_sets", "i4"),
    ]
)  # fmt: skip
SETS = np.uint64(1 << 62)  # mark of a packed node whose threshold is the number of a set
COLUMN = 0x3FFFFFFF  # bits of the upper half of a packed node that are its column


@dataclass(frozen=True)
class Routes:
    """Splits by categories, and surrogates of nodes.

    Attributes
    ----------
    of_sets : ndarray of bool, shape (node_count,)
        Whether a node splits categories; its threshold then is the number of a set.
    sets : ndarray of uint64, shape (S, 2, words)
        Categories that go left, and right, by the bits of their codes. Others go where missing
        values go.
    surrogates : ndarray of `SURROGATE`
        Those of all nodes, by node, the best of each first.
    """

    of_sets: np.ndarray
    sets: np.ndarray
    surrogates: np.ndarray

    @classmethod
    def collect(
        cls, links: Array, categories: Array | None, sets: Array, surrogates: bytes
    ) -> Self:
        """The routes of a grown tree, from the arrays of its grower."""
        feature = links[2]
        of_sets = np.zeros(len(feature), bool)
        if categories is not None:
            of_sets[feature >= 0] = categories[feature[feature >= 0]] > 0
        table = np.frombuffer(surrogates, SURROGATE).copy()
        table = table[feature[table["node"]] >= 0]  # only of nodes that are split
        return cls(of_sets, sets, table[np.argsort(table["node"], kind="stable")])

    def taken(self, nodes: Array, inner: Array) -> Routes:
        """The routes of a subtree of `nodes`, of which those in `inner` are split."""
        place = np.full(len(self.of_sets), -1)
        place[nodes[inner]] = np.flatnonzero(inner)
        new_nodes = place[self.surrogates["node"]]
        table = self.surrogates[new_nodes >= 0].copy()
        table["node"] = new_nodes[new_nodes >= 0]
        table = table[np.argsort(table["node"], kind="stable")]
        return replace(self, of_sets=self.of_sets[nodes] & inner, surrogates=table)

    def packed(self, nodes: Array, place: Array) -> Any:
        """Mark splits of sets among packed nodes; returns the surrogates of packed nodes."""
        marked = place[self.of_sets]
        nodes[marked, 1] |= SETS
        if not len(self.surrogates):
            return None, None
        packed_nodes = place[self.surrogates["node"]]
        order = np.argsort(packed_nodes, kind="stable")
        first = np.zeros(len(nodes) + 1, np.int64)
        np.cumsum(np.bincount(packed_nodes, minlength=len(nodes)), out=first[1:])
        return first, self.surrogates[order].view(np.uint8)

    def codes(self, number: Any) -> Any:
        """The categories of a set that go left, and those that go right."""
        bits = np.unpackbits(self.sets[int(number)].view(np.uint8), axis=-1, bitorder="little")
        return np.flatnonzero(bits[0]), np.flatnonzero(bits[1])
