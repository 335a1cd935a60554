# SPDX-License-Identifier: BSD-3-Clause
"""Answers compared with slow twins: searches and clusterings.

A twin takes a generator; it returns how many calls it made, and a sentence for each difference.
"""

import numpy as np
from scipy import sparse
from scipy.cluster import hierarchy
from scipy.spatial.distance import cdist, pdist, squareform

import statfast as sf
from statfast.metrics import silhouette_samples
from tests.fuzz.inputs import LAYOUTS, choose
from tests.reference import medoids

NAMES = {
    "euclidean": "euclidean",
    "manhattan": "cityblock",
    "chebyshev": "chebyshev",
    "cosine": "cosine",
}
TABLES = ("Fortran", "every other column", "columns backwards", "rows backwards", "every other row",
          "read-only", "misaligned", "pandas", "polars", "memory map")  # fmt: skip


def off(a, b, rtol, atol=0.0):
    """How far two arrays are apart beyond the tolerance; 0 if they agree."""
    a, b = (x.toarray() if sparse.issparse(x) else np.asarray(x, dtype=float) for x in (a, b))
    if a.shape != b.shape:
        return np.inf
    spread = np.abs(a - b) - rtol * np.maximum(np.abs(a), np.abs(b)) - atol
    return float(
        np.max(np.where(np.isfinite(spread), spread, np.where(a == b, 0, np.inf)), initial=0.0)
    )


class Words(list):
    """Sentences on differences."""

    def same(self, what, a, b, rtol, atol=0.0):
        if (spread := off(a, b, rtol, atol)) > 0:
            self.append(f"{what}: off by {spread:.3g}")

    def true(self, what, holds):
        if not holds:
            self.append(what)


def blobs(rng, n, d, k=3, *, spread=3.0, dtype=float):
    codes = rng.permutation(np.arange(n) % k)
    X = rng.normal(size=(k, d))[codes] * spread + rng.normal(size=(n, d))
    if np.dtype(dtype) == np.uint8:
        X = np.clip(X * 12 + 128, 0, 255)
    return X.astype(dtype), codes


# ------------------------------------------------------------------ neighbors
def search_problem(rng):
    """Rows and queries, often as many as the kernels for many queries want."""
    big = rng.random() < 0.3
    n, m = (
        (int(rng.integers(800, 2500)), int(rng.integers(80, 400)))
        if big
        else (int(rng.integers(8, 90)), 20)
    )
    d = int(rng.integers(1, 13))
    metric = choose(rng, ("euclidean",) * 3 + ("manhattan", "chebyshev", "cosine"))
    dtype = choose(rng, (float, float, np.float32, np.uint8))
    X, _ = blobs(rng, n, d, dtype=dtype)
    Q = np.concatenate([blobs(rng, m - 5, d, dtype=dtype)[0], X[:5]])
    if rng.random() < 0.2:
        X, Q = np.round(X), np.round(Q)
    size = 1.0 if dtype is not float else float(choose(rng, (1.0, 1.0, 1e-100, 1e100, 1e-160)))
    D = cdist(Q.astype(float), X.astype(float), NAMES[metric])
    given = [
        choose(rng, [np.asarray, *(LAYOUTS[name] for name in TABLES)])(A * A.dtype.type(size))
        for A in (X, Q)
    ]
    options = ("auto", "brute") if metric == "cosine" else ("auto", "brute", "kd_tree", "ball_tree")
    scale = 1.0 if metric == "cosine" else size
    return *given, D * scale, metric, choose(rng, options)


def nearest(rng):
    X, Q, D, metric, algorithm = search_problem(rng)
    k = int(rng.integers(1, min(D.shape[1], 20) + 1))
    model = sf.NearestNeighbors(n_neighbors=k, metric=metric, algorithm=algorithm).fit(X)
    distances, ids = model.kneighbors(Q)
    words, atol = Words(), 1e-7 if metric == "cosine" else 0.0
    what = f"{algorithm} {metric} {D.shape} k={k} {type(Q).__name__}"
    words.same(f"distances, {what}", distances, np.sort(D, axis=1)[:, :k], 1e-9, atol)
    words.same(f"rows named, {what}", np.take_along_axis(D, ids, axis=1), distances, 1e-9, atol)
    words.true(f"rows named twice, {what}", all(len(set(row)) == k for row in ids.tolist()))
    return 2, words


def within(rng):
    X, Q, D, metric, algorithm = search_problem(rng)
    radius = float(np.quantile(D, rng.uniform(0, 0.3))) * 1.000001 or 1.0
    model = sf.NearestNeighbors(radius=radius, metric=metric, algorithm=algorithm).fit(X)
    distances, ids = model.radius_neighbors(Q, sort_results=True)
    words, slack = Words(), 1e-7
    what = f"{algorithm} {metric} {D.shape} {type(Q).__name__}"
    for row, (spread, near) in enumerate(zip(distances, ids, strict=True)):
        sure, maybe = (
            D[row] < radius * (1 - slack) - slack * (metric == "cosine"),
            D[row] <= radius * (1 + slack) + slack * (metric == "cosine"),
        )
        found = np.isin(np.arange(D.shape[1]), near)
        words.true(f"rows within, {what}", not (sure & ~found).any() and not (found & ~maybe).any())
        words.same(
            f"distances within, {what}",
            spread,
            D[row][near],
            1e-9,
            1e-7 if metric == "cosine" else 0.0,
        )
        if words:
            break
    return 2, words


def votes(rng):
    X, Q, D, metric, algorithm = search_problem(rng)
    n = D.shape[1]
    k = int(rng.integers(1, min(n, 12) + 1))
    codes, y = rng.integers(0, 4, n), rng.normal(size=n)
    order = np.argsort(D, axis=1)
    near = np.take_along_axis(D, order, axis=1)
    sure = near[:, k - 1] < near[:, k] * (1 - 1e-6) if k < n else np.ones(len(D), dtype=bool)
    settings = {"n_neighbors": k, "metric": metric, "algorithm": algorithm}
    shares = sf.KNeighborsClassifier(**settings).fit(X, codes).predict_proba(Q)
    means = sf.KNeighborsRegressor(**settings).fit(X, y).predict(Q)
    twin = np.stack([(codes[order[:, :k]] == c).mean(axis=1) for c in np.unique(codes)], axis=1)
    words, what = Words(), f"{algorithm} {metric} {D.shape} k={k}"
    words.same(f"shares of votes, {what}", shares[sure], twin[sure], 1e-12)
    words.same(
        f"means of neighbors, {what}", means[sure], y[order[:, :k]].mean(axis=1)[sure], 1e-9, 1e-12
    )
    return 4, words


# ------------------------------------------------------------------ clusterings
def k_means(rng):
    n, d, k = int(rng.integers(5, 1200)), int(rng.integers(1, 13)), int(rng.integers(1, 6))
    X, _ = blobs(rng, n, d, k, dtype=choose(rng, (float, np.float32, np.uint8)))
    start = X[rng.permutation(n)[:k]].astype(float)
    weights = rng.integers(0, 4, n).astype(float) if rng.random() < 0.5 else np.ones(n)
    weights[0] = 1
    given = choose(rng, [np.asarray, *(LAYOUTS[name] for name in TABLES)])(X)
    algorithm = choose(rng, ("auto", "lloyd", "elkan", "hamerly", "yinyang"))
    model = sf.KMeans(k, init=start, n_init=1, tol=0, algorithm=algorithm).fit(
        given, sample_weight=weights
    )
    spread = cdist(X.astype(float), model.cluster_centers_, "sqeuclidean")
    words, what, rows = Words(), f"{algorithm} {X.shape} k={k} {X.dtype}", np.arange(n)
    least = spread.min(axis=1)
    slack = 1e-9 * (1 + np.abs(X.astype(float)).max() ** 2)
    words.same(f"labels, {what}", spread[rows, model.labels_], least, 1e-9, slack)
    words.same(f"inertia, {what}", model.inertia_, weights @ least, 1e-9, slack)
    words.same(f"predict, {what}", spread[rows, model.predict(given)], least, 1e-9, slack)
    for j in range(k):
        own = model.labels_ == j
        if weights[own].sum():
            mean = np.average(X[own].astype(float), axis=0, weights=weights[own])
            words.same(f"centers are means, {what}", model.cluster_centers_[j], mean, 1e-6, 1e-6)
    if start.shape[0] == k and weights.sum() > k:
        X, n_rows = np.repeat(X, weights.astype(int), axis=0), int(weights.sum())
        again = sf.KMeans(k, init=start, n_init=1, tol=0).fit(X)
        words.same(
            f"weights are repetitions, {what} {n_rows}", again.inertia_, model.inertia_, 1e-6, slack
        )
    return 3, words


def trees(rng):
    n, d = int(rng.integers(2, 60)), int(rng.integers(1, 6))
    X = rng.normal(size=(n, d))
    method = choose(
        rng, ("single", "complete", "average", "weighted", "centroid", "median", "ward")
    )
    Z, twin = sf.linkage(X, method), hierarchy.linkage(X, method)
    words, what = Words(), f"{method} {X.shape}"
    words.same(f"heights, {what}", Z[:, 2], twin[:, 2], 1e-9)
    words.same(f"merges, {what}", Z[:, [0, 1, 3]], twin[:, [0, 1, 3]], 0)
    words.same(f"of pairs, {what}", sf.linkage(pdist(X), method)[:, 2], twin[:, 2], 1e-9)
    words.same(f"cophenetic, {what}", sf.cophenetic(Z), hierarchy.cophenet(twin), 1e-9)
    words.same(f"leaves, {what}", sf.leaves_list(Z), hierarchy.leaves_list(twin), 0)
    if method not in ("centroid", "median"):
        k = int(rng.integers(1, n + 1))
        ours, theirs = sf.cut_tree(Z, k), hierarchy.fcluster(twin, k, "maxclust")
        words.same(f"cut into {k}, {what}", ours[:, None] == ours, theirs[:, None] == theirs, 0)
    _, lengths = sf.minimum_spanning_tree(X)
    words.same(f"spanning tree, {what}", np.sort(lengths), np.sort(hierarchy.single(X)[:, 2]), 1e-9)
    return 7, words


def k_medoids(rng):
    n, k = int(rng.integers(4, 60)), int(rng.integers(1, 4))
    X, _ = blobs(rng, n, 3, k)
    D = squareform(pdist(X))
    weights = rng.uniform(0.1, 2, n) if rng.random() < 0.5 else None
    model = sf.KMedoids(k, method=choose(rng, ("fasterpam", "fastpam1", "pam"))).fit(
        X, sample_weight=weights
    )
    words, chosen = Words(), np.asarray(model.medoid_indices_)
    words.same(
        "labels of k-medoids",
        D[np.arange(n), chosen[model.labels_]],
        D[:, chosen].min(axis=1),
        1e-12,
    )
    total = medoids.loss(D, chosen, weights)
    words.same("loss of k-medoids", model.inertia_, total, 1e-9)
    w = np.ones(n) if weights is None else weights
    for j in range(k):  # no swap is better
        others = np.minimum(
            np.delete(D[:, chosen], j, axis=1).min(axis=1, initial=np.inf)[:, None], D
        )
        words.true("a swap lowers the loss", (w @ others).min() >= total * (1 - 1e-9))
    if k > 1:
        words.same(
            "silhouettes",
            silhouette_samples(X, model.labels_),
            medoids.silhouettes(D, model.labels_),
            1e-9,
            1e-12,
        )
    return 2, words


TWINS = {
    twin.__name__: twin
    for twin in (
        nearest,
        within,
        votes,
        k_means,
        trees,
        k_medoids,
    )
}
