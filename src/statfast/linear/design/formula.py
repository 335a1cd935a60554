# SPDX-License-Identifier: BSD-3-Clause
"""Formulas, as R and statsmodels write them: from a data frame to columns with names, and back.

``formulaic`` (an optional package) reads the formula and codes its terms; what is remembered of a
fit are levels, centers and knots, so that new rows become the same columns.
"""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from statfast._estimator import Classifier
from statfast._typing import ArrayLike, Attributes, Weights
from statfast._validation import (
    CollinearityWarning,
    as_weights,
    column_names,
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
)


@dataclass(frozen=True)
class RowsOfFormula:
    """What `fit` takes, of the rows of a data frame in which nothing is missing."""

    X: Any
    y: Any
    sample_weight: Any
    offset: Any
    kept: np.ndarray  # their positions in the data frame


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
        What the formula takes that is no column: functions and numbers.
    """

    formula: str
    specs: Any
    columns: tuple[str, ...]
    terms: dict[str, list[int]]
    within: dict[str, frozenset[str]]
    label: str | None
    dropped: int = 0
    context: Any = None

    def reads(self, X):
        """Whether X is a table of variables, rather than of the columns of the design."""
        if isinstance(X, dict):
            return True
        names = column_names(X)
        return names is not None and tuple(names) != self.columns

    def predictors(self, data, offset=None):
        """Columns of new rows, and what is added to their linear predictor."""
        frame = as_frame(data)
        wanted = ("x", "offset") if offset is None else ("x",)
        parts = evaluated(self._some(wanted), frame, self.context)
        kept = parts.x.index.to_numpy()
        if len(kept) < len(frame):
            row = int(np.setdiff1d(np.arange(len(frame)), kept)[0])
            raise ValueError(
                f"X must hold all variables of {self.formula!r} for each row; one is missing in "
                f"row {row}. Leave out such rows."
            )
        if offset is None and "offset" in self.specs._to_dict():
            offset = _total(parts.offset)
        return self._columns(parts.x), offset

    def rows(self, data, y=None, sample_weight=None, offset=None):
        """All that `fit` takes; arrays that are given have an element for each row of data."""
        frame = as_frame(data)
        given = {"y": y, "weight": sample_weight, "offset": offset}
        wanted = ["x", *(name for name, values in given.items() if values is None)]
        return self._gathered(evaluated(self._some(wanted), frame, self.context), frame, **given)

    def _gathered(self, parts, frame, y, weight, offset):
        n, kept, found = len(frame), parts.x.index.to_numpy(), parts._to_dict()
        if y is not None:
            y = np.asarray(y)[kept] if np.shape(y)[:1] == (n,) else y
        elif self.label is not None:
            y = frame[self.label].to_numpy()[kept]
        else:
            y = _real(parts.y).to_numpy()[:, 0]
        if weight is not None:
            weight = as_weights(weight, n)[kept]
        elif "weight" in found:
            weight = _total(parts.weight)
        if offset is not None:
            offset = offsets_for(offset, n)[kept]
        elif "offset" in found:
            offset = _total(parts.offset)
        return RowsOfFormula(self._columns(parts.x), y, weight, offset, kept)

    def of_terms(self, terms):
        """The design of some of the terms."""
        places = [j for term, columns in self.terms.items() if term in terms for j in columns]
        new = {old: k for k, old in enumerate(places)}
        one, specs = "Intercept" in self.specs.x.column_names, self.specs._to_dict()
        added = specs["offset"].column_names if "offset" in specs else ()
        added = [name if name.startswith("offset(") else f"offset({name})" for name in added]
        right = [*(t for t in self.terms if t in terms), *added] or ["1"]
        right += [] if one else ["0"]
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

    def _columns(self, table):
        if not self.columns:  # a column of zeros is none
            return np.zeros((len(table), 1))
        return _real(table[list(self.columns)])

    def _some(self, wanted):
        specs = self.specs._to_dict()
        return type(self.specs)(**{name: specs[name] for name in wanted if name in specs})


class FromFormula(Attributes):
    """Mixin: models fitted to a formula and a data frame."""

    @classmethod
    def from_formula(
        cls,
        formula: str,
        data: ArrayLike | Mapping[str, ArrayLike],
        *,
        sample_weight: Weights = None,
        offset: ArrayLike | None = None,
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
            ``C(group)`` for categories (columns of strings are, anyway), ``offset(log(t))``, and
            functions, such as ``log(x)``, ``I(x**2)``, ``poly(x, 2)`` and ``bs(x, df=4)``. It may
            run any Python: take none from strangers.
        data : data frame, or dict of str to array-like of shape (n,)
            pandas, polars or pyarrow. Samples in which a variable of the formula is missing are
            left out, as R's ``na.omit`` does; `summary` says how many.
        sample_weight : str or array-like of shape (n,), optional
            Weights, a column of the data, or an expression of columns.
        offset : str or array-like of shape (n,), optional
            Offset of the linear predictor: values, a column of the data, or an expression of
            columns, which is evaluated again on new data.
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
        takes them. Categories are coded against the first level (treatment coding), in the order
        of a categorical column or else sorted; ``C(g, contr.sum)`` and others are formulaic's.

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
        design, rows, one = _designed(cls, formula, data, sample_weight, offset, context)
        if params.get("fit_intercept", one) != one:
            raise ValueError(
                f"fit_intercept is said by the formula, whose intercept is {one}; got "
                f"{shown(params['fit_intercept'])}. Write '- 1' for none."
            )
        model = cls(**params, **({} if one else {"fit_intercept": False}))
        more = {} if rows.offset is None else {"offset": rows.offset}
        if groups is not None:
            groups = _groups(data, groups)[rows.kept]
        more |= {"cov_type": cov_type, "groups": groups}
        more |= {} if maxlags is None else {"maxlags": maxlags}
        with warnings.catch_warnings():
            if not design.columns:  # a column of zeros is none
                warnings.simplefilter("ignore", CollinearityWarning)
            model.fit(rows.X, rows.y, rows.sample_weight, **more)
        return remember(model, design)


def remember(model, design):
    """Let a fitted model know the formula of its columns."""
    known = {"design_": design}
    model.__dict__.update(known, _fitted=(*model._fitted, *known))
    notes = [f"Formula: {design.formula}"]
    if design.dropped:
        what = "1 row" if design.dropped == 1 else f"{design.dropped} rows"
        notes.append(f"{what} with missing values left out.")

    def told(result):
        names, aliased = result.names, result.aliased
        if not design.columns:  # that of zeros has no name
            names = tuple("" if gone else n for n, gone in zip(names, aliased, strict=True))
        return replace(result, names=names, notes=(*notes, *result.notes))

    model._replace_results(told)
    return model


def design_of(model):
    """The formula of a fitted model, or None."""
    return model.__dict__.get("design_")


def predictors(model, X, offset=None):
    """Rows and offset: as they are, or as the formula of the fit makes them of a data frame."""
    design = design_of(model)
    if design is None or not design.reads(X):
        return X, offset
    return design.predictors(X, offset)


def rows_again(model, X, y, sample_weight=None, offset=None):
    """X, y, weights and offset of a fit given again: arrays, or the data frame of a formula."""
    design = design_of(model)
    if design is not None and design.reads(X):
        rows = design.rows(X, y, sample_weight, offset)
        return rows.X, rows.y, rows.sample_weight, rows.offset
    if y is None:
        raise ValueError("y is missing, and models keep no rows. Pass it as to fit.")
    return X, y, sample_weight, offset


def groups_again(model, X, groups):
    """Labels of clusters: as given, or of the rows that the fit has of a formula's data frame."""
    design = design_of(model)
    if design is None or not design.reads(X):
        return groups
    return _groups(X, groups)[design.rows(X).kept]


def _groups(data, groups):
    frame = as_frame(data)
    if isinstance(groups, str):
        if groups not in frame:
            raise ValueError(f"groups must name a column of the data; got {groups!r}.")
        return frame[groups].to_numpy()
    if np.shape(groups)[:1] != (len(frame),):
        raise ValueError(
            f"groups must have a label for each of the {len(frame)} rows; got {shown(groups)}."
        )
    return np.asarray(groups)


def _designed(cls, formula, data, sample_weight, offset, context):
    """The design, the rows to fit, and whether there is an intercept."""
    if not isinstance(formula, str):
        raise wrong_type("formula", "a str", formula)
    frame = as_frame(data)
    if len(frame) == 0:
        raise ValueError("data must have rows; got none.")
    response, terms, offsets = parsed_formula(formula, frame)
    if offset is not None and offsets:
        raise ValueError(f"{formula!r} has an offset already; got offset={shown(offset)}, too.")
    expressions = {"weight": sample_weight, "offset": offset}
    more = {
        name: f"0 + `{text}`" if text in frame else f"0 + {{{text}}}"
        for name, text in expressions.items()
        if isinstance(text, str)
    }
    more |= {"offset": offsets} if offsets else {}
    if "offset" in more or offset is not None:
        _require_offsets(cls)
    texts = " and ".join([repr(formula), *(repr(t) for t in more.values() if isinstance(t, str))])
    context = named_in(texts, context)
    parts = evaluated(read_formula(texts, x=terms, y=response, **more), frame, context)
    specs = parts.model_spec
    names = specs.x.column_names
    one = "Intercept" in names
    columns = tuple(name for name in names if name != "Intercept")
    if not columns and (not one or len(terms) > 1):
        raise ValueError(
            "formula must have a column, which a category of one level is not beside an intercept; "
            f"got {formula!r}. Write '1' for the intercept alone."
        )
    if len(parts.x) == 0:
        raise ValueError("All rows of data have missing values in variables of the formula.")
    label = None
    if issubclass(cls, Classifier) and len(response) == 1 and str(response[0]).strip("`") in frame:
        label = str(response[0]).strip("`")
    elif parts.y.shape[1] != 1 or specs.y.factor_contrasts:
        found = "categories" if specs.y.factor_contrasts else f"{parts.y.shape[1]} columns"
        raise ValueError(
            f"The response of {formula!r} is {found}. Write one column of numbers, such as "
            "I(y == 'yes') of categories."
        )
    places = specs.x.term_indices.items()
    owned = {str(t): [j - one for j in cols] for t, cols in places if str(t) != "1"}
    factors = {str(t): {f.expr for f in t.factors} for t, _ in places if str(t) != "1"}
    within = {a: frozenset(b for b in factors if factors[a] < factors[b]) for a in factors}
    dropped = len(frame) - len(parts.x)
    design = FormulaDesign(formula, specs, columns, owned, within, label, dropped, context)
    arrays = {k: None if isinstance(v, str) else v for k, v in expressions.items()}
    return design, design._gathered(parts, frame, None, **arrays), one


def _real(table):
    for name, kind in table.dtypes.items():
        if kind.kind == "c":
            raise ValueError(f"Complex data not supported: {name!r} of the formula is {kind}.")
    return table.astype(np.float64)


def _total(table):
    return _real(table).to_numpy().sum(axis=1)


def _require_offsets(cls):
    from inspect import signature

    if "offset" not in signature(cls.fit).parameters:
        raise ValueError(
            f"{cls.__name__} has no offset. Use GeneralizedLinearModel, whose gaussian family is "
            "least squares, or subtract it from the response."
        )
