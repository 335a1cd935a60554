# SPDX-License-Identifier: BSD-3-Clause
"""Analysis of variance and of deviance: models beside each other, or one term by term.

As R's ``anova`` (Venables & Ripley 2002, sections 6.7 and 7.2, doi:10.1007/978-0-387-21706-2).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from statfast._estimator import CoefficientTable
from statfast._typing import Array, ArrayLike, Rows, Weights
from statfast._validation import as_choice, as_count, wrong_type
from statfast.linear.design.formula import design_of
from statfast.linear.inference.inference import Inference
from statfast.linear.inference.term_fits import TermFits, as_groups, terms_of

GAUSSIAN = "gaussian with identity link"
MULTINOMIAL = "multinomial with logit link"
ROUNDING = 1e-14  # A difference of deviances that is a smaller share of them counts as 0.
TESTS = (None, "chi2", "F")


def anova(
    *models: Any,
    test: Literal["chi2", "F"] | None = None,
    X: Rows | None = None,
    y: ArrayLike | None = None,
    sample_weight: Weights = None,
    offset: ArrayLike | None = None,
    exposure: ArrayLike | None = None,
    groups: Mapping[str, Sequence[int]] | None = None,
    type: Literal[1, 2, 3] = 1,
) -> CoefficientTable:
    """Analysis of deviance of nested models, or of one model term by term.

    Parameters
    ----------
    *models : fitted estimators
        Each nested in one beside it, fitted by maximum likelihood to the same samples; or a single
        one, whose terms are added in order to the model without any (tests of type I). A single one
        may be followed by X, y, sample_weight, offset and exposure, as in `drop1`:
        ``anova(model, data)``.
    test : {None, "chi2", "F"}
        None is F where the dispersion is estimated, chi-square where it is known.
    X : array-like of shape (n, d), optional
        Training samples, where they are needed.
    y : array-like of shape (n,), optional
        Target values.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; None is 1 for all.
    offset : array-like of shape (n,), optional
        Offset of the linear predictor.
    exposure : array-like of shape (n,), optional
        All as given to `fit`, or of a formula's data frame X alone. A single model is fitted again
        with fewer terms, for which its rows are needed; least squares has its table without them.
    groups : dict of str to sequence of int, optional
        For a single model: columns that make a term together, each column in one of them, in the
        order in which terms are added. None takes those of the formula, or else makes a term of
        each column.
    type : {1, 2, 3}, default=1
        Of a single model's tests: 1 adds terms in order. 2 tests each beside all others but those
        that hold it, as ``a:b`` holds ``a`` (which a formula says); 3 beside all others. As
        ``car::Anova``: for 3 to mean something, categories are coded by contrasts that sum to 0.

    Returns
    -------
    CoefficientTable
        A row for each model, or term: residual degrees of freedom and deviance, their differences
        to the row before, and the test of that difference; NaN where there is nothing to compare.
        Of least squares, term by term: degrees of freedom, sum of squares, mean square, F and its
        p value, and the residuals in the last row. Of other models by types 2 and 3: degrees of
        freedom, likelihood-ratio statistic and p value.

    Raises
    ------
    ValueError
        If models were fitted to different numbers of rows, are of different families or penalized;
        or if a single model is not of least squares and X and y are missing; or if they, or
        weights, offset and exposure, are not those of its fit.

    Notes
    -----
    Where the dispersion is estimated, F tests and chi-square tests measure falls of the deviance by
    that of the largest model, from Pearson's chi-square, as R's ``anova.glm``. A **negative
    binomial** whose theta is estimated has a theta of its own in each model, and the deviance
    depends on it: models are then compared by their log-likelihoods, as R's ``anova.negbin`` does
    for several (of a single model that holds theta), and the table shows theta and "-2 log L".

    Examples
    --------
    >>> import numpy as np
    >>> from statfast.linear import GeneralizedLinearModel, anova
    >>> counts = [18, 17, 15, 20, 10, 20, 25, 13, 12]
    >>> outcome, treatment = np.tile([1, 2, 3], 3), np.repeat([1, 2, 3], 3)
    >>> X = np.column_stack([outcome == 2, outcome == 3, treatment == 2, treatment == 3])
    >>> small = GeneralizedLinearModel("poisson").fit(X[:, 2:], counts)
    >>> large = GeneralizedLinearModel("poisson").fit(X, counts)
    >>> print(anova(small, large))
             Resid. df  Resid. dev  Df  Deviance  P>|Chi2|
    Model 1          6      10.581
    Model 2          4       5.129   2     5.452    0.0655  .

    >>> factors = {"outcome": [0, 1], "treatment": [2, 3]}
    >>> print(anova(large, X, counts, groups=factors))
               Resid. df  Resid. dev  Df  Deviance  P>|Chi2|
    (null)             8      10.581
    outcome            6       5.129   2     5.452    0.0655  .
    treatment          4       5.129   2     0.000    1.0000
    """
    models, row_inputs = _split(models, (X, y, sample_weight, offset, exposure))
    if not models:
        raise ValueError("anova takes a model, or several to compare; got none. Pass one.")
    as_choice(test, "test", TESTS)
    type = as_count(type, "type", 1, 3)
    results = [model._inferred() for model in models]
    if len(models) == 1:
        if groups is None:
            groups = terms_of(models[0])
        least = kind_of(results[0]) == GAUSSIAN
        if not least or any(value is not None for value in row_inputs):
            search = _fits_again(models[0], results[0], row_inputs, groups)
        if least:
            return _least_squares(models[0], results[0], test, groups, type)
        return _term_by_term(search, test, type)
    if type != 1:
        raise ValueError(f"type={type} is for a single model; got several. Leave it out.")
    if any(value is not None for value in (*row_inputs, groups)):
        raise ValueError("X, y and groups are for a single model; got several. Leave them out.")
    return _beside(results, test, [f"Model {k + 1}" for k in range(len(models))])


def _split(
    models: tuple[Any, ...], named: Any
) -> tuple[
    tuple[Any, ...],
    tuple[Array | None, Array | None, Array | list[Any] | None, Array | None, Array | None],
]:
    """Models, and the rows (X, y, ...) that follow them or are given by name."""
    positions = (k for k, value in enumerate(models) if not isinstance(value, Inference))
    count = next(positions, len(models))
    after = models[count:]
    wrong = [value for value in after if isinstance(value, str) or hasattr(value, "fit")] or (
        [] if count else after
    )
    if wrong:
        raise wrong_type("models", "fitted linear models with inference", wrong[0])
    if len(after) > len(named) or any(value is not None for value in named[: len(after)]):
        raise TypeError(
            "anova takes X, y, sample_weight, offset and exposure after a model or by name; got "
            "more. Pass each once."
        )
    return models[:count], (*after, *named[len(after) :])


def misfits(results: list[Any], name: str) -> tuple[str, Array]:
    """What tests compare of models, under this name, or that of minus twice the log-likelihood."""
    by_likelihood = any(result.theta == result.theta for result in results)
    return "-2 log L" if by_likelihood else name, np.array([result.misfit for result in results])


def _beside(results: Any, test: Any, names: Any) -> Any:
    """The table of models, each compared with that before."""
    kinds = sorted({kind_of(result) for result in results})
    if len(kinds) > 1:
        raise ValueError(f"The models must be of one family and link; got {', '.join(kinds)}.")
    counts = {result.observations for result in results}
    if len(counts) > 1:
        raise ValueError(
            f"The models must be fitted to the same rows; got {sorted(counts)} observations."
        )
    known = all(result.known for result in results)
    largest = min(results, key=lambda result: result.df_residual)
    df = np.array([result.df_residual for result in results])
    heading, misfit = misfits(results, "Resid. dev")
    change, less = -np.diff(df, prepend=np.nan), -np.diff(misfit, prepend=np.nan)
    less[np.abs(less) <= ROUNDING * np.abs(misfit).max()] = 0.0
    thetas = np.array([result.theta for result in results])
    columns = {} if np.isnan(thetas).all() else {"theta": thetas}
    columns |= {"Resid. df": df, heading: misfit, "Df": change, "Deviance": less}
    test = test or ("chi2" if known else "F")
    columns |= fall_test(test, change, less, largest.dispersion, largest.df_residual)
    return CoefficientTable(names, columns)


def _fits_again(model, result, columns, groups):
    """The fits of the model's terms to the rows given, which must be those of its fit."""
    search = TermFits(model, *columns, groups)
    _require_each_column(search.terms, search.X.shape[1])
    last = search.fit(frozenset(search.terms))._inferred()
    same = np.isclose(last.deviance, result.deviance, rtol=1e-6, atol=1e-9)
    if not same or last.observations != result.observations:
        raise ValueError(
            f"X and y must be those of the fit, whose deviance is {result.deviance:.6g}; got rows "
            f"on which it is {last.deviance:.6g}. Pass them with weights and offset, as to fit."
        )
    return search


def _term_by_term(search: Any, test: Any, type: Any) -> Any:
    names = list(search.terms)
    last = search.fit(frozenset(names))._inferred()
    if type == 1:
        fits = [search.fit(frozenset(names[:k]))._inferred() for k in range(len(names) + 1)]
        return _beside(fits, test, ["(null)", *names])
    df, fall = np.empty(len(names)), np.empty(len(names))
    for k, name in enumerate(names):
        beside = frozenset(names) - (search.within(name) if type == 2 else frozenset())
        small, large = (search.fit(terms)._inferred() for terms in (beside - {name}, beside))
        df[k], fall[k] = small.df_residual - large.df_residual, small.misfit - large.misfit
    fall[np.abs(fall) <= ROUNDING * max(abs(last.misfit), last.null_deviance)] = 0.0
    dispersion = last.dispersion or np.nan
    test = test or ("chi2" if last.known else "F")
    tests = fall_test(test, df, fall, dispersion, last.df_residual)
    return CoefficientTable(names, {"Df": df, "LRT": fall / dispersion, **tests})


def _least_squares(model: Any, result: Any, test: Any, groups: Any, type: Any) -> Any:
    """Sums of squares, from the triangular factor of the covariance alone.

    With U U' the inverse of Z'Z, U upper triangular, the squares of U^-1 b are what each column
    adds to the sum of squares that those before it explain.
    """
    from scipy.linalg import solve_triangular

    first = int(result.names[0] == "(Intercept)")
    d = len(result.names) - first
    terms = as_groups(groups, result.names[first:], d)
    _require_each_column(terms, d)
    if type != 1:
        return _each_beside(model, result, test, terms, type)
    order = np.concatenate([np.arange(first), *(columns + first for columns in terms.values())])
    kept = order[~result.aliased[order]].astype(np.intp)
    table = result.unscaled[np.ix_(kept, kept)]
    scale = np.sqrt(table.diagonal())  # The scale of each column, as columns may be of any size.
    turned = (table / scale / scale[:, None])[::-1, ::-1]
    upper = np.linalg.cholesky(turned)[::-1, ::-1]
    added = np.zeros(len(result.names))
    added[kept] = solve_triangular(upper, result.coef[kept] / scale) ** 2
    df = np.array([(~result.aliased[columns + first]).sum() for columns in terms.values()], float)
    squares = np.array([added[columns + first].sum() for columns in terms.values()])
    return _sums_table(list(terms), result, test or "F", df, squares)


def _each_beside(model: Any, result: Any, test: Any, terms: Any, type: Any) -> Any:
    """Sums of squares of types 2 and 3.

    Coefficients b with covariance C are, were those of H zero, b - C_H C_HH^-1 b_H, with the
    covariance C - C_H C_HH^-1 C_H'.
    """
    first, design = int(result.names[0] == "(Intercept)"), design_of(model)
    places = {name: columns + first for name, columns in terms.items()}
    if type == 3 and first:
        places = {"(Intercept)": np.arange(1), **places}
    kept = {name: columns[~result.aliased[columns]] for name, columns in places.items()}
    scale = np.sqrt(np.where(result.aliased, 1.0, result.unscaled.diagonal()))
    C, b = result.unscaled / scale / scale[:, None], result.coef / scale
    df = np.array([len(columns) for columns in kept.values()], dtype=float)
    squares = np.zeros(len(kept))
    for k, (name, tested) in enumerate(kept.items()):
        holders = design.within.get(name, ()) if type == 2 and design is not None else ()
        held = np.concatenate([np.zeros(0, np.intp), *(kept[n] for n in holders if n in kept)])
        across = np.linalg.solve(C[np.ix_(held, held)], C[np.ix_(held, tested)]).T
        rest = b[tested] - across @ b[held]
        table = C[np.ix_(tested, tested)] - across @ C[np.ix_(held, tested)]
        squares[k] = rest @ np.linalg.solve(table, rest)
    return _sums_table(list(kept), result, test or "F", df, squares)


def _sums_table(names: Any, result: Any, test: Any, df: Any, squares: Array) -> Any:
    """Of sums of squares, the table with means, tests and residuals."""
    tests = fall_test(test, df, squares, result.dispersion or np.nan, result.df_residual)
    df, squares = np.append(df, result.df_residual), np.append(squares, result.deviance)
    columns = {"Df": df, "Sum Sq": squares, "Mean Sq": squares / np.where(df > 0, df, np.nan)}
    columns |= {name: np.append(column, np.nan) for name, column in tests.items()}
    return CoefficientTable([*names, "Residuals"], columns)


def _require_each_column(terms: Any, d: int) -> None:
    named = np.sort(np.concatenate([*terms.values(), np.zeros(0, np.intp)]))
    if not np.array_equal(named, np.arange(d)):
        raise ValueError(
            f"groups must hold each of the {d} columns once, for the terms to add up to the model; "
            f"got {named.astype(int).tolist()}."
        )


def kind_of(result: Any) -> str:
    """Family and link of a result, in words."""
    facts = dict(result.facts)
    if "Family" not in facts and result.known:
        return MULTINOMIAL
    return f"{facts.get('Family', 'gaussian')} with {facts.get('Link', 'identity')} link"


def fall_test(
    test: str, df: Array, deviance: Array, dispersion: float, rest: float
) -> dict[str, Array]:
    """The column, or columns, of a test of these falls of the deviance."""
    from scipy.special import chdtrc, fdtrc

    df, deviance = np.asarray(df, dtype=float), np.asarray(deviance, dtype=float)
    nonzero = np.where(df != 0, df, np.nan)
    if test == "chi2":
        p = chdtrc(np.abs(nonzero), np.maximum(deviance / dispersion * np.sign(nonzero), 0.0))
        return {"P>|Chi2|": np.where(np.isnan(nonzero), np.nan, p)}
    ratio = deviance / nonzero / dispersion
    p = fdtrc(np.abs(nonzero), rest, np.maximum(ratio, 0.0)) if rest > 0 else np.nan
    return {"F": ratio, "P>|F|": np.where(np.isnan(nonzero), np.nan, p)}
