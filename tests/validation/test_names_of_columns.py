# SPDX-License-Identifier: BSD-3-Clause
"""Sentences name the columns of a data frame by their names, and those of an array by number."""

import numpy as np
import pytest

import statfast as sf

pd = pytest.importorskip("pandas")
FRAME = pd.DataFrame({"size": [1.0, 2.0, 3.0, 4.0], "kind": ["a", "b", "b", "c"]})
MIXED = FRAME.assign(kind=["a", 1, "b", 2])
DATES = FRAME.assign(kind=pd.to_datetime(["2020-01-01"] * 4))
HUGE = FRAME.assign(size=[1.0, np.inf, 2.0, 3.0])
NEW = FRAME.assign(kind=["a", "b", "new", "b"])
LISTS = FRAME.assign(kind=[[1], [2], [3], [4]])
Y = [0, 1, 0, 1]


def encoder(make):
    return lambda frame: make().fit(frame)


def transformed(make):
    return lambda frame: make().fit(FRAME).transform(frame)


def gower(frame, **params):
    return sf.metrics.pairwise_distances(frame, metric="gower", **params)


def neighbors(frame):
    model = sf.KNeighborsClassifier(1, metric="gower", metric_params={"kinds": {"kind": "ordinal"}})
    return model.fit(FRAME, Y).predict(frame)


CALLS = {
    "one hot, types": (encoder(sf.OneHotEncoder), MIXED),
    "one hot, dates": (encoder(sf.OneHotEncoder), DATES),
    "ordinal, types": (encoder(sf.OrdinalEncoder), MIXED),
    "one hot, unknown": (transformed(sf.OneHotEncoder), NEW),
    "ordinal, unknown": (transformed(sf.OrdinalEncoder), NEW),
    "given twice": (
        encoder(lambda: sf.OrdinalEncoder(categories=[[1, 2, 3, 4], ["a", "a"]])),
        FRAME,
    ),
    "none given": (encoder(lambda: sf.OneHotEncoder(categories=[[1, 2, 3, 4], []])), FRAME),
    "gower, types": (lambda frame: gower(frame, kinds={"kind": "ordinal"}), MIXED),
    "gower, dates": (gower, DATES),
    "gower, lists": (gower, LISTS),
    "gower, no number": (lambda frame: gower(frame, kinds={"kind": "numeric"}), FRAME),
    "gower, asymmetric": (lambda frame: gower(frame, kinds={"kind": "asymmetric"}), FRAME),
    "gower, kind": (lambda frame: gower(frame, kinds={"kind": "large"}), FRAME),
    "gower, unseen": (neighbors, NEW),
}


@pytest.mark.parametrize("kind", CALLS)
def test_columns_are_named_in_errors(kind):
    call, frame = CALLS[kind]
    with pytest.raises((TypeError, ValueError), match=r"[Cc]olumn 'kind'"):
        call(frame)


@pytest.mark.parametrize("call", [encoder(sf.OneHotEncoder), gower])
def test_columns_of_numbers_are_named_too(call):
    with pytest.raises(ValueError, match="column 'size'"):
        call(HUGE)


@pytest.mark.parametrize("call", [encoder(sf.OrdinalEncoder), gower])
def test_columns_without_names_are_numbered(call):
    with pytest.raises(ValueError, match="X, column 0, contains infinity"):
        call(HUGE.set_axis([5, 6], axis=1))
    with pytest.raises((TypeError, ValueError), match="in column 1"):
        call(DATES.set_axis([5, 6], axis=1))


def test_columns_are_named_in_answers_that_cannot_be_turned_back():
    model = sf.OrdinalEncoder().fit(FRAME)
    with pytest.raises(ValueError, match="in column 'kind', which is the number of no category"):
        model.inverse_transform([[0.0, 7.0]])
    with pytest.raises(ValueError, match="drop has 'z' for column 'kind'"):
        sf.OneHotEncoder(drop=[1.0, "z"]).fit(FRAME)


def test_columns_of_naive_bayes_are_named():
    model = sf.MixedNB({"size": "gaussian", "kind": "categorical"}).fit(FRAME, Y)
    with pytest.raises(ValueError, match="the category 'new' in column 'kind'"):
        model.predict(NEW)
    with pytest.raises(ValueError, match="column 'kind'"):
        sf.MixedNB({"size": "gaussian", "kind": "categorical"}).fit(
            FRAME.assign(kind=["a", None, "b", "b"]), Y
        )
