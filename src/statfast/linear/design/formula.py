# SPDX-License-Identifier: BSD-3-Clause
"""Formulas, as R and statsmodels write them: from a data frame to columns with names, and back.

``formulaic`` (an optional package) reads the formula and codes its terms; what is remembered of a
fit are levels, centers and knots, so that new rows become the same columns.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from inspect import signature
from typing import Any, Self

import numpy as np

from statfast._estimator import Classifier
from statfast._typing import Array, ArrayLike, Weights
from statfast._validation import (
    CollinearityWarning,
    as_weights,
    column_names,
    shape_of,
    shown,
    wrong_type,
)
from statfast.linear.design.design import offsets_for
from statfast.linear.design.formula_reading import (
    as_frame,
    evaluated,
    named_in,
    parsed_formula,
    read_formula,
    refuse_dates,
    without_unused_levels,
)


@dataclass(frozen=True)
class FitRows:
    """What `fit` takes: as given, or of the rows of a data frame in which nothing is missing."""

    X: Any
    y: Any
    sample_weight: Any = None
    offset: Any = None
    exposure: Any = None
    kept: np.ndarray | None = None  # Their positions in the data frame.

    @property
    def added(self) -> dict[str, Any]:
        """What is added to the linear predictor, as far as there is any: arguments of `fit`."""
        parts = {"offset": self.offset, "exposure": self.exposure}
        return {name: values for name, values in parts.items() if values is not None}


@dataclass(frozen=True)
class FormulaDesign:
    """Design of a formula: its terms, and how new data become columns.

    Attributes
    ----------
    formula : str
        The formula.
    specs : formulaic.ModelSpecs
        Parts "x" and "y", and where they were given "offset" and "weight".
    columns : tuple of str
        Names of the columns of the design, without the intercept.
    terms : dict of str to list of int
        The columns of each term.
    within : dict of str to frozenset of str
        The terms that each is a part of, as ``a`` of ``a:b``: it stays while they do.
    label : str, or None
        For a classifier: the column of the labels, taken as they are.
    dropped : int
        Rows left out of the fit as something was missing.
    context : dict of str to object
        What the formula takes that is not a column: functions and numbers.
    """

    formula: str
    specs: Any
    columns: tuple[str, ...]
    terms: dict[str, list[int]]
    within: dict[str, frozenset[str]]
    label: str | None
    dropped: int = 0
    context: Any = None

    @property
    def successes(self) -> Any:
        """Of a response that is categories: columns of all levels but the first, as R has it."""
        return self.specs.y.column_names[1:] if self.specs.y.factor_contrasts else ()

    def reads(self, X: Any) -> Any:
        """Whether X is a table of variables, rather than of the columns of the design."""
        if isinstance(X, dict):
            return True
        names = column_names(X)
        return names is not None and tuple(names) != self.columns

    def predictors(self, data: Any, offset: Any = None, exposure: Any = None) -> Any:
        """Columns of new rows, and the offset and the exposure of their linear predictor."""
        frame = as_frame(data)
        expressions = {"offset": offset, "exposure": exposure}
        wanted = ["x", *(name for name, values in expressions.items() if values is None)]
        parts = evaluated(self._specs_of(wanted), frame, self.context)
        kept = parts.x.index.to_numpy()
        if len(kept) < len(frame):
            row = int(np.setdiff1d(np.arange(len(frame)), kept)[0])
            raise ValueError(
                f"X must hold all variables of {self.formula!r} for each row; one is missing in "
                f"row {row}. Leave out such rows."
            )
        tables = parts._to_dict()
        for name in ("offset", "exposure"):
            if name in tables:
                expressions[name] = _total(tables[name])
        return self._columns(parts.x), expressions["offset"], expressions["exposure"]

    def rows(
        self,
        data: Any,
        y: Any = None,
        sample_weight: Weights | None = None,
        offset: Any = None,
        exposure: ArrayLike | None = None,
    ) -> Any:
        """All that `fit` takes; arrays that are given have an element for each row of data."""
        frame = as_frame(data)
        expressions = {"y": y, "weight": sample_weight, "offset": offset, "exposure": exposure}
        wanted = ["x", *(name for name, values in expressions.items() if values is None)]
        return self._fit_rows(
            evaluated(self._specs_of(wanted), frame, self.context), frame, **expressions
        )

    def _fit_rows(self, parts, frame, y, weight, offset, exposure):
        n, kept, tables = len(frame), parts.x.index.to_numpy(), parts._to_dict()
        if y is not None:
            y = np.asarray(y)[kept] if shape_of(y)[:1] == (n,) else y
        elif self.label is not None:
            y = frame[self.label].iloc[kept].to_numpy()
        else:
            y = _real(parts.y).to_numpy()[:, 0]
            y = 1.0 - y if self.successes else y
        if weight is not None:
            weight = as_weights(weight, n)[kept]
        elif "weight" in tables:
            weight = _total(parts.weight)
        added = {"offset": offset, "exposure": exposure}
        for name, values in added.items():
            if values is not None:
                added[name] = offsets_for(values, n, name=name)[kept]
            elif name in tables:
                added[name] = _total(tables[name])
        return FitRows(self._columns(parts.x), y, weight, **added, kept=kept)

    def of_terms(self, terms: Any) -> Any:
        """The design of some of the terms."""
        places = [j for term, columns in self.terms.items() if term in terms for j in columns]
        new = {old: k for k, old in enumerate(places)}
        intercept, specs = "Intercept" in self.specs.x.column_names, self.specs._to_dict()
        added = specs["offset"].column_names if "offset" in specs else ()
        added = [name if name.startswith("offset(") else f"offset({name})" for name in added]
        right = [*(t for t in self.terms if t in terms), *added] or ["1"]
        right += [] if intercept else ["0"]
        kept = [t for t in self.specs.x.terms if str(t) in terms or str(t) == "1"]
        specs["x"] = self.specs.x.subset(kept) if kept else specs["x"]
        return replace(
            self,
            specs=type(self.specs)(**specs),
            formula=f"{self.formula.split('~')[0].strip()} ~ {' + '.join(right)}",
            columns=tuple(self.columns[j] for j in places),
            terms={t: [new[j] for j in c] for t, c in self.terms.items() if t in terms},
            within={t: w & set(terms) for t, w in self.within.items() if t in terms},
        )

    def _columns(self, table: Any) -> Any:
        if not self.columns:
            return np.zeros((len(table), 0))
        return _real(table[list(self.columns)])

    def _specs_of(self, wanted: Any) -> Any:
        specs = self.specs._to_dict()
        return type(self.specs)(**{name: specs[name] for name in wanted if name in specs})


class FromFormula:
    """Mixin: models fitted to a formula and a data frame."""

    fit: Callable[..., Any]
    design_: FormulaDesign

    @classmethod
    def from_formula(
        cls,
        formula: str,
        data: ArrayLike | Mapping[str, ArrayLike],
        *,
        sample_weight: Weights = None,
        offset: ArrayLike | None = None,
        exposure: ArrayLike | None = None,
        cov_type: str = "nonrobust",
        groups: ArrayLike | None = None,
        maxlags: int | None = None,
        context: dict[str, Any] | None = None,
        **params: Any,
    ) -> Self:
        """Fit to the variables of a data frame, by a formula such as ``"y ~ x + C(group)"``.

        Parameters
        ----------
        formula : str
            The response, ``~`` and the terms, as R and statsmodels write them: ``a + b``, ``a:b``,
            ``a * b``, ``- 1`` for no intercept, ``1`` for it alone, ``.`` for all other columns,
            ``C(group)`` for categories (columns of strings and booleans are, anyway),
            ``offset(log(t))``, and functions, such as ``log(x)``, ``I(x**2)``, ``poly(x, 2)``,
            ``bs(x, df=4)`` and R's ``ns(x, df=4)``. It may run any Python: take none from
            strangers.
        data : data frame, or dict of str to array-like of shape (n,)
            pandas, polars or pyarrow. Samples in which a variable of the formula is missing are
            left out, as R's ``na.omit`` does; `summary` says how many.
        sample_weight : str or array-like of shape (n,), optional
            Weights, a column of the data, or an expression of columns.
        offset : str or array-like of shape (n,), optional
            Offset of the linear predictor: values, a column of the data, or an expression of
            columns, which is evaluated again on new data.
        exposure : str or array-like of shape (n,), optional
            Times or populations over which counts were taken, for the log link: values, a column
            of the data, or an expression of columns.
        cov_type : str, default="nonrobust"
            Covariance of the coefficients: "nonrobust", "HC0" to "HC3", "cluster" or "HAC".
        groups : str or array-like of shape (n,), optional
            Clusters of the samples for "cluster": values, or a column of the data.
        maxlags : int, optional
            Samples before each that it may depend on, for "HAC".
        context : dict of str to object, optional
            Functions and numbers that the formula may name beside the columns, such as
            ``locals()``. Those that it names are kept for new data.
        **params : object
            Parameters of the class, such as ``family="poisson"``.

        Returns
        -------
        model : estimator of this class, fitted
            Its coefficients have the names of the terms; ``design_`` remembers levels, centers and
            knots. `predict` takes new data frames, and so do the methods that need the rows again
            (`residuals`, `influence`, `robust_covariance`, `conf_int`, and `anova`, `drop1`,
            `add1`, `step`), which find the response in them.

        Raises
        ------
        ImportError
            Without the package formulaic: ``pip install "statfast[formula]"``.
        ValueError
            If the formula cannot be read or names what the data lack, if no term or no row is
            left, or the response is several columns.

        Notes
        -----
        It returns a fitted model, as R's ``lm`` and ``glm`` do. statsmodels makes one with the
        data in it, to be fitted by a call without arguments; models here keep no rows, and ``fit``
        takes them.

        Categories are coded against the first level (treatment coding), in the order of a
        categorical column or else sorted, as far as rows have them; ``C(g, contr.sum)`` and others
        are formulaic's. Booleans, also those that expressions such as ``I(x > 3)`` give, are
        categories of the levels False and True, as in R: without an intercept they have two
        columns. As a response they are 0 and 1. In a categorical column of labels the first level
        is the ``reference`` of a classifier, as R's ``glm`` takes it for failure; ``classes_`` are
        sorted all the same. So it is for a `GeneralizedLinearModel` of the family "binomial", of
        which other levels are the successes.

        Examples
        --------
        >>> from statfast.linear import LinearRegression
        >>> data = {"y": [1.0, 2.1, 2.9, 4.2, 6.0], "x": [0, 1, 2, 3, 5], "g": list("abbab")}
        >>> model = LinearRegression.from_formula("y ~ x + g", data)
        >>> print(model.conf_int())
                       2.5 %  97.5 %
        (Intercept)   0.5981  1.5563
        x             0.8540  1.1764
        g[T.b]       -0.6838  0.4484
        >>> model.predict({"x": [4], "g": ["b"]}).round(3)
        array([5.02])
        """
        expressions = {"weight": sample_weight, "offset": offset, "exposure": exposure}
        try:
            shares = getattr(cls(**params), "_is_of_shares", False)
        except TypeError as error:
            beside = ", ".join(name for name in signature(cls.from_formula).parameters)
            beside = beside.removesuffix(", params")
            raise TypeError(f"{error} from_formula itself takes {beside}.") from None
        design, rows, intercept, first = _designed(cls, formula, data, expressions, context, shares)
        if first is not None and "reference" in signature(cls).parameters:
            params.setdefault("reference", first)
        if params.get("fit_intercept", intercept) != intercept:
            raise ValueError(
                f"fit_intercept is said by the formula, whose intercept is {intercept}; got "
                f"{shown(params['fit_intercept'])}. Write '- 1' for none."
            )
        model = cls(**params, **({} if intercept else {"fit_intercept": False}))
        if groups is not None:
            groups = _groups(data, groups)[rows.kept]
        usual = {"cov_type": "nonrobust", "groups": None, "maxlags": None}
        given = dict(zip(usual, (cov_type, groups, maxlags), strict=True))
        more = rows.added | {name: v for name, v in given.items() if v is not usual[name]}
        if others := more.keys() - signature(model.fit).parameters.keys():
            name = min(others)
            raise TypeError(f"{cls.__name__}.fit takes no {name}. Leave it out.")
        if design.columns:
            model.fit(rows.X, rows.y, rows.sample_weight, **more)
        else:
            fit_intercept_alone(model, len(rows.X), rows.y, rows.sample_weight, **more)
        return remember(model, design)


def fit_intercept_alone(model: Any, n: int, *args: Array, **more: Any) -> FromFormula:
    """Fit to a column of zeros, and forget it: coefficients are an intercept and a zero in turn."""

    def intercepts(covariance: Array | None) -> Array | None:
        return None if covariance is None else covariance[::2, ::2]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CollinearityWarning)
        model.fit(np.zeros((n, 1)), *args, **more)
    known = model.__dict__
    known |= {"coef_": known["coef_"][..., :0], "n_features_in_": 0}
    if "_robust" in known:
        known["_robust"] = intercepts(known["_robust"])

    def stripped(result: Any) -> Any:
        return replace(
            result, names=result.names[::2], coef=result.coef[::2], aliased=result.aliased[::2],
            unscaled=intercepts(result.unscaled), about=intercepts(result.about),
            robust=intercepts(result.robust),
            center=None if result.center is None else result.center[:0],
        )  # fmt: skip

    model._replace_results(stripped)
    return model


def remember(model: Any, design: Any) -> Any:
    """Let a fitted model know the formula of its columns."""
    known = {"design_": design}
    model.__dict__.update(known, _fitted=(*model._fitted, *known))
    notes = [f"Formula: {design.formula}"]
    if design.dropped:
        what = "1 row" if design.dropped == 1 else f"{design.dropped} rows"
        notes.append(f"{what} with missing values left out.")
    if design.label is None and design.successes:
        notes.append(f"Successes: {', '.join(design.successes)}.")

    def noted(result: Any) -> Any:
        return replace(result, notes=(*notes, *result.notes))

    model._replace_results(noted)
    return model


def design_of(model: Any) -> Any:
    """The formula of a fitted model, or None."""
    return model.__dict__.get("design_")


def predictors(model: Any, X: Any, offset: Any = None, exposure: ArrayLike | None = None) -> Any:
    """Rows, offset and exposure: as they are, or as the fit's formula makes them of a frame."""
    design = design_of(model)
    if design is None or not design.reads(X):
        return X, offset, exposure
    return design.predictors(X, offset, exposure)


def rows_again(
    model: Any,
    X: Any,
    y: Any,
    sample_weight: Weights,
    offset: Any,
    exposure: Any,
    *,
    weighted: bool = True,
) -> FitRows:
    """The `FitRows` of a fit given again: arrays, or the data frame of a formula.

    `weighted`: whether the weights have a part in what is asked for.
    """
    design = design_of(model)
    if design is not None and X is not None and design.reads(X):
        rows = design.rows(X, y, sample_weight, offset, exposure)
    elif X is None or y is None:
        again = "X and y" if design is None else "the data frame of the formula"
        missing = "X is" if X is None else "y is"
        raise ValueError(f"{missing} missing, and models keep no rows. Pass {again} as to fit.")
    else:
        rows = FitRows(X, y, sample_weight, offset, exposure)
    _require_as_fitted(model, rows, weighted)
    return rows


def _require_as_fitted(model: FromFormula, rows: FitRows, weighted: bool) -> None:
    """Raise ValueError if the fit had weights, an offset or an exposure, and these rows have none.

    The logarithm of an exposure may stand for it as an offset, and the other way round.
    """
    had = model.__dict__.get("_row_arguments", ())
    added = [name for name in ("offset", "exposure") if name in had]
    missing = ["sample_weight"] if weighted and "sample_weight" in had else []
    missing = missing if rows.sample_weight is None else []
    if len(rows.added) < len(added):
        missing += [name for name in added if not (name in rows.added and len(added) > 1)]
    if missing:
        names = " and ".join(missing)
        raise ValueError(
            f"{type(model).__name__} was fitted with {names}, and models keep no rows. Pass "
            f"{names} as to fit, or for rows without it a number for all of them."
        )


def groups_again(model: Any, X: Any, groups: Any) -> Array:
    """Labels of clusters: as given, or of the rows that the fit has of a formula's data frame."""
    design = design_of(model)
    if design is None or not design.reads(X):
        return groups
    return _groups(X, groups)[design.rows(X).kept]


def _groups(data: Any, groups: Any) -> Any:
    frame = as_frame(data)
    if isinstance(groups, str):
        if groups not in frame:
            raise ValueError(f"groups must name a column of the data; got {groups!r}.")
        return frame[groups].to_numpy()
    if shape_of(groups)[:1] != (len(frame),):
        raise ValueError(
            f"groups must have a label for each of the {len(frame)} rows; got {shown(groups)}."
        )
    return np.asarray(groups)


def _designed(
    cls: type[Any], formula: Any, data: Any, expressions: dict[str, Any], context: Any, shares: bool
) -> Any:
    """The design, the rows to fit, whether there is an intercept, and the first level of labels.

    `expressions` are weights, offset and exposure: values, texts or None. `shares`: whether the
    response may be categories, of which the first is the failure.
    """
    if not isinstance(formula, str):
        raise wrong_type("formula", "a str", formula)
    frame = as_frame(data)
    if len(frame) == 0:
        raise ValueError("data must have rows; got none.")
    response, terms, offsets = parsed_formula(formula, frame)
    offset = expressions["offset"]
    if offset is not None and offsets:
        raise ValueError(f"{formula!r} has an offset already; got offset={shown(offset)}, too.")
    more = {
        name: f"0 + `{text}`" if text in frame else f"0 + {{{text}}}"
        for name, text in expressions.items()
        if isinstance(text, str)
    }
    more |= {"offset": offsets} if offsets else {}
    for name in ("offset", "exposure"):
        if name in more or expressions[name] is not None:
            _require_taken(cls, name)
    texts = " and ".join([repr(formula), *(repr(t) for t in more.values() if isinstance(t, str))])
    context = named_in(texts, context)
    parts = evaluated(read_formula(texts, x=terms, y=response, **more), frame, context)
    fewer = without_unused_levels(frame, parts.x.index.to_numpy())
    if fewer is not None:
        frame = fewer
        parts = evaluated(read_formula(texts, x=terms, y=response, **more), frame, context)
    specs = parts.model_spec
    names = specs.x.column_names
    intercept = "Intercept" in names
    columns = tuple(name for name in names if name != "Intercept")
    if not columns and (not intercept or len(terms) > 1):
        raise ValueError(
            "formula must have a column, which a category of one level is not beside an intercept; "
            f"got {formula!r}. Write '1' for the intercept alone."
        )
    if len(parts.x) == 0:
        raise ValueError("All rows of data have missing values in variables of the formula.")
    label = None
    if issubclass(cls, Classifier) and len(response) == 1 and str(response[0]).strip("`") in frame:
        label = str(response[0]).strip("`")
    elif len(specs.y.factor_contrasts) == len(response) == 1 < parts.y.shape[1] and shares:
        pass
    elif parts.y.shape[1] != 1 or specs.y.factor_contrasts:
        kind = "categories" if specs.y.factor_contrasts else f"{parts.y.shape[1]} columns"
        raise ValueError(
            f"The response of {formula!r} is {kind}. Write one column of numbers, such as "
            "I(y == 'yes') of categories."
        )
    places = specs.x.term_indices.items()
    owned = {str(t): [j - intercept for j in cols] for t, cols in places if str(t) != "1"}
    factors = {str(t): {f.expr for f in t.factors} for t, _ in places if str(t) != "1"}
    within = {a: frozenset(b for b in factors if factors[a] < factors[b]) for a in factors}
    dropped = len(frame) - len(parts.x)
    design = FormulaDesign(formula, specs, columns, owned, within, label, dropped, context)
    arrays = {k: None if isinstance(v, str) else v for k, v in expressions.items()}
    first = None if label is None else _first_level(frame[label])
    return design, design._fit_rows(parts, frame, None, **arrays), intercept, first


def _first_level(labels: Any) -> Any:
    """The first level of a categorical column, if it is another than that of the least label."""
    levels = list(getattr(labels.dtype, "categories", ()))
    return levels[0] if levels and levels[0] != min(levels) else None


def _real(table: Any) -> Any:
    refuse_dates(table)
    for name, kind in table.dtypes.items():
        if kind.kind == "c":
            raise ValueError(f"Complex data not supported: {name!r} of the formula is {kind}.")
    return table.astype(np.float64)


def _total(table: Any) -> Any:
    return _real(table).to_numpy().sum(axis=1)


def _require_taken(cls: Any, name: str) -> None:
    """Raise ValueError if the fit of a class takes no offset, or no exposure."""
    if name not in signature(cls.fit).parameters:
        fix = "which has the log link that an exposure goes with."
        if name == "offset":
            fix = "whose gaussian family is least squares, or subtract it from the response."
        raise ValueError(f"{cls.__name__} has no {name}. Use GeneralizedLinearModel, {fix}")
