# SPDX-License-Identifier: BSD-3-Clause
"""Grids of C and gamma."""

import numpy as np
import pytest

from statfast import SVC, ConvergenceWarning, svm_path
from statfast.datasets import load_iris
from statfast.kernels import RBF
from statfast.svm.dual import distances

IRIS = load_iris()
C_GRID, GAMMAS = [0.1, 1.0, 10.0], [0.05, 0.5]


def cloud(seed=0, n=120, classes=3):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    return rng.normal(size=(n, 3)) + y[:, None], y


def test_every_point_is_the_machine_of_its_own():
    X, y = cloud()
    X_new, y_new = cloud(1)
    path = svm_path(X, y, C_GRID[::-1], GAMMAS, validation=(X_new, y_new), tol=1e-6)
    for g, gamma in enumerate(GAMMAS):
        for a, C in enumerate(C_GRID):
            model = SVC(C=C, gamma=gamma, tol=1e-6).fit(X, y)
            want = model.dual_objective_.sum()
            assert path.dual_objective[g, a] == pytest.approx(want, rel=1e-6)
            assert path.scores[g, a] == pytest.approx(model.score(X_new, y_new), rel=1e-12)
            assert path.n_support[g, a] == len(model.support_)
    np.testing.assert_array_equal(path.C_grid, C_GRID)
    assert path.converged.all()
    assert path.part_scores is None


def test_a_warm_start_takes_fewer_steps():
    X, y = cloud(n=300, classes=2)
    path = svm_path(X, y, [1.0, 2.0, 4.0, 8.0], [0.5])
    cold = [SVC(C=C, gamma=0.5).fit(X, y).n_iter_[0] for C in path.C_grid]
    assert path.n_iter[0, 1:].sum() < sum(cold[1:])


def test_without_the_distances_it_is_the_same(monkeypatch):
    X, y = cloud()
    shared = svm_path(X, y, C_GRID, GAMMAS, cv=3, random_state=0, tol=1e-6)
    monkeypatch.setattr(distances.Distances, "of", classmethod(lambda cls, rows, n_jobs: None))
    plain = svm_path(X, y, C_GRID, GAMMAS, cv=3, random_state=0, tol=1e-6)
    np.testing.assert_allclose(shared.dual_objective, plain.dual_objective, rtol=1e-7)
    np.testing.assert_allclose(shared.scores, plain.scores, rtol=1e-12)
    one = svm_path(X, y, C_GRID, GAMMAS, cv=3, random_state=0, n_jobs=1, tol=1e-6)
    for name in ("dual_objective", "scores", "n_support", "n_iter"):
        np.testing.assert_array_equal(getattr(svm_path(
            X, y, C_GRID, GAMMAS, cv=3, random_state=0, n_jobs=7, tol=1e-6), name),
            getattr(one, name))  # fmt: skip


def test_cross_validation_chooses():
    X, y = cloud(n=90)
    path = svm_path(X, y, C_GRID, GAMMAS, cv=5, random_state=0)
    assert path.part_scores.shape == (2, 3, 5)
    np.testing.assert_allclose(path.scores, path.part_scores.mean(axis=2))
    g, a = path.best_index
    assert path.scores[g, a] == path.scores.max()
    assert path.best_params == {"C": path.C_grid[a], "gamma": path.gamma_grid[g]}
    assert SVC(**path.best_params).fit(X, y).score(X, y) > 0.7
    assert str(path).splitlines()[0].startswith("accuracy")
    assert len(str(path).splitlines()) == 3


def test_other_kernels_and_weights():
    X, y = cloud()
    K = RBF(0.2).matrix(X)
    given = {"cv": 3, "random_state": 0, "class_weight": "balanced", "sample_weight": np.ones(120)}
    named = svm_path(X, y, C_GRID, [0.2], **given)
    for kernel, rows in (("precomputed", K), (RBF(0.2), X)):
        path = svm_path(rows, y, C_GRID, kernel=kernel, **given)
        np.testing.assert_allclose(path.dual_objective, named.dual_objective, rtol=1e-3)
    path = svm_path(X, y, C_GRID, kernel="linear", cv=3, random_state=0)
    assert list(path.best_params) == ["C"]
    assert path.gamma_grid is None
    assert [len(line) for line in str(path).splitlines()] == [18 + 3 * 9] * 2
    assert svm_path(X, y, C_GRID, kernel="linear").scores is None
    with pytest.raises(ValueError, match="has no scores"):
        _ = svm_path(X, y, C_GRID, kernel="linear").best_params
    assert svm_path(X, y, [1.0], ["scale", "auto"]).gamma_grid[1] == pytest.approx(1 / 3)


def test_limits_are_told():
    X, y = cloud()
    with pytest.warns(ConvergenceWarning, match="svm_path: 6 of 6 points"):
        path = svm_path(X, y, C_GRID, GAMMAS, max_iter=1)
    assert not path.converged.any()


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"C_grid": []}, TypeError, "C_grid must be a list of positive numbers"),
        ({"C_grid": [1.0, -1.0]}, ValueError, "C_grid must be greater than 0"),
        ({"C_grid": "all"}, TypeError, "C_grid must be"),
        ({"gamma_grid": "scale"}, TypeError, "gamma_grid must be a list"),
        ({"gamma_grid": ["wide"]}, ValueError, "gamma_grid must be 'scale' or 'auto'"),
        ({"gamma_grid": [-1.0]}, ValueError, "gamma_grid must be at least 0"),
        ({"gamma_grid": [1.0], "kernel": "linear"}, ValueError, "gamma_grid must be None for"),
        ({"gamma_grid": [1.0], "kernel": RBF(1.0)}, ValueError, "which has no parameter gamma"),
        ({"cache_size": -1.0}, ValueError, "cache_size must be greater than 0"),
        ({"n_jobs": 0}, ValueError, "n_jobs"),
        ({"validation": 3}, TypeError, "validation must be a pair"),
        ({"validation": (np.ones((2, 9)), [0, 1])}, ValueError, r"validation\[0\] must have the 4"),
        ({"cv": 1}, ValueError, "cv must be between 2"),
        ({"y": np.zeros(150)}, ValueError, "y must hold at least 2 classes"),
    ],
)
def test_arguments_refused(change, error, words):
    given = {"X": IRIS.data, "y": IRIS.target, "C_grid": [1.0], **change}
    with pytest.raises(error, match=words):
        svm_path(**given)


def test_shared_distances_end_with_float64_sums():
    X, _ = cloud(2)
    gram = distances.Distances(X, 1).gram(0.3)
    w = np.random.default_rng(0).normal(size=len(X))
    sums = gram.exact(np.arange(len(X)), w)
    np.testing.assert_allclose(sums, RBF(0.3).matrix(X) @ w, atol=1e-13)
