# SPDX-License-Identifier: BSD-3-Clause
"""Exceptions, warnings and the wording they share.

scikit-learn's meta-estimators, and its users, catch scikit-learn's own ``NotFittedError`` and
filter its warnings. Where scikit-learn is already loaded, what is raised here is therefore *both*
its class and ours; it is never imported for the purpose.
"""

from __future__ import annotations

import reprlib
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from types import FrameType
from typing import Any, TypeAlias

import numpy as np

# A line of a program: file, number, module, and the warnings that it has given.
Place: TypeAlias = tuple[str, int, str, dict[Any, Any]] | None


class NotFittedError(ValueError, AttributeError):
    """Exception raised when an estimator is used before ``fit``.

    Examples
    --------
    >>> from statfast import KMeans, NotFittedError
    >>> try:
    ...     KMeans(3).predict([[1.0, 2.0]])
    ... except NotFittedError as error:
    ...     print(type(error).__name__, "is a ValueError:", isinstance(error, ValueError))
    NotFittedError is a ValueError: True
    """


class ConvergenceWarning(UserWarning):
    """Warning: a solver stopped before converging.

    Examples
    --------
    >>> import warnings
    >>> from statfast import ConvergenceWarning, KMeans
    >>> from statfast.datasets import load_iris
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", ConvergenceWarning)
    ...     model = KMeans(3, max_iter=1, random_state=0).fit(load_iris().data)
    >>> model.n_iter_, model.converged_
    (1, False)
    """


class SeparationWarning(UserWarning):
    """Warning: maximum likelihood estimates do not exist, as classes are separated.

    Examples
    --------
    >>> import warnings
    >>> from statfast import LogisticRegression, SeparationWarning
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", SeparationWarning)
    ...     try:
    ...         LogisticRegression().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    ...     except SeparationWarning as warning:
    ...         print(warning)
    The classes are completely separated by (Intercept), x0: the likelihood has no
    finite maximum, and these coefficients are infinite; the values reported are
    where the iteration stopped. Use method='firth' or C=1.0, or drop columns.
    """


class CollinearityWarning(UserWarning):
    """Warning: features were left out as they depend linearly on those before them.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> from statfast import CollinearityWarning, LinearRegression
    >>> X = np.array([[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]])  # the second is twice the first
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     model = LinearRegression().fit(X, [1.0, 2.0, 4.0])
    >>> caught[0].category.__name__
    'CollinearityWarning'
    >>> print(caught[0].message)
    X has columns that depend on those before them, or are constant: x1. Their
    coefficients are set to 0 and left out of all tests. Drop them from X.
    """


class UndefinedMetricWarning(UserWarning):
    """Warning: a metric is undefined on the data, such as a proportion of no samples.

    Examples
    --------
    >>> import warnings
    >>> from statfast import UndefinedMetricWarning
    >>> from statfast.metrics import precision_score
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", UndefinedMetricWarning)
    ...     try:
    ...         precision_score([0, 1, 1], [0, 0, 0])
    ...     except UndefinedMetricWarning as warning:
    ...         print(warning)
    Precision is undefined, being a share of no rows, and set to 0.0. Use the
    zero_division parameter to control this behavior.
    """


class FitFailedWarning(RuntimeWarning):
    """Warns that an estimator could not be fitted to the rows of a fold.

    Examples
    --------
    >>> import warnings
    >>> from statfast import FitFailedWarning, PoissonRegressor
    >>> from statfast.model_selection import cross_val_score
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [1.0, 2.0, -1.0, 4.0]  # a count below 0
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     scores = cross_val_score(PoissonRegressor(), X, y, cv=2)
    >>> [warning.category.__name__ for warning in caught], scores
    (['FitFailedWarning'], array([nan, nan]))
    """


class DataConversionWarning(UserWarning):
    """Warning: input was converted, such as a column of targets to one dimension.

    Examples
    --------
    >>> import warnings
    >>> from statfast import DataConversionWarning, LogisticRegression
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", DataConversionWarning)
    ...     try:
    ...         LogisticRegression().fit([[0.0], [1.0], [2.0]], [[0], [1], [0]])
    ...     except DataConversionWarning as warning:
    ...         print(warning)
    A column-vector y was passed when a 1d array was expected. Please change the
    shape of y to (n_samples,), for example using ravel().
    """


def not_fitted(estimator: object) -> Exception:
    """The exception for using ``estimator`` before ``fit``; the caller raises it."""
    name = type(estimator).__name__
    return _known_to_sklearn(NotFittedError)(
        f"This {name} instance is not fitted yet. Call fit before using it."
    )


def warn_not_converged(estimator: object, n_iter: int, fix: str = "Raise max_iter or tol.") -> None:
    """Warn that ``estimator`` stopped after ``n_iter`` iterations without converging."""
    name = type(estimator).__name__
    _warn(ConvergenceWarning, f"{name} did not converge in {n_iter} iterations. {fix}")


def warn_column_vector(name: str = "y") -> None:
    """Warn that labels came as a column; the wording is the one scikit-learn's users filter on."""
    _warn(
        DataConversionWarning,
        f"A column-vector {name} was passed when a 1d array was expected. "
        f"Please change the shape of {name} to (n_samples,), for example using ravel().",
    )


def warn_user(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn with ``message``, pointing at the first caller outside statfast."""
    _warn(category, message)


def wrong_type(name: str, wanted: str, value: object) -> TypeError:
    """The TypeError for a parameter of the wrong type; the caller raises it."""
    if isinstance(value, type) and hasattr(value, "fit"):
        kind = value.__name__
        return TypeError(f"{name} must be {wanted}; got the class {kind}. Pass an instance of it.")
    return TypeError(f"{name} must be {wanted}; got {shown(value)} ({type(value).__name__}).")


def unusable_model(model: object, wanted: str, name: str = "model") -> Exception:
    """The exception for a model that has not what is needed of it; the caller raises it.

    It is not fitted, or fitted and of another kind than `wanted`.
    """
    ask = getattr(model, "__sklearn_is_fitted__", None)
    state = getattr(model, "__dict__", {})
    fitted = ask() if callable(ask) else any(key.endswith("_") and key[0] != "_" for key in state)
    unfitted = hasattr(model, "fit") and not isinstance(model, type) and not fitted
    return not_fitted(model) if unfitted else wrong_type(name, wanted, model)


def did_you_mean(name: str, names: Iterable[object]) -> str:
    """``" Did you mean 'ward'?"`` of the nearest of some names, or nothing if none is near."""
    import difflib

    by_lower = {known.lower(): known for known in names if isinstance(known, str)}
    close = difflib.get_close_matches(name.lower(), by_lower, n=1, cutoff=0.6)
    return f" Did you mean {by_lower[close[0]]!r}?" if close else ""


def either(choices: Iterable[object]) -> str:
    """``'a', 'b' or 'c'``, as a sentence lists them."""
    *first, last = map(repr, choices)
    return f"{', '.join(first)} or {last}" if first else last


def shown(value: object) -> str:
    """``repr(value)``, shortened so that it fits in a sentence."""
    return _SHORT.repr(value)


# The packages whose frames may lie between a warning and the caller; scipy's do where it calls us
# back.
_INSIDE = ("statfast.", "scipy.", "numpy.")


class _Short(reprlib.Repr):
    """As `reprlib.Repr`, with numpy's scalars as the numbers and strings that they are."""

    def repr1(self, x: Any, level: int) -> str:
        plain = x.item() if isinstance(x, np.number | np.bool_ | np.str_) else x
        return super().repr1(plain, level)


_SHORT = _Short()
_SHORT.maxstring = _SHORT.maxother = 80


def _known_to_sklearn(ours: type[Any]) -> type[Any]:
    module = sys.modules.get("sklearn.exceptions")
    sklearn_class = getattr(module, ours.__name__, None)
    return ours if sklearn_class is None else _joined(ours, sklearn_class)  # type: ignore[arg-type]


@cache
def _joined(ours: type[Any], sklearn_class: type[Any]) -> type[Any]:
    # Pickle finds a class by its module and name, where it would find only ours.
    def reduce(self: Any) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return _revived, (ours, self.args)

    namespace = {"__doc__": ours.__doc__, "__module__": ours.__module__, "__reduce__": reduce}
    return type(ours.__name__, (ours, sklearn_class), namespace)


def _revived(ours: type[Any], args: tuple[Any, ...]) -> Any:
    return _known_to_sklearn(ours)(*args)


def place_of_call() -> Place:
    """The line outside statfast that made the call in progress, for warnings of threads that do a
    part of it: file, number, module, and the registry of warnings given there."""
    frame, _ = _outside()
    if frame is None:
        return None
    registry = frame.f_globals.setdefault("__warningregistry__", {})
    name = frame.f_globals.get("__name__", "<string>")
    return frame.f_code.co_filename, frame.f_lineno, name, registry


@contextmanager
def warning_at(place: Place) -> Iterator[None]:
    """Have warnings of a thread without a caller of its own point at the place of another call."""
    token = _place.set(place)
    try:
        yield
    finally:
        _place.reset(token)


_place: ContextVar[Place] = ContextVar("place of warnings", default=None)


def _outside() -> tuple[FrameType | None, int]:
    """The first frame outside statfast, or None, and the level that this is for the caller."""
    level = 0
    frame: FrameType | None = sys._getframe()
    while frame is not None and frame.f_globals.get("__name__", "").startswith(_INSIDE):
        frame, level = frame.f_back, level + 1
    return frame, level


def _warn(category: type[Warning], message: str) -> None:
    (frame, level), place = _outside(), _place.get()
    category = _known_to_sklearn(category)
    if place is not None and (frame is None or frame.f_globals.get("__name__") == "threading"):
        warnings.warn_explicit(message, category, *place)
    else:
        warnings.warn(message, category, stacklevel=level)
