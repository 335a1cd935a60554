# SPDX-License-Identifier: BSD-3-Clause
"""The average over neighbours: what the regressors, by number and by radius, have in common."""

import numpy as np

from statfast._core import average
from statfast._distances import Metric
from statfast._regression import Regressor, as_targets
from statfast.neighbors.weights import as_weighting, weigh


class Averaging(Regressor):
    """The targets that are averaged, and their weights."""

    weights: object

    _metric: Metric
    _targets: np.ndarray  # (n, T)
    _flat: bool  # whether one output was given as a 1-d array

    def _averaged(self, y, n: int) -> dict:
        """Check the targets of n rows: the attributes that fit has to publish."""
        targets, flat = as_targets(y, n)
        return {"n_outputs_": targets.shape[1], "_targets": targets, "_flat": flat}

    def _predict(self, slices, m: int, shape) -> np.ndarray:
        """The averages of the neighbours in each slice of m rows."""
        weighting = as_weighting(self.weights)
        out = np.zeros((m, self._targets.shape[1]))
        for part, starts, reduced, ids in slices:
            weights = weigh(weighting, self._metric, starts, reduced, shape)
            average.means(self._targets, starts, ids, weights, out[part])
        return out[:, 0] if self._flat else out

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags
