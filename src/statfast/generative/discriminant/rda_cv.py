# SPDX-License-Identifier: BSD-3-Clause
"""The shares of regularized discriminant analysis, chosen by leave-one-out from one pass."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np

from statfast._core.generative import quadratic_scores
from statfast._engine import Chunks, checkpoint, each
from statfast._estimator import by_fit, fitted, one_of, param
from statfast._typing import Array, ArrayLike, Rows, Weights
from statfast._validation import require_finite, warn_user, wrong_type
from statfast.generative.discriminant.canonical import as_priors
from statfast.generative.discriminant.leave_one_out import MAX_REFITS, refit_without_row
from statfast.generative.discriminant.leave_one_out_quadratic import grid_scorer
from statfast.generative.discriminant.prediction import ClassRule
from statfast.generative.discriminant.rda import (
    RegularizedDiscriminantAnalysis,
    solve_rule,
)

ROWS_AT_ONCE = 2048  # Ctrl-C is looked for between the scores of so many rows.


class RegularizedDiscriminantAnalysisCV(ClassRule):
    """Regularized discriminant analysis with alpha and gamma chosen by leave-one-out.

    Every pair of a grid is judged by the class that each row is given by the fit to all other
    rows, exactly, and all pairs from the moments of one pass over the rows.

    Parameters
    ----------
    alphas : array-like of float, optional
        Proportions of the class covariances to try, from 0 to 1; None tries 0, 0.1, ..., 1.
    gammas : array-like of float, optional
        Proportions of the identity to try, from 0 to 1; None tries 0, 0.1, ..., 1.
    criterion : {"error", "log_loss"}, default="error"
        What to make small: the fraction of rows, by weight, given a wrong class, or the mean of
        minus the logarithm of the posterior of the right class. Of pairs with the same error the
        one with the least log loss is taken; of equals the first.
    priors : array-like of shape (K,), optional
        Positive class probabilities, in the order of `classes_`. None takes the proportions of the
        classes in the training samples.
    method : {"moment", "mle"}, default="moment"
        Divisor of the scatters: "moment" is unbiased, n_k - 1 and n - K, "mle" the
        maximum-likelihood n_k and n.
    store_covariance : bool, default=False
        Keep the covariances as `covariance_`.
    tol : float, default=1e-4
        Standard deviation up to which a direction counts as singular.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits
        for any number.

    Attributes
    ----------
    alpha_, gamma_ : float
        The pair that was chosen.
    alphas_, gammas_ : ndarray of shape (A,) and (G,)
        What was tried.
    errors_ : ndarray of shape (A, G)
        Leave-one-out error of each pair; NaN where a covariance is singular.
    log_losses_ : ndarray of shape (A, G)
        Leave-one-out log loss of each pair; NaN where a covariance is singular, infinite where the
        right class of a row has probability 0.
    classes_ : ndarray of shape (K,)
        The labels, ascending.
    class_count_ : ndarray of shape (K,)
        Samples of each class, or the sum of their weights.
    priors_ : ndarray of shape (K,)
        Class probabilities, summing to 1.
    means_ : ndarray of shape (K, d)
        Class means.
    covariance_ : list of K ndarrays of shape (d, d)
        Regularized; only with ``store_covariance=True``.
    rotations_ : list of K ndarrays of shape (d, d)
        Principal axes of each class, by descending variance.
    scalings_ : list of K ndarrays of shape (d,)
        Variances along these axes.
    log_determinants_ : ndarray of shape (K,)
        Logarithms of the determinants of the covariances.
    n_parameters_ : int
        Free parameters without shrinkage: K (d + 1) - 1, and of the covariances d (d + 1) / 2, or 1
        for ``gamma=1``, times K unless ``alpha=0``.
    log_likelihood_ : float
        Sum over the training rows, by weight, of the logarithm of prior times density in their own
        class.
    aic_, bic_ : float
        Criteria of Akaike and Schwarz, 2 p - 2 log L and p log n - 2 log L with p = `n_parameters_`
        and n the total weight: the least is the best.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    RegularizedDiscriminantAnalysis : With given shares.
    statfast.plot.rda_grid : A picture of `errors_`.

    Notes
    -----
    For each alpha two decompositions of each class, of rows of its own left out and of others,
    serve all gammas and all rows: without row i the covariance is less by a multiple of uu', so
    that a row costs O(d) operations for a pair in their coordinates, equal to a fit without it.
    Rows without which a covariance is singular are fitted one by one, or, if they are many, the
    pair is left out.

    Cost: A K (d^3 + n d^2) + A G K n d operations beside the fit; weights of many distinct sizes
    take as many decompositions. Memory: O(n K G) for a block of rows.

    References
    ----------
    .. [1] Friedman, J. H. (1989). Regularized discriminant analysis. Journal of the American
       Statistical Association 84, 165-175. https://doi.org/10.1080/01621459.1989.10478752

    Examples
    --------
    >>> from statfast.datasets import load_wine
    >>> from statfast.generative import RegularizedDiscriminantAnalysisCV
    >>> wine = load_wine()
    >>> model = RegularizedDiscriminantAnalysisCV().fit(wine.data[:, [0, 6]], wine.target)
    >>> model.errors_.shape
    (11, 11)
    >>> round(float(model.errors_.min()) * 178)
    11
    """

    alphas: ArrayLike | None = param(by_fit, default=None, kw_only=False)
    gammas: ArrayLike | None = param(by_fit, default=None, kw_only=False)
    criterion: Literal["error", "log_loss"] = param(one_of("error", "log_loss"), default="error")

    alpha_: float = fitted()
    gamma_: float = fitted()
    alphas_: Any = fitted()
    gammas_: Any = fitted()
    errors_: Array = fitted()
    log_losses_: Array = fitted()
    covariance_: Any = fitted()
    rotations_: Any = fitted()
    scalings_: Any = fitted()
    log_determinants_: Array = fitted()

    _kernel = quadratic_scores

    def fit(self, X: Rows, y: ArrayLike, sample_weight: Weights = None) -> Self:
        """Choose alpha and gamma by leave-one-out, and fit.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Training samples.
        y : array-like of shape (n,)
            A label for each row, of any dtype that has an order, of at least two classes.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; an integer weight equals a repeated sample. A sample is left out
            with all of its weight.

        Returns
        -------
        self : RegularizedDiscriminantAnalysisCV

        Raises
        ------
        ValueError
            As for `RegularizedDiscriminantAnalysis.fit`; if a class has so few rows that it has no
            covariance without one of them; or if all pairs of the grid are singular.

        Warns
        -----
        UserWarning
            If some pairs of the grid are singular.
        """
        alphas, gammas = as_fractions(self.alphas, "alphas"), as_fractions(self.gammas, "gammas")
        self._checked()
        if isinstance(X, Chunks):
            raise wrong_type("X", "rows in memory, of which each is left out", X)
        same = ("priors", "method", "store_covariance", "tol", "n_jobs")
        template = RegularizedDiscriminantAnalysis(**{name: getattr(self, name) for name in same})
        columns, state = template._prepare(X, y, sample_weight)
        require_finite(columns[0])
        total = template._statistics(columns, state)
        errors, losses = score_pairs(template, columns, state, total, alphas, gammas)
        if np.isnan(errors).all():
            raise np.linalg.LinAlgError(
                "The covariances of X are singular without a row, for each pair of alphas and "
                "gammas. Try a gamma above 0, or pass more rows of each class."
            )
        if np.isnan(errors).any():
            warn_user(
                f"Singular for {np.isnan(errors).sum()} of {errors.size} pairs of alphas and "
                "gammas: these were left out."
            )
        first, second = (errors, losses) if self.criterion == "error" else (losses, errors)
        ties = np.where(first <= np.nanmin(first) + 1e-12, second, np.inf)
        i, j = np.unravel_index(np.argmin(np.where(np.isnan(ties), np.inf, ties)), ties.shape)
        alpha, gamma = float(alphas[i]), float(gammas[j])
        fitted = {
            "classes_": state.classes,
            "alpha_": alpha,
            "gamma_": gamma,
            "alphas_": alphas,
            "gammas_": gammas,
            "errors_": errors,
            "log_losses_": losses,
            **solve_rule(self, state.classes, total, state.names, alpha, gamma),
        }
        return self._publish(None, **state.published(), **fitted)


def as_fractions(values: Any, name: str) -> Array:
    """A grid of numbers from 0 to 1."""
    if values is None:
        return np.arange(11) / 10.0
    try:
        fractions = np.atleast_1d(np.asarray(values, dtype=np.float64))
    except (TypeError, ValueError, OverflowError) as error:
        raise wrong_type(name, "numbers from 0 to 1", values) from error
    if (
        fractions.ndim != 1
        or len(fractions) == 0
        or not ((fractions >= 0.0) & (fractions <= 1.0)).all()
    ):
        raise ValueError(f"{name} must be numbers from 0 to 1; got {values!r}. Leave out others.")
    return fractions


def score_pairs(
    template: RegularizedDiscriminantAnalysis,
    columns: tuple[Array, Array, Array | None],
    state: Any,
    total: Any,
    alphas: Array,
    gammas: Array,
) -> tuple[Array, Array]:
    """Leave-one-out errors and log losses of all pairs, (A, G) each."""
    X, codes, weights = columns
    w = np.ones(len(codes)) if weights is None else weights
    fixed = None if template.priors is None else as_priors(template.priors, total.class_counts)

    def of_alpha(alpha: float) -> tuple[Array, Array]:
        score = grid_scorer(
            total, alpha=float(alpha), rates=gammas.tolist(), traced=True,
            unbiased=template.method == "moment", tol=template.tol, fixed=fixed,
        )  # fmt: skip
        wrong, loss = np.zeros(len(gammas)), np.zeros(len(gammas))
        doubtful = np.zeros((len(gammas), len(codes)), bool)
        for start in range(0, len(codes), ROWS_AT_ONCE):
            rows = slice(start, min(start + ROWS_AT_ONCE, len(codes)))
            checkpoint()
            with np.errstate(all="ignore"):
                scores, certain = score(np.asarray(X[rows], np.float64), codes[rows], w[rows])
                posterior = log_posterior(scores, codes[rows])
                missed = scores.argmax(axis=2) != codes[rows]
            doubtful[:, rows] = ~certain
            wrong += np.where(certain, w[rows] * missed, 0.0).sum(axis=1)
            loss += np.where(certain, -w[rows] * posterior, 0.0).sum(axis=1)
        for j, gamma in enumerate(gammas.tolist()):
            more = refit_rows(template, columns, state, alpha, gamma, np.flatnonzero(doubtful[j]))
            wrong[j] += more[0]
            loss[j] += more[1]
        return wrong, loss

    effort = 20.0 * X.size * len(state.classes) * len(alphas) * len(gammas)
    scores = each(of_alpha, alphas.tolist(), n_jobs=template.n_jobs, effort=effort)
    return tuple(np.array(part) / w.sum() for part in zip(*scores, strict=True))


def log_posterior(scores: Array, codes: Array) -> Array:
    """Logarithm of the posterior of the right class."""
    delta = scores - scores.max(axis=2, keepdims=True)
    right = delta[:, np.arange(len(codes)), codes]
    return right - np.log(np.exp(delta).sum(axis=2))


def refit_rows(
    template: RegularizedDiscriminantAnalysis,
    columns: tuple[Array, Array, Array | None],
    state: Any,
    alpha: float,
    gamma: float,
    rows: Array,
) -> tuple[float, float]:
    """Errors and log losses of rows that a fit without them has to decide; NaN if too many."""
    if len(rows) > max(MAX_REFITS, len(state.classes)):
        return np.nan, np.nan
    _, codes, weights = columns
    wrong = loss = 0.0
    model = RegularizedDiscriminantAnalysis(**template.get_params(deep=False))
    model.set_params(alpha=alpha, gamma=gamma)
    for row in rows.tolist():
        try:
            log = refit_without_row(model, columns, state, row, "predict_log_proba")
        except np.linalg.LinAlgError:
            return np.nan, np.nan
        weight = 1.0 if weights is None else weights[row]
        wrong += weight * (log.argmax() != codes[row])
        loss -= weight * log[codes[row]]
    return wrong, loss
