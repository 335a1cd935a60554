# SPDX-License-Identifier: BSD-3-Clause
"""Linear discriminant analysis: normal classes with a common covariance, and Bayes' rule."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from statfast._core.generative import linear_scores, quadratic_scores
from statfast._estimator import (
    CoefficientTable,
    Transformer,
    by_fit,
    count,
    fitted,
    information_criteria,
    nothing,
    one_of,
    param,
)
from statfast._typing import Array, Rows
from statfast._validation import as_count
from statfast.generative.discriminant import (
    leave_one_out,
    leave_one_out_quadratic,
    replicates,
)
from statfast.generative.discriminant.canonical import (
    as_priors,
    discriminate,
    require_enough,
    warn_left_out,
)
from statfast.generative.discriminant.class_covariances import quadratic_rule, require_estimator
from statfast.generative.discriminant.model import ClassNormals
from statfast.generative.normal.class_moments import ClassMoments
from statfast.generative.normal.discriminant_rules import apply_rule, with_all_classes
from statfast.generative.normal.likelihood import LOG_TWO_PI, normal_log_likelihood
from statfast.generative.normal.shrinkage import as_shrinkage, pooled_covariance
from statfast.generative.normal.whitening import whiten


class LinearDiscriminantAnalysis(Transformer, ClassNormals):
    """Linear discriminant analysis: classification and canonical variates.

    Each class is normal with a mean of its own and a covariance S common to all, so that the
    logarithm of prior times density is, except for a term common to all classes, the linear score::

        delta_k(x) = x' S^-1 m_k - m_k' S^-1 m_k / 2 + log(prior_k)

    Parameters
    ----------
    solver : {"svd", "lsqr", "eigen"}, default="svd"
        scikit-learn's names; all take the same steps here, and give all attributes. With "svd"
        nothing is shrunk. The maximum-likelihood covariance (`method`) of "lsqr" and "eigen"
        weighs the classes by `priors` where these are given.
    shrinkage : {"auto"} or float between 0 and 1, optional
        Fraction of a multiple of the identity, tr(S_k) / d, in the covariance of each class before
        they are pooled. "auto" takes the fraction of Ledoit and Wolf [4]_, of the correlation
        matrix of the class. Needs "lsqr" or "eigen".
    n_components : int, optional
        Canonical variates that `transform` gives, at most min(K - 1, d). None gives all.
    covariance_estimator : estimator, optional
        What estimates the covariance of each class from its samples, in place of `shrinkage`:
        anything with ``fit(X)`` that then has `covariance_`, such as `MultivariateNormal`; a copy
        of it is fitted. The fit is then no sum over samples: no `partial_fit`, no `Chunks`. Needs
        "lsqr" or "eigen"; the covariances are pooled by `priors`, whatever `method`.
    priors : array-like of shape (K,), optional
        Positive class probabilities, in the order of `classes_`. None takes the proportions of the
        classes in the training samples.
    method : {"moment", "mle"}, default="moment"
        Divisor of the pooled within-class scatter: "moment" is unbiased, n - K, as in R's
        ``MASS::lda``; "mle" is the maximum-likelihood n, as in scikit-learn.
    store_covariance : bool, default=False
        Keep the pooled covariance as `covariance_`.
    tol : float, default=1e-4
        Directions of the standardized columns whose standard deviation within the classes is at
        most `tol` count as singular and are left out, with a warning. Between the classes,
        canonical variates with a singular value of at most `tol` times the largest are left out.
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
    xbar_ : ndarray of shape (d,)
        Mean of the class means, weighted by the priors.
    covariance_ : ndarray of shape (d, d)
        Pooled within-class covariance; only with ``store_covariance=True``.
    coef_ : ndarray of shape (K, d), or (1, d) for two classes
        Coefficients of the scores, less those of a row at `xbar_`, which all classes share; for
        two classes those of the second less those of the first.
    intercept_ : ndarray of shape (K,), or (1,) for two classes
        Intercept.
    scalings_ : ndarray of shape (d, r)
        Canonical vectors, the columns of R's ``scaling``: the canonical variates are uncorrelated
        within the classes, with variance 1.
    singular_values_ : ndarray of shape (r,)
        R's ``svd``: ratio of the between- to the within-class standard deviation along each
        canonical variate, the between-class variance by K - 1. With ``method="mle"``, too: there
        ``MASS::lda`` divides it by K, so that these are its ``svd`` times sqrt(K / (K - 1)).
    explained_variance_ratio_ : ndarray of shape (min(r, n_components),)
        R's "proportion of trace": proportions of the squared singular values.
    n_parameters_ : int
        Free parameters: K (d + 1) + d (d + 1) / 2 - 1.
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
    statfast.neighbors.KNeighborsClassifier : A classifier without a model of the classes.

    Notes
    -----
    One pass sums the moments of the classes, each row taken about a row of its own class, so that
    classes far from the origin lose no digits; sums are in float64 for any input. Everything
    after that costs the same whatever n is: a Cholesky factor of the within-class correlation
    matrix or, where that is singular or nearly so, its eigenvectors, without the null directions.
    The moments are kept (d^2 numbers), so that `partial_fit` can follow `fit`.

    **Ties** between classes go to the lowest label. **Signs** of the canonical vectors are such
    that the coefficient largest in size, in units of standard deviations within the classes, is
    positive (the first of equals).

    float32 and uint8 rows are read as they are; for float32 rows the results are float32.

    Cost: fit n d^2 + d^3 operations; prediction of m rows 2 m d K. Memory: O(d^2 + K d) a thread.

    References
    ----------
    .. [1] Fisher, R. A. (1936). The use of multiple measurements in taxonomic problems. Annals of
       Eugenics 7, 179-188. https://doi.org/10.1111/j.1469-1809.1936.tb02137.x
    .. [2] Venables, W. N. and Ripley, B. D. (2002). Modern Applied Statistics with S, 4th ed.,
       section 12.1. https://doi.org/10.1007/978-0-387-21706-2
    .. [3] Chan, T. F., Golub, G. H. and LeVeque, R. J. (1983). Algorithms for computing the sample
       variance. The American Statistician 37, 242-247. https://doi.org/10.2307/2683386
    .. [4] Ledoit, O. and Wolf, M. (2004). A well-conditioned estimator for large-dimensional
       covariance matrices. Journal of Multivariate Analysis 88, 365-411.
       https://doi.org/10.1016/S0047-259X(03)00096-4

    Examples
    --------
    >>> from statfast.datasets import load_wine
    >>> from statfast.generative import LinearDiscriminantAnalysis
    >>> wine = load_wine()
    >>> X = wine.data[:, [0, 6]]  # alcohol and flavanoids
    >>> model = LinearDiscriminantAnalysis().fit(X, wine.target)
    >>> int((model.predict(X) == wine.target).sum())
    164
    >>> model.explained_variance_ratio_.round(4)
    array([0.6772, 0.3228])
    >>> model.predict_proba(X[:1]).round(4)
    array([[9.996e-01, 4.000e-04, 0.000e+00]])
    """

    _projection: Any = fitted()
    _white: Any = fitted()

    solver: Literal["svd", "lsqr", "eigen"] = param(one_of("svd", "lsqr", "eigen"), default="svd")
    shrinkage: Literal["auto"] | float | None = param(by_fit, default=None)
    n_components: int | None = param(nothing | count(), default=None)
    covariance_estimator: Any = param(by_fit, default=None)

    xbar_: Array = fitted()
    covariance_: Array = fitted()
    coef_: Any = fitted(follows_rows=True)
    intercept_: Any = fitted(follows_rows=True)
    scalings_: Array = fitted(follows_rows=True)
    singular_values_: Array = fitted()
    explained_variance_ratio_: Array = fitted()

    _kernel = linear_scores
    _samples_as_weights = True  # The bootstrap weights samples, which is quicker than refits.
    _solve_parameters = ("priors", "n_components", "method", "store_covariance", "tol")

    # ------------------------------------------------------------ the steps of a fit

    def _check(self) -> None:
        self._checked()
        if as_shrinkage(self.shrinkage) is not None and self.solver == "svd":
            raise ValueError(
                'shrinkage needs solver="lsqr" or "eigen"; got solver="svd". Change it.'
            )
        require_estimator(self, '"lsqr" or "eigen"')

    def _kind_now(self) -> Any:
        if self.covariance_estimator is not None:
            return self.covariance_estimator
        if self.shrinkage == "auto":
            return "fourth"
        return "pooled" if self.solver == "svd" else "scatters"

    def _enough(self, total: Any) -> Any:
        return total.class_counts.sum() > len(total.class_counts)

    def _attributes(self, classes: Array, total: Any, names: Array | None) -> dict[str, Any]:
        self._check()
        tol = self._checked_value("tol")
        require_enough(classes, total.class_counts, self.method == "moment")
        n_components = most = min(len(classes) - 1, total.means.shape[1])
        if self.n_components is not None:
            n_components = as_count(self.n_components, "n_components", 1, most)
        priors = as_priors(self.priors, total.class_counts)
        fit = discriminate(total, self._covariance(total), priors, tol)
        warn_left_out(fit, total.means, names)

        two = len(classes) == 2
        d, n_classes = total.means.shape[1], len(classes)
        trace = fit.singular_values**2
        fitted = {
            "class_count_": total.class_counts,
            "priors_": priors,
            "means_": total.means,
            "xbar_": fit.center,
            "coef_": fit.coef[1:] - fit.coef[:1] if two else fit.coef,
            "intercept_": fit.intercept[1:] - fit.intercept[:1] if two else fit.intercept,
            "scalings_": fit.scalings,
            "n_parameters_": n_classes * (d + 1) + d * (d + 1) // 2 - 1,
            "_white": fit.white,
            "singular_values_": fit.singular_values,
            "explained_variance_ratio_": (trace / trace.sum())[:n_components],
        }
        fitted["_rule"] = with_all_classes(fitted["coef_"], fitted["intercept_"])
        at_center = fit.center @ fit.scalings
        fitted["_projection"] = fit.scalings[:, :n_components].T.copy(), -at_center[:n_components]
        if self.store_covariance:
            fitted["covariance_"] = fit.covariance
        return fitted | self._criteria(total, fitted)

    def _criteria(self, total: Any, fitted: Any) -> Any:
        """The likelihood, of which one covariance needs the pooled scatter alone, and criteria."""
        white, counts = fitted["_white"], total.class_counts
        scatter = total.within if isinstance(total, ClassMoments) else total.sample_scatters.sum(0)
        n = counts.sum()
        likelihood = normal_log_likelihood(n, scatter, white.root, white.log_det)
        likelihood += counts @ np.log(fitted["priors_"])
        return information_criteria(likelihood, fitted["n_parameters_"], n)

    def _covariance(self, total: Any) -> Array:
        """The pooled covariance, by the divisor and the shrinkage asked for."""
        unbiased = self.method == "moment"
        if self.covariance_estimator is not None:
            return pooled_covariance(total, None, False, as_priors(self.priors, total.class_counts))
        if self.solver != "svd":
            priors = None if self.priors is None else as_priors(self.priors, total.class_counts)
            return pooled_covariance(total, as_shrinkage(self.shrinkage), unbiased, priors)
        return total.within / (total.class_counts.sum() - unbiased * len(total.class_counts))

    def _covariances_of_columns(self, total: Any) -> Array | None:
        if self.shrinkage or self.covariance_estimator is not None:
            return None
        return self._covariance(total)[None]

    def _left_out_scores(self, state: Any, total: Any, method: str) -> Callable[..., Any] | None:
        unbiased, n_classes = self.method == "moment", len(state.classes)
        require_enough(state.classes, total.class_counts, unbiased)
        fixed = None if self.priors is None else as_priors(self.priors, total.class_counts)
        by_priors = self.solver != "svd" and not unbiased and fixed is not None
        if self.shrinkage == "auto" or by_priors or self.covariance_estimator is not None:
            return None
        if self.shrinkage:
            # The common term of the scores differs from row to row.
            if method == "decision_function" and n_classes > 2:
                return None
            return leave_one_out_quadratic.quadratic_scorer(
                total, alpha=0.0, rate=float(self.shrinkage), traced=True, unbiased=unbiased,
                tol=self.tol, fixed=fixed,
            )  # fmt: skip
        pooled = total if self.solver == "svd" else total.pooled()
        covariance = pooled.within / (total.class_counts.sum() - unbiased * n_classes)
        white = whiten(covariance, np.abs(total.means).max(axis=0), self.tol)
        with_common_term = method == "decision_function" and n_classes > 2
        return leave_one_out.linear_scorer(
            white, pooled, unbiased, self.tol, fixed, with_common_term
        )

    def _predict_replicates(
        self, columns: Any, state: Any, weights: Array | None, rows: Any
    ) -> Any:
        """Codes of the classes of rows by fits with each of some weights, and for which of them
        they are right; None where there is no quick way. See `replicates.predict_replicates`."""
        if self._kind_now() != "pooled":
            return None
        priors = (
            None if self.priors is None else as_priors(self.priors, np.ones(len(state.classes)))
        )
        return replicates.predict_replicates(
            columns, len(state.classes), weights, rows, unbiased=self.method == "moment",
            priors=priors, n_jobs=self.n_jobs,
        )  # fmt: skip

    # ------------------------------------------------------------ prediction

    def _log_joint(self, rows: Any) -> Any:
        columns = []
        for k in range(len(self.classes_)):  # One covariance at a time: memory stays O(d^2).
            rule = quadratic_rule(self.priors_[k : k + 1], self.means_[k : k + 1], [self._white])
            columns.append(apply_rule(quadratic_scores.scores, rows, rule, self.n_jobs))
        return np.hstack(columns) - 0.5 * self._white.root.shape[1] * LOG_TWO_PI

    def _covariance_root(self, k: int) -> Any:
        return np.linalg.pinv(self._white.root).T

    def _summary_tables(self) -> Any:
        trace = self.singular_values_**2
        names = [f"LD{j + 1}" for j in range(len(trace))]
        share = trace / trace.sum()
        coefficients = dict(zip(names, vars(self)["scalings_"].T, strict=True))
        return {
            "Coefficients of linear discriminants": CoefficientTable(
                self._column_labels(), coefficients
            ),
            "Proportion of trace": CoefficientTable(
                names,
                {
                    "Singular value": self.singular_values_,
                    "Proportion": share,
                    "Cumulative": np.cumsum(share),
                },
            ),
        }

    def transform(self, X: Rows) -> Any:
        """Project onto the canonical variates.

        Parameters
        ----------
        X : array-like of shape (m, d)
            Samples to transform.

        Returns
        -------
        variates : ndarray of shape (m, min(r, n_components))
            ``(X - xbar_) @ scalings_``: R's ``predict(...)$x``, with variance 1 and no
            correlation within the classes. float32 for float32 X, else float64.

        Raises
        ------
        ValueError
            As for `predict`; also if variates overflow.
        """
        rows = self._rows(X)
        variates = apply_rule(linear_scores.scores, rows, self._projection, self.n_jobs)
        if not np.isfinite(variates).all():
            raise ValueError("X holds values so large that its variates overflow. Rescale it.")
        return variates

    @property
    def _n_features_out(self) -> int:
        return len(self.explained_variance_ratio_)
