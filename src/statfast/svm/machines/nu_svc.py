# SPDX-License-Identifier: BSD-3-Clause
"""Support vector classification with a share nu of rows within the margin."""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast._estimator import fitted, param, real
from statfast._typing import Array
from statfast.svm.dual.limits import Run
from statfast.svm.dual.problems import Machine, nu_svc
from statfast.svm.machines.pairwise import PairwiseMachines
from statfast.svm.machines.training import as_costs

# The least size of kernel values, as steps are right for curvatures above about 1e-12.
MIN_KERNEL_VALUE = 1e-11


class NuSVC(PairwiseMachines):
    """Nu-support vector classification: nu bounds the fraction of margin errors.

    nu is an upper bound of the share of rows (of each pair of classes) on the wrong side of the
    margin, and a lower bound of the share of support vectors. It is the `SVC` whose C has that
    effect.

    Parameters
    ----------
    nu : float, default=0.5
        Above 0, and at most twice the fraction of the smaller class of every pair.
    probability : bool, default=False
        Whether to estimate probabilities too, by five-fold cross-validation: six times the work.
        Samples count by their weights, those of their classes included.
    class_weight : dict or "balanced", optional
        Weights of rows by class label; "balanced" makes them inversely proportional to the sizes
        of the classes. Labels that a dict leaves out have 1.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        What `decision_function` gives of more than two classes.
    break_ties : bool, default=False
        Whether `predict` looks at values where classes have as many votes.
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator of the cross-validation behind probabilities; an integer makes the result
        reproducible. Equal rows are in the same fold, and their order does not matter (unlike with
        matrices of kernel values).
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
    classes_ : ndarray of shape (K,)
        The labels, ascending.
    class_weight_ : ndarray of shape (K,)
        Weights of rows by class.
    support_ : ndarray of shape (S,)
        Training samples that are support vectors, by class.
    support_vectors_ : ndarray or CSR array of shape (S, d), or list of strings
        Those samples; empty for ``kernel="precomputed"``.
    n_support_ : ndarray of shape (K,)
        Support vectors of each class.
    dual_coef_ : ndarray of shape (K - 1, S)
        Coefficients of the support vectors in f, laid out as in scikit-learn.
    intercept_ : ndarray of shape (P,)
        One for each pair of classes, P = K (K - 1) / 2.
    coef_ : ndarray of shape (P, d)
        Coefficients of the columns, for ``kernel="linear"`` only.
    C_ : ndarray of shape (P,)
        C of the `SVC` that is the same.
    margin_ : ndarray of shape (P,)
        ``2 / |w|``: the width of the strip -1 < f < 1; infinite where w is 0.
    multipliers_ : tuple of P `statfast.svm.DualVariables`
        Training samples with a = 0, 0 < a < C and a = C.
    primal_objective_, dual_objective_, dual_gap_ : ndarray of shape (P,)
        ``|w|^2 / 2`` and the cost of errors at `C_`;
        a lower bound of it, by the dual; and the difference, which bounds the error of both.
    kkt_violation_ : ndarray of shape (P,)
        Of the conditions of optimality, at the end.
    n_iter_ : ndarray of shape (P,)
        Steps.
    fit_status_ : int
        0 if all machines converged, those of the cross-validation too, else 1.
    kernel_ : Kernel
        The kernel, with its gamma.
    shape_fit_ : tuple of int
        Shape of the training samples.
    probA_, probB_ : ndarray of shape (P,)
        Parameters of the sigmoids; with ``probability=True`` only.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    SVC : The same with a cost of errors.

    Notes
    -----
    Cost: between n^2 and n^3 times that of a kernel value for a fit; S values for each row that is
    predicted. Memory: the kernel matrix in float32 where it fits `cache_size`, else `cache_size`.
    At most 4 MB of it are left to the next fit. Of sparse rows the whole matrix is made before, in
    float64, and refused where it does not fit; they have the kernels that are functions of inner
    products: "linear", "poly", "rbf" and "sigmoid".
    **Ties** of votes go to the lowest label.

    References
    ----------
    .. [1] Schölkopf, B., Smola, A. J., Williamson, R. C. and Bartlett, P. L. (2000). New support
       vector algorithms. Neural Computation 12, 1207-1245.
       https://doi.org/10.1162/089976600300015565

    Examples
    --------
    >>> from statfast.datasets import load_iris
    >>> from statfast.svm import NuSVC
    >>> iris = load_iris()
    >>> model = NuSVC(nu=0.2).fit(iris.data, iris.target)
    >>> float(round(model.score(iris.data, iris.target), 3))
    0.993
    """

    nu: float = param(real(0, 1, open_low=True), default=0.5)

    C_: Array = fitted()

    _solve_parameters = ("nu",)

    def _machine(
        self, run: Run, rows: Array, sign: Array, weights: Array, params: Any, before: Any = None
    ) -> Machine:
        nu = params.nu
        weights = as_costs(1.0, weights, "The largest weight")
        require_size(
            run.gram.longest, MIN_KERNEL_VALUE, "Kernel values", "Scale the columns of X up."
        )
        total = weights.sum()
        most = 2.0 * min(weights[sign > 0].sum(), weights[sign < 0].sum()) / total
        if nu > most * (1.0 + 1e-12):
            if run.validates:  # The rows of a fold may have fewer of a class than all rows have.
                nu = most
            else:
                raise ValueError(
                    f"nu must be at most {most:.4g}, twice the share of the smaller of two classes "
                    f"of y; got {nu}. The specified nu is infeasible: lower nu."
                )
        machine = nu_svc(run, rows, sign, weights, min(nu, most))
        if machine is None:
            raise ValueError(
                f"The rows of two classes of y cannot be separated with nu={nu}: the margin "
                "is zero, or nearly. Raise nu, scale the columns of X, choose another kernel, or "
                "use SVC."
            )
        return machine

    def _fitted_attributes(
        self,
        training: Any,
        machines: list[Machine],
        checked: tuple[Array, Array, Array],
        platt: dict[str, Array],
    ) -> dict[str, Any]:
        more = super()._fitted_attributes(training, machines, checked, platt)
        return {**more, "C_": np.array([1.0 / m.scale for m in machines])}


def require_size(largest: float, least: float, what: str, fix: str) -> None:
    """Refuse numbers all of which are nearly 0: with nu, there is no C to make up for it."""
    if 0.0 < largest < least:
        raise ValueError(f"{what} must be at least {least:g} somewhere; got {largest:.3g}. {fix}")
