# SPDX-License-Identifier: BSD-3-Clause
"""What the nodes of a tree ask beside a number: sets of categories, and surrogates."""

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
SETS = np.uint64(1 << 62)  # of a packed node: its threshold is the number of a set
COLUMN = 0x3FFFFFFF  # of the upper half of a packed node: the column that it asks about


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
        """From what a grower has: nodes, which columns hold categories, sets, and bytes."""
        feature = links[2]
        of_sets = np.zeros(len(feature), bool)
        if categories is not None:
            of_sets[feature >= 0] = categories[feature[feature >= 0]] > 0
        table = np.frombuffer(surrogates, SURROGATE).copy()
        table = table[feature[table["node"]] >= 0]  # of nodes that are split
        return cls(of_sets, sets, table[np.argsort(table["node"], kind="stable")])

    def taken(self, nodes: Array, inner: Array) -> "Routes":
        """Those of a tree made of some of the nodes, of which some are split."""
        place = np.full(len(self.of_sets), -1)
        place[nodes[inner]] = np.flatnonzero(inner)
        at = place[self.surrogates["node"]]
        table = self.surrogates[at >= 0].copy()
        table["node"] = at[at >= 0]
        table = table[np.argsort(table["node"], kind="stable")]
        return replace(self, of_sets=self.of_sets[nodes] & inner, surrogates=table)

    def packed(self, nodes: Array, place: Array) -> Any:
        """Mark splits of sets among packed nodes; which of these have which surrogates."""
        marked = place[self.of_sets]
        nodes[marked, 1] |= SETS
        if not len(self.surrogates):
            return None, None
        at = place[self.surrogates["node"]]
        order = np.argsort(at, kind="stable")
        first = np.zeros(len(nodes) + 1, np.int64)
        np.cumsum(np.bincount(at, minlength=len(nodes)), out=first[1:])
        return first, self.surrogates[order].view(np.uint8)

    def codes(self, number: Any) -> Any:
        """The categories of a set that go left, and those that go right."""
        bits = np.unpackbits(self.sets[int(number)].view(np.uint8), axis=-1, bitorder="little")
        return np.flatnonzero(bits[0]), np.flatnonzero(bits[1])
