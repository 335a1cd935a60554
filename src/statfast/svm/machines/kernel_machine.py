# SPDX-License-Identifier: BSD-3-Clause
"""What the five estimators share: checks of parameters and rows, predictions, fitted attributes."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from numbers import Real
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from statfast._estimator import (
    Estimator,
    callable_,
    checked_by,
    count,
    fitted,
    jobs,
    nothing,
    param,
    real,
)
from statfast._typing import Array, Jobs
from statfast._validation import MAX_POWER, ConvergenceWarning, warn_user
from statfast.kernels import Kernel, Linear
from statfast.kernels.named import AnyKernel, domain_of
from statfast.kernels.points import MATRIX
from statfast.svm.dual.convexity import warn_if_indefinite
from statfast.svm.dual.limits import Run, as_steps
from statfast.svm.dual.problems import Machine
from statfast.svm.machines.expansion import Expansion, require_finite_values
from statfast.svm.machines.fold_fits import plan_of_folds
from statfast.svm.machines.sparse_values import serves_sparse
from statfast.svm.machines.training import (
    GAMMA,
    KERNEL,
    Training,
    as_new_points,
    as_training_points,
    warn_far,
)

FIXES = {
    "max_iter": "Raise max_iter or tol, or center and scale the columns of X.",
    "steps": "So many are taken unasked: lower C, center and scale the columns of X, raise tol, or "
    "set max_iter to more.",
    "time_limit": "Raise time_limit or tol, or center and scale the columns of X.",
    "callback": "Let it go on, or raise tol.",
    "precision": "Rounding hides the rest: center and scale the columns of X, or raise tol.",
}


class DualVariables(NamedTuple):
    """Training samples by their dual variable: zero, free or at the bound.

    Attributes
    ----------
    zero : ndarray of shape (n_0,)
        Samples with a = 0, beyond the margin: without them the machine would be the same.
    free : ndarray of shape (n_1,)
        Samples with 0 < a < C, on the margin.
    bound : ndarray of shape (n_2,)
        Samples with a = C, within the margin or on the wrong side.

    Examples
    --------
    >>> from statfast import SVC
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [1.2]], [0, 0, 1, 1, 1]
    >>> SVC(kernel="linear", C=1.0).fit(X, y).multipliers_[0]
    DualVariables(zero=array([3]), free=array([0, 2]), bound=array([1, 4]))
    """

    zero: NDArray[np.intp]
    free: NDArray[np.intp]
    bound: NDArray[np.intp]


class KernelMachine(Estimator):
    """Base of the estimators: parameters all of them have, and prediction."""

    # What subclasses declare, or a fit sets.
    _expansion: Any = fitted()

    kernel: AnyKernel = param(KERNEL, default="rbf")
    degree: int = param(count(high=MAX_POWER), default=3)
    gamma: Literal["scale", "auto"] | float = param(GAMMA, default="scale")
    coef0: float = param(real(), default=0.0)
    tol: float = param(real(0, open_low=True), default=1e-3)
    cache_size: float | None = param(nothing | real(0, open_low=True), default=None)
    max_iter: int | None = param(checked_by(as_steps, -1, None, 100), default=-1)
    time_limit: float | None = param(nothing | real(0), default=None)
    callback: Callable[..., Any] | None = param(nothing | callable_, default=None)
    n_jobs: Jobs = param(jobs, default=None)

    support_: Array = fitted()
    support_vectors_: Any = fitted()
    n_support_: Array = fitted()
    dual_coef_: Array = fitted()
    intercept_: Array = fitted()
    margin_: Array = fitted()
    multipliers_: tuple[DualVariables, ...] = fitted()
    primal_objective_: Array = fitted()
    dual_objective_: Array = fitted()
    dual_gap_: Array = fitted()
    kkt_violation_: Array = fitted()
    n_iter_: Any = fitted()
    fit_status_: int = fitted()
    kernel_: Kernel = fitted()
    shape_fit_: tuple[int, int] = fitted()

    def _training(self, params: Any, X: Any, weights_of: Callable[..., Any]) -> Training:
        """What there is to train on; `weights_of(n)` gives weights, which have a say in gamma."""
        points = as_training_points(params, X, weights_of, sparse=True)
        warn_far(points.data, points.kernel)
        gram = points.gram(params.cache_size, self.n_jobs)
        weights = points.weights
        used = np.arange(len(points)) if weights is None else np.flatnonzero(weights > 0.0)
        return Training(points, gram, used, Run(params, gram))

    # Parameters on which the kernel matrix does not depend.
    _solve_parameters: ClassVar[tuple[str, ...]] = ()

    def _plan_folds(self, task: Any) -> Any:
        """The fitted models of all candidates on each fold, from one kernel matrix."""
        return plan_of_folds(self, task)

    def _training_order(self) -> Any:
        """In which order candidates are trained, each perhaps from the one before."""
        return tuple(
            float(value) if isinstance(value := getattr(self, name), Real) else inf
            for name in reversed(self._solve_parameters)
        )

    @property
    def _is_pairwise(self) -> bool:
        return domain_of(self.kernel) == MATRIX

    def _machine_attributes(
        self,
        training: Training,
        machines: list[Machine],
        support: Array,
        parts: list[slice],
        coef: Array,
    ) -> dict[str, Any]:
        """The fitted attributes that all estimators have; `parts` are those of `Expansion`."""
        points, run = training.points, training.run
        for m in machines:
            require_finite_values(np.array([[m.norm2, m.dual, m.rho]]))
        self._warn(run, [m for m in machines if not m.converged])
        warn_if_indefinite(type(self).__name__, points, support)
        expansion = expansion_of(points, support, parts, coef)
        return {
            "support_": np.asarray(support, dtype=np.int32),
            "support_vectors_": np.empty((0, 0))
            if expansion.vectors is None
            else expansion.vectors,
            "fit_status_": int(run.held_short or not all(m.converged for m in machines)),
            "shape_fit_": (len(points), points.width),
            "kernel_": points.kernel,
            "margin_": np.array([m.margin for m in machines]),
            "multipliers_": tuple(grouped(m) for m in machines),
            "primal_objective_": np.array([m.primal for m in machines]),
            "dual_objective_": np.array([m.dual for m in machines]),
            "dual_gap_": np.array([m.primal - m.dual for m in machines]),
            "kkt_violation_": np.array([m.violation for m in machines]),
            "n_features_in_": points.width,
            "_expansion": expansion,
        }

    def _single(self, training: Training, machine: Machine) -> dict[str, Any]:
        """The fitted attributes of an estimator with one machine."""
        nonzero = machine.coef != 0.0
        support, segments = machine.rows[nonzero], [slice(0, int(nonzero.sum()))]
        coef = np.ascontiguousarray(machine.coef[None, nonzero])
        return {
            **self._machine_attributes(training, [machine], support, segments, coef),
            "n_support_": np.array([len(support)], dtype=np.int32),
            "dual_coef_": coef,
            "intercept_": np.array([-machine.rho]),
            "n_iter_": machine.n_iter,
        }

    def _warn(self, run: Run, stopped: list[Machine]) -> None:
        name = type(self).__name__
        if stopped:
            worst = max(stopped, key=lambda m: m.violation)
            warn_user(
                f"{name} was stopped ({worst.reason}) after {worst.n_iter} steps with a gap of "
                f"{worst.violation:.3g} in the optimality conditions, which is above "
                f"tol={run.tol:g}. {FIXES[worst.reason]}",
                ConvergenceWarning,
            )
        if run.held_short:
            warn_user(
                f"{name}: {run.held_short} of the machines of the cross-validation behind the "
                f"probabilities did not reach tol={run.tol:g}, so that probabilities are rough. "
                "Raise time_limit, max_iter or tol.",
                ConvergenceWarning,
            )

    def _sums(self, X: Any) -> tuple[list[Array], type[Any]]:
        """The sums over each part of the support vectors, and the dtype that is asked for."""
        points = as_new_points(self, X, sparse=True)
        sums = self._expansion.values(points, self.n_jobs)
        for part in sums:
            require_finite_values(part)
        small = getattr(points, "dtype", None) == np.float32
        return sums, np.float32 if small else np.float64

    @property
    def coef_(self) -> Array:
        """Coefficients of the features, where the kernel is linear."""
        if type(self.__dict__.get("kernel_")) is not Linear:
            raise AttributeError(
                f"coef_ is there in a fitted {type(self).__name__} with kernel='linear' only."
            )
        return self._linear_coef()

    def _linear_coef(self) -> Any:
        return self.dual_coef_ @ self.support_vectors_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = serves_sparse(self.kernel)
        return tags


def expansion_of(points: Any, support: Array, parts: list[slice], coef: Array) -> Expansion:
    """What prediction needs of the support vectors."""
    vectors = points.take(support)
    return Expansion(points.kernel, vectors, np.asarray(support), tuple(parts), coef)


def grouped(machine: Machine) -> DualVariables:
    """The training rows of a machine by their multiplier."""
    zero, bound = machine.alpha <= 0.0, machine.alpha >= machine.upper
    return DualVariables(
        machine.rows[zero], machine.rows[~zero & ~bound], machine.rows[bound & ~zero]
    )


def held_values(points: Any, machine: Machine, index: Array) -> Array:
    """Values of a machine for some of the training points."""
    support_mask = machine.coef != 0.0
    coef = np.ascontiguousarray(machine.coef[support_mask][None, :])
    support = machine.rows[support_mask]
    expansion = expansion_of(points, support, [slice(0, len(support))], coef)
    return expansion.values(points.part(index))[0][:, 0] - machine.rho
