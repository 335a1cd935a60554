# SPDX-License-Identifier: BSD-3-Clause
"""Comparing models: analysis of deviance, terms dropped one by one, stepwise selection by AIC.

As R's ``anova``, ``drop1`` and ``step`` (Venables & Ripley 2002, section 7.2,
doi:10.1007/978-0-387-21706-2; Akaike 1974, doi:10.1109/TAC.1974.1100705).
"""

import warnings
from dataclasses import dataclass
from inspect import signature
from typing import Any

import numpy as np

from statfast._estimator import CoefficientTable
from statfast._validation import (
    CollinearityWarning,
    as_choice,
    as_rows,
    column_names,
    shown,
    wrong_type,
)
from statfast.linear.inference.inference import Inference

ROUNDING = 1e-14  # of a deviance: a difference of so little is none


def anova(*models, test=None):
    """Analysis of deviance of nested models.

    Parameters
    ----------
    *models : fitted estimators
        Each nested in one beside it, fitted by maximum likelihood to the same rows.
    test : {None, "chi2", "F"}
        None is F where the dispersion is estimated, chi-square where it is known.

    Returns
    -------
    CoefficientTable
        A row for each model: residual degrees of freedom and deviance, their differences to the
        model before, and the test of that difference; NaN where there is nothing to compare.

    Raises
    ------
    ValueError
        If there are fewer than two models, or they were fitted to different numbers of rows or
        with a penalty.

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
    """
    if len(models) < 2:
        raise ValueError(f"anova compares at least 2 models; got {len(models)}. Pass another.")
    for model in models:
        if not isinstance(model, Inference):
            raise wrong_type("models", "fitted linear models with inference", model)
    results = [model._inferred() for model in models]
    kinds = sorted({_kind(result) for result in results})
    if len(kinds) > 1:
        raise ValueError(f"The models must be of one family and link; got {', '.join(kinds)}.")
    counts = {result.observations for result in results}
    if len(counts) > 1:
        raise ValueError(
            f"The models must be fitted to the same rows; got {sorted(counts)} observations."
        )
    known = all(result.known for result in results)
    largest = min(results, key=lambda result: result.df_residual)
    test = as_choice(test, "test", (None, "chi2", "F")) or ("chi2" if known else "F")
    df = np.array([result.df_residual for result in results])
    deviance = np.array([result.deviance for result in results])
    change, less = -np.diff(df, prepend=np.nan), -np.diff(deviance, prepend=np.nan)
    columns = {"Resid. df": df, "Resid. dev": deviance, "Df": change, "Deviance": less}
    columns |= _test(test, change, less, largest.dispersion, largest.df_residual)
    return CoefficientTable([f"Model {k + 1}" for k in range(len(models))], columns)


def _kind(result):
    facts = dict(result.facts)
    return f"{facts.get('Family', 'gaussian')} with {facts.get('Link', 'identity')} link"


def _test(test, df, deviance, dispersion, rest):
    """The column, or columns, of a test of these falls of the deviance."""
    from scipy.special import chdtrc, fdtrc

    df, deviance = np.asarray(df, dtype=float), np.asarray(deviance, dtype=float)
    some = np.where(df != 0, df, np.nan)
    if test == "chi2":
        p = chdtrc(np.abs(some), np.maximum(deviance / dispersion * np.sign(some), 0.0))
        return {"P>|Chi2|": np.where(np.isnan(some), np.nan, p)}
    ratio = deviance / some / dispersion
    p = fdtrc(np.abs(some), rest, np.maximum(ratio, 0.0)) if rest > 0 else np.full(len(df), np.nan)
    return {"F": ratio, "P>|F|": np.where(np.isnan(some), np.nan, p)}


def drop1(model, X, y, sample_weight=None, offset=None, *, groups=None, test=None):
    """Fit without each term in turn, and test what that costs.

    Parameters
    ----------
    model : estimator
        `LinearRegression`, `GeneralizedLinearModel`, or `LogisticRegression` of two classes; its
        parameters are used.
    X : array-like of shape (n, d)
    y : array-like of shape (n,)
    sample_weight : array-like of shape (n,), optional
    offset : array-like of shape (n,), optional
    groups : dict of str to sequence of int, optional
        Columns that make a term together, such as the indicators of a factor. None makes a term of
        each column.
    test : {None, "chi2", "F"}
        None is F where the dispersion is estimated, chi-square where it is known.

    Returns
    -------
    CoefficientTable
        The whole model, and a row for each term left out of it: degrees of freedom, deviance, AIC
        and the likelihood-ratio test; NaN where there is nothing to test.
    """
    search = _Search(model, X, y, sample_weight, offset, groups)
    whole = search.fit(frozenset(search.terms))
    result = whole._inferred()
    test = as_choice(test, "test", (None, "chi2", "F")) or ("chi2" if result.known else "F")
    fits = [search.fit(frozenset(search.terms) - {term})._inferred() for term in search.terms]
    df = np.array([np.nan, *(fit.df_residual - result.df_residual for fit in fits)])
    deviance = np.array([result.deviance, *(fit.deviance for fit in fits)])
    rise = np.append(np.nan, deviance[1:] - deviance[0])
    rise[np.abs(rise) <= ROUNDING * deviance[0]] = 0.0
    dispersion = result.dispersion or np.nan  # 0: a perfect fit, which tests nothing
    columns = {
        "Df": df,
        "Deviance": deviance,
        "AIC": np.array([_aic(fit) for fit in (result, *fits)]),
        "LRT": rise / dispersion,
    }
    columns |= _test(test, df, rise, dispersion, result.df_residual)
    return CoefficientTable(["(none)", *search.terms], columns)


@dataclass(frozen=True)
class StepwiseResult:
    """What a stepwise search found.

    Attributes
    ----------
    model : estimator
        Fitted to the columns chosen.
    terms : tuple of str
        Those kept.
    columns : ndarray of shape (m,), intp
        The columns of X that they are made of.
    path : CoefficientTable
        The steps, with degrees of freedom, deviance and AIC after each.
    """

    model: Any
    terms: tuple[str, ...]
    columns: np.ndarray
    path: CoefficientTable


def step(
    model, X, y, sample_weight=None, offset=None, *, groups=None, start="all", direction="both"
):
    """Stepwise selection of terms by AIC.

    Of all models with a term less, or more, that of least AIC is taken, until none is better.

    Parameters
    ----------
    model : estimator
        `LinearRegression`, `GeneralizedLinearModel`, or `LogisticRegression` of two classes; its
        parameters are used.
    X : array-like of shape (n, d)
    y : array-like of shape (n,)
    sample_weight : array-like of shape (n,), optional
    offset : array-like of shape (n,), optional
    groups : dict of str to sequence of int, optional
        As for `drop1`.
    start : {"all", "none"}, default="all"
        Begin with all terms, or with the intercept alone.
    direction : {"both", "backward", "forward"}, default="both"

    Returns
    -------
    StepwiseResult

    Notes
    -----
    The errors and p values of the model that is found do not allow for the search. **Ties** go to
    the earliest term, removals first.
    """
    search = _Search(model, X, y, sample_weight, offset, groups)
    as_choice(start, "start", ("all", "none"))
    as_choice(direction, "direction", ("both", "backward", "forward"))
    chosen = frozenset(search.terms if start == "all" else ())
    best = search.fit(chosen)
    if not np.isfinite(_aic(best._inferred())):
        raise ValueError(
            "model must have an AIC; got one without (a quasi family, method='firth' or a perfect "
            "fit). Use drop1."
        )
    names, path = ["Start"], [best]
    while True:
        moves = []
        if direction != "forward":
            moves += [(f"- {t}", chosen - {t}) for t in search.terms if t in chosen]
        if direction != "backward":
            moves += [(f"+ {t}", chosen | {t}) for t in search.terms if t not in chosen]
        tried = [(name, terms, search.fit(terms)) for name, terms in moves]
        name, terms, fitted = min(
            tried, key=lambda move: _aic(move[2]._inferred()), default=(None, chosen, best)
        )
        if name is None or _aic(fitted._inferred()) >= _aic(best._inferred()) - 1e-9:
            break
        chosen, best = terms, fitted
        names.append(name)
        path.append(best)
    results = [fit._inferred() for fit in path]
    columns = {
        "Resid. df": np.array([result.df_residual for result in results]),
        "Resid. dev": np.array([result.deviance for result in results]),
        "AIC": np.array([_aic(result) for result in results]),
    }
    kept = tuple(term for term in search.terms if term in chosen)
    return StepwiseResult(best, kept, search.columns(chosen), CoefficientTable(names, columns))


def _aic(result):
    return 2 * result.parameters - 2 * result.loglik


class _Search:
    """The fits of a search, each made once."""

    def __init__(self, model, X, y, sample_weight, offset, groups):
        if not isinstance(model, Inference):
            raise wrong_type("model", "an estimator that has a summary", model)
        if offset is not None and "offset" not in signature(model.fit).parameters:
            raise ValueError(
                f"offset must be None for a {type(model).__name__}, which has none; got "
                f"{shown(offset)}. Subtract it from y."
            )
        names = column_names(X)
        self.X, self.model = as_rows(X), model
        self.table = None if names is None else X  # of it, fits keep the names of columns
        self.y = y
        self.more = {"sample_weight": sample_weight}
        if offset is not None:  # least squares takes none
            self.more["offset"] = offset
        d = self.X.shape[1]
        if groups is None:
            names = [f"x{j}" for j in range(d)] if names is None else [str(n) for n in names]
            groups = {name: [j] for j, name in enumerate(names)}
        elif not isinstance(groups, dict):
            raise wrong_type("groups", "a dict of names to columns", groups)
        self.terms = {str(name): np.atleast_1d(np.asarray(g)) for name, g in groups.items()}
        for name, columns in self.terms.items():
            if columns.dtype.kind not in "iu" or not ((columns >= 0) & (columns < d)).all():
                raise ValueError(
                    f"groups must name columns from 0 to {d - 1}; got {shown(columns.tolist())} "
                    f"for {name!r}."
                )
        self.done = {}

    def columns(self, terms):
        kept = [self.terms[term] for term in self.terms if term in terms]
        return np.concatenate([*kept, np.zeros(0, np.intp)]).astype(np.intp)

    def _named(self, columns):
        """Some columns of a table, as a table."""
        if hasattr(self.table, "iloc"):  # pandas
            return self.table.iloc[:, columns]
        names = list(column_names(self.table))
        return self.table.select([names[j] for j in columns.tolist()])  # polars, pyarrow

    def fit(self, terms):
        if terms not in self.done:
            columns = self.columns(terms)
            fresh = type(self.model)(**self.model.get_params(deep=False))
            with warnings.catch_warnings():  # said once, by the model that was given
                warnings.simplefilter("ignore", CollinearityWarning)
                if len(columns) == 0:  # a column of zeros is none
                    rows = np.zeros((len(self.X), 1))
                else:
                    rows = self.X[:, columns] if self.table is None else self._named(columns)
                self.done[terms] = fresh.fit(rows, self.y, **self.more)
        return self.done[terms]
