# SPDX-License-Identifier: BSD-3-Clause
"""Every suite's check takes our answer, and refuses it with one thing wrong."""

import ast
from collections import Counter
from functools import cache
from itertools import chain
from pathlib import Path

import numpy as np
import pytest

from benchmarks.harness.registry import SUITES
from benchmarks.suites.neighbors import lsh as lsh_curve

PROBLEMS = [(suite, problem) for suite in SUITES.values() for problem in suite.quick]
ONE_OF_EACH = {problem.task: (suite, problem) for suite, problem in PROBLEMS}
ROOT = Path(__file__).resolve().parents[2]


@cache
def _ours(name, problem):
    """The data, our answer and its check."""
    suite, data = SUITES[name], problem.data()
    adapter = suite.adapter("statfast", problem)
    adapter.prepare(data, 1)
    adapter.fit()
    return data, adapter.answer(), suite.checker(problem, data)


def _refused(suite, problem, check, answer):
    """Whether an answer is refused, whoever gave it."""
    errors = check(answer)
    return not any(suite.verdict(problem, errors, ours=ours) for ours in (True, False))


# --- answers that are not whole ---


@pytest.mark.parametrize("task", ONE_OF_EACH)
def test_our_answer_is_taken_and_what_is_not_whole_refused(task):
    suite, problem = ONE_OF_EACH[task]
    _, answer, check = _ours(suite.name, problem)
    assert suite.verdict(problem, check(answer), ours=True)
    assert set(check.parts) <= set(answer)
    assert _refused(suite, problem, check, {})
    for name in check.parts:
        array = np.array(answer[name])
        assert _refused(suite, problem, check, {k: v for k, v in answer.items() if k != name})
        assert _refused(suite, problem, check, answer | {name: np.stack([array, array])})
        if array.dtype.kind == "f":
            broken = array.copy()
            broken[(-1,) * array.ndim] = np.nan
            assert _refused(suite, problem, check, answer | {name: broken})
        if array.ndim:
            assert _refused(suite, problem, check, answer | {name: array[:-1]})
            assert _refused(suite, problem, check, answer | {name: array[:0]})
    for name, rows in check.names.items():
        for beyond in (-1, rows):
            broken = np.array(answer[name]).astype(np.int64)
            broken[(-1,) * broken.ndim] = beyond
            assert _refused(suite, problem, check, answer | {name: broken})


# --- answers that are whole and wrong ---


def _another(name, position=0):
    """An id, label or row number that is moved on by one at one place of each row."""

    def wrong(data, answer, check):
        moved = np.array(answer[name])
        rows = check.names[name] if name in check.names else len(data["X"])
        column = moved[:, position] if moved.ndim == 2 else moved
        column[...] = (column + 1) % rows
        return {name: moved}

    return wrong


def _times(name, factor):
    return lambda data, answer, check: {name: np.asarray(answer[name]) * factor}


def _plus(name, step):
    return lambda data, answer, check: {name: np.asarray(answer[name]) + step}


def _moved(name):
    """Values stand one place further in each row."""
    return lambda data, answer, check: {name: np.roll(answer[name], 1, axis=-1)}


def _one_value(name, step):
    """One value is off by so much of the largest; `-1` is among what every check samples."""

    def wrong(data, answer, check):
        off = np.array(answer[name])
        off[(-1,) * off.ndim] += step * np.abs(off).max()
        return {name: off}

    return wrong


def _leaves_shuffled(data, answer, check):
    """As many leaves of the same sizes, with other rows in them."""
    return {"leaf": np.random.default_rng(0).permutation(answer["leaf"])}


def _an_intercept(data, answer, check):
    coef = np.array(answer["coef"])
    coef[0, 0] += 1e-4
    return {"coef": coef}


def _all_centers_one(data, answer, check):
    """At rest, with clusters that are empty."""
    centers = np.broadcast_to(data["X"].mean(axis=0), answer["centers"].shape)
    return {"centers": centers, "labels": np.zeros_like(answer["labels"])}


def _random_medoids(data, answer, check):
    """Any rows, with the loss that they have."""
    medoids = data["start"]
    apart = np.linalg.norm(data["X"][:, None] - data["X"][medoids], axis=2)
    return {"medoids": medoids, "loss": apart.min(axis=1).sum()}


def _labels_dealt_out(data, answer, check):
    """Of some dealings the worst: one alone may by chance be better than those of the check."""
    X, rng = data["X"] - data["X"].mean(axis=0), np.random.default_rng(0)

    def between(labels):
        return sum(X[labels == k].sum(axis=0) @ X[labels == k].mean(axis=0) for k in set(labels))

    return {"labels": min((rng.permutation(answer["labels"]) for _ in range(9)), key=between)}


def _any_ward_tree(data, answer, check):
    """Rows merged in their order, with the heights of that: their squares have the right sum."""
    X, n = data["X"], len(data["X"])
    merges = np.column_stack([[0, *range(n, 2 * n - 2)], np.arange(1, n)])
    heights = [
        np.sqrt(2 * m / (m + 1)) * np.linalg.norm(X[:m].mean(axis=0) - X[m]) for m in range(1, n)
    ]
    heights = np.sort(heights)
    total = ((X - X.mean(axis=0)) ** 2).sum()
    assert (heights**2).sum() / 2 == pytest.approx(total)
    return {"heights": heights, "merges": merges}


def _merges_turned(data, answer, check):
    """The right heights with the merges of rows in another order."""
    n = len(answer["merges"]) + 1
    merges = np.array(answer["merges"])
    rows = merges < n
    merges[rows] = n - 1 - merges[rows]
    return {"merges": merges}


def _half_of_the_multipliers(data, answer, check):
    """Feasible, and not the best."""
    return {"coef": answer["coef"] / 2}


def _no_multipliers(data, answer, check):
    return {"support": answer["support"][:0], "coef": answer["coef"][:0]}


def _multipliers_out_of_bounds(data, answer, check):
    """Of the best dual value or a better one."""
    return {"coef": answer["coef"] * (1 + 1e-6)}


WRONG = {
    "ranking": {
        "area": (_plus("area", 1e-10),),
        "curve": (_one_value("tpr", 1e-10), _times("fpr", 1 - 1e-10)),
        "delong": (_times("test", 1 + 1e-7),),
        "bootstrap": (_plus("interval", 0.02),),
    },
    "metrics": {
        "confusion": (_plus("score", 1), lambda data, answer, check: {"score": answer["score"].T}),
        "isotonic": (_plus("fitted", 1e-5), _one_value("fitted", -0.5)),
        "log loss": (_times("score", 1 + 1e-9),),
        "brier": (_times("score", 1 + 1e-9),),
    },
    "multinomial": {"multinomial": (_one_value("coef", 1e-5), _an_intercept)},
    "tiles": {"tile": (_another("nearest"),)},
    "knn-brute": {
        "neighbors": (_another("ids"), _times("distances", 1 + 1e-5)),
        "neighbors bytes": (_another("ids"), _times("distances", 1.02)),
    },
    "glm": {"glm": (_one_value("coefficients", 1e-7),)},
    "irls": {"logistic": (_one_value("coefficients", 1e-7),)},
    "kdtree": {
        "tree": (_another("ids"), _times("distances", 1 + 1e-8)),
        "self tree": (_another("ids"), _times("distances", 1 + 1e-8)),
        "auto": (_another("ids"),),
        "one query": (_another("ids"),),
    },
    "lasso": dict.fromkeys(
        ("lasso path", "tasks path"), (_times("coefs", 0.99), _times("coefs", 0.0))
    ),
    "cross_validation": {
        "lda folds": (_plus("scores", 0.01),),
        "ridge folds": (_one_value("errors", 1e-6),),
        "SVC grid": (_plus("scores", 0.01),),
        "logistic folds": (_plus("losses", 1e-3),),
        "lasso folds": (_one_value("errors", 0.01),),
        "least squares leave-one-out": (_one_value("predictions", 1e-4),),
        "permuted targets": (_one_value("scores", 1e-4),),
        "LDA leave-one-out": (_another("predictions"),),
        "neighbors leave-one-out": (_plus("errors", 0.01),),
        "bias and variance": (_plus("loss", 0.1),),
    },
    "ols": {
        "ols": (_one_value("coefficients", 1e-9),),
        "ridge path": (_one_value("coefs", 1e-7),),
    },
    "svc": {
        "svc": (
            _half_of_the_multipliers,
            _no_multipliers,
            _multipliers_out_of_bounds,
            _another("support"),
            _plus("intercept", 0.3),
        )
    },
    "linear-svc": {
        "linear svc": (_times("v", 0.9), _times("v", 0.0)),
        "sparsest svc": (_times("v", 0.9), _times("v", 0.0)),
        "classes svc": (_times("v", 0.9), _times("v", 0.0)),
    },
    "sparse-text": {
        "text svd": (_times("values", 0.999), _times("values", 1.001), _times("components", 1.001)),
        "text logistic": (_times("v", 0.99), _times("v", 0.0)),
        "text lasso": (_times("v", 0.9), _times("v", 0.0)),
        "text ridge": (_times("v", 0.99), _times("v", 0.0)),
        "text svc": (_times("v", 0.99), _times("v", 0.0)),
        "text counts": (_plus("log odds", 1e-9), _plus("prior", 1e-9)),
        "text classes": (_times("v", 0.99), _times("v", 0.0)),
        "text rates": (_times("v", 0.99), _times("v", 0.0)),
    },
    "kmedoids": {
        "kmedoids": (_times("loss", 1 - 1e-9), _random_medoids),
        "kmedoids points": (_times("loss", 1 - 1e-9), _random_medoids),
    },
    "silhouette": {"silhouette": (_plus("score", 1e-8),)},
    "linkage": {
        "linkage matrix": (_one_value("heights", 1e-9), _merges_turned),
        "linkage rows": (_one_value("heights", 1e-9), _merges_turned),
        "ward rows": (_one_value("heights", 1e-9), _merges_turned, _any_ward_tree),
        "spanning tree": (_one_value("heights", 1e-9),),
    },
    "svc-predict": {
        "svm values": (_times("values", 1.001), _times("values", -1.0)),
        "svm one row": (_times("values", 1.001),),
    },
    "spectrum": {
        "string kernel": (_one_value("matrix", 1.0),),
        "kernel matrix": (_one_value("matrix", 1e-12),),
    },
    "lsh": {"approximate": (_another("ids", slice(None)), _times("distances", 1.02))},
    "kmeans": {"kmeans": (_plus("centers", 0.1), _another("labels"))},
    "convergence": {
        "kmeans to convergence": (_plus("centers", 1e-6), _another("labels"), _all_centers_one)
    },
    "seeding": {"seeding": (_times("centers", 0.5),)},
    "partitions": {
        task: (_times("labels", 0.0),)
        for task in (
            "modes",
            "prototypes",
            "spherical",
            "spherical, own start",
            "sized",
            "genie",
        )
    },
    "decomposition": {
        "pca": (
            _times("singular values", 1 + 1e-4),
            _times("components", 1.001),
            _plus("scores", 0.1),
        ),
    },
    "feature_selection": {
        task: (_times("scores", 1.001), _one_value("scores", 0.01))
        for task in ("f_classif", "chi2", "slope", "variance", "classes", "plane")
    },
    "preprocessing": {
        task: (_times("rows", 1.001), _one_value("rows", 0.01))
        for task in (
            "bins",
            "splines",
            "quantiles",
            "powers",
            "codes",
            "words",
            "neighbors",
            "products",
        )
    },
    "nmf": {"nmf": (_times("H", 2.0), _plus("W", -0.1))},
    "ratings": {"ratings": (_plus("user biases", 0.3), _times("items", 2.0))},
    "tree": {
        "cart": (_times("leaf", 0), _leaves_shuffled),
        "prune": (_times("predictions", 0.0), _plus("predictions", 1.0)),
    },
    "forest": {
        "forest classes": (_times("predictions", 0.0), _plus("predictions", 1.0)),
        "forest numbers": (_times("predictions", 0.0), _plus("predictions", 3.0)),
    },
    "sparse_trees": {
        task: (_times("predictions", 0.0), _plus("predictions", 1.0))
        for task in ("tree", "random forest", "extra-trees", "boosting")
    },
    "density_clusters": {
        task: (_times("labels", 0), _plus("labels", 1)) for task in ("dbscan", "hdbscan")
    },
    "covariance": {
        "shrunk covariance": (_times("covariance", 1.01), _plus("covariance", 0.5)),
        "robust covariance": (_plus("support", 1.0),),
    },
    "conformal": dict.fromkeys(
        ("jackknife+", "many rows"), (_times("ends", 1.001), _plus("ends", 0.01))
    ),
    "selection": {
        "forward": (_moved("support"),),
        "path": (_moved("support"),),
        "elimination": (_times("support", 0.0),),
        "subsets": (_moved("support"),),
    },
    "isolation": {"scores": (_times("scores", -1.0), _times("scores", 0.0))},
    "shap": {
        task: (_times("values", 1.01), _one_value("values", 0.1), _plus("base", 0.1))
        for task in ("shares of forests", "shares of boosting")
    },
    "tree_predict": {"predict": (_times("predictions", 0.0), _plus("predictions", 1.0))},
    "boosting": {
        "boost": (_plus("probabilities", 0.05), _times("probabilities", -1.0)),
        "stumps": (_times("weights", 1.001), _plus("weights", 0.001)),
    },
    "naive_bayes": {task: (_plus("posteriors", 1e-3),) for task in ("normal", "counts", "mixed")},
    "language": {
        **{task: (_times("probabilities", 1.001),) for task in ("fit", "score")},
        "modified fit": (_times("probabilities", 4.0),),
        "draw": (_plus("shares", 0.02),),
    },
    "text": {"counting": (_plus("counts", 1), _plus("documents", -1))},
    "scale": {
        "kmeans in parts": (_plus("centers", 0.1), _times("centers", 0.0)),
        "logistic in parts": (_one_value("coefficients", 1e-7), _times("coefficients", 0.0)),
        "lda in parts": (_plus("posteriors", 0.02), _one_value("posteriors", 0.03)),
        "pca in parts": (_times("variances", 1 + 2e-3), _times("components", 1.01)),
        "empty round": (_plus("rows", 1), _plus("rows", -1)),
    },
    "patterns": {
        **{
            task: (_plus("counts", 1), _plus("sets", 0.1))
            for task in ("frequent", "frequent of lists", "closed", "maximal")
        },
        "rules": (_plus("sets", 0.1), _times("confidence", 1.001), _plus("lift", 0.01)),
    },
    "mixture": {task: (_plus("mean log density", 0.02),) for task in ("full", "diag")},
    "density": {
        "log densities": (_plus("log densities", 3e-4), _times("log densities", 1.001)),
    },
    "outliers": {
        task: (_plus("factors", 1e-6), _one_value("factors", 1e-6))
        for task in ("factors", "factors of new rows")
    },
    "radius": {
        "radius votes": (_plus("labels", 1),),
        "radius means": (_plus("means", 1e-6), _one_value("means", 1e-6)),
        "radius lists": (_plus("sums", 1), _plus("counts", 1)),
    },
    "rules": {
        "subgroups": (_plus("qualities", 1e-8), _one_value("qualities", 1e-7)),
        "numeric subgroups": (_plus("qualities", 1e-8), _one_value("qualities", 1e-7)),
        "ripper": (_plus("labels", 1),),
    },
    "moments": {"lda": (_plus("posteriors", 0.02),)},
    "discriminant": {
        "qda": (_plus("posteriors", 0.02), _one_value("posteriors", 1e-6)),
        "lda": (_plus("posteriors", 0.02),),
        "rda": (_one_value("errors", 0.005), _times("losses", 1.001)),
        "density": (_one_value("log densities", 1e-3), _times("log densities", 1.001)),
    },
    "defaults": {
        "classes": (lambda data, answer, check: {"answer": 1 - answer["answer"]},),
        "numbers": (_times("answer", -1.0), _plus("answer", 9.0)),
        "one class": (_times("answer", -1), _times("answer", 0)),
        "groups": (_labels_dealt_out, _times("labels", 0)),
        "neighbors": (_another("ids"), _times("distances", 1 + 1e-5)),
        "components": (_times("columns", 0.9),),
        "columns": (_one_value("columns", 1e-6),),
        "sparse columns": (_one_value("values", 1e-6), _another("places")),
    },
    "latency": {
        task: (_another("labels"),) for task in ("predict KMeans", "predict LDA", "predict kNN")
    },
    "import": {
        "import": (
            lambda data, answer, check: {"asked": ()},
            lambda data, answer, check: {"loaded": ["numpy"]},
        )
    },
}


def test_every_task_has_something_wrong():
    tasks = {(suite.name, problem.task) for suite, problem in PROBLEMS}
    assert tasks == {(name, task) for name in WRONG for task in WRONG[name]}
    assert all(chain.from_iterable(tasks.values() for tasks in WRONG.values()))


@pytest.mark.parametrize(("name", "task"), [(s, task) for s in WRONG for task in WRONG[s]])
def test_a_wrong_answer_is_refused(name, task):
    suite = SUITES[name]
    problem = [p for p in suite.quick if p.task == task][-1]
    data, answer, check = _ours(name, problem)
    for number, wrong in enumerate(WRONG[name][task]):
        assert _refused(suite, problem, check, answer | wrong(data, answer, check)), number


def test_what_we_alone_must_do_is_asked_of_us():
    suite = SUITES["import"]
    problem = suite.quick[0]
    check = suite.checker(problem, {})
    light = {"seconds": 0.1, "started": 0, "loaded": ["statfast"], "asked": ("statfast",)}
    for more in ({"loaded": ["statfast", "pandas"]}, {"started": 1}):
        assert suite.verdict(problem, check(light), ours=True)
        assert not suite.verdict(problem, check(light | more), ours=True)
        assert suite.verdict(problem, check(light | more), ours=False)
    suite = SUITES["linkage"]
    problem = next(p for p in suite.quick if p.task == "spanning tree")
    _, answer, check = _ours("linkage", problem)
    for edges in (answer["edges"][::-1] + 1, answer["edges"] * 0, answer["edges"][:-1]):
        assert not suite.verdict(problem, check(answer | {"edges": edges}), ours=True)
    without = check({"heights": answer["heights"]})
    assert suite.verdict(problem, without, ours=False)
    assert not suite.verdict(problem, without, ours=True)


def test_the_curve_of_recall_counts_each_neighbor_once():
    rng = np.random.default_rng(0)
    X, Q = rng.random((300, 4)).astype(np.float32), rng.random((20, 4)).astype(np.float32)
    apart = ((Q[:, None].astype(float) - X) ** 2).sum(axis=2)
    ids, limit = apart.argsort(axis=1), lsh_curve.limits_of(X, Q)
    right = ids[:, : lsh_curve.K]
    assert lsh_curve.recall_of(right, X, Q, limit) == 1.0
    assert lsh_curve.recall_of(ids[:, lsh_curve.K : 2 * lsh_curve.K], X, Q, limit) == 0.0
    first = right[:, :1].repeat(lsh_curve.K, axis=1)
    assert lsh_curve.recall_of(first, X, Q, limit) == pytest.approx(1 / lsh_curve.K)
    for none in (-1, len(X)):
        missing = np.where(np.arange(lsh_curve.K) < 4, none, right)
        assert lsh_curve.recall_of(missing, X, Q, limit) == 1 - 4 / lsh_curve.K


# --- bounds ---


@pytest.mark.parametrize("ours", [True, False])
@pytest.mark.parametrize("suite", SUITES.values(), ids=SUITES)
def test_an_error_that_is_not_reported_or_no_number_is_no_pass(suite, ours):
    for problem in (*suite.problems, *suite.quick):
        bounds = suite.bounds(problem, ours=ours)
        assert bounds
        assert suite.verdict(problem, bounds, ours=ours)
        for name in bounds:
            others = {other: bound for other, bound in bounds.items() if other != name}
            assert not suite.verdict(problem, others, ours=ours)
            assert not suite.verdict(problem, others | {name: np.nan}, ours=ours)


def test_a_task_without_a_check_is_an_error():
    from dataclasses import replace

    suite = SUITES["tiles"]
    problem = replace(suite.quick[0], task="something else")
    with pytest.raises(KeyError):
        suite.checker(problem, {})
    with pytest.raises(KeyError):
        suite.verdict(problem, {}, ours=False)


def test_no_module_gives_a_constant_twice():
    for file in (
        file for part in ("benchmarks", "src", "tests") for file in (ROOT / part).rglob("*.py")
    ):
        if "programs" in file.parts:  # scripts as users write them
            continue
        given = Counter()
        for node in ast.parse(file.read_text()).body:
            if isinstance(node, ast.Assign):
                names = chain.from_iterable(map(ast.walk, node.targets))
                stored = (n for n in names if isinstance(getattr(n, "ctx", None), ast.Store))
                given.update(name.id for name in stored if isinstance(name, ast.Name))
        assert {name: times for name, times in given.items() if times > 1} == {}, file
