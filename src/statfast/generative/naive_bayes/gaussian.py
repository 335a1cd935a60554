# SPDX-License-Identifier: BSD-3-Clause
"""Gaussian naive Bayes: normal columns, independent within each class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from statfast._core.generative.normal_scores import scores, softmax
from statfast._estimator import (
    MomentsByClass,
    array,
    fitted,
    jobs,
    moments_by_class,
    nothing,
    one_of,
    param,
    real,
)
from statfast._typing import Array, ArrayLike, Jobs, Matrix
from statfast._validation import is_sparse
from statfast.generative.naive_bayes.density import Density, FittedDensity, cut_pieces
from statfast.generative.naive_bayes.linear import require_no_infinity
from statfast.generative.naive_bayes.model import NaiveBayesModel
from statfast.generative.normal.column_terms import AccuracySweeps, Terms, accuracy_sweeps

MIN_SQUARES_LEFT = 1e-8  # Where a smaller share of a sum of squares is left, it is summed anew.
MIN_WEIGHT_LEFT = 1e-12  # A smaller share of the weight of a class is rounding.
# What is added to variances may change by this share of the least one, whose square is rounding.
MAX_CHANGE_BY_SLOPE = 1e-8
MAX_VALUES_OF_ODD_ROWS = 1 << 18  # Values that are looked at row by row, at a time.

LOG_TURN = np.log(2.0 * np.pi)


class NormalDensity(Density):
    """Normal columns; `smoothing` times the largest variance is added to all variances."""

    def __init__(self, smoothing: float, missing: bool) -> None:
        self.smoothing, self.missing = smoothing, missing

    def check(self, rows: Matrix) -> None:
        if self.missing:
            require_no_infinity(rows)

    def statistics(
        self, rows: Array, codes: Array, weights: Array | None, n_classes: int
    ) -> MomentsByClass:
        return moments_by_class(rows, codes, weights, n_classes, self.missing)

    def solve(self, statistics: MomentsByClass, class_counts: Array) -> FittedNormal:
        total = statistics.of_all_classes()
        if not (np.isfinite(total.squares).all() and np.isfinite(statistics.means).all()):
            raise OverflowError
        seen = np.divide(
            total.squares,
            total.class_counts,
            out=np.zeros_like(total.class_counts),
            where=total.class_counts > 0.0,
        )
        epsilon = self.smoothing * float(seen.max(initial=0.0))
        variance = variances(statistics, epsilon, class_counts, self.partial)
        if np.isinf(variance).any():
            raise ValueError(
                f"var_smoothing={self.smoothing:g} times the largest variance of X overflows. "
                "Lower it."
            )
        return FittedNormal(statistics, variance, epsilon)

    def leave_one_out(
        self, rows: Any, codes: Array, weights: Array | None, statistics: Any, class_counts: Array
    ) -> Any:
        if is_sparse(rows) or (rows.dtype.kind == "f" and np.isnan(rows).any()):
            return None
        return densities_left_out(self, rows, codes, weights, statistics)


def variances(moments: MomentsByClass, epsilon: float, class_counts: Array, partial: bool) -> Array:
    """Maximum-likelihood variances plus epsilon: 0 is refused or, as more rows may come, NaN."""
    known = moments.class_counts > 0.0
    spreads = np.divide(
        moments.squares, moments.class_counts, out=np.zeros_like(moments.class_counts), where=known
    )
    spreads = spreads + epsilon
    flat = ~(spreads > 0.0) & (class_counts > 0.0)[:, None]
    if partial:
        return np.where(flat.any(axis=0), np.nan, np.where(spreads > 0.0, spreads, 1.0))
    if flat.any():
        column = int(flat.any(axis=0).argmax())
        if epsilon == 0.0 and not (moments.of_all_classes().squares > 0.0).any():
            raise ValueError(
                "X has columns that are all constant, or of squares that underflow to 0, so that "
                f"nothing separates classes (n_samples = {class_counts.sum():g}). Pass rows that "
                "differ, or scale them up."
            )
        raise ValueError(
            f"X has a column, {column}, that is constant within a class, whose variance is then 0. "
            "Raise var_smoothing, or drop the column."
        )
    return np.where(spreads > 0.0, spreads, 1.0)


class FittedNormal(FittedDensity):
    """Means and variances of normal columns."""

    def __init__(self, moments: MomentsByClass, variance: Array, epsilon: float) -> None:
        self.means, self.variance, self.epsilon = moments.means, variance, epsilon
        with np.errstate(over="ignore"):
            half = 0.5 / variance
        silent = np.isnan(variance)  # Columns that have not varied so far contribute nothing.
        self.known = (moments.class_counts > 0.0) & ~silent
        self.half = np.where(silent, 0.0, np.minimum(half, 1e300))
        self.peaks = np.where(silent, 0.0, -0.5 * (LOG_TURN + np.log(variance)))

    def attributes(self) -> dict[str, Any]:
        return {"theta_": self.means, "var_": self.variance, "epsilon_": self.epsilon}

    def scores(self, rows: Array, begin: Array) -> Array:
        out = np.empty((rows.shape[0], len(begin)))
        finite = scores(rows, self.means, self.half, self.peaks.sum(axis=1) + begin, out)
        if not finite and rows.dtype.kind == "f" and np.isnan(rows).any():
            return begin + self.terms(rows).sum(axis=2)
        return out

    def posteriors(self, rows: Array, begin: Array, out: Array) -> int:
        return softmax(rows, self.means, self.half, self.peaks.sum(axis=1) + begin, out)

    def terms(self, rows: Array) -> Array:
        with np.errstate(over="ignore"):
            distances = rows[:, None, :] - self.means
            terms = self.peaks - self.half * distances * distances
        return np.where(np.isnan(rows)[:, None, :] | ~self.known, 0.0, terms)

    def draw(self, codes: Array, rng: Any) -> Any:
        spread = np.nan_to_num(np.sqrt(self.variance))[codes]
        return self.means[codes] + spread * rng.standard_normal((len(codes), spread.shape[1]))


def densities_left_out(
    density: Any, rows: Any, codes: Array, weights: Array | None, moments: Any
) -> Any:
    """Log densities of rows, each under the moments of all others.

    Without a row x of weight w, a class of weight n has squares less w n / (n - w) (x - m)^2; to
    those of other classes comes what the row changes of the largest variance, by which all are
    smoothed: so little that the slope of the logarithm gives it. Rows of which more hangs are
    looked at one by one.
    """
    row_weights = np.ones(len(codes)) if weights is None else weights
    try:
        fitted = density.solve(moments, moments.class_counts[:, 0])
    except (ValueError, OverflowError):
        return None  # A refit would raise this error.
    out, odd = np.empty((len(codes), len(moments.means))), np.empty(len(codes), bool)
    for where in cut_pieces(rows, 4 * rows.shape[1]):
        x, code, w = rows[where].astype(np.float64), codes[where], row_weights[where]
        added, odd[where] = _smoothing_left_out(density, fitted, x, w, moments)
        out[where] = fitted.scores(x, np.zeros(len(moments.means)))
        if density.smoothing:
            slopes = np.empty((len(x), len(moments.means)))
            squared, begin = 2.0 * fitted.half**2, fitted.half.sum(axis=1)
            scores(x, moments.means, squared, begin, slopes)
            out[where] -= (added - fitted.epsilon)[:, None] * slopes
        for k in range(len(moments.means)):
            members = np.flatnonzero(code == k)
            if len(members):
                of_class = _densities_in_class(x[members], w[members], added[members], moments, k)
                places = members + where.start
                out[places, k] = of_class[0]
                odd[places] |= of_class[1]
    places = np.flatnonzero(odd | ~np.isfinite(out).all(axis=1))
    if len(places):
        again = _densities_of_rows(density, rows, codes, row_weights, moments, places)
        if again is None:
            return None
        out[places] = again
    return out


def _smoothing_left_out(
    density: Any, fitted: FittedNormal, x: Array, w: Array, moments: Any
) -> tuple[Array, Array]:
    """What is added to variances without each row, and of which rows this changes much."""
    if not density.smoothing:
        return np.zeros(len(x)), np.zeros(len(x), bool)
    total = moments.of_all_classes()
    weight = total.class_counts[0, 0]
    rest = weight - w
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = (x - total.means[0]) ** 2
        spread *= -(w * weight / rest)[:, None]
        spread += total.squares[0]
        added = density.smoothing * spread.max(axis=1) / rest
    change = np.abs(added - fitted.epsilon)
    return added, ~(change <= MAX_CHANGE_BY_SLOPE * fitted.variance.min())


def _densities_in_class(
    x: Array, w: Array, added: Array, moments: Any, k: int
) -> tuple[Array, Array]:
    """Log densities of rows in their own class without them, and which rows are to be summed
    anew."""
    weight, squares = moments.class_counts[k, 0], moments.squares[k]
    rest = weight - w
    with np.errstate(divide="ignore", invalid="ignore"):
        distances = (x - moments.means[k]) ** 2
        variance = distances * -(w * weight / rest)[:, None]
        variance += squares
        odd = ~((variance > MIN_SQUARES_LEFT * squares) | (squares == 0.0)).all(axis=1)
        odd |= ~(rest > MIN_WEIGHT_LEFT * weight)
        variance /= rest[:, None]
        variance += added[:, None]
        odd |= ~(variance > 0.0).all(axis=1)
        distances /= variance
        far = distances.sum(axis=1) * (weight / rest) ** 2
        np.log(variance, out=variance)
        return -0.5 * (x.shape[1] * LOG_TURN + variance.sum(axis=1) + far), odd


def _densities_of_rows(
    density: Any, rows: Any, codes: Array, row_weights: Array, moments: Any, places: Array
) -> Array | None:
    """The same of some rows; where hardly anything is left of the squares, they are summed anew."""
    n = len(codes)
    total = moments.of_all_classes()
    out = np.empty((len(places), len(moments.means)))
    step = max(1, MAX_VALUES_OF_ODD_ROWS // rows.shape[1])
    for start in range(0, len(places), step):
        some = places[start : start + step]
        x, code, w = rows[some].astype(np.float64), codes[some], row_weights[some][:, None]
        every = np.zeros(len(x), np.intp)
        spread = _without(x, every, w, total, rows, np.zeros(n, np.intp), row_weights, some)
        epsilon = density.smoothing * np.divide(
            spread.squares,
            spread.class_counts,
            out=np.zeros_like(spread.class_counts),
            where=spread.class_counts > 0.0,
        ).max(axis=1, initial=0.0, keepdims=True)
        rest = _without(x, code, w, moments, rows, codes, row_weights, some)
        for k in range(out.shape[1]):
            is_own_class = (code == k)[:, None]
            class_counts = np.where(is_own_class, rest.class_counts, moments.class_counts[k])
            means = np.where(is_own_class, rest.means, moments.means[k])
            squares = np.where(is_own_class, rest.squares, moments.squares[k])
            variance = (
                np.divide(
                    squares, class_counts, out=np.ones_like(class_counts), where=class_counts > 0.0
                )
                + epsilon
            )
            bad = ~(variance > 0.0)
            if (bad & (class_counts > 0.0)).any():
                return None  # A refit would raise this error.
            variance[bad] = 1.0
            terms = -0.5 * (LOG_TURN + np.log(variance)) - 0.5 * (x - means) ** 2 / variance
            out[start : start + step, k] = terms.sum(axis=1)
    return out


def _without(
    x: Any,
    code: Any,
    w: Array,
    moments: Any,
    rows: Any,
    codes: Array,
    row_weights: Any,
    places: Array,
) -> Any:
    """Moments (m, d) of the class of each row at some places, less that row."""
    class_counts, means, squares = (
        moments.class_counts[code],
        moments.means[code],
        moments.squares[code],
    )
    remaining_weight = class_counts - w
    remaining_weight[remaining_weight <= MIN_WEIGHT_LEFT * class_counts] = 0.0
    present = remaining_weight > 0.0
    ratio = np.divide(w, remaining_weight, out=np.zeros_like(remaining_weight), where=present)
    distances = x - means
    less = squares - ratio * class_counts * distances**2
    remaining = MomentsByClass(
        remaining_weight, means - ratio * distances, np.where(present, less, 0.0)
    )
    for i in np.flatnonzero(
        (present & ~(less > MIN_SQUARES_LEFT * squares) & (squares > 0.0)).any(axis=1)
    ):
        class_mates = codes == code[i]
        class_mates[places[i]] = False
        again = moments_by_class(
            np.ascontiguousarray(rows[class_mates]),
            np.zeros(class_mates.sum(), np.intp),
            row_weights[class_mates],
            1,
        )
        remaining.means[i], remaining.squares[i] = again.means[0], again.squares[0]
    return remaining


@dataclass(frozen=True)
class IndependentTerms:
    """Terms of independent normal columns; see `column_terms`.

    The largest variance of the columns of a set, by which variances are smoothed, is that of the
    set before a step, or the step is left to a fit.
    """

    means: Array  # (K, d), less a center
    variances: Array  # (K, d), without what is added to all
    column_variances: Array  # (d,) of all classes
    smoothing: float
    log_priors: Array  # (K,)

    def with_each(self, selected: Array, rest: Array) -> Terms:
        largest = self.column_variances[selected].max(initial=0.0)
        of_rest = self.column_variances[rest]
        certain = of_rest * bool(self.smoothing) <= largest if len(selected) else of_rest >= 0.0
        added = self.smoothing * np.where(len(selected), largest, of_rest)
        return self._terms(selected, rest, added, self.smoothing * largest, certain, 1.0)

    def without_each(self, selected: Array) -> Terms:
        of_selected = self.column_variances[selected]
        is_largest = of_selected == of_selected.max()
        certain = ~is_largest | (is_largest.sum() > 1) | (self.smoothing == 0.0)
        added = self.smoothing * of_selected.max()
        return self._terms(selected, selected, added, added, certain, -1.0)

    def _terms(
        self, selected: Array, columns: Array, added: Any, added_to_selected: float, certain: Array,
        sign: float,
    ) -> Terms:  # fmt: skip
        variances = self.variances[:, columns] + added
        of_selected = self.variances[:, selected] + added_to_selected
        means, certain = self.means[:, selected], certain & (variances > 0.0).all(axis=0)
        if not (of_selected > 0.0).all():
            certain = np.zeros(len(columns), dtype=bool)

        def scores(rows: Array) -> Array:
            out = np.empty((len(rows), len(means)))
            for c, (mean, variance) in enumerate(zip(means, of_selected, strict=True)):
                far = ((rows[:, selected] - mean) ** 2) @ (0.5 / variance)
                out[:, c] = self.log_priors[c] - 0.5 * np.log(variance).sum() - far
            return out

        precisions = 1.0 / np.where(variances > 0.0, variances, 1.0)
        return Terms(
            scores,
            [lambda rows: rows[:, columns]],
            self.means[:, columns],
            precisions,
            sign,
            certain,
        )  # fmt: skip


class GaussianNB(NaiveBayesModel):
    """Gaussian naive Bayes: normal features, independent within each class.

    Parameters
    ----------
    priors : array-like of shape (K,) or "laplace", optional
        Class probabilities, in the order of `classes_`. None takes the proportions of the classes
        in the training samples, "laplace" those of one more sample of each class.
    var_smoothing : float, default=1e-9
        Fraction of the largest variance of a column, over all rows, that is added to all variances.
    missing : {"error", "ignore"}, default="error"
        What becomes of NaN: it is refused, or counts for nothing: at fit the column has that row
        less, in prediction the row that column.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits
        for any number.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        The labels, ascending.
    class_count_ : ndarray of shape (K,)
        Samples of each class, or the sum of their weights.
    class_prior_ : ndarray of shape (K,)
        Class probabilities.
    theta_ : ndarray of shape (K, d)
        Means.
    var_ : ndarray of shape (K, d)
        Variances, with divisor n (R's ``e1071::naiveBayes`` has n - 1), plus `epsilon_`; NaN for a
        column that has not varied in the rows of `partial_fit` so far.
    epsilon_ : float
        What was added to the variances.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    MixedNB : Columns of several kinds.
    LinearDiscriminantAnalysis : Normal classes whose columns may be correlated.

    Notes
    -----
    scikit-learn's estimator, with its defaults. One pass takes the moments of the classes, each
    block of rows about its own rows, and blocks are merged by differences of means, so that columns
    far from the origin lose no digits. `epsilon_` is of the weighted variances of all rows; in
    scikit-learn it is of the unweighted ones, and in `partial_fit` of the last rows alone.

    A class may have one row: its variances are then `epsilon_`. A class that `partial_fit` has not
    met yet has probability 0; a column that has not varied in its rows yet says nothing, and has
    the variance NaN. Where a variance is 0, because all rows are alike or `var_smoothing`
    is 0, the fit is refused. **Ties** between classes go to the lowest label.

    Sparse rows are read in pieces that are made dense, so that time grows with n d.

    Cost: fit 4 n d operations; prediction of m rows 3 m d K. Memory: O(K d) a thread.

    References
    ----------
    .. [1] Chan, T. F., Golub, G. H. and LeVeque, R. J. (1983). Algorithms for computing the sample
       variance. The American Statistician 37, 242-247. https://doi.org/10.2307/2683386
    .. [2] Hand, D. J. and Yu, K. (2001). Idiot's Bayes: not so stupid after all? International
       Statistical Review 69, 385-398. https://doi.org/10.2307/1403452

    Examples
    --------
    >>> from statfast import GaussianNB
    >>> from statfast.datasets import load_iris
    >>> iris = load_iris()
    >>> model = GaussianNB().fit(iris.data, iris.target)
    >>> int((model.predict(iris.data) == iris.target).sum())
    144
    >>> model.theta_.round(3)
    array([[5.006, 3.428, 1.462, 0.246],
           [5.936, 2.77 , 4.26 , 1.326],
           [6.588, 2.974, 5.552, 2.026]])
    """

    priors: ArrayLike | None = param(nothing | one_of("laplace") | array, default=None)
    var_smoothing: float = param(real(0), default=1e-9)
    missing: Literal["error", "ignore"] = param(one_of("error", "ignore"), default="error")
    n_jobs: Jobs = param(jobs, default=None)

    classes_: Array = fitted()
    class_count_: Array = fitted()
    class_prior_: Array = fitted()
    theta_: Array = fitted()
    var_: Array = fitted()
    epsilon_: float = fitted()

    _nan_shows_in_sums = True
    _statistics_can_be_cut = True
    _samples_as_weights = True  # The bootstrap weights samples, which is quicker than refits.
    _solve_parameters = ("priors", "var_smoothing")

    def _density(self, d: int) -> NormalDensity:
        params = self._checked()
        return NormalDensity(params.var_smoothing, params.missing == "ignore")

    def _accuracy_sweeps(
        self, fitted: list[Any], columns: tuple[Any, ...], tests: list[Array], state: Any
    ) -> AccuracySweeps | None:
        if self._takes_missing() or is_sparse(columns[0]):
            return None
        centers, terms = [], []
        for sums in fitted:
            class_counts, moments = sums.class_counts, sums.columns
            if not (class_counts > 0.0).all():
                return None
            total = moments.of_all_classes()
            centers.append(total.means[0])
            log_priors = self._joint_priors(self._log_priors(class_counts, state.classes))
            terms.append(
                IndependentTerms(
                    moments.means - centers[-1], moments.squares / class_counts[:, None],
                    (total.squares / total.class_counts)[0], self.var_smoothing, log_priors,
                )
            )  # fmt: skip
        return accuracy_sweeps(columns, tests, centers, terms, self.n_jobs)
