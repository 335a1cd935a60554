# SPDX-License-Identifier: BSD-3-Clause
"""How much columns that go together inflate the variance of coefficients.

Fox & Monette 1992, doi:10.1080/01621459.1992.10475190.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from statfast._estimator import CoefficientTable
from statfast._typing import Array, ArrayLike, Rows, Weights
from statfast._validation import wrong_type
from statfast.linear.inference.anova import MULTINOMIAL, kind_of
from statfast.linear.inference.inference import Inference
from statfast.linear.inference.term_fits import TermFits, as_groups, terms_of


def vif(
    model: Any,
    X: Rows | None = None,
    y: ArrayLike | None = None,
    sample_weight: Weights = None,
    offset: ArrayLike | None = None,
    exposure: ArrayLike | None = None,
    *,
    groups: Mapping[str, Sequence[int]] | None = None,
) -> CoefficientTable:
    """Variance inflation factors of the terms of a fitted model.

    By how much the squared size of a confidence region of the coefficients of a term is larger
    than it would be if its columns were uncorrelated with all others.

    Parameters
    ----------
    model : estimator
        Least squares, a generalized linear or a logistic model, without a penalty: fitted, or with
        rows to fit it to.
    X : array-like of shape (n, d), optional
        Rows to which the model is fitted again, as `drop1` does; None is the fit as it is.
    y : array-like of shape (n,), optional
        Found in X, if that is the data frame of the model's formula.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; None is 1 for all.
    offset : array-like of shape (n,), optional
        Offset of the linear predictor.
    exposure : array-like of shape (n,), optional
        Exposure, whose logarithm is an offset (log link).
    groups : dict of str to sequence of int, optional
        Columns that make a term together. None takes those of the formula, or else makes a term of
        each column.

    Returns
    -------
    CoefficientTable
        Columns "GVIF", "Df" and "GVIF^(1/(2 Df))", as R's ``car::vif``: for a term of one column
        the first is the usual factor, and the last its root.

    Raises
    ------
    ValueError
        If columns depend on each other, the model is penalized or of several classes, or y is
        missing beside X.

    Examples
    --------
    >>> from statfast.datasets import load_iris
    >>> from statfast.linear import LinearRegression, vif
    >>> X = load_iris().data
    >>> vif(LinearRegression().fit(X[:, :3], X[:, 3])).columns["GVIF"].round(2)
    array([6.26, 1.84, 7.56])
    """
    if not isinstance(model, Inference):
        raise wrong_type("model", "a fitted linear model with inference", model)
    row_inputs = X, y, sample_weight, offset, exposure
    if groups is None:
        groups = terms_of(model)
    if any(part is not None for part in row_inputs):
        search = TermFits(model, *row_inputs, None)
        model = search.fit(frozenset(search.terms))
    result = model._inferred()
    if kind_of(result) == MULTINOMIAL:
        raise ValueError(
            "vif is of models with one coefficient for each column; got a multinomial one, with "
            "one for each class. Take those of one class against the rest."
        )
    n_intercepts = int(result.names[0] == "(Intercept)")
    if result.aliased.any():
        names = ", ".join(np.array(result.names, dtype=object)[result.aliased])
        raise ValueError(f"Columns depend on others: {names}. Their factors are infinite.")
    names = result.names[n_intercepts:]
    terms = as_groups(groups, names, len(names))
    terms = {name: np.unique(columns) for name, columns in terms.items()}
    assert result.unscaled is not None  # `_inferred` has refused where it is None.
    table = result.unscaled[n_intercepts:, n_intercepts:]
    scale = np.sqrt(table.diagonal())
    table = table / scale / scale[:, None]
    columns = np.array([len(columns) for columns in terms.values()], dtype=float)
    factors = np.array([_factor(table, columns) for columns in terms.values()])
    root = factors ** (1 / (2 * columns))
    return CoefficientTable(list(terms), {"GVIF": factors, "Df": columns, ROOT: root})


def _factor(table: Array, columns: Array) -> float:
    """det A det B / det of all, for the blocks A of these columns and B of the others."""
    within = table[np.ix_(columns, columns)]
    rest = np.delete(np.delete(table, columns, axis=0), columns, axis=1)
    sizes = [np.linalg.slogdet(part)[1] for part in (within, rest, table)]
    return float(np.exp(sizes[0] + sizes[1] - sizes[2]))


ROOT = "GVIF^(1/(2 Df))"
