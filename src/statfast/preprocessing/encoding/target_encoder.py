# SPDX-License-Identifier: BSD-3-Clause
"""Categories as the mean of the target in each, which rows are given by folds without them.

Moments of the target by category add up. Those of each fold are summed once; what a row is given
follows from the merged moments of all other folds, and nothing is fitted again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, Self

import numpy as np

from statfast._engine import checkpoint
from statfast._estimator import (
    Estimator,
    Transformer,
    as_folds,
    by_fit,
    classes_with_weight,
    fitted,
    flag,
    one_of,
    param,
    randomness,
    real,
    require_sizes,
    require_weight,
    runs,
    stratified_runs,
    without_each,
)
from statfast._linalg import power_of_two
from statfast._typing import Array, ArrayLike, Rows, Weights
from statfast._validation import (
    as_columns,
    as_count,
    as_generator,
    as_labels,
    as_targets,
    as_weights,
    column_labels,
    column_names,
    columns_for,
    is_sparse,
    label_columns,
    refuse_large,
    require_random_state,
    to_array,
    wrong_type,
)
from statfast.preprocessing.encoding.categories import checked_categories, distinct, numbered

TYPES = ("auto", "continuous", "binary", "multiclass")


# ---------------------------------------------------------------- moments by category
@dataclass(frozen=True)
class CategoryMoments:
    """The weight of each category, and mean and sum of squares about it of T targets; the last
    entry is of all rows. Two add up."""

    weight: Array  # (C + 1,)
    mean: Array  # (C + 1, T)
    squares: Array  # (C + 1, T)

    def __add__(self, other: CategoryMoments) -> CategoryMoments:
        weight = self.weight + other.weight
        share = np.divide(other.weight, weight, where=weight > 0, out=np.zeros_like(weight))
        step = other.mean - self.mean
        between = step * step * (self.weight * share)[:, None]
        mean = self.mean + step * share[:, None]
        return CategoryMoments(weight, mean, self.squares + other.squares + between)


@dataclass(frozen=True)
class EncodedTarget:
    """Numbers, over a power of two, or codes of classes; and the weight of each row."""

    numbers: Array | None
    codes: Array | None
    n_targets: int  # T: 1 of numbers and of two classes
    weights: Array | None
    classes: Array | None
    kind: str
    power: int


def moments_of_folds(
    places: Array, starts: Array, folds: Array, k: int, target: EncodedTarget
) -> list[CategoryMoments]:
    """The moments of the rows of each of k folds; `places` (n, d) are numbers of categories, of
    which those of a column begin at `starts`, and the last stands for none."""
    d, last = places.shape[1], int(starts[-1])
    t = target.n_targets
    weight = np.zeros((k, last + 1))
    mean, squares = np.zeros((k, last + 1, t)), np.zeros((k, last + 1, t))
    for j in range(d + 1):
        checkpoint()
        if j == d:  # all rows
            part, groups = slice(last, last + 1), folds
        else:
            # A category that is not known is counted behind those of the column.
            part, width = slice(starts[j], starts[j + 1]), starts[j + 1] - starts[j]
            groups = folds * (width + 1) + np.minimum(places[:, j] - starts[j], width)
        size = (part.stop - part.start) + (j < d)
        counted = _moments(groups, k * size, target)
        for table, values in zip((weight, mean, squares), counted, strict=True):
            shaped = values.reshape(k, size, *values.shape[1:])
            table[:, part] = shaped[:, : part.stop - part.start]
    return [CategoryMoments(*tables) for tables in zip(weight, mean, squares, strict=True)]


def _moments(groups: Array, size: int, target: EncodedTarget) -> tuple[Array, Array, Array]:
    """Weight, means and sums of squares of the target in each group."""
    if target.codes is not None:
        k = 2 if target.n_targets == 1 else target.n_targets
        counts = np.bincount(groups * k + target.codes, target.weights, size * k)
        counts = counts.reshape(size, k).astype(np.float64)
        weight = counts.sum(axis=1)
        share = np.divide(counts, weight[:, None], where=weight[:, None] > 0, out=counts * 0.0)
        share = share[:, -target.n_targets :]
        return weight, share, weight[:, None] * share * (1.0 - share)
    y, w = target.numbers, target.weights
    weight = np.bincount(groups, w, size).astype(np.float64)
    total = np.bincount(groups, y if w is None else w * y, size)
    mean = np.divide(total, weight, where=weight > 0, out=np.zeros(size))
    apart = y - mean[groups]
    squares = np.bincount(groups, apart * apart if w is None else w * apart * apart, size)
    return weight, mean[:, None], squares[:, None]


def encodings(moments: CategoryMoments, smooth: float | None) -> Array:
    """What each category is given, (C + 1, T); the mean of all for the last, which stands for none.

    A category of weight n, mean m and variance s is given (1 - a) times the mean of all and a m,
    where a = n / (n + smooth) or, with `smooth` None, n v / (n v + s) and v the variance of all.
    """
    n, overall = moments.weight[:, None], moments.mean[-1]
    if smooth is not None:
        share = np.divide(n, n + smooth, where=n > 0, out=np.zeros_like(n))
    else:
        known = np.broadcast_to(n > 0, moments.mean.shape)
        between = n * (moments.squares[-1] / moments.weight[-1])
        within = np.divide(moments.squares, n, where=known, out=np.zeros_like(moments.mean))
        total = between + within
        share = np.divide(between, total, where=known & (total > 0), out=np.zeros_like(total))
    encoded = share * moments.mean + (1.0 - share) * overall
    encoded[-1] = overall
    return encoded


class TargetEncoder(Transformer, Estimator):
    """Encode categories by the mean of the target, shrunk towards the mean of all rows.

    Parameters
    ----------
    categories : "auto" or list of array-like, default="auto"
        The categories of each column; "auto" finds them. Numbers must be sorted.
    target_type : {"auto", "continuous", "binary", "multiclass"}, default="auto"
        "auto" takes numbers with fractions as continuous, and all else as classes.
    smooth : "auto" or float, default="auto"
        As many rows with the mean of all are added to each category. "auto" is the empirical Bayes
        estimate: the variance within the category over that of all rows.
    cv : int, splitter or iterable of (train, test), default=5
        Folds of ``fit_transform``, of which each row is held out by one. A number makes folds with
        the shares of the classes, or of rows for a continuous target.
    shuffle : bool, default=True
        Draw the rows of each fold, if `cv` is a number.
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator; an integer makes the result reproducible.

    Attributes
    ----------
    encodings_ : list of ndarray
        What the categories of each column are given by all rows; for several classes that of column
        i and class j is at ``i * len(classes_) + j``.
    categories_ : list of ndarray
        Sorted; None and NaN are categories, and the last.
    target_type_ : str
        "continuous", "binary" or "multiclass".
    target_mean_ : float or ndarray of shape (K,)
        Mean of the target, the second of two classes, or each of several; given to categories that
        were not there at fit.
    classes_ : ndarray of shape (K,), or None
        Labels, if the target is of classes.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    Raises
    ------
    ValueError
        By ``fit``: for a target that is missing or not finite, of several outputs, or of another
        type than `target_type`; for infinity, dates or complex numbers in X. By ``fit_transform``
        also for folds that do not hold out each row once.
    TypeError
        If a column holds both strings and numbers.

    See Also
    --------
    OneHotEncoder : A column for each category.
    OrdinalEncoder : A number for each category.

    Notes
    -----
    ``fit_transform`` is cross-fitted: a row is given the means of the other folds, without its own
    target, and so differs from ``fit`` followed by ``transform``, which is for new rows. A pipeline
    does the right one of the two. The moments of folds merge, so that an outlier held out takes no
    digits, and each row is read once: O(n d) time, and memory for the moments of all categories in
    all folds.

    References
    ----------
    D. Micci-Barreca (2001), "A preprocessing scheme for high-cardinality categorical attributes in
    classification and prediction problems". doi:10.1145/507533.507538

    T. F. Chan, G. H. Golub, R. J. LeVeque (1983), "Algorithms for computing the sample variance".
    doi:10.2307/2683386

    Examples
    --------
    >>> from statfast.preprocessing import TargetEncoder
    >>> towns = [["Rome"], ["Rome"], ["Oslo"], ["Oslo"], ["Oslo"], ["Bern"]]
    >>> rent = [10.5, 13.5, 20.0, 22.0, 24.0, 30.0]
    >>> encoder = TargetEncoder(smooth=1.0).fit(towns, rent)
    >>> encoder.target_mean_
    20.0
    >>> encoder.transform([["Bern"], ["Oslo"], ["Rome"], ["Paris"]]).ravel().round(2).tolist()
    [25.0, 21.5, 14.67, 20.0]
    """

    _encodings: Any = fitted()

    _passes_nan = False

    categories: Literal["auto"] | Sequence[ArrayLike] = param(by_fit, default="auto", kw_only=False)
    target_type: Literal["auto", "continuous", "binary", "multiclass"] = param(
        one_of(*TYPES), default="auto", kw_only=False
    )
    smooth: float | Literal["auto"] = param(real(0) | one_of("auto"), default="auto", kw_only=False)
    cv: Any = param(by_fit, default=5, kw_only=False)
    shuffle: bool = param(flag, default=True, kw_only=False)
    random_state: Any = param(randomness, default=None, kw_only=False)

    encodings_: list[Array] = fitted()
    categories_: list[Array] = fitted()
    target_type_: str = fitted()
    target_mean_: Any = fitted()
    classes_: Any = fitted()

    def fit(self, X: Rows, y: ArrayLike, sample_weight: Weights = None) -> Self:
        """Compute the means of all categories.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Numbers, strings or objects; a data frame with columns of any of these.
        y : array-like of shape (n,)
            Numbers, or labels of classes.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; an integer weight equals a repeated sample.

        Returns
        -------
        self : TargetEncoder
        """
        target, places, values = self._prepared(X, y, sample_weight)
        starts = _starts(values)
        everything = np.zeros(len(places), dtype=np.intp)
        moments = moments_of_folds(places, starts, everything, 1, target)[0]
        return self._publish_moments(X, moments, target, values)

    def fit_transform(
        self, X: Rows, y: ArrayLike, sample_weight: Weights = None, groups: ArrayLike | None = None
    ) -> Any:
        """Compute the means, and give each row those of the folds it is not in.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Training samples.
        y : array-like of shape (n,)
            Numbers, or labels of classes.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; an integer weight equals a repeated sample. A sample is held out
            with all of its weight.
        groups : array-like of shape (n,), optional
            Group of each sample, for splitters that keep groups together.

        Returns
        -------
        ndarray of float64 of shape (n, d), or (n, d K) for K > 2 classes
            Columns of a feature stand together, or the table asked for by `set_output`.
        """
        target, places, values = self._prepared(X, y, sample_weight)
        starts = _starts(values)
        k, folds, pairs = self._folds(X, y, groups, target, len(places))
        n_bytes = 8 * (2 * target.n_targets + 1) * int(starts[-1] + 1)
        refuse_large(2 * k * n_bytes, "The moments of all folds", "Pass fewer folds in cv.")
        parts = moments_of_folds(places, starts, folds, k, target)
        if pairs is None:
            others: Iterator[CategoryMoments] = without_each(parts)
            total = parts[0]
            for part in parts[1:]:
                total = total + part
        else:
            others = (_of_rows(train, places, starts, target) for train, _ in pairs)
            total = moments_of_folds(places, starts, folds * 0, 1, target)[0]
        smooth, size = self._smoothing(), int(starts[-1]) + 1
        tables = np.empty((k, size, target.n_targets))
        for table, part, moments in zip(tables, parts, others, strict=True):
            checkpoint()
            require_weight(part.weight[-1:], moments.weight[-1:])
            table[:] = _scaled(encodings(moments, smooth), target)
        out = tables.reshape(k * size, -1)[places + (folds * size)[:, None]]
        self._publish_moments(X, total, target, values)
        return out.reshape(len(out), -1)

    def transform(self, X: Rows) -> Any:
        """Give each category the mean of all rows that were fitted.

        Parameters
        ----------
        X : array-like of shape (m, d)
            Samples to transform.

        Returns
        -------
        ndarray of float64 of shape (m, d), or (m, d K) for K > 2 classes
            Columns of a feature stand together, or the table asked for by `set_output`.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            If X has other columns than at fit.
        """
        columns = columns_for(self, X)
        encoded = self._encodings[_numbered(columns, self.categories_)]
        return encoded.reshape(len(encoded), -1)

    # ------------------------------------------------------------ fit
    def _prepared(self, X: Any, y: Any, sample_weight: Weights) -> Any:
        """The target, the number of the category of each value, and the categories."""
        self._checked()
        self._require_folds()
        columns = as_columns(X)
        n = len(columns[0])
        weights = as_weights(sample_weight, n)
        target = _as_target(y, n, self.target_type, weights)
        labels = column_labels(column_names(X), len(columns))
        values = checked_categories(self.categories, columns, labels)
        if values is not None:
            return target, _numbered(columns, values), values
        used = None if weights is None or weights.all() else weights > 0
        pairs = [
            distinct(column if used is None else column[used], label)
            for column, label in zip(columns, labels, strict=True)
        ]
        values = [found for found, _ in pairs]
        if used is not None:
            return target, _numbered(columns, values), values
        return target, _joined([place for _, place in pairs], values), values

    def _require_folds(self) -> None:
        cv, state = self.cv, self.random_state
        if isinstance(cv, int | np.integer) and not isinstance(cv, bool):
            as_count(cv, "cv", 2)
        elif isinstance(cv, str | bytes) or not (cv is None or _gives_folds(cv)):
            raise wrong_type("cv", "an integer, a splitter or a list of index pairs", cv)
        require_random_state(state)

    def _smoothing(self) -> float | None:
        smooth = self._checked_value("smooth")
        return None if smooth == "auto" else smooth

    def _folds(self, X: Any, y: Any, groups: Any, target: EncodedTarget, n: int) -> Any:
        """The number of folds, that of each row, and the pairs, if a fold fits not all others."""
        cv = 5 if self.cv is None else self.cv
        if isinstance(cv, int | np.integer) and not isinstance(cv, bool):
            k = as_count(cv, "cv", 2, n, limit="the number of rows")
            tests = self._drawn(target, n, k)
            pairs = None
        else:
            pairs = as_folds(cv, X, y, n, groups=groups)
            tests = [test for _, test in pairs]
        held = np.bincount(np.concatenate(tests) % n, minlength=n)
        if not (held == 1).all():
            row = int((held != 1).argmax())
            raise ValueError(
                "Validation indices from `cv` must cover each sample index exactly once with no "
                f"overlap; row {row} is held out {held[row]} times. Pass folds that do."
            )
        folds = np.empty(n, dtype=np.intp)
        for f, test in enumerate(tests):
            folds[test] = f
        if pairs is not None and all(_fits_others(pair, folds, f) for f, pair in enumerate(pairs)):
            pairs = None
        return len(tests), folds, pairs

    def _drawn(self, target: EncodedTarget, n: int, k: int) -> list[Array]:
        generator = as_generator(self.random_state)
        if target.codes is not None:
            require_sizes(np.bincount(target.codes), k)
            drawn = stratified_runs(target.codes, k, generator.shuffle if self.shuffle else None)
            return [test for test in drawn if len(test)]
        if not self.shuffle:
            return runs(n, k)
        order = generator.permutation(n)
        return [order[part] for part in runs(n, k)]

    def _publish_moments(
        self, X: Any, moments: CategoryMoments, target: EncodedTarget, values: list[Array]
    ) -> Self:
        encoded = _scaled(encodings(moments, self._smoothing()), target)
        starts = _starts(values)
        several = target.n_targets > 1 or target.kind == "multiclass"
        return self._publish(
            X,
            encodings_=[
                encoded[start:stop, t].copy()
                for start, stop in pairwise(starts)
                for t in range(target.n_targets)
            ],
            categories_=values,
            target_type_=target.kind,
            target_mean_=encoded[-1].copy() if several else float(encoded[-1, 0]),
            classes_=target.classes,
            n_features_in_=len(values),
            _encodings=encoded,
        )

    def _named(self, names: list[str]) -> list[str]:
        if self.target_type_ != "multiclass":
            return names
        return [f"{name}_{label}" for name in names for label in self.classes_]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.allow_nan = True
        tags.target_tags.required = True
        tags.transformer_tags.preserves_dtype = []
        return tags


def _gives_folds(cv: Any) -> bool:
    return hasattr(cv, "split") or hasattr(cv, "__next__") or bool(getattr(cv, "__len__", int)())


def _as_target(y: Any, n: int, target_type: str, weights: Array | None) -> EncodedTarget:
    """Check the target, and take it as what `target_type` asks for."""
    if is_sparse(y) or label_columns(y) is not None:
        raise ValueError(
            "y must be of one output; got several: Target type was inferred to be multioutput or "
            "multilabel. Fit an encoder for each column of y."
        )
    if target_type == "continuous" or (target_type == "auto" and _has_fractions(y)):
        numbers = as_targets(y, n)[0][:, 0]
        power = power_of_two(float(np.abs(numbers).max()))
        return EncodedTarget(np.ldexp(numbers, -power), None, 1, weights, None, "continuous", power)
    classes, codes = classes_with_weight(*as_labels(y, n), weights)
    k = len(classes)
    if target_type == "binary" and k > 2:
        raise ValueError(
            f"target_type='binary' is for two classes; y has {k}. Pass target_type='multiclass'."
        )
    kind = target_type if target_type != "auto" else "binary" if k <= 2 else "multiclass"
    n_targets = 1 if kind == "binary" else k
    if kind == "multiclass" and k == 1:
        raise ValueError(
            "target_type='multiclass' is for several classes; y has one. Pass 'binary'."
        )
    return EncodedTarget(None, codes, n_targets, weights, classes, kind, 0)


def _has_fractions(y: Any) -> bool:
    if y is None:
        return False
    numbers = to_array(y, "y", "a 1d array-like")
    if numbers.dtype.kind != "f":
        return False
    finite = numbers[np.isfinite(numbers)]
    return bool((finite != np.floor(finite)).any())


def _scaled(encoded: Array, target: EncodedTarget) -> Array:
    return np.ldexp(encoded, target.power) if target.power else encoded


def _starts(values: list[Array]) -> Array:
    """The number of the first category of each column, among those of all, and of all."""
    return np.cumsum([0, *map(len, values)])


def _numbered(columns: list[Array], values: list[Array]) -> Array:
    return _joined([numbered(*pair) for pair in zip(columns, values, strict=True)], values)


def _joined(places: list[Array], values: list[Array]) -> Array:
    """Numbers of categories among those of all columns, (n, d); the last number is that of none."""
    starts = _starts(values)
    out = np.empty((len(places[0]), len(places)), dtype=np.intp)
    for j, place in enumerate(places):
        np.add(place, starts[j], out=out[:, j])
        if len(place) and place.min() < 0:
            out[place < 0, j] = starts[-1]
    return out


def _fits_others(pair: Any, folds: Array, fold: int) -> bool:
    """Whether a fold fits all rows that it does not hold out."""
    train = pair[0]
    if train is None:
        return True
    n = len(folds)
    fitted_rows = np.zeros(n, dtype=bool)
    fitted_rows[train] = True
    return bool((fitted_rows == (folds != fold)).all()) and len(train) == fitted_rows.sum()


def _of_rows(
    train: Array | None, places: Array, starts: Array, target: EncodedTarget
) -> CategoryMoments:
    """The moments of the rows that a fold fits, as they are listed."""
    assert train is not None
    part = EncodedTarget(
        None if target.numbers is None else target.numbers[train],
        None if target.codes is None else target.codes[train],
        target.n_targets,
        None if target.weights is None else target.weights[train],
        target.classes, target.kind, target.power,
    )  # fmt: skip
    everything = np.zeros(len(train), dtype=np.intp)
    return moments_of_folds(places[train], starts, everything, 1, part)[0]
