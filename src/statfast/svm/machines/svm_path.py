# SPDX-License-Identifier: BSD-3-Clause
"""Machines for many values of C and gamma, each from the one before, and which predicts best."""

from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
from numpy.typing import NDArray

from statfast._engine import usable_threads
from statfast._validation import (
    ConvergenceWarning,
    as_count,
    as_generator,
    as_labels,
    as_real,
    as_weights,
    shown,
    warn_user,
    wrong_type,
)
from statfast.kernels import RBF, as_kernel
from statfast.kernels.named import gamma_of, has_gamma
from statfast.svm.dual.definite import warn_indefinite
from statfast.svm.dual.distances import Distances
from statfast.svm.dual.gram import gram_of
from statfast.svm.dual.limits import Run, as_cache_size
from statfast.svm.dual.problems import c_svc
from statfast.svm.machines.expansion import Expansion
from statfast.svm.machines.pairwise import as_classes, pair_tasks
from statfast.svm.machines.platt import held_out
from statfast.svm.machines.training import as_costs, as_training_points, new_points, require_gamma
from statfast.svm.machines.votes import votes


@dataclass(frozen=True)
class SVMPath:
    """What machines for a grid of C and gamma came to.

    Attributes
    ----------
    C_grid : ndarray of shape (A,)
        Ascending.
    gamma_grid : ndarray of shape (G,), or None
        None where the kernel has no gamma; then G is 1.
    n_support : ndarray of shape (G, A)
        Support vectors of the machines on all rows.
    dual_objective : ndarray of shape (G, A)
        Of those, summed over the pairs of classes.
    n_iter : ndarray of shape (G, A)
        Steps, of those of the cross-validation too.
    converged : ndarray of shape (G, A)
    scores : ndarray of shape (G, A), or None
        Accuracy on the validation rows, or the mean over the parts of the cross-validation.
    part_scores : ndarray of shape (G, A, parts), or None
        Accuracy on each part of the cross-validation.
    """

    C_grid: NDArray[np.float64]
    gamma_grid: NDArray[np.float64] | None
    n_support: NDArray[np.intp]
    dual_objective: NDArray[np.float64]
    n_iter: NDArray[np.intp]
    converged: NDArray[np.bool_]
    scores: NDArray[np.float64] | None
    part_scores: NDArray[np.float64] | None

    @property
    def best_index(self):
        """Place (g, a) of the best score: of equal ones that with the lowest C, then gamma."""
        if self.scores is None:
            raise ValueError("The path has no scores. Pass validation=(X, y) or cv=5 to svm_path.")
        best = np.argwhere(self.scores == self.scores.max())
        g, a = min(best.tolist(), key=lambda place: (place[1], place[0]))
        return g, a

    @property
    def best_params(self):
        """C and gamma of the best score, for ``SVC(**path.best_params)``; C alone where the kernel
        has no gamma."""
        g, a = self.best_index
        gamma = {} if self.gamma_grid is None else {"gamma": float(self.gamma_grid[g])}
        return {"C": float(self.C_grid[a]), **gamma}

    def __str__(self):
        what = "support vectors" if self.scores is None else "accuracy"
        values = self.n_support if self.scores is None else self.scores
        form = "{:>9d}" if self.scores is None else "{:>9.4f}"
        lines = [f"{what:<16}C " + "".join(f"{C:>9.4g}" for C in self.C_grid)]
        names = [""] if self.gamma_grid is None else [f"gamma {g:.4g}" for g in self.gamma_grid]
        for name, row in zip(names, values, strict=True):
            lines.append(f"{name:<18}" + "".join(form.format(v) for v in row))
        return "\n".join(lines)


def svm_path(
    X, y, C_grid, gamma_grid=None, *, kernel="rbf", degree=3, coef0=0.0, sample_weight=None,
    class_weight=None, validation=None, cv=None, tol=1e-3, max_iter=-1, time_limit=None,
    progress=False, cache_size=None, random_state=None, n_jobs=None,
):  # fmt: skip
    """Train support vector classifiers for a grid of C and gamma.

    Each machine starts from that with the C before, its multipliers scaled up. The kernel matrix
    is made once for a gamma, and for the Gaussian kernel the squared distances once for all, where
    both fit the memory.

    Parameters
    ----------
    X : array-like of shape (n, d), or list of strings
        Training rows, as for `SVC`.
    y : array-like of shape (n,)
        A label for each row.
    C_grid : array-like of shape (A,)
        Costs, positive and finite, used in ascending order.
    gamma_grid : sequence of float, "scale" or "auto", optional
        Of the kernel; None takes "scale" alone. None, where the kernel has no gamma.
    kernel : str, Kernel or callable, default="rbf"
        As for `SVC`; gamma is a parameter of "poly", "rbf", "sigmoid" and "laplacian" only.
    degree : int, default=3
    coef0 : float, default=0.0
    sample_weight : array-like of shape (n,), optional
    class_weight : dict or "balanced", optional
    validation : tuple (X, y), optional
        Rows on which to score the machines.
    cv : int, optional
        Parts of a cross-validation, at least 2, each with its share of every class; rows that are
        alike are in the same part.
    tol : float, default=1e-3
    max_iter : int, default=-1
        Most steps of each machine, -1 for no limit.
    time_limit : float, optional
        Most seconds of all.
    progress : bool or callable, default=False
        As for `SVC`.
    cache_size : float, optional
        Megabytes for rows of the kernel matrix. None takes a quarter of the free memory.
    random_state : int, Generator or None, default=None
        Of the parts.
    n_jobs : int, optional

    Returns
    -------
    SVMPath

    Raises
    ------
    ValueError
        As for `SVC`; also if a grid is empty or holds numbers that are not positive.
    TypeError
        As for `SVC`.

    Warns
    -----
    ConvergenceWarning
        If `max_iter`, `time_limit` or `progress` ended the training of some machines.

    Examples
    --------
    >>> from statfast.datasets import load_iris
    >>> from statfast.svm import svm_path
    >>> iris = load_iris()
    >>> path = svm_path(iris.data, iris.target, [0.1, 1, 10], [0.01, 0.1], cv=5, random_state=0)
    >>> path.best_params
    {'C': 10.0, 'gamma': 0.1}
    >>> path.scores.shape
    (2, 3)
    """
    costs = as_grid(C_grid)
    gammas = ["scale"] if gamma_grid is None else as_gammas(gamma_grid)
    if gamma_grid is not None and not has_gamma(kernel):
        raise ValueError(
            f"gamma_grid must be None for kernel={shown(kernel)}, which has no parameter gamma; "
            f"got {shown(gamma_grid)}. Leave it out, or name a kernel such as 'rbf'."
        )
    usable_threads(n_jobs)
    cache_size = as_cache_size(cache_size)
    rng = as_generator(random_state)
    given = SimpleNamespace(
        kernel=kernel, gamma=gammas[0], degree=degree, coef0=coef0, tol=tol, max_iter=max_iter,
        time_limit=time_limit, progress=progress,
    )  # fmt: skip
    checked = []

    def weights_of(n):
        checked.append(as_classes(y, n, sample_weight, class_weight))
        return as_weights(sample_weight, n)

    points = as_training_points(given, X, weights_of)
    classes, codes, weights = checked[0]
    held, truth = None, None
    if validation is not None:
        held, truth = as_validation(validation, points, classes)
    tasks = [(np.flatnonzero(weights > 0.0), held)]
    if cv is not None:
        tasks += parted(points.keys(rng), codes, weights, as_count(cv, "cv", 2, len(points)))
    rates = [None]
    if has_gamma(kernel):
        rates = [gamma_of(gamma, points.data, points.weights) for gamma in gammas]
    shared = None
    if type(points.kernel) is RBF and isinstance(kernel, str):
        shared = Distances.of(points.data, n_jobs)
    run = Run(given, None)
    run.machines = len(rates) * len(tasks) * (len(classes) * (len(classes) - 1) // 2)
    shape = len(rates), len(costs)
    support, steps = np.zeros(shape, np.intp), np.zeros(shape, np.intp)
    objective, done = np.zeros(shape), np.ones(shape, dtype=bool)
    scores = np.zeros((*shape, len(tasks)))
    for g, gamma in enumerate(rates):
        own = points.kernel
        if has_gamma(kernel):
            own = as_kernel(kernel, gamma=gamma, degree=degree, coef0=coef0)
        if shared is None:
            run.gram = gram_of(own, points.for_gram(), cache_size=cache_size, n_jobs=n_jobs)
        else:
            run.gram = shared.gram(gamma)
        for t, (train, new) in enumerate(tasks):
            values, used = [], np.zeros((len(costs), len(codes)), dtype=bool)
            for rows, sign in pair_tasks(codes, train, len(classes)):
                run.machine += 1
                machines = climbed(run, rows, sign, weights[rows], costs)
                for a, machine in enumerate(machines):
                    steps[g, a] += machine.n_iter
                    done[g, a] &= machine.converged
                    if t == 0:
                        objective[g, a] += machine.dual
                        used[a, rows[machine.coef != 0.0]] = True
                if new is not None:
                    values.append(held_out_values(points, own, machines, new, n_jobs))
            if t == 0:
                support[g] = used.sum(axis=1)
            if new is not None:
                codes_of = truth if t == 0 else codes[new]
                mass = None if t == 0 else weights[new]
                for a in range(len(costs)):
                    said = decided(np.column_stack([v[a] for v in values]), len(classes))
                    scores[g, a, t] = np.average(said == codes_of, weights=mass)
    if not done.all():
        warn_user(
            f"svm_path: {int((~done).sum())} of {done.size} points of the grid did not reach tol="
            f"{run.tol:g}. Raise the limit or tol, or leave out large C.",
            ConvergenceWarning,
        )
    parts = scores[:, :, 1:] if cv is not None else None
    total = scores[:, :, 0] if held is not None else None if parts is None else parts.mean(axis=2)
    warn_indefinite("svm_path", points, np.empty(0, np.intp))
    rated = np.array(rates) if has_gamma(kernel) else None
    return SVMPath(costs, rated, support, objective, steps, done, total, parts)


def as_grid(C_grid):
    try:
        costs = np.asarray(C_grid)
    except ValueError as error:
        raise ValueError(f"C_grid should be a list of positive numbers: {error}") from error
    if costs.ndim != 1 or not len(costs) or costs.dtype.kind not in "iuf":
        raise wrong_type("C_grid", "a list of positive numbers", C_grid)
    return np.array(sorted({as_real(float(C), "C_grid", 0.0, open_low=True) for C in costs}))


def as_gammas(gamma_grid):
    if isinstance(gamma_grid, str) or not hasattr(gamma_grid, "__len__") or not len(gamma_grid):
        raise wrong_type("gamma_grid", "a list of numbers, 'scale' or 'auto'", gamma_grid)
    for gamma in gamma_grid:
        require_gamma(gamma, "gamma_grid")
    return list(gamma_grid)


def as_validation(validation, points, classes):
    """Rows to score on, and the codes of their labels, -1 for those that are no class."""
    if not isinstance(validation, tuple | list) or len(validation) != 2:
        raise wrong_type("validation", "a pair (X, y)", validation)
    new = new_points(points, validation[0], "validation[0]")
    labels, codes = as_labels(validation[1], len(new), name="validation[1]")
    place = {label: k for k, label in enumerate(classes.tolist())}
    known = np.array([place.get(label, -1) for label in labels.tolist()], dtype=np.intp)
    return new, known[codes]


def parted(keys, codes, weights, cv):
    """Pairs (rows to train on, rows held out)."""
    part = held_out(keys, codes, cv)
    tasks = []
    for k in range(cv):
        train, out = np.flatnonzero((part != k) & (weights > 0)), np.flatnonzero(part == k)
        if not weights[out].any() or len(np.unique(codes[train])) <= codes.max():
            raise ValueError(
                f"cv must leave rows of every class to each part and its training, where equal "
                f"rows stay together; got cv={cv}. Lower cv, or drop copies of rows."
            )
        tasks.append((train, out))
    return tasks


def climbed(run, rows, sign, weights, costs):
    """Machines for ascending costs, each from the multipliers of the one before."""
    machines, start, before = [], None, 1.0
    as_costs(float(costs[-1]), weights)
    for C in costs:
        if start is not None:
            start = np.minimum(start * (C / before), C * weights)
        machine = c_svc(run, rows, sign, C * weights, start)
        machines.append(machine)
        start, before = machine.alpha, C
    return machines


def held_out_values(points, kernel, machines, new, n_jobs):
    """Values of all machines of one path at new points, (A, m), in one pass."""
    coef = np.array([machine.coef for machine in machines])
    some = coef.any(axis=0)
    support = machines[0].rows[some]
    vectors = points.take(support)
    expansion = Expansion(
        kernel, vectors, support, (slice(0, len(support)),), np.ascontiguousarray(coef[:, some]),
    )  # fmt: skip
    rows = points.part(new) if isinstance(new, np.ndarray) and new.ndim == 1 else new
    return expansion.values(rows, n_jobs)[0].T - np.array([[m.rho] for m in machines])


def decided(values, n_classes):
    """Codes of classes from the values of the pairs."""
    if n_classes == 2:
        return (values[:, 0] < 0.0).astype(np.intp)
    return votes(values, n_classes).argmax(axis=1)
