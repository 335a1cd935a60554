# SPDX-License-Identifier: BSD-3-Clause
"""Ctrl-C in the middle of a long fit of trees: it is heard, and the estimator stays as it was; and
models that are fitted in one process answer in another."""

import _thread
import pickle
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from statfast import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreesRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from statfast.tree.growing import grow_tree
from tests.data import noise_labels

PATIENCE = 10.0  # seconds: a machine that is busy with other things passes, too
LONG = {  # fits of some 10 000 rows that would take a minute
    "tree": DecisionTreeRegressor(criterion="absolute_error"),
    "surrogates": DecisionTreeClassifier(missing="surrogate"),
    "categories": DecisionTreeClassifier(categorical_features=[0, 1, 2]),
    "forest": RandomForestClassifier(100_000, random_state=0),
    "drawn": ExtraTreesRegressor(100_000, random_state=0),
    "bagging": BaggingClassifier(n_estimators=100_000, random_state=0),
    "stumps": AdaBoostClassifier(n_estimators=1_000_000),
    "deep": AdaBoostClassifier(DecisionTreeClassifier(max_depth=8), n_estimators=100_000),
    "numbers": AdaBoostRegressor(n_estimators=100_000, random_state=0),
    "boosting": HistGradientBoostingClassifier(max_iter=1_000_000, early_stopping=False),
}
ROWS = {"tree": 600_000, "surrogates": 400_000, "categories": 1_500_000}


def noise(n, d=10):
    """Some of the columns are of whole numbers."""
    X, y = noise_labels(n, d)
    X[:, :3] = np.floor(20 * np.abs(X[:, :3]))
    return X, y


@pytest.mark.once
@pytest.mark.parametrize("kind", LONG)
def test_a_long_fit_hears_ctrl_c(kind):
    model, few, many = LONG[kind], noise(60), noise(ROWS.get(kind, 10_000))
    if kind == "numbers":  # noise alone would end it early
        few, many = (few[0], few[0][:, 3:].sum(axis=1)), (many[0], many[0][:, 3:].sum(axis=1))
    if kind == "surrogates":
        many[0][np.random.default_rng(1).random(many[0].shape) < 0.2] = np.nan
    name = {"boosting": "max_iter"}.get(kind, "n_estimators")
    long = model.get_params().get(name)
    if long is not None:
        model.set_params(**{name: 3})
    before = model.fit(*few).predict(few[0])
    if long is not None:
        model.set_params(**{name: long})
    fired = []

    def fire():
        fired.append(time.monotonic())
        _thread.interrupt_main()

    timer = threading.Timer(0.2, fire)
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            model.fit(*many)
    finally:
        timer.cancel()
    assert fired
    assert time.monotonic() - fired[0] < PATIENCE
    np.testing.assert_array_equal(model.predict(few[0]), before)
    if long is not None:
        model.set_params(**{name: 3})
    np.testing.assert_array_equal(model.fit(*few).predict(few[0]), before)


@pytest.mark.parametrize("kind", ["medians", "missing", "surrogates", "categories"])
def test_one_column_of_a_large_node_is_searched_in_pieces(kind, monkeypatch):
    """Between two checkpoints there are few rows, and pieces do not change the tree."""
    X, _ = noise(900)
    rng = np.random.default_rng(1)
    Y = X[:, :2] - X[:, 2:4] + rng.normal(size=(900, 2))
    weight = rng.uniform(1, 2, 900)
    if kind != "medians":
        X[rng.random(X.shape) < 0.2] = np.nan
    model = DecisionTreeRegressor(criterion="absolute_error", max_depth=4)
    if kind in ("surrogates", "categories"):
        held = [0, 1] if kind == "categories" else None
        model = DecisionTreeRegressor(
            max_depth=4, missing="surrogate", max_surrogates=3, categorical_features=held
        )
    whole = model.fit(X, Y, sample_weight=weight)
    want, said = pickle.dumps(whole.tree_), whole.predict(X)
    count = 0

    def counted(checkpoint=grow_tree.checkpoint):
        nonlocal count
        count += 1
        checkpoint()

    monkeypatch.setattr(grow_tree, "checkpoint", counted)
    for jobs in (1, 2):
        model.set_params(n_jobs=jobs).fit(X, Y, sample_weight=weight)
        before = count
        for name, value in {
            "MEDIAN_STEPS_PER_CALL": 100,
            "SORTED_ROW_COLUMNS_PER_CALL": 1,
            "MEDIAN_ROW_COLUMNS_PER_CALL": 1,
        }.items():
            monkeypatch.setattr(grow_tree, name, value)
        count = 0
        model.fit(X, Y, sample_weight=weight)
        # medians of the root alone: rows on both sides, of both outputs, of 10 columns
        assert count - before > (4 * 10 * 900 // 100 if kind in ("medians", "missing") else 10)
        assert pickle.dumps(model.tree_) == want
        np.testing.assert_array_equal(model.predict(X), said)
        monkeypatch.undo()
        monkeypatch.setattr(grow_tree, "checkpoint", counted)
        count = 0


FITTED = [
    DecisionTreeClassifier(max_depth=5),
    DecisionTreeClassifier(max_depth=5, categorical_features=[0], missing="surrogate"),
    DecisionTreeClassifier(max_depth=4, priors="uniform", cost=[[0.0, 3.0], [1.0, 0.0]]),
    DecisionTreeRegressor(max_depth=5),
    RandomForestClassifier(5, random_state=0),
    RandomForestRegressor(5, random_state=0),
    BaggingClassifier(n_estimators=4, random_state=0),
    AdaBoostClassifier(n_estimators=5),
    HistGradientBoostingClassifier(max_iter=5, categorical_features=[0]),
    HistGradientBoostingRegressor(max_iter=5),
]
ANSWER = """
import pickle, sys
model, X = pickle.load(sys.stdin.buffer)
method = getattr(model, "predict_proba", model.predict)
sys.stdout.buffer.write(pickle.dumps(method(X)))
"""


@pytest.mark.once
def test_fitted_models_answer_in_another_process():
    X, y = noise(400)
    for model in FITTED:
        model.fit(X, y)
        said = getattr(model, "predict_proba", model.predict)(X)
        run = subprocess.run(
            [sys.executable, "-c", ANSWER], input=pickle.dumps((model, X)), capture_output=True,
            check=False,
        )  # fmt: skip
        assert run.returncode == 0, run.stderr.decode()
        assert pickle.loads(run.stdout).tobytes() == said.tobytes()
