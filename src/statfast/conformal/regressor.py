# SPDX-License-Identifier: BSD-3-Clause
"""Prediction intervals of any regressor, which hold a new target as often as their level says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Self, cast

import numpy as np

from statfast._engine import checkpoint
from statfast._estimator import (
    Estimator,
    FullFits,
    LeftOutFits,
    Regressor,
    by_fit,
    conformal_ends,
    count_rows,
    fitted,
    handed,
    handed_for,
    jobs,
    one_of,
    param,
    randomness,
    take_rows,
    width_of,
    with_tags_of,
)
from statfast._typing import Array, ArrayLike, Jobs, Rows, Seed, Weights
from statfast._validation import (
    as_choice,
    as_generator,
    as_targets,
    as_weights,
    column_names,
    shown,
    warn_column_vector,
    warn_user,
)
from statfast.conformal.held_out_rows import (
    LEVEL,
    FoldModel,
    Question,
    RowsOfFit,
    as_member,
    as_question,
    is_prefit,
    parts_of_question,
    rows_of_fit,
    split_member,
    split_rows,
    warn_unbounded,
    warn_unweighted,
    whole_fit,
    with_weight,
)
from statfast.conformal.regression_fits import (
    QuantileFits,
    as_predictions,
    fits_of_bootstrap,
    fits_of_folds,
    fits_without_rows,
    quantile_fits,
)
from statfast.linear import LinearRegression
from statfast.model_selection.evaluation.fold_strategies import overrides_fit_or_answers

METHODS = ("split", "cv+", "jackknife+", "jackknife+ab", "cqr", "full")
POINTS_PER_BLOCK = 1 << 12  # Points whose predictions by each fit are held at a time.


@dataclass(frozen=True)
class HeldRows:
    """What is kept of the held-out rows, (n,): errors, weights and categories."""

    errors: Array
    weights: Array | None
    categories: Array | None


class ConformalRegressor(Regressor, Estimator):
    """Conformal prediction intervals around any regressor.

    An interval of level 0.9 holds the target of a new row with probability 0.9 or nearly so,
    whatever the distribution and however bad the regressor, if rows are exchangeable.

    Parameters
    ----------
    estimator : regressor, optional
        Anything with ``fit`` and ``predict``, of one target. None takes `LinearRegression`.
    method : {"split", "cv+", "jackknife+", "jackknife+ab", "cqr", "full"}, default="split"
        How rows are held out: "split" fits some rows and measures errors on the others [1]_; "cv+"
        and "jackknife+" hold out each fold, or each row [2]_; "jackknife+ab" takes the members of a
        forest or of bagging that have not seen a row [3]_; "cqr" splits, and widens the quantiles
        of a model of quantiles [4]_; "full" tries all targets of the new row, for least squares,
        ridge and nearest neighbors [5]_.
    cv : float, int, splitter, iterable or "prefit", optional
        For "split" and "cqr" the share of the rows that are held out, None for 0.25; for "cv+" the
        folds, None for 5. "prefit": the estimator is fitted already, for "split" to other rows than
        those of ``fit``, for "jackknife+ab" to the same.
    level : float, default=0.9
        Level of intervals, unless ``predict`` gets another; for "cqr" that of the quantiles.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number. The estimator has threads of its own.
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator of the rows that are held out; an integer makes the result reproducible.

    Attributes
    ----------
    estimator_ : regressor
        Fitted, to all rows but with "split": to those that are not held out. With "cqr" the model
        of the median, or the one of all quantiles.
    strategy_ : str
        How the fits without some rows were made: "closed form", "merged statistics", "shared
        structure", "refit", or the method itself.
    n_held_out_ : int
        Held-out rows.
    n_features_in_ : int
        Columns.
    feature_names_in_ : ndarray of str
        Names of columns, if X had some.

    See Also
    --------
    statfast.conformal.coverage_report : How often intervals hold the targets of other rows.
    LinearRegression, Ridge, KernelRidge, KNeighborsRegressor : Models with the intervals of
        "jackknife+" in their own ``predict``.

    Notes
    -----
    With n held-out rows and rows that are exchangeable, the probability that an interval holds a
    new target is at least `level` for "split", "cqr" and "full", and at most 1 / (n + 1) more where
    errors have no ties. For the others it is mostly about `level`, but 2 `level` - 1 is all that
    can be proved. These are probabilities over samples and new rows together: they do not hold for
    each x, nor for rows that differ from those of the fit, as later ones of a time series may. For
    groups pass `categories`, for shifted rows `sample_weight` [6]_.

    Where the level needs more held-out rows than there are, intervals are infinite and a warning
    says how many it takes: level / (1 - level). With "full" the interval is the hull of all targets
    that conform; where the leverage of a new row is so large that these have no bounded hull, its
    rows count as not bounding it.

    Cost: "split" and "cqr" that of the fits, and a rank for each call. "jackknife+" of
    `LinearRegression`, `Ridge`, `KernelRidge` and `KNeighborsRegressor` that of the fit and a step
    for each row, where others are fitted n times. Intervals of m points are ranks of n m values, of
    which some 8 MB are made at a time on each thread; by the closed forms those alone are made that
    are near the ends, which are few where no row moves the fit much.

    References
    ----------
    .. [1] J. Lei, M. G'Sell, A. Rinaldo, R. J. Tibshirani & L. Wasserman (2018),
       "Distribution-free predictive inference for regression". doi:10.1080/01621459.2017.1307116
    .. [2] R. Foygel Barber, E. J. Candes, A. Ramdas & R. J. Tibshirani (2021), "Predictive
       inference with the jackknife+". doi:10.1214/20-AOS1965
    .. [3] B. Kim, C. Xu & R. Foygel Barber (2020), "Predictive inference is free with the
       jackknife+-after-bootstrap". arXiv:2002.09025
    .. [4] Y. Romano, E. Patterson & E. J. Candes (2019), "Conformalized quantile regression".
       arXiv:1905.03222
    .. [5] I. Nouretdinov, T. Melluish & V. Vovk (2001), "Ridge regression confidence machine".
       ICML, 385-392.
    .. [6] R. J. Tibshirani, R. Foygel Barber, E. J. Candes & A. Ramdas (2019), "Conformal
       prediction under covariate shift". arXiv:1904.06019

    Examples
    --------
    >>> import numpy as np
    >>> from statfast import ConformalRegressor, LinearRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 2))
    >>> y = X[:, 0] + rng.normal(size=400)
    >>> model = ConformalRegressor(LinearRegression(), method="jackknife+").fit(X, y)
    >>> means, ends = model.predict([[1.0, 0.0]], interval="conformal", level=0.9)
    >>> ends.round(1), model.strategy_
    (array([[-0.6,  2.5]]), 'closed form')
    """

    estimator: Any = param(by_fit, default=None, kw_only=False)
    method: Literal["split", "cv+", "jackknife+", "jackknife+ab", "cqr", "full"] = param(
        one_of(*METHODS), default="split"
    )
    cv: Any = param(by_fit, default=None)
    level: float = param(LEVEL, default=0.9)
    n_jobs: Jobs = param(jobs, default=None)
    random_state: Seed = param(randomness, default=None)

    estimator_: Any = fitted()
    strategy_: str = fitted()
    n_held_out_: int = fitted()
    _fits: LeftOutFits | FullFits | QuantileFits | None = fitted()
    _held_rows: HeldRows = fitted()
    _seen: Array | None = fitted()  # columns asked for, of values between rows

    def fit(
        self,
        X: Rows,
        y: ArrayLike,
        sample_weight: Weights = None,
        *,
        categories: ArrayLike | None = None,
    ) -> Self:
        """Fit the regressor, and find the errors of held-out rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d), or what the estimator takes
            Samples.
        y : array-like of shape (n,)
            Targets.
        sample_weight : array-like of shape (n,), optional
            Weights of rows, of the estimator where its ``fit`` takes them, and of the errors. Under
            a shift of X they are the density of new rows over that of these.
        categories : array-like of shape (n,), optional
            The group of each row (Mondrian): levels then hold in each group, whose bounds come from
            its own rows.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If there are fewer than two rows, several targets, folds that do not hold out each row
            once, or `cv` does not go with the method.
        TypeError
            If the estimator has no ``fit`` or ``predict``, or the method is not for it.
        """
        params = self._checked()
        member = as_member(self.estimator, LinearRegression, "predict")
        handed_rows = handed(X)
        n = count_rows(handed_rows)
        targets, flat = as_targets(y, n)
        if targets.shape[1] != 1:
            raise ValueError(f"y must be one target; got {targets.shape[1]}. Fit them one by one.")
        if not flat:
            warn_column_vector()
        weights = as_weights(sample_weight, n)
        rows = rows_of_fit(self, member, handed_rows, targets[:, 0], weights, categories)
        rng = as_generator(self.random_state)
        if len(with_weight(rows)[0]) < 2:
            raise ValueError(
                f"X must have at least 2 rows of weight to hold some out; got n_samples = "
                f"{len(with_weight(rows)[0])}. Pass more rows."
            )
        warn_unweighted(member, rows.weights)
        prefit = isinstance(self.cv, str) and is_prefit(self.cv)
        if prefit and params.method not in ("split", "jackknife+ab"):
            raise ValueError(
                "cv='prefit' goes with method='split' or 'jackknife+ab'; got "
                f"{shown(params.method)}. Pass None."
            )
        if params.method in ("split", "cqr"):
            rows, _ = with_weight(rows)
            model, fits, held, strategy = self._fit_split(member, rows, prefit, rng)
        else:
            model, fits, held, strategy = self._fit_all(member, rows, prefit)
        names = column_names(X)
        return self._publish(
            None,
            estimator_=model.model,
            strategy_=strategy,
            n_held_out_=len(held.errors),
            n_features_in_=width_of(rows.X, model.model),
            **({} if names is None else {"feature_names_in_": names}),
            _fits=fits,
            _seen=model.seen,
            _held_rows=held,
        )

    def _fit_split(
        self, member: Any, rows: RowsOfFit, prefit: bool, rng: np.random.Generator
    ) -> Any:
        """By errors, or distances from quantiles, of rows that are held out once."""
        if prefit:
            model, held = FoldModel(member, None), rows
        else:
            if self.method == "cqr":
                train, test = split_rows(self.cv, len(rows), rng)
                held = rows.take(test)
                fits = quantile_fits(member, rows.take(train), self.level)
                low, high = fits.quantiles(held.X, self.level)
                errors = np.maximum(low - held.y, held.y - high)
                model = FoldModel(fits.middle or fits.low, None)
                return model, fits, HeldRows(errors, held.weights, held.categories), "cqr"
            model, held, _ = split_member(member, rows, rows.y, self.cv, rng)
        errors = np.abs(held.y - as_predictions(model.answers(held.X, "predict"), len(held)))
        return model, None, HeldRows(errors, held.weights, held.categories), "split"

    def _fit_all(self, member: Any, all_rows: RowsOfFit, prefit: bool) -> Any:
        """By fits to all rows, and those that leave out some."""
        if self.cv is not None and not prefit and self.method != "cv+":
            raise ValueError(
                f"cv must be None with method={self.method!r}; got {shown(self.cv)}. Choose "
                "method='cv+' for folds."
            )
        rows, _ = with_weight(all_rows)
        fits: Any
        if self.method == "jackknife+":
            whole, fits, strategy = fits_without_rows(member, rows)
        else:
            whole = FoldModel(member, None) if prefit else whole_fit(member, rows, rows.y)
        if self.method == "full":
            sound = isinstance(member, Estimator) and not overrides_fit_or_answers(member)
            fits = member._full_fits(rows.X, rows.y, rows.weights) if sound else None
            if fits is None:
                raise TypeError(
                    "method='full' is for LinearRegression, Ridge and KNeighborsRegressor of dense "
                    f"rows; got {shown(member)}. Choose method='jackknife+'."
                )
            errors, strategy = np.empty(len(rows)), "full"
        else:
            if self.method == "cv+":
                fits, strategy = fits_of_folds(member, all_rows, self.cv)
            elif self.method == "jackknife+ab":
                fits, strategy = fits_of_bootstrap(whole.model, rows), "jackknife+ab"
            errors = np.abs(rows.y - fits.answers)
            errors[np.isnan(errors)] = np.inf
        held = HeldRows(errors, rows.weights, rows.categories)
        return whole, fits, held, strategy

    def predict(
        self,
        X: Rows,
        *,
        interval: Literal["conformal"] | None = None,
        level: float | None = None,
        sample_weight: Weights = None,
        categories: ArrayLike | None = None,
    ) -> Any:
        """Predict targets, and intervals of new ones.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d), or what the estimator takes
            Samples.
        interval : {None, "conformal"}, default=None
            Also return intervals of new targets.
        level : float, optional
            Probability that an interval holds the target; None is `level` of the model.
        sample_weight : array-like of shape (m,), optional
            Weights of these rows beside those of the fit, for intervals of shifted rows; None is 1
            for each.
        categories : array-like of shape (m,), optional
            The group of each row, where the fit had groups.

        Returns
        -------
        means : ndarray of shape (m,)
            Those of `estimator_`.
        ends : ndarray of shape (m, 2), float64
            Only with an interval; infinite, with a warning, where there are too few held-out rows.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            If X does not suit the estimator, `level` is not between 0 and 1, or `categories` are
            not as at fit.
        """
        rows = handed_for(self, X)
        m = count_rows(rows)
        as_choice(interval, "interval", (None, "conformal"))
        means = FoldModel(self.estimator_, self._seen).answers(rows, "predict")
        if interval is None:
            if level is not None or sample_weight is not None or categories is not None:
                raise ValueError(
                    "level, sample_weight and categories are of intervals. Pass "
                    "interval='conformal'."
                )
            return means
        as_predictions(means, m)
        question = as_question(self, level, sample_weight, categories, rows)
        ends = np.empty((m, 2))
        for start in range(0, m, POINTS_PER_BLOCK):
            where = slice(start, min(start + POINTS_PER_BLOCK, m))
            self._fill_ends(rows, means, question, where, ends)
            checkpoint()
        self._warn_of_unbounded(question, ends)
        return means, ends

    def _fill_ends(
        self, rows: Any, means: Array, question: Question, where: slice, ends: Array
    ) -> None:
        """The ends of the intervals of some points."""
        places = np.arange(where.start, where.stop)
        points = take_rows(rows, places)
        asked = Question(
            question.level,
            take_rows(question.weights, places),
            take_rows(question.categories, places),
            len(places),
        )
        fits, held = self._fits, self._held_rows
        low: Any = None
        high: Any = None
        if fits is None:
            low = high = as_predictions(means[where], len(places))
        elif isinstance(fits, QuantileFits):
            low, high = fits.quantiles(points, self.level)
        for chosen, of_rows, rule in parts_of_question(asked, held.categories, held.weights):
            out = places if chosen is None else places[chosen]
            errors = held.errors if of_rows is None else held.errors[of_rows]
            if low is not None:
                bound = rule.bound(errors, len(out))
                middle = slice(None) if chosen is None else chosen
                ends[out] = widened(low[middle], high[middle], bound)
                continue
            if self.method != "full":
                chosen_points = take_rows(points, chosen)
                left_out = cast(LeftOutFits, fits)
                ends[out] = left_out.ends(chosen_points, errors, rule, of_rows, self.n_jobs)
                continue
            cut = slice(None) if of_rows is None else of_rows

            def bounds(part: slice, chosen: Any = chosen, cut: Any = cut) -> tuple[Array, Array]:
                some = np.arange(len(places))[part] if chosen is None else chosen[part]
                low, high = cast(FullFits, fits).bounds(take_rows(points, some))
                return np.array(low[:, cut]), np.array(high[:, cut])

            ends[out] = conformal_ends(bounds, len(out), len(errors), rule, self.n_jobs)

    def _warn_of_unbounded(self, question: Question, ends: Array) -> None:
        infinite = np.isinf(ends).any(axis=1)
        if not infinite.any():
            return
        held, answer = self._held_rows, f"{infinite.sum()} interval(s) are infinite"
        if held.categories is None or question.categories is None:
            n = len(held.errors)
            finite = n - np.isinf(held.errors).sum()
            if self.method != "full" or n != finite:
                return warn_unbounded(question.level, int(finite), answer)
            return warn_user(
                f"{answer}: there are too few rows for level={question.level:g}, or new rows lie "
                "so far from those of the fit that any target conforms. Lower level."
            )
        worst = question.categories[infinite][0]
        n = int((held.categories == worst).sum())
        warn_unbounded(question.level, n, answer, f" of category {shown(worst.item())}")

    def __sklearn_tags__(self) -> Any:
        member = LinearRegression() if self.estimator is None else self.estimator
        tags = with_tags_of(super().__sklearn_tags__(), member)
        tags.regressor_tags.poor_score = True
        return tags


def widened(low: Array, high: Array, bound: Array) -> Array:
    """Ends, both moved out by a bound; where they would change places, both are in the middle."""
    with np.errstate(invalid="ignore"):
        low, high = low - bound, high + bound
        middle = 0.5 * (low + high)
    crossed = low > high
    return np.column_stack([np.where(crossed, middle, low), np.where(crossed, middle, high)])
