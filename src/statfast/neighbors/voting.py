# SPDX-License-Identifier: BSD-3-Clause
"""The vote of neighbours: what the classifiers, by number and by radius, have in common."""

import numpy as np

from statfast._base import Classifier
from statfast._core import vote
from statfast._distances import Metric
from statfast._validation import as_choice, as_generator, as_labels
from statfast.neighbors.weights import as_weighting, weigh

TIES = {"lowest": 0, "nearest": 1, "random": 2}  # as vote.pyx numbers them


class Voting(Classifier):
    """The electorate, its weights and its tie rule."""

    weights: object
    ties: str
    random_state: object

    classes_: np.ndarray
    _metric: Metric
    _codes: np.ndarray
    _seed: int

    def _electorate(self, y, n: int) -> dict:
        """Check the labels of n rows: the attributes that fit has to publish."""
        self._voting()
        generator = as_generator(self.random_state)
        classes, codes = as_labels(y, n)
        seed = int(generator.integers(2**63))
        return {"classes_": classes, "_codes": codes, "_seed": seed}

    def _voting(self) -> tuple:
        """Check the parameters of the vote: the weights, and the number of the tie rule."""
        return as_weighting(self.weights), TIES[as_choice(self.ties, "ties", tuple(TIES))]

    def _elect(self, ties, starts, ids, reduced, weights, out) -> None:
        """The winner of each row's vote."""
        vote.winners(
            self._codes, starts, ids, reduced, weights, len(self.classes_), ties, self._seed, out
        )

    def _share(self, weighting, starts, ids, reduced, shape, out) -> None:
        """Each class's share of each row's vote."""
        weights = weigh(weighting, self._metric, starts, reduced, shape)
        vote.shares(self._codes, starts, ids, weights, out)
