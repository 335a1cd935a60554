# SPDX-License-Identifier: BSD-3-Clause
"""Canberra, Bray-Curtis, Euclidean distance with gaps, and Gower's dissimilarity: the definitions
in plain Python, what R's cluster::daisy gives, and all that takes a metric."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster import hierarchy
from scipy.spatial.distance import cdist, squareform

import statfast
from statfast import CLARA, AgglomerativeClustering, KMedoids, NearestNeighbors, linkage
from statfast.metrics import silhouette_samples, silhouette_score
from tests.reference import metrics as twin

# R's cluster::flower (Struyf, Hubert, Rousseeuw 1997), the columns V1 to V8.
FLOWER = np.array(
    [
        [0, 1, 1, 4, 3, 15, 25, 15], [1, 0, 0, 2, 1, 3, 150, 50], [0, 1, 0, 3, 3, 1, 150, 50],
        [0, 0, 1, 4, 2, 16, 125, 50], [0, 1, 0, 5, 2, 2, 20, 15], [0, 1, 0, 4, 3, 12, 50, 40],
        [0, 0, 0, 4, 3, 13, 40, 20], [0, 0, 1, 2, 2, 7, 100, 15], [1, 1, 0, 3, 1, 4, 25, 15],
        [1, 1, 0, 5, 2, 14, 100, 60], [1, 1, 1, 5, 3, 8, 45, 10], [1, 1, 1, 1, 2, 9, 90, 25],
        [1, 1, 0, 1, 2, 6, 20, 10], [1, 1, 1, 4, 2, 11, 80, 30], [1, 0, 0, 3, 2, 10, 40, 20],
        [1, 0, 0, 4, 2, 18, 200, 60], [1, 0, 0, 2, 2, 17, 150, 60], [0, 0, 1, 2, 1, 5, 25, 10],
    ],
    dtype=float,
)  # fmt: skip
# Two rows of its tests, with gaps (NA), and what daisy(type=) says of them.
NA = np.nan
D5 = np.array(
    [
        [0, NA, 0, 1, 1], [0, 0, 1, 1, NA], [0, 1, 1, 0, 0], [1, 1, 0, 1, 1], [0, 0, 1, 0, 0],
        [0, 1, NA, 0, 0], [0, 0, 1, 0, 0], [0, 1, 0, 0, 0], [1, 0, 1, 0, NA], [0, 1, 0, 1, 1],
        [NA, 0, NA, 0, 1],
    ]
)  # fmt: skip


def flower():
    pd = pytest.importorskip("pandas")
    names = [f"V{j}" for j in range(1, 9)]
    table = pd.DataFrame(FLOWER, columns=names)
    for name in names[:6]:
        table[name] = pd.Categorical(table[name].astype(int), ordered=name in ("V5", "V6"))
    return table


# ---------------------------------------------------------------- definitions
def canberra(a, b):
    return sum(abs(x - y) / (abs(x) + abs(y)) for x, y in zip(a, b, strict=True) if x or y)


def braycurtis(a, b):
    below = sum(abs(x + y) for x, y in zip(a, b, strict=True))
    return sum(abs(x - y) for x, y in zip(a, b, strict=True)) / below if below else 0.0


def nan_euclidean(a, b):
    both = [(x, y) for x, y in zip(a, b, strict=True) if x == x and y == y]
    return np.sqrt(len(a) / len(both) * sum((x - y) ** 2 for x, y in both))


def gower(a, b, kinds, ranges, weights):
    above = below = 0.0
    for x, y, kind, width, w in zip(a, b, kinds, ranges, weights, strict=True):
        if x is None or y is None or x != x or y != y:
            continue
        if kind == "asymmetric" and not (x or y):
            continue
        if kind in ("nominal", "asymmetric") or width == 0:
            part = float(x != y)
        else:
            part = abs(x - y) / width
        above, below = above + w * part, below + w
    return above / below if below else 0.0


def of_sets(formula):
    def distance(a, b):
        first, second = [x != 0 for x in a], [x != 0 for x in b]
        pairs = list(zip(first, second, strict=True))
        both, none = pairs.count((True, True)), pairs.count((False, False))
        above, below = formula(both, pairs.count((True, False)), pairs.count((False, True)), none)
        return above / below if below else 0.0

    return distance


SETS = {
    "dice": of_sets(lambda c, a, b, e: (a + b, 2 * c + a + b)),
    "yule": of_sets(lambda c, a, b, e: (2 * a * b, c * e + a * b)),
    "russellrao": of_sets(lambda c, a, b, e: (a + b + e, a + b + c + e)),
    "rogerstanimoto": of_sets(lambda c, a, b, e: (2 * (a + b), c + e + 2 * (a + b))),
    "sokalmichener": of_sets(lambda c, a, b, e: (2 * (a + b), c + e + 2 * (a + b))),
    "sokalsneath": of_sets(lambda c, a, b, e: (2 * (a + b), c + 2 * (a + b))),
}


def jensenshannon(a, b, base=np.e):
    total = 0.0
    for x, y in zip(np.divide(a, sum(a)), np.divide(b, sum(b)), strict=True):
        m = (x + y) / 2
        total += (x * np.log(x / m) if x else 0.0) + (y * np.log(y / m) if y else 0.0)
    return np.sqrt(max(total, 0.0) / 2 / np.log(base))


def table_of(function, A, B):
    return np.array([[function(a, b) for b in B] for a in A])


def distances(metric, X, Q=None, **more):
    """All distances, by a search for all rows."""
    model = NearestNeighbors(n_neighbors=len(X), metric=metric, **more).fit(X)
    found, ids = model.kneighbors(X if Q is None else Q)
    out = np.empty_like(found)
    np.put_along_axis(out, ids, found, 1)
    return out


numbers = st.integers(-3, 9).map(lambda number: number / 2)


@st.composite
def rows(draw, gaps=False):
    n, d = draw(st.integers(2, 12)), draw(st.integers(1, 9))
    X = np.array(draw(st.lists(st.lists(numbers, min_size=d, max_size=d), min_size=n, max_size=n)))
    if gaps:
        lost = np.random.default_rng(draw(st.integers(0, 99))).random(X.shape) < 0.3
        lost[:, 0] = False
        X[lost] = np.nan
    return X


@given(rows())
def test_canberra_and_braycurtis_are_their_definitions(X):
    np.testing.assert_allclose(distances("canberra", X), table_of(canberra, X, X), atol=1e-12)
    X = np.abs(X)
    np.testing.assert_allclose(distances("braycurtis", X), table_of(braycurtis, X, X), atol=1e-12)


@given(rows())
def test_distances_of_sets_are_their_definitions(X):
    X = X * (X > 1)
    for name, function in SETS.items():
        np.testing.assert_allclose(distances(name, X), table_of(function, X, X), rtol=1e-15)


@given(rows(), st.sampled_from([None, 2.0, 10.0]))
def test_jensenshannon_is_its_definition(X, base):
    X = np.abs(X) + (np.arange(X.shape[1]) == 0)
    found = distances("jensenshannon", X, metric_params={"base": base})
    expected = table_of(lambda a, b: jensenshannon(a, b, base or np.e), X, X)
    np.testing.assert_allclose(found, expected, atol=3e-8)  # the definition cancels near 0
    assert (found <= np.sqrt(np.log(2) / np.log(base or np.e)) * (1 + 1e-15)).all()


def test_jensenshannon_of_near_rows_and_of_any_scale():
    """Shares that differ by h: the divergence is h^2 times the mean of 1 / (8 p), nearly."""
    X = np.array([[0.5, 0.5], [0.5 + 1e-9, 0.5 - 1e-9], [1.0, 0.0], [0.0, 3.0]])
    D = distances("jensenshannon", X)
    np.testing.assert_allclose(D[0, 1], 1e-9 / np.sqrt(2), rtol=1e-6)
    np.testing.assert_allclose(D[2, 3], np.sqrt(np.log(2)), rtol=1e-15)
    assert not D.diagonal().any()
    for scale in (2.0**-990, 2.0**990):
        np.testing.assert_array_equal(distances("jensenshannon", X * scale), D)


@given(rows(), st.sampled_from([0.25, 0.5, 0.9]), st.booleans())
def test_minkowski_below_1_is_its_definition(X, p, weighted):
    weights = np.arange(X.shape[1]) % 3 + 1.0 if weighted else np.ones(X.shape[1])
    found = distances("minkowski", X, p=p, metric_params={"w": weights} if weighted else None)
    terms = weights * np.abs(X[:, None] - X) ** p
    np.testing.assert_allclose(found, terms.sum(axis=2) ** (1 / p), rtol=1e-12)


@given(rows(gaps=True))
def test_nan_euclidean_is_its_definition(X):
    expected = table_of(nan_euclidean, X, X)
    np.testing.assert_allclose(distances("nan_euclidean", X), expected, atol=1e-12)


@given(rows(gaps=True), st.data())
def test_gower_is_its_definition(X, data):
    d = X.shape[1]
    kinds = [data.draw(st.sampled_from(["numeric", "nominal", "asymmetric"])) for _ in range(d)]
    weights = [data.draw(st.sampled_from([0.0, 0.5, 1.0, 3.0])) for _ in range(d)]
    kinds[0], weights[0] = "numeric", 1.0  # which all rows have
    for j, kind in enumerate(kinds):
        if kind == "asymmetric":
            X[:, j] = np.where(np.isnan(X[:, j]), np.nan, X[:, j] > 1)
    ranges = np.nan_to_num(np.fmax.reduce(X, axis=0) - np.fmin.reduce(X, axis=0))
    expected = table_of(lambda a, b: gower(a, b, kinds, ranges, weights), X, X)
    found = distances("gower", X, metric_params={"kinds": kinds, "w": weights})
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_weights_count_columns_as_often():
    X = np.abs(np.random.default_rng(0).standard_normal((30, 3)))
    twice = X[:, [0, 1, 1, 2, 2, 2]]
    for metric in ("canberra", "braycurtis", "gower"):
        found = distances(metric, X, metric_params={"w": [1, 2, 3]})
        np.testing.assert_allclose(found, distances(metric, twice), atol=1e-12)


# ---------------------------------------------------------------- known answers
@pytest.mark.parametrize(
    ("kinds", "column", "values"),
    [
        (
            None,
            [0.8875408, 0.5272467, 0.3517974, 0.4115605, 0.2269199],
            {(16, 1): 0.1904412, (17, 7): 0.1417892, (17, 15): 0.7796160},
        ),
        (
            {"V3": "asymmetric"},
            [0.8875408, 0.5272467, 0.3517974, 0.4115605, 0.2269199],
            {(4, 2): 0.4258637, (16, 1): 0.2176471, (16, 15): 0.1909430, (13, 9): 0.3609477},
        ),
        (
            {0: "asymmetric", 2: "asymmetric", "V7": "ordinal"},
            [0.9007353, 0.6176471, 0.4226891, 0.4806723, 0.2823529],
            {(4, 2): 0.5264706, (16, 15): 0.1655462, (17, 2): 0.8336134, (13, 9): 0.3720588},
        ),
        (
            {"V1": "asymmetric", "V2": "asymmetric", "V3": "asymmetric"},
            [0.8875408, 0.6025677, 0.4020542, 0.4703548, 0.2593371],
            {(6, 1): 0.7998911, (16, 15): 0.2227669, (17, 15): 0.8909897},
        ),
    ],
)
def test_gower_is_that_of_daisy(kinds, column, values):
    """daisy(flower), and with type = list(asymm = 3), (asymm = c(1, 3), ordratio = 7), 1:3."""
    found = distances("gower", flower(), metric_params={"kinds": kinds})
    np.testing.assert_allclose(found[1:6, 0], column, atol=6e-8)
    for place, value in values.items():
        np.testing.assert_allclose(found[place], value, atol=6e-8)


def test_gaps_are_those_of_daisy():
    """daisy(d5, type = list(symm = 1:2, asymm = 3:5)), and its Euclidean distance with gaps."""
    found = distances("gower", D5, metric_params={"kinds": ["nominal"] * 2 + ["asymmetric"] * 3})
    second = [1 / 3, 0, 1 / 2, 3 / 4, 1 / 4, 2 / 3, 1 / 4, 3 / 4, 1 / 2, 1 / 2, 1 / 2]
    np.testing.assert_allclose(found[1], second, atol=1e-12)
    last = [1 / 2, 1 / 2, 1, 2 / 3, 1 / 2, 1, 1 / 2, 1, 0, 2 / 3, 0]
    np.testing.assert_allclose(found[10], last, atol=1e-12)
    third = [1.936492, 1.581139, 0, 2, 1, 0, 1, 1, 1.581139, 1.732051, 1.825742]
    np.testing.assert_allclose(distances("nan_euclidean", D5)[2], third, atol=6e-7)
    none = distances("gower", D5, metric_params={"kinds": ["asymmetric"] * 5})
    assert none[10, 8] == 0  # neither has any: NA in R, and 0 as Jaccard distance here
    np.testing.assert_allclose(none[9, :4], [0, 2 / 3, 3 / 4, 1 / 4], atol=1e-12)


def test_peers():
    peers = pytest.importorskip("sklearn.metrics.pairwise")
    rng = np.random.default_rng(1)
    X, Q = rng.random((200, 5)), rng.random((20, 5))
    for metric in ("canberra", "braycurtis", "nan_euclidean"):
        if metric == "nan_euclidean":
            X[rng.random(X.shape) < 0.2] = np.nan
            X = X[~np.isnan(X).all(axis=1)]
        expected = peers.pairwise_distances(Q, X, metric=metric)
        np.testing.assert_allclose(distances(metric, X, Q), expected, atol=1e-12)


def test_peers_of_sets_and_shares():
    peers = pytest.importorskip("sklearn.metrics.pairwise")
    rng = np.random.default_rng(1)
    X, Q = (rng.random((m, 7)) < 0.5 for m in (60, 20))
    X, Q = X[X.any(axis=1)], Q[Q.any(axis=1)]
    for metric in ("dice", "yule", "russellrao", "rogerstanimoto", "sokalsneath"):
        expected = peers.pairwise_distances(Q, X, metric=metric)
        np.testing.assert_allclose(distances(metric, X, Q), expected, atol=1e-15)
        np.testing.assert_allclose(distances(metric, X, Q), cdist(Q, X, metric), atol=1e-15)
    X, Q = rng.random((60, 7)), rng.random((20, 7))
    np.testing.assert_allclose(
        distances("jensenshannon", X, Q), cdist(Q, X, "jensenshannon"), rtol=1e-12
    )
    expected = peers.pairwise_distances(Q, X, metric="minkowski", p=0.5)
    np.testing.assert_allclose(distances("minkowski", X, Q, p=0.5), expected, rtol=1e-12)


def test_a_row_may_be_far_from_itself():
    """By Russell and Rao's distance, which is refused where a row and itself are a pair."""
    X = (np.random.default_rng(0).random((40, 9)) < 0.5) * 1.0
    D = cdist(X > 0, X > 0, "russellrao")
    assert D.diagonal().min() > 0
    np.testing.assert_allclose(distances("russellrao", X), D, rtol=1e-15)
    for call in (
        lambda metric: KMedoids(3, metric=metric).fit(X),
        lambda metric: KMedoids(3, metric=metric, matrix_free=True).fit(X),
        lambda metric: CLARA(3, metric=metric).fit(X),
        lambda metric: silhouette_samples(X, np.arange(40) % 3, metric=metric),
        lambda metric: linkage(X, "average", metric=metric),
    ):
        with pytest.raises(ValueError, match="'russellrao' puts a row at a distance from itself"):
            call("russellrao")
        call("dice")


# ---------------------------------------------------------------- who takes them
def problem(metric):
    rng = np.random.default_rng(2)
    X = rng.random((180, 4)) + (np.arange(180) % 3)[:, None]
    if metric in ("nan_euclidean", "gower"):
        X[rng.random(X.shape) < 0.1] = np.nan
        X[np.isnan(X).all(axis=1), 0] = 1.0
        X[:, 0] = np.where(np.isnan(X[:, 0]), 1.5, X[:, 0])
    return X


METRICS = ["canberra", "braycurtis", "nan_euclidean", "gower", "jensenshannon"]


@pytest.mark.parametrize("metric", METRICS)
def test_all_that_takes_a_metric_agrees_with_the_table(metric):
    X = problem(metric)
    D = distances(metric, X)
    np.testing.assert_array_equal(D, D.T)
    assert not D.diagonal().any()
    model = NearestNeighbors(n_neighbors=6, metric=metric).fit(X)
    expected = twin.nearest(D, 6, itself=True)
    for found, wanted in zip(model.kneighbors(), expected, strict=True):
        np.testing.assert_array_equal(found, wanted)
    radius = float(np.median(expected[0]))
    found = model.radius_neighbors(X, radius, sort_results=True)
    _, apart, ids = twin.within(D, radius)
    np.testing.assert_array_equal(np.concatenate(found[0]), apart)
    np.testing.assert_array_equal(np.concatenate(found[1]), ids)
    for method in ("single", "average"):
        ours = linkage(X, method, metric=metric)
        theirs = hierarchy.linkage(squareform(D), method)
        np.testing.assert_allclose(ours[:, 2], theirs[:, 2], rtol=1e-10)
    labels = AgglomerativeClustering(3, metric=metric, linkage="average").fit_predict(X)
    given = {"metric": "precomputed"}
    np.testing.assert_allclose(
        silhouette_samples(X, labels, metric=metric), silhouette_samples(D, labels, **given),
        atol=1e-12,
    )  # fmt: skip
    assert silhouette_score(X, labels, metric=metric, sample_size=50, random_state=0) > -1
    ours = KMedoids(3, metric=metric, random_state=0).fit(X)
    theirs = KMedoids(3, random_state=0, **given).fit(D)
    np.testing.assert_array_equal(ours.medoid_indices_, theirs.medoid_indices_)
    np.testing.assert_array_equal(ours.predict(X), ours.labels_)
    np.testing.assert_allclose(ours.transform(X), D[:, ours.medoid_indices_], atol=1e-12)
    free = KMedoids(3, metric=metric, matrix_free=True, random_state=0).fit(X)
    np.testing.assert_array_equal(free.labels_, ours.labels_)
    large = CLARA(3, metric=metric, random_state=0).fit(X)
    np.testing.assert_array_equal(large.predict(X), large.labels_)
    chosen = statfast.choose_n_clusters(X, ks=[2, 3], method="kmedoids", metric=metric)
    assert chosen.recommended in (2, 3)
    y = np.arange(len(X)) % 3
    vote = statfast.KNeighborsClassifier(5, metric=metric).fit(X, y)
    by_table = statfast.KNeighborsClassifier(5, **given).fit(D, y)
    np.testing.assert_array_equal(vote.predict(X), by_table.predict(D))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(vote)).predict(X), vote.predict(X))


@pytest.mark.parametrize("metric", METRICS)
def test_the_same_bits_on_threads_and_layouts(metric):
    X = problem(metric)
    expected = NearestNeighbors(7, metric=metric, n_jobs=1).fit(X).kneighbors()
    wide = np.full((2 * len(X), 8), 9.0)
    wide[::2, ::2] = X
    layouts = [np.asfortranarray(X), wide[::2, ::2], X[::-1].copy()[::-1], X.tolist()]
    for jobs, some in [(2, X), (7, X), *((1, layout) for layout in layouts)]:
        found = NearestNeighbors(7, metric=metric, n_jobs=jobs).fit(some).kneighbors()
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_array_equal(a, b)
    single = X.astype(np.float32)
    np.testing.assert_array_equal(
        distances(metric, single), distances(metric, single.astype(np.float64))
    )


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e160, 5e306])
def test_extreme_scales(scale):
    X = problem("canberra")
    for metric in ("canberra", "braycurtis", "gower"):
        np.testing.assert_allclose(distances(metric, X * scale), distances(metric, X), rtol=1e-9)
    found = distances("nan_euclidean", X * scale)
    np.testing.assert_allclose(found, distances("nan_euclidean", X) * scale, rtol=1e-9)


# ---------------------------------------------------------------- tables of several kinds
def test_frames_give_the_kinds_of_columns():
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame(
        {
            "height": [1.0, 2.0, np.nan, 5.0],
            "color": ["red", None, "blue", "red"],
            "size": pd.Categorical(["s", "m", "l", "m"], ["s", "m", "l"], ordered=True),
            "open": [True, False, True, True],
        }
    )
    plain = [(1.0, "red", 0, True), (2.0, None, 1, False), (None, "blue", 2, True)]
    plain.append((5.0, "red", 1, True))
    kinds, ranges = ["numeric", "nominal", "numeric", "nominal"], [4.0, 0, 2, 0]
    expected = table_of(lambda a, b: gower(a, b, kinds, ranges, [1] * 4), plain, plain)
    np.testing.assert_allclose(distances("gower", table), expected, atol=1e-15)
    objects = np.array([[row[0], row[1], row[2], row[3]] for row in plain], dtype=object)
    np.testing.assert_allclose(distances("gower", objects), expected, atol=1e-15)
    query = table.iloc[[1]].assign(color="green", height=9.0)  # a color that is new, beyond range
    row = (9.0, "green", 1, False)
    expected = table_of(lambda a, b: gower(a, b, kinds, ranges, [1] * 4), [row], plain)
    np.testing.assert_allclose(distances("gower", table, query), expected, atol=1e-15)
    polars = pytest.importorskip("polars")
    other = polars.DataFrame({"a": [1.0, None, 3.0], "b": ["x", "y", None]})
    expected = [[0, 1, 1], [1, 0, np.nan], [1, np.nan, 0]]
    with pytest.raises(ValueError, match="no column in which both have a value"):
        distances("gower", other)
    np.testing.assert_allclose(distances("gower", other[:2]), [r[:2] for r in expected[:2]])


def test_ranges_may_be_given():
    X = np.array([[0.0, 1.0], [2.0, 3.0]])
    found = distances("gower", X, metric_params={"ranges": [4.0, 8.0]})
    np.testing.assert_allclose(found, [[0, 0.375], [0.375, 0]])


def fit(X, metric="gower", **params):
    return NearestNeighbors(2, metric=metric, metric_params=params or None).fit(X)


TABLE = np.array([[1.0, 0.0], [2.0, 1.0], [4.0, 1.0]])


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: fit(TABLE, kinds=["numeric"]), ValueError, "a word for each of 2 columns; got 1"),
        (lambda: fit(TABLE, kinds=["numeric", "odd"]), ValueError, "got 'odd' for column 1"),
        (lambda: fit(TABLE, kinds={"a": "nominal"}), ValueError, "'a', which is not a column"),
        (lambda: fit(TABLE, kinds={2: "nominal"}), ValueError, "a number from 0 to 1"),
        (lambda: fit(TABLE, kinds=3), TypeError, "kinds'] must be"),
        (lambda: fit(TABLE, kinds=["asymmetric"] * 2), ValueError, "must hold 0 and 1"),
        (lambda: fit(TABLE, w=[0.0, 0.0]), ValueError, "zero for every column"),
        (lambda: fit(TABLE, w=[10**400, 1]), TypeError, "must be an array of shape"),
        (lambda: fit(TABLE, ranges=[0.0, 1.0]), ValueError, "must be positive"),
        (lambda: fit(TABLE, p=2), ValueError, "may hold 'kinds' and 'ranges' and 'w'"),
        (lambda: fit([[np.inf, 1.0]]), ValueError, "infinity"),
        (lambda: fit([[1e308, 1.0], [-1e308, 1.0]]), ValueError, "range of column 0 of X overf"),
        (lambda: fit([["a", 1], [2, 1]]), TypeError, "of one type in column 0"),
        (
            lambda: fit(TABLE, kinds=["ordinal", "numeric"]).kneighbors([[3.0, 1.0]]),
            ValueError,
            "but no fitted row has",
        ),
        (lambda: fit(TABLE).kneighbors([[3.0]]), ValueError, "X has 1 features"),
        (lambda: fit(TABLE).kneighbors([["x", 1.0]]), ValueError, "numbers in column 0"),
        (lambda: fit([[1.0, -1.0]], "canberra", V=1), ValueError, "may hold 'w'"),
        (
            lambda: fit([[1.0], [-1.0]], "braycurtis").kneighbors(None, 1),
            ValueError,
            "infinite, as their sums cancel",
        ),
        (
            lambda: fit([[1.0, np.nan], [np.nan, 1.0]], "nan_euclidean").kneighbors([[1.0, 2.0]]),
            None,
            "",
        ),
        (
            lambda: fit([[1.0, np.nan], [np.nan, 1.0]], "nan_euclidean").kneighbors(None, 1),
            ValueError,
            "no column in which both have a value",
        ),
        (lambda: fit([[np.inf, 1.0]], "nan_euclidean"), ValueError, "X contains infinity"),
        (lambda: fit([[np.nan, 1.0]], "canberra"), ValueError, "X contains NaN"),
        (lambda: statfast.KDTree(TABLE, metric="gower"), ValueError, "algorithm='brute'"),
        (lambda: statfast.BallTree(TABLE, metric="canberra"), ValueError, "algorithm='brute'"),
        (lambda: linkage(TABLE, "ward", metric="gower"), ValueError, "defined by Euclidean"),
        (
            lambda: NearestNeighbors(metric="gower", algorithm="ball_tree").fit(TABLE),
            ValueError,
            "does not serve the metric 'gower'",
        ),
    ],
)
def test_refusals(call, error, words):
    if error is None:
        call()
        return
    with pytest.raises(error, match=words):
        call()


def test_sparse_rows_are_refused():
    sparse = pytest.importorskip("scipy.sparse").csr_array(TABLE)
    for metric in METRICS:
        with pytest.raises((ValueError, TypeError), match="dense"):
            fit(sparse, metric)
