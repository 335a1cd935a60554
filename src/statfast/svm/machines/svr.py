# SPDX-License-Identifier: BSD-3-Clause
"""Support vector regression within a tube of a given width."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np

from statfast._estimator import Regressor, param, real
from statfast._typing import Array, ArrayLike, Rows, Weights
from statfast._validation import as_targets, as_type, as_weights, warn_column_vector
from statfast.svm.dual.problems import Machine, svr
from statfast.svm.machines.kernel_machine import KernelMachine
from statfast.svm.machines.training import as_costs

MAX_TARGET = 1e200  # The largest target: times C, and summed, it must be finite.


class RegressionMachine(Regressor, KernelMachine):
    """Base of the regressors."""

    # What subclasses declare, or a fit sets.
    _machine: ClassVar[Callable[..., Any]]

    def fit(self, X: Rows, y: ArrayLike, sample_weight: Weights = None) -> Self:
        """Fit the function.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d), or list of strings
            Training rows, finite; strings for a kernel on strings; for ``kernel="precomputed"``
            the symmetric matrix of kernel values, (n, n).
        y : array-like of shape (n,)
            Targets, finite numbers.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; an integer weight equals a repeated sample. They multiply C.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If X or y holds NaN or infinity, X is not a symmetric matrix where one is due, y does
            not hold one target for each row or one beyond 1e200, or a parameter is out of its
            range.
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
        params, targets = self._checked(), []

        def weights_of(n: int) -> Array | None:
            targets.append(self._targets(y, n, sample_weight))
            return as_weights(sample_weight, n)

        training = self._training(params, X, weights_of)
        self._trained(X, training, targets[0])
        return self

    def _targets(self, y: Any, n: int, sample_weight: Weights) -> Array:
        """Checked targets of n rows."""
        targets, flat = as_targets(y, n)
        if targets.shape[1] != 1:
            raise ValueError(
                f"y should be a 1d array, one target for each row; got {targets.shape[1]} "
                "columns. Fit one model for each."
            )
        if not flat:
            warn_column_vector()
        if (far := float(np.abs(targets).max())) > MAX_TARGET:
            raise ValueError(f"y must be within {MAX_TARGET:g} of 0; got {far:g}. Scale it.")
        return targets[:, 0]

    def _trained(self, X: Any, training: Any, targets: Array, before: Any = None) -> Machine:
        """Become fitted; the machine, from which that for another C may start."""
        rows, weights = training.used, training.points.weights
        weights = np.ones(len(rows)) if weights is None else weights[rows]
        machine = self._machine(training.run, rows, targets[rows], weights, self._checked(), before)
        self._publish(X, **self._single(training, machine), **self._more(machine))
        return machine

    def _more(self, machine: Machine) -> dict[Any, Any]:
        """Fitted attributes of one class alone."""
        return {}

    def predict(self, X: Rows) -> Array:
        """Return f(x).

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
        return as_type(sums[0][:, 0] + self.intercept_[0], dtype)


class SVR(RegressionMachine):
    """Epsilon-support vector regression.

    It minimizes, over w and b, with f(x) = w.phi(x) + b::

        |w|^2 / 2 + C sum_i max(0, |y_i - f(x_i)| - epsilon)

    Parameters
    ----------
    C : float, default=1.0
        Cost of errors, positive and finite.
    epsilon : float, default=0.1
        Half the width of the tube within which errors cost nothing, at most 1e200.
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
    margin_ : ndarray of shape (1,)
        ``2 / |w|``: the width of the strip -1 < f < 1; infinite where w is 0.
    multipliers_ : tuple of 1 `statfast.svm.DualVariables`
        Training samples with a = 0, 0 < a < C and a = C.
    primal_objective_, dual_objective_, dual_gap_ : ndarray of shape (1,)
        ``|w|^2 / 2`` and the cost of errors;
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
    NuSVR : The same with a share of rows outside the tube in place of epsilon.

    Notes
    -----
    Scale the columns, and y: C and epsilon are in its units.

    Cost: between n^2 and n^3 times that of a kernel value for a fit; S values for each row that is
    predicted. Memory: the kernel matrix in float32 where it fits `cache_size`, else `cache_size`.
    At most 4 MB of it are left to the next fit. Of sparse rows the whole matrix is made before, in
    float64, and refused where it does not fit; they have the kernels that are functions of inner
    products: "linear", "poly", "rbf" and "sigmoid".

    References
    ----------
    .. [1] Smola, A. J. and Schölkopf, B. (2004). A tutorial on support vector regression.
       Statistics and Computing 14, 199-222. https://doi.org/10.1023/B:STCO.0000035301.49549.88

    Examples
    --------
    >>> import numpy as np
    >>> from statfast.svm import SVR
    >>> X = np.linspace(0, 6, 60)[:, None]
    >>> y = np.sin(X[:, 0])
    >>> model = SVR(C=10, epsilon=0.05).fit(X, y)
    >>> model.predict([[1.0], [4.0]]).round(2), np.sin([1.0, 4.0]).round(2)
    (array([ 0.79, -0.71]), array([ 0.84, -0.76]))
    >>> round(float(np.abs(model.predict(X) - y).max()), 2)  # epsilon, whatever C
    0.05
    >>> int(model.n_support_[0])  # of 60 rows
    8
    """

    C: float = param(real(0, open_low=True), default=1.0)
    epsilon: float = param(real(0, MAX_TARGET), default=0.1)

    _solve_parameters = ("C", "epsilon")

    def _machine(
        self, run: Any, rows: Array, y: Array, weights: Array, params: Any, before: Any = None
    ) -> Machine:
        return svr(run, rows, y, as_costs(params.C, weights), params.epsilon, before)
