# SPDX-License-Identifier: BSD-3-Clause
"""Names of columns are kept or lost as by fits by hand: nothing warns of names that are right.

Warnings are errors in these tests.
"""

import numpy as np
import pytest

import statfast as sf
from statfast.model_selection import bias_variance, bootstrap_error, nested_cv_interval

pd = pytest.importorskip("pandas")
RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.standard_normal((60, 3)), columns=list("abc"))
Y = (X["a"].to_numpy() + RNG.standard_normal(60) > 0).astype(int)
T = X.to_numpy() @ [1.0, 2.0, 3.0] + RNG.standard_normal(60)

PICKED = sf.ColumnTransformer([("s", sf.StandardScaler(), ["c", "a"])])
MODELS = {
    "ridge": (sf.Ridge(), "alpha", [0.1, 1.0]),
    "scaled ridge": (sf.make_pipeline(sf.StandardScaler(), sf.Ridge()), "ridge__alpha", [0.1, 1.0]),
    "scaled twice": (
        sf.make_pipeline(sf.StandardScaler(), sf.StandardScaler(), sf.Ridge()),
        "ridge__alpha",
        [0.1, 1.0],
    ),
    "scaled in frames": (
        sf.make_pipeline(sf.StandardScaler().set_output(transform="pandas"), sf.Ridge()),
        "ridge__alpha",
        [0.1, 1.0],
    ),
    "picked": (sf.make_pipeline(PICKED, sf.Ridge()), "ridge__alpha", [0.1, 1.0]),
    "scaled discriminant": (
        sf.make_pipeline(sf.StandardScaler(), sf.LinearDiscriminantAnalysis()),
        "lineardiscriminantanalysis__priors",
        [None, [0.4, 0.6]],
    ),
    "scaled logistic": (
        sf.make_pipeline(sf.StandardScaler(), sf.LogisticRegression(C=1.0)),
        "logisticregression__C",
        [0.1, 1.0],
    ),
    "scaled machine": (sf.make_pipeline(sf.StandardScaler(), sf.SVC()), "svc__C", [0.1, 1.0]),
    "scaled neighbors": (
        sf.make_pipeline(sf.StandardScaler(), sf.KNeighborsClassifier()),
        "kneighborsclassifier__n_neighbors",
        [1, 3],
    ),
    "neighbors": (sf.KNeighborsClassifier(), "n_neighbors", [1, 3]),
    "Bayes": (sf.GaussianNB(), "var_smoothing", [1e-9, 1.0]),
    "kernel ridge": (sf.KernelRidge(), "alpha", [0.1, 1.0]),
}


@pytest.mark.parametrize("name", MODELS)
def test_no_function_warns_of_names(name):
    model, param, values = MODELS[name]
    y = T if "ridge" in str(model).lower() else Y
    sf.validation_curve(model, X, y, param_name=param, param_range=values, cv=3)
    sf.learning_curve(model, X, y, cv=3, train_sizes=[0.7, 1.0])
    sf.cross_validate(model, X, y, cv=3, return_train_score=True)
    sf.cross_val_predict(model, X, y, cv=3)
    search = sf.GridSearchCV(model, {param: values}, cv=3, return_train_score=True).fit(X, y)
    search.score(X, y)
    nested_cv_interval(model, X, y, n_splits=3, n_repeats=1, random_state=0)
    bootstrap_error(model, X, y, n_bootstraps=3, random_state=0)
    bias_variance(model, X, y, n_rounds=2, random_state=0)
    asked = []

    def score(fitted, rows, targets):
        asked.append(type(rows))
        return float(np.mean(fitted.predict(rows) == targets))

    sf.cross_validate(model, X, y, cv=3, scoring=score)
    assert set(asked) == {pd.DataFrame}


@pytest.mark.parametrize("name", MODELS)
def test_models_of_folds_have_the_names_of_fits_by_hand(name):
    model, *_ = MODELS[name]
    y = T if "ridge" in str(model).lower() else Y
    found = sf.cross_validate(model, X, y, cv=sf.KFold(3), return_estimator=True)["estimator"]
    train = np.arange(20, 60)
    alone = model.fit(X.iloc[train], y[train])
    for one, other in zip(
        getattr(found[0], "steps_", [("", found[0])]), getattr(alone, "steps_", [("", alone)]),
        strict=True,
    ):  # fmt: skip
        names = [getattr(step, "feature_names_in_", None) for _, step in (one, other)]
        assert np.array_equal(*names)


INVERSES = [sf.StandardScaler(), sf.MinMaxScaler(), sf.RobustScaler(), sf.PCA(2),
            sf.IncrementalPCA(2), sf.TruncatedSVD(2), sf.SimpleImputer(add_indicator=True),
            sf.OneHotEncoder(), sf.OrdinalEncoder(),
            sf.make_pipeline(sf.StandardScaler(), sf.PCA(2))]  # fmt: skip


@pytest.mark.parametrize("model", INVERSES, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("container", ["array", "frame"])
def test_what_is_transformed_is_brought_back_without_a_word(model, container):
    rows = X.round().clip(-2, 2) if "Encoder" in type(model).__name__ else X
    of_frame = model.fit(rows)
    changed = of_frame.transform(rows)
    back = of_frame.inverse_transform(changed)
    dense = changed.toarray() if hasattr(changed, "toarray") else np.asarray(changed)
    if container == "frame":  # under names of its own
        names = [f"z{j}" for j in range(dense.shape[1])]
        np.testing.assert_array_equal(
            of_frame.inverse_transform(pd.DataFrame(dense, columns=names)), back
        )
    else:
        np.testing.assert_array_equal(of_frame.inverse_transform(dense), back)
    if not isinstance(model, sf.PCA | sf.IncrementalPCA | sf.TruncatedSVD | sf.Pipeline):
        np.testing.assert_allclose(np.asarray(back, float), rows, atol=1e-12)
