# SPDX-License-Identifier: BSD-3-Clause
"""Sums of trees with the cover of their leaves, as explanations of predictions read them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from statfast._typing import Array
from statfast.tree.structure.predictor import TreePredictor


class CoveredTree(NamedTuple):
    """A packed tree, what its leaves add to each output, and how much of the fit they cover."""

    nodes: np.ndarray  # (N, 2) uint64, as `TreeStructure.packed`
    values: np.ndarray  # (L, C)
    cover: np.ndarray  # (L,) not negative
    sets: np.ndarray | None = None  # (S, 2, words) uint64
    surrogates: tuple[Any, Any] = (None, None)


@dataclass(frozen=True)
class AdditiveTrees:
    """Trees whose values are summed.

    Attributes
    ----------
    predictor : TreePredictor
        The trees.
    covers : sequence of ndarray of shape (leaves,)
        Weights of the fit in the leaves of each tree.
    first : ndarray of shape (C,)
        What the sum begins with.
    rows_of : callable
        From X to rows in the form of the trees, (m, p): categories as codes.
    response : str
        The method of the model whose answers these are, or a word for them.
    sums_to_one : bool
        Whether the outputs of each leaf sum to the same, so that the last follows from the others.
    output : ndarray of int64, shape (T,), or None
        The one output that each tree adds to.
    scale : float
        What the values of the predictor are multiplied by.
    """

    predictor: TreePredictor
    covers: Sequence[np.ndarray]
    first: np.ndarray
    rows_of: Callable[[Any], Any]
    response: str
    sums_to_one: bool = False
    output: np.ndarray | None = None
    scale: float = 1.0

    @property
    def cover(self) -> np.ndarray:
        """Weights of the fit in all leaves, (L,)."""
        return np.concatenate(self.covers).astype(np.float64)

    @classmethod
    def of_trees(
        cls,
        trees: Sequence[CoveredTree],
        rows_of: Callable[[Any], Any],
        response: str,
        **fields: Any,
    ) -> AdditiveTrees:
        """Join trees.

        Parameters
        ----------
        trees : sequence of CoveredTree
        rows_of : callable
        response : str
        **fields : object
            `first`, `sums_to_one` and `output`.

        Returns
        -------
        AdditiveTrees
        """
        sets = None
        if any(tree.sets is not None for tree in trees):
            words = max(tree.sets.shape[2] for tree in trees if tree.sets is not None)
            sets = [_widened(tree.sets, words) for tree in trees]
        predictor = TreePredictor.join_trees(
            [tree.nodes for tree in trees], [tree.values for tree in trees], sets=sets,
            surrogates=trees[0].surrogates if len(trees) == 1 else (None, None),
        )  # fmt: skip
        covers = [tree.cover for tree in trees]
        fields.setdefault("first", np.zeros(predictor.values.shape[1]))
        return cls(predictor, covers, rows_of=rows_of, response=response, **fields)


def _widened(sets: Array | None, words: int) -> Array:
    """Sets of categories with as many words."""
    if sets is None:
        return np.zeros((0, 2, words), np.uint64)
    wide = np.zeros((len(sets), 2, words), np.uint64)
    wide[:, :, : sets.shape[2]] = sets
    return wide
