# SPDX-License-Identifier: BSD-3-Clause
"""Scores of models of some of the columns on rows held out, by the quickest way that there is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from statfast._engine import checkpoint
from statfast._estimator import (
    MERGED,
    CoefficientTable,
    Display,
    Folds,
    FoldTask,
    Tabled,
    picture,
    take_columns,
    take_rows,
)
from statfast._typing import Array, Axes
from statfast.feature_selection.column_subsets import subset_sums
from statfast.feature_selection.score_tests import leaders, newton_gains
from statfast.model_selection.evaluation.candidate_scores import scored_candidates
from statfast.model_selection.evaluation.fold_strategies import (
    FittedFold,
    overrides_fit_or_answers,
)
from statfast.model_selection.evaluation.scoring import (
    Scores,
    is_accuracy,
    methods_asked,
    of_squares,
)

NEWTON = "newton steps"
# Scores that differ by a smaller share are equal, as rounding may have parted them.
SHARE_OF_TIES = 1e-10


class SubsetScores:
    """The scores of each fold by an estimator of some of the columns.

    Where the statistics of the folds, of all columns, give the fits (`SubsetSums`), no row is
    fitted again, and steps of least squares and ridge are sweeps, as are those of the accuracy of
    normal classes; else each set of columns is
    cross-validated by itself. `path` says which.
    """

    def __init__(
        self, estimator: Any, folds: Folds, scorer: Any, n_refits: int | None = None
    ) -> None:
        self.estimator, self.folds, self.scorer = estimator, folds, scorer
        self.n_refits = n_refits
        methods = methods_asked({"score": scorer}, estimator)
        known = not overrides_fit_or_answers(estimator)
        self.sums = subset_sums(estimator, FoldTask(folds, methods=methods)) if known else None
        self.paths = set() if self.sums is None else {MERGED}
        # Scores that are not weighted as the fits are cannot be had from their statistics.
        alike = folds.is_scored_as_fitted("score")
        self.of_squares = of_squares(scorer, estimator) if alike else None
        squares = self.sums is not None and self.of_squares is not None
        self.sweeps = self.sums.sweeps() if self.sums is not None and squares else None
        if self.sums is not None and alike and is_accuracy(scorer, estimator):
            self.sweeps = self.sums.accuracy_sweeps()

    @property
    def path(self) -> str:
        """How models were fitted."""
        return ", ".join(sorted(self.paths))

    def scores_of(self, columns: Sequence[int]) -> Array:
        """The scores (K,) of the models of some columns."""
        checkpoint()
        places = np.sort(np.asarray(columns, dtype=np.intp))
        if self.sums is None:
            folds = replace(self.folds, X=take_columns(self.folds.X, places.tolist()))
            scored = scored_candidates(self.estimator, folds, [{}], {"score": self.scorer}, nan)
            self.paths.add(scored.strategy)
            values: Array = scored.test["score"][0]
            return values
        rows = take_columns(self.sums.X, places.tolist())
        scores = Scores({"score": self.scorer}, nan)
        for k in range(len(self.folds)):
            model = self.sums.model(k, places)
            scores.add(self.folds, k, FittedFold([model], None, rows, 0.0))
        scores.warn()
        return np.array(scores.test[0]["score"])

    def with_each(self, selected: list[int], rest: list[int]) -> Array:
        """Scores (m, K) of the selected columns and one of the others."""
        if self.sweeps is None:
            return self._of_leaders([[*selected, j] for j in rest], selected, rest)
        values, certain = self.sweeps.with_each(selected, rest)
        sets = ([*selected, j] for j in rest)
        return self._of_sweep(values, certain, sets)

    def without_each(self, selected: list[int]) -> Array:
        """Scores (m, K) of the selected columns without one of them."""
        sets = [[i for i in selected if i != j] for j in selected]
        if self.sweeps is None:
            return self._of_leaders(sets, selected, None)
        values, certain = self.sweeps.without_each(selected)
        return self._of_sweep(values, certain, sets)

    def _of_leaders(
        self, sets: list[list[int]], selected: list[int], rest: list[int] | None
    ) -> Array:
        """Scores of sets; of many only those of `n_refits` that a Newton step promises most of, the
        others NaN."""
        places: Any = range(len(sets))
        if self.n_refits is not None and self.n_refits < len(sets):
            gains = newton_gains(self.estimator, self.folds, selected, rest)
            if gains is not None:
                places = leaders(gains, self.n_refits, largest=rest is not None)
                self.paths.add(NEWTON)
        scores = np.full((len(sets), len(self.folds)), nan)
        for place in places:
            scores[place] = self.scores_of(sets[place])
        return scores

    def _of_sweep(self, values: Array, certain: Array, sets: Any) -> Array:
        assert self.sweeps is not None
        if self.of_squares is not None:
            values = self.of_squares(values, self.sweeps.variances[:, None])
        scores = np.ascontiguousarray(values.T)
        sure: Array = np.all(certain, axis=0)
        if not sure.all():
            for place, columns in enumerate(sets):
                if not sure[place]:
                    scores[place] = self.scores_of(columns)
        return scores


def best_place(means: Array, unit: float = 0.0) -> int:
    """The place of the largest mean, of equals the first; NaN is below all."""
    filled = np.where(np.isnan(means), -np.inf, means)
    best = filled.max()
    if not np.isfinite(best):
        return int(filled.argmax())
    return int(np.argmax(filled >= best - SHARE_OF_TIES * max(abs(best), unit)))


def unit_of(scorer_function: Any) -> float:
    """The size of what a score rounds: 1 for shares such as r2, else that of the score itself."""
    return 1.0 if scorer_function is not None and scorer_function(0.0, 1.0) == 1.0 else 0.0


# ------------------------------------------------------------------ folds inside of a fold
def inner_folds(folds: Folds, outer: int) -> Folds:
    """The other folds of the rows that one fits."""
    rows = folds.train(outer)
    place = np.full(folds.n, -1)
    place[rows] = np.arange(len(rows))
    pairs: list[tuple[Array | None, Array]] = []
    for k in range(len(folds)):
        fitted, held = (place[part] for part in (folds.train(k), folds.pairs[k][1]))
        if k != outer and (fitted >= 0).any() and (held >= 0).any():
            pairs.append((fitted[fitted >= 0], held[held >= 0]))
    if len(pairs) < 2:
        raise ValueError(
            "nested=True needs two other folds to select by in the rows of each; got "
            f"{len(folds)} folds. Pass more in cv."
        )
    arguments = folds.arguments_of(rows)
    inside = arguments.pop("sample_weight", None)
    X, y = take_rows(folds.X, rows), take_rows(folds.y, rows)
    of_scores = {name: folds.arguments_of_score(name, rows) for name in folds.of_scores}
    return Folds(X, y, inside, len(rows), pairs, arguments, of_scores)


def require_two_columns(selector: Any, rows: Any) -> None:
    """Refuse rows among whose columns nothing is to be selected."""
    if rows.shape[1] < 2:
        raise ValueError(
            f"X must have columns to select from: {rows.shape[1]} feature(s) (shape="
            f"{tuple(rows.shape)}) came, while a minimum of 2 is required by "
            f"{type(selector).__name__}. Pass more columns."
        )


# ------------------------------------------------------------------ results
@dataclass(frozen=True, repr=False)
class SizeScores(Tabled):
    """Cross-validated scores by the number of columns.

    Attributes
    ----------
    n_features : ndarray of int, shape (S,)
        Numbers of columns, ascending.
    scores : ndarray of shape (S, K)
        The score of each fold.
    best : int
        The number of columns of the highest mean score, of equals the least.
    within_error : int
        The least number of columns whose mean score is within a standard error of the highest.
    selected : int
        The number of columns that is selected.
    path : str
        How models were fitted: "merged statistics" where no row was fitted again, "refit",
        "closed form", "shared structure"; "newton steps" where these chose what was fitted.
    nested : ndarray of shape (K,) or None
        The scores of models whose columns and their number were selected without the rows that
        are scored: the honest ones, if they were asked for.

    Examples
    --------
    >>> import numpy as np
    >>> from statfast.feature_selection import best_subset
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 4))
    >>> y = 3 * X[:, 1] - 2 * X[:, 2] + rng.normal(size=100)
    >>> scores = best_subset(X, y, cv=5).size_scores
    >>> print(scores)
        Score  Std. error  Best  1se  Selected
    4  0.8914    0.005604     0    0         0
    3  0.8914    0.006621     0    0         0
    2  0.8946    0.008995     1    1         1
    1  0.5115    0.071297     0    0         0
    >>> scores.best, scores.within_error
    (2, 2)
    """

    n_features: NDArray[np.intp]
    scores: NDArray[np.float64]
    best: int
    within_error: int
    selected: int
    path: str
    nested: NDArray[np.float64] | None = None

    @property
    def means(self) -> NDArray[np.float64]:
        """Mean scores, (S,)."""
        return self.scores.mean(axis=1)

    @property
    def errors(self) -> NDArray[np.float64]:
        """Standard errors of the means, (S,)."""
        return standard_errors(self.scores)

    @property
    def nested_score(self) -> tuple[float, float]:
        """The mean of the honest scores, and its standard error; NaN if not asked for."""
        if self.nested is None:
            return nan, nan
        return float(self.nested.mean()), float(standard_errors(self.nested[None])[0])

    def table(self) -> CoefficientTable:
        """Return a row for each number of columns, the most first.

        Returns
        -------
        CoefficientTable
            "Best" is 1 for the highest mean, "1se" for the one-standard-error choice, "Selected"
            for what is selected.
        """
        order = slice(None, None, -1)
        sizes = self.n_features[order]
        columns = {"Score": self.means[order], "Std. error": self.errors[order]}
        marks = {"Best": self.best, "1se": self.within_error, "Selected": self.selected}
        columns |= {name: (sizes == size).astype(float) for name, size in marks.items()}
        return CoefficientTable([str(size) for size in sizes], columns)

    def plot(self, *, ax: Axes | None = None, **style: Any) -> Display:
        """Draw scores by the number of columns: `statfast.plot.selection_path`.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; None draws on a new figure of pyplot.
        **style : object
            Style of the main artist, passed on to matplotlib.

        Returns
        -------
        statfast.plot.Display
        """
        shown: Display = picture("selection_path")(self, ax=ax, **style)
        return shown

    def _facts(self) -> list[tuple[str, Any]]:
        """What a summary prints of them."""
        here = int(np.flatnonzero(self.n_features == self.selected)[0])
        facts = [
            ("Fits", self.path), ("Folds", self.scores.shape[1]),
            ("Score", self.means[here]), ("Std. error", self.errors[here]),
            ("Best size", self.best), ("1se size", self.within_error),
        ]  # fmt: skip
        if self.nested is not None:
            mean, error = self.nested_score
            facts += [("Nested score", mean), ("Its std. error", error)]
        return facts

    def _results(self) -> dict[str, Any]:
        """As scikit-learn's ``cv_results_``."""
        return {
            "mean_test_score": self.means,
            "std_test_score": self.scores.std(axis=1),
            "se_test_score": self.errors,
            **{f"split{k}_test_score": values for k, values in enumerate(self.scores.T)},
            "n_features": self.n_features,
        }


def standard_errors(scores: Array) -> NDArray[np.float64]:
    """Standard errors of the means over folds, (S, K) -> (S,)."""
    k = scores.shape[1]
    return scores.std(axis=1, ddof=1) / np.sqrt(k) if k > 1 else np.zeros(len(scores))


def choose_size(n_features: Array, scores: Array, unit: float) -> tuple[int, int]:
    """The number of columns of the highest mean, and the least within a standard error of it."""
    means = scores.mean(axis=1)
    best = best_place(means, unit)
    limit = means[best] - standard_errors(scores)[best]
    within = int(np.argmax(means >= limit)) if np.isfinite(limit) else best
    return int(n_features[best]), int(n_features[min(within, best)])
