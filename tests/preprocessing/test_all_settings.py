# SPDX-License-Identifier: BSD-3-Clause
"""Encoders and imputers at all combinations of their settings: scikit-learn's answers."""

from itertools import product

import numpy as np
import pytest

import statfast


def peer(name, module, **params):
    return getattr(pytest.importorskip(module), name)(**params)


def answer(function, *args):
    """What a call gives, or the type of its exception."""
    try:
        made = function(*args)
    except (ValueError, TypeError, AttributeError) as error:  # the last in scikit-learn's sentence
        return type(error)
    return made.toarray() if hasattr(made, "toarray") else made


def assert_equal(ours, reference, params):
    if isinstance(ours, type) or isinstance(reference, type):
        assert isinstance(ours, type) == isinstance(reference, type), params
    else:
        np.testing.assert_allclose(ours, reference, rtol=1e-12, err_msg=str(params))


def words(n, seed):
    rng = np.random.default_rng(seed)
    table = np.empty((n, 3), dtype=object)
    table[:, 0] = rng.choice(["x", "y", "z", "w", "v"], n, p=[0.5, 0.25, 0.15, 0.07, 0.03])
    table[:, 1] = rng.choice([1.0, 2.0, 5.0], n)
    table[:, 2] = rng.choice(["p", "q"], n)
    table[5, 0] = table[6, 0] = table[7, 1] = np.nan
    return table


TRAIN, NEW = words(60, 0), words(20, 1)
STRANGE = NEW.copy()
STRANGE[3, 0], STRANGE[4, 1] = "new", 9.0


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("handle_unknown", ["error", "ignore", "infrequent_if_exist", "warn"])
def test_one_hot(handle_unknown):
    drops = (None, "first", "if_binary", np.array(["x", 1.0, "p"], dtype=object))
    settings = product((None, 5, 0.1), (None, 1, 2, 3), drops, (True, False))
    for min_frequency, max_categories, drop, sparse_output in settings:
        params = {
            "handle_unknown": handle_unknown, "min_frequency": min_frequency,
            "max_categories": max_categories, "drop": drop, "sparse_output": sparse_output,
        }  # fmt: skip
        ours = statfast.OneHotEncoder(**params)
        reference = peer("OneHotEncoder", "sklearn.preprocessing", **params)
        fits = [answer(model.fit, TRAIN) for model in (ours, reference)]
        assert isinstance(fits[0], type) == isinstance(fits[1], type), params
        if isinstance(fits[0], type):
            continue
        names = [model.get_feature_names_out().tolist() for model in (ours, reference)]
        assert names[0] == names[1], params
        for rows in (TRAIN, NEW, STRANGE):
            assert_equal(answer(ours.transform, rows), answer(reference.transform, rows), params)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("unknown_value", [None, -1, np.nan, 50])
def test_ordinal(unknown_value):
    ways = ("error",) if unknown_value is None else ("use_encoded_value",)
    settings = product(ways, (np.nan, -2), (None, 5, 0.1), (None, 1, 2, 3))
    for handle_unknown, encoded_missing_value, min_frequency, max_categories in settings:
        params = {
            "handle_unknown": handle_unknown, "unknown_value": unknown_value,
            "encoded_missing_value": encoded_missing_value, "min_frequency": min_frequency,
            "max_categories": max_categories,
        }  # fmt: skip
        ours = statfast.OrdinalEncoder(**params)
        reference = peer("OrdinalEncoder", "sklearn.preprocessing", **params)
        fits = [answer(model.fit, TRAIN) for model in (ours, reference)]
        assert isinstance(fits[0], type) == isinstance(fits[1], type), params
        if isinstance(fits[0], type):
            continue
        for rows in (TRAIN, NEW, STRANGE):
            assert_equal(answer(ours.transform, rows), answer(reference.transform, rows), params)


def numbers(n, seed, missing):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    X[rng.random(X.shape) < 0.2] = np.nan
    X[:, 2] = np.nan
    return np.where(np.isnan(X), missing, X)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("missing_values", [np.nan, 1.0])
@pytest.mark.parametrize("keep_empty_features", [False, True])
@pytest.mark.parametrize("add_indicator", [False, True])
def test_imputers(add_indicator, keep_empty_features, missing_values):
    train, new = (numbers(n, seed, missing_values) for n, seed in ((40, 0), (15, 1)))
    shared = {
        "add_indicator": add_indicator, "keep_empty_features": keep_empty_features,
        "missing_values": missing_values,
    }  # fmt: skip
    strategies = product(("mean", "median", "most_frequent", "constant"), (None, -1.5))
    simple = [{"strategy": rule, "fill_value": value} for rule, value in strategies]
    weights = product((1, 3, 50), ("uniform", "distance"))
    near = [{"n_neighbors": k, "weights": rule} for k, rule in weights]
    for name, ways in (("SimpleImputer", simple), ("KNNImputer", near)):
        for way in ways:
            params = {**shared, **way}
            ours = getattr(statfast, name)(**params).fit(train)
            reference = peer(name, "sklearn.impute", **params).fit(train)
            for rows in (train, new):
                assert_equal(
                    answer(ours.transform, rows), answer(reference.transform, rows), params
                )
