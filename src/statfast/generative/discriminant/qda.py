# SPDX-License-Identifier: BSD-3-Clause
"""Quadratic discriminant analysis: normal classes, each with a covariance of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from statfast._core.generative import quadratic_scores
from statfast._estimator import by_fit, fitted, flag, one_of, param, real
from statfast._typing import Array
from statfast.generative.discriminant import leave_one_out_quadratic
from statfast.generative.discriminant.canonical import as_priors
from statfast.generative.discriminant.class_covariances import (
    attributes_of_classes,
    require_estimator,
    require_rows,
    whiten_classes,
)
from statfast.generative.discriminant.model import ClassNormals
from statfast.generative.normal.shrinkage import as_shrinkage, class_covariances


class QuadraticDiscriminantAnalysis(ClassNormals):
    """Quadratic discriminant analysis: a normal density for each class, and Bayes' rule.

    The logarithm of prior times density is, except for a constant, the quadratic score::

        delta_k(x) = log(prior_k) - log det S_k / 2 - (x - m_k)' S_k^-1 (x - m_k) / 2

    Parameters
    ----------
    solver : {"svd", "eigen"}, default="svd"
        With "svd" covariances may be regularized by `reg_param`, with "eigen" by `shrinkage`, as
        in scikit-learn. Both take the same steps here.
    shrinkage : {"auto"} or float between 0 and 1, optional
        Fraction of a multiple of the identity, tr(S_k) / d, in each covariance. "auto" takes the
        fraction of Ledoit and Wolf [1]_, of the correlation matrix of the class. Needs "eigen".
    reg_param : float, default=0.0
        Covariances become ``(1 - reg_param) S_k + reg_param I``. Needs "svd".
    covariance_estimator : estimator, optional
        What estimates the covariance of each class from its samples, in place of `shrinkage`:
        anything with ``fit(X)`` that then has `covariance_`, such as `MultivariateNormal`; a copy
        of it is fitted. The fit is then no sum over samples: no `partial_fit`, no `Chunks`. Needs
        "eigen".
    allow_singular : bool, default=False
        False refuses a singular covariance, and names its columns. True leaves the singular
        directions out of the density of their class, with a warning: distance and determinant
        are those in the directions that vary.
    priors : array-like of shape (K,), optional
        Positive class probabilities, in the order of `classes_`. None takes the proportions of the
        classes in the training samples.
    method : {"mle", "moment"}, default="mle"
        Divisor of the scatter of a class: "mle" is the maximum-likelihood n_k, as in
        scikit-learn, "moment" the unbiased n_k - 1, as in R's ``MASS::qda``.
    store_covariance : bool, default=False
        Keep the covariances as `covariance_`.
    tol : float, default=1e-4
        Directions of the standardized columns of a class whose standard deviation is at most
        `tol` count as singular.
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
        Only with ``store_covariance=True``.
    rotations_ : list of K ndarrays of shape (d, d)
        Principal axes of each class, its eigenvectors, by descending variance.
    scalings_ : list of K ndarrays of shape (d,)
        Variances along these axes.
    log_determinants_ : ndarray of shape (K,)
        log det S_k: R's ``ldet``.
    n_parameters_ : int
        Free parameters: K (d^2 + 3 d + 2) / 2 - 1.
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
    LinearDiscriminantAnalysis : One covariance for all classes: fewer parameters.
    RegularizedDiscriminantAnalysis : Anything in between.

    Notes
    -----
    One pass sums a scatter for each class, about a row of its own; then a Cholesky factor of each
    correlation matrix is inverted, and scores are squared lengths of triangular products, in
    blocks of rows, with the softmax over classes in place. Sums are in float64 for any input.
    The moments are kept (K d^2 numbers), so that `partial_fit` can follow `fit`.

    **Ties** between classes go to the lowest label. float32 and uint8 rows are read as they are;
    for float32 rows the results are float32.

    Cost: fit n d^2 + K d^3 operations; prediction of m rows m K d^2. Memory: O(K d^2) a thread.

    References
    ----------
    .. [1] Ledoit, O. and Wolf, M. (2004). A well-conditioned estimator for large-dimensional
       covariance matrices. Journal of Multivariate Analysis 88, 365-411.
       https://doi.org/10.1016/S0047-259X(03)00096-4
    .. [2] Venables, W. N. and Ripley, B. D. (2002). Modern Applied Statistics with S, 4th ed.,
       section 12.1. https://doi.org/10.1007/978-0-387-21706-2

    Examples
    --------
    >>> from statfast.datasets import load_wine
    >>> from statfast.generative import QuadraticDiscriminantAnalysis
    >>> wine = load_wine()
    >>> X = wine.data[:, [0, 6]]  # alcohol and flavanoids
    >>> model = QuadraticDiscriminantAnalysis().fit(X, wine.target)
    >>> int((model.predict(X) == wine.target).sum())
    167
    >>> model.n_parameters_
    17
    """

    solver: Literal["svd", "eigen"] = param(one_of("svd", "eigen"), default="svd")
    shrinkage: Literal["auto"] | float | None = param(by_fit, default=None)
    reg_param: float = param(real(0, 1), default=0.0)
    covariance_estimator: Any = param(by_fit, default=None)
    method: Literal["mle", "moment"] = param(one_of("mle", "moment"), default="mle")
    allow_singular: bool = param(flag, default=False)

    covariance_: Any = fitted()
    rotations_: Any = fitted()
    scalings_: Any = fitted()
    log_determinants_: Array = fitted()

    _kernel = quadratic_scores
    _kind = "scatters"
    _solve_parameters = (
        "priors", "reg_param", "store_covariance", "tol", "method", "allow_singular",
    )  # fmt: skip

    def _check(self) -> None:
        share = self._checked().reg_param
        shrinkage = as_shrinkage(self.shrinkage)
        require_estimator(self, '"eigen"')
        if shrinkage is not None and self.solver == "svd":
            raise ValueError(
                'shrinkage needs solver="eigen"; got solver="svd". Change it, or use reg_param.'
            )
        if share and self.solver == "eigen":
            raise ValueError(
                'reg_param needs solver="svd"; got solver="eigen". Change it, or use shrinkage.'
            )

    def _kind_now(self) -> Any:
        if self.covariance_estimator is not None:
            return self.covariance_estimator
        return "fourth" if self.shrinkage == "auto" else "scatters"

    def _enough(self, total: Any) -> Any:
        return total.class_counts.min() > (1.0 if self.method == "moment" else 0.0)

    def _attributes(self, classes: Array, total: Any, names: Array | None) -> dict[str, Any]:
        self._check()
        unbiased = self.method == "moment" and self.covariance_estimator is None
        require_rows(classes, total.class_counts, unbiased)
        priors = as_priors(self.priors, total.class_counts)
        covariances = class_covariances(total, as_shrinkage(self.shrinkage), unbiased)
        share = float(self.reg_param)
        if share:
            covariances = (1.0 - share) * covariances + share * np.eye(covariances.shape[1])
        whites = whiten_classes(
            classes, total.means, covariances, self.tol, names, bool(self.allow_singular)
        )
        n_classes, d = total.means.shape
        n_parameters = n_classes * (d * d + 3 * d + 2) // 2 - 1
        return attributes_of_classes(
            total, priors, covariances, whites, n_parameters, bool(self.store_covariance)
        )

    def _covariances_of_columns(self, total: Any) -> Array | None:
        if self.shrinkage or self.reg_param or self.allow_singular:
            return None
        if self.covariance_estimator is not None:
            return None
        return class_covariances(total, None, self.method == "moment")

    def _left_out_scores(self, state: Any, total: Any, method: str) -> Callable[..., Any] | None:
        if self.shrinkage == "auto" or self.allow_singular or self.covariance_estimator is not None:
            return None
        unbiased, rate = self.method == "moment", self.reg_param
        rate = float(rate if self.shrinkage is None else self.shrinkage)
        fixed = None if self.priors is None else as_priors(self.priors, total.class_counts)
        if rate == 0.0:
            return leave_one_out_quadratic.unregularized_scorer(total, unbiased, self.tol, fixed)
        return leave_one_out_quadratic.quadratic_scorer(
            total, alpha=1.0, rate=rate, traced=self.shrinkage is not None, unbiased=unbiased,
            tol=self.tol, fixed=fixed,
        )  # fmt: skip
