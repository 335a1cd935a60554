# SPDX-License-Identifier: BSD-3-Clause
"""The estimator protocol, proved on toy estimators: scikit-learn takes them for its own."""

import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest

import statfast
from statfast._estimator.base import Estimator
from statfast._estimator.mixins import Classifier, Clusterer, Transformer
from statfast._validation import as_rows, rows_for
from statfast._validation.errors import NotFittedError
from statfast._validation.parameters import as_count
from statfast._validation.targets import as_labels, as_weights

pytest.importorskip("sklearn")
from sklearn import config_context
from sklearn.base import clone, is_classifier, is_clusterer
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import (
    check_clusterer_compute_labels_predict,
    check_clustering,
    estimator_checks_generator,
)
from sklearn.utils.validation import check_is_fitted


def weighted_mean(X, weights):
    return np.average(np.asarray(X, dtype=np.float64), axis=0, weights=weights)


class Center(Transformer, Estimator):
    """Subtracts ``share`` of the mean."""

    def __init__(self, share=1.0):
        self.share = share

    def fit(self, X, y=None, sample_weight=None):
        rows = as_rows(X)
        mean = self.share * weighted_mean(rows, as_weights(sample_weight, len(rows)))
        return self._publish(X, mean_=mean)

    def transform(self, X):
        rows = rows_for(self, X)
        return (rows - self.mean_).astype(rows.dtype)

    @property
    def _n_features_out(self):
        return self.n_features_in_


class Centroid(Classifier, Estimator):
    """Nearest class mean."""

    def __init__(self, power=2, inner=None):
        self.power = power
        self.inner = inner

    def fit(self, X, y, sample_weight=None):
        rows = as_rows(X)
        power = as_count(self.power, "power")
        classes, codes = as_labels(y, len(rows))
        weights = as_weights(sample_weight, len(rows))
        if weights is not None:
            present = np.bincount(codes, weights) > 0
            classes, kept = classes[present], present[codes]
            rows, weights = rows[kept], weights[kept]
            codes = (np.cumsum(present) - 1)[codes[kept]]
        means = np.array(
            [
                weighted_mean(rows[codes == k], None if weights is None else weights[codes == k])
                for k in range(len(classes))
            ]
        )
        return self._publish(X, classes_=classes, means_=means, _power=power)

    def predict(self, X):
        rows = rows_for(self, X)
        far = (np.abs(rows[:, None, :] - self.means_) ** self._power).sum(axis=2)
        return self.classes_[far.argmin(axis=1)]


class Lloyd(Transformer, Clusterer, Estimator):
    """k-means from the least row and the points farthest away."""

    def __init__(self, n_clusters=3):
        self.n_clusters = n_clusters

    def fit(self, X, y=None, sample_weight=None):
        rows = as_rows(X)
        data = rows.astype(np.float64)
        k = as_count(self.n_clusters, "n_clusters", 1, len(rows), limit="the number of rows")
        weights = as_weights(sample_weight, len(rows))
        weights = np.ones(len(rows)) if weights is None else weights
        first = min(data[weights > 0].tolist())  # neither the order nor the weights matter
        centers = np.array([first])
        while len(centers) < k:
            far = ((data[:, None] - centers) ** 2).sum(axis=2).min(axis=1) * (weights > 0)
            centers = np.vstack([centers, data[far.argmax()]])
        for _ in range(20):
            labels = ((data[:, None] - centers) ** 2).sum(axis=2).argmin(axis=1)
            for j in range(k):
                mass = weights[labels == j]
                if mass.sum() > 0:
                    centers[j] = np.average(data[labels == j], axis=0, weights=mass)
        labels = ((data[:, None] - centers) ** 2).sum(axis=2).argmin(axis=1)
        return self._publish(X, cluster_centers_=centers, labels_=labels)

    def transform(self, X):
        rows = rows_for(self, X)
        far = ((rows[:, None] - self.cluster_centers_) ** 2).sum(axis=2)
        return np.sqrt(far).astype(rows.dtype)

    def predict(self, X):
        return self.transform(rows_for(self, X)).argmin(axis=1)

    @property
    def _n_features_out(self):
        return len(self.cluster_centers_)


TOYS = [Center(), Centroid(), Lloyd()]


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


def toy_checks():
    for toy in TOYS:
        with pytest.warns(UserWarning, match="does not inherit"):
            checks = list(estimator_checks_generator(toy, mark="skip"))
        for estimator, check in checks:
            yield pytest.param(estimator, check, id=f"{type(toy).__name__}-{check.func.__name__}")


@pytest.mark.parametrize(("estimator", "check"), list(toy_checks()))
@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_accepts_the_toys(estimator, check):
    check(estimator)


@pytest.mark.parametrize("memmap", [False, True])
def test_scikit_learn_accepts_the_toy_clusterer(memmap):
    check_clustering("Lloyd", Lloyd(), readonly_memmap=memmap)
    check_clusterer_compute_labels_predict("Lloyd", Lloyd())


def test_kinds():
    assert is_classifier(Centroid())
    assert is_clusterer(Lloyd())
    assert not is_classifier(Center())


# ---------------------------------------------------------------- parameters


def test_params_are_named_nested_and_set():
    outer = Centroid(inner=Centroid(power=5))
    assert outer.get_params(deep=False) == {"power": 2, "inner": outer.inner}
    assert outer.get_params()["inner__power"] == 5
    assert outer.set_params(inner__power=7, power=3) is outer
    assert (outer.power, outer.inner.power) == (3, 7)


def test_params_unknown_is_refused():
    with pytest.raises(ValueError, match="Invalid parameter 'powr' for estimator Centroid"):
        Centroid().set_params(powr=3)


def test_set_params_can_replace_and_reach_into_a_part_at_once():
    outer = Centroid().set_params(inner__power=9, inner=Centroid())
    assert outer.inner.power == 9


def test_repr_shows_only_what_differs():
    assert repr(Centroid()) == "Centroid()"
    assert repr(Centroid(power=3)) == "Centroid(power=3)"
    assert repr(Centroid(inner=Centroid(power=1))) == "Centroid(inner=Centroid(power=1))"
    assert len(repr(Centroid(power=np.arange(1000)))) < 120


def test_html_escapes_and_tells_the_state(iris):
    assert "&lt;b&gt;" in Centroid(power="<b>")._repr_html_()
    assert "not fitted" in Centroid()._repr_html_()
    assert "not fitted" not in Centroid().fit(*iris)._repr_html_()


def test_html_inside_a_pipeline(iris):
    pipeline = make_pipeline(Center(share=0.25), Centroid(power=4)).fit(*iris)
    page = pipeline._repr_html_()
    assert "Centroid(power=4)" in page
    assert "Center(share=0.25)" in page


# ---------------------------------------------------------------- fitted state


def test_publish_replaces_an_earlier_fit_whole(iris):
    model = Estimator()
    model._publish(iris[0], a_=1, _b=2)
    model._publish(iris[0][:, :2], c_=3)
    assert not hasattr(model, "a_")
    assert not hasattr(model, "_b")
    assert (model.c_, model.n_features_in_) == (3, 2)


def test_publish_forgets_names_when_refitted_without(iris):
    pandas = pytest.importorskip("pandas")
    model = Centroid().fit(pandas.DataFrame(iris[0], columns=list("abcd")), iris[1])
    assert list(model.feature_names_in_) == list("abcd")
    assert not hasattr(model.fit(*iris), "feature_names_in_")


@pytest.mark.parametrize("X", [[[1, 2], [3, 4]], np.eye(2)])
def test_publish_finds_the_width(X):
    assert Estimator()._publish(X).n_features_in_ == 2


def test_failed_fit_leaves_everything(iris):
    model = Centroid().fit(*iris)
    before = dict(model.__dict__)
    for X, y in [(iris[0] * np.nan, iris[1]), (iris[0], iris[1][:-1])]:
        with pytest.raises(ValueError, match=r"NaN|one label per row"):
            model.fit(X, y)
    model.power = "two"
    with pytest.raises(TypeError, match="power must be an integer"):
        model.fit(*iris)
    model.power = 2
    assert all(model.__dict__[key] is value for key, value in before.items())
    assert model.__dict__.keys() == before.keys()


def test_not_fitted_is_everybodys_error(iris):
    from sklearn.exceptions import NotFittedError as Theirs

    for wanted in (NotFittedError, Theirs, ValueError, AttributeError):
        with pytest.raises(wanted, match=r"Centroid instance is not fitted yet\. Call fit"):
            Centroid().predict(iris[0])
    with pytest.raises(Theirs):
        check_is_fitted(Centroid())
    check_is_fitted(Centroid().fit(*iris))


def test_pickle_and_copy_round_trip(iris):
    model = Centroid(power=3).fit(*iris).set_fit_request(sample_weight=True)
    for twin in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert np.array_equal(twin.predict(iris[0]), model.predict(iris[0]))
        assert twin.__dict__.keys() == model.__dict__.keys()


def test_pickle_of_another_version_warns(monkeypatch):
    data = pickle.dumps(Centroid())
    monkeypatch.setattr("statfast.__version__", "999")
    with pytest.warns(UserWarning, match=r"pickled by statfast .* read by 999"):
        pickle.loads(data)


# ---------------------------------------------------------------- in scikit-learn's hands


def test_pipeline_search_and_cross_validation(iris):
    pipeline = make_pipeline(StandardScaler(), Center(), Centroid())
    assert cross_val_score(pipeline, *iris).mean() > 0.8
    search = GridSearchCV(pipeline, {"centroid__power": [1, 2]}, cv=3).fit(*iris)
    assert search.best_params_["centroid__power"] in (1, 2)
    assert clone(pipeline).get_params()["centroid__power"] == 2


def test_score_is_weighted_accuracy(iris):
    X, y = iris
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    model = Centroid().fit(X, names)
    hits = model.predict(X) == names
    weights = np.arange(len(y))
    assert model.score(X, names) == hits.mean()
    assert model.score(X, names, weights) == pytest.approx(np.average(hits, weights=weights))
    with pytest.raises(ValueError, match="one label per row of X"):
        model.score(X, names[1:])


def test_fit_predict_passes_weights_on(iris):
    weights = np.r_[np.zeros(50), np.ones(100)]
    model = Lloyd()
    labels = model.fit_predict(iris[0], sample_weight=weights)
    assert np.array_equal(labels, Lloyd().fit(iris[0], sample_weight=weights).labels_)
    assert not np.array_equal(model.cluster_centers_, Lloyd().fit(iris[0]).cluster_centers_)


def test_metadata_routing_brings_weights(iris):
    X, y = iris
    weights = np.where(y == 1, 0.0, 1.0)
    with config_context(enable_metadata_routing=True):
        asked = make_pipeline(StandardScaler(), Centroid().set_fit_request(sample_weight=True))
        asked[0].set_fit_request(sample_weight=False)
        assert list(asked.fit(X, y, sample_weight=weights)[-1].classes_) == [0, 2]
        twin = clone(asked).fit(X, y, sample_weight=weights)
        assert list(twin[-1].classes_) == [0, 2]
        renamed = clone(asked)
        renamed[-1].set_fit_request(sample_weight="mass")
        assert list(renamed.fit(X, y, mass=weights)[-1].classes_) == [0, 2]
        with pytest.raises(ValueError, match="not explicitly set as requested or not"):
            make_pipeline(Centroid()).fit(X, y, sample_weight=weights)


def test_request_setters_know_their_arguments():
    assert "sample_weight" in str(Centroid.set_fit_request.__doc__)
    with pytest.raises(TypeError, match="Unexpected args"):
        Centroid().set_fit_request(weight=True)
    assert not hasattr(Centroid, "set_predict_request")


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_set_output(library, iris):
    tables = pytest.importorskip(library)
    X = iris[0]
    plain = Lloyd().fit(X).transform(X)
    for table in (
        Lloyd().set_output(transform=library).fit(X).transform(X),
        Lloyd().set_output(transform=library).fit_transform(X),
        clone(Lloyd().set_output(transform=library)).fit_transform(X),
        make_pipeline(Center(), Lloyd()).set_output(transform=library).fit_transform(X),
    ):
        assert isinstance(table, tables.DataFrame)
        assert list(table.columns) == ["lloyd0", "lloyd1", "lloyd2"]
        assert np.allclose(table.to_numpy(), plain)
    with config_context(transform_output=library):
        assert isinstance(Lloyd().fit(X).transform(X), tables.DataFrame)


def test_set_output_keeps_the_index(iris):
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame(iris[0], columns=list("abcd"), index=np.arange(150) * 2)
    assert Center().set_output(transform="pandas").fit_transform(X).index.equals(X.index)


def test_set_output_refuses_the_unknown():
    with pytest.raises(ValueError, match="transform must be 'default', 'pandas' or 'polars'"):
        Center().set_output(transform="arrow")
    with pytest.raises(NotFittedError):
        Center().get_feature_names_out()


def test_base_loads_no_friend():
    code = (
        "import sys, statfast._estimator; "
        "print([m for m in ('sklearn', 'pandas', 'polars', 'pyarrow', 'matplotlib', "
        "'scipy.stats') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_kinds_in_the_way_that_older_libraries_ask():
    tags = pytest.importorskip("sklearn.utils").get_tags
    models = [
        statfast.LinearSVC(), statfast.Ridge(), statfast.KMeans(), statfast.OneClassSVM(),
        statfast.make_pipeline(statfast.StandardScaler(), statfast.Ridge()),
        statfast.GridSearchCV(statfast.LogisticRegression(), {"C": [1.0]}),
        statfast.StandardScaler(), statfast.make_pipeline(statfast.StandardScaler()),
    ]  # fmt: skip
    for model in models:
        assert getattr(model, "_estimator_type", None) == tags(model).estimator_type
