# SPDX-License-Identifier: BSD-3-Clause
"""Support vector regression within a tube that leaves out a given share of the rows."""

from __future__ import annotations

from typing import Any

from statfast._estimator import fitted, param, real
from statfast._typing import Array
from statfast.svm.dual.problems import Machine, nu_svr
from statfast.svm.machines.svr import RegressionMachine
from statfast.svm.machines.training import as_costs


class NuSVR(RegressionMachine):
    """Nu-support vector regression: nu bounds the fraction of samples outside the tube.

    nu is an upper bound of the share of rows outside the tube and a lower bound of the share of
    support vectors. It is the `SVR` whose epsilon has that effect.

    Parameters
    ----------
    nu : float, default=0.5
        Above 0 and at most 1.
    C : float, default=1.0
        Cost of errors, positive and finite.
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
    epsilon_ : float
        Half the width of the tube.
    margin_ : ndarray of shape (1,)
        ``2 / |w|``: the width of the strip -1 < f < 1; infinite where w is 0.
    multipliers_ : tuple of 1 `statfast.svm.DualVariables`
        Training samples with a = 0, 0 < a < C and a = C.
    primal_objective_, dual_objective_, dual_gap_ : ndarray of shape (1,)
        ``|w|^2 / 2`` and the cost of errors and of the tube;
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
    SVR : The same with a tube of a given width.

    Notes
    -----
    Cost: between n^2 and n^3 times that of a kernel value for a fit; S values for each row that is
    predicted. Memory: the kernel matrix in float32 where it fits `cache_size`, else `cache_size`.
    At most 4 MB of it are left to the next fit. Of sparse rows the whole matrix is made before, in
    float64, and refused where it does not fit; they have the kernels that are functions of inner
    products: "linear", "poly", "rbf" and "sigmoid".

    References
    ----------
    .. [1] Schölkopf, B., Smola, A. J., Williamson, R. C. and Bartlett, P. L. (2000). New support
       vector algorithms. Neural Computation 12, 1207-1245.
       https://doi.org/10.1162/089976600300015565

    Examples
    --------
    >>> import numpy as np
    >>> from statfast.svm import NuSVR
    >>> X = np.linspace(0, 6, 60)[:, None]
    >>> y = np.sin(X[:, 0]) + np.random.default_rng(0).normal(0.0, 0.2, 60)
    >>> for nu in (0.1, 0.5):  # at least this share of the rows are support vectors
    ...     model = NuSVR(nu=nu, C=10).fit(X, y)
    ...     print(f"{model.n_support_[0]} of 60, epsilon {model.epsilon_:.2f}")
    11 of 60, epsilon 0.28
    33 of 60, epsilon 0.10
    """

    nu: float = param(real(0, 1, open_low=True), default=0.5)
    C: float = param(real(0, open_low=True), default=1.0)

    epsilon_: float = fitted()

    _solve_parameters = ("C", "nu")

    def _machine(
        self, run: Any, rows: Array, y: Array, weights: Array, params: Any, before: Any = None
    ) -> Machine:
        return nu_svr(run, rows, y, as_costs(params.C, weights), params.nu)

    def _more(self, machine: Machine) -> dict[str, float]:
        return {"epsilon_": machine.epsilon}
