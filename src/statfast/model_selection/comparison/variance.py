# SPDX-License-Identifier: BSD-3-Clause
"""Bias and variance of an estimator, from fits to many samples of the rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from statfast._engine import each
from statfast._estimator import (
    MERGED,
    CoefficientTable,
    Drawn,
    Tabled,
    as_square,
    columns_of,
    copied,
    is_pairwise,
    picture,
    prepared_sum,
    take_columns,
    take_rows,
)
from statfast._typing import Array, ArrayLike, Jobs, Matrix, Rows, Seed
from statfast._validation import (
    as_choice,
    as_count,
    as_estimator,
    as_generator,
    as_rows,
    refuse_large,
    to_array,
)
from statfast.model_selection.comparison.losses import coded, truth_of
from statfast.model_selection.evaluation.fold_strategies import REFIT, shares_statistics
from statfast.model_selection.evaluation.scoring import classifies
from statfast.model_selection.splitting.resampling import train_test_split
from statfast.model_selection.splitting.splitter import as_placed_rows, joined_rows, n_rows

NUMBERS_OF_LARGE_FIT = 1 << 20  # From so many numbers in X, a fit is large.
KINDS = ("auto", "squared", "kohavi_wolpert", "domingos")


@dataclass(frozen=True, repr=False)
class BiasVariance(Tabled):
    """Result of `bias_variance`: the mean loss on held-out samples, and its parts.

    Attributes
    ----------
    kind : str
        Decomposition used: "squared", "kohavi_wolpert" or "domingos".
    loss : float
        Mean over bootstrap sets and test samples: ``loss = noise + bias + net_variance``.
    bias : float
        Of squared loss, and of Kohavi and Wolpert's, the square.
    variance : float
        How far predictions by single bootstrap sets are from the main one.
    net_variance : float
        What variance adds to the loss; that of Domingos is `unbiased_variance` less what variance
        corrects in samples whose main prediction is wrong.
    noise : float
        0, as it cannot be distinguished from bias with one target for each row.
    unbiased_variance, biased_variance : float
        Domingos: of samples whose main prediction is right, or wrong; else nan.
    main_prediction : ndarray of shape (m,)
        Mean, or most frequent label (of equals the lowest), of each sample's predictions.
    predictions : ndarray of shape (R, m)
        By each of R bootstrap sets; of labels their codes.
    targets : ndarray of shape (m,)
        Labels or targets of the test samples.
    path : str
        How the models were fitted.

    Examples
    --------
    >>> from statfast import LinearDiscriminantAnalysis
    >>> from statfast.datasets import load_iris
    >>> from statfast.model_selection import bias_variance
    >>> iris = load_iris()
    >>> result = bias_variance(
    ...     LinearDiscriminantAnalysis(), iris.data, iris.target, n_rounds=50, random_state=0
    ... )
    >>> result.kind, result.predictions.shape
    ('kohavi_wolpert', (50, 45))
    """

    kind: str
    loss: float
    bias: float
    variance: float
    net_variance: float
    noise: float
    unbiased_variance: float
    biased_variance: float
    main_prediction: NDArray
    predictions: NDArray
    targets: NDArray
    path: str

    def table(self) -> CoefficientTable:
        """The loss and its parts; those that this decomposition does not have are left out.

        Returns
        -------
        CoefficientTable
        """
        parts = {
            "loss": self.loss,
            "noise": self.noise,
            "bias": self.bias,
            "variance": self.variance,
            "net variance": self.net_variance,
            "unbiased variance": self.unbiased_variance,
            "biased variance": self.biased_variance,
        }
        known = {name: part for name, part in parts.items() if part == part}
        return CoefficientTable(list(known), {self.kind: np.array(list(known.values()))})

    def plot(self, *, ax: Any = None, **style: Any) -> Drawn:
        """Draw shots at a target: `statfast.plot.bias_variance_target`.

        Parameters
        ----------
        ax : sequence of one matplotlib.axes.Axes, optional
            Where to draw; None draws on a new figure of pyplot.
        **style : object
            Style of the shots.

        Returns
        -------
        statfast.plot.TargetDisplay
        """
        return picture("bias_variance_target")(self, ax=ax, **style)


def bias_variance(
    estimator: Any,
    X: Rows,
    y: ArrayLike,
    *,
    X_test: Rows | None = None,
    y_test: ArrayLike | None = None,
    loss: str = "auto",
    n_rounds: int = 200,
    random_state: Seed = None,
    n_jobs: int | None = None,
) -> BiasVariance:
    """Bias-variance decomposition of the error of an estimator, by the bootstrap.

    Parameters
    ----------
    estimator : estimator
        Estimator to fit; copies of it are used.
    X : array-like of shape (n, d)
        Data from which bootstrap sets are drawn.
    y : array-like of shape (n,)
        Class labels or target values.
    X_test : array-like of shape (m, d), optional
        Samples to predict; None holds 30 % of X out.
    y_test : array-like of shape (m,), optional
        Labels or targets of the test samples.
    loss : str, default="auto"
        "squared"; "kohavi_wolpert" [1]_ or "domingos" [2]_ for labels; "auto": Kohavi and Wolpert's
        for classifiers, else squared.
    n_rounds : int, default=200
        Samples, at least 2.
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator; an integer makes the result reproducible.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Returns
    -------
    BiasVariance

    Raises
    ------
    ValueError
        If an argument is out of its range, or a fit fails.

    Notes
    -----
    Squared loss: bias^2 and variance of each row, with divisor R, add to its mean loss exactly.
    Kohavi and Wolpert: with P the true and H the predicted shares of labels,
    sum (P - H)^2 / 2 - H (1 - H) / (2 (R - 1)) and (1 - sum H^2) / 2 R / (R - 1). Domingos: the
    main prediction is the mode; variance adds to the loss where it is right and, where it is wrong,
    takes off the share of predictions that are right.

    Samples of models whose fit is a sum over rows are weights of their statistics.

    References
    ----------
    .. [1] R. Kohavi & D. Wolpert (1996), "Bias plus variance decomposition for zero-one loss
       functions". ICML.
    .. [2] P. Domingos (2000), "A unified bias-variance decomposition". ICML.

    Examples
    --------
    >>> from statfast import LinearDiscriminantAnalysis
    >>> from statfast.datasets import load_iris
    >>> from statfast.model_selection import bias_variance
    >>> iris = load_iris()
    >>> result = bias_variance(
    ...     LinearDiscriminantAnalysis(), iris.data, iris.target, n_rounds=50, random_state=0
    ... )
    >>> round(result.loss, 4)
    0.0049
    >>> round(result.bias, 4), round(result.net_variance, 4)  # these sum to it
    (0.0005, 0.0044)
    """
    kind, X = as_choice(loss, "loss", KINDS), as_placed_rows(X)
    as_estimator(estimator)
    if kind == "auto":
        kind = "kohavi_wolpert" if classifies(estimator) else "squared"
    R = as_count(n_rounds, "n_rounds", 2)
    rng = as_generator(random_state)
    if (X_test is None) != (y_test is None):
        raise ValueError("X_test and y_test must be passed together. Pass both, or none.")
    y = to_array(y, "y", "an array-like of targets")
    if X_test is None:
        codes = y if kind != "squared" else None
        X = as_square(X, estimator) if is_pairwise(estimator) else X
        X, X_test, y, y_test, fitted, _ = train_test_split(
            X, y, np.arange(n_rows(X)), test_size=0.3, random_state=rng, stratify=codes
        )
        if is_pairwise(estimator):
            X, X_test = take_columns(X, fitted), take_columns(X_test, fitted)
    X_test = as_placed_rows(X_test, "X_test")
    n, m = n_rows(X), n_rows(X_test)
    refuse_large(8 * R * max(m, n), "The predictions of all rounds", "Lower n_rounds.")
    labels = "zero_one" if kind != "squared" else "squared"
    joined, classes = truth_of(joined_rows(y, y_test, "y", "y_test"), n + m, labels)
    truth = joined[n:]
    drawn = rng.integers(0, n, (R, n))
    predictions, path = _predictions(estimator, X, np.asarray(y), X_test, drawn, classes, n_jobs)
    if kind == "squared":
        return _squared(predictions, truth, path)
    return _of_labels(kind, predictions, truth, classes, path)


def _predictions(
    estimator: Any,
    X: Matrix,
    y: Array,
    X_test: Matrix,
    drawn: Array,
    classes: Array | None,
    n_jobs: Jobs,
) -> tuple[Array, str]:
    """Predictions (R, m) of the fits to all samples."""
    answers = replicated(estimator, X, y, X_test, drawn, classes, n_jobs)
    if answers is not None:
        predictions = np.empty(
            (len(drawn), n_rows(X_test)), np.float64 if classes is None else np.intp
        )
        for row, codes in zip(predictions, answers, strict=True):
            row[:] = codes
        return predictions, MERGED
    out, pairwise = [], is_pairwise(estimator)
    for rows in drawn:
        seen = rows if pairwise else None
        model = copied(estimator).fit(columns_of(take_rows(X, rows), seen), y[rows])
        out.append(coded(model.predict(columns_of(X_test, seen)), classes))
    return np.array(out), REFIT


def replicated(
    estimator: Any,
    X: Matrix,
    y: Array,
    X_test: Matrix,
    drawn: Array | list[Array],
    classes: Array | None,
    n_jobs: Jobs,
    held: list[Array] | None = None,
) -> Iterator[Any] | None:
    """In turn the predictions by fits to the rows `drawn`, as weights of their statistics: of all
    of `X_test`, or of each sample's places `held`. None where there are no such statistics."""
    if not shares_statistics(estimator):
        return None
    model = copied(estimator)
    prepared = prepared_sum(model, X, y, None)
    if prepared is None or prepared[0][-1] is not None:
        return None
    columns, state = prepared
    return _merged(model, columns, state, X_test, drawn, classes, n_jobs, held)


def _merged(model, columns, state, X_test, drawn, classes, n_jobs, held):
    n = len(drawn[0])
    step = max(1, 8 * NUMBERS_OF_LARGE_FIT // n)
    # Small fits in several threads would spend more time waiting for each other than working.
    effort = 0.0 if columns[0].size < NUMBERS_OF_LARGE_FIT else np.inf
    for first in range(0, len(drawn), step):
        rows = drawn[first : first + step]
        asked = None if held is None else held[first : first + step]

        def predict_replicate(k: int, rows: Any = rows, asked: tuple[Any, ...] = asked) -> Any:
            total = model._statistics((*columns[:-1], _times(rows[k : k + 1])[0]), state)
            held_rows = X_test if asked is None else take_rows(X_test, asked[k])
            return coded(copied(model)._solve(total, state).predict(held_rows), classes)

        predictions, certain = _together(model, columns, state, rows, X_test, classes)
        remaining = iter(
            each(predict_replicate, np.flatnonzero(~certain), n_jobs=n_jobs, effort=effort)
        )
        for k, is_certain in enumerate(certain):
            if is_certain:
                yield predictions[k] if asked is None else predictions[k][asked[k]]
            else:
                yield next(remaining)


def _times(drawn: Array | list[Array], order: Any = None) -> Array:
    """How often each row was drawn (R, n), the rows in an order."""
    n = len(drawn[0])
    counts = np.empty((len(drawn), n))
    if order is not None:
        place = np.empty(n, dtype=np.intp)
        place[order] = np.arange(n)
        drawn = (place[rows] for rows in drawn)
    for row, rows in zip(counts, drawn, strict=True):
        row[:] = np.bincount(rows, minlength=n)
    return counts


def _together(
    model: Any,
    columns: tuple[Array, Array, None],
    state: Any,
    drawn: Array | list[Array],
    X_test: Matrix,
    classes: Array | None,
) -> tuple[None, Array]:
    """Codes of predictions by all samples at once, and which of them are right."""
    none = None, np.zeros(len(drawn), dtype=bool)
    if classes is None or not isinstance(columns[0], np.ndarray):
        return none
    rows = as_rows(X_test)
    if rows.shape[1] != columns[0].shape[1]:
        return none
    answer = model._predict_replicates(columns, state, partial(_times, drawn), rows)
    if answer is None:
        return none
    place = np.searchsorted(classes, state.classes)
    return place[answer[0]], answer[1]


def _squared(predictions: Array, truth: Array, path: str) -> BiasVariance:
    main = predictions.mean(axis=0)
    variance = float(((predictions - main) ** 2).mean())
    bias, loss = float(((main - truth) ** 2).mean()), float(((predictions - truth) ** 2).mean())
    return BiasVariance(
        "squared", loss, bias, variance, variance, 0.0, nan, nan, main, predictions, truth, path
    )


def _of_labels(
    kind: str, predictions: Array, truth: Array, classes: Any, path: str
) -> BiasVariance:
    R, m = predictions.shape
    K = len(classes)
    # A label that is none of the classes has the code -1, and a column of its own before them.
    place = predictions + (1 + (K + 1) * np.arange(m))
    shares = np.bincount(place.ravel(), minlength=m * (K + 1)).reshape(m, K + 1)[:, 1:] / R
    modes = shares.argmax(axis=1)
    loss = float((predictions != truth).mean())
    right = shares[np.arange(m), truth]
    if kind == "kohavi_wolpert":
        correction = (shares * (1.0 - shares)).sum(axis=1) / (R - 1) / 2.0
        squares = (shares**2).sum(axis=1)
        bias = 0.5 * (1.0 - 2.0 * right + squares) - correction
        variance = 0.5 * (1.0 - squares) + correction
        return BiasVariance(
            kind, loss, float(bias.mean()), float(variance.mean()), float(variance.mean()), 0.0,
            nan, nan, classes[modes], predictions, truth, path,
        )  # fmt: skip
    wrong = modes != truth
    spread = 1.0 - shares[np.arange(m), modes]
    mended = np.where(wrong, right, 0.0)
    unbiased = float(np.where(wrong, 0.0, spread).mean())
    return BiasVariance(
        kind, loss, float(wrong.mean()), float(spread.mean()), unbiased - float(mended.mean()), 0.0,
        unbiased, float(np.where(wrong, spread, 0.0).mean()), classes[modes], predictions, truth,
        path,
    )  # fmt: skip
