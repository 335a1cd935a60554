# SPDX-License-Identifier: BSD-3-Clause
"""The suite ``sparse-text``: models of documents by words, as sparse rows with Zipf's law.

Words are drawn in proportion to one over their rank, documents are of very unequal length, and
every word occurs at least once, as in the vocabulary of a text. Rows are weighted by how rare words
are and have length 1, but for naive Bayes, which counts. Responses follow linear scores of the
words, with noise. The lasso has no intercept, since liblinear would penalize it. All libraries meet
the same bounds, by tolerances that are the loosest powers of ten with which they do.
"""

from functools import partial

import numpy as np
from scipy.sparse import csr_matrix

from benchmarks.harness.adapter import Estimator, FitThen
from benchmarks.harness.bars import Bar
from benchmarks.harness.check import Check, Tolerances, difference
from benchmarks.harness.problem import Problem
from benchmarks.harness.suite import Growth, Library, Suite

BUDGET, HOPELESS, LIMIT = 3.0, 30.0, 120.0
SPREAD = 2.0  # shape of the gamma distribution of lengths
STRENGTH = 3.0  # standard deviation of a word's effect
SUBSPACE, ROUNDS = 30, 12  # of the check of singular values: vectors beyond k, and iterations
SMOOTHING = 1.0  # of naive Bayes, added to each count


# --- data and problems ---


def _shares(d):
    ranks = 1.0 / np.arange(1, d + 1)
    return ranks / ranks.sum()


def _counts(n, d, words, rng):
    lengths = 1 + rng.poisson(words * rng.gamma(SPREAD, 1.0 / SPREAD, n))
    row = np.repeat(np.arange(n), lengths)
    column = rng.choice(d, p=_shares(d), size=len(row))
    never = np.setdiff1d(np.arange(d), column)
    row, column = np.append(row, rng.integers(n, size=len(never))), np.append(column, never)
    counts = csr_matrix((np.ones(len(row)), (row, column)), shape=(n, d))
    counts.sum_duplicates()
    return counts


def _weighted(counts):
    n, d = counts.shape
    rare = 1.0 + np.log((1 + n) / (1 + np.bincount(counts.indices, minlength=d)))
    X = counts.copy()
    X.data *= rare[X.indices]
    X.data /= np.repeat(np.sqrt(X.multiply(X).sum(axis=1).A1), np.diff(X.indptr))
    return X


def _data(task, n, d, words, parameter, seed):
    rng = np.random.default_rng(seed)
    counts = _counts(n, d, words, rng)
    X = _weighted(counts)
    if task == "text svd":
        return {"X": X, "k": parameter}
    if task in ("text classes", "text counts"):
        scores = X @ rng.normal(0.0, STRENGTH, (d, parameter))
        y = (scores + rng.gumbel(size=scores.shape)).argmax(axis=1)
        return {"X": counts if task == "text counts" else X, "y": y, "K": parameter}
    scores = X @ rng.normal(0.0, STRENGTH, d)
    if task == "text ridge":
        y = scores + rng.standard_normal(n)
    elif task == "text rates":
        y = rng.poisson(np.exp(0.5 * scores)).astype(float)
    else:
        y = np.where(scores + rng.logistic(size=n) > 0.0, 1.0, -1.0)
    return {"X": X, "y": y, "parameter": parameter}


def _problem(task, title, n, d, words, parameter, **more):
    make = partial(_data, task, n, d, words, parameter)
    expected = n * (1.0 - (1.0 + words * _shares(d) / SPREAD) ** -SPREAD).sum()
    bounds = {"budget": BUDGET, "hopeless": HOPELESS, "limit": LIMIT, "group": task} | more
    return Problem(f"{title} {n}x{d}", task, make, nbytes=12.0 * expected, **bounds)


# --- adapters ---


DECOMPOSED = partial(
    FitThen, answers={"components": "components_", "values": "singular_values_"},
    from_data={"n_components": "k"}, random_state=0,
)  # fmt: skip
COUNTED = partial(
    FitThen, answers={"log odds": "feature_log_prob_", "prior": "class_log_prior_"}, threaded=False
)


class Linear(Estimator):
    """A linear model; `penalty` is the name of its parameter, if it has one."""

    def __init__(self, path, penalty="C", **options):
        super().__init__(path, **options)
        self.penalty = penalty

    def prepare(self, data, threads):
        self.X, self.y = data["X"], data["y"]
        params = {self.penalty: data["parameter"]} if "parameter" in data else {"C": 1.0}
        self.model = self.estimator(threads=threads, **params)

    def fit(self):
        self.model.fit(self.X, self.y)

    def answer(self):
        coef, first = np.atleast_2d(self.model.coef_), np.atleast_1d(self.model.intercept_)
        return {"v": np.vstack([np.broadcast_to(first, len(coef)), coef.T])}


# --- checks ---


class SingularCheck(Check):
    """Residuals of singular vectors; and that no larger values are left out, of which a few rounds
    of subspace iteration give lower bounds."""

    def __init__(self, data):
        self.X, k = data["X"], data["k"]
        self.parts = {"components": (k, self.X.shape[1]), "values": (k,)}
        rng = np.random.default_rng(0)
        P = rng.standard_normal((self.X.shape[1], min(k + SUBSPACE, min(self.X.shape))))
        for _ in range(ROUNDS):
            P = np.linalg.qr(self.X.T @ (self.X @ P))[0]
        self.least = np.linalg.svd(self.X @ P, compute_uv=False)[:k]

    def errors(self, answer):
        V, s = answer["components"], answer["values"]
        image = (self.X.T @ (self.X @ V.T)).T
        rest = np.sqrt(((image - s[:, None] ** 2 * V) ** 2).sum(axis=1))
        return {
            "residual": float(rest.max() / self.least[0] ** 2),
            "missed": float((self.least / s - 1.0).max()),
            "orthogonality": float(abs(V @ V.T - np.eye(len(V))).max()),
        }


class GradientCheck(Check):
    """Length of the objective's gradient, as a share of that at zero; the intercept comes first.

    ``pull(data, eta)`` is the derivative of the loss by the scores, and the factor of the squares
    of the coefficients, of which the intercept's are one where `whole` says so.
    """

    def __init__(self, pull, whole, data):
        self.pull, self.whole, self.data = pull, whole, data
        self.parts = {"v": (data["X"].shape[1] + 1, data.get("K", 1))}
        self.start = self._length(np.zeros(self.parts["v"]))

    def errors(self, answer):
        return {"gradient": self._length(answer["v"]) / self.start}

    def _length(self, v):
        X = self.data["X"]
        pull, ridge = self.pull(self.data, X @ v[1:] + v[0])
        gradient = np.vstack([pull.sum(axis=0), X.T @ pull])
        gradient[0 if self.whole else 1 :] += ridge * v[0 if self.whole else 1 :]
        return float(np.linalg.norm(gradient))


def _logistic(data, eta):
    y = data["y"][:, None]
    return -y / (1.0 + np.exp(y * eta)), 1.0 / data["parameter"]


def _squared(data, eta):
    return eta - data["y"][:, None], data["parameter"]


def _hinge(data, eta):
    y = data["y"][:, None]
    return -2.0 * y * np.maximum(1.0 - y * eta, 0.0), 1.0 / data["parameter"]


def _rates(data, eta):
    return (np.exp(eta) - data["y"][:, None]) / len(eta), data["parameter"]


def _classes(data, eta):
    p = np.exp(eta - eta.max(axis=1, keepdims=True))
    return p / p.sum(axis=1, keepdims=True) - np.eye(data["K"])[data["y"]], 1.0


class LassoCheck(Check):
    """The duality gap, the scores scaled until they are feasible, over the loss at zero."""

    def __init__(self, data):
        self.data = data
        self.parts = {"v": (data["X"].shape[1] + 1, 1)}

    def errors(self, answer):
        X, y, l1 = self.data["X"], self.data["y"], 1.0 / self.data["parameter"]
        v = answer["v"][:, 0]
        margin = y * (X @ v[1:])
        p = 1.0 / (1.0 + np.exp(margin))
        p *= min(1.0, l1 / np.abs(X.T @ (y * p)).max())
        q = 1.0 - p
        dual = -(p * np.log(np.maximum(p, 1e-300)) + q * np.log(np.maximum(q, 1e-300))).sum()
        primal = np.logaddexp(0.0, -margin).sum() + l1 * np.abs(v[1:]).sum()
        return {"gap": float((primal - dual) / (len(y) * np.log(2.0))), "first": float(abs(v[0]))}


def smoothed_shares(data):
    """Logarithms of the smoothed shares of words, by definition."""
    in_class = np.eye(data["K"])[data["y"]]
    total = (data["X"].T @ in_class).T + SMOOTHING
    odds = np.log(total / total.sum(axis=1, keepdims=True))
    return {"log odds": odds, "prior": np.log(in_class.mean(axis=0))}


# --- the suite ---

SHAPES = ((3_000, 2_832, 20), (5_574, 8_000, 15), (20_000, 50_000, 100))
TASKS = (  # task, title, what the model is given
    ("text svd", "SVD k=50", 50), ("text logistic", "logistic C=1", 1.0),
    ("text logistic", "logistic C=10", 10.0), ("text lasso", "lasso logistic C=1", 1.0),
    ("text lasso", "lasso logistic C=10", 10.0), ("text ridge", "ridge", 1.0),
    ("text svc", "linear SVC", 1.0), ("text counts", "naive Bayes K=4", 4),
    ("text classes", "multinomial K=4", 4), ("text classes", "multinomial K=10", 10),
    ("text rates", "Poisson", 1e-3),
)  # fmt: skip


def _sklearn(**adapters):
    """A library of scikit-learn's; tasks are the names after "text"."""
    return Library({f"text {task}": adapter for task, adapter in adapters.items()})


def _peer(path, penalty="C", **options):
    return partial(Linear, f"sklearn.{path}", penalty, threaded=False, **options)


LOGISTIC = "linear_model.LogisticRegression"
GRADIENTS = {
    "text logistic": (_logistic, False),
    "text ridge": (_squared, False),
    "text svc": (_hinge, True),
    "text classes": (_classes, False),
    "text rates": (_rates, False),
}
SUITE = Suite(
    name="sparse-text",
    title="models of sparse rows of words",
    family="texts: words and models",
    problems=[_problem(*task[:2], *shape, task[2]) for task in TASKS for shape in SHAPES],
    quick=[
        _problem(task, title, 300, 700, 12, 5 if task == "text svd" else parameter)
        for task, title, parameter in TASKS
    ],
    growth=Growth(
        20_000, lambda n: _problem("text classes", "multinomial K=10", n, 50_000, 100, 10)
    ),
    libraries={
        "statfast": Library(
            {
                "text svd": partial(DECOMPOSED, "statfast.TruncatedSVD"),
                "text logistic": partial(Linear, "statfast.LogisticRegression", tol=1e-4),
                "text lasso": partial(
                    Linear, "statfast.LogisticRegression", l1_ratio=1.0, fit_intercept=False,
                    tol=1e-4,
                ),
                "text ridge": partial(Linear, "statfast.Ridge", "alpha"),
                "text svc": partial(Linear, "statfast.LinearSVC", tol=1e-4),
                "text counts": partial(COUNTED, "statfast.MultinomialNB"),
                "text classes": partial(Linear, "statfast.LogisticRegression", tol=1e-4),
                "text rates": partial(Linear, "statfast.PoissonRegressor", "alpha", tol=1e-4),
            }
        ),
        "scikit-learn": _sklearn(
            logistic=_peer(LOGISTIC, tol=1e-6, max_iter=10_000),
            lasso=_peer(LOGISTIC, l1_ratio=1.0, solver="liblinear", tol=1e-6, max_iter=10_000,
                        fit_intercept=False),
            ridge=_peer("linear_model.Ridge", "alpha", tol=1e-5),
            svc=_peer("svm.LinearSVC", tol=1e-6, max_iter=10_000),
            counts=partial(COUNTED, "sklearn.naive_bayes.MultinomialNB"),
            classes=_peer(LOGISTIC, tol=1e-6, max_iter=10_000),
            rates=_peer("linear_model.PoissonRegressor", "alpha", tol=1e-5, max_iter=10_000),
        ),
        "scikit-learn (arpack)": _sklearn(
            svd=partial(DECOMPOSED, "sklearn.decomposition.TruncatedSVD", threaded=False,
                        algorithm="arpack"),
        ),
        "scikit-learn (randomized)": _sklearn(
            svd=partial(DECOMPOSED, "sklearn.decomposition.TruncatedSVD", threaded=False),
        ),
        "scikit-learn (newton-cg)": _sklearn(
            logistic=_peer(LOGISTIC, tol=1e-6, max_iter=10_000, solver="newton-cg"),
            classes=_peer(LOGISTIC, tol=1e-6, max_iter=10_000, solver="newton-cg"),
        ),
    },
    checks={
        "text svd": SingularCheck,
        "text lasso": LassoCheck,
        "text counts": Check.of_twin(smoothed_shares, {"error": difference}),
        **{task: partial(GradientCheck, *how) for task, how in GRADIENTS.items()},
    },
    tolerances={
        "text svd": Tolerances({"residual": 1e-8, "missed": 1e-8, "orthogonality": 1e-8}),
        "text lasso": Tolerances({"gap": 1e-4, "first": 0.0}),
        "text counts": Tolerances({"error": 1e-12}),
        **{task: Tolerances({"gradient": 1e-4}) for task in GRADIENTS},
    },
    bars={
        "text svd": [Bar("50 singular vectors", least=1.0)],
        "text logistic": [Bar("two classes, L2", least=1.0)],
        "text lasso": [Bar("two classes, L1", least=1.0)],
        "text ridge": [Bar("ridge regression", least=1.0)],
        "text svc": [Bar("linear SVC", least=1.0)],
        "text counts": [Bar("multinomial naive Bayes", least=1.0)],
        "text classes": [Bar("several classes, L2", least=1.0)],
        "text rates": [Bar("Poisson regression", least=1.0)],
    },
)  # fmt: skip
