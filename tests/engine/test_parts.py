# SPDX-License-Identifier: BSD-3-Clause
"""Rows in parts: the same bits from any engine, and the numbers of a fit to all rows."""

import warnings
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from itertools import pairwise
from multiprocessing import get_context

import numpy as np
import pytest

import statfast
from statfast import Parts
from statfast._engine.tree_reduce import Served, merged, total_of
from statfast.cluster.kmeans.data import survey_rows
from statfast.cluster.kmeans.init import start_of
from statfast.cluster.kmeans.part_data import survey_parts
from statfast.linear.glm import part_rows
from statfast.model_selection import (
    KFold,
    StratifiedKFold,
    cross_val_predict,
    cross_val_score,
    cross_validate,
)
from statfast.preprocessing import MinMaxScaler, StandardScaler
from tests.engine.hostile import HostileEngine, bits, kept_in_parts

N, D = 600, 4
CUTS = [0, 0, 1, 2, 150, 150, 301, 599, 600]  # parts without rows, of one row, and uneven ones

SUMS = [
    (statfast.LinearDiscriminantAnalysis(), "labels"),
    (statfast.QuadraticDiscriminantAnalysis(), "labels"),
    (statfast.RegularizedDiscriminantAnalysis(), "labels"),
    (statfast.GaussianNB(), "labels"),
    (statfast.BernoulliNB(), "labels"),
    (statfast.MultinomialNB(), "counts"),
    (statfast.ComplementNB(), "counts"),
    (statfast.CategoricalNB(), "counts"),
    (statfast.PoissonNB(), "counts"),
    (statfast.LeastSquaresClassifier(), "labels"),
    (statfast.RidgeClassifier(0.5), "labels"),
    (statfast.LinearRegression(), "target"),
    (statfast.LinearRegression(positive=True), "target"),
    (statfast.Ridge(0.5), "target"),
    (statfast.Lasso(0.1, tol=1e-14), "target"),
    (statfast.ElasticNet(0.1, standardize=True, tol=1e-14), "target"),
    (statfast.PrincipalComponentRegression(2), "target"),
    (statfast.MultivariateNormal(), None),
    (statfast.LedoitWolf(), None),
    (statfast.EmpiricalCovariance(assume_centered=True), None),
    (statfast.PCA(3), None),
    (statfast.IncrementalPCA(3), None),
    (StandardScaler(), None),
    (MinMaxScaler(), None),
]
CHOICES = {"dual_gap_", "condition_number_"}  # not of the answer, but of the way to it


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(5)
    X = rng.normal([0, 5, -2, 1], size=(N, D))
    target = X @ [1.0, -2.0, 0.5, 0.0] + rng.normal(size=N)
    labels = np.array(["a", "b", "c"])[np.digitize(target, [-13.0, -9.0])]
    labels[150:301] = "b"  # a part without the other classes
    counts = rng.poisson(2.0, size=(N, D)).astype(float)
    return {"X": X, "target": target, "labels": labels, "counts": counts,
            "two": (labels == "b") ^ (rng.random(N) < 0.2), "column": counts[:, 0],
            "positive": rng.gamma(2.0, np.exp(0.1 * X[:, 0])),
            "weights": rng.integers(0, 3, size=N).astype(float)}  # fmt: skip


def columns_of(data, what, weighted=False):
    X = data["counts"] if what == "counts" else data["X"]
    y = data["labels" if what == "counts" else what] if what else None
    return X, y, data["weights"] if weighted else None


def new(model):
    return type(model)(**model.get_params())


def pieces(X, y, w, cuts):
    def cut(a, b):
        return tuple(None if column is None else column[a:b] for column in (X, y, w))

    return [cut(a, b) for a, b in pairwise(cuts)]


def check_bits(model, columns, seeds=(0, 1, 2)):
    """The same bits as parts of this process, however they are worked on."""
    here = Parts(pieces(*columns, CUTS))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        known = bits(new(model).fit(here))
        for seed in seeds:
            kept = kept_in_parts(seed, CUTS, *columns)
            found = bits(new(model).fit(kept))
            assert kept.rounds == here.rounds
            assert found.keys() == known.keys()
            assert len(known) > 1
            for name, value in known.items():
                assert value.tobytes() == found[name].tobytes(), name
    return here.rounds, known


def check_numbers(known, model, columns, rtol=1e-10):
    X, y, w = columns
    more = {} if w is None else {"sample_weight": w}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        whole = new(model).fit(*((X,) if y is None else (X, y)), **more)
    for name, value in bits(whole).items():
        if name not in CHOICES and value.dtype.kind == "f" and name in known:
            scale = np.abs(value).max() if value.size else 0.0
            np.testing.assert_allclose(known[name], value, rtol, rtol * scale, err_msg=name)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("model", "what"), SUMS, ids=lambda v: str(v)[:40])
def test_sums(data, model, what, weighted):
    columns = columns_of(data, what, weighted)
    if weighted and type(model).__name__ in ("IncrementalPCA", "MinMaxScaler"):
        with pytest.raises(ValueError, match="takes no sample_weight"):
            model.fit(kept_in_parts(0, CUTS, *columns))
        return
    rounds, known = check_bits(model, columns)
    assert rounds == 2
    check_numbers(known, model, columns)


SCALED = [
    (statfast.LinearDiscriminantAnalysis(), "labels"),
    (statfast.Ridge(0.5), "target"),
]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("last", "what"), SCALED, ids=str)
def test_scalers_before_sums(data, last, what, weighted):
    """A pipeline whose scalers are solved from the sums of its last step takes their rounds."""
    columns = columns_of(data, what, weighted)
    kept = kept_in_parts(0, CUTS, *columns)
    found = statfast.make_pipeline(StandardScaler(), last).fit(kept)
    assert kept.rounds == 2
    X, y, w = columns
    known = statfast.make_pipeline(StandardScaler(), last).fit(X, y, sample_weight=w)
    np.testing.assert_allclose(found[0].scale_, known[0].scale_, rtol=1e-12)
    np.testing.assert_allclose(found[-1].coef_, known[-1].coef_, rtol=1e-10)
    for before in (MinMaxScaler(), statfast.ColumnTransformer([("one", StandardScaler(), [0])])):
        with pytest.raises(TypeError, match="in parts"):
            statfast.make_pipeline(before, last).fit(kept)


MODELS = [
    (statfast.LogisticRegression(), "two"),
    (statfast.LogisticRegression(C=0.5), "two"),
    (statfast.LogisticRegression(), "labels"),
    (statfast.LogisticRegression(C=0.5, reference="b"), "labels"),
    (statfast.LogisticRegression(multi_class="ovr"), "labels"),
    (statfast.LogisticRegression(fit_intercept=False), "two"),
    (statfast.LogisticRegression(class_weight="balanced"), "two"),
    (statfast.LogisticRegression(class_weight={"b": 3.0, "c": 0.5}), "labels"),
    (statfast.LogisticRegression(C=0.5, class_weight="balanced", multi_class="ovr"), "labels"),
    (statfast.GeneralizedLinearModel(), "target"),
    (statfast.GeneralizedLinearModel("poisson"), "column"),
    (statfast.GeneralizedLinearModel("gamma", link="log"), "positive"),
    (statfast.GeneralizedLinearModel("negative_binomial", theta=2.0), "column"),
    (statfast.GeneralizedLinearModel("tweedie", power=1.5), "column"),
    (statfast.GeneralizedLinearModel("quasi", link=0.5), "positive"),
    (statfast.PoissonRegressor(alpha=0.1), "column"),
]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("model", "what"), MODELS, ids=lambda v: str(v)[:60])
def test_likelihoods(data, model, what, weighted):
    """Estimates, and all that is said of them."""
    columns = columns_of(data, what, weighted)
    rounds, _ = check_bits(model, columns, seeds=(0, 1))
    assert 4 < rounds < 40 * (3 if getattr(model, "multi_class", "") == "ovr" else 1)
    X, y, w = columns
    whole = new(model).fit(X, y, sample_weight=w)
    found = new(model).fit(kept_in_parts(3, CUTS, *columns))
    scale = np.abs(whole.coef_).max()
    np.testing.assert_allclose(found.coef_, whole.coef_, 1e-8, 1e-8 * scale)
    if getattr(whole, "C", np.inf) == np.inf and not getattr(whole, "alpha", 0.0):
        one = whole._result if hasattr(whole, "_result") else next(iter(whole.results_.values()))
        two = found._result if hasattr(found, "_result") else next(iter(found.results_.values()))
        np.testing.assert_allclose(two.covariance, one.covariance, 1e-6, 1e-12)
        for name in ("deviance", "null_deviance", "loglik", "df_residual", "dispersion"):
            np.testing.assert_allclose(getattr(two, name), getattr(one, name), 1e-8, err_msg=name)


def test_a_sample_that_is_sent_is_corrected_by_a_larger_one(monkeypatch):
    rng = np.random.default_rng(3)
    X = rng.normal([0, 5, -2, 1], size=(40_000, D))
    y = rng.random(len(X)) < 1.0 / (1.0 + np.exp(-(X @ [1.0, -0.5, 0.5, 0.0] + 2.0)))
    monkeypatch.setattr(part_rows, "NUMBERS_OF_SAMPLE", len(X) * (D + 1) // 20)
    shares, plain = [], part_rows.PartRows.sums_of_sample

    def noted(self, b, share):
        shares.append(share)
        return plain(self, b, share)

    monkeypatch.setattr(part_rows.PartRows, "sums_of_sample", noted)
    cuts = [0, 3, 9_000, 9_001, 31_000, len(X)]
    for C in (np.inf, 0.5):
        model = statfast.LogisticRegression(C=C)
        whole = new(model).fit(X, y)
        known = new(model).fit(Parts(pieces(X, y, None, cuts)))
        found = new(model).fit(kept_in_parts(1, cuts, X, y, None))
        assert np.array_equal(known.coef_, found.coef_)
        np.testing.assert_allclose(known.coef_, whole.coef_, 1e-9)
        assert known.n_iter_ <= 4
    assert shares == [16] * 4


@pytest.mark.parametrize("weighted", [False, True])
def test_rows_of_likelihoods_that_are_not_finite(data, weighted):
    X, two, w = columns_of(data, "two", weighted)
    for value, model, y in (
        (np.nan, statfast.LogisticRegression(), two),
        (np.inf, statfast.LogisticRegression(C=0.5), two),
        (-np.inf, statfast.GeneralizedLinearModel("poisson"), data["column"]),
        (np.nan, statfast.GeneralizedLinearModel("quasi", link=0.5), data["positive"]),
    ):
        for row in (320, 599) if w is None else (int(np.flatnonzero(w == 0)[-1]),):
            wrong = X.copy()
            wrong[row, 2] = value
            part = int(np.searchsorted(CUTS, row, side="right")) - 1
            place = f"row {row - CUTS[part]} of part {part}"
            with pytest.raises(ValueError, match=rf"(NaN|infinity).*{place}"):
                model.fit(kept_in_parts(0, CUTS, wrong, y, w))
            assert not model.__sklearn_is_fitted__()


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("spread", [(9.0, 5.0, 3.0, 0.5), (9.0, 5.0, 1e-3, 1e-3), (1e-30,) * 4])
def test_components_of_float32(data, spread, weighted):
    """By products in float32 where these tell them, else in float64."""
    X = (np.random.default_rng(2).normal(size=(N, D)) * spread + [0, 30, 0, 0]).astype(np.float32)
    w = data["weights"] if weighted else None
    model = statfast.PCA(2)
    _, known = check_bits(model, (X, None, w), seeds=(0, 1))
    whole = statfast.PCA(2).fit(X.astype(np.float64), sample_weight=w)
    for name in ("components_", "explained_variance_", "mean_", "noise_variance_"):
        scale = np.abs(getattr(whole, name)).max()
        np.testing.assert_allclose(known[name], getattr(whole, name), 0.0, 2e-5 * scale)
    sums = Parts(pieces(X, None, w, CUTS))
    model.fit(sums)
    assert sums.rounds == (2 if spread[2] > 1e-29 else 3)


SPARSE = [
    ({"l1_ratio": 1.0}, "two"),
    ({"l1_ratio": 0.4, "class_weight": "balanced"}, "two"),
    ({"l1_ratio": 1.0, "fit_intercept": False, "reference": True}, "two"),
    ({"l1_ratio": 1.0}, "labels"),
    ({"l1_ratio": 0.7, "multi_class": "ovr", "class_weight": {"b": 2.0}}, "labels"),
]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("params", "what"), SPARSE, ids=str)
def test_sparse_likelihoods(data, params, what, weighted):
    """l1 penalties and elastic nets: two classes are solved otherwise than in memory."""
    model = statfast.LogisticRegression(C=0.05, tol=1e-13, **params)
    columns = columns_of(data, what, weighted)
    _, known = check_bits(model, columns, seeds=(0, 1))
    X, y, w = columns
    whole = new(model).fit(X, y, sample_weight=w)
    assert (whole.coef_ == 0).any()
    assert np.array_equal(whole.coef_ == 0, known["coef_"] == 0)
    found = new(model).fit(kept_in_parts(3, CUTS, *columns))
    np.testing.assert_allclose(found.coef_, whole.coef_, 1e-5, 1e-6)
    np.testing.assert_allclose(found.intercept_, whole.intercept_, 1e-5, 1e-6)
    for one, two in zip(_results(whole), _results(found), strict=True):
        assert two.loglik == pytest.approx(one.loglik, rel=1e-9)
        assert two.null_deviance == pytest.approx(one.null_deviance, rel=1e-12)
        assert two.df_residual == pytest.approx(one.df_residual)


def _results(model):
    return [model._result] if hasattr(model, "_result") else list(model.results_.values())


def test_likelihoods_that_are_refused(data):
    parts = Parts(pieces(data["X"], data["two"], None, CUTS))
    for model in (
        statfast.LogisticRegression(method="firth"),
        statfast.GeneralizedLinearModel("negative_binomial"),
        statfast.GeneralizedLinearModel("gamma"),  # y holds zeros
    ):
        with pytest.raises(ValueError, match=r"rows in parts|Rows in parts|must be positive"):
            model.fit(parts)
    with pytest.raises(ValueError, match="at least 2 classes; got one class, True"):
        statfast.LogisticRegression(class_weight={False: 0.0}).fit(parts)
    one = Parts(pieces(data["X"], np.zeros(N), None, CUTS))
    with pytest.raises(ValueError, match="at least 2 classes"):
        statfast.LogisticRegression().fit(one)


STARTS = {
    "array": lambda X: {"init": X[:9]},
    "tol": lambda X: {"init": X[:9], "tol": 0.0},
    "parallel": lambda X: {"init": "k-means||", "n_init": 2, "random_state": 4},
    "plus_plus": lambda X: {"n_init": 3, "random_state": 4},
    "random": lambda X: {"init": "random", "n_init": 2, "random_state": 4},
    "empty": lambda X: {"init": np.vstack([X[:8], [[1e4] * D]])},
}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("start", STARTS)
def test_kmeans(data, start, weighted, dtype):
    """The labels and iterations of a fit to all rows; labels of rows are not gathered."""
    X, _, w = columns_of(data, None, weighted)
    X = X.astype(dtype)
    model = statfast.KMeans(9, **STARTS[start](X))
    if weighted and start == "random":
        with pytest.raises(ValueError, match="takes no weights"):
            model.fit(kept_in_parts(0, CUTS, X, None, w))
        return
    rounds, _ = check_bits(model, (X, None, w), seeds=(0,))
    whole = new(model).fit(X, sample_weight=w)
    kept = kept_in_parts(5, CUTS, X, None, w)
    found = new(model).fit(kept)
    assert found.n_iter_ == whole.n_iter_
    assert np.array_equal(found.predict(X), whole.labels_)
    assert found.inertia_ == pytest.approx(whole.inertia_, rel=1e-10)
    np.testing.assert_allclose(found.cluster_centers_, whole.cluster_centers_, 1e-6, 1e-6)
    if start == "tol":  # a first round, the survey, a round an iteration, and the inertia
        assert rounds == whole.n_iter_ + 3
        assert kept.engine.sent < 40 * rounds * len(CUTS) * 9 * (D + 1) + 2000 * kept.rounds * 9
    assert isinstance(found.labels_, Parts)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("init", ["k-means++", "k-means||", "random"])
def test_starts_are_those_of_all_rows(data, init, weighted, monkeypatch):
    """The rows that a start draws in memory, also by a second start of the same parts."""
    monkeypatch.setattr(HostileEngine, "lose", lambda self: None)  # what is remembered, stays
    X, _, w = columns_of(data, None, weighted)
    if weighted and init == "random":
        return  # refused
    rows = survey_rows(X, w, None)
    kept = survey_parts(kept_in_parts(0, CUTS, X, None, w), "auto")
    for seed in range(4):
        known = start_of(init, rows, 12, seed)[0]
        assert np.array_equal(start_of(init, kept, 12, seed)[0], known)


def test_rounds_and_bytes_of_starts(data):
    """Two rounds for each center of k-means++, a dozen of k-means||; candidates come back."""
    X, k = data["X"], 9
    for init, rounds in (("k-means++", 2 + 2 * (k - 1)), ("k-means||", 2 + 2 * 5)):
        kept = kept_in_parts(0, CUTS, X, None, None)
        found = statfast.KMeans(k, init=init, random_state=4, tol=0.0).fit(kept)
        assert kept.rounds == 2 + rounds + found.n_iter_ + 1
        sent = 2 * 16 * k * D * 8 + 40 * (found.n_iter_ + 2) * len(CUTS) * k * (D + 1)
        assert kept.engine.sent < sent + 2000 * kept.rounds * len(CUTS)


def test_kmeans_refuses(data):
    parts = Parts(pieces(data["X"], None, None, CUTS))
    for model in (statfast.KMeans(65), statfast.KMeans(3, init=lambda X, k, random_state: X[:k])):
        with pytest.raises(ValueError, match=r"Use init='k-means\|\|'"):
            model.fit(parts)
    with pytest.raises(ValueError, match="n_clusters"):
        statfast.KMeans(601, init="random").fit(parts)


def test_bits_depend_on_the_parts_alone():
    """Sums of one part are those of its rows; other cuts may round otherwise."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=13) * 10.0 ** rng.integers(-8, 8, size=13)
    whole = total_of(merged([Served(13, {(0, i): v}) for i, v in enumerate(values)]))
    for _ in range(50):
        shares = [Served(13, {(0, int(i)): values[i]}) for i in rng.integers(13, size=30)] + [
            Served(13, {(0, i): v}) for i, v in enumerate(values)
        ]
        rng.shuffle(shares)
        cut = rng.integers(1, len(shares))
        assert total_of(merged([merged(shares[:cut]), merged(shares[cut:])])) == whole
    with pytest.raises(ValueError, match="missing"):
        total_of(merged([Served(13, {(0, i): v}) for i, v in enumerate(values[:-1])]))


def test_executors(data):
    X, y, _ = columns_of(data, "labels")
    model = statfast.LinearDiscriminantAnalysis()
    known = new(model).fit(Parts(pieces(X, y, None, CUTS)))
    for pool in (ThreadPoolExecutor(2), ProcessPoolExecutor(2)):
        with pool:
            parts = Parts(pieces(X, y, None, CUTS), executor=pool)
            found = new(model).fit(parts)
            assert np.array_equal(known.coef_, found.coef_)
            assert np.array_equal(np.asarray(found.predict(parts)), known.predict(X))
            assert found.score(parts) == known.score(X, y)


def test_a_class_that_one_part_holds(data):
    """Ten rows of it, in parts that do not see it."""
    X, labels = data["X"], data["labels"].copy()
    labels[310:320] = "z"
    for model in (
        statfast.LinearDiscriminantAnalysis(), statfast.GaussianNB(),
        statfast.LogisticRegression(C=0.5), statfast.LogisticRegression(C=1.0, multi_class="ovr"),
    ):  # fmt: skip
        check_bits(model, (X, labels, None), seeds=(0,))
        kept = kept_in_parts(1, CUTS, X, labels, None)
        found = new(model).fit(kept)
        assert found.classes_.tolist() == ["a", "b", "c", "z"]
        whole = new(model).fit(X, labels)
        np.testing.assert_allclose(found.predict_proba(X), whole.predict_proba(X), 1e-6, 1e-8)


def test_files(data, tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    X, y, w = data["X"], data["target"], data["weights"]
    model = statfast.LinearRegression()
    known = new(model).fit(Parts(pieces(X, y, w, [0, 100, 200, 300, 400, 500, 600])))
    np.save(tmp_path / "X.npy", X)
    np.save(tmp_path / "y.npy", y)
    found = new(model).fit(
        Parts(tmp_path / "X.npy", y=tmp_path / "y.npy", sample_weight=w, rows=100)
    )
    assert np.array_equal(known.coef_, found.coef_)
    columns = {f"x{j}": X[:, j] for j in range(D)} | {"y": y, "w": w}
    table = pyarrow.table(columns)
    parquet.write_table(table, tmp_path / "t.parquet", row_group_size=100)
    with pyarrow.ipc.new_file(tmp_path / "t.arrow", table.schema) as sink:
        sink.write_table(table, max_chunksize=100)
    for name in ("t.parquet", "t.arrow"):
        found = new(model).fit(Parts([tmp_path / name], y="y", sample_weight="w"))
        assert np.array_equal(known.coef_, found.coef_)
        assert found.feature_names_in_.tolist() == ["x0", "x1", "x2", "x3"]
        fewer = Parts([tmp_path / name], y="y", sample_weight="w", columns=["x1"])
        assert new(model).fit(fewer).coef_.shape == (1,)
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        parts = Parts([tmp_path / "t.parquet"], y="y", sample_weight="w", executor=pool)
        assert np.array_equal(known.coef_, new(model).fit(parts).coef_)


def test_files_without_rows(data, tmp_path):
    """They are no parts; parts that a function reads may be empty."""
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    X, y = data["X"], data["target"]
    model = statfast.LinearRegression()
    known = new(model).fit(Parts(pieces(X, y, None, [0, 300, 600]))).coef_
    table = pyarrow.table({f"x{j}": X[:, j] for j in range(D)} | {"y": y})
    pieced = [table[:300], table[:0], table[300:]]
    empty = pyarrow.RecordBatch.from_pylist([], schema=table.schema)
    with parquet.ParquetWriter(tmp_path / "t.parquet", table.schema) as sink:
        for one in pieced:
            sink.write_table(one)
    with pyarrow.ipc.new_file(tmp_path / "t.arrow", table.schema) as sink:
        for one in pieced:
            sink.write_batch(one.combine_chunks().to_batches()[0] if len(one) else empty)
    for number, one in enumerate(pieced):
        parquet.write_table(one, tmp_path / f"{number}.parquet")
        np.save(tmp_path / f"{number}.npy", X[300 * (number > 1) :][: len(one)])
    for names in (["t.parquet"], ["t.arrow"], [f"{k}.parquet" for k in range(3)]):
        found = new(model).fit(Parts([tmp_path / name for name in names], y="y"))
        assert np.array_equal(known, found.coef_)
    found = Parts([tmp_path / f"{k}.npy" for k in range(3)], y=y, rows=300)
    assert np.array_equal(known, new(model).fit(found).coef_)
    assert found.lengths == [300, 300]
    for name in ("1.parquet", "1.npy"):
        with pytest.raises(ValueError, match="hold no rows"):
            Parts(tmp_path / name)
    read = [lambda a=a, b=b: (X[a:b], y[a:b]) for a, b in pairwise([0, 0, 300, 300, 600])]
    found = Parts(read)
    assert np.array_equal(known, new(model).fit(found).coef_)
    assert found.lengths == [0, 300, 0, 300]


def test_chunks_hold_rows_alone(data):
    stream = statfast.Chunks([(data["X"], data["target"])])
    with pytest.raises(ValueError, match=r"tuple of 2.*statfast\.Parts"):
        StandardScaler().fit(stream)


def test_predictions_are_parts(data):
    X, y, _ = columns_of(data, "labels")
    parts = Parts(pieces(X, y, None, CUTS))
    model = statfast.LinearDiscriminantAnalysis().fit(parts)
    assert np.array_equal(np.asarray(model.predict(parts)), model.predict(X))
    assert np.array_equal(np.asarray(model.predict_proba(parts)), model.predict_proba(X))
    assert model.score(parts) == model.score(X, y)
    scaled = StandardScaler().fit_transform(parts)
    assert isinstance(scaled, Parts)
    np.testing.assert_allclose(np.asarray(scaled), StandardScaler().fit_transform(X), atol=1e-12)
    line = statfast.LinearRegression().fit(Parts(pieces(X, data["target"], None, CUTS)))
    both = Parts(pieces(X, data["target"], data["weights"], CUTS))
    assert line.score(both) == pytest.approx(line.score(X, data["target"], data["weights"]))


def test_what_is_wrong_is_told_with_its_place(data):
    X, y, _ = columns_of(data, "target")
    X = X.copy()
    X[320, 2] = np.nan
    for model in (statfast.LinearRegression(), statfast.Ridge(), statfast.PCA()):
        with pytest.raises(ValueError, match=r"NaN.*row 19 of part 6, row 320 of all"):
            model.fit(kept_in_parts(0, CUTS, X, y, None))
        assert not model.__sklearn_is_fitted__()
    words = [(np.array([["a", "b"]]), [1.0])]
    with pytest.raises(ValueError, match=r"must hold numbers.*part 0"):
        statfast.LinearRegression().fit(Parts(words))
    with pytest.raises(ValueError, match="same columns in all parts"):
        statfast.PCA().fit(Parts([np.ones((2, 2)), np.ones((2, 3))]))
    with pytest.raises(ValueError, match="one dtype"):
        statfast.PCA().fit(Parts([np.ones((2, 2)), np.ones((2, 2), np.float32)]))
    with pytest.raises(ValueError, match="0 sample"):
        statfast.PCA().fit(Parts([np.ones((0, 2))]))
    with pytest.raises(ValueError, match="one value per row of X \\(2\\); got 3"):
        statfast.LinearRegression().fit(Parts([(np.ones((2, 2)), np.ones(3))]))
    with pytest.raises(TypeError, match="parts must be a list"):
        Parts(3)
    with pytest.raises(ValueError, match="must end in"):
        Parts(["rows.csv"])


@pytest.mark.parametrize("metric", ["minkowski", "manhattan", "cosine", "sqeuclidean"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.uint8])
def test_nearest_neighbors(data, metric, dtype):
    """Those among all rows, ties to the lowest row, also between parts."""
    X = np.round(4 * np.abs(data["X"]) + 1).astype(dtype)
    queries = X[::7]
    known = statfast.NearestNeighbors(metric=metric).fit(X).kneighbors(queries, 9)
    for seed in range(2):
        kept = kept_in_parts(seed, CUTS, X, None, None)
        search = statfast.NearestNeighbors(metric=metric).fit(kept)
        found = search.kneighbors(queries, 9)
        assert np.array_equal(found[0], known[0])
        assert np.array_equal(found[1], known[1])
    assert kept.rounds == 2
    with pytest.raises(TypeError, match="alone"):
        search.radius_neighbors(queries)
    with pytest.raises(ValueError, match="n_neighbors"):
        search.kneighbors(queries, N + 1)
    with pytest.raises(ValueError, match="asks for all rows"):
        statfast.NearestNeighbors(metric="mahalanobis").fit(kept)


def scored(seed, truth, predicted, weights=None):
    """Parts of predictions, as `Parts.mapped` makes them, kept by a hostile engine."""
    kept = kept_in_parts(seed, CUTS, np.zeros((N, 1)), truth, weights)
    cut = [predicted[a:b] for a, b in pairwise(CUTS)]
    kept.refs = [(one, *ref[1:]) for one, ref in zip(cut, kept.refs, strict=True)]
    return kept


@pytest.mark.parametrize("weighted", [False, True])
def test_measures(data, weighted, monkeypatch):
    """Of truth and predictions: counts, losses, and areas to the bit."""
    rng = np.random.default_rng(8)
    truth, w = data["labels"], data["weights"] if weighted else None
    guess = rng.permutation(truth)
    kept = scored(0, truth, guess, w)
    found = statfast.metrics.confusion_matrix(kept, kept)
    known = statfast.metrics.confusion_matrix(truth, guess, sample_weight=w)
    assert np.array_equal(found, known)
    shares = rng.dirichlet(np.ones(3), size=N)
    kept = scored(1, truth, shares, w)
    found = statfast.metrics.log_loss(y_true=kept, y_proba=kept)
    assert found == pytest.approx(statfast.metrics.log_loss(truth, shares, sample_weight=w))
    two = data["two"]
    for scores in (rng.normal(size=N) + two, np.round(rng.normal(size=N)), -rng.random(N) * 1e-300):
        known = statfast.metrics.roc_auc_score(two, scores, sample_weight=w)
        for most in (1 << 20, 100):  # ranges are cut again
            monkeypatch.setattr("statfast.metrics.ranking.part_areas.MAX_ROWS_OF_ROUND", most)
            kept = scored(2, two, scores, w)
            found = statfast.metrics.roc_auc_score(kept, kept)
            assert found == (pytest.approx(known) if weighted else known)
            assert kept.rounds < (5 if most > N else 60)
    monkeypatch.undo()
    cases = [("ovr", average) for average in ("macro", "weighted", None)]
    cases += [] if weighted else [("ovo", "macro"), ("ovo", "weighted")]
    for kind, average in cases:
        told = {"multi_class": kind, "average": average}
        known = statfast.metrics.roc_auc_score(truth, shares, sample_weight=w, **told)
        kept = scored(2, truth, shares, w)
        found = statfast.metrics.roc_auc_score(kept, kept, **told)
        np.testing.assert_allclose(found, known, 1e-13 if weighted else 1e-15)
    if weighted:
        with pytest.raises(ValueError, match="has no sample_weight"):
            statfast.metrics.roc_auc_score(kept, kept, multi_class="ovo")
    for wrong, what in ((scores, "a column for each class"), (shares + 1, "sum to 1")):
        kept = scored(0, truth, wrong)
        with pytest.raises(ValueError, match=what):
            statfast.metrics.roc_auc_score(kept, kept, multi_class="ovr")
    with pytest.raises(ValueError, match="more than two classes"):
        statfast.metrics.roc_auc_score(kept, kept)
    kept = scored(0, np.zeros(N), scores)
    with pytest.warns(statfast.UndefinedMetricWarning):
        assert np.isnan(statfast.metrics.roc_auc_score(kept, kept))


def test_what_has_no_such_form_is_refused(data):
    parts = Parts(pieces(data["X"], data["labels"], None, CUTS))
    for model in (
        statfast.KMedoids(3), statfast.AgglomerativeClustering(3), statfast.SVC(),
        statfast.DecisionTreeClassifier(), statfast.RandomForestClassifier(),
    ):  # fmt: skip
        with pytest.raises(TypeError, match="no exact form for rows that lie in parts"):
            model.fit(parts)
    with pytest.raises(ValueError, match="groups is for rows in memory"):
        statfast.LinearRegression().fit(parts, groups=[1])
    parts = Parts(pieces(data["X"], data["target"], None, CUTS))
    with pytest.raises(TypeError, match="Ridge has no exact form"):  # a penalty for each target
        statfast.Ridge([0.5]).fit(parts)


VALIDATED = [
    (statfast.LinearDiscriminantAnalysis(), "labels", ["accuracy", "neg_log_loss"]),
    (statfast.GaussianNB(), "labels", None),
    (statfast.QuadraticDiscriminantAnalysis(), "labels", "neg_log_loss"),
    (statfast.LinearRegression(), "target", None),
    (statfast.Ridge(0.5), "target", ["r2", "neg_mean_squared_error", "neg_mean_absolute_error"]),
    (statfast.Lasso(0.1, tol=1e-14), "target", "neg_root_mean_squared_error"),
]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("model", "what", "scoring"), VALIDATED, ids=lambda v: str(v)[:30])
def test_cross_validation(data, model, what, scoring, weighted):
    """The folds and scores of rows in memory, in four rounds."""
    X, y, w = columns_of(data, what, weighted)
    kinds = [None, 4, KFold(3)] + [StratifiedKFold(3)] * (what == "labels")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for cv in kinds:
            known = cross_validate(model, X, y, cv=cv, scoring=scoring, sample_weight=w)
            here = cross_validate(
                model, Parts(pieces(X, y, w, CUTS)), cv=cv, scoring=scoring, return_estimator=True
            )
            kept = kept_in_parts(1, CUTS, X, y, w)
            found = cross_validate(model, kept, cv=cv, scoring=scoring)
            assert kept.rounds == 4
            names = [name for name in known if name.startswith("test_")]
            for name in names:
                np.testing.assert_allclose(found[name], known[name], 1e-9, 1e-12, err_msg=name)
                assert np.array_equal(found[name], here[name])
            assert len(here["estimator"]) == len(known[names[0]])
    score = cross_val_score(model, Parts(pieces(X, y, w, CUTS)), cv=3)
    assert score.shape == (3,)


def test_cross_validation_that_is_refused(data):
    X, labels, target = data["X"], data["labels"], data["target"]
    parts, model = Parts(pieces(X, target, None, CUTS)), statfast.Ridge()
    with pytest.raises(TypeError, match="whose fit is a sum"):
        cross_validate(statfast.LogisticRegression(), Parts(pieces(X, labels, None, CUTS)))
    for given, what in (
        ({"cv": KFold(3, shuffle=True)}, "without shuffling"),
        ({"cv": 601}, "number of rows"),
        ({"cv": 1}, "cv must"),
        ({"scoring": "neg_median_absolute_error"}, "scoring must be one of r2"),
        ({"groups": labels}, "groups is for rows in memory"),
        ({"return_train_score": True}, "return_train_score is for rows in memory"),
    ):
        with pytest.raises(ValueError, match=what):
            cross_validate(model, parts, **given)
    weights = np.where(np.arange(N) < 200, 0.0, 1.0)
    with pytest.raises(ValueError, match="zero for all rows of fold 0"):
        cross_validate(model, Parts(pieces(X, target, weights, CUTS)), cv=3)
    wrong = X.copy()
    wrong[160, 1] = np.nan
    with pytest.raises(ValueError, match="part 5"):
        cross_validate(model, Parts(pieces(wrong, target, None, CUTS)), cv=3)
    for call in (cross_val_predict, statfast.model_selection.learning_curve):
        with pytest.raises(TypeError, match="in parts, which would be gathered"):
            call(model, parts, target)
    with pytest.raises(TypeError, match="in parts, which would be gathered"):
        statfast.cluster.linkage(parts)


@pytest.mark.filterwarnings("ignore:Only .* clusters hold any row")
@pytest.mark.parametrize("k", [5, 7, 70])
def test_parallel_starts_of_few_different_rows_go_on_as_in_memory(k):
    X = np.random.default_rng(0).standard_normal((6, 2)).repeat(20, axis=0)
    parts = Parts(pieces(X, None, None, [0, 50, 120]))
    for seed in range(2):
        model = statfast.KMeans(k, init="k-means||", n_init=1, random_state=seed)
        here = new(model).fit(X)
        there = new(model).fit(parts)
        assert there.inertia_ == pytest.approx(here.inertia_, abs=1e-9)
        assert there.cluster_centers_.shape == here.cluster_centers_.shape == (k, 2)
