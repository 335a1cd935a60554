# SPDX-License-Identifier: BSD-3-Clause
"""Wrappers take what their members take, and hand it on unchanged, with the names of columns."""

import pickle

import numpy as np
import pytest
from scipy import sparse

import statfast as sf
from statfast import make_pipeline

pd = pytest.importorskip("pandas")
RNG = np.random.default_rng(0)
N = 72
Y = RNG.permutation(np.repeat(["low", "mid", "top"], N // 3))
KIND = np.where(RNG.random(N) < 0.85, Y, RNG.permutation(Y))
SIZE = RNG.normal(size=N) + 2.0 * (Y == "top")
GAPS = np.where(np.arange(N) % 9 == 0, np.nan, SIZE)
INDEX = RNG.permutation(N) // 2  # neither in order nor unique
FRAME = pd.DataFrame({"kind": KIND, "size": GAPS}, index=INDEX)
NUMBERS = FRAME[["size"]].assign(other=RNG.normal(size=N) - 3.0 * (Y == "low"))
COLUMNS = sf.ColumnTransformer(
    [("kinds", sf.OneHotEncoder(handle_unknown="ignore"), ["kind"]),
     ("sizes", sf.SimpleImputer(), ["size"])]
)  # fmt: skip
LOGISTIC = sf.LogisticRegression(C=1.0)
BY_KIND = make_pipeline(sf.OneHotEncoder(handle_unknown="ignore"), LOGISTIC)
WORDS = make_pipeline(sf.CountVectorizer(), sf.MultinomialNB())
TEXTS = [f"{kind} and {kind}" for kind in KIND]
TREE = sf.DecisionTreeClassifier(max_depth=3, random_state=0)
BOOSTING = sf.HistGradientBoostingClassifier(max_iter=4, min_samples_leaf=3)
MEMBERS = {
    "columns of a frame": (make_pipeline(COLUMNS, LOGISTIC), FRAME),
    "frame of strings": (BY_KIND, FRAME[["kind"]]),
    "array of strings": (BY_KIND, KIND[:, None].astype(object)),
    "list of strings": (BY_KIND, KIND[:, None].tolist()),
    "list of texts": (WORDS, TEXTS),
    "column of texts": (WORDS, pd.Series(TEXTS, index=INDEX)),
    "NaN, tree": (TREE, NUMBERS.to_numpy()),
    "NaN, boosting": (BOOSTING, NUMBERS.to_numpy()),
    "frame, tree": (TREE, NUMBERS),
    "frame, boosting": (BOOSTING, NUMBERS),
    "categories, tree": (TREE, FRAME.astype({"kind": "category"})),
    "frame, logistic": (LOGISTIC, NUMBERS.fillna(0.0)),
    "sparse": (LOGISTIC, sparse.csr_array(NUMBERS.fillna(0.0).to_numpy())),
    "sparse, COO": (LOGISTIC, sparse.coo_array(NUMBERS.fillna(0.0).to_numpy())),
}
WRAPPERS = {
    "one vs rest": sf.OneVsRestClassifier,
    "one vs one": sf.OneVsOneClassifier,
    "output codes": lambda member: sf.OutputCodeClassifier(member, random_state=0),
    "bagging": lambda member: sf.BaggingClassifier(member, 4, random_state=0),
    "AdaBoost": lambda member: sf.AdaBoostClassifier(member, n_estimators=3, random_state=0),
    "AdaBoost, resampling": lambda member: sf.AdaBoostClassifier(
        member, n_estimators=3, method="resample", random_state=0
    ),
    "calibration": lambda member: sf.CalibratedClassifierCV(member, cv=3),
    "conformal": lambda member: sf.ConformalClassifier(member, random_state=0),
    "conformal, folds": lambda member: sf.ConformalClassifier(member, method="cv+", cv=3),
    "calibration, one": lambda member: sf.CalibratedClassifierCV(member, cv=3, ensemble=False),
    "costs": lambda member: sf.CostSensitiveClassifier(member, 1.0 - np.eye(3)),
}


def renumbered(X):
    """The same rows under the index that a user sees first."""
    return X.reset_index(drop=True) if hasattr(X, "iloc") else X


@pytest.mark.parametrize("kind", MEMBERS)
@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_a_wrapper_takes_what_its_member_takes(wrapper, kind):
    member, X = MEMBERS[kind]
    model = WRAPPERS[wrapper](member).fit(X, Y)
    predicted, shares = model.predict(X), model.predict_proba(X)
    assert shares.shape == (N, 3)
    assert model.score(X, Y) == (predicted == Y).mean() > 0.5
    assert pickle.loads(pickle.dumps(model)).score(X, Y) == model.score(X, Y)
    plain = WRAPPERS[wrapper](member).fit(renumbered(X), Y)
    np.testing.assert_array_equal(plain.predict_proba(renumbered(X)), shares)
    y = pd.Series(Y, index=INDEX)
    scores = sf.cross_val_score(WRAPPERS[wrapper](member), X, y, cv=2)
    np.testing.assert_array_equal(
        scores, sf.cross_val_score(WRAPPERS[wrapper](member), renumbered(X), Y, cv=2)
    )


@pytest.mark.parametrize("kind", ["frame, logistic", "frame, tree"])
@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_a_frame_of_numbers_gives_what_its_array_gives(wrapper, kind):
    member, X = MEMBERS[kind]
    of_frame = WRAPPERS[wrapper](member).fit(X, Y)
    of_array = WRAPPERS[wrapper](member).fit(X.to_numpy(), Y)
    np.testing.assert_array_equal(of_frame.predict_proba(X), of_array.predict_proba(X.to_numpy()))


def members_of(model):
    if hasattr(model, "calibrated_classifiers_"):
        return [one.estimator for one in model.calibrated_classifiers_]
    return (
        [model.estimator_]
        if isinstance(model, sf.CostSensitiveClassifier | sf.ConformalClassifier)
        else model.estimators_
    )


@pytest.mark.parametrize("kind", ["columns of a frame", "frame, tree", "frame, logistic"])
@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_names_of_columns_reach_the_members(wrapper, kind):
    member, X = MEMBERS[kind]
    model = WRAPPERS[wrapper](member).fit(X, Y)
    for one in members_of(model):
        np.testing.assert_array_equal(one.feature_names_in_, X.columns)
        one.predict(X)  # without a warning
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(X.rename(columns={"size": "weight"}))


@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_other_names_than_at_fit_are_told_once(wrapper):
    member, X = MEMBERS["frame, logistic"]
    for fitted, asked in [(X, X.to_numpy()), (X.to_numpy(), X)]:
        model = WRAPPERS[wrapper](member).fit(fitted, Y)
        with pytest.warns(UserWarning, match="feature names") as told:
            model.predict(asked)
        assert len(told) == 1
        assert type(model).__name__ in str(told[0].message)


@pytest.mark.parametrize("wrapper", WRAPPERS)
@pytest.mark.parametrize("kind", ["frame, logistic", "sparse", "array of strings"])
def test_another_width_than_at_fit_is_refused_by_the_wrapper(wrapper, kind):
    member, X = MEMBERS[kind]
    X = X.to_numpy() if hasattr(X, "iloc") else X
    model = WRAPPERS[wrapper](member).fit(X, Y)
    wide = sparse.csr_array(sparse.hstack([X, X])) if sparse.issparse(X) else np.hstack([X, X])
    words = f"{type(model).__name__} is expecting {X.shape[1]} features"
    with pytest.raises(ValueError, match=words):
        model.predict(wide)


@pytest.mark.parametrize("container", ["polars", "pyarrow"])
@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_texts_of_other_libraries_reach_the_members(wrapper, container):
    library = pytest.importorskip(container)
    texts = library.Series(TEXTS) if container == "polars" else library.array(TEXTS)
    found = WRAPPERS[wrapper](WORDS).fit(texts, Y).predict(texts)
    wanted = WRAPPERS[wrapper](WORDS).fit(TEXTS, Y).predict(TEXTS)
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("container", ["polars", "pyarrow"])
@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_frames_of_other_libraries_reach_the_members(wrapper, container):
    pl = pytest.importorskip("polars")
    pytest.importorskip("pyarrow")
    X = pl.DataFrame({"kind": KIND, "size": GAPS})
    X = X if container == "polars" else X.to_arrow()
    member = MEMBERS["columns of a frame"][0]
    model = WRAPPERS[wrapper](member).fit(X, Y)
    wanted = WRAPPERS[wrapper](member).fit(FRAME, Y).predict_proba(FRAME)
    np.testing.assert_array_equal(model.predict_proba(X), wanted)


@pytest.mark.parametrize(
    "make",
    [
        lambda member: sf.BaggingRegressor(member, 4, random_state=0),
        lambda member: sf.AdaBoostRegressor(member, n_estimators=3, random_state=0),
    ],
)
def test_wrappers_of_regressors_take_what_their_members_take(make):
    y = pd.Series(SIZE, index=INDEX)
    for member, X in [
        (make_pipeline(COLUMNS, sf.Ridge()), FRAME),
        (make_pipeline(sf.CountVectorizer(), sf.Ridge()), TEXTS),
        (sf.DecisionTreeRegressor(max_depth=3), FRAME.astype({"kind": "category"})),
        (sf.HistGradientBoostingRegressor(max_iter=4), NUMBERS),
    ]:
        model = make(member).fit(X, y)
        wanted = make(member).fit(renumbered(X), SIZE).predict(renumbered(X))
        np.testing.assert_array_equal(model.predict(X), wanted)
        assert model.score(X, y) > 0.0


def test_columns_are_drawn_from_frames():
    X = FRAME.assign(kind=FRAME["kind"].astype("category"), again=FRAME["size"], once=SIZE)
    for twice in (False, True):
        model = sf.BaggingClassifier(
            TREE, 5, max_features=0.5, bootstrap_features=twice, random_state=0
        ).fit(X, Y)
        for one, columns in zip(model.estimators_, model.estimators_features_, strict=True):
            np.testing.assert_array_equal(one.feature_names_in_, X.columns[columns])
        assert model.score(X, Y) > 0.5
    arrow = pytest.importorskip("pyarrow").Table.from_pandas(X.select_dtypes("number"))
    model = sf.BaggingClassifier(TREE, 5, bootstrap_features=True, random_state=0).fit(arrow, Y)
    assert model.score(arrow, Y) > 0.5


def test_what_the_member_refuses_is_refused_in_its_words():
    with pytest.raises(ValueError, match="X contains NaN"):
        sf.OneVsRestClassifier(LOGISTIC).fit(NUMBERS, Y)
    for make in WRAPPERS.values():
        with pytest.raises(ValueError, match="X must hold numbers; got"):
            make(LOGISTIC).fit(FRAME[["kind"]], Y)


@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_rows_without_a_shape_are_refused_in_a_sentence(wrapper):
    class Shapeless:
        shape = None

    with pytest.raises(TypeError, match="X must be a 2-d array"):
        WRAPPERS[wrapper](LOGISTIC).fit(Shapeless(), Y)


def test_tags_are_those_of_the_member():
    pytest.importorskip("sklearn")
    for make in WRAPPERS.values():
        for member in (TREE, LOGISTIC, WORDS, sf.GaussianNB()):
            own, given = member.__sklearn_tags__().input_tags, make(member).__sklearn_tags__()
            assert given.input_tags == own
            assert given.estimator_type == "classifier"
