# SPDX-License-Identifier: BSD-3-Clause
"""Matrices computed before are right up to rounding: on the diagonal, below zero, in symmetry."""

import numpy as np
import pytest

import statfast as sf
from statfast._validation import slack_of
from statfast.cluster import (
    choose_n_clusters,
    cophenetic_correlation,
    minimum_spanning_tree,
    optimal_leaf_ordering,
)
from statfast.kernels import Precomputed, mercer_check
from statfast.metrics import dunn_index, silhouette_samples, silhouette_score

RNG = np.random.default_rng(0)
X = RNG.normal(size=(24, 7)) + np.repeat([[0.0] * 7, [3.0, -3.0] * 3 + [0.0]], 12, axis=0)
LABELS = np.repeat([0, 1], 12)


def exact(D):
    """What a matrix of dissimilarities stands for."""
    D = np.maximum(D, 0.0)
    np.fill_diagonal(D, 0.0)
    return np.maximum(D, D.T)


def spoiled(dtype=np.float64, by=1.0):
    """A matrix with errors of rounding, and the one without."""
    D = exact(1.0 - np.corrcoef(X)).astype(dtype)
    D[0, 1] = D[1, 0] = 0.0  # two rows that are one
    size = by * np.finfo(dtype).eps
    bad = D + (size * RNG.choice([-1.0, 1.0], D.shape)).astype(dtype)
    bad[0, 1] = -size
    np.fill_diagonal(bad, np.where(np.arange(len(D)) % 2, size, -size))
    return bad, D


def answers(D):
    """What everything that takes dissimilarities makes of them."""
    half = D[np.triu_indices(len(D), 1)]
    given = {"metric": "precomputed"}
    yield sf.linkage(D, "average", **given)
    yield sf.linkage(half, "average")
    yield sf.AgglomerativeClustering(3, linkage="complete", **given).fit_predict(D)
    yield cophenetic_correlation(sf.linkage(half, "single"), D, **given)
    yield minimum_spanning_tree(D, **given)[1]
    yield optimal_leaf_ordering(sf.linkage(half, "average"), D, **given)
    yield sf.KMedoids(2, random_state=0, **given).fit(D).labels_
    yield sf.KMedoids(2, random_state=0, **given).fit(D).predict(D[:2])
    yield silhouette_samples(D, LABELS, **given)
    yield silhouette_score(half, LABELS, **given)
    yield dunn_index(D, LABELS, **given)
    found = choose_n_clusters(D, method="average", ks=range(2, 5), **given)
    yield found.scores["silhouette"]
    yield sf.KNeighborsClassifier(1, **given).fit(D, LABELS).predict(D)
    yield sf.NearestNeighbors(n_neighbors=3, **given).fit(D).kneighbors()[0]
    yield sf.NearestNeighbors(radius=0.5, **given).fit(D).radius_neighbors(D[:1])[0][0]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_rounding_in_dissimilarities_changes_no_answer_beyond_it(dtype):
    bad, D = spoiled(dtype)
    before = bad.copy()
    for found, wanted in zip(answers(bad), answers(D), strict=True):
        np.testing.assert_allclose(found, wanted, atol=slack_of(D) * D.max())
    np.testing.assert_array_equal(bad, before)  # the input is not modified


@pytest.mark.parametrize("method", ["single", "complete", "average", "weighted"])
def test_one_minus_correlation_is_clustered(method):
    D = 1.0 - np.corrcoef(X)
    D[3, 3] = 2.0**-52  # there is no machine on which none is left
    found = sf.linkage(D, method, "precomputed")
    np.testing.assert_allclose(found, sf.linkage(exact(D), method, "precomputed"), atol=1e-15)


def test_distances_from_products_have_a_diagonal_of_the_root_of_the_precision():
    squares = (X**2).sum(axis=1)
    far = squares[:, None] + squares - 2.0 * X @ X.T
    D = np.sqrt(np.abs(far))
    D[0, 0] = np.sqrt(2.0**-52 * squares[0])
    found = sf.AgglomerativeClustering(2, metric="precomputed", linkage="average").fit(D)
    assert len(set(found.labels_[:12])) == 1
    assert sf.metrics.silhouette_score(D, LABELS, metric="precomputed") > 0.3


@pytest.mark.parametrize("fault", ["diagonal", "negative", "asymmetry"])
@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
def test_what_is_more_than_rounding_is_still_refused(fault, scale):
    _, D = spoiled()
    by = 100.0 * slack_of(D) * D.max()
    if fault == "diagonal":
        D[5, 5] = by
    elif fault == "negative":
        D[5, 6] = D[6, 5] = -by
    else:
        D[5, 6] += by
    words = {"diagonal": "on its diagonal", "negative": "negative dis", "asymmetry": "symmetric"}
    with pytest.raises(ValueError, match=words[fault]):
        sf.linkage(D * scale, "average", "precomputed")
    if fault != "asymmetry":  # which medoids and scores take
        with pytest.raises(ValueError, match=words[fault]):
            silhouette_score(D * scale, LABELS, metric="precomputed")
    if fault == "negative":
        with pytest.raises(ValueError, match="not negative"):
            sf.KNeighborsClassifier(metric="precomputed").fit(D * scale, LABELS)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_kernel_matrices_are_symmetric_up_to_the_rounding_of_their_type(dtype):
    K = (X @ X.T).astype(dtype)
    bad = K + (K.max() * np.finfo(dtype).eps * RNG.choice([-1.0, 1.0], K.shape)).astype(dtype)
    assert (bad != bad.T).any()
    for model in (sf.SVC(kernel="precomputed"), sf.NuSVC(kernel="precomputed")):
        np.testing.assert_array_equal(model.fit(bad, LABELS).predict(bad), LABELS)
    ridge = sf.KernelRidge(kernel="precomputed").fit(bad, LABELS.astype(float))
    assert ridge.predict(bad).shape == (24,)
    np.testing.assert_array_equal(Precomputed().matrix(bad), bad)
    np.testing.assert_array_equal(Precomputed().diagonal(bad), bad.diagonal())
    assert mercer_check("precomputed", bad, tol=1e-3).positive
    bad[2, 3] *= dtype(1.5)
    with pytest.raises(ValueError, match="symmetric"):
        sf.SVC(kernel="precomputed").fit(bad, LABELS)


def test_sparse_graphs_may_have_what_rounding_left_below_zero():
    scipy_sparse = pytest.importorskip("scipy.sparse")
    bad, D = spoiled()
    graph, right = scipy_sparse.csr_array(bad), scipy_sparse.csr_array(D)
    model = sf.KNeighborsClassifier(1, metric="precomputed")
    assert (graph.data < 0).any()
    np.testing.assert_array_equal(model.fit(graph, LABELS).predict(graph), LABELS)
    assert model.fit(right, LABELS).n_samples_fit_ == 24
