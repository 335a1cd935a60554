# SPDX-License-Identifier: BSD-3-Clause
"""One answer from rows however they lie in memory, at sizes at which every kernel is at work.

test_contract.py brings rows of every kind to every estimator, but few of them, and few rows are
answered without the kernels for many. Here each estimator, index and function gets some thousands
in all orders. What lies between the rows and their numbers is junk: what is read there shows.
"""

from dataclasses import fields, is_dataclass
from functools import partial
from inspect import Parameter, isgenerator, signature

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist

from statfast import calibration, cluster, generative, kernels, linear, metrics, neighbors, svm
from tests.contract.test_contract import BINARY, COUNTS, ESTIMATORS, POSITIVE, make, regresses

N, M, D = 1200, 150, 8  # rows, queries, columns
JUNK = {"f": np.nan, "u": 255}


def fortran(X):
    X = np.asfortranarray(X)
    X.flags.writeable = False
    return X


def spaced(X):
    """Every other column and row of a table."""
    room = np.full((2 * len(X), 2 * X.shape[1]), JUNK[X.dtype.kind], X.dtype)
    room[::2, ::2] = X
    return room[::2, ::2]


def backwards(X):
    """The last columns of the last rows come first, and others between them."""
    room = np.full((len(X), X.shape[1] + 3), JUNK[X.dtype.kind], X.dtype)
    room[:, 3:] = X[::-1, ::-1]
    return room[::-1, :2:-1]


def frame(X):
    return pytest.importorskip("pandas").DataFrame(X)


LAYOUTS = {f.__name__: f for f in (fortran, spaced, backwards, frame)}
FOR_DTYPE = {"f8": LAYOUTS, "f4": {"fortran": fortran}, "u1": {"backwards": backwards}}


def rows(dtype, n=N, d=D, seed=0):
    """Three groups that meet; their codes are rows(...)[1]."""
    rng = np.random.default_rng(seed)
    code = rng.integers(0, 3, n)
    X = rng.normal(size=(n, d)) + np.random.default_rng(5).normal(size=(3, d))[code]
    X = np.clip(np.rint(20 * X + 128), 0, 255) if dtype == "u1" else X
    return X.astype(dtype), code


def numbers(answer):
    """The arrays in an answer, one after the other."""
    if sparse.issparse(answer):
        yield answer.toarray()
    elif isinstance(answer, np.ndarray) and answer.dtype != object:
        yield answer
    elif isinstance(answer, list | tuple | np.ndarray) or isgenerator(answer):
        for part in answer:
            yield from numbers(part)
    elif is_dataclass(answer):
        for field in fields(answer):
            yield from numbers(getattr(answer, field.name))
    elif isinstance(answer, int | float | np.number | str):
        yield np.asarray(answer)


def assert_same(got, want, rtol=1e-7):
    got, want = list(numbers(got)), list(numbers(want))
    assert want
    assert len(got) == len(want)
    for a, b in zip(got, want, strict=True):
        if b.dtype.kind == "f":
            limit = max(rtol, 2e-6 if b.dtype == np.float32 else 0)
            large = np.abs(b[np.isfinite(b)]).max(initial=0)
            np.testing.assert_allclose(a, b, limit, atol=limit * large)
        else:
            np.testing.assert_array_equal(a, b)


# ------------------------------------------------------------------ estimators
KNN = partial(neighbors.NearestNeighbors, n_neighbors=4)
LSH = partial(neighbors.LSHNeighbors, n_tables=6, hash_length=4, n_probes=4, random_state=0)

# What the defaults, and the parameters of the contract for few rows, do not reach.
MORE = {
    "CategoricalNB": partial(make, generative.CategoricalNB, min_categories=256),
    **{f"brute {m}": partial(KNN, algorithm="brute", metric=m) for m in (
        "sqeuclidean", "manhattan", "chebyshev", "seuclidean", "mahalanobis", "cosine",
        "correlation", "hamming",
    )},
    **{f"brute p={p}": partial(KNN, algorithm="brute", p=p) for p in (2, 3, 2.5, 33)},
    **{f"{tree} {m}": partial(KNN, algorithm=tree, metric=m)
       for tree in ("kd_tree", "ball_tree") for m in ("euclidean", "manhattan", "chebyshev")},
    "kd_tree p=3": partial(KNN, algorithm="kd_tree", p=3),
    "many neighbors": partial(neighbors.NearestNeighbors, n_neighbors=500, algorithm="brute"),
    "classifier, all distances": partial(
        neighbors.KNeighborsClassifier, 4, algorithm="brute", weights="distance"
    ),
    **{f"LSH {h}": partial(LSH, hash=h) for h in ("p_stable", "hyperplane")},
    "LSHNeighbors": partial(LSH, metric="cosine"),
    **{f"KMeans {a}": partial(cluster.KMeans, 40, algorithm=a, random_state=0)
       for a in ("lloyd", "hamerly", "yinyang")},
    "KMeans random": partial(cluster.KMeans, 5, init="random", n_init=2, random_state=0),
    **{f"KMedoids {m}": partial(cluster.KMedoids, 4, metric=m)
       for m in ("manhattan", "cosine", "chebyshev")},
    "KMedoids without a matrix": partial(cluster.KMedoids, 4, matrix_free=True),
    "CLARA manhattan": partial(cluster.CLARA, 4, metric="manhattan", random_state=0),
    **{f"Agglomerative {a}": partial(cluster.AgglomerativeClustering, 3, linkage=a)
       for a in ("single", "complete", "average")},
    "binomial": partial(linear.LogisticRegression),
    "ridge logistic": partial(linear.LogisticRegression, C=1.0),
    **{f"l1_ratio={r} logistic": partial(linear.LogisticRegression, l1_ratio=r, C=0.1)
       for r in (0.5, 1.0)},
    "one-vs-rest logistic": partial(linear.LogisticRegression, multi_class="ovr"),
    **{f"lasso {a}": partial(linear.Lasso, alpha=a) for a in (0.01, 0.1)},
    "lasso standardized": partial(linear.Lasso, alpha=0.01, standardize=True),
    **{f"SVC {k}": partial(svm.SVC, kernel=k, C=1e-3) for k in ("linear", "poly")},
    "LinearSVC primal": partial(svm.LinearSVC, dual=False),
    "LinearSVC hinge": partial(svm.LinearSVC, loss="hinge"),
    "LinearSVC together": partial(
        svm.LinearSVC, multi_class="crammer_singer", C=1e-5, random_state=0
    ),
}  # fmt: skip
TWO = {"binomial", "ridge logistic", *BINARY}  # cases of two classes
LABELS = np.array(["a", "b", "c"])

CASES = {cls.__name__: partial(make, cls) for cls in ESTIMATORS} | MORE


def questions(model):
    """The methods that take rows: names, and whether they need y too."""
    for name in dir(model):
        if name.startswith(("_", "fit", "partial_fit")) or not hasattr(model, name):
            continue
        method = getattr(model, name)
        takes = list(signature(method).parameters.values()) if callable(method) else []
        if takes and takes[0].name == "X":
            yield name, any(p.name == "y" and p.default is Parameter.empty for p in takes)


def answers(model, X, y):
    """All that the model says about X and y, as far as it has an answer."""
    for name, with_y in questions(model):
        try:
            answer = getattr(model, name)(*((X, y) if with_y else (X,)))
            yield name, list(answer) if isgenerator(answer) else answer
        except (ValueError, NotImplementedError):  # what only some fits have, such as residuals
            continue


@pytest.mark.parametrize("dtype", ["f8", "f4", "u1"])
@pytest.mark.parametrize("name", CASES)
def test_estimator(name, dtype):
    X, code = rows(dtype)
    Q, query_code = rows(dtype, M, seed=1)
    if name in COUNTS and dtype != "u1":
        X, Q = (np.clip(np.rint(4 * A + 12), 0, 30).astype(dtype) for A in (X, Q))
    model = CASES[name]()
    if "radius" in model.get_params():
        model.set_params(radius=60.0 if dtype == "u1" else 3.0)
    if regresses(type(model)):
        y, z = X[:, 0] + X[:, 1] * 0.5 + code, Q[:, 0] + Q[:, 1] * 0.5 + query_code
        if name in POSITIVE:
            y, z = np.abs(y) + 1.0, np.abs(z) + 1.0
    else:
        y, z = LABELS[code], LABELS[query_code]
        if name in TWO:
            y, z = y == "c", z == "c"
    want = dict(answers(model.fit(X, y), Q, z))
    assert want or name.startswith(("Agglomerative", "DBSCAN", "HDBSCAN"))
    fitted = {
        key: value
        for key, value in vars(model).items()
        if key.endswith("_") and not key.startswith("_") and list(numbers(value))
        if not key.endswith("_time_")
    }
    for layout in FOR_DTYPE[dtype].values():
        model.fit(layout(X), y)
        for attribute, value in fitted.items():
            assert_same(getattr(model, attribute), value)
        needs = dict(questions(model))
        for method, value in want.items():
            about = (layout(Q), z) if needs[method] else (layout(Q),)
            assert_same(getattr(model, method)(*about), value)


def test_one_row_with_columns_apart():
    X, _ = rows("f8", 1)
    model = linear.Lasso(0.1).fit(spaced(X), [2.0])
    assert (model.intercept_, *model.coef_) == (2.0, *[0.0] * D)


# ------------------------------------------------------------------ trees and functions
def of_tree(cls, **params):
    """All that a tree answers; params may hold a radius."""
    radius = params.pop("radius", 2.5)

    def ask(X, Q, _):
        tree = cls(X, **params)
        found = [tree.query(Q, 5), tree.self_query(3), tree.query_pairs(radius / 2)]
        found += [tree.query_radius(Q, radius, return_distance=True)]
        return [*found, tree.query_radius(Q, radius, count_only=True)]

    return ask


def hierarchy(method):
    def ask(X, Q, _):
        Z = cluster.linkage(Q, method)
        found = cluster.optimal_leaf_ordering(Z, Q), cluster.cophenetic_correlation(Z, Q)
        return [cluster.linkage(X, method), Z, *found]

    return ask


def by_metric(metric):
    def ask(X, Q, code):
        return [
            metrics.silhouette_samples(X, code, metric=metric),
            metrics.cluster_diameter_separation(X, code, metric=metric),
            metrics.dunn_index(X, code, metric=metric),
            metrics.dbcv_score(X, code, metric=metric),
            cluster.minimum_spanning_tree(X, metric),
            cluster.linkage(X, "average", metric),
        ]

    return ask


def ranked(X, _, code):
    """Scores in a column of rows, which may be a frame."""
    scores = X.iloc[:, 0] if hasattr(X, "iloc") else X[:, 0]
    positive = code > 0
    return [
        metrics.roc_auc_score(positive, scores),
        *metrics.roc_curve(positive, scores),
        metrics.average_precision_score(positive, scores, sample_weight=code + 1),
        metrics.auc_test(positive, scores, X.iloc[:, 1] if hasattr(X, "iloc") else X[:, 1])[:5],
        calibration.IsotonicRegression().fit(scores, code).y_thresholds_,
        metrics.mean_squared_error(X, X, multioutput="raw_values"),
    ]


def lloyd_step(X, Q, _):
    step = cluster.KMeansStatistics.partial(X, Q)
    return step.sums, step.mass


def searched(**params):
    def ask(X, Q, _):
        model = neighbors.NearestNeighbors(n_neighbors=5, **params).fit(X)
        return model.kneighbors(Q), model.kneighbors()

    return ask


def of_matrix(layout):
    """What takes dissimilarities or a kernel instead of rows, (n, n) and (m, n)."""

    def ask(X, Q, code):
        D, of_queries = (layout(cdist(A, X)) for A in (X, Q))
        K, K_of_queries = (layout(A @ X.T) for A in (X, Q))
        search = neighbors.NearestNeighbors(n_neighbors=5, metric="precomputed").fit(D)
        medoids = cluster.KMedoids(3, metric="precomputed").fit(D)
        tree = cluster.AgglomerativeClustering(3, metric="precomputed", linkage="average")
        machine = svm.SVC(kernel="precomputed", C=1e-3).fit(K, code)
        return [
            search.kneighbors(of_queries),
            search.radius_neighbors(of_queries, 2.5),
            medoids.labels_,
            medoids.predict(of_queries),
            tree.fit_predict(D),
            machine.decision_function(K_of_queries),
            metrics.silhouette_samples(D, code, metric="precomputed"),
        ]

    return ask


FUNCTIONS = {
    **{f"{cls.__name__} {m}": of_tree(cls, metric=m)
       for cls in (neighbors.KDTree, neighbors.BallTree)
       for m in ("euclidean", "manhattan", "chebyshev")},
    "KDTree cosine": of_tree(neighbors.KDTree, metric="cosine", radius=0.1),
    "BallTree mahalanobis": of_tree(neighbors.BallTree, metric="mahalanobis"),
    **{f"tangent distance {n}": lambda X, Q, _, n=n: neighbors.tangent_distance(
        X[:M], Q, image_shape=(n, -1)) for n in (1, 2)},
    **{f"kernel {k}": lambda X, Q, _, k=k: (
        kernels.kernel_matrix(k, X, Q), kernels.kernel_matrix(k, Q))
       for k in ("linear", "rbf", "poly", "sigmoid", "laplacian")},
    **{f"linkage {m}": hierarchy(m) for m in ("single", "complete", "ward")},
    **{f"metrics {m}": by_metric(m) for m in ("euclidean", "manhattan", "cosine", "chebyshev")},
    **{f"haversine {a}": searched(algorithm=a, metric="haversine")
       for a in ("brute", "ball_tree")},
    "jaccard": searched(metric="jaccard"),
    "scatter": lambda X, Q, code: metrics.scatter_decomposition(X, code),
    "Davies-Bouldin": lambda X, Q, code: metrics.davies_bouldin_score(X, code),
    "Calinski-Harabasz": lambda X, Q, code: metrics.calinski_harabasz_score(X, code),
    "ranking": ranked,
    "Lloyd step": lloyd_step,
    "k-means++": lambda X, Q, _: cluster.kmeans_plusplus(X, 30, random_state=0),
    "gap": lambda X, Q, _: cluster.gap_statistic(Q, k_max=3, n_boot=3, random_state=0),
    "stability": lambda X, Q, _: cluster.cluster_stability(Q, 3, n_boot=3, random_state=0),
    "lasso path": lambda X, Q, code: linear.lasso_path(X, code, alphas=5),
    "ridge path": lambda X, Q, code: linear.ridge_path(X, code, [0.1, 10.0]),
    "logistic path": lambda X, Q, code: linear.logistic_path(X, code > 0, alphas=5),
    "covariances": lambda X, Q, _: (generative.ledoit_wolf(X), generative.oas(X)),
    "manova": lambda X, Q, code: [
        list(table.columns.values())
        for test in (generative.manova(X, code),) for table in (test.tests, test.dimensions)
    ],
    "Box's M": lambda X, Q, code: generative.box_m(X, code),
    "leave-one-out of discriminants": lambda X, Q, code: [
        model.leave_one_out(X, code) for model in (
            generative.LinearDiscriminantAnalysis(), generative.QuadraticDiscriminantAnalysis(),
            generative.RegularizedDiscriminantAnalysis(0.5, 0.2),
        )
    ],
    "normal leave-one-out": lambda X, Q, _: generative.MultivariateNormal().leave_one_out(X),
    "open ball": lambda X, Q, _: metrics.open_ball(X, np.zeros(X.shape[1]), 3.0),
    "metric check": lambda X, Q, _: metrics.metric_check("euclidean", Q).distances,
    "drop1": lambda X, Q, code: linear.drop1(linear.LinearRegression().fit(X, code), X, code),
}  # fmt: skip


# What some metrics take: latitudes and longitudes, zeros and ones.
VALUES = {
    "haversine brute": lambda X: X[:, :2] / 8,
    "haversine ball_tree": lambda X: X[:, :2] / 8,
    "jaccard": lambda X: (X > 0.5) * 1.0,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function(name):
    X, code = rows("f8")
    Q, _ = rows("f8", M, seed=1)
    if name in VALUES:
        X, Q = VALUES[name](X), VALUES[name](Q)
    want = FUNCTIONS[name](X, Q, code)
    for layout in LAYOUTS.values():
        assert_same(FUNCTIONS[name](layout(X), layout(Q), code), want)


@pytest.mark.parametrize("layout", LAYOUTS.values())
def test_given_distances_and_kernels(layout):
    X, code = rows("f8")
    Q, _ = rows("f8", M, seed=1)
    assert_same(of_matrix(layout)(X, Q, code), of_matrix(lambda D: D)(X, Q, code))
