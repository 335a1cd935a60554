# SPDX-License-Identifier: BSD-3-Clause
"""Files of earlier versions: each is read, and answers as it did when it was written.

``python -m tests.interchange.test_golden_files`` writes those of the installed version, once,
before its release, and those of models that came to the table since. No file is written again:
where one is not read any more, the reader is mended.
"""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

import statfast as s

FOLDER = Path(__file__).parent / "golden"
RNG = np.random.default_rng(11)
X = RNG.normal(size=(30, 3)).round(3)
COUNTS = RNG.integers(0, 4, (30, 3)).astype(float)
LABELS = np.where(X[:, 0] + X[:, 1] > 0, "yes", "no")
CLASSES = np.array(["a", "b", "c"])[np.digitize(X[:, 0], [-0.5, 0.5])]
NUMBERS = X @ [1.0, -2.0, 0.5] + 0.1 * X[:, 0] ** 2
WITH_GAPS = np.where(RNG.random(X.shape) < 0.1, np.nan, X)
WORDS = ["the cat sat", "a dog ran", "the dog sat down", "cats and dogs", "rain again"] * 6
GROUPS = np.array([["red", "blue", "green"][i % 3] for i in range(30)], dtype=object)[:, None]

MODELS = {
    "AdaBoostClassifier": lambda: s.AdaBoostClassifier(n_estimators=3).fit(X, CLASSES),
    "BernoulliNB": lambda: s.BernoulliNB().fit(X, LABELS),
    "CategoricalNB": lambda: s.CategoricalNB(min_categories=4).fit(COUNTS, LABELS),
    "DecisionTreeClassifier": lambda: s.DecisionTreeClassifier(max_depth=3).fit(
        WITH_GAPS, CLASSES
    ),
    "ElasticNet": lambda: s.ElasticNet(alpha=0.1).fit(X, NUMBERS),
    "GaussianMixture": lambda: s.GaussianMixture(2, random_state=0).fit(X),
    "GaussianNB": lambda: s.GaussianNB().fit(X, CLASSES),
    "GridSearchCV": lambda: s.GridSearchCV(s.Ridge(), {"alpha": [0.1, 1.0]}, cv=3).fit(X, NUMBERS),
    "HistGradientBoostingClassifier": lambda: s.HistGradientBoostingClassifier(
        max_iter=3, min_samples_leaf=3, random_state=0
    ).fit(WITH_GAPS, CLASSES),
    "IsolationForest": lambda: s.IsolationForest(n_estimators=4, random_state=0).fit(X),
    "KMeans": lambda: s.KMeans(3, random_state=0).fit(X),
    "KNeighborsClassifier": lambda: s.KNeighborsClassifier(3, algorithm="kd_tree").fit(X, LABELS),
    "KNeighborsRegressor": lambda: s.KNeighborsRegressor(3).fit(X, NUMBERS),
    "LinearDiscriminantAnalysis": lambda: s.LinearDiscriminantAnalysis().fit(X, CLASSES),
    "LinearRegression": lambda: s.LinearRegression().fit(X, NUMBERS),
    "LinearSVC": lambda: s.LinearSVC().fit(X, CLASSES),
    "MultinomialNB": lambda: s.MultinomialNB().fit(COUNTS, LABELS),
    "NMF": lambda: s.NMF(2, random_state=0).fit(COUNTS),
    "PCA": lambda: s.PCA(2).fit(X),
    "Pipeline": lambda: s.make_pipeline(
        s.ColumnTransformer([("scale", s.StandardScaler(), [0, 1])], remainder="passthrough"),
        s.LogisticRegression(C=1.0),
    ).fit(X, CLASSES),
    "PoissonRegressor": lambda: s.PoissonRegressor().fit(X, COUNTS[:, 0]),
    "QuadraticDiscriminantAnalysis": lambda: s.QuadraticDiscriminantAnalysis().fit(X, LABELS),
    "RandomForestRegressor": lambda: s.RandomForestRegressor(
        n_estimators=3, max_depth=3, random_state=0
    ).fit(X, NUMBERS),
    "SVC": lambda: s.SVC().fit(X, CLASSES),
    "SVR": lambda: s.SVR().fit(X, NUMBERS),
    "BaggingClassifier": lambda: s.BaggingClassifier(
        s.DecisionTreeClassifier(max_depth=2), n_estimators=3, max_features=2, random_state=0
    ).fit(X, CLASSES),
    "CalibratedClassifierCV": lambda: s.CalibratedClassifierCV(s.GaussianNB(), cv=3).fit(
        X, LABELS
    ),
    "ConformalRegressor": lambda: s.ConformalRegressor(s.Ridge(), method="cv+", cv=3).fit(
        X, NUMBERS
    ),
    "HDBSCAN": lambda: s.HDBSCAN(min_cluster_size=4).fit(X),
    "IsotonicRegression": lambda: s.IsotonicRegression(out_of_bounds="clip").fit(
        X[:, 0], NUMBERS
    ),
    "KernelDensity": lambda: s.KernelDensity(bandwidth=0.5).fit(X),
    "KernelRidge": lambda: s.KernelRidge(kernel="rbf", gamma=0.5).fit(X, NUMBERS),
    "KNNImputer": lambda: s.KNNImputer(n_neighbors=2).fit(WITH_GAPS),
    "LogisticRegression": lambda: s.LogisticRegression(C=1.0).fit(X, LABELS),
    "MultiOutputRegressor": lambda: s.MultiOutputRegressor(s.Ridge()).fit(
        X, np.column_stack([NUMBERS, X[:, 1]])
    ),
    "OneHotEncoder": lambda: s.OneHotEncoder(min_frequency=11).fit(GROUPS),
    "OneVsRestClassifier": lambda: s.OneVsRestClassifier(s.GaussianNB()).fit(X, CLASSES),
    "QuantileTransformer": lambda: s.QuantileTransformer(n_quantiles=9).fit(X),
    "StackingRegressor": lambda: s.StackingRegressor(
        [("line", s.Ridge()), ("tree", s.DecisionTreeRegressor(max_depth=2))], cv=3
    ).fit(X, NUMBERS),
    "TfidfVectorizer": lambda: s.TfidfVectorizer().fit(WORDS),
    "VotingClassifier": lambda: s.VotingClassifier(
        [("nb", s.GaussianNB()), ("lda", s.LinearDiscriminantAnalysis())], voting="soft"
    ).fit(X, CLASSES),
}  # fmt: skip
ROWS = {
    **dict.fromkeys(("CategoricalNB", "MultinomialNB", "NMF"), COUNTS),
    "IsotonicRegression": X[:, :1], "OneHotEncoder": GROUPS, "TfidfVectorizer": WORDS,
    "KNNImputer": WITH_GAPS,
}  # fmt: skip
METHODS = ("predict", "predict_proba", "decision_function", "transform", "score_samples")


def answers(model):
    rows = ROWS.get(type(model).__name__, X)
    said = {method: getattr(model, method)(rows) for method in METHODS if hasattr(model, method)}
    if hasattr(model, "labels_"):
        said["labels_"] = model.labels_
    return {
        name: (values.toarray() if hasattr(values, "toarray") else values).tolist()
        for name, values in said.items()
    }


def versions():
    return sorted(path.name for path in FOLDER.iterdir() if path.is_dir())


def test_there_are_files_of_this_format():
    assert versions()
    for version in versions():
        names = {path.stem for path in (FOLDER / version).glob("*.statfast")}
        assert names
        assert names == json.loads((FOLDER / version / "answers.json").read_text("utf-8")).keys()


@pytest.mark.parametrize("version", versions())
def test_files_of_earlier_versions_answer_as_they_did(version):
    kept = json.loads((FOLDER / version / "answers.json").read_text("utf-8"))
    for name, said in kept.items():
        model = s.load(FOLDER / version / f"{name}.statfast")
        assert type(model).__name__ == name
        found = answers(model)
        assert found.keys() >= said.keys(), name
        for method, values in said.items():
            if isinstance(np.ravel(values)[0], str):
                assert found[method] == values, (name, method)
            else:  # products of rows are rounded as each processor does
                np.testing.assert_allclose(found[method], values, 1e-9, 1e-12, err_msg=name)


def write(version):
    folder = FOLDER / version
    folder.mkdir(exist_ok=True)
    kept = folder / "answers.json"
    said = json.loads(kept.read_text("utf-8")) if kept.exists() else {}
    for name, make in MODELS.items():
        if name in said:
            continue
        model = make()
        s.save(model, folder / f"{name}.statfast")
        said[name] = answers(model)
    text = json.dumps(said, separators=(",", ":"))
    kept.write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    write(sys.argv[1] if len(sys.argv) > 1 else s.__version__)
