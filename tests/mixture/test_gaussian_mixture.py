# SPDX-License-Identifier: BSD-3-Clause
"""Gaussian mixtures against a slow twin, R's mclust and scikit-learn; promises and refusals."""

import json
import pickle
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import logsumexp
from sklearn.mixture import GaussianMixture as TheirMixture

from statfast import Chunks, GaussianMixture, Parts, choose_mixture
from statfast._engine import blocks
from statfast._validation import ConvergenceWarning
from statfast.datasets import load_iris
from statfast.mixture import em
from statfast.mixture.covariance_models import MODELS
from tests.reference import mixture as twin

MCLUST = json.loads((Path(__file__).parent / "data" / "mclust.json").read_text("utf-8"))
NAMES = ("weights_", "means_", "covariances_", "precisions_", "precisions_cholesky_")


def clouds(n=300, d=3, n_components=3, seed=0, spread=6.0):
    rng = np.random.default_rng(seed)
    codes = np.arange(n) % n_components
    mix = rng.normal(size=(n_components, d, d)) * 0.4 + np.eye(d)
    centers = spread * rng.normal(size=(n_components, d))
    return centers[codes] + np.einsum("nij,nj->ni", mix[codes], rng.normal(size=(n, d)))


def covariances_of(model):
    """(K, d, d), whatever their form."""
    n_components, d = model.means_.shape
    S = model.covariances_
    if S.ndim == 1:
        return np.array([v * np.eye(d) for v in S])
    if S.shape == (n_components, d) and model.covariance_type in (
        "diag",
        "EEI",
        "VEI",
        "EVI",
        "VVI",
    ):
        return np.array([np.diag(v) for v in S])
    return np.broadcast_to(S, (n_components, d, d))


def alike(ours, peer, rtol=1e-9, names=NAMES):
    for name in names:
        value = getattr(peer, name)
        assert_allclose(getattr(ours, name), value, rtol=rtol, atol=rtol * np.abs(value).max())


# ------------------------------------------------------------------ the twin, R and scikit-learn


@given(seed=st.integers(0, 2**32 - 1), d=st.integers(1, 5), n_components=st.integers(1, 4))
@settings(deadline=None)
def test_steps_are_those_of_the_twin(seed, d, n_components):
    rng = np.random.default_rng(seed)
    X = clouds(60 * n_components, d, n_components, seed % 1000) + 100.0
    weights, means = np.full(n_components, 1 / n_components), X[:n_components].copy()
    covariances = np.array([np.cov(X.T).reshape(d, d)] * n_components)
    n_iter = int(rng.integers(1, 6))
    model = GaussianMixture(
        n_components, weights_init=weights, means_init=means,
        precisions_init=np.linalg.inv(covariances), reg_covar=0.0, tol=0.0, max_iter=n_iter,
    )  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X)
    expected = twin.em_full(X, weights, means, covariances, n_iter)
    for ours, peer in zip(
        (model.weights_, model.means_, model.covariances_), expected, strict=True
    ):
        assert_allclose(ours, peer, rtol=1e-6, atol=1e-7 * np.abs(peer).max())
    posteriors, density = twin.e_step(X, model.weights_, model.means_, model.covariances_)
    assert_allclose(model.predict_proba(X), posteriors, rtol=1e-6, atol=1e-9)
    assert_allclose(model.score_samples(X), density, rtol=1e-8)
    assert model.log_likelihood_ == pytest.approx(density.sum(), rel=1e-9)
    assert model.score(X) == pytest.approx(density.mean(), rel=1e-9)
    assert_array_equal(model.predict(X), model.predict_proba(X).argmax(axis=1))


@pytest.mark.parametrize(
    "known", MCLUST["iris_fits"], ids=lambda f: f"{f['model']},{f['components']}"
)
def test_mclust_from_the_same_start(known):
    """R's mclust 6.0.0 from the species, or setosa and the others, to thirteen digits of EM.

    For VVE its axes come to rest below the maximum: the likelihood here is greater.
    """
    iris = load_iris()
    codes = np.unique(iris.target, return_inverse=True)[1]
    labels = codes if known["components"] == 3 else (codes > 0).astype(int)
    model = GaussianMixture(
        known["components"], covariance_type=known["model"], init_params=labels, reg_covar=0.0,
        tol=1e-13, max_iter=5000,
    ).fit(iris.data)  # fmt: skip
    assert model.n_parameters_ == known["parameters"]
    if known["model"] == "VVE":
        assert model.log_likelihood_ > known["log_likelihood"] + 0.1
        return
    assert model.log_likelihood_ == pytest.approx(known["log_likelihood"], rel=1e-10)
    assert -model.bic_ == pytest.approx(known["bic"], rel=1e-10)
    assert -model.icl_ == pytest.approx(known["icl"], rel=1e-6)
    assert_allclose(model.weights_, known["weights"], rtol=1e-5)
    assert_allclose(model.means_, known["means"], rtol=1e-5)
    assert_allclose(covariances_of(model), known["covariances"], rtol=1e-4, atol=1e-5)


def test_iris_by_bic():
    """mclust's best model of iris: VEV,2 with -561.7285, then VEV,3 and VVV,2."""
    choice = choose_mixture(load_iris().data, n_components=range(1, 4), random_state=0)
    assert (choice.best.n_components, choice.best.covariance_type) == (2, "VEV")
    known = np.array([MCLUST["iris_bic"][str(k)] for k in (1, 2)], float)
    same = [j for j, name in enumerate(MODELS) if name != "VVE"]
    assert_allclose(-choice.scores["bic"][:2, same], known[:, same], rtol=1e-6)
    assert "least BIC: VEV,2 561.73, VEV,3 562.55, VVV,2 574.02" in str(choice)


def test_old_faithful():
    """Two components with covariances of their own; of all models mclust's EEE,3."""
    X = np.array(MCLUST["faithful"])
    choice = choose_mixture(X, n_components=range(1, 5), covariance_types=["VVV"], random_state=0)
    assert choice.best.n_components == 2
    known = MCLUST["faithful_vvv2"]
    model = GaussianMixture(2, reg_covar=0.0, tol=1e-12, max_iter=2000, random_state=0).fit(X)
    assert model.log_likelihood_ == pytest.approx(known["log_likelihood"], rel=1e-10)
    order, peer = np.argsort(model.weights_), np.argsort(known["weights"])
    assert_allclose(model.means_[order], np.array(known["means"])[peer], rtol=1e-5)
    both = choose_mixture(
        X, n_components=[2, 3], covariance_types=["EEE", "VVE", "VVV"], random_state=0
    )
    assert (both.best.n_components, both.best.covariance_type) == (3, "EEE")


@pytest.mark.parametrize("covariance_type", ["full", "tied", "diag", "spherical"])
def test_scikit_learn_from_the_same_start(covariance_type):
    X = clouds(500, 4, 3, seed=3)
    start = TheirMixture(3, covariance_type=covariance_type, max_iter=1, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start.fit(X)
    settings = {
        "covariance_type": covariance_type, "weights_init": start.weights_,
        "means_init": start.means_, "precisions_init": start.precisions_, "tol": 1e-6,
    }  # fmt: skip
    ours, peer = (kind(3, **settings).fit(X) for kind in (GaussianMixture, TheirMixture))
    alike(ours, peer, 1e-8)
    assert ours.n_iter_ == peer.n_iter_
    assert ours.converged_ == peer.converged_
    assert ours.lower_bound_ == pytest.approx(peer.lower_bound_, rel=1e-10)
    assert_allclose(ours.lower_bounds_, peer.lower_bounds_, rtol=1e-9)
    for name in ("score_samples", "predict_proba", "predict"):
        assert_allclose(getattr(ours, name)(X), getattr(peer, name)(X), rtol=1e-7, atol=1e-10)
    for name in ("aic", "bic", "score"):
        assert getattr(ours, name)(X) == pytest.approx(getattr(peer, name)(X), rel=1e-9)


# ------------------------------------------------------------------ promises


@pytest.mark.parametrize("covariance_type", ["full", "tied", "diag", "spherical", *MODELS])
def test_likelihood_never_falls(covariance_type):
    X = clouds(240, 3, 4, seed=1, spread=2.0)
    model = GaussianMixture(
        4, covariance_type=covariance_type, reg_covar=0.0, tol=1e-9, max_iter=400, random_state=0
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X)
    assert (np.diff(model.lower_bounds_) > -1e-9).all()
    joint = twin.log_joint(X, model.weights_, model.means_, covariances_of(model))
    assert_allclose(model.score_samples(X), logsumexp(joint, axis=1), rtol=1e-8, atol=1e-8)
    identity = model.covariances_ @ model.precisions_ if model.covariances_.ndim == 3 else None
    if identity is not None:
        assert_allclose(identity, np.broadcast_to(np.eye(3), identity.shape), atol=1e-9)


@pytest.mark.parametrize("covariance_type", ["full", "diag", "VEV", "EVE", "EII"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_same_bits_for_any_number_of_threads(covariance_type, dtype, monkeypatch):
    monkeypatch.setattr(blocks, "MIN_FLOP_FOR_THREADS", 0)
    X = clouds(3000, 4, 3, seed=2, spread=3.0).astype(dtype)
    weights = np.random.default_rng(0).uniform(0.5, 2.0, 3000)
    states = set()
    for n_jobs in (1, 2, 7):
        model = GaussianMixture(
            3, covariance_type=covariance_type, n_jobs=n_jobs, random_state=0, max_iter=300
        ).fit(X, sample_weight=weights)
        state = [getattr(model, name).tobytes() for name in NAMES]
        state += [model.predict_proba(X).tobytes(), model.score_samples(X).tobytes()]
        states.add((*state, model.log_likelihood_, model.n_iter_))
    assert len(states) == 1


@pytest.mark.parametrize("covariance_type", ["full", "tied", "diag", "VEE"])
def test_weights_are_repeated_rows(covariance_type):
    X = clouds(200, 3, 2, seed=4)
    weights = np.random.default_rng(1).integers(0, 4, 200)
    settings = {
        "covariance_type": covariance_type, "means_init": X[:2], "tol": 1e-9, "max_iter": 500,
    }  # fmt: skip
    weighted = GaussianMixture(2, **settings).fit(X, sample_weight=weights.astype(float))
    repeated = GaussianMixture(2, **settings).fit(X.repeat(weights, axis=0))
    alike(weighted, repeated, 1e-6)
    for name in ("log_likelihood_", "bic_", "icl_", "aic_"):
        assert getattr(weighted, name) == pytest.approx(getattr(repeated, name), rel=1e-8)
    scaled = GaussianMixture(2, **settings).fit(X, sample_weight=1e-3 * weights)
    alike(scaled, weighted, 1e-9)
    assert weighted.score(X, sample_weight=weights) == pytest.approx(
        repeated.score(X.repeat(weights, axis=0)), rel=1e-9
    )
    ours, peer = weighted.bic(X, weights), repeated.bic(X.repeat(weights, axis=0))
    assert ours == pytest.approx(peer, rel=1e-9)


@pytest.mark.parametrize("covariance_type", ["full", "diag", "EEV"])
@pytest.mark.parametrize("weighted", [False, True])
def test_chunks_and_parts(covariance_type, weighted):
    X = clouds(900, 3, 3, seed=5)
    weights = np.random.default_rng(2).uniform(0.0, 2.0, 900) if weighted else None
    settings = {"covariance_type": covariance_type, "means_init": X[:3], "tol": 1e-8}
    whole = GaussianMixture(3, **settings).fit(X, sample_weight=weights)
    cuts = [slice(0, 10), slice(10, 500), slice(500, 900)]
    chunks = GaussianMixture(3, **settings).fit(
        Chunks([X[cut] for cut in cuts]), sample_weight=weights
    )
    alike(chunks, whole, 1e-7)
    columns = [(X[c], None, None if weights is None else weights[c]) for c in cuts]
    parts = GaussianMixture(3, **settings).fit(Parts(columns))
    alike(parts, whole, 1e-7)
    assert parts.log_likelihood_ == pytest.approx(whole.log_likelihood_, rel=1e-9)
    assert_array_equal(
        np.concatenate(list(parts.predict(Parts([X[c] for c in cuts])))), whole.predict(X)
    )
    assert chunks.score(Chunks([X[c] for c in cuts])) == pytest.approx(whole.score(X), rel=1e-9)


@pytest.mark.parametrize("init_params", ["kmeans", "k-means++", "random_from_data"])
def test_starts_of_rows_that_are_not_in_memory(init_params):
    X = clouds(600, 2, 2, seed=6)
    for rows in (Chunks([X[:250], X[250:]]), Parts([X[:250], X[250:]])):
        model = GaussianMixture(2, init_params=init_params, random_state=0).fit(rows)
        assert_allclose(np.sort(model.weights_), [0.5, 0.5], atol=0.05)


def test_rows_in_any_form():
    X = clouds(300, 3, 2, seed=7).astype(np.float32)
    settings = {"means_init": X[:2], "tol": 1e-8}
    plain = GaussianMixture(2, **settings).fit(X.astype(np.float64))
    for rows in (X, np.asfortranarray(X), X[:, ::-1][:, ::-1], X.tolist(), X.astype(np.float64)):
        alike(GaussianMixture(2, **settings).fit(rows), plain, 1e-7)
    single = GaussianMixture(2, **settings).fit(X)
    assert single.predict_proba(X).dtype == single.score_samples(X).dtype == np.float32
    assert single.means_.dtype == np.float64
    assert single.predict(X).dtype == np.int64
    frames = pytest.importorskip("pandas")
    frame = frames.DataFrame(X, columns=["a", "b", "c"])
    named = GaussianMixture(2, **settings).fit(frame)
    assert named.feature_names_in_.tolist() == ["a", "b", "c"]
    assert "a" in str(named.summary())


@pytest.mark.parametrize("covariance_type", ["full", "tied", "diag", "VEV"])
def test_features_and_factors_agree(covariance_type, monkeypatch):
    """Both ways of the E step, by features about an origin and by factors about the means."""
    X = clouds(400, 4, 3, seed=18) + 50.0
    settings = {"covariance_type": covariance_type, "means_init": X[:3], "tol": 1e-9}
    features = GaussianMixture(3, **settings).fit(X)
    monkeypatch.setattr(em, "MAX_SQUARES_OF_FEATURES", 0.0)
    factors = GaussianMixture(3, **settings).fit(X)
    alike(factors, features, 1e-8)
    assert factors.lower_bounds_ != features.lower_bounds_  # They round in other ways.
    assert_allclose(factors.lower_bounds_, features.lower_bounds_, rtol=1e-11)


def test_far_from_the_origin():
    """Components a million deviations from the origin lose no digits that the rows have."""
    X = np.round(clouds(400, 3, 2, seed=8) * 2**20) / 2**20
    settings = {"tol": 1e-10, "reg_covar": 0.0}
    near = GaussianMixture(2, means_init=X[:2], **settings).fit(X)
    far = GaussianMixture(2, means_init=X[:2] + 2.0**20, **settings).fit(X + 2.0**20)
    assert_allclose(far.covariances_, near.covariances_, rtol=1e-8, atol=1e-9)


def test_regularization_keeps_the_constraints():
    X = clouds(200, 3, 2, seed=9)
    for name in ("EEE", "EEV", "VEI", "EII"):
        model = GaussianMixture(2, covariance_type=name, reg_covar=5.0, random_state=0).fit(X)
        variances = np.linalg.eigvalsh(covariances_of(model))
        shapes = variances / np.exp(np.log(variances).mean(axis=1, keepdims=True))
        assert_allclose(shapes[0], shapes[1], rtol=1e-6)
        assert (variances > 4.9).all() or name == "EEV"


def test_starts():
    X = clouds(300, 2, 3, seed=10)
    labels = np.arange(300) % 3  # as they were drawn
    for init in ("kmeans", "k-means++", "random", "random_from_data", labels, np.eye(3)[labels]):
        model = GaussianMixture(3, init_params=init, n_init=3, random_state=0, max_iter=500)
        assert model.fit(X).converged_
    first, again = (GaussianMixture(3, random_state=5, n_init=2).fit(X) for _ in range(2))
    alike(again, first, 0.0)
    many = GaussianMixture(3, init_params="random", n_init=8, random_state=0, max_iter=500).fit(X)
    one = GaussianMixture(3, init_params="random", random_state=0, max_iter=500).fit(X)
    assert many.lower_bound_ >= one.lower_bound_


def test_warm_start():
    X = clouds(300, 2, 3, seed=11, spread=2.0)
    model = GaussianMixture(3, warm_start=True, max_iter=3, tol=0.0, random_state=0)
    whole = GaussianMixture(3, max_iter=9, tol=0.0, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for _ in range(3):
            model.fit(X)
        whole.fit(X)
    alike(model, whole, 1e-10)


@pytest.mark.parametrize("covariance_type", ["full", "tied", "diag", "spherical", "VEV"])
def test_samples(covariance_type):
    """Moments of the samples of each component are the model's, within five standard errors."""
    X = clouds(400, 3, 2, seed=12)
    model = GaussianMixture(2, covariance_type=covariance_type, random_state=0).fit(X)
    n = 40_000
    rows, labels = model.sample(n)
    for again, first in zip(model.sample(n), (rows, labels), strict=True):
        assert_array_equal(again, first)
    assert not np.array_equal(model.sample(n, random_state=1)[0], rows)
    for k, S in enumerate(covariances_of(model)):
        mine = rows[labels == k]
        tau = model.weights_[k]
        assert abs(len(mine) / n - tau) < 5 * np.sqrt(tau * (1 - tau) / n)
        spread = np.sqrt(S.diagonal() / len(mine))
        assert (np.abs(mine.mean(axis=0) - model.means_[k]) < 5 * spread).all()
        error = np.sqrt((S**2 + np.outer(S.diagonal(), S.diagonal())) / len(mine))
        assert (np.abs(np.cov(mine.T) - S) < 5 * error).all()


def test_pickle_and_changed_attributes():
    X = clouds(100, 2, 2, seed=13)
    model = GaussianMixture(2, random_state=0).fit(X)
    back = pickle.loads(pickle.dumps(model))
    assert_array_equal(back.predict_proba(X), model.predict_proba(X))
    back.means_ = back.means_[::-1]
    back.weights_, back.precisions_cholesky_ = back.weights_[::-1], back.precisions_cholesky_[::-1]
    assert_allclose(back.predict_proba(X), model.predict_proba(X)[:, ::-1], rtol=1e-12)


def test_verbose(capsys):
    X = clouds(100, 2, 2, seed=14)
    GaussianMixture(2, random_state=0, verbose=1, verbose_interval=1).fit(X)
    assert "iteration 1: log-likelihood" in capsys.readouterr().out
    GaussianMixture(2, random_state=0).fit(X)
    assert capsys.readouterr().out == ""


def test_summary_and_pictures():
    X = load_iris().data[:, 2:]
    model = GaussianMixture(2, random_state=0).fit(X)
    text = str(model.summary())
    for word in ("Gaussian mixture of 2 component(s), model full", "ICL", "Weight", "Variances"):
        assert word in text
    pytest.importorskip("matplotlib")
    from matplotlib.figure import Figure

    from statfast.plot import density_contours, mixture_criteria

    shown = density_contours(model, X, ax=Figure().subplots())
    assert len(shown.ellipses) == 2
    assert_array_equal(shown.codes, model.predict(X))
    choice = choose_mixture(X, n_components=[1, 2], covariance_types=["EII"], random_state=0)
    assert mixture_criteria(choice, ax=Figure().subplots()).best == (2, "EII")
    assert choice.plot(ax=Figure().subplots()).scores.shape == (2, 1)
    assert choice.to_frame().shape == (2, 1)
    with pytest.raises(TypeError, match="what choose_mixture returned"):
        mixture_criteria(model)


# ------------------------------------------------------------------ what is refused or named


def test_components_that_collapse_are_named():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(60, 2)), np.full((3, 2), 40.0)])
    with pytest.raises(ValueError, match=r"Component 1 collapsed: the covariance of its 3 rows"):
        GaussianMixture(2, reg_covar=0.0, means_init=[[0.0, 0.0], [40.0, 40.0]]).fit(X)
    with pytest.warns(UserWarning, match=r"Component 1 collapsed onto 3 rows: .* reg_covar=1e-06"):
        model = GaussianMixture(2, means_init=[[0.0, 0.0], [40.0, 40.0]]).fit(X)
    assert all(np.isfinite(getattr(model, name)).all() for name in NAMES)
    with pytest.raises(ValueError, match=r"Component 2 lost all rows\. Lower n_components"):
        GaussianMixture(3, means_init=[[0.0, 0.0], [40.0, 40.0], [1e6, 1e6]]).fit(X)
    with pytest.raises(ValueError, match="constant or collinear"):
        GaussianMixture(1, reg_covar=0.0).fit(np.column_stack([X[:, 0], X[:, 0]]))
    for name in MODELS:
        flat = np.column_stack([X[:60, 0], np.zeros(60)])
        if name in ("EII", "VII"):
            assert GaussianMixture(1, covariance_type=name, reg_covar=0.0).fit(flat).converged_
        else:
            with pytest.raises(ValueError, match="Component 0 collapsed"):
                GaussianMixture(1, covariance_type=name, reg_covar=0.0).fit(flat)


def test_runs_that_collapse_are_left_out():
    X = np.concatenate([clouds(60, 2, 2, seed=15), np.full((3, 2), 1e3)])
    table = choose_mixture(X, n_components=[1, 4], covariance_types=["EII", "VVV"], random_state=0)
    assert np.isnan(table.scores["bic"][1, 1])
    assert np.isfinite(table.scores["bic"][0]).all()
    with pytest.raises(ValueError, match=r"No model could be fitted\. .* Try fewer n_components"):
        choose_mixture(X, n_components=[4], covariance_types=["VVV"], random_state=0)


def test_no_convergence_is_said():
    with pytest.warns(
        ConvergenceWarning, match=r"did not converge in max_iter=2 iterations\. Raise"
    ):
        GaussianMixture(3, max_iter=2, tol=0.0, random_state=0).fit(clouds(90, 2, 3, seed=16))


X = clouds(30, 2, 2, seed=17)


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"n_components": 0}, "n_components must be"),
        ({"n_components": 31}, r"number of rows \(30\); got 31\. Lower n_components"),
        ({"covariance_type": "EIV"}, "covariance_type must be"),
        ({"tol": -1.0}, "tol must be"),
        ({"reg_covar": -1.0}, "reg_covar must be"),
        ({"max_iter": 0}, "max_iter must be"),
        ({"n_init": 0}, "n_init must be"),
        ({"init_params": "best"}, "init_params must be"),
        ({"init_params": [0] * 29}, "a label for each of 30 rows"),
        ({"init_params": [2] * 30}, "labels from 0 to 1, one less than n_components"),
        ({"init_params": [0.5] * 30}, "labels from 0 to 1"),
        ({"init_params": np.ones((30, 2))}, "sum to 1 in each row"),
        ({"init_params": np.ones((30, 3))}, r"init_params must have shape \(30, 2\)"),
        ({"weights_init": [0.5]}, r"weights_init must have shape \(2,\)"),
        ({"weights_init": [0.9, 0.9]}, "probabilities that sum to 1"),
        ({"means_init": [[1.0, 2.0]]}, r"means_init must have shape \(2, 2\)"),
        ({"means_init": [[1.0, np.nan], [0.0, 0.0]]}, "means_init must be finite"),
        ({"precisions_init": np.eye(2)}, r"precisions_init must have shape \(2, 2, 2\)"),
        ({"precisions_init": np.ones((2, 2, 2))}, "positive definite"),
        ({"precisions_init": -np.ones(2), "covariance_type": "spherical"}, "must be positive"),
    ],
)
def test_parameters_that_are_refused(params, words):
    with pytest.raises(ValueError, match=words):
        GaussianMixture(**{"n_components": 2, **params}).fit(X)


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (X[:1], "minimum of 2"),
        (np.where(X[3, 0] == X, np.nan, X), "NaN"),
        (X * 1e200, "overflow"),
        (X[0], "2"),
        (X.astype(complex), "omplex"),
    ],
)
def test_rows_that_are_refused(rows, words):
    with pytest.raises(ValueError, match=words):
        GaussianMixture(1).fit(rows)


def test_calls_that_are_refused():
    with pytest.raises(ValueError, match="not fitted"):
        GaussianMixture().predict(X)
    with pytest.raises(ValueError, match="not fitted"):
        GaussianMixture().sample()
    model = GaussianMixture(2, random_state=0).fit(X)
    with pytest.raises(ValueError, match="n_samples must be"):
        model.sample(0)
    with pytest.raises(ValueError, match="features"):
        model.score_samples(X[:, :1])
    with pytest.raises(ValueError, match="NaN"):
        model.predict(np.full((1, 2), np.nan))
    with pytest.raises(ValueError, match="sample_weight"):
        model.score(X, sample_weight=[1.0])
    with pytest.raises(ValueError, match="for rows that are not in memory"):
        GaussianMixture(2, init_params="random").fit(Parts([X[:15], X[15:]]))
    with pytest.raises(TypeError, match="rows in memory"):
        choose_mixture(Chunks([X]))
    for wrong, words in (
        ({"n_components": []}, "at least one"), ({"n_components": [99]}, "number of rows"),
        ({"covariance_types": ["XYZ"]}, "covariance_types"), ({"criterion": "best"}, "criterion"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=words):
            choose_mixture(X, **wrong)
    with pytest.raises(TypeError, match="several numbers"):
        choose_mixture(X, n_components=3)
    with pytest.raises(TypeError, match="a list of models"):
        choose_mixture(X, covariance_types="EEE")


def test_coefficients_that_overflow_are_not_used_and_not_warned_of():
    X = np.full((28, 4), 1e153)  # over variances of reg_covar
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        model = GaussianMixture().fit(X)
    np.testing.assert_allclose(model.means_, X[:1])
    assert np.isfinite(model.score(X))


@pytest.mark.parametrize("weights", [[], [0.5, 0.5]])
def test_changed_weights_that_do_not_fit_are_refused(weights):
    model = GaussianMixture(1).fit(np.arange(8.0)[:, None] ** [1, 2])
    model.weights_ = np.array(weights)
    with pytest.raises(ValueError, match=r"weights_ must have a number for each row of means_"):
        model.predict_proba([[0.0, 1.0]])
