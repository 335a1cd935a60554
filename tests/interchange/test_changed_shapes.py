# SPDX-License-Identifier: BSD-3-Clause
"""Files of models whose numbers of columns, classes and rows someone changed, or whose arrays.

Each estimator: what does not fit together is refused, and whatever is read never crashes or hangs.
"""

import copy
import inspect
import io
import multiprocessing
import re
import warnings

import numpy as np
import pytest

from statfast import load
from statfast.interchange.files import check_shapes, known_names
from tests.contract import test_contract as contract
from tests.interchange.test_model_files import npy, packed, parts, written

data = contract.data  # the fixture
# What they learn of columns is their number alone.
ONLY_A_NUMBER = {
    "AgglomerativeClustering", "Binarizer", "DummyClassifier", "DummyRegressor",
    "FunctionTransformer", "MissingIndicator", "Normalizer", "PolynomialFeatures",
}  # fmt: skip
# They look at some columns, and more may be there.
SUBSPACE_MODELS = {"ColumnTransformer", "IsolationForest"}


def fitted(cls, data):
    X, y = data
    model = contract.make(cls)
    if cls.__name__ == "SelectFwe":
        model.set_params(score_func=contract.statfast.f_classif)
    return model.fit(X, y), X


def with_state(text, members, **state):
    """The file, with other attributes of its outermost estimator."""
    text = copy.deepcopy(text)
    text["objects"][-1]["state"].update(state)
    return packed(text, members)


@contract.each_estimator
def test_another_number_of_columns_is_refused(cls, data):
    model, X = fitted(cls, data)
    text, members = parts(written(model))
    state = text["objects"][-1]["state"]
    if "n_features_in_" not in state or cls.__name__ in ONLY_A_NUMBER:
        return
    for number in (X.shape[1] - 1, X.shape[1] + 1, 1000):
        if cls.__name__ in SUBSPACE_MODELS and number > X.shape[1]:
            continue
        with pytest.raises(ValueError, match="damaged"):
            load(io.BytesIO(with_state(text, members, n_features_in_=number)))


def declared_names(cls):
    """Attributes that a class, or a base of it, declares or sets."""
    ours = [base for base in cls.__mro__ if base.__module__.startswith("statfast.")]
    return {
        name
        for base in ours
        for name in (
            *inspect.get_annotations(base),
            *vars(base).get("_class_declarations", {}),
            *re.findall(r"\bself\.(\w+)", inspect.getsource(base)),
        )
    }


def test_tables_of_shapes_name_attributes_that_are_there():
    """A renamed attribute would no longer be compared."""
    estimators = {cls.__name__: declared_names(cls) for cls in contract.ESTIMATORS}
    everything = set().union(*estimators.values())
    names = " ".join(
        names
        for table in (check_shapes.ARRAYS, check_shapes.LISTS, check_shapes.ENTRIES)
        for names in table.values()
    ).split()
    assert len(names) > 120
    for name in names:
        owner, _, attribute = name.rpartition(".")
        if not owner:
            assert attribute in everything, name
        elif owner in estimators:
            assert attribute in estimators[owner], name
        else:
            assert attribute in declared_names(known_names.class_of(owner)), name


def references(value):
    """Places of arrays in the text of a file."""
    if isinstance(value, dict):
        if set(value) == {"array"}:
            yield value
            return
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from references(item)


def changed(text, members, rng):
    """The file with arrays in each other's places, or one row or column less or more."""
    text, members = copy.deepcopy(text), dict(members)
    if rng.random() < 0.4:
        places = list(references(text["objects"]))
        first, second = rng.integers(0, len(places), 2)
        places[first]["array"], places[second]["array"] = (
            places[second]["array"], places[first]["array"],
        )  # fmt: skip
        return packed(text, members)
    names = list(members)
    for _ in range(20):
        name = names[rng.integers(len(names))]
        array = np.load(io.BytesIO(members[name]), allow_pickle=False)
        if array.ndim and array.size:
            axis = int(rng.integers(array.ndim))
            if rng.random() < 0.6:
                array = np.delete(array, -1, axis)
            else:
                array = np.concatenate([array, array.take([-1], axis)], axis)
            members[name] = npy(np.ascontiguousarray(array), shape=array.shape)
            break
    return packed(text, members)


def ask(archives, rows):
    """What a process of its own does: it reads each file and asks the model, or it has crashed."""
    for data in archives:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                model = load(io.BytesIO(data))
            except ValueError:
                continue
            for method in (*contract.METHODS, "score_samples", "inverse_transform", "apply"):
                for asked in rows:
                    try:
                        getattr(model, method)(asked)
                    except Exception:
                        continue


@contract.each_estimator
def test_arrays_that_do_not_fit_never_crash(cls, data):
    model, X = fitted(cls, data)
    text, members = parts(written(model))
    rng = np.random.default_rng(sum(map(ord, cls.__name__)))
    archives = [changed(text, members, rng) for _ in range(30)] if members else []
    if "n_features_in_" in text["objects"][-1]["state"]:
        archives += [
            with_state(text, members, n_features_in_=k) for k in (X.shape[1] - 1, X.shape[1] + 1)
        ]
    rows = [X, X[:, :-1], np.column_stack([X, X[:, 0]])]
    process = multiprocessing.get_context("fork").Process(target=ask, args=(archives, rows))
    process.start()
    process.join(600)  # of a machine that others use, too
    alive = process.is_alive()
    process.kill()
    assert not alive
    assert process.exitcode == 0
