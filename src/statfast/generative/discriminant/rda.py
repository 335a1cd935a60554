# SPDX-License-Identifier: BSD-3-Clause
"""Regularized discriminant analysis: covariances between those of the classes and a common one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from statfast._core.generative import quadratic_scores
from statfast._estimator import fitted, param, real
from statfast._typing import Array
from statfast.generative.discriminant import leave_one_out_quadratic
from statfast.generative.discriminant.canonical import as_priors, require_enough
from statfast.generative.discriminant.class_covariances import (
    attributes_of_classes,
    require_rows,
    whiten_classes,
)
from statfast.generative.discriminant.model import ClassNormals
from statfast.generative.normal.shrinkage import regularized_covariances


class RegularizedDiscriminantAnalysis(ClassNormals):
    """Regularized discriminant analysis (Friedman 1989): between QDA, LDA and nearest centroid.

    The covariance of class k is, with S the pooled covariance of all classes and d columns::

        M_k = alpha S_k + (1 - alpha) S
        (1 - gamma) M_k + gamma tr(M_k) / d I

    so that ``alpha=1, gamma=0`` is quadratic discriminant analysis, ``alpha=0, gamma=0`` linear
    discriminant analysis, and ``alpha=0, gamma=1`` the nearest class mean, except for the priors.

    Parameters
    ----------
    alpha : float, default=0.5
        Fraction of the covariance of the class, from 0 to 1; the rest is that of all classes.
    gamma : float, default=0.0
        Fraction of a multiple of the identity, from 0 to 1.
    priors : array-like of shape (K,), optional
        Positive class probabilities, in the order of `classes_`. None takes the proportions of the
        classes in the training samples.
    method : {"moment", "mle"}, default="moment"
        Divisor of the scatters: "moment" is unbiased, n_k - 1 and n - K, "mle" the
        maximum-likelihood n_k and n.
    store_covariance : bool, default=False
        Keep the covariances as `covariance_`.
    tol : float, default=1e-4
        Directions of the standardized columns of a class whose standard deviation is at most
        `tol` count as singular, which is refused.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits
        for any number.

    Attributes
    ----------
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
    RegularizedDiscriminantAnalysisCV : `alpha` and `gamma` chosen by leave-one-out.

    Notes
    -----
    The mixture is that of Hastie, Tibshirani and Friedman [2]_; Friedman [1]_ mixes scatters, which
    differs where classes have different numbers of rows. One pass over the rows; everything after
    that costs the same whatever n is. Ties go to the lowest label.

    Cost: fit n d^2 + K d^3 operations; prediction of m rows m K d^2. Memory: O(K d^2) a thread.

    References
    ----------
    .. [1] Friedman, J. H. (1989). Regularized discriminant analysis. Journal of the American
       Statistical Association 84, 165-175. https://doi.org/10.1080/01621459.1989.10478752
    .. [2] Hastie, T., Tibshirani, R. and Friedman, J. (2009). The Elements of Statistical
       Learning, 2nd ed., section 4.3.1. https://doi.org/10.1007/978-0-387-84858-7

    Examples
    --------
    >>> from statfast.datasets import load_wine
    >>> from statfast.generative import RegularizedDiscriminantAnalysis
    >>> wine = load_wine()
    >>> model = RegularizedDiscriminantAnalysis(alpha=0.3, gamma=0.0)
    >>> float(model.fit(wine.data, wine.target).score(wine.data, wine.target))
    1.0
    """

    alpha: float = param(real(0, 1), default=0.5, kw_only=False)
    gamma: float = param(real(0, 1), default=0.0, kw_only=False)

    covariance_: Any = fitted()
    rotations_: Any = fitted()
    scalings_: Any = fitted()
    log_determinants_: Array = fitted()

    _kernel = quadratic_scores
    _kind = "scatters"
    _solve_parameters = ("alpha", "gamma", "priors", "method", "store_covariance", "tol")

    def _check(self) -> None:
        self._checked()

    def _enough(self, total: Any) -> bool:
        unbiased = self.method == "moment"
        of_own = not unbiased or self.alpha == 0.0 or total.class_counts.min() > 1.0
        return of_own and total.class_counts.sum() > unbiased * len(total.class_counts)

    def _attributes(self, classes: Array, total: Any, names: Array | None) -> dict[str, Any]:
        self._check()
        return solve_rule(self, classes, total, names, float(self.alpha), float(self.gamma))

    def _covariances_of_columns(self, total: Any) -> Array | None:
        if self.gamma:
            return None
        return regularized_covariances(total, float(self.alpha), 0.0, self.method == "moment")

    def _left_out_scores(self, state: Any, total: Any, method: str) -> Callable[..., Any]:
        return leave_one_out_quadratic.quadratic_scorer(
            total,
            alpha=float(self.alpha),
            rate=float(self.gamma),
            traced=True,
            unbiased=self.method == "moment",
            tol=self.tol,
            fixed=None if self.priors is None else as_priors(self.priors, total.class_counts),
        )


def solve_rule(
    model: Any, classes: Any, total: Any, names: Array | None, alpha: float, gamma: float
) -> dict[str, Any]:
    """Fitted attributes for the two shares."""
    unbiased = model.method == "moment"
    require_enough(classes, total.class_counts, unbiased)
    if alpha:
        require_rows(classes, total.class_counts, unbiased)
    priors = as_priors(model.priors, total.class_counts)
    covariances = regularized_covariances(total, alpha, gamma, unbiased)
    whites = whiten_classes(classes, total.means, covariances, model.tol, names, False)
    n_classes, d = total.means.shape
    of_covariance = d * (d + 1) // 2 if gamma < 1.0 else 1
    n_parameters = n_classes * (d + 1) - 1 + (n_classes if alpha else 1) * of_covariance
    return attributes_of_classes(
        total, priors, covariances, whites, n_parameters, bool(model.store_covariance)
    )
