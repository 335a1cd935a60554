# SPDX-License-Identifier: BSD-3-Clause
"""What beginners get wrong is named, with the fix: names, classes for instances, frames, fits."""

import numpy as np
import pytest

import statfast as sf
from statfast import metrics
from statfast.datasets import load_iris

X, Y = load_iris(return_X_y=True)


@pytest.mark.parametrize(
    ("call", "hint"),
    [
        (lambda: sf.SVC().set_params(c=1), "Did you mean 'C'"),
        (lambda: sf.SVC(gama=1), "Did you mean 'gamma'"),
        (lambda: sf.make_pipeline(sf.SVC()).set_params(svm__C=1), "Did you mean 'svc'"),
        (lambda: sf.linkage(X, "averagge"), "Did you mean 'average'"),
        (lambda: sf.KNeighborsClassifier(metric="euclidaen").fit(X, Y), "mean 'euclidean'"),
        (lambda: metrics.get_scorer("acuracyy"), "Did you mean 'accuracy'"),
        (lambda: sf.KMeans(init="random ").fit(X), "Did you mean 'random'"),
    ],
)
def test_the_nearest_name_is_named(call, hint):
    with pytest.raises((ValueError, TypeError), match=hint):
        call()


def test_names_that_are_near_none_have_no_hint():
    with pytest.raises(ValueError, match=r"got 'xyz'\.$"):
        sf.linkage(X, "xyz")


@pytest.mark.parametrize(
    ("model", "name"),
    [(sf.KMeans(), "labels_"), (sf.LogisticRegression(), "coef_"), (sf.SVC(), "support_")],
)
def test_attributes_before_the_fit(model, name):
    assert not hasattr(model, name)
    with pytest.raises(AttributeError, match=f"{name!r}. It is not fitted yet: call fit first"):
        getattr(model, name)
    with pytest.raises(AttributeError, match=r"no attribute 'nonsense_'$"):
        _ = model.nonsense_
    with pytest.raises(AttributeError, match=r"no attribute 'nonsense_'$"):
        _ = model.fit(X[50:], Y[50:]).nonsense_


def test_errors_of_properties_are_their_own():
    class Model(sf.KMeans):
        @property
        def answer(self):
            raise AttributeError("the answer of its own")

    with pytest.raises(AttributeError, match="the answer of its own"):
        _ = Model().answer


def test_classes_for_instances():
    with pytest.raises(TypeError, match=r"Pass StandardScaler\(\)"):
        sf.make_pipeline(sf.StandardScaler, sf.SVC()).fit(X, Y)
    with pytest.raises(TypeError, match=r"Pass StandardScaler\(\)"):
        sf.ColumnTransformer([("a", sf.StandardScaler, [0])]).fit(X)


def test_areas_of_several_classes_ask_for_probabilities():
    with pytest.raises(ValueError, match="a column for each, predict_proba"):
        metrics.roc_auc_score(Y, X[:, 0])


def test_columns_of_frames_are_called_by_their_names():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"length": [1.0, np.nan, 3.0], "width": [1.0, 2.0, 3.0]})
    with pytest.raises(ValueError, match="row 1, column 'length'"):
        sf.KMeans(2).fit(frame)
    with pytest.raises(ValueError, match="row 1, column 'length'"):
        sf.make_pipeline(sf.PCA(), sf.KMeans(2)).fit(frame)
    model = sf.KMeans(2).fit(frame.fillna(0.0))
    with pytest.raises(ValueError, match="row 1, column 'length'"):
        model.predict(frame)
    with pytest.raises(ValueError, match="row 1, column 0"):
        sf.KMeans(2).fit(frame.to_numpy())


def test_columns_of_one_name_are_refused():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X[:9, :3], columns=["a", "b", "a"])
    with pytest.raises(ValueError, match="X has two columns named 'a'"):
        sf.KMeans(2).fit(frame)
    between = pd.DataFrame(np.abs(X[:3, :1] - X[:3, 0]), columns=["a", "b", "a"])
    sf.KMedoids(2, metric="precomputed").fit(between)  # names of rows, drawn twice


def test_lazy_frames_are_to_be_collected():
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame({"a": [1.0, 2.0, 4.0]}).lazy()
    for call in (sf.KMeans(2).fit, sf.OneHotEncoder().fit):
        with pytest.raises(TypeError, match=r"X\.collect\(\)"):
            call(frame)


def test_data_sets_as_frames():
    pytest.importorskip("pandas")
    iris = load_iris(as_frame=True)
    assert list(iris.frame) == [*iris.feature_names, "target"]
    np.testing.assert_array_equal(iris.frame["target"], iris.target)
    assert load_iris().frame is None
    assert "<td>setosa, versicolor, virginica</td>" in load_iris()._repr_html_()


def test_series_and_dicts_say_how_they_become_tables():
    pd = pytest.importorskip("pandas")
    with pytest.raises(ValueError, match=r"X\.to_frame\(\) if it is one feature"):
        sf.KMeans(2).fit(pd.Series([1.0, 2.0, 4.0]))
    with pytest.raises(TypeError, match=r"Pass pandas\.DataFrame\(X\)"):
        sf.KMeans(2).fit({"a": [1.0, 2.0]})


def test_numbers_as_strings_and_labels_as_targets():
    with pytest.raises(ValueError, match=r"got '1' in column 0, row 0.*astype\(float\)"):
        sf.Ridge().fit([["1", "2"], ["3", "4"]], [1.0, 2.0])
    with pytest.raises(ValueError, match=r"y must .* got 'a' in row 0.*labels are for classifiers"):
        sf.RandomForestRegressor().fit(X[:2], ["a", "b"])


def test_missing_targets_are_rows_without_a_column():
    with pytest.raises(ValueError, match=r"y contains NaN, first at row 1\. Drop rows"):
        sf.Ridge().fit(X[:3], [1.0, np.nan, 2.0])


def test_a_model_is_not_labels():
    with pytest.raises(TypeError, match="y_true must be an array-like of labels"):
        metrics.accuracy_score(sf.GaussianNB(), X)


def test_a_misspelt_column_of_a_formula():
    pytest.importorskip("formulaic")
    frame = load_iris(as_frame=True).frame
    with pytest.raises(ValueError, match="Did you mean 'petal_length'"):
        sf.LinearRegression.from_formula("petal_width ~ petal_lenght", frame)


def test_clusterings_without_a_rule_for_new_rows():
    with pytest.raises(AttributeError, match="call fit_predict"):
        sf.DBSCAN().fit(X).predict(X)
    with pytest.raises(AttributeError, match="call approximate_predict"):
        sf.HDBSCAN().predict(X)
    with pytest.raises(AttributeError, match=r"no attribute 'predit'$"):  # Python says the nearest
        sf.KMeans().predit(X)
