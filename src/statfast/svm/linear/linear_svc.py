# SPDX-License-Identifier: BSD-3-Clause
"""Linear support vector classification: LIBLINEAR's problem, solved directly where that is best."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np

from statfast._engine import each
from statfast._estimator import (
    Classifier,
    SparseCoefficients,
    by_fit,
    fitted,
    one_of,
    param,
    weighted_labels,
)
from statfast._typing import Array, ArrayLike, ClassWeight, Rows, Weights
from statfast._validation import as_generator, shown
from statfast.svm.linear.class_descent import descend_together
from statfast.svm.linear.model import (
    LinearMachine,
    clock_of,
    solved,
    values,
    warn_stopped,
)
from statfast.svm.linear.objective import Problem
from statfast.svm.linear.rows import LinearRows, new_rows, rows_of
from statfast.svm.linear.sparse_weights import sparsest, with_constant

# A zero takes as long as any number where all classes are multiplied by it: rows are packed if one
# number in so many is none.
NUMBERS_PER_NONZERO_OF_JOINT_ROWS = 1.3


class LinearSVC(SparseCoefficients, Classifier, LinearMachine):
    """Linear support vector classification.

    With labels y = 1 and -1 it minimizes, over w and b::

        w'w / 2 + (b / intercept_scaling)^2 / 2 + C sum_i c_i loss(y_i (w'x_i + b))

    where the loss is ``max(0, 1 - m)`` ("hinge") or its square. That is LIBLINEAR's problem, with
    the intercept penalized. Of more than two classes, each is separated from all others.

    With ``multi_class="crammer_singer"`` there is one problem for all classes, with a w_k
    and b_k for each [6]_::

        sum_k w_k'w_k / 2 + sum_k (b_k / intercept_scaling)^2 / 2 + C sum_i c_i loss_i,
        loss_i = max(0, max over k != y_i of 1 - (w_{y_i}'x_i + b_{y_i} - w_k'x_i - b_k))

    With ``penalty="l1"`` the penalty is ``|w|_1 + |b| / intercept_scaling``, and most coefficients
    may be zero.

    Parameters
    ----------
    penalty : {"l2", "l1"}, default="l2"
        "l1" goes with the squared loss, and not with ``dual=True``.
    loss : {"squared_hinge", "hinge"}, default="squared_hinge"
        Squared hinge or hinge loss.
    class_weight : dict or "balanced", optional
        Factors of the weights c of the samples of each class, by label; "balanced" makes the
        classes weigh the same.
    multi_class : {"ovr", "crammer_singer"}, default="ovr"
        Each class against the others, or all classes together, which has its own loss, penalty and
        solver, whatever `loss`, `penalty` and `dual` are.
    C : float, default=1.0
        Weight of the losses against the penalty.
    fit_intercept : bool, default=True
        Whether to fit an intercept.
    intercept_scaling : float, default=1.0
        The larger it is, the less the intercept is penalized: it is the coefficient of a column
        that holds this number.
    dual : {"auto", True, False}, default="auto"
        True is coordinate descent on the dual. False is Newton's method for the squared loss, an
        interior point for the hinge, both with sums of products of columns; Newton's steps are by
        conjugate gradients where that is cheaper. "auto" takes descent for more than some hundred
        columns with the hinge, for more columns than rows with the squared loss.
    tol : float, default=1e-4
        As LIBLINEAR's. Descent: the largest less the least projected gradient of the dual; if the
        gap is then more than tol / 100 of the objective, a smaller tol is tried. Newton: the length
        of the gradient, relative to that at 0 times the fraction of the smaller class. Interior
        point: its square is the gap, relative to the objective. Proximal Newton: its square is the
        gap, relative to the losses at 0. Coordinate descent: the gap is at most tol / 10 of the
        objective. All classes together: the largest gradient of the dual in a row less the least of
        those whose multiplier may rise, in any row.
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator of the order in which descent visits samples; an integer makes the result
        reproducible. The direct methods do not use it.
    max_iter : int, default=1000
        Maximum number of sweeps of descent, or of iterations; of all classes together, visits of as
        many rows as there are.
    time_limit : float, optional
        Seconds after which the iteration ends, with a model that can be used, and a warning.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits
        for any number.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        The labels, ascending.
    coef_ : ndarray of shape (1, d), or (K, d) for more than two classes
        Coefficients; of two classes together those of the second less those of the first.
    intercept_ : ndarray of shape (1,) or (K,)
        Intercept.
    primal_objective_, dual_objective_, dual_gap_ : ndarray of shape (1,) or (K,)
        Of each problem, which of all classes together is one: what was minimized, a lower bound of
        it, and the difference, which is never negative except for rounding.
    n_iter_ : int
        The largest number of sweeps or iterations for a class.
    converged_ : bool
        Whether the iterations converged.
    solver_ : {"descent", "newton", "interior point", "proximal newton", "coordinate descent"}
        Solver used.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    statfast.linear.LogisticRegression : With probabilities and inference.
    statfast.svm.LinearSVR : For numbers.

    Notes
    -----
    A weight of 2 is a row repeated. Class weights are those of rows in each of the K problems
    (LIBLINEAR gives the others weight 1). **Ties** between classes go to the lowest label, a
    decision value of 0 to the first of two.

    The l1 penalty is solved by proximal Newton steps, lassos of the rows inside their margin, or
    for more than 1000 columns by coordinate descent with Newton directions [5]_, on a copy of the
    columns.

    All classes together are solved by sweeps over the rows, the multipliers of a row at once [7]_.
    Rows whose multipliers stay where they are leave the sweeps until the others have converged.
    What limits it are the products of a row and all classes.

    Cost: sums of products take n d^2 operations (the squares of the nonzeros of each sparse row)
    and d^3 / 3, 5 to 30 times; of many rows the interior point needs all only a few times, then
    those near the margin. A sweep of descent and a conjugate gradient take 4 n d, a
    sweep of all classes together up to 4 n d K. Memory: O(d^2) a thread and O(n), of all classes
    together O((n + d) K); rows are read where they lie, except for dense ones of 64 columns or more
    of which at most a sixth is not zero: they are made sparse.

    References
    ----------
    .. [1] Hsieh, C.-J., Chang, K.-W., Lin, C.-J., Keerthi, S. S. and Sundararajan, S. (2008). A
       dual coordinate descent method for large-scale linear SVM. ICML, 408-415.
       https://doi.org/10.1145/1390156.1390208
    .. [2] Moré, J. J. and Toraldo, G. (1991). On the solution of large quadratic programming
       problems with bound constraints. SIAM Journal on Optimization 1, 93-113.
       https://doi.org/10.1137/0801008
    .. [3] Mangasarian, O. L. (2002). A finite Newton method for classification. Optimization
       Methods and Software 17, 913-929. https://doi.org/10.1080/1055678021000028375
    .. [4] Ferris, M. C. and Munson, T. S. (2002). Interior-point methods for massive support
       vector machines. SIAM Journal on Optimization 13, 783-804.
       https://doi.org/10.1137/S1052623400374379
    .. [5] Yuan, G.-X., Chang, K.-W., Hsieh, C.-J. and Lin, C.-J. (2010). A comparison of
       optimization methods and software for large-scale L1-regularized linear classification.
       Journal of Machine Learning Research 11, 3183-3234. https://jmlr.org/papers/v11/yuan10c.html
    .. [6] Crammer, K. and Singer, Y. (2001). On the algorithmic implementation of multiclass
       kernel-based vector machines. Journal of Machine Learning Research 2, 265-292.
       https://www.jmlr.org/papers/v2/crammer01a.html
    .. [7] Keerthi, S. S., Sundararajan, S., Chang, K.-W., Hsieh, C.-J. and Lin, C.-J. (2008). A
       sequential dual method for large scale multi-class linear SVMs. KDD, 408-416.
       https://doi.org/10.1145/1401890.1401942

    Examples
    --------
    >>> from statfast.datasets import load_iris
    >>> from statfast.svm import LinearSVC
    >>> iris = load_iris()
    >>> X, y = iris.data[50:, 2:], iris.target[50:]  # versicolor and virginica, petals
    >>> model = LinearSVC(loss="hinge").fit(X, y)
    >>> model.coef_.round(4)
    array([[0.0348, 2.7281]])
    >>> model.score(X, y)
    0.94
    >>> together = LinearSVC(multi_class="crammer_singer", C=0.1, random_state=0)
    >>> together.fit(iris.data, iris.target).coef_.shape
    (3, 4)
    """

    penalty: Literal["l2", "l1"] = param(one_of("l1", "l2"), default="l2")
    loss: Literal["squared_hinge", "hinge"] = param(
        one_of("hinge", "squared_hinge"), default="squared_hinge"
    )
    class_weight: ClassWeight = param(by_fit, default=None)
    multi_class: Literal["ovr", "crammer_singer"] = param(
        one_of("ovr", "crammer_singer"), default="ovr"
    )

    classes_: Array = fitted()
    primal_objective_: Array = fitted()
    dual_objective_: Array = fitted()
    dual_gap_: Array = fitted()

    def fit(self, X: Rows, y: ArrayLike, sample_weight: Weights = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            The samples, finite.
        y : array-like of shape (n,)
            A label for each row, of at least two classes.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; samples of weight 0 are left out. They multiply C.

        Returns
        -------
        self : LinearSVC

        Raises
        ------
        ValueError
            If X is not a finite 2-d array, if y is not one label for each row, if there is one
            class, or if a parameter is out of its range.
        TypeError
            If a parameter is of the wrong type.

        Warns
        -----
        ConvergenceWarning
            If max_iter or time_limit was reached; it reports the gap.
        """
        params = self._checked()
        is_joint = params.multi_class == "crammer_singer"
        rows = rows_of(X, self.n_jobs, *(NUMBERS_PER_NONZERO_OF_JOINT_ROWS,) * is_joint)
        classes, codes, weights = weighted_labels(
            y, rows.shape[0], sample_weight, self.class_weight, least=2
        )
        made, costs, codes = self._rows(rows, params, weights, codes)
        if is_joint:
            return self._fit_together(X, params, classes, made, costs, codes)
        squared = params.loss == "squared_hinge"
        sparse = _is_l1(params)
        tasks = [1] if len(classes) == 2 else list(range(len(classes)))
        seeds = as_generator(params.random_state).integers(2**63, size=len(tasks))
        clock = clock_of(params)

        if sparse:
            table = with_constant(made.X, params.intercept_scaling) if made.n_intercepts else made.X

        def fit_class(task: Any) -> Any:
            k, seed = task
            target = np.where(codes == k, 1.0, -1.0)
            if sparse:
                with np.errstate(all="ignore"):
                    solution, name = sparsest(
                        table, target, costs, params.tol, clock, seed, self.n_jobs
                    )
                solution.v[: made.n_intercepts] *= params.intercept_scaling
                return solution, name
            share = max(1, min((target > 0).sum(), (target < 0).sum())) / made.n
            problem = Problem(made, target, costs, squared)
            return solved(problem, params, clock, seed, share)

        effort = 50.0 * made.size * len(tasks)
        pairs = zip(tasks, seeds, strict=True)
        if len(tasks) > 1:
            answers = each(fit_class, pairs, n_jobs=self.n_jobs, effort=effort)
        else:
            answers = [fit_class(pair) for pair in pairs]
        solutions = [solution for solution, _ in answers]
        for k, solution in zip(tasks, solutions, strict=True):
            of = f" for class {shown(classes.tolist()[k])}" if len(tasks) > 1 else ""
            warn_stopped(self, solution, of)
        v = np.array([solution.v for solution in solutions])
        return self._publish_solutions(X, classes, made, v, solutions, answers[0][1])

    def _fit_together(
        self, X: Any, params: Any, classes: Array, made: LinearRows, costs: Array, codes: Array
    ) -> Self:
        """Fit one problem of all classes."""
        rng = as_generator(params.random_state)
        with np.errstate(all="ignore"):  # Bounds that are not numbers are refused.
            solution = descend_together(
                made, codes, costs, len(classes), params.tol, clock_of(params), rng
            )
        warn_stopped(self, solution)
        v = solution.v if len(classes) > 2 else solution.v[1:] - solution.v[:1]
        return self._publish_solutions(X, classes, made, v, [solution], "descent")

    def _publish_solutions(
        self, X: Any, classes: Array, made: LinearRows, v: Array, solutions: list[Any], name: str
    ) -> Self:
        return self._publish(
            X,
            classes_=classes,
            coef_=v[:, made.n_intercepts :].copy(),
            intercept_=v[:, 0].copy() if made.n_intercepts else np.zeros(len(v)),
            primal_objective_=np.array([solution.primal for solution in solutions]),
            dual_objective_=np.array([solution.dual for solution in solutions]),
            dual_gap_=np.array([solution.gap for solution in solutions]),
            n_iter_=max(solution.n_iter for solution in solutions),
            converged_=all(solution.converged for solution in solutions),
            solver_=name,
        )

    def decision_function(self, X: Rows) -> Array:
        """Return the decision values ``w'x + b``.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            Samples to predict.

        Returns
        -------
        scores : ndarray of shape (m,), or (m, K) for more than two classes
            Of two classes positive for the second; of several, of each against all others.
            float32 for float32 X, else float64.

        Raises
        ------
        ValueError
            If X is not a finite 2-d array with the columns of the fitted one.
        """
        out = values(new_rows(self, X), self._coefs, self.intercept_, self.n_jobs)
        return out[:, 0] if len(self.classes_) == 2 else out

    def predict(self, X: Rows) -> Array:
        """Predict the class of each sample.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d)
            Samples to predict.

        Returns
        -------
        labels : ndarray of shape (m,), dtype of `classes_`
        """
        scores = self.decision_function(X)
        winners = (scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)
        return self.classes_.take(winners)


def _is_l1(params: Any) -> bool:
    """Whether the penalty is l1; raises where the other parameters do not go with it."""
    if params.penalty == "l2":
        return False
    if params.loss != "squared_hinge":
        raise ValueError(
            "penalty='l1' goes with loss='squared_hinge'; got loss='hinge'. Pass that, or "
            "penalty='l2'."
        )
    if params.dual is True or params.dual is np.True_:
        raise ValueError(
            "penalty='l1' has no solver of the dual; got dual=True. Pass dual=False, or "
            "penalty='l2'."
        )
    return True
