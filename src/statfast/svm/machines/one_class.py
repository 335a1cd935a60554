# SPDX-License-Identifier: BSD-3-Clause
"""The one-class machine: a region that holds most of the rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np

from statfast._estimator import fitted, param, real
from statfast._typing import Array, Rows, Weights
from statfast._validation import as_type, as_weights
from statfast.svm.dual.problems import one_class
from statfast.svm.machines.kernel_machine import KernelMachine
from statfast.svm.machines.training import as_costs


class OneClassSVM(KernelMachine):
    """One-class SVM: novelty detection by estimating the support of a distribution.

    It separates the images of the rows from the origin: with f(x) = w.phi(x) - rho it minimizes::

        |w|^2 / 2 - nu n rho + sum_i max(0, -f(x_i))

    Parameters
    ----------
    nu : float, default=0.5
        An upper bound of the fraction of training samples that are left out, and a lower bound of
        that of support vectors; above 0 and at most 1.
    kernel : str, Kernel or callable, default="rbf"
        "linear", "poly", "rbf", "sigmoid", "laplacian"; "spectrum" for strings; "precomputed" for
        matrices of kernel values; a kernel of `statfast.kernels`, which the next three parameters
        do not change; or a function of two arrays of rows that returns the matrix between them.
    degree : int, default=3
        Of "poly"; of "spectrum" the length of the substrings.
    gamma : {"scale", "auto"} or float, default="scale"
        Of "poly", "rbf", "sigmoid" and "laplacian". "scale" is 1 / (d times the variance of all
        values of X, whatever their weights), "auto" 1 / d.
    coef0 : float, default=0.0
        Of "poly" and "sigmoid".
    tol : float, default=1e-3
        The training ends when no pair of multipliers violates the conditions of optimality by more.
    cache_size : float, optional
        Megabytes for rows of the kernel matrix. None takes a quarter of the free memory, and no
        more than 4096.
    max_iter : int, default=-1
        Maximum number of SMO steps of each binary problem; -1 for 2e7, or 200 for each row if that
        is more, after which a warning says how far they came.
    time_limit : float, optional
        Most seconds of the whole fit; the model is usable all the same.
    callback : callable, optional
        Called with a `statfast.svm.Progress` while the fit goes on; it ends the training by
        returning True.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits
        for any number.

    Attributes
    ----------
    support_ : ndarray of shape (S,)
        Training samples that are support vectors.
    support_vectors_ : ndarray or CSR array of shape (S, d), or list of strings
        Those samples; empty for ``kernel="precomputed"``.
    n_support_ : ndarray of shape (1,)
        How many they are.
    dual_coef_ : ndarray of shape (1, S)
        Their coefficients in f.
    intercept_ : ndarray of shape (1,)
        Intercept.
    coef_ : ndarray of shape (1, d)
        Coefficients of the columns, for ``kernel="linear"`` only.
    offset_ : ndarray of shape (1,)
        rho; ``score_samples`` less it is ``decision_function``.
    margin_ : ndarray of shape (1,)
        ``2 / |w|``: the width of the strip -1 < f < 1; infinite where w is 0. The region is
        ``offset_ * margin_ / 2`` from the origin.
    multipliers_ : tuple of 1 `statfast.svm.DualVariables`
        Training samples with a = 0, 0 < a < w and a = w, the weight of the sample.
    primal_objective_, dual_objective_, dual_gap_ : ndarray of shape (1,)
        What is minimized, above;
        a lower bound of it, by the dual; and the difference, which bounds the error of both.
    kkt_violation_ : ndarray of shape (1,)
        Of the conditions of optimality, at the end.
    n_iter_ : int
        Steps.
    fit_status_ : int
        0 if all machines converged, else 1.
    kernel_ : Kernel
        The kernel, with its gamma.
    shape_fit_ : tuple of int
        Shape of the training samples.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    SVC : Classes.

    Notes
    -----
    Cost: between n^2 and n^3 times that of a kernel value for a fit; S values for each row that is
    predicted. Memory: the kernel matrix in float32 where it fits `cache_size`, else `cache_size`.
    At most 4 MB of it are left to the next fit. Of sparse rows the whole matrix is made before, in
    float64, and refused where it does not fit; they have the kernels that are functions of inner
    products: "linear", "poly", "rbf" and "sigmoid".

    References
    ----------
    .. [1] Schölkopf, B., Platt, J. C., Shawe-Taylor, J., Smola, A. J. and Williamson, R. C. (2001).
       Estimating the support of a high-dimensional distribution. Neural Computation 13, 1443-1471.
       https://doi.org/10.1162/089976601750264965

    Examples
    --------
    >>> from statfast.datasets import load_iris
    >>> from statfast.svm import OneClassSVM
    >>> X = load_iris().data
    >>> model = OneClassSVM(nu=0.1).fit(X[:50])  # setosa
    >>> int((model.predict(X[:50]) == -1).sum()), int((model.predict(X[50:]) == -1).sum())
    (4, 100)
    """

    nu: float = param(real(0, 1, open_low=True), default=0.5)

    offset_: Array = fitted()

    def fit(self, X: Rows, y: object = None, sample_weight: Weights = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d), or list of strings
            Training rows, finite; strings for a kernel on strings; for ``kernel="precomputed"``
            the symmetric matrix of kernel values, (n, n).
        y : ignored
            Not used; present for the interface.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; an integer weight equals a repeated sample. `tol` is meant for
            weights of which the largest is about 1, and others are scaled to that.

        Returns
        -------
        self : OneClassSVM

        Raises
        ------
        ValueError
            If X holds NaN or infinity, is not a symmetric matrix where one is due, or if a
            parameter is out of its range.
        TypeError
            If X holds strings where numbers are due, or the reverse, or if a parameter is of the
            wrong type.

        Warns
        -----
        ConvergenceWarning
            If steps, time, `callback` or rounding ended the training before `tol`; the model is
            usable.
        UserWarning
            If the columns of X lie far from 0, and the kernel is a polynomial; if `cache_size` is
            None and rows of the kernel matrix are made again, as not all fit into memory; or if
            some of the matrix shows that the kernel is not positive semi-definite.
        """
        params = self._checked()
        training = self._training(params, X, lambda n: as_weights(sample_weight, n))
        rows, weights = training.used, training.points.weights
        weights = np.ones(len(rows)) if weights is None else weights[rows]
        costs = as_costs(1.0, weights, "The largest weight")
        machine = one_class(training.run, rows, costs, params.nu)
        # rho is taken at the lower end of what the tolerance leaves open, so that rows on the
        # boundary are inside.
        slack = min(machine.violation, training.run.tol) / machine.scale + 1e-12 * abs(machine.rho)
        machine = replace(machine, rho=machine.rho - slack)
        fitted = self._single(training, machine)
        return self._publish(X, **fitted, offset_=np.array([machine.rho]))

    def score_samples(self, X: Rows) -> Array:
        """Return w.phi(x): the decision values without the offset.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d), or list of strings
            Samples; for ``kernel="precomputed"`` their kernel values with the training samples, (m,
            n).

        Returns
        -------
        ndarray of shape (m,)
            float32 for float32 X, else float64.

        Raises
        ------
        ValueError
            If X is not finite, or has other columns than the training rows.
        """
        sums, dtype = self._sums(X)
        return as_type(sums[0][:, 0], dtype)

    def decision_function(self, X: Rows) -> Array:
        """Return the decision values f(x), positive for inliers.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d), or list of strings
            Samples; for ``kernel="precomputed"`` their kernel values with the training samples, (m,
            n).

        Returns
        -------
        ndarray of shape (m,)
            float32 for float32 X, else float64.

        Raises
        ------
        ValueError
            As for `score_samples`.
        """
        sums, dtype = self._sums(X)
        return as_type(sums[0][:, 0] - self.offset_, dtype)

    def predict(self, X: Rows) -> Array:
        """Return +1 for inliers, the boundary included, and -1 for outliers.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d), or list of strings
            Samples; for ``kernel="precomputed"`` their kernel values with the training samples, (m,
            n).

        Returns
        -------
        ndarray of shape (m,), of integers

        Raises
        ------
        ValueError
            As for `score_samples`.
        """
        sums, _ = self._sums(X)
        return np.where(sums[0][:, 0] - self.offset_ >= 0.0, 1, -1)

    def fit_predict(self, X: Rows, y: object = None, sample_weight: Weights = None) -> Array:
        """Fit, and return +1 for inliers and -1 for outliers.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d), or list of strings
            Training rows, finite; strings for a kernel on strings; for ``kernel="precomputed"`` the
            symmetric matrix of kernel values, (n, n).
        y : ignored
            Not used; present for the interface.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; an integer weight equals a repeated sample. `tol` is meant for
            weights of which the largest is about 1, and others are scaled to that.

        Returns
        -------
        ndarray of shape (n,), of integers
        """
        return self.fit(X, sample_weight=sample_weight).predict(X)

    _estimator_type = "outlier_detector"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.estimator_type = "outlier_detector"
        return tags
