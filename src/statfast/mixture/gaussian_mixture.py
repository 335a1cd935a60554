# SPDX-License-Identifier: BSD-3-Clause
"""Mixtures of normal distributions, fitted by EM."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal, Self

import numpy as np

from statfast._engine import Chunks, Work, checkpoint, each, grid, source_of
from statfast._estimator import (
    ROW_DTYPES,
    CoefficientTable,
    Estimator,
    Summary,
    array,
    count,
    fitted,
    flag,
    information_criteria,
    jobs,
    log_sum_exp,
    nothing,
    one_of,
    param,
    randomness,
    real,
    verbosity,
)
from statfast._typing import Array, ArrayLike, Jobs, Rows, Seed, Weights
from statfast._validation import (
    MAX_REPEATS,
    ConvergenceWarning,
    as_count,
    as_generator,
    as_weights,
    not_fitted,
    refuse_large,
    require_finite,
    rows_for,
    warn_user,
)
from statfast.mixture.covariance_models import ALIASES, MODELS, model_named
from statfast.mixture.em import (
    CollapsedComponent,
    NormalComponents,
    iterate,
    measure,
    names_of,
    posteriors,
    rows_of_piece,
)
from statfast.mixture.starts import INIT_PARAMS, as_fixed_start, check_rows, start_of

COVARIANCE_TYPES = (*ALIASES, *MODELS)
MAX_VARIANCE_OF_COLLAPSE = 2.0  # times reg_covar: of a direction that has little variance else
MAX_SHARE_OF_SUPPORT = 1e-3  # of the mean variance of the columns, that reg_covar is small beside


class GaussianMixture(Estimator):
    """Mixture of normal distributions, fitted by expectation-maximization.

    The density of a row x is the sum over components of weight times normal density,
    sum_k tau_k f(x; m_k, S_k). EM alternates the posteriors of the components for each row, given
    the parameters (E step), and the parameters of greatest likelihood, given these posteriors (M
    step); the likelihood never falls.

    Parameters
    ----------
    n_components : int, default=1
        Number of components, K.
    covariance_type : str, default="full"
        Which covariances components may have: scikit-learn's "full" (each its own), "tied" (one for
        all), "diag" and "spherical"; or one of the fourteen models of [2]_ and [3]_ by its three
        letters, which say whether volume, shape and orientation of the components are equal (E),
        vary (V), or are the identity (I): "EII", "VII" (spherical), "EEI", "VEI", "EVI", "VVI"
        (diagonal), "EEE", "VEE", "EVE", "VVE", "EEV", "VEV", "EVV" and "VVV". "full" is "VVV",
        "tied" "EEE", "diag" "VVI" and "spherical" "VII".
    tol : float, default=1e-3
        A run ends once the log-likelihood, divided by the total weight, changes by less.
    reg_covar : float, default=1e-6
        Added to all variances in each M step, so that few rows or collinear columns leave a
        covariance that has an inverse; before the constraints of the model, which so hold.
    max_iter : int, default=100
        Maximum number of iterations of one run.
    n_init : int, default=1
        Number of starts; the run of greatest likelihood is kept, the first such on ties.
    init_params : str or array-like, default="kmeans"
        Posteriors that the first M step starts from. "kmeans": each row belongs to its cluster;
        "k-means++" and "random_from_data": to the nearest of the centers that such a start and one
        iteration of k-means give; "random": they are drawn. An array holds labels 0, ..., K - 1 of
        the rows (n,), of any clustering, or posteriors (n, K).
    weights_init : array-like of shape (K,), optional
        Weights to start from.
    means_init : array-like of shape (K, d), optional
        Means to start from; rows then belong to the nearest of them, in place of `init_params`.
    precisions_init : array-like, optional
        Inverse covariances to start from, of the shape of `precisions_`.
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator of the starts, and of `sample`; an integer makes the result reproducible.
    warm_start : bool, default=False
        Start with the parameters of the last fit, if there is one, instead of `n_init` starts.
    verbose : int or bool, default=0
        If not 0, each iteration prints a line.
    verbose_interval : int, default=10
        Of how many iterations one does.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits
        for any number.

    Attributes
    ----------
    weights_ : ndarray of shape (K,)
        Weights of the components, summing to 1.
    means_ : ndarray of shape (K, d)
        Means of the components.
    covariances_ : ndarray
        (K, d, d) in general; (d, d) for "tied" and "EEE"; variances (K, d) for the diagonal models
        and (K,) for the spherical ones.
    precisions_ : ndarray
        Their inverses, of the same shape.
    precisions_cholesky_ : ndarray
        Upper triangles U with U U' the inverse covariance; square roots of inverse variances.
    converged_ : bool
        Whether the run that was kept ended by `tol`.
    n_iter_ : int
        Its iterations.
    lower_bound_ : float
        Its log-likelihood, divided by the total weight, before the last M step.
    lower_bounds_ : list of float
        That of each iteration.
    log_likelihood_ : float
        Of the fitted parameters: the sum of log densities of the training rows, by weight.
    n_parameters_ : int
        Free parameters: K - 1 weights, K d means, and those of the covariances.
    aic_, bic_, icl_ : float
        Criteria of Akaike and Schwarz, 2 p - 2 log L and p log n - 2 log L with p parameters and
        total weight n, and the integrated complete likelihood [4]_, which adds to the latter -2
        times the sum of the logarithms of the greatest posteriors. The least is the best; R's
        mclust prints minus `bic_` and minus `icl_`.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    choose_mixture : Number of components and covariance model by BIC or ICL.
    statfast.cluster.KMeans : Hard clusters of spherical shape.
    statfast.decision.BayesClassifier : A density for each class, of which this may be one.

    Notes
    -----
    Each iteration is one pass over the rows, a sum over blocks: rows in memory, in memory maps, in
    `Chunks` and in `Parts` are fitted alike. Sums are in float64 for any input. Scatters are summed
    about the means of the E step, so that components far from the origin lose no digits.

    A component that loses its rows, or whose covariance has no inverse, is named in an error; with
    several starts, such runs are left out. One that only `reg_covar` holds up is named in a
    warning: its likelihood says nothing.

    The M step has a closed form for EII, VII, EEI, EVI, VVI, EEE, EEV, EVV and VVV, and is an
    iteration for VEI, VEE and VEV [3]_, and for EVE and VVE by plane rotations [5]_.

    **Weights**: a weight of 2 counts like a row given twice. **Ties** of posteriors go to the
    lowest component.

    Cost of an iteration: n K d^2 operations for the E step and n K d^2 for the M step, n K d of
    diagonal models. Memory: O(K d^2) a thread; nothing is kept of the rows.

    References
    ----------
    .. [1] Dempster, A. P., Laird, N. M. and Rubin, D. B. (1977). Maximum likelihood from incomplete
       data via the EM algorithm. Journal of the Royal Statistical Society B 39, 1-38.
       https://doi.org/10.1111/j.2517-6161.1977.tb01600.x
    .. [2] Banfield, J. D. and Raftery, A. E. (1993). Model-based Gaussian and non-Gaussian
       clustering. Biometrics 49, 803-821. https://doi.org/10.2307/2532201
    .. [3] Celeux, G. and Govaert, G. (1995). Gaussian parsimonious clustering models. Pattern
       Recognition 28, 781-793. https://doi.org/10.1016/0031-3203(94)00125-6
    .. [4] Biernacki, C., Celeux, G. and Govaert, G. (2000). Assessing a mixture model for
       clustering with the integrated completed likelihood. IEEE Transactions on Pattern Analysis
       and Machine Intelligence 22, 719-725. https://doi.org/10.1109/34.865189
    .. [5] Flury, B. N. and Gautschi, W. (1986). An algorithm for simultaneous orthogonal
       transformation of several positive definite symmetric matrices to nearly diagonal form. SIAM
       Journal on Scientific and Statistical Computing 7, 169-184. https://doi.org/10.1137/0907013

    Examples
    --------
    >>> from statfast.datasets import load_iris
    >>> from statfast.mixture import GaussianMixture
    >>> X = load_iris().data
    >>> model = GaussianMixture(2, covariance_type="VEV", tol=1e-8, reg_covar=0.0, random_state=0)
    >>> model.fit(X).weights_.round(4)
    array([0.6667, 0.3333])
    >>> round(-model.bic_, 1)  # in the sign of mclust
    -561.7
    >>> model.predict(X[[0, 60, 120]])
    array([1, 0, 0])
    """

    n_components: int = param(count(), default=1, kw_only=False)
    covariance_type: str = param(one_of(*COVARIANCE_TYPES), default="full")
    tol: float = param(real(0), default=1e-3)
    reg_covar: float = param(real(0), default=1e-6)
    max_iter: int = param(count(), default=100)
    n_init: int = param(count(high=MAX_REPEATS), default=1)
    init_params: (
        Literal["kmeans", "k-means++", "random", "random_from_data"] | ArrayLike
    ) = param(INIT_PARAMS, default="kmeans")  # fmt: skip
    weights_init: ArrayLike | None = param(nothing | array, default=None)
    means_init: ArrayLike | None = param(nothing | array, default=None)
    precisions_init: ArrayLike | None = param(nothing | array, default=None)
    random_state: Seed = param(randomness, default=None)
    warm_start: bool = param(flag, default=False)
    verbose: int | bool = param(verbosity, default=0)
    verbose_interval: int = param(count(), default=10)
    n_jobs: Jobs = param(jobs, default=None)

    weights_: Array = fitted()
    means_: Array = fitted()
    covariances_: Array = fitted()
    precisions_: Array = fitted()
    precisions_cholesky_: Array = fitted()
    converged_: bool = fitted()
    n_iter_: int = fitted()
    lower_bound_: float = fitted()
    lower_bounds_: list[float] = fitted()
    log_likelihood_: float = fitted()
    n_parameters_: int = fitted()
    aic_: float = fitted()
    bic_: float = fitted()
    icl_: float = fitted()
    _orientation: Array | None = fitted()
    _total_weight: float = fitted()
    _spread: float = fitted()

    _estimator_type = "density_estimator"

    # ------------------------------------------------------------ fit

    def fit(self, X: Rows, y: object = None, sample_weight: Weights = None) -> Self:
        """Fit the mixture by EM.

        Parameters
        ----------
        X : array-like of shape (n, d), or Chunks
            Finite samples, at least two. A memory map or `Chunks` may be larger than memory.
        y : ignored
            Not used; present for the interface.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; an integer weight equals a repeated sample.

        Returns
        -------
        self : GaussianMixture

        Raises
        ------
        ValueError
            If X is not a finite 2-d array of two rows, if there are more components than rows of
            positive weight, a component of every run collapses, or a parameter is out of its range.
        TypeError
            If X is sparse, or a parameter is of the wrong type.

        Warns
        -----
        ConvergenceWarning
            If no run ended before `max_iter`.
        UserWarning
            If the covariance of a component has no more variance than `reg_covar` in a direction.
        """
        return self._fit_source(X, X, sample_weight)

    def fit_predict(self, X: Rows, y: object = None, sample_weight: Weights = None) -> Array:
        """Fit the mixture, and return the component of each sample: ``fit(X).predict(X)``.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Training samples.
        y : ignored
            Not used; present for the interface.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; None is 1 for all.

        Returns
        -------
        labels : ndarray of shape (n,)
        """
        return self.fit(X, sample_weight=sample_weight).predict(X)

    def _fit_source(self, source: Any, X: Any, sample_weight: Weights | None = None) -> Self:
        """Become fitted to rows in memory, in chunks or in parts."""
        self._fit_quietly(source, X, sample_weight)
        if not self.converged_:
            warn_user(
                f"EM did not converge in max_iter={self.max_iter} iterations. Raise max_iter or "
                "tol, or start elsewhere (init_params, n_init).",
                ConvergenceWarning,
            )
        warn_collapsed(self._components(), self.reg_covar, self._total_weight, self._spread)
        return self

    def _fit_quietly(self, source: Any, X: Any, sample_weight: Weights) -> Any:
        """Become fitted, and say nothing of how well that went."""
        checked = self._checked()
        model = model_named(checked.covariance_type)
        rng = as_generator(self.random_state)
        data = check_rows(source, sample_weight, self.n_jobs)
        if checked.n_components > data.moments.rows:
            raise ValueError(
                f"n_components must be between 1 and the number of rows ({data.moments.rows:g}); "
                f"got {checked.n_components}. Lower n_components."
            )
        nbytes = 8.0 * checked.n_components * data.width ** (1 if model.diagonal else 2)
        refuse_large(3 * nbytes, "The covariances of all components", 'Use "diag".')
        fixed = as_fixed_start(checked, model, data.width)
        again = self._components() if checked.warm_start and self.__sklearn_is_fitted__() else None
        seeds = rng.integers(2**32, size=checked.n_init if again is None else 1)
        best = failure = None
        for seed in seeds.tolist():
            try:
                if again is None:
                    start = start_of(data, checked, model, fixed, seed)
                else:
                    start = replace(again, origin=data.origin)
                run = iterate(
                    data.source, start, model, checked.reg_covar, tol=checked.tol,
                    max_iter=checked.max_iter, report=self._reporter(checked),
                )  # fmt: skip
            except CollapsedComponent as error:
                failure = error
                continue
            if best is None or run.lower_bounds[-1] > best.lower_bounds[-1]:
                best = run
        if best is None:
            assert failure is not None
            raise failure
        return self._publish(X, **self._attributes(data, model, best))

    @staticmethod
    def _reporter(checked: Any) -> Any:
        """What prints some iterations; None if none are to be."""
        if not checked.verbose:
            return None

        def report(number: Any, bound: Any, change: Any) -> None:
            if number % checked.verbose_interval == 0:
                print(f"iteration {number}: log-likelihood {bound:.10g}, change {change:.3g}")

        return report

    @staticmethod
    def _attributes(data: Any, model: Any, run: Any) -> Any:
        """The fitted attributes of a run, after a last look at the likelihood."""
        components = run.components
        sums = data.source.total(
            Work(measure, row_cost=2.0 * components.whiteners.size), components
        )
        n_components, d = components.means.shape
        n_parameters = n_components * (d + 1) - 1 + model.n_parameters(n_components, d)
        covariances, precisions, roots = in_form(components, model.form)
        criteria = information_criteria(sums.log_likelihood, n_parameters, sums.total_weight)
        return {
            "n_features_in_": d,
            "weights_": components.weights,
            "means_": components.means,
            "covariances_": covariances,
            "precisions_": precisions,
            "precisions_cholesky_": roots,
            "converged_": run.converged,
            "n_iter_": len(run.lower_bounds),
            "lower_bound_": run.lower_bounds[-1],
            "lower_bounds_": run.lower_bounds,
            "n_parameters_": n_parameters,
            **criteria,
            "icl_": criteria["bic_"] - 2.0 * sums.log_certainty,
            "_orientation": components.orientation,
            "_total_weight": sums.total_weight,
            "_spread": float(data.moments.squares.mean() / data.moments.total_weight),
        }

    # ------------------------------------------------------------ what it says of rows

    def predict(self, X: Rows) -> Array:
        """Predict the component of greatest posterior for each sample.

        Parameters
        ----------
        X : array-like of shape (m, d)
            Samples.

        Returns
        -------
        labels : ndarray of shape (m,), int64
            The lowest component on ties.

        Raises
        ------
        ValueError
            If X is not a finite 2-d array with the columns of the fitted one.
        """
        return self._of_rows(X, lambda log_joint: log_joint.argmax(axis=1), np.int64)

    def predict_proba(self, X: Rows) -> Array:
        """Return the posterior of each component for each sample.

        Parameters
        ----------
        X : array-like of shape (m, d)
            Samples.

        Returns
        -------
        posteriors : ndarray of shape (m, K)
            float32 for float32 X, else float64.

        Raises
        ------
        ValueError
            As for `predict`.
        """
        return self._of_rows(X, posteriors, None, len(self._components().weights))

    def score_samples(self, X: Rows) -> Array:
        """Return the log density of each sample.

        Parameters
        ----------
        X : array-like of shape (m, d)
            Samples.

        Returns
        -------
        log_densities : ndarray of shape (m,)
            float32 for float32 X, else float64.

        Raises
        ------
        ValueError
            As for `predict`.
        """
        return self._of_rows(X, log_sum_exp, None)

    def score(self, X: Rows, y: object = None, sample_weight: Weights = None) -> float:
        """Return the mean log density, by weight.

        Parameters
        ----------
        X : array-like of shape (m, d), or Chunks
            Samples.
        y : ignored
            Not used; present for the interface.
        sample_weight : array-like of shape (m,), optional
            Weights of the samples; None is 1 for all.

        Returns
        -------
        float

        Raises
        ------
        ValueError
            As for `predict`.
        """
        sums = self._measured(X, sample_weight)
        return sums.log_likelihood / sums.total_weight

    def aic(self, X: Rows, sample_weight: Weights = None) -> float:
        """Return Akaike's criterion on samples: the least is the best.

        Parameters
        ----------
        X : array-like of shape (m, d), or Chunks
            Samples.
        sample_weight : array-like of shape (m,), optional
            Weights of the samples; None is 1 for all.

        Returns
        -------
        float
        """
        return self._criteria(X, sample_weight)["aic_"]

    def bic(self, X: Rows, sample_weight: Weights = None) -> float:
        """Return Schwarz's criterion on samples: the least is the best.

        Parameters
        ----------
        X : array-like of shape (m, d), or Chunks
            Samples.
        sample_weight : array-like of shape (m,), optional
            Weights of the samples; None is 1 for all.

        Returns
        -------
        float
        """
        return self._criteria(X, sample_weight)["bic_"]

    def icl(self, X: Rows, sample_weight: Weights = None) -> float:
        """Return the integrated complete likelihood on samples: the least is the best.

        Parameters
        ----------
        X : array-like of shape (m, d), or Chunks
            Samples.
        sample_weight : array-like of shape (m,), optional
            Weights of the samples; None is 1 for all.

        Returns
        -------
        float
            Schwarz's criterion, and -2 times the sum of the logarithms of the greatest posteriors.
        """
        return self._criteria(X, sample_weight)["icl_"]

    def sample(
        self, n_samples: int = 1, *, random_state: Seed = None
    ) -> tuple[Array, Array]:  # fmt: skip
        """Draw samples from the mixture.

        Parameters
        ----------
        n_samples : int, default=1
            How many.
        random_state : int, RandomState, Generator or None, default=None
            Seed or generator; an integer makes the result reproducible. None takes that of the
            estimator.

        Returns
        -------
        X : ndarray of shape (n_samples, d)
            By component.
        y : ndarray of shape (n_samples,), int64
            Their components.

        Raises
        ------
        ValueError
            If `n_samples` is not positive.
        MemoryError
            If the samples would take more than half of the free memory.
        """
        components = self._components()
        n, d = as_count(n_samples, "n_samples"), components.means.shape[1]
        refuse_large(16 * n * d, f"n_samples={n} rows of {d} columns", "Draw fewer at a time.")
        rng = as_generator(self.random_state if random_state is None else random_state)
        counts = rng.multinomial(n, components.weights)
        y = np.repeat(np.arange(len(counts)), counts).astype(np.int64)
        X = rng.standard_normal((n, d))
        for k in range(len(counts)):
            rows, whitener = y == k, components.whiteners[k]
            if components.diagonal:
                X[rows] = components.means[k] + X[rows] / whitener
            else:
                X[rows] = components.means[k] + np.linalg.solve(whitener, X[rows].T).T
        return X, y

    def summary(self) -> Summary:
        """Return the fit as tables: criteria, weights and means, and variances.

        Returns
        -------
        Summary
        """
        components = self._components()
        n_components, d = components.means.shape
        facts = [
            ("Weight of rows", self._total_weight),
            ("Log-likelihood", self.log_likelihood_),
            ("Parameters", self.n_parameters_),
            ("Iterations", self.n_iter_),
            ("Converged", "yes" if self.converged_ else "no"),
            ("AIC", self.aic_),
            ("BIC", self.bic_),
            ("ICL", self.icl_),
        ]
        names = self.__dict__.get("feature_names_in_")
        labels = [f"x{j}" for j in range(d)] if names is None else names.tolist()
        rows = [str(k) for k in range(n_components)]
        variances = dict(zip(labels, variances_of(components).T, strict=True))
        tables = {
            "Weights and means": CoefficientTable(
                rows,
                {"Weight": components.weights, **dict(zip(labels, self.means_.T, strict=True))},
            ),
            "Variances": CoefficientTable(rows, variances),
        }
        title = f"Gaussian mixture of {n_components} component(s), model {self.covariance_type}"
        return Summary(title, facts, tables)

    # ------------------------------------------------------------ private

    def _components(self) -> Any:
        """The mixture that the attributes say, which users may have changed."""
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        n_components, d = self.means_.shape
        if np.shape(self.weights_) != (n_components,):
            raise ValueError(
                f"weights_ must have a number for each row of means_, ({n_components},); got the "
                f"shape {np.shape(self.weights_)}. Change both, or fit again."
            )
        roots = np.asarray(self.precisions_cholesky_, dtype=np.float64)
        if model_named(self.covariance_type).diagonal:
            whiteners = np.broadcast_to(roots.reshape(n_components, -1), (n_components, d))
        else:
            whiteners = np.broadcast_to(np.swapaxes(roots, -1, -2), (n_components, d, d))
        return NormalComponents(
            self.weights_, self.means_, np.ascontiguousarray(whiteners), self._orientation
        )

    def _of_rows(self, X: Any, answer: Any, dtype: Any, width: Any = None) -> Any:
        """What a function of log joint densities (m, K) makes of all rows, block by block."""
        components = self._components()
        rows = rows_for(self, X, keep=ROW_DTYPES, finite=False)
        n, d = rows.shape
        if dtype is None:
            dtype = np.float32 if rows.dtype == np.float32 else np.float64
        out = np.empty(n if width is None else (n, width), dtype)
        step = rows_of_piece(d, len(components.weights))

        def work(block: Any) -> Any:
            finite = True
            for start in range(block.start, block.stop, step):
                checkpoint()
                where = slice(start, min(block.stop, start + step))
                log_joint = components.log_joint(np.ascontiguousarray(rows[where]))
                finite &= bool(np.isfinite(log_joint).all())
                out[where] = answer(log_joint)
            return finite

        effort = float(n) * (2.0 * components.whiteners.size + 8.0 * d)
        with np.errstate(invalid="ignore", over="ignore"):
            finite = all(each(work, grid(n), n_jobs=self.n_jobs, effort=effort))
        if not finite:
            require_finite(rows)
        return out

    def _measured(self, X: Any, sample_weight: Weights) -> Any:
        """The likelihood of rows, as sums."""
        components = self._components()
        work = Work(measure, row_cost=2.0 * components.whiteners.size)
        if isinstance(X, Chunks):
            rows = Chunks(rows_for(self, chunk, keep=ROW_DTYPES, n_min=0) for chunk in X)
            n = None if sample_weight is None else len(np.atleast_1d(sample_weight))
            columns = rows, None if n is None else as_weights(sample_weight, n)
            return source_of(columns, self.n_jobs).total(work, components)
        rows = rows_for(self, X, keep=ROW_DTYPES)
        columns = rows, as_weights(sample_weight, rows.shape[0])
        return source_of(columns, self.n_jobs).total(work, components)

    def _criteria(self, X: Any, sample_weight: Weights) -> Any:
        sums = self._measured(X, sample_weight)
        criteria = information_criteria(sums.log_likelihood, self.n_parameters_, sums.total_weight)
        return {**criteria, "icl_": criteria["bic_"] - 2.0 * sums.log_certainty}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.estimator_type = "density_estimator"
        return tags


def in_form(components: Any, form: Any) -> Any:
    """Covariances, their inverses and the roots of these, in the shapes of scikit-learn."""
    if components.diagonal:
        roots = components.whiteners[:, 0] if form == "spherical" else components.whiteners
        roots = roots.copy()
        return 1.0 / roots**2, roots**2, roots
    whiteners = components.whiteners[:1] if form == "tied" else components.whiteners
    factors = np.linalg.inv(whiteners)
    covariances = factors @ np.swapaxes(factors, -1, -2)
    roots = np.swapaxes(whiteners, -1, -2).copy()
    precisions = roots @ whiteners
    if form == "tied":
        return covariances[0], precisions[0], roots[0]
    return covariances, precisions, roots


def variances_of(components: Any) -> Any:
    """Variances of the columns in each component, (K, d)."""
    if components.diagonal:
        return 1.0 / components.whiteners**2
    factors = np.linalg.inv(components.whiteners)
    return (factors**2).sum(axis=2)


def warn_collapsed(components: Any, reg_covar: float, total_weight: Any, spread: Any) -> None:
    """Name the components whose variance in some direction is what was added to it.

    What is large beside the mean variance of the columns is meant to shrink, not to hold up.
    """
    if not 0.0 < reg_covar < MAX_SHARE_OF_SUPPORT * spread:
        return
    if components.diagonal:
        least = 1.0 / (components.whiteners**2).max(axis=1)
    else:
        least = 1.0 / np.linalg.norm(components.whiteners, ord=2, axis=(1, 2)) ** 2
    which = np.flatnonzero(least < MAX_VARIANCE_OF_COLLAPSE * reg_covar)
    if len(which):
        held = ", ".join(f"{components.weights[k] * total_weight:.3g}" for k in which[:5])
        warn_user(
            f"{names_of(which)} collapsed onto {held} rows: in some direction reg_covar="
            f"{reg_covar:g} is most of the variance. Lower n_components, choose a covariance_type "
            "with fewer parameters, or drop columns that are constant or collinear."
        )
