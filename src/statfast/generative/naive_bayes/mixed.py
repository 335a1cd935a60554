# SPDX-License-Identifier: BSD-3-Clause
"""Naive Bayes with columns of several kinds, each with a density of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from statfast._engine import Chunks
from statfast._estimator import array, fitted, jobs, nothing, one_of, param, real
from statfast._typing import Array, ArrayLike, Jobs
from statfast._validation import (
    as_choice,
    column_names,
    not_fitted,
    shown,
    wrong_type,
)
from statfast.generative.naive_bayes.bernoulli import PresenceDensity
from statfast.generative.naive_bayes.categorical import CategoryDensity
from statfast.generative.naive_bayes.columns import (
    TableColumns,
    levels_of,
    number_categories,
    numbers_of,
)
from statfast.generative.naive_bayes.counts import CountDensity
from statfast.generative.naive_bayes.density import Density, FittedDensity
from statfast.generative.naive_bayes.gamma import GammaDensity
from statfast.generative.naive_bayes.gaussian import NormalDensity
from statfast.generative.naive_bayes.kernel_density import BANDWIDTH, ColumnKernels
from statfast.generative.naive_bayes.linear import MAX_SMOOTHING
from statfast.generative.naive_bayes.model import NaiveBayesModel
from statfast.generative.naive_bayes.poisson import PoissonDensity

KINDS = ("gaussian", "bernoulli", "categorical", "multinomial", "poisson", "gamma", "kernel")


@dataclass(frozen=True)
class Side:
    """Rows cut into the columns of each kind, (n, d_kind) each."""

    parts: tuple[Any, ...]

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.parts[0]), sum(part.shape[1] for part in self.parts)

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.result_type(*self.parts)

    def __len__(self) -> int:
        return len(self.parts[0])

    def __getitem__(self, where: slice) -> Side:
        return Side(tuple(np.ascontiguousarray(part[where]) for part in self.parts))


@dataclass(frozen=True)
class SideSums:
    """Statistics of the columns of each kind."""

    parts: tuple[Any, ...]

    def __add__(self, other: SideSums) -> SideSums:
        return SideSums(tuple(a + b for a, b in zip(self.parts, other.parts, strict=True)))

    def of_classes(self, kept: Any) -> SideSums:
        return SideSums(tuple(part.of_classes(kept) for part in self.parts))


class MixedDensity(Density):
    """Densities side by side: of kinds, each of some of the columns."""

    def __init__(
        self,
        kinds: list[str],
        places: list[list[int]],
        densities: list[Any],
        levels: dict[int, list[float]],
    ) -> None:
        self.kinds, self.places, self.densities, self.levels = kinds, places, densities, levels

    def check(self, rows: Side) -> None:
        for kind, density, part in zip(self.kinds, self.densities, rows.parts, strict=True):
            try:
                density.check(part)
            except ValueError as error:
                raise ValueError(f"Of the {kind!r} columns: {error}") from error

    def statistics(
        self, rows: Side, codes: Array, weights: Array | None, n_classes: int
    ) -> SideSums:
        pairs = zip(self.densities, rows.parts, strict=True)
        return SideSums(tuple(d.statistics(p, codes, weights, n_classes) for d, p in pairs))

    def solve(self, statistics: SideSums, class_counts: Array) -> FittedMixed:
        pairs = zip(self.densities, statistics.parts, strict=True)
        return FittedMixed(self, [d.solve(s, class_counts) for d, s in pairs])

    def leave_one_out(
        self, rows: Any, codes: Array, weights: Array | None, statistics: Any, class_counts: Array
    ) -> Any:
        total = 0.0
        for density, part, sums in zip(self.densities, rows.parts, statistics.parts, strict=True):
            scores = density.leave_one_out(part, codes, weights, sums, class_counts)
            if scores is None:
                return None
            total = total + scores
        return total


class FittedMixed(FittedDensity):
    """FittedDensity densities side by side."""

    def __init__(self, density: MixedDensity, parts: list[Any]) -> None:
        self.density, self.parts = density, parts

    def attributes(self) -> dict[str, Any]:
        here = self.density
        kinds: dict[Any, Any] = {}
        for kind, place in zip(here.kinds, here.places, strict=True):
            kinds |= dict.fromkeys(place, kind)
        return {
            "densities_": [kinds[j] for j in sorted(kinds)],
            "parameters_": {
                kind: fitted.attributes()
                for kind, fitted in zip(here.kinds, self.parts, strict=True)
            },
            "columns_": dict(zip(here.kinds, here.places, strict=True)),
            "categories_": {j: list(levels) for j, levels in here.levels.items()},
        }

    def scores(self, rows: Side, begin: Array) -> Array:
        nothing = np.zeros(len(begin))
        pairs = zip(self.parts, rows.parts, strict=True)
        return begin + sum(fitted.scores(part, nothing) for fitted, part in pairs)

    def posteriors(self, rows: Side, begin: Array, out: Array) -> int:
        return len(self.parts) == 1 and self.parts[0].posteriors(rows.parts[0], begin, out)

    def common(self, rows: Any) -> Any:
        pairs = zip(self.parts, rows.parts, strict=True)
        return sum(fitted.common(part) for fitted, part in pairs)

    def terms(self, rows: Any) -> Any:
        terms = [f.terms(p) for f, p in zip(self.parts, rows.parts, strict=True)]
        order = np.argsort([j for place in self.density.places for j in place])
        return np.concatenate(terms, axis=2)[:, :, order]

    def draw(self, codes: Array, rng: Any) -> Any:
        d = sum(map(len, self.density.places))
        out = np.empty((len(codes), d), dtype=object if self.density.levels else np.float64)
        for place, part in zip(self.density.places, self.parts, strict=True):
            out[:, place] = part.draw(codes, rng)
        for j, levels in self.density.levels.items():
            out[:, j] = [levels[int(code)] for code in out[:, j]]
        return out


class MixedNB(NaiveBayesModel):
    """Naive Bayes with features of several kinds, each with its own density.

    Parameters
    ----------
    densities : str, list of str of length d, or dict, optional
        "gaussian", "bernoulli", "categorical", "multinomial", "poisson", "gamma" or "kernel": for
        all columns, for each, or by column number or name (others are guessed). All columns that
        are "multinomial" are the counts of one multinomial. None guesses by the type of a column:
        of truth values "bernoulli", of strings, objects or categories "categorical", of integers
        "poisson" if none is negative, else "gaussian"; and of all other numbers "gaussian".
    alpha : float, default=1.0
        Additive smoothing of "bernoulli", "categorical", "multinomial" and "poisson" columns.
    var_smoothing : float, default=1e-9
        Fraction of the largest variance of the "gaussian" features that is added to all their
        variances.
    bandwidth : {"scott", "silverman"} or float, default="silverman"
        Standard deviation of the normal kernels. With s the standard deviation and n the weight of
        a class: "scott" is 1.06 s n^(-1/5), "silverman" 0.9 min(s, interquartile range / 1.34)
        n^(-1/5), R's ``bw.nrd0``.
    priors : array-like of shape (K,) or "laplace", optional
        Class probabilities, in the order of `classes_`. None takes the proportions of the classes
        in the training samples, "laplace" those of one more sample of each class.
    unseen : {"error", "ignore"}, default="error"
        What becomes of a category that was not there at fit: it is refused, or the row is judged
        by its other columns.
    missing : {"error", "ignore"}, default="error"
        What becomes of missing values: they are refused, or count for nothing. "multinomial"
        columns can have none.
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
    densities_ : list of str
        The density of each column.
    columns_ : dict of str to list of int
        The columns of each density.
    parameters_ : dict of str to dict
        For each density what the estimator of its own has as attributes, such as ``theta_``.
    categories_ : dict of int to list
        The categories of each "categorical" column, in the order of their parameters.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    GaussianNB, CategoricalNB, PoissonNB : TableColumns of one kind.

    Notes
    -----
    X may be a data frame (pandas, polars, pyarrow) with columns of any type, or an array, of
    objects where kinds are mixed. Categories may be anything that can be sorted; those that
    `partial_fit` meets first come last. "bernoulli" columns are ones where positive. **Ties**
    between classes go to the lowest label.

    Cost: that of the densities.

    References
    ----------
    .. [1] Hastie, T., Tibshirani, R. and Friedman, J. (2009). The Elements of Statistical Learning,
       2nd ed., section 6.6.3. https://doi.org/10.1007/978-0-387-84858-7

    Examples
    --------
    >>> import numpy as np
    >>> from statfast import MixedNB
    >>> X = np.array([["red", 1.0], ["red", 2.0], ["blue", 5.0], ["blue", 7.0]], dtype=object)
    >>> model = MixedNB(densities={1: "gaussian"}).fit(X, [0, 0, 1, 1])
    >>> model.densities_
    ['categorical', 'gaussian']
    >>> model.predict(np.array([["red", 1.5], ["blue", 6.0]], dtype=object)).tolist()
    [0, 1]
    """

    # What subclasses declare, or a fit sets.
    _fitted_density: Any = fitted()

    densities: str | list[Any] | dict[Any, Any] | None = param(
        nothing | one_of(*KINDS) | array, default=None, kw_only=False
    )
    alpha: float = param(real(0, MAX_SMOOTHING), default=1.0)
    var_smoothing: float = param(real(0), default=1e-9)
    bandwidth: Literal["scott", "silverman"] | float = param(BANDWIDTH, default="silverman")
    priors: ArrayLike | None = param(nothing | one_of("laplace") | array, default=None)
    unseen: Literal["error", "ignore"] = param(one_of("error", "ignore"), default="error")
    missing: Literal["error", "ignore"] = param(one_of("error", "ignore"), default="error")
    n_jobs: Jobs = param(jobs, default=None)

    classes_: Array = fitted()
    class_count_: Array = fitted()
    class_prior_: Array = fitted()
    densities_: Any = fitted()
    columns_: Any = fitted()
    parameters_: Any = fitted()
    categories_: Any = fitted()

    _allow_sparse = False

    def _rows_and_density(self, X: Any, finite: bool, again: bool) -> tuple[Side, MixedDensity]:
        if isinstance(X, Chunks):
            raise TypeError("MixedNB takes no Chunks as X; pass them to partial_fit, one by one.")
        made = self._density_of_kinds()  # Parameters are checked before the data.
        if again:
            table = TableColumns(X, self)
            density = self._with_new_levels(table)
        else:
            table = TableColumns(X)
            density = self._new_density(table, column_names(X), made)
        rows = self._cut(table, density)
        density.check(rows)
        return rows, density

    def _new_density(
        self, table: TableColumns, names: Array | None, made: dict[str, Any]
    ) -> MixedDensity:
        kinds = self._kinds(table, names)
        places = {name: [j for j, kind in enumerate(kinds) if kind == name] for name in KINDS}
        used = [name for name in KINDS if places[name]]
        levels = {j: levels_of(table, j, self._takes_missing()) for j in places["categorical"]}
        return MixedDensity(used, [places[name] for name in used], [made[n] for n in used], levels)

    def _rows_later(self, X: Any) -> Side:
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        table = TableColumns(X, self)
        rows = self._cut(table, self._fitted_density)
        self._fitted_density.check(rows)
        return rows

    def _cut(self, table: TableColumns, density: MixedDensity) -> Side:
        """The columns of each kind; categories as numbers."""
        parts = []
        for kind, place in zip(density.kinds, density.places, strict=True):
            if kind == "categorical":
                allowed = self._takes_missing()
                columns = [
                    number_categories(table, j, density.levels[j], self.unseen, allowed)
                    for j in place
                ]
                parts.append(np.stack(columns, axis=1))
            else:
                allowed = self._takes_missing() and kind != "multinomial"
                parts.append(numbers_of(table, place, allowed))
        return Side(tuple(np.ascontiguousarray(part) for part in parts))

    def _with_new_levels(self, table: Any) -> Any:
        """The density of the fit, with what `partial_fit` finds of new categories."""
        old = self._fitted_density
        levels = {}
        for j, before in old.levels.items():
            here = levels_of(table, j, self._takes_missing())
            levels[j] = [*before, *(level for level in here if level not in set(before))]
        return MixedDensity(old.kinds, old.places, old.densities, levels)

    def _kinds(self, table: TableColumns, names: Array | None) -> list[str]:
        """The name of the density of each column."""
        densities, d = self.densities, table.n_columns
        if densities is None or isinstance(densities, dict):
            named = {
                _place(key, d, names): as_choice(kind, f"densities[{key!r}]", KINDS)
                for key, kind in (densities or {}).items()
            }
            return [named[j] if j in named else table.guess(j) for j in range(d)]
        if isinstance(densities, str):
            return [as_choice(densities, "densities", KINDS)] * d
        if not isinstance(densities, list | tuple) or not len(densities):
            raise wrong_type("densities", "None, a name, a list of names or a dict", densities)
        if len(densities) != d:
            raise ValueError(
                f"densities must have one name for each of the {d} columns; got {len(densities)}."
            )
        return [as_choice(kind, f"densities[{j}]", KINDS) for j, kind in enumerate(densities)]

    def _density_of_kinds(self) -> dict[str, Any]:
        """A density of each kind."""
        params = self._checked()
        if isinstance(self.densities, dict) and not self.densities:
            raise ValueError("densities must name columns; got {}. Pass None to guess all.")
        return {
            "gaussian": NormalDensity(params.var_smoothing, params.missing == "ignore"),
            "bernoulli": PresenceDensity(params.alpha, 0.0),
            "categorical": CategoryDensity(params.alpha, 0, params.unseen),
            "multinomial": CountDensity(params.alpha),
            "poisson": PoissonDensity(params.alpha),
            "gamma": GammaDensity(None),
            "kernel": ColumnKernels(params.bandwidth),
        }


def _place(key: int, d: int, names: Any) -> Any:
    """The number of a column, which may be given by its name."""
    if isinstance(key, str):
        places = [] if names is None else np.flatnonzero(np.asarray(names) == key)
        if len(places) == 1:
            return int(places[0])
    elif isinstance(key, int | np.integer) and not isinstance(key, bool) and 0 <= key < d:
        return int(key)
    raise ValueError(
        f"densities must name columns by their numbers, 0 to {d - 1}, or their names; got "
        f"{shown(key)}."
    )
