# SPDX-License-Identifier: BSD-3-Clause
"""The weights of neighbors, and the bases of models that vote or average by them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from statfast._core.neighbors import average, vote
from statfast._distance import Metric
from statfast._engine import each, grid
from statfast._estimator import Classifier, Regressor, callable_, one_of
from statfast._typing import Array, Jobs
from statfast._validation import as_generator, as_labels, as_targets, label_columns

TIES = {"lowest": 0, "nearest": 1, "random": 2}  # as neighbors/vote.pyx numbers them

MIN_NEIGHBORS_OF_THREADS = 1 << 16  # neighbors: so many are worth starting threads

WEIGHTING = callable_ | one_of("uniform", "distance")


def by_blocks(work: Callable[[slice, Array], None], starts: Array, n_jobs: Jobs) -> None:
    """Do ``work(block, starts of its neighbors)`` for blocks of rows with these neighbors."""
    m = len(starts) - 1
    if starts[-1] < MIN_NEIGHBORS_OF_THREADS:
        work(slice(0, m), starts)
        return
    each(
        lambda block: work(block, starts[block.start : block.stop + 1]),
        grid(m, least=64),
        n_jobs=n_jobs,
    )


def weigh(
    weights: str, metric: Metric, starts: np.ndarray, reduced: np.ndarray, shape: tuple[Any, ...]
) -> np.ndarray | None:
    """Weights of the neighbors at these reduced distances; None if each counts one.

    A function takes the distances in this shape: a row for each query if all have equally many
    neighbors, else flat.
    """
    if weights == "uniform":
        return None
    distances = metric.finish(reduced)
    if callable(weights):
        return checked(weights(distances.reshape(shape)), starts, distances.reshape(shape).shape)
    inverse = np.empty_like(distances)
    vote.inverse_distances(starts, distances, inverse)
    return inverse


def checked(values: Array, starts: np.ndarray, shape: tuple) -> np.ndarray:
    """Check the weights that a function returned, of this shape; returns them flat, float64.

    Where some of a row are infinite, these become 1, and the others 0.
    """
    w = np.ascontiguousarray(values, dtype=np.float64)
    if w.shape != shape:
        raise ValueError(
            f"weights must return one weight for each distance, shape {shape}; got shape "
            f"{w.shape}. Return an array of the shape it is given."
        )
    w = w.reshape(-1)
    infinite = w == np.inf
    if infinite.any():
        row = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        decided = np.zeros(len(starts) - 1, bool)
        decided[row[infinite]] = True
        # A weight that is refused stays as it is.
        w = np.where(decided[row] & (w >= 0.0), infinite, w)
    first = starts[:-1][np.diff(starts) > 0]
    if len(first) == 0:
        return w
    with np.errstate(over="ignore", invalid="ignore"):
        total = np.add.reduceat(w, first)
    # Written so that NaN fails too.
    if not (w.min() >= 0.0 and total.max() < np.inf):
        raise ValueError(
            f"weights must return weights of at least 0; got {w.min()} to {w.max()}. Return "
            "infinity where a neighbor decides alone, and scale down weights whose sum overflows."
        )
    if not total.min() > 0.0:
        raise ValueError(
            "weights must return a positive weight in each row; got a row of zeros. "
            "Give at least the nearest neighbor a positive weight."
        )
    return w


# ---------- The average over neighbors, for the regressors by number and by radius
class Averaging(Regressor):
    """The targets that are averaged, and their weights."""

    _checked_value: Callable[..., Any]

    weights: object
    n_jobs: Jobs

    _metric: Metric
    _targets: np.ndarray  # (n, T)
    _flat: bool  # whether one output was given as a 1-d array

    def _fits_targets_independently(self) -> bool:
        return True

    def _averaged(self, y: Any, n: int) -> dict:
        """Check the targets of n rows; returns the attributes that fit publishes."""
        targets, flat = as_targets(y, n)
        return {"n_outputs_": targets.shape[1], "_targets": targets, "_flat": flat}

    def _predict(self, slices: Iterator[Any], m: int, shape: tuple[Any, ...]) -> np.ndarray:
        """The averages of the neighbors in each slice of m rows."""
        weighting = self._checked_value("weights")
        out = np.zeros((m, self._targets.shape[1]))
        for part, starts, reduced, ids in slices:
            weights = weigh(weighting, self._metric, starts, reduced, shape)
            self._average(starts, ids, weights, out[part])
        if np.isinf(out).any():
            raise ValueError("Sums of the targets of neighbors overflow. Divide y by a constant.")
        return out[:, 0] if self._flat else out

    def _average(self, starts: Array, ids: Array, weights: Array | None, out: Array) -> None:
        """The average of each row's neighbors."""

        def work(block: slice, first: Array) -> None:
            average.means(self._targets, first, ids, weights, out[block])

        by_blocks(work, starts, self.n_jobs)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


# ---------- The vote of neighbors, for the classifiers by number and by radius
class Voting(Classifier):
    """The electorate, its weights and its tie rule."""

    _checked_value: Callable[..., Any]

    weights: object
    n_jobs: Jobs
    ties: str
    random_state: object

    classes_: np.ndarray | list
    outputs_2d_: bool
    _metric: Metric
    _codes: np.ndarray | list
    _seed: int

    def _electorate(self, y: Any, n: int, *, several: bool = False) -> dict:
        """Check the labels of n rows; returns the attributes that fit publishes."""
        generator = as_generator(self.random_state)
        columns = label_columns(y) if several else None
        if columns is None:
            classes, codes = as_labels(y, n)
        else:
            classes, codes = map(
                list, zip(*(as_labels(labels, n) for labels in columns), strict=True)
            )
        seed = int(generator.integers(2**63))
        two = columns is not None
        return {"classes_": classes, "outputs_2d_": two, "_codes": codes, "_seed": seed}

    @property
    def _outputs(self) -> list:
        """Classes and codes of each output."""
        if self.outputs_2d_:
            return list(zip(self.classes_, self._codes, strict=True))
        return [(self.classes_, self._codes)]

    def _voting(self) -> tuple:
        """Check the parameters of the vote: the weights, and the number of the tie rule."""
        return self._checked_value("weights"), TIES[self._checked_value("ties")]

    def _elect(
        self,
        output: tuple[Array, Array],
        ties: int,
        starts: Array,
        ids: Array,
        reduced: Array,
        weights: Array | None,
        out: Array,
    ) -> None:
        """The winner of each row's vote, by the classes and codes of an output."""
        classes, codes = output

        def work(block: slice, first: Array) -> None:
            vote.winners(
                codes, first, ids, reduced, weights, len(classes), ties, self._seed, out[block]
            )

        by_blocks(work, starts, self.n_jobs)

    def _share(
        self,
        codes: Any,
        weighting: str,
        starts: Array,
        ids: Array,
        reduced: Array,
        shape: tuple[Any, ...],
        out: Array,
    ) -> None:
        """Each class's share of each row's vote."""
        weights = weigh(weighting, self._metric, starts, reduced, shape)

        def work(block: slice, first: Array) -> None:
            vote.shares(codes, first, ids, weights, out[block])

        by_blocks(work, starts, self.n_jobs)
