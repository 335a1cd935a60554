# SPDX-License-Identifier: BSD-3-Clause
"""k-modes and k-prototypes: the steps against a twin, starts, weights, gaps, kinds of tables."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statfast import ConvergenceWarning, KModes, KPrototypes
from tests.reference import prototypes as twin

WORDS = np.array(["ash", "elm", "fir", "oak", "yew"], dtype=object)


def mixed(n, seed, gaps=0.0):
    """Rows of two columns of words and two of numbers, in three groups."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 3, n)
    X = np.empty((n, 4), dtype=object)
    for j in (0, 2):
        own = rng.integers(0, 5, 3)[group]
        X[:, j] = WORDS[np.where(rng.random(n) < 0.3, rng.integers(0, 5, n), own)]
    for j in (1, 3):
        X[:, j] = (rng.normal(size=3) * 3)[group] + rng.normal(size=n)
    X[rng.random(X.shape) < gaps] = None
    X[0] = ["ash", 0.5, "elm", 1.5]
    return X


CATEGORICAL = [True, False, True, False]


@pytest.mark.parametrize("metric", ["huang", "gower"])
@pytest.mark.parametrize("gaps", [0.0, 0.2])
@given(seed=st.integers(0, 10**6))
def test_the_answer_is_a_fixed_point_of_the_twin(metric, gaps, seed):
    X, rng = mixed(40, seed, gaps), np.random.default_rng(seed)
    weights = rng.integers(0, 4, 40).astype(float)
    weights[:4] = 1.0
    model = KPrototypes(3, metric=metric, init="k-means++", random_state=seed)
    model.fit(X, sample_weight=weights)
    ranges = None
    if metric == "gower":
        kept = X[weights > 0]
        ranges = [
            0.0 if CATEGORICAL[j] else np.ptp([v for v in kept[:, j] if v is not None])
            for j in range(4)
        ]
    centers = model.cluster_centroids_.tolist()
    labels, nearest = twin.assigned(X.tolist(), centers, CATEGORICAL, model.gamma_, ranges)
    own = [
        twin.dissimilarity(row, centers[c], CATEGORICAL, model.gamma_, ranges)
        for row, c in zip(X.tolist(), model.labels_, strict=True)
    ]
    np.testing.assert_allclose(own, nearest, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(model.cost_, (nearest * weights).sum(), rtol=1e-9)
    assert (model.predict(X) == model.labels_).all()
    before = model.cost_
    for c in range(3):
        members = model.labels_ == c
        moved = twin.center_of(
            X[members].tolist(), weights[members], centers[c], CATEGORICAL, ranges
        )
        cost = sum(
            w * twin.dissimilarity(row, moved, CATEGORICAL, model.gamma_, ranges)
            for row, w in zip(X[members].tolist(), weights[members], strict=True)
        )
        before -= cost
    assert abs(before) <= 1e-9 * max(1.0, model.cost_)  # no center can move for the better
    assert (labels == model.labels_).mean() > 0.9  # where rounding does not decide


@given(seed=st.integers(0, 10**6))
def test_modes_of_every_kind_of_value(seed):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 5, (60, 3))
    words = WORDS[codes]
    fitted = [
        KModes(3).fit(table)
        for table in (
            words, codes, codes.astype(np.float32), codes.astype(np.uint8), words.astype(str),
            words.tolist(), pd.DataFrame(words), pd.DataFrame(words).astype("category"),
            pl.DataFrame(words.astype(str)),
            pl.DataFrame(words.astype(str)).with_columns(pl.all().cast(pl.Categorical)),
        )
    ]  # fmt: skip
    for model in fitted:
        assert (model.labels_ == fitted[0].labels_).all()
        assert model.cost_ == fitted[0].cost_
    assert (WORDS[fitted[1].cluster_centroids_] == fitted[0].cluster_centroids_).all()
    assert fitted[1].cluster_centroids_.dtype.kind == "i"
    np.testing.assert_array_equal(fitted[7].predict(words), fitted[0].labels_)


def test_modes_by_hand_and_ties():
    X = [["b", "x"], ["a", "x"], ["b", "y"], ["a", "y"]]
    model = KModes(1).fit(X)
    assert model.cluster_centroids_.tolist() == [["a", "x"]]  # the lowest of equals
    assert model.cost_ == 4.0
    model = KModes(2, init=[["a", "x"], ["b", "y"]]).fit([["a", "y"], ["a", "x"], ["b", "y"]])
    assert model.labels_.tolist() == [0, 0, 1]  # the first row is as near to either
    assert KModes(2, init=[["b", "y"], ["a", "x"]]).fit(X).predict([["q", "q"]]).tolist() == [0]


def test_cao_starts_as_in_the_paper():
    """The densest row first, then the greatest product of density and distance."""
    X = [["a", "x"]] * 3 + [["b", "y"]] * 2 + [["a", "y"]]
    model = KModes(2, max_iter=1).fit(X)
    # Densities: (4/6 + 3/6) / 2 of the first, as of ("a", "y"); the first wins. The product is
    # 2 (2/6 + 3/6) / 2 of ("b", "y") and 1 (4/6 + 3/6) / 2 of ("a", "y").
    assert model.cluster_centroids_.tolist() == [["a", "x"], ["b", "y"]]


@pytest.mark.parametrize("init", ["cao", "huang", "k-means++", "random"])
@pytest.mark.parametrize("metric", ["huang", "gower"])
def test_threads_and_repeated_fits_give_the_same_bits(init, metric):
    X = mixed(5000, 3, gaps=0.1)
    models = [
        KPrototypes(4, init=init, metric=metric, n_init=2 if init != "cao" else 1,
                    random_state=5, n_jobs=threads).fit(X)
        for threads in (1, 2, 7)
    ]  # fmt: skip
    for model in models[1:]:
        assert (model.labels_ == models[0].labels_).all()
        assert model.cost_ == models[0].cost_
        assert (model.cluster_centroids_ == models[0].cluster_centroids_).all()


@pytest.mark.parametrize("metric", ["huang", "gower"])
def test_a_weight_is_a_repeated_row_and_none_is_one(metric):
    X = mixed(60, 4, gaps=0.1)
    times = np.random.default_rng(4).integers(0, 4, 60)
    times[:3] = 1
    a = KPrototypes(3, metric=metric, gamma=0.7).fit(X, sample_weight=times)
    b = KPrototypes(3, metric=metric, gamma=0.7).fit(np.repeat(X, times, axis=0))
    assert (np.repeat(a.labels_, times) == b.labels_).all()
    np.testing.assert_allclose(a.cost_, b.cost_, rtol=1e-12)
    ones = KPrototypes(3, metric=metric).fit(X, sample_weight=np.ones(60))
    assert ones.cost_ == KPrototypes(3, metric=metric).fit(X).cost_
    scaled = KPrototypes(3, metric=metric, gamma=0.7).fit(X, sample_weight=4.0 * times)
    assert (scaled.labels_ == a.labels_).all()
    np.testing.assert_allclose(scaled.cost_, 4 * a.cost_, rtol=1e-12)


def test_gamma_is_half_the_mean_deviation():
    X = mixed(50, 6)
    deviations = [np.std(X[:, j].astype(float)) for j in (1, 3)]
    np.testing.assert_allclose(KPrototypes(2).fit(X).gamma_, np.mean(deviations) / 2)
    assert KPrototypes(2, metric="gower").fit(X).gamma_ == 1.0
    assert KPrototypes(2).fit([["a", 1.0], ["b", 1.0]]).gamma_ == 1.0
    assert KPrototypes(1, gamma=0.0).fit([["a", 1.0], ["b", 3.0]]).cost_ == 2.0


def test_of_numbers_alone_it_is_lloyds_algorithm():
    from statfast import KMeans

    X = np.random.default_rng(0).normal(size=(300, 4))
    start = X[[3, 77, 200]]
    model = KPrototypes(3, init=start).fit(X)
    other = KMeans(3, init=start, tol=0).fit(X)
    assert (model.labels_ == other.labels_).all()
    np.testing.assert_allclose(model.cost_, other.inertia_)
    np.testing.assert_allclose(model.cluster_centroids_, other.cluster_centers_)
    assert model.cluster_centroids_.dtype == np.float64


def test_which_columns_are_categories():
    X = pd.DataFrame({"a": [1, 1, 2, 2], "b": [0.5, 0.6, 7.0, 7.1], "c": list("xxyy")})
    from_dtype = KPrototypes(2, random_state=0).fit(X)
    named = KPrototypes(2, random_state=0, categorical_features=["a", "c"]).fit(X)
    assert from_dtype.cluster_centroids_[0, 0] == named.cluster_centroids_[0, 0] == 1
    np.testing.assert_allclose(from_dtype.gamma_, (0.5 + X["b"].std(ddof=0)) / 4)
    np.testing.assert_allclose(named.gamma_, X["b"].std(ddof=0) / 2)
    flags = pd.DataFrame({"f": [True, False, True], "x": [1.0, 2.0, 3.0]})
    np.testing.assert_allclose(KPrototypes(2).fit(flags).gamma_, np.std([1, 2, 3]) / 2)
    with pytest.raises(ValueError, match="not a column of X"):
        KPrototypes(2, categorical_features=["q"]).fit(X)
    with pytest.raises(ValueError, match="not categorical"):
        KPrototypes(2, categorical_features=[0]).fit(X)


def test_wide_codes_equal_narrow_ones():
    """Columns of more than 254 categories have codes of four bytes."""
    rng = np.random.default_rng(1)
    X = rng.integers(0, 4, (600, 3))
    wide = np.column_stack([X, np.arange(600) % 300])
    narrow = np.column_stack([X, np.arange(600) % 200])
    for table in (wide, narrow):
        model = KModes(3).fit(table)
        cost = (table[:, None] != model.cluster_centroids_[None]).sum(axis=2)
        assert (cost.argmin(axis=1) == model.labels_).all()
        assert cost.min(axis=1).sum() == model.cost_
    gappy = wide.astype(float)
    gappy[::7, 3] = np.nan
    model = KModes(3).fit(gappy)
    unequal = (gappy[:, None] != model.cluster_centroids_[None]) & ~np.isnan(gappy)[:, None]
    assert unequal.sum(axis=2).min(axis=1).sum() == model.cost_


@pytest.mark.parametrize("gap", [None, np.nan, pd.NA, float("nan")])
def test_missing_values_agree_with_all(gap):
    X = [["a", "x"], ["a", gap], ["b", "y"], [gap, "y"], [gap, gap]]
    model = KModes(2).fit(X)
    assert model.cost_ == 0.0
    assert model.labels_[4] == 0
    assert model.labels_[0] == model.labels_[1] != model.labels_[2] == model.labels_[3]


def test_fewer_distinct_rows_than_clusters():
    with pytest.warns(ConvergenceWarning, match="Only 2 of 3 clusters"):
        model = KModes(3).fit([["a"], ["b"], ["a"], ["b"]])
    assert model.cost_ == 0.0


def test_empty_clusters_take_far_rows():
    X = [["a", "x"], ["a", "x"], ["b", "y"], ["c", "z"]]
    model = KModes(3, init=[["a", "x"], ["a", "x"], ["a", "x"]]).fit(X)
    assert model.cost_ == 0.0
    assert model.labels_.tolist() == [0, 0, 1, 2]


@pytest.mark.parametrize(
    ("X", "parameters", "message"),
    [
        ([["a"], ["b"]], {"n_clusters": 3}, "number of rows"),
        ([["a", None], ["b", None]], {}, "no value in column 1"),
        ([["a"], ["b"]], {"init": [["a"]]}, r"init must have shape \(2, 1\)"),
        ([["a"], ["b"]], {"init": [["a"], ["q"]]}, "categories that X has"),
        ([["a"], ["b"]], {"init": "best"}, "init"),
        ([["a"], [np.inf]], {}, "one type|infinity"),
        ([[1.0], [np.inf]], {}, "infinity"),
        (np.empty((0, 2)), {}, "0 sample"),
        (["a", "b"], {}, "Expected 2D"),
    ],
)
def test_what_is_refused(X, parameters, message):
    with pytest.raises((ValueError, TypeError), match=message):
        KModes(**{"n_clusters": 2, **parameters}).fit(X)


def test_categories_of_several_types_are_refused():
    with pytest.raises(TypeError, match="one type"):
        KModes(1).fit(np.array([["a"], [1]], dtype=object))


@pytest.mark.parametrize("metric", ["huang", "gower"])
def test_huge_numbers_are_refused(metric):
    X = [["a", 1e308], ["b", -1e308], ["a", 1.0]]
    with pytest.raises(ValueError, match="overflow"):
        KPrototypes(1, metric=metric).fit(X)


def test_repeated_runs_of_a_fixed_start_warn():
    with pytest.warns(UserWarning, match="one is made"):
        KModes(2, n_init=3).fit([["a"], ["b"], ["b"]])
