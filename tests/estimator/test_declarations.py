# SPDX-License-Identifier: BSD-3-Clause
"""Parameters are declared once: constructors, their checks, and what tests read from them."""

from __future__ import annotations

import copy
import inspect
import pickle
import statistics
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import pytest

from statfast._estimator import (
    Estimator,
    array,
    by_fit,
    count,
    fitted,
    flag,
    nothing,
    one_of,
    param,
    real,
    removed,
)
from tests.contract import test_contract as contract
from tests.fuzz import surface

ESTIMATORS = {
    name: thing.call
    for name, thing in surface.public().items()
    if thing.is_class and issubclass(thing.call, Estimator) and name not in contract.OF_LABELS
}
DECLARED = [(name, key) for name, kind in ESTIMATORS.items() for key in kind._declared]


class Balls(Estimator):
    """An estimator with parameters of several kinds."""

    n_balls: int = param(count(), default=8, kw_only=False)
    tol: float | None = param(nothing | real(0, 1, open_low=True), default=1e-4)
    start: object = param(one_of("first", "random") | array, default="first")

    labels_: np.ndarray = fitted()


class FewBalls(Balls):
    """Another default, a parameter less and one more."""

    n_balls: int = param(count(high=3), default=2, kw_only=False)
    tol: float | None = removed()
    fast: bool = param(flag)


class FewestBalls(FewBalls):
    """What it is derived from, unchanged."""


class UsersBalls(Balls):
    """As users derive one: with annotations, attributes, and a constructor."""

    noted: int

    def __init__(self, n_balls=3, *, color="red"):
        super().__init__(n_balls)
        self.color = color


def test_the_signature_is_that_of_the_declarations():
    signature = "(n_balls=8, *, tol: float | None = 0.0001, start: object = 'first')"
    assert str(inspect.signature(Balls)) == signature
    few = inspect.signature(FewBalls)
    assert list(few.parameters) == ["n_balls", "fast", "start"]
    assert few.parameters["n_balls"].default == 2
    assert inspect.signature(FewestBalls) == few
    assert str(inspect.signature(UsersBalls)) == "(n_balls=3, *, color='red')"


def test_signatures_are_short_and_annotations_whole():
    class Words(Estimator):
        """Parameters with long annotations."""

        weights: Literal["a", "b"] | Callable[..., Any] = param(by_fit, default="a")
        words: Literal["a", "b"] = param(by_fit, default="a")
        table: dict[Any, Any] | None = param(by_fit)

    shown = "(*, weights: str | Callable = 'a', words='a', table: dict | None)"
    assert str(inspect.signature(Words)) == shown
    assert Words.__init__.__annotations__["words"] == "Literal['a', 'b']"


def test_signatures_of_estimators_are_read_at_a_glance():
    kinds = [
        kind
        for kind in ESTIMATORS.values()
        if "__signature__" in getattr(kind.__init__, "__dict__", ())
    ]
    assert len(kinds) > 80
    assert statistics.median(len(str(inspect.signature(kind))) for kind in kinds) < 200


def test_the_constructor_stores_its_arguments_unchanged():
    centers = np.ones((2, 2))
    model = Balls(np.int8(3), start=centers)
    assert list(vars(model)) == ["n_balls", "tol", "start"]
    assert type(model.n_balls) is np.int8
    assert model.start is centers
    assert Balls(n_balls=-1).get_params() == {"n_balls": -1, "tol": 1e-4, "start": "first"}
    assert UsersBalls(4).get_params() == {"n_balls": 4, "color": "red"}
    assert copy.copy(model).start is centers
    assert pickle.loads(pickle.dumps(model)).n_balls == 3


def test_declarations_leave_no_attributes():
    for name in ("n_balls", "tol", "labels_"):
        assert not hasattr(Balls, name)
    assert not hasattr(FewBalls(fast=True), "tol")
    with pytest.raises(AttributeError):
        Balls().labels_  # noqa: B018


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Balls(1, 2), "Balls takes n_balls by position; got 2 arguments"),
        (lambda: Balls(1, n_balls=2), "Balls got two values for 'n_balls'"),
        (lambda: Balls(toll=2), "Balls has no parameter 'toll'. Did you mean 'tol'?"),
        (lambda: FewBalls(fast=True, tol=2), "FewBalls has no parameter 'tol'"),
        (lambda: FewBalls(), "FewBalls needs 'fast'"),
    ],
)
def test_wrong_calls_are_refused(call, message):
    with pytest.raises(TypeError, match=f"^{message}".replace("?", r"\?")):
        call()


def test_checked_values():
    given = Balls(np.int8(3), tol=1)._checked()
    assert (type(given.n_balls), type(given.tol)) == (int, float)
    assert Balls(tol=None)._checked_value("tol") is None
    with pytest.raises(ValueError, match="n_balls must be between 1 and 3; got 4"):
        FewBalls(4, fast=True)._checked()
    with pytest.raises(TypeError, match="tol must be a number or None; got 'much'"):
        Balls(tol="much")._checked()
    with pytest.raises(ValueError, match="start must be 'first' or 'random'; got 'last'"):
        Balls(start="last")._checked_value("start")


@pytest.mark.parametrize(("name", "key"), DECLARED)
def test_checks_agree_with_their_levels(name, key):
    declared = ESTIMATORS[name]._declared[key]
    assert isinstance(declared.annotation, str)
    if declared.default is not inspect.Parameter.empty:
        declared.check(declared.default, key)
    for level in declared.check.levels(declared.default):
        declared.check(level, key)
    for value in declared.check.refused():
        with pytest.raises((ValueError, TypeError), match=rf"\b{key}\b"):
            declared.check(value, key)


@pytest.mark.parametrize("name", sorted({name for name, _ in DECLARED}))
def test_refused_values_are_refused_by_fit(name):
    """By the constructor nothing is refused, by fit all that the check refuses."""
    kind = ESTIMATORS[name]
    rng = np.random.default_rng(0)
    X = rng.integers(1, 9, (40, 3)).astype(float)
    y = rng.integers(0, 2, 40) + 1
    for key, declared in kind._declared.items():
        for value in declared.check.refused():
            model = contract.make(kind, **{key: value})
            with pytest.raises((ValueError, TypeError), match=rf"\b{key}\b"):
                model.fit(X, y)
            assert not model.__sklearn_is_fitted__() or not model.__sklearn_tags__().requires_fit


def test_dask_tells_two_fits_apart():
    tokenize = pytest.importorskip("dask.base").tokenize
    from statfast import GaussianNB

    X = np.arange(12.0).reshape(6, 2)
    first, second = (GaussianNB().fit(rows, [0, 1] * 3) for rows in (X, X**2))
    assert tokenize(first) != tokenize(second)
    assert tokenize(first) == tokenize(copy.deepcopy(first))
