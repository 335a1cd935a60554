# SPDX-License-Identifier: BSD-3-Clause
"""Ridge regression on the images of a kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np

from statfast._engine import interruptible
from statfast._estimator import (
    Estimator,
    HeldOutAnswers,
    ProductFits,
    Regressor,
    StoredIntervals,
    StoredLeftOut,
    by_fit,
    checked_by,
    checks_of_all_rows,
    count,
    fitted,
    flag,
    jobs,
    nothing,
    param,
    parameters_key,
    real,
    with_params,
)
from statfast._linalg import triangle_inverse
from statfast._typing import Array, ArrayLike, Jobs, Matrix, Rows, Weights
from statfast._validation import (
    MAX_POWER,
    as_rows,
    as_targets,
    as_type,
    as_weights,
    refuse_large,
    shape_of,
    takes_too_much,
    to_array,
    warn_user,
    wrong_type,
)
from statfast.kernels import Kernel, Linear, Precomputed
from statfast.kernels.named import AnyKernel, domain_of, has_gamma, require_kernel
from statfast.kernels.points import MATRIX
from statfast.svm.machines.expansion import Expansion, require_finite_values
from statfast.svm.machines.sparse_values import serves_sparse, training_matrix
from statfast.svm.machines.training import GAMMA, as_new_points, as_training_points
from statfast.svm.ridge.held_out import MAX_CONDITION, Singular, groups_of, held_out
from statfast.svm.ridge.system import factor_of, least_squares, multipliers

ALIASES = {"polynomial": "poly", "cosine": Linear().normalize()}


def _by_alias(kernel: Any) -> Any:
    return ALIASES.get(kernel, kernel) if isinstance(kernel, str) else kernel


def as_named_kernel(kernel: Any, name: str) -> Any:
    """Check the parameter `kernel`, of which scikit-learn has more names here."""
    return require_kernel(_by_alias(kernel), name)


class RidgeExpansion(Expansion):
    """Sums over all rows, of a kernel's own values: multipliers of a small penalty are large."""

    tile = None


class KernelRidge(StoredIntervals, Regressor, Estimator):
    """Kernel ridge regression: f(x) = sum_i c_i K(x_i, x).

    Minimizes ``sum_i w_i (y_i - f(x_i))^2 + alpha |f|^2``, with ``|f|^2 = c'Kc``. There is no
    intercept: center y, or choose a kernel with a constant part.

    Parameters
    ----------
    alpha : float or array-like of shape (T,), default=1.0
        Penalty, not negative; of each target its own. It is the variance of the noise where the
        kernel is taken for the covariance of a Gaussian process.
    kernel : str, Kernel or callable, default="linear"
        "linear", "poly" (or "polynomial"), "rbf", "sigmoid", "laplacian", "cosine"; "spectrum" for
        strings; "precomputed" for matrices of kernel values; a kernel of `statfast.kernels`, which
        the next three parameters do not change; or a function of two arrays of rows that returns
        the matrix between them.
    gamma : float, "scale" or "auto", optional
        Of "poly", "rbf", "sigmoid" and "laplacian". None and "auto" are 1 / d, "scale" is 1 / (d
        times the variance of all values of X, whatever their weights).
    degree : int, default=3
        Of "poly"; of "spectrum" the length of the substrings.
    coef0 : float, default=1.0
        Of "poly" and "sigmoid".
    store_left_out : bool, default=False
        Keep what the fits without each row need, n^2 numbers, for ``interval="conformal"`` of
        ``predict``; it takes about as long as the fit.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Attributes
    ----------
    dual_coef_ : ndarray of shape (n,), or (n, T) if y was 2-d
        The multipliers c.
    X_fit_ : ndarray or CSR array of shape (n, d), or list of strings
        The rows, which predictions need; for ``kernel="precomputed"`` the matrix.
    kernel_ : Kernel
        The kernel, with its gamma.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    Raises
    ------
    ValueError
        By ``fit``: if X or y holds NaN or infinity, their shapes differ, or a parameter is out of
        its range.

    Warns
    -----
    UserWarning
        By ``fit``: if the system is singular, or the kernel indefinite by more than alpha. The
        shortest solution is taken.

    See Also
    --------
    SVR : Another loss, for which most multipliers are zero.
    Ridge : The same in the columns themselves, with an intercept.

    Notes
    -----
    Scale the columns: the kernels weigh them as they are.

    Cholesky's factor of K + alpha W^-1: n^3 / 3 multiplications and additions, and 32 n^2 bytes.
    Predictions take n kernel values each. Cross-validation makes one kernel matrix for all folds
    and penalties, and predicts all folds for about the price of three fits (``path`` is "closed
    form"): see :doc:`/theory/cross_validation`.

    Sparse rows have the kernels that are functions of inner products: "linear", "poly", "rbf" and
    "sigmoid".

    References
    ----------
    .. [1] C. Saunders, A. Gammerman & V. Vovk (1998). Ridge regression learning algorithm in dual
       variables. ICML, 515-521.
    .. [2] C. E. Rasmussen & C. K. I. Williams (2006). Gaussian Processes for Machine Learning. MIT
       Press. https://gaussianprocess.org/gpml/

    Examples
    --------
    >>> import numpy as np
    >>> from statfast import KernelRidge
    >>> X = np.linspace(0, 6, 60)[:, None]
    >>> y = np.sin(X[:, 0])
    >>> model = KernelRidge(alpha=1e-3, kernel="rbf", gamma=0.5).fit(X, y)
    >>> model.predict([[1.0], [2.0], [4.0]]).round(2), np.sin([1, 2, 4]).round(2)
    (array([ 0.84,  0.91, -0.76]), array([ 0.84,  0.91, -0.76]))
    >>> from statfast import GridSearchCV
    >>> search = GridSearchCV(model, {"alpha": [1.0, 0.1, 0.01]}, cv=5).fit(X, y)
    >>> search.best_params_, search.path_
    ({'alpha': 0.01}, 'closed form')
    """

    _expansion: Any = fitted()
    _flat: Any = fitted()

    alpha: ArrayLike = param(by_fit, default=1.0, kw_only=False)
    kernel: AnyKernel = param(checked_by(as_named_kernel, *ALIASES, "rbf"), default="linear")
    gamma: Literal["scale", "auto"] | float | None = param(nothing | GAMMA, default=None)
    degree: int = param(count(high=MAX_POWER), default=3)
    coef0: float = param(real(), default=1.0)
    store_left_out: bool = param(flag, default=False)
    n_jobs: Jobs = param(jobs, default=None)

    dual_coef_: Array = fitted()
    X_fit_: Any = fitted()
    kernel_: Kernel = fitted()

    def fit(self, X: Rows, y: ArrayLike, sample_weight: Weights = None) -> Self:
        """Fit the dual coefficients.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d), or list of strings
            Training rows, finite; strings for a kernel on strings; for ``kernel="precomputed"``
            the symmetric matrix of kernel values, (n, n).
        y : array-like of shape (n,) or (n, T)
            Targets, finite numbers.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; an integer weight equals a repeated sample.

        Returns
        -------
        self
        """
        points, Y, root, flat = self._inputs(X, y, sample_weight)
        alphas = as_penalties(self.alpha, Y.shape[1])
        K = self._matrix(points)
        coef = np.empty(Y.shape)
        factor: Any = None
        for alpha in np.unique(alphas):
            columns = alphas == alpha
            coef[:, columns], factor = self._solved(K, root, float(alpha), Y[:, columns])
        if not np.isfinite(coef).all():
            raise ValueError(
                "DualVariables overflow float64: alpha is too small for targets so large. Scale y, "
                "or raise alpha."
            )
        stored = None
        if self._checked_value("store_left_out") and factor is not None:
            stored = self._kept_left_out(points, K, Y, root, alphas, factor, coef)
        everything = np.arange(len(points))
        vectors = points.take(everything)
        # Rows without weight are left out of the sums, as their kernel values may be of any size.
        used = everything if root is None else np.flatnonzero(root)
        summed = vectors if len(used) == len(everything) else points.take(used)
        expansion = RidgeExpansion(
            points.kernel, summed, used, (slice(0, len(used)),), coef[used].T.copy()
        )
        return self._publish(
            X, n_features_in_=points.width, dual_coef_=coef[:, 0] if flat else coef,
            X_fit_=points.data if vectors is None else vectors, kernel_=points.kernel,
            _expansion=expansion, _flat=flat, _stored=stored,
        )  # fmt: skip

    def _rows_to_predict(self, X: Any) -> Any:
        return as_new_points(self, X, sparse=True)

    def _means_of(self, points: Any) -> Array:
        (values,) = self._expansion.values(points, self.n_jobs)
        require_finite_values(values)
        values = as_type(values, _dtype(points))
        return values[:, 0] if self._flat else values

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        tags.input_tags.sparse = serves_sparse(_by_alias(self.kernel))
        return tags

    @property
    def _is_pairwise(self) -> bool:
        return domain_of(_by_alias(self.kernel)) == MATRIX

    # ------------------------------------------------------------ the fit

    def _inputs(
        self, X: Any, y: Any, sample_weight: Weights
    ) -> tuple[Any, Array, Array | None, bool]:
        """Points with their kernel, targets (n, T), roots of weights, and whether y was 1-d."""
        params = self._checked()
        params.gamma = params.gamma or "auto"
        targets = []

        def weights_of(n: int) -> Array | None:
            targets.append(as_targets(y, n))
            return as_weights(sample_weight, n)

        points = as_training_points(params, X, weights_of, sparse=True)
        Y, flat = targets[0]
        return points, Y, None if points.weights is None else np.sqrt(points.weights), flat

    def _matrix(self, points: Any) -> Array:
        n = len(points)
        refuse_large(_bytes_of_matrix(n), "The kernel matrix and its factor", "Fit fewer rows.")
        if points.sparse:
            return training_matrix(points.kernel, points.data)
        rows = points.for_gram()
        return points.kernel._matrix(rows, rows, np.float64, self.n_jobs)

    def _solved(self, K: Array, root: Array | None, alpha: float, Y: Array) -> tuple[Array, Any]:
        """The multipliers, and the factor that they are solved from, if there is one."""
        factor = factor_of(K, root, alpha)
        if factor is not None:
            return multipliers(factor, root, Y), factor
        warn_user(
            f"KernelRidge: the kernel matrix with alpha={alpha:g} on its diagonal is singular or "
            "indefinite: the shortest least-squares solution is taken. Raise alpha, or drop "
            "repeated rows."
        )
        return least_squares(K, root, alpha, Y), None

    # ------------------------------------------------------------ conformal intervals

    def _why_no_intervals(self) -> str:
        return (
            "interval='conformal' needs a fit with store_left_out=True to dense rows, with one "
            "penalty and a gamma that does not depend on the rows. Fit again, or choose "
            "ConformalRegressor."
        )

    def _kept_left_out(
        self,
        points: Any,
        K: Array,
        Y: Array,
        root: Array | None,
        alphas: Array,
        factor: Any,
        coef: Array,
    ) -> StoredLeftOut | None:
        """The fits without each row; None where they are not to be had."""
        params = self._checked()
        by_rows = has_gamma(params.kernel) and params.gamma == "scale"
        if points.sparse or type(points.kernel) is Precomputed or by_rows or np.ptp(alphas) > 0.0:
            return None
        n, alpha = len(points), float(alphas[0])
        s = np.ones(n) if root is None else root
        positive = np.where(s > 0.0, s, 1.0)  # Rows without weight have multipliers of 0.
        half = triangle_inverse(factor.lower, lower=True)
        half *= factor.scale
        diagonal = np.einsum("ij,ij->j", half, half)
        largest = float((np.einsum("ii->i", K) * s**2).sum() + alpha)
        if largest * diagonal.max() < MAX_CONDITION:
            left_out = coef / (positive**2 * diagonal)[:, None]
        else:  # The formula would lose digits.
            each_row = [np.array([i]) for i in range(n)]
            left_out = Y - held_out(K, Y, root, [alpha], each_row)[0]
        factors = coef / (positive * diagonal)[:, None]
        fits: list[Any] = [
            KernelLeftOutFits(
                points, Y[:, t] - left_out[:, t], half.T, s, coef[:, t],
                np.ascontiguousarray(factors[:, t]), self.n_jobs,
            )
            for t in range(Y.shape[1])
        ]  # fmt: skip
        return StoredLeftOut(fits, np.abs(left_out), None if root is None else root**2)

    # ------------------------------------------------------------ cross-validation

    def _fits_targets_independently(self) -> bool:
        return not shape_of(self.alpha)

    def _plan_folds(self, task: Any) -> HeldOutAnswers | None:
        """What each candidate predicts of each fold, where all other rows are fitted."""
        folds = task.folds
        answers_alone = task.methods is not None and task.methods <= {"predict", "score"}
        if not answers_alone or not all(map(folds.fits_all_others, range(len(folds)))):
            return None
        X, groups = task.matrix(), groups_of([test for _, test in folds.pairs], folds.n)
        answers = self._held_out(X, folds.y, folds.weights, groups, task.candidates)
        if answers is None:
            return None
        rounds = [
            (group, [answer if isinstance(answer, Exception) else answer[g] for answer in answers])
            for g, group in enumerate(groups)
        ]
        return HeldOutAnswers(X, "predict", rounds, type(self))

    def _held_out(
        self,
        X: Array,
        y: Array,
        sample_weight: Array | None,
        groups: list[list[Array]],
        candidates: tuple[dict[Any, Any]],
    ) -> list[list[Array]] | None:
        """Of each candidate its predictions of all rows, for each group of folds, or its error;
        None where folds have to be refitted."""
        outcomes: list = [None] * len(candidates)
        for members in _alike(candidates):
            with checks_of_all_rows():
                model = with_params(self, candidates[members[0]])
                params = model._checked()
            if has_gamma(params.kernel) and params.gamma == "scale":
                return None  # gamma="scale" depends on the rows of each fold.
            with checks_of_all_rows():
                points, Y, root, flat = model._inputs(X, y, sample_weight)
            wanted = {}
            for c in members:
                try:
                    alpha = candidates[c].get("alpha", self.alpha)
                    wanted[c] = as_penalties(alpha, Y.shape[1])
                except (TypeError, ValueError) as error:
                    outcomes[c] = error
            if takes_too_much(_bytes_of_matrix(len(points))):
                return None  # There may be memory for the smaller matrices of folds.
            try:
                K, dtype = model._matrix(points), _dtype(points.data)
            except Exception as error:  # A user's kernel raised: the candidates that use it fail.
                outcomes = [error if c in wanted else known for c, known in enumerate(outcomes)]
                continue
            every = sorted({float(a) for alphas in wanted.values() for a in alphas})
            try:
                answers = [held_out(K, Y, root, every, group) for group in groups]
            except Singular:
                return None
            for c, alphas in wanted.items():
                place = [every.index(a) for a in alphas]
                columns = range(len(place))
                predictions = [
                    as_type(np.stack([g[p][:, t] for p, t in zip(place, columns, strict=True)], 1),
                            dtype)
                    for g in answers
                ]  # fmt: skip
                outcomes[c] = [predicted[:, 0] if flat else predicted for predicted in predictions]
        return outcomes


@dataclass(frozen=True)
class KernelLeftOutFits(ProductFits):
    """The fits to all rows but one, with M = S K S + alpha I, of which `row_scores` is the inverse
    of the triangular factor, transposed: multipliers without row i are those of all less a multiple
    of column i of the inverse of M."""

    points: Any
    answers: Array  # (n,)
    row_scores: Array  # (n, n)
    root: Array  # (n,) the diagonal of S
    multipliers: Array  # (n,) of the fit to all rows
    factors: Array  # (n,) the left-out residuals times S
    n_jobs: Jobs

    def project(self, rows: Any) -> tuple[Array, Array]:
        new = rows if isinstance(rows, list) else np.ascontiguousarray(rows, dtype=np.float64)
        K = self.points.kernel._matrix(new, self.points.for_gram(), np.float64, self.n_jobs)
        values = K @ self.multipliers
        return values, interruptible(np.matmul, K * self.root, self.row_scores)


def as_penalties(alpha: Any, n_targets: int) -> Array:
    """The penalty of each target, (T,)."""
    if isinstance(alpha, str) or alpha is None:
        raise wrong_type("alpha", "a number, or one of each target", alpha)
    values = to_array(alpha, "alpha", "a number, or one of each target")
    alphas = as_rows(values.reshape(1, -1), name="alpha", keep=(np.float64,))[0]
    if len(alphas) not in (1, n_targets):
        raise ValueError(
            f"alpha must be one number, or one for each target ({n_targets}): number of targets "
            f"and number of penalties do not correspond; got {len(alphas)}."
        )
    if alphas.min() < 0.0:
        raise ValueError(f"alpha must not be negative; got {alphas.min():g}. Pass alpha=0.1.")
    return np.broadcast_to(alphas, n_targets)


def _bytes_of_matrix(n: int) -> float:
    """Bytes of the kernel matrix of n rows, its factor, and two copies while that is made."""
    return 32.0 * n * n


def _alike(candidates: tuple[dict[Any, Any]]) -> list[list[int]]:
    """Places of candidates that differ in alpha alone, which share a kernel matrix."""
    groups: dict = {}
    for c, params in enumerate(candidates):
        groups.setdefault(parameters_key(params, ("alpha",)), []).append(c)
    return list(groups.values())


def _dtype(points: Matrix) -> type[Any]:
    return np.float32 if getattr(points, "dtype", None) == np.float32 else np.float64
