# SPDX-License-Identifier: BSD-3-Clause
"""Support vector classification with a penalty C on errors."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from statfast._estimator import param, real
from statfast._typing import Array
from statfast.svm.dual.limits import Run
from statfast.svm.dual.problems import INSEPARABLE, Machine, c_svc
from statfast.svm.machines.pairwise import PairwiseMachines
from statfast.svm.machines.training import as_costs


class SVC(PairwiseMachines):
    """C-support vector classification.

    For two classes y = +1, -1 it minimizes, over w and b, with f(x) = w.phi(x) + b::

        |w|^2 / 2 + C sum_i max(0, 1 - y_i f(x_i))

    where phi(x).phi(z) = K(x, z), by its dual, with a multiplier for each row. Of more classes,
    each pair has its own machine, and they vote.

    Parameters
    ----------
    C : float, default=1.0
        Cost of errors, positive. Infinity allows none, the hard margin: it is refused where the
        classes are not separable.
    probability : bool, default=False
        Whether to estimate probabilities too, by five-fold cross-validation: six times the work.
        Samples count by their weights, those of their classes included.
    class_weight : dict or "balanced", optional
        Factors of C by class label; "balanced" makes them inversely proportional to the sizes
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
        Factors of C by class.
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
    margin_ : ndarray of shape (P,)
        ``2 / |w|``: the width of the strip -1 < f < 1; infinite where w is 0.
    multipliers_ : tuple of P `statfast.svm.DualVariables`
        Training samples with a = 0, 0 < a < C and a = C.
    primal_objective_, dual_objective_, dual_gap_ : ndarray of shape (P,)
        ``|w|^2 / 2`` and the cost of errors, or, with ``C=inf``, of w times what leaves no error;
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
        ``P(first of the pair | f) = 1 / (1 + exp(A f + B))``, f positive for the first; with
        ``probability=True`` only.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    NuSVC : The same with a bound on the share of errors in place of C.
    GridSearchCV : Many values of C and gamma, which share kernel matrices.

    Notes
    -----
    Scale the columns: the kernels weigh them as they are.

    All pairs share the kernel matrix, and rows of it that are kept. Training is interrupted by
    Ctrl-C, `time_limit`, `max_iter` or `callback`.

    Cost: between n^2 and n^3 times that of a kernel value for a fit; S values for each row that is
    predicted. Memory: the kernel matrix in float32 where it fits `cache_size`, else `cache_size`.
    At most 4 MB of it are left to the next fit. Of sparse rows the whole matrix is made before, in
    float64, and refused where it does not fit; they have the kernels that are functions of inner
    products: "linear", "poly", "rbf" and "sigmoid".
    **Ties** of votes go to the lowest label.

    References
    ----------
    .. [1] Fan, R.-E., Chen, P.-H. and Lin, C.-J. (2005). Working set selection using second order
       information for training support vector machines. Journal of Machine Learning Research 6,
       1889-1918. https://www.jmlr.org/papers/v6/fan05a.html
    .. [2] Lin, H.-T., Lin, C.-J. and Weng, R. C. (2007). A note on Platt's probabilistic outputs
       for support vector machines. https://doi.org/10.1007/s10994-007-5018-6
    .. [3] Wu, T.-F., Lin, C.-J. and Weng, R. C. (2004). Probability estimates for multi-class
       classification by pairwise coupling. https://www.jmlr.org/papers/v5/wu04a.html

    Examples
    --------
    >>> from statfast.datasets import load_iris
    >>> from statfast.svm import SVC
    >>> iris = load_iris()
    >>> model = SVC(C=10).fit(iris.data, iris.target)
    >>> float(round(model.score(iris.data, iris.target), 3))
    0.987
    >>> model = SVC(kernel="linear").fit(iris.data[:100], iris.target[:100])
    >>> model.n_support_, model.margin_.round(3)
    (array([2, 1], dtype=int32), array([1.635]))
    """

    C: float = param(real(0, open_low=True, infinite=True), default=1.0)

    _solve_parameters = ("C",)

    def _machine(
        self, run: Run, rows: Array, sign: Array, weights: Array, params: Any, before: Any = None
    ) -> Machine:
        if inf > params.C:
            return c_svc(run, rows, sign, as_costs(params.C, weights), before)
        machine = c_svc(run, rows, sign, np.full(len(rows), inf))
        if machine.reason == INSEPARABLE:
            raise ValueError(
                "C must be finite, as the classes of y are not separable by this kernel, or by a "
                "margin of less than 3e-4 of the largest image, which is taken for none; got inf. "
                "Pass C=1e6, or another kernel."
            )
        return machine
