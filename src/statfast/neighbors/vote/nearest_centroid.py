# SPDX-License-Identifier: BSD-3-Clause
"""Classification by the nearest centroid of a class, which may be shrunken to that of all rows."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np

from statfast._engine import Chunks
from statfast._estimator import (
    ROW_DTYPES,
    Classifier,
    FitState,
    MomentsByClass,
    SumFit,
    array,
    available,
    fitted,
    jobs,
    moments_by_class,
    nothing,
    one_of,
    param,
    real,
    require_several,
    summed,
    weighted_labels,
)
from statfast._typing import Array, ArrayLike, Jobs, Matrix, Rows, Weights
from statfast._validation import (
    as_csr,
    as_rows,
    column_names,
    is_sparse,
    require_finite,
    rows_for,
    shown,
    warn_user,
    wrong_type,
)
from statfast.neighbors.search.nearest import NearestNeighbors

COLUMNS_AT_A_TIME = 64  # columns of sparse rows that are made dense for their medians
# Smaller blocks of rows take less time than to hand them over from thread to thread.
MIN_NUMBERS_OF_BLOCK = 1 << 16
SLACK_OF_HALF = 1e-14  # relative: sums of weights are rounded


def _require_euclidean(model: Any) -> None:
    if not isinstance(model.metric, str) or model.metric != "euclidean":
        raise AttributeError(
            "A NearestCentroid has probabilities and decision values only with metric="
            f"'euclidean'; got metric={shown(model.metric)}. Use predict."
        )


def centroid_moments(columns: tuple[Any, ...], state: FitState) -> MomentsByClass:
    """The moments of the classes in a block of rows, codes and weights."""
    assert state.classes is not None
    rows, codes, weights = columns
    return moments_by_class(rows, codes, weights, len(state.classes))


class NearestCentroid(Classifier, SumFit):
    """Classification by the nearest centroid, with shrinkage of the centroids.

    Parameters
    ----------
    metric : {"euclidean", "manhattan"}, default="euclidean"
        The distance. A centroid is the mean of a class, or for "manhattan" the median of each
        column.
    shrink_threshold : float, optional
        By how much the deviation of a class from the centroid of all rows is shrunken to 0, in
        each column, in units of its standard error; above 0. A column whose deviations are all 0
        no longer matters: nearest shrunken centroids [1]_. None shrinks nothing.
    priors : {"uniform", "empirical"} or array-like of shape (K,), default="uniform"
        Class probabilities, in the order of `classes_`; "empirical" are the proportions of the
        classes in the training samples. If all are equal, `predict` takes the nearest centroid;
        else distances are taken in units of `within_class_std_dev_`, and the logarithms of the
        probabilities count, too.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        The labels, ascending.
    centroids_ : ndarray of shape (K, d)
        The centroids, shrunken.
    class_prior_ : ndarray of shape (K,)
        Class probabilities.
    deviations_ : ndarray of shape (K, d)
        Of each class from the mean of all rows, in units of its standard error, shrunken: t
        statistics, whose denominator has the median of `within_class_std_dev_` added. 0 marks
        columns that do not matter for a class; infinite where no column varies within classes.
    within_class_std_dev_ : ndarray of shape (d,)
        Standard deviations within classes, pooled, with divisor n - K; NaN where there are no more
        samples than classes, which leaves the nearest centroid.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    LinearDiscriminantAnalysis : Centroids by Mahalanobis distance.
    GaussianNB : Each class has its own variances.

    Notes
    -----
    Means and variances of classes are sums over rows, which merge: rows may come in `Chunks` and
    parts, and cross-validation takes one pass. Medians are not: they take rows in memory.

    As in scikit-learn, `predict` with equal priors takes distances in the units of the columns,
    and `predict_proba` and `decision_function` in units of the standard deviations, so that they
    may disagree with it where the columns differ in scale. **Ties** go to the lowest label.

    Cost: fit O(n d), or O(n d log n) for medians; prediction of m rows O(m d K). Memory: O(K d).

    References
    ----------
    .. [1] R. Tibshirani, T. Hastie, B. Narasimhan, G. Chu (2002). Diagnosis of multiple cancer
       types by shrunken centroids of gene expression. PNAS 99(10), 6567-6572.
       doi:10.1073/pnas.082099299

    Examples
    --------
    >>> from statfast.datasets import load_wine
    >>> from statfast.neighbors import NearestCentroid
    >>> wine = load_wine()
    >>> X = (wine.data - wine.data.mean(axis=0)) / wine.data.std(axis=0)
    >>> round(NearestCentroid().fit(X, wine.target).score(X, wine.target), 3)
    0.978
    >>> model = NearestCentroid(shrink_threshold=6.0).fit(X, wine.target)
    >>> int((model.deviations_ != 0).any(axis=0).sum())  # columns that still matter
    6
    >>> round(model.score(X, wine.target), 3)
    0.933
    """

    metric: Literal["euclidean", "manhattan"] = param(
        one_of("euclidean", "manhattan"), default="euclidean", kw_only=False
    )
    shrink_threshold: float | None = param(nothing | real(0, open_low=True), default=None)
    priors: Literal["uniform", "empirical"] | ArrayLike = param(
        one_of("uniform", "empirical") | array, default="uniform"
    )
    n_jobs: Jobs = param(jobs, default=None)

    classes_: Array = fitted()
    centroids_: Array = fitted()
    class_prior_: Array = fitted()
    deviations_: Array = fitted()
    within_class_std_dev_: Array = fitted()

    _statistics = staticmethod(centroid_moments)
    _solve_parameters = ("shrink_threshold", "priors")

    def fit(self, X: Rows, y: ArrayLike, sample_weight: Weights = None) -> Self:
        """Compute the centroids of the classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d), or Chunks
            The samples, finite.
        y : array-like of shape (n,)
            A label for each row, of two classes or more.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; an integer weight equals a repeated sample, and a class all of
            whose weights are 0 is left out.

        Returns
        -------
        self : NearestCentroid

        Raises
        ------
        ValueError
            If X is not a finite 2-d array, if its columns are all constant or their squares
            overflow, if y is not one label for each row, if there is one class, if there are no
            more rows, by weight, than classes and centroids are to be shrunken or `priors` differ,
            or if a parameter is out of its range.
        TypeError
            If a parameter is of the wrong type, or X is `Chunks` and the metric "manhattan".

        Warns
        -----
        UserWarning
            If a column is constant within each class, or if `priors` do not sum to 1.
        """
        return self._fit_sum(X, y, sample_weight)

    # ------------------------------------------------------------ the protocol of sums

    def _adds_up(self, columns: tuple[Any, ...] | None = None) -> bool:
        return self.metric == "euclidean"

    def _prepare(self, X: Any, y: Any, sample_weight: Any) -> tuple[tuple[Any, ...], FitState]:
        params = self._checked()
        rows, n, width = X, None, 0  # of chunks they are known after the pass
        if isinstance(X, Chunks):
            if params.metric != "euclidean":
                raise wrong_type("X", "rows in memory, which metric='manhattan' asks for", X)
        else:
            rows = as_csr(X) if is_sparse(X) else as_rows(X, keep=ROW_DTYPES)
            n, width = rows.shape
        classes, codes, weights = weighted_labels(y, n, sample_weight, least=2)
        return (rows, codes, weights), FitState(width, column_names(X), classes)

    def _check_block(self, rows: Any, state: Any) -> None:
        require_finite(rows)

    def _total(self, columns: tuple[Any, ...], state: Any) -> Any:
        least = max(256, MIN_NUMBERS_OF_BLOCK // max(1, state.n_features))
        return summed(self._statistics, columns, state, least=least)

    def _fit_local(self, columns: tuple[Any, ...], state: Any) -> Self | None:
        """By medians, which do not add up."""
        if self._adds_up():
            return None
        moments = self._total(columns, state)
        rows, codes, weights = columns
        medians = medians_by_class(rows, codes, weights, len(state.classes))
        return self._solved(moments, state, medians)

    def _solve(self, sums: Any, state: Any) -> Self:
        """Become fitted from merged statistics; classes without rows in them are left out."""
        return self._solved(sums, state, None)

    def _solved(self, moments: MomentsByClass, state: FitState, medians: Array | None) -> Self:
        assert state.classes is not None
        present = (moments.class_counts > 0.0).all(axis=1)
        classes, moments = state.classes[present], moments.of_classes(present)
        require_several(classes, 2)
        counts, centroids = moments.class_counts[:, 0], moments.means
        squares = moments.squares
        if medians is not None:
            centroids = medians
            squares = squares + counts[:, None] * (moments.means - medians) ** 2
        total = moments.of_all_classes()
        _require_spread(total)
        threshold = self._checked_value("shrink_threshold")
        priors = as_priors(self._checked_value("priors"), counts)
        degrees = counts.sum() - len(classes)
        if degrees <= 0.0 and (threshold is not None or not _all_equal(priors)):
            raise _no_deviations(len(classes))
        within = np.full(squares.shape[1], np.nan)
        if degrees > 0.0:
            within = np.sqrt(squares.sum(axis=0) / degrees)
        if not within.all():
            warn_user(
                f"Column {int((within == 0).argmax())} of X is constant within each class, and its "
                "standard deviation there is 0. Drop it, or pass more rows."
            )
        errors = np.sqrt(1.0 / counts - 1.0 / counts.sum())[:, None] * (within + np.median(within))
        differences = centroids - total.means
        if threshold is not None:
            with np.errstate(over="ignore"):  # all that is beyond is shrunken to nothing
                kept = np.maximum(np.abs(differences) - threshold * errors, 0.0)
            differences = np.copysign(kept, differences) * (kept > 0.0)
            centroids = total.means + differences
        with np.errstate(divide="ignore", invalid="ignore"):
            deviations = np.where(differences == 0.0, 0.0, differences / errors)
        return self._publish(
            None, n_features_in_=centroids.shape[1], classes_=classes, centroids_=centroids,
            class_prior_=priors, deviations_=deviations,
            within_class_std_dev_=within,
            **({} if state.names is None else {"feature_names_in_": state.names}),
        )  # fmt: skip

    # ------------------------------------------------------------ prediction

    def predict(self, X: Rows) -> Array:
        """Predict the class of the nearest centroid; with unequal `priors` the most probable class.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            Samples to predict.

        Returns
        -------
        labels : ndarray of shape (m,), dtype of `classes_`
            The lowest label on ties.

        Raises
        ------
        ValueError
            If X is not finite, or has other columns than the fitted samples.
        """
        rows = self._rows_later(X)
        if _all_equal(self.class_prior_):
            search = self._search(rows, self.centroids_)
            winners = search.kneighbors(rows, 1, return_distance=False)[:, 0]
        else:
            winners = self._scores(rows).argmax(axis=1)
        return self.classes_.take(winners)

    @available(_require_euclidean)
    def decision_function(self, X: Rows) -> Array:
        """Return discriminant scores; only with ``metric="euclidean"``.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            Samples.

        Returns
        -------
        scores : ndarray of shape (m, K), or (m,) for two classes, float64
            Twice the logarithm of the class probability, less the squared distance from the
            centroid in units of the standard deviations; of two classes the difference, positive
            for the second.

        Raises
        ------
        ValueError
            As for `predict`.
        """
        scores = self._scores(self._rows_later(X))
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    @available(_require_euclidean)
    def predict_log_proba(self, X: Rows) -> Array:
        """Return the logarithms of `predict_proba`; only with ``metric="euclidean"``.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            Samples.

        Returns
        -------
        log_probabilities : ndarray of shape (m, K), float64

        Raises
        ------
        ValueError
            As for `predict`.
        """
        scores = self._scores(self._rows_later(X))
        scores -= scores.max(axis=1, keepdims=True)
        return scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))

    @available(_require_euclidean)
    def predict_proba(self, X: Rows) -> Array:
        """Return class probabilities; only with ``metric="euclidean"``.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            Samples.

        Returns
        -------
        probabilities : ndarray of shape (m, K), float64
            Proportional to the exponentials of the discriminant scores, as in scikit-learn; those
            of normal columns would be to the exponentials of half of them.

        Raises
        ------
        ValueError
            As for `predict`.
        """
        return np.exp(self.predict_log_proba(X))

    def _rows_later(self, X: Any) -> Matrix:
        return rows_for(self, X, keep=ROW_DTYPES, sparse=True)

    def _search(self, rows: Matrix, centroids: Array) -> NearestNeighbors:
        """The search among centroids for rows of this kind."""
        if is_sparse(rows):
            from scipy.sparse import csr_array

            centroids = csr_array(centroids)
        search = NearestNeighbors(metric=self.metric, algorithm="brute", n_jobs=self.n_jobs)
        return search.fit(centroids)

    def _scores(self, rows: Matrix) -> Array:
        """Discriminant scores (m, K)."""
        if np.isnan(self.within_class_std_dev_).any():
            raise _no_deviations(len(self.classes_))
        scale = np.where(self.within_class_std_dev_ > 0.0, self.within_class_std_dev_, 1.0)
        if is_sparse(rows):
            rows = rows.astype(np.float64, copy=True)
            rows.data /= scale[rows.indices]
        else:
            rows = rows / scale
        K = len(self.classes_)
        distances, ids = self._search(rows, self.centroids_ / scale).kneighbors(rows, K)
        scores = np.empty(distances.shape)
        with np.errstate(over="ignore", divide="ignore"):
            np.put_along_axis(scores, ids, -(distances**2), axis=1)
            return scores + 2.0 * np.log(self.class_prior_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def medians_by_class(rows: Matrix, codes: Array, weights: Array | None, n_classes: int) -> Array:
    """The median of each column in each class, (K, d)."""
    medians = np.empty((n_classes, rows.shape[1]))
    for k in range(n_classes):
        members = np.flatnonzero(codes == k)
        row_weights = None if weights is None else weights[members]
        if not is_sparse(rows):
            medians[k] = column_medians(rows[members], row_weights)
            continue
        columns = rows[members].tocsc()
        for start in range(0, rows.shape[1], COLUMNS_AT_A_TIME):
            part = slice(start, start + COLUMNS_AT_A_TIME)
            medians[k, part] = column_medians(columns[:, part].toarray(), row_weights)
    return medians


def column_medians(values: Array, weights: Array | None) -> Array:
    """The median of each column; where half of the weight is below a gap, its middle."""
    if weights is None:
        weights = np.ones(len(values))
    order = np.argsort(values, axis=0, kind="stable")
    ascending = np.take_along_axis(values, order, axis=0).astype(np.float64)
    sums = np.cumsum(weights[order], axis=0)
    half = 0.5 * sums[-1]
    first = (sums >= half * (1.0 - SLACK_OF_HALF)).argmax(axis=0)
    last = (sums > half * (1.0 + SLACK_OF_HALF)).argmax(axis=0)
    places = np.arange(values.shape[1])
    return 0.5 * ascending[first, places] + 0.5 * ascending[last, places]


def _require_spread(total: MomentsByClass) -> None:
    """Refuse rows without variation."""
    n = float(total.class_counts[0, 0])
    if not (np.isfinite(total.squares).all() and np.isfinite(total.means).all()):
        raise ValueError(
            "X contains NaN or infinity, or values so large that their squares overflow. Drop such "
            "rows, or divide its columns by their size."
        )
    if not total.squares.any():
        raise ValueError(
            "X has columns that are all constant, or of squares that underflow to 0: all features "
            f"have zero variance (n_samples = {n:g}). Pass rows that differ, or scale them up."
        )


def _no_deviations(n_classes: int) -> ValueError:
    return ValueError(
        "X must have more rows, or a larger sum of sample_weight, than there are classes "
        f"({n_classes}) to estimate standard deviations, which shrink_threshold, priors that "
        "differ, probabilities and decision values ask for. Pass more rows, or scale the weights "
        "so that they sum to the number of rows."
    )


def _all_equal(priors: Array) -> bool:
    return bool(np.isclose(priors, 1.0 / len(priors)).all())


def as_priors(priors: Any, counts: Array) -> Array:
    """Class probabilities that sum to 1."""
    if isinstance(priors, str):
        K = len(counts)
        return np.full(K, 1.0 / K) if priors == "uniform" else counts / counts.sum()
    try:
        values = np.asarray(priors, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise wrong_type("priors", "'uniform', 'empirical' or numbers", priors) from error
    if values.shape != counts.shape:
        raise ValueError(
            f"priors must hold one probability for each of the {len(counts)} classes; got shape "
            f"{values.shape}. Order them as classes_, the sorted labels."
        )
    if not ((values >= 0.0) & np.isfinite(values)).all() or not values.any():
        raise ValueError(
            f"priors must be non-negative, finite and not all 0; got {shown(values.tolist())}. "
            "Raise those below 0."
        )
    if abs(values.sum() - 1.0) > 1e-5:
        warn_user(f"The priors do not sum to 1 but to {values.sum():g}: they were rescaled.")
    return values / values.sum()
