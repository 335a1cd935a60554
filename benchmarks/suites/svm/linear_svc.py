# SPDX-License-Identifier: BSD-3-Clause
"""The suite ``linear-svc``: linear support vector machines for two classes, or several at once.

a9a is LIBSVM's version of the census data, 32561 x 123 with 14 ones a row; "normal" has 50 columns
and noise in its labels; "text" has many columns, few of which each row has, and "words" columns
some of which are far more frequent than others, as in texts, weighted by how rare they are.
"classes" has several, each about a center, by the loss of Crammer and Singer (2001).
"""

from functools import partial

import numpy as np
from scipy.sparse import csr_matrix, random_array

from benchmarks.harness.adapter import FitThen
from benchmarks.harness.bars import Bar
from benchmarks.harness.check import Check, Tolerances
from benchmarks.harness.problem import Problem
from benchmarks.harness.rows import read_libsvm
from benchmarks.harness.suite import Growth, Library, Suite

BUDGET, HOPELESS, LIMIT = 3.0, 30.0, 60.0
COLUMNS = {"a9a": 123}
WIDTHS = 10.0 ** -np.minimum(np.arange(0.0, 15.0, 0.5), 4.0)  # of the hinge's corner, rounded off
STEPS, HALVINGS = 50, 40
MATRIX = 1000  # equations: more are solved by conjugate gradients
PRODUCTS, ROUGH = 1000, 1e-8  # of those: most, and what they may leave
STILL = 1e-9  # of the objective: what may be left


# --- data and problems ---


def _file_data(name, dense, loss, seed):
    X, y = read_libsvm(f"{name}.gz", columns=COLUMNS[name])
    return {"X": X.toarray() if dense else X, "y": y, "loss": loss}


def _normal_data(n, d, dtype, loss, seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    scores = X @ rng.standard_normal(d) * (2 / np.sqrt(d)) + rng.logistic(size=n)
    return {"X": X.astype(dtype), "y": np.where(scores > 0.3, 1.0, -1.0), "loss": loss}


def _text_data(n, d, density, loss, seed):
    rng = np.random.default_rng(seed)
    X = random_array((n, d), density=density, format="csr", random_state=rng)
    X = csr_matrix(X.multiply(1 / np.sqrt(X.multiply(X).sum(axis=1))[:, None]))
    scores = X @ rng.standard_normal(d) + 0.3 * rng.standard_normal(n)
    return {"X": X, "y": np.where(scores > 0, 1.0, -1.0), "loss": loss}


def _words_data(n, d, words, loss, seed):
    rng = np.random.default_rng(seed)
    share = 1 / (np.arange(d) + 20.0)
    length = 3 + rng.poisson(words * rng.lognormal(-0.125, 0.5, n))
    row = np.repeat(np.arange(n), length)
    column = rng.choice(d, p=share / share.sum(), size=len(row))
    X = csr_matrix((np.ones(len(row)), (row, column)), shape=(n, d))
    X.sum_duplicates()
    rare = np.log(n / np.maximum(np.bincount(X.indices, minlength=d), 1))
    X.data = (1 + np.log(X.data)) * rare[X.indices]
    X = csr_matrix(X.multiply(1 / np.sqrt(X.multiply(X).sum(axis=1))))
    scores = X @ rng.standard_normal(d) + 0.3 * rng.standard_normal(n)
    return {"X": X, "y": np.where(scores > 0, 1.0, -1.0), "loss": loss}


def _problem(name, loss, make, dtype="float64", **more):
    bounds = {"budget": BUDGET, "hopeless": HOPELESS, "limit": LIMIT} | more
    return Problem(f"{name} {loss} {dtype}", "linear svc", make, dtype, **bounds)


def _file(name, loss, *, dense, **more):
    make = partial(_file_data, name, dense, loss)
    return _problem(f"{name} {'dense' if dense else 'sparse'}", loss, make, **more)


def _normal(n, d, loss, dtype="float64", **more):
    return _problem(
        f"normal {n}x{d}", loss, partial(_normal_data, n, d, dtype, loss), dtype, **more
    )


def _text(n, d, density, loss, **more):
    make = partial(_text_data, n, d, density, loss)
    return _problem(f"text {n}x{d} {density:.1%}", loss, make, **more)


def _sparsest_data(n, d, words, C, seed):
    return _words_data(n, d, words, "squared_hinge", seed) | {"C": C}


def _sparsest(n, d, words, C, **more):
    """With an l1 penalty."""
    bounds = {"budget": BUDGET, "hopeless": HOPELESS, "limit": LIMIT} | more
    make = partial(_sparsest_data, n, d, words, C)
    return Problem(f"words {n}x{d} l1 C={C:g}", "sparsest svc", make, **bounds)


def _classes_data(n, d, K, seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, K, n)
    return {
        "X": rng.standard_normal((n, d)) + rng.standard_normal((K, d))[y] * 4 / np.sqrt(d),
        "y": y,
    }


def _classes(n, d, K, **more):
    """By the loss of Crammer and Singer."""
    bounds = {"budget": BUDGET, "hopeless": HOPELESS, "limit": LIMIT} | more
    make = partial(_classes_data, n, d, K)
    return Problem(f"classes {n}x{d} K={K}", "classes svc", make, **bounds)


def _words(n, d, words, loss, **more):
    return _problem(f"words {n}x{d}", loss, partial(_words_data, n, d, words, loss), **more)


# --- adapter and check ---


def _hyperplane(model):
    return np.append(model.coef_[0], model.intercept_)


def _hyperplanes(model):
    return np.column_stack([model.coef_, model.intercept_])


class Linear(FitThen):
    """An estimator LinearSVC with its own tolerance, C = 1 and an intercept."""

    def __init__(self, path, *, from_data=(("loss", "loss"),), parameters=_hyperplane, **options):
        answers = {"v": parameters}
        super().__init__(path, answers=answers, from_data=from_data, random_state=0, **options)

    def answer(self):
        self.remark = f"{self.model.n_iter_} iterations"
        return super().answer()


SPARSEST = partial(  # with an l1 penalty, until it has converged
    Linear, from_data={"C": "C"}, penalty="l1", loss="squared_hinge", dual=False, max_iter=100_000
)


CLASSES = partial(Linear, from_data=(), parameters=_hyperplanes, multi_class="crammer_singer",
                  max_iter=100_000)  # fmt: skip


class SparsestCheck(Check):
    """How far the objective is above the lower bound that its own multipliers give, scaled until
    they are feasible, as a share."""

    def __init__(self, data):
        self.data = data
        self.parts = {"v": (data["X"].shape[1] + 1,)}

    def errors(self, answer):
        X, y, C, v = self.data["X"], self.data["y"], self.data["C"], answer["v"]
        short = np.maximum(1 - y * (X @ v[:-1] + v[-1]), 0)
        pull = 2 * C * short * y
        share = 1 / max(np.abs(X.T @ pull).max(), abs(pull.sum()))
        share = min(share, 1.0)
        bound = share * 2 * C * short.sum() - share**2 * C * short @ short
        return {"gap": float((np.abs(v).sum() + C * short @ short) / bound - 1)}


class ObjectiveCheck(Check):
    """How far the primal objective is above a lower bound of it, as a share.

    The bound is the dual at multipliers found by Newton's method, in plain numpy. The hinge's is
    that of a smaller function, with its corner rounded off from below, about the multipliers of the
    one before (the proximal method of multipliers, Rockafellar 1976, doi:10.1287/moor.1.2.97).
    """

    def __init__(self, data):
        X, ones = data["X"], np.ones((data["X"].shape[0], 1))
        if hasattr(X, "tocsr"):
            from scipy.sparse import csr_array, hstack

            self.Z = csr_array(hstack([X, ones]))
            self.turned = csr_array(self.Z.T)
        else:
            self.Z = np.hstack([X, ones], dtype=np.float64)
            self.turned = self.Z.T
        self.parts = {"v": self.Z.shape[1:]}
        self.y, self.squared = data["y"], data["loss"] == "squared_hinge"
        v, beta, self.least = np.zeros(self.Z.shape[1]), np.zeros(len(self.y)), 0.0
        for width in WIDTHS:
            v, beta = self._newton(v, beta, width)
            self.least = max(self.least, self._dual(beta))
            if self._primal(v) - self.least <= STILL * self.least:
                break

    def errors(self, answer):
        value = self._primal(np.asarray(answer["v"], np.float64))
        return {"objective excess": float(value / self.least - 1)}

    def _primal(self, v):
        short = np.maximum(1 - self.y * (self.Z @ v), 0)
        return 0.5 * v @ v + (short @ short if self.squared else short.sum())

    def _dual(self, beta):
        v = self.turned @ (self.y * beta)
        return beta.sum() - 0.5 * v @ v - (0.25 * beta @ beta if self.squared else 0.0)

    def _value(self, v, about, width):
        """The objective, the multipliers, and the second derivative of the losses by the margin."""
        short = 1 - self.y * (self.Z @ v)
        if self.squared:
            beta = 2 * np.maximum(short, 0)
            return 0.5 * v @ v + 0.25 * beta @ beta, beta, 2.0 * (short > 0)
        free = about + short / width
        beta = np.clip(free, 0, 1)
        loss = beta @ short - 0.5 * width * ((beta - about) ** 2).sum()
        return 0.5 * v @ v + loss, beta, ((free > 0) & (free < 1)) / width

    def _newton(self, v, about, width):
        for _ in range(STEPS):
            value, beta, curve = self._value(v, about, width)
            gradient = v - self.turned @ (beta * self.y)
            if 0.5 * gradient @ gradient <= STILL * value:
                break
            step, t = _newton_step(self.Z[np.flatnonzero(curve)], curve[curve > 0], gradient), 1.0
            for _ in range(HALVINGS):
                if self._value(v - t * step, about, width)[0] <= value - 1e-4 * t * step @ gradient:
                    break
                t /= 2
            v = v - t * step
        return v, beta


class ClassesCheck(Check):
    """As `ObjectiveCheck`, for the loss of Crammer and Singer (2001): the largest over the classes
    of the score's lead on that of the row's own class, plus 1 for others. The multipliers of a row
    are shares of its classes; the smaller function is that of shares near those of the one before.
    """

    def __init__(self, data):
        X, y = data["X"], data["y"]
        self.Z = np.hstack([X, np.ones((len(X), 1))])
        self.targets = (y[:, None] == np.unique(y)).astype(np.float64)
        self.parts = {"v": (self.targets.shape[1], self.Z.shape[1])}
        V, shares, self.least = np.zeros(self.parts["v"]), self.targets, 0.0
        for width in WIDTHS:
            V, shares = self._newton(V, shares, width)
            self.least = max(self.least, self._dual(shares))
            if self._primal(V) - self.least <= STILL * self.least:
                break

    def errors(self, answer):
        value = self._primal(np.asarray(answer["v"], np.float64))
        return {"objective excess": float(value / self.least - 1)}

    def _leads(self, V):
        scores = self.Z @ V.T
        return 1 - self.targets + scores - (scores * self.targets).sum(axis=1, keepdims=True)

    def _primal(self, V):
        return 0.5 * (V**2).sum() + self._leads(V).max(axis=1).sum()

    def _dual(self, shares):
        V = (self.targets - shares).T @ self.Z
        return (shares * (1 - self.targets)).sum() - 0.5 * (V**2).sum()

    def _value(self, V, about, width):
        """The objective, and the shares."""
        leads = self._leads(V)
        shares = _nearest_shares(about + leads / width)
        loss = (shares * leads).sum() - 0.5 * width * ((shares - about) ** 2).sum()
        return 0.5 * (V**2).sum() + loss, shares

    def _newton(self, V, about, width):
        for _ in range(STEPS):
            value, shares = self._value(V, about, width)
            gradient = V + (shares - self.targets).T @ self.Z
            if 0.5 * (gradient**2).sum() <= STILL * value:
                break
            step = np.linalg.solve(self._curve(shares > 0, width), gradient.ravel())
            step, t = step.reshape(V.shape), 1.0
            for _ in range(HALVINGS):
                if self._value(V - t * step, about, width)[0] <= (
                    value - 1e-4 * t * (step * gradient).sum()
                ):
                    break
                t /= 2
            V = V - t * step
        return V, self._value(V, about, width)[1]

    def _curve(self, active, width):
        """The second derivative: shares above 0 move with their leads, less the mean of these."""
        K, d = self.parts["v"]
        curve = np.eye(K * d).reshape(K, d, K, d)
        for k in range(K):
            for j in range(K):
                weights = active[:, k] * ((j == k) - active[:, j] / active.sum(axis=1)) / width
                curve[k, :, j] += self.Z.T @ (self.Z * weights[:, None])
        return curve.reshape(K * d, K * d)


def _nearest_shares(X):
    """The nearest points to rows among those of numbers from 0 on whose sum is 1."""
    falling = -np.sort(-X, axis=1)
    excess = (np.cumsum(falling, axis=1) - 1) / np.arange(1, X.shape[1] + 1)
    last = (falling > excess).sum(axis=1) - 1
    return np.maximum(X - excess[np.arange(len(X)), last][:, None], 0)


def _newton_step(Z, weights, gradient):
    """(I + Z' W Z)^-1 gradient, from the smaller of that matrix and W^-1 + Z Z'."""
    n, d = Z.shape
    if min(n, d) > MATRIX:
        return _conjugate_step(Z, weights, gradient)
    if n < d:
        inner = _dense(Z @ Z.T) + np.diag(1 / weights)
        return gradient - Z.T @ np.linalg.solve(inner, Z @ gradient)
    outer = _dense(Z.T @ (Z * weights[:, None])) + np.eye(d)
    return np.linalg.solve(outer, gradient)


def _conjugate_step(Z, weights, gradient):
    """The same by conjugate gradients, whose steps are scaled by the matrix's diagonal."""
    n, d = Z.shape
    turned, squares = Z.T if not hasattr(Z, "tocsr") else Z.T.tocsr(), Z * Z
    if n < d:
        diagonal = 1 / weights + squares.sum(axis=1)
        inner = _conjugate(lambda x: x / weights + Z @ (turned @ x), diagonal, Z @ gradient)
        return gradient - turned @ inner
    return _conjugate(lambda x: x + turned @ (weights * (Z @ x)), 1 + weights @ squares, gradient)


def _conjugate(apply, diagonal, b):
    x, left = np.zeros_like(b), b
    along = near = left / diagonal
    size = enough = left @ near
    for _ in range(PRODUCTS):
        turned = apply(along)
        t = size / (along @ turned)
        x, left = x + t * along, left - t * turned
        near, before = left / diagonal, size
        size = left @ near
        if size <= ROUGH**2 * enough:
            break
        along = near + size / before * along
    return x


def _dense(matrix):
    return matrix.toarray() if hasattr(matrix, "toarray") else matrix


# --- the suite ---

LOSSES = ("squared_hinge", "hinge")
MACHINES = {"linear svc": Linear, "sparsest svc": SPARSEST, "classes svc": CLASSES}
WORDS = ((20_000, 50_000), (5_000, 100_000), (100_000, 20_000))

SUITE = Suite(
    name="linear-svc",
    title="linear support vector machines",
    family="support vector machines",
    problems=[
        *(
            _file("a9a", loss, dense=dense, group="bar")
            for dense in (False, True)
            for loss in LOSSES
        ),
        *(_normal(100_000, 50, loss, group="bar") for loss in LOSSES),
        *(_normal(100_000, 50, loss, "float32", beyond=True) for loss in LOSSES),
        *(_normal(500, 10, loss, beyond=True) for loss in LOSSES),
        *(_normal(20_000, 500, loss, beyond=True) for loss in LOSSES),
        *(_text(20_000, 5_000, 0.005, loss, beyond=True) for loss in LOSSES),
        *(_words(n, d, 60, loss, beyond=True) for n, d in WORDS for loss in LOSSES),
        *(_sparsest(8_000, 20_000, 60, C, beyond=True) for C in (0.1, 1.0)),
        *(_classes(*shape, group="classes") for shape in ((5_000, 20, 4), (4_000, 30, 6))),
    ],
    quick=[
        *(_normal(2_000, 5, loss, group="bar") for loss in LOSSES),
        _sparsest(300, 1_200, 20, 0.3, beyond=True),
        _normal(300, 600, "squared_hinge", beyond=True),
        _classes(500, 6, 3, beyond=True),
    ],
    growth=Growth(100_000, lambda n: _words(n, 20_000, 60, "hinge", beyond=True)),
    libraries={
        "statfast": Library(
            {task: partial(kind, "statfast.svm.LinearSVC") for task, kind in MACHINES.items()}
        ),
        "scikit-learn": Library(
            {task: partial(kind, "sklearn.svm.LinearSVC", threaded=False)
             for task, kind in MACHINES.items()}
        ),
    },
    checks={
        "linear svc": ObjectiveCheck,
        "sparsest svc": SparsestCheck,
        "classes svc": ClassesCheck,
    },
    tolerances={
        "linear svc": Tolerances({"objective excess": 1e-3}, ours={"objective excess": 1e-6}),
        "sparsest svc": Tolerances({"gap": 1e-2}, ours={"gap": 1e-4}),
        "classes svc": Tolerances({"objective excess": 1e-3}, ours={"objective excess": 1e-4}),
    },
    bars={
        "bar": [Bar("two classes, a9a and 100 000 x 50", least=2.0)],
        "classes": [Bar("several classes at once (Crammer and Singer)", least=1.5)],
        "": [Bar("other shapes")],
    },
)  # fmt: skip
