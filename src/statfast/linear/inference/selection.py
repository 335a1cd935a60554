# SPDX-License-Identifier: BSD-3-Clause
"""Searching models: terms dropped or added one by one, stepwise selection by AIC or BIC.

As R's ``drop1``, ``add1`` and ``step`` (Venables & Ripley 2002, section 7.2,
doi:10.1007/978-0-387-21706-2; Akaike 1974, doi:10.1109/TAC.1974.1100705).
"""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Any, Literal

import numpy as np

from statfast._estimator import CoefficientTable, Display, picture
from statfast._typing import Array, ArrayLike, Axes, DataFrame, Rows, Weights
from statfast._validation import as_choice, as_real, is_iterable, shown, wrong_type
from statfast.linear.design.formula import remember
from statfast.linear.inference.anova import ROUNDING, TESTS, fall_test, misfits
from statfast.linear.inference.term_fits import TermFits


def drop1(
    model: Any,
    X: Rows | None = None,
    y: ArrayLike | None = None,
    sample_weight: Weights = None,
    offset: ArrayLike | None = None,
    exposure: ArrayLike | None = None,
    *,
    groups: Mapping[str, Sequence[int]] | None = None,
    test: Literal["chi2", "F"] | None = None,
) -> CoefficientTable:
    """Single-term deletions from a model, as R's ``drop1``.

    Parameters
    ----------
    model : estimator
        `LinearRegression`, `GeneralizedLinearModel`, or `LogisticRegression` of two classes; its
        parameters are used.
    X : array-like of shape (n, d)
        Samples.
    y : array-like of shape (n,), optional
        Found in X, if that is the data frame of the model's formula.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; None is 1 for all.
    offset : array-like of shape (n,), optional
        Offset of the linear predictor.
    exposure : array-like of shape (n,), optional
        Exposure, whose logarithm is an offset (log link). What the fit of the model had of weights,
        offset and exposure is given again, except for what its formula finds in X.
    groups : dict of str to sequence of int, optional
        Columns that make a term together, such as the indicators of a factor. None takes those of
        the formula, where a term stays while an interaction holds it, or makes a term of each
        column.
    test : {None, "chi2", "F"}
        None is F where the dispersion is estimated, chi-square where it is known.

    Returns
    -------
    CoefficientTable
        The whole model, and a row for each term left out of it: degrees of freedom, deviance, AIC
        and the likelihood-ratio test; NaN where there is nothing to test.

    Raises
    ------
    ValueError
        If rows are missing, or weights, offset or exposure that the fit had.

    Notes
    -----
    Where the dispersion is estimated, tests measure the rise of the deviance by that of the whole
    model, from Pearson's chi-square, as `anova` does (F tests of R's ``drop1`` of a GLM take the
    mean deviance instead). AIC is that of each model, with a dispersion of its own.

    A **negative binomial** whose theta is estimated has a theta of its own in each model, counted
    by AIC, and is compared by log-likelihoods: the deviance, which depends on theta, gives way to
    "-2 log L". (R's ``drop1`` holds theta at that of the whole model.)

    Examples
    --------
    >>> from statfast import LinearRegression, drop1
    >>> from statfast.datasets import load_iris
    >>> iris = load_iris()
    >>> print(drop1(LinearRegression(), iris.data[:, :3], iris.data[:, 3]))
            Df  Deviance     AIC     LRT       F     P>|F|
    (none)         5.380  -63.50
    x0       1     6.082  -47.12   19.04   19.04  2.41e-05  ***
    x1       1     6.144  -45.58   20.73   20.73  1.10e-05  ***
    x2       1    22.255  147.47  457.90  457.90  <2.2e-16  ***
    """
    search = TermFits(model, X, y, sample_weight, offset, exposure, groups)
    whole = search.fit(frozenset(search.terms))
    result = whole._inferred()
    test = as_choice(test, "test", TESTS) or ("chi2" if result.known else "F")
    names = search.droppable(frozenset(search.terms))
    fits = [search.fit(frozenset(search.terms) - {term})._inferred() for term in names]
    df = np.array([np.nan, *(fit.df_residual - result.df_residual for fit in fits)])
    heading, misfit = misfits([result, *fits], "Deviance")
    rise = np.append(np.nan, misfit[1:] - misfit[0])
    rise[np.abs(rise) <= ROUNDING * abs(misfit[0])] = 0.0
    # A dispersion of 0 is that of a perfect fit, which tests nothing.
    dispersion = result.dispersion or np.nan
    columns = {
        "Df": df,
        heading: misfit,
        "AIC": np.array([_criterion(fit) for fit in (result, *fits)]),
        "LRT": rise / dispersion,
    }
    columns |= fall_test(test, df, rise, dispersion, result.df_residual)
    return CoefficientTable(["(none)", *names], columns)


def add1(
    model: Any,
    X: Rows | None = None,
    y: ArrayLike | None = None,
    sample_weight: Weights = None,
    offset: ArrayLike | None = None,
    exposure: ArrayLike | None = None,
    *,
    groups: Mapping[str, Sequence[int]] | None = None,
    start: Sequence[str] = (),
    test: Literal["chi2", "F"] | None = None,
) -> CoefficientTable:
    """Single-term additions to a model, as R's ``add1``.

    Parameters
    ----------
    model : estimator
        `LinearRegression`, `GeneralizedLinearModel`, or `LogisticRegression` of two classes; its
        parameters are used.
    X : array-like of shape (n, d)
        The columns of all terms.
    y : array-like of shape (n,), optional
        Found in X, if that is the data frame of the model's formula.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; None is 1 for all.
    offset : array-like of shape (n,), optional
        Offset of the linear predictor.
    exposure : array-like of shape (n,), optional
        Exposure, whose logarithm is an offset (log link). What the fit of the model had of weights,
        offset and exposure is given again, except for what its formula finds in X.
    groups : dict of str to sequence of int, optional
        Columns that make a term together, such as the indicators of a factor. None takes those of
        the formula, where a term stays while an interaction holds it, or makes a term of each
        column.
    start : sequence of str, default=()
        Names of the terms that the model has; none is the intercept alone.
    test : {None, "chi2", "F"}
        None is F where the dispersion is estimated, chi-square where it is known.

    Returns
    -------
    CoefficientTable
        The model as it is, and a row for each term added to it: degrees of freedom, deviance, AIC
        and the likelihood-ratio test, with the dispersion of the larger model. Of a negative
        binomial as in `drop1`.

    Raises
    ------
    ValueError
        If `start` names what is not a term, or rows are missing, or weights, offset or exposure
        that the fit had.

    Examples
    --------
    >>> import numpy as np
    >>> from statfast.linear import LinearRegression, add1
    >>> X = np.array([[1.0, 4.0], [2.0, 1.0], [3.0, 3.0], [4.0, 2.0]])
    >>> add1(LinearRegression(), X, [1.1, 1.9, 3.2, 3.9]).columns["F"].round(2)
    array([   nan, 149.35,   0.22])
    """
    search = TermFits(model, X, y, sample_weight, offset, exposure, groups)
    chosen = _start(start, search.terms)
    small = search.fit(chosen)._inferred()
    names = search.addable(chosen)
    fits = [search.fit(chosen | {term})._inferred() for term in names]
    test = as_choice(test, "test", TESTS) or ("chi2" if small.known else "F")
    df = np.array([np.nan, *(small.df_residual - fit.df_residual for fit in fits)])
    heading, misfit = misfits([small, *fits], "Deviance")
    fall = np.append(np.nan, misfit[0] - misfit[1:])
    fall[np.abs(fall) <= ROUNDING * abs(misfit[0])] = 0.0
    dispersions = [fit.dispersion or np.nan for fit in fits]
    columns = {
        "Df": df,
        heading: misfit,
        "AIC": np.array([_criterion(fit) for fit in (small, *fits)]),
        "LRT": fall / np.array([np.nan, *dispersions]),
    }
    rows = [
        fall_test(test, df[k : k + 1], fall[k : k + 1], fit.dispersion or np.nan, fit.df_residual)
        for k, fit in enumerate((small, *fits))
    ]
    columns |= {name: np.concatenate([row[name] for row in rows]) for name in rows[0]}
    return CoefficientTable(["(none)", *names], columns)


def _start(names: Any, terms: dict[str, Array]) -> frozenset[Any]:
    """The set of terms to begin with."""
    if not is_iterable(names):
        raise wrong_type("start", "names of terms", names)
    chosen = frozenset([names] if isinstance(names, str) else map(str, names))
    if not chosen <= set(terms):
        raise ValueError(
            f"start must name terms, of {', '.join(terms)}; got {shown(sorted(chosen))}."
        )
    return chosen


@dataclass(frozen=True, repr=False)
class StepwiseResult:
    """Result of a stepwise selection; ``print`` shows the steps.

    Attributes
    ----------
    model : estimator
        Fitted to the columns chosen.
    terms : tuple of str
        Those kept.
    columns : ndarray of shape (m,), intp
        The columns of X that they are made of.
    path : CoefficientTable
        The steps, with degrees of freedom, deviance ("-2 log L" where theta is estimated) and AIC
        (or BIC, "Criterion" for other `k`) after each.

    Examples
    --------
    >>> import numpy as np
    >>> from statfast import LinearRegression
    >>> from statfast.linear import step
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 4))
    >>> y = 3 * X[:, 1] - 2 * X[:, 2] + rng.normal(size=100)
    >>> result = step(LinearRegression().fit(X, y), X, y)
    >>> print(result)
    Stepwise selection by AIC
    <BLANKLINE>
           Resid. df  Resid. dev    AIC
    Start         95       113.2  308.2
    - x0          96       113.9  306.8
    - x3          97       114.7  305.5
    <BLANKLINE>
    Kept: x1, x2
    >>> result.terms
    ('x1', 'x2')
    """

    model: Any
    terms: tuple[str, ...]
    columns: np.ndarray
    path: CoefficientTable

    def to_frame(self) -> DataFrame:
        """Return the steps as a pandas data frame.

        Returns
        -------
        pandas.DataFrame
            A row for each step.
        """
        return self.path.to_frame()

    def plot(self, *, ax: Axes | None = None, **style: Any) -> Display:
        """Draw it: `statfast.plot.stepwise`.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; None draws on a new figure of pyplot.
        **style : object
            Style of the main artist, passed on to matplotlib.

        Returns
        -------
        statfast.plot.Display
        """
        return picture("stepwise")(self, ax=ax, **style)

    def __str__(self) -> str:
        title, kept = self._words()
        return f"{title}\n\n{self.path}\n\n{kept}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        title, kept = map(html.escape, self._words())
        return f"<h4>{title}</h4>{self.path._repr_html_()}<p>{kept}</p>"

    def _words(self) -> tuple[str, str]:
        criterion = list(self.path.columns)[-1]
        kept = ", ".join(self.terms) or "the intercept alone"
        return f"Stepwise selection by {criterion}", f"Kept: {kept}"


def step(
    model: Any,
    X: Rows | None = None,
    y: ArrayLike | None = None,
    sample_weight: Weights = None,
    offset: ArrayLike | None = None,
    exposure: ArrayLike | None = None,
    *,
    groups: Mapping[str, Sequence[int]] | None = None,
    start: Literal["all", "none"] = "all",
    direction: Literal["both", "backward", "forward"] = "both",
    k: float | Literal["log"] = 2.0,
) -> StepwiseResult:
    """Stepwise selection of terms by AIC or BIC.

    Of all models with a term less, or more, that of least AIC is taken, until none is better.

    Parameters
    ----------
    model : estimator
        `LinearRegression`, `GeneralizedLinearModel`, or `LogisticRegression` of two classes; its
        parameters are used.
    X : array-like of shape (n, d)
        Samples.
    y : array-like of shape (n,), optional
        Found in X, if that is the data frame of the model's formula.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; None is 1 for all.
    offset : array-like of shape (n,), optional
        Offset of the linear predictor.
    exposure : array-like of shape (n,), optional
        Exposure, whose logarithm is an offset (log link). What the fit of the model had of weights,
        offset and exposure is given again, except for what its formula finds in X.
    groups : dict of str to sequence of int, optional
        Columns that make a term together, such as the indicators of a factor. None takes those of
        the formula, where a term stays while an interaction holds it, or makes a term of each
        column.
    start : {"all", "none"}, default="all"
        Begin with all terms, or with the intercept alone.
    direction : {"both", "backward", "forward"}, default="both"
        Whether terms are removed, added, or both.
    k : float or "log", default=2.0
        What a parameter costs: 2 is AIC, ``log(n)`` BIC, which "log" stands for, with n the
        observations.

    Returns
    -------
    StepwiseResult

    Notes
    -----
    The errors and p values of the model that is found do not allow for the search. **Ties** go to
    the earliest term, removals first. As in R, terms without which the model has as many degrees of
    freedom, as others determine their columns, are removed before any other, the last first, and
    are never added.

    Examples
    --------
    >>> from statfast import LinearRegression, step
    >>> from statfast.datasets import load_wine
    >>> wine = load_wine()
    >>> result = step(LinearRegression(), wine.data[:, 1:], wine.data[:, 0], k="log")
    >>> result.terms
    ('x0', 'x2', 'x8', 'x11')
    """
    search = TermFits(model, X, y, sample_weight, offset, exposure, groups)
    as_choice(start, "start", ("all", "none"))
    as_choice(direction, "direction", ("both", "backward", "forward"))
    chosen = frozenset(search.terms if start == "all" else ())
    best = search.fit(chosen)
    first = _with_likelihood(best)
    if isinstance(k, str):
        as_choice(k, "k", ("log",))
        k = log(first.observations)
    k = as_real(k, "k", 0.0)
    names, path = ["Start"], [best]
    while True:
        moves, freedom = [], best._inferred().df_residual
        if direction != "forward":
            moves += [(f"- {t}", chosen - {t}) for t in search.droppable(chosen)]
        if direction != "backward":
            moves += [(f"+ {t}", chosen | {t}) for t in search.addable(chosen)]
        tried = [(name, terms, search.fit(terms)) for name, terms in moves]
        idle = [move for move in tried if move[2]._inferred().df_residual == freedom]
        tried = [move for move in tried if move not in idle]
        idle = [move for move in idle if move[0].startswith("-")]
        if idle:  # Columns that others determine are dropped first.
            name, terms, fitted = idle[-1]
        else:
            name, terms, fitted = min(
                tried, key=lambda move: _criterion(_with_likelihood(move[2]), k),
                default=(None, chosen, best),
            )  # fmt: skip
            least = _criterion(best._inferred(), k) - 1e-9
            if name is None or _criterion(fitted._inferred(), k) >= least:
                break
        chosen, best = terms, fitted
        names.append(name)
        path.append(best)
    results = [fit._inferred() for fit in path]
    heading, misfit = misfits(results, "Resid. dev")
    columns = {
        "Resid. df": np.array([result.df_residual for result in results]),
        heading: misfit,
        "AIC" if k == 2 else "BIC" if k == log(first.observations) else "Criterion": np.array(
            [_criterion(result, k) for result in results]
        ),
    }
    kept = tuple(term for term in search.terms if term in chosen)
    if search.design is not None and search.terms.keys() == search.design.terms.keys():
        remember(best, search.design.of_terms(kept))
    return StepwiseResult(best, kept, search.columns(chosen), CoefficientTable(names, columns))


def _with_likelihood(fit: Any) -> Any:
    """The inference of a fit, which must have a likelihood: steps compare nothing else."""
    result = fit._inferred()
    if not np.isfinite(result.loglik):
        raise ValueError(
            "model must have an AIC, with and without its terms; got one without (a quasi family, "
            "method='firth' or a perfect fit). Use drop1."
        )
    return result


def _criterion(result: Any, k: float = 2.0) -> float:
    return k * result.parameters - 2 * result.loglik
