# SPDX-License-Identifier: BSD-3-Clause
"""Dispatch of rows in parts or lazy arrays: what `fit`, `predict` and their like do with them.

`Estimator` wraps these methods once for all classes. A class takes part in ``fit`` by its method
``_fit_source(source, X)``, as those do whose fit is a sum (`SumFit`). All fitted estimators
predict: block by block, of the kind of the input, and lazily.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable
from functools import partial, wraps
from typing import Any, TypeAlias, TypeVar

import numpy as np

from statfast._engine import (
    Parts,
    Work,
    as_documents,
    as_pairs,
    as_parts,
    close_call,
    end_fits,
    hook,
    is_distributed,
    open_call,
)
from statfast._estimator.mixins import name_of_rows
from statfast._estimator.pairwise_rows import is_pairwise
from statfast._estimator.sums.part_sums import NamedRows, named_rows
from statfast._typing import Array
from statfast._validation import (
    as_labels,
    as_targets,
    as_weights,
    column_names,
    holds_float32,
    name_column,
    refuse_repeated_names,
)

MAPPED = (
    "predict", "predict_proba", "predict_log_proba", "decision_function", "transform",
)  # fmt: skip
Measure = TypeVar("Measure", bound=Callable[..., Any])
Sent: TypeAlias = tuple[Any, str, tuple[Any, ...], dict[str, Any]]  # a model, method, arguments
ADVICE = "Pass rows in memory (X.compute(), if they fit), or a sample of them."


def dispatch_methods(cls: type) -> None:
    """Let the methods of a class, its own and those of its mixins, take rows that lie elsewhere."""
    part_methods: dict[str, Any] = {name: partial(_mapped, name) for name in MAPPED}
    part_methods |= {"fit": _fit, "fit_transform": _fit_transform, "score": _score}
    for name, part_method in part_methods.items():
        method = inspect.getattr_static(cls, name, None)
        if inspect.isfunction(method) and not hasattr(method, "is_dispatched"):
            setattr(cls, name, dispatching(method, part_method))


def dispatching(method: Callable[..., Any], part_method: Callable[..., Any]) -> Callable[..., Any]:
    rows, name = name_of_rows(method), method.__name__
    is_fit = name == "fit"
    becomes_fitted = name in ("fit", "fit_transform")

    @wraps(method)
    def dispatched(self: Any, *args: Any, **options: Any) -> Any:
        if not args and rows in options:
            args = (options.pop(rows),)
        X = args[0] if args else None  # where the method has a default
        if X is not None and type(X) is not np.ndarray:
            if is_distributed(X):
                return part_method(self, *args, **options)
            # Of named rows, which models make, and of rows drawn twice, columns may be drawn twice.
            if not isinstance(X, NamedRows) and not is_pairwise(self):
                refuse_repeated_names(X)
        call, verbose = None, is_fit and self.__dict__.get("verbose")
        if verbose or hook() is not None:
            shown = verbose and self._reports_by_bar()
            call = open_call(f"{type(self).__name__}.{name}", self, shown)
        try:
            answer = method(self, *args, **options)
        except ValueError as error:
            name_column(error, X)
            raise
        finally:
            if call is not None:
                close_call(call)
        if becomes_fitted and self._follows_rows and holds_float32(X):
            self._follow_float32()
        return answer

    dispatched.is_dispatched = True  # type: ignore[attr-defined]
    return dispatched


def dispatching_pairs(part_measure: Any) -> Callable[[Measure], Measure]:
    """Let a measure of truth and predictions take those in parts: ``other(parts, ...)``."""

    def decorated(measure: Measure) -> Measure:
        @wraps(measure)
        def dispatched(*args: Any, **options: Any) -> Any:
            if not any(is_distributed(value) for value in (*args, *options.values())):
                return measure(*args, **options)
            arguments = inspect.signature(measure).bind(*args, **options).arguments
            truth, predicted = (arguments.pop(name) for name in list(arguments)[:2])
            return part_measure(
                as_pairs(truth, predicted, arguments.pop("sample_weight", None)), **arguments
            )

        return dispatched  # type: ignore[return-value]

    return decorated


# ------------------------------------------------------------------ fit and score


def _fit(model: Any, X: Any, y: Any = None, sample_weight: Any = None, **options: Any) -> Any:
    for name, value in options.items():
        if value is not None and (name, value) != ("cov_type", "nonrobust"):
            raise ValueError(
                f"{name} is for rows in memory; got it with rows that lie elsewhere. Leave it out."
            )
    if model._fit_source is None:
        raise no_exact_form(model, X)
    kind = getattr(model, "_estimator_type", "")
    if kind in ("clusterer", "transformer"):
        y = None
    parts = as_documents(X) if model._takes_documents else as_parts(X, y, sample_weight)
    try:
        model._fit_source(parts, X)
        if kind == "clusterer":  # Labels are left with the rows, in parts.
            model.labels_ = model.predict(X)
    finally:
        end_fits(parts)
    return model


def no_exact_form(model: Any, X: Any) -> TypeError:
    """The exception of an estimator that takes no rows in parts."""
    return TypeError(
        f"{type(model).__name__} has no exact form for rows that lie in parts; got "
        f"{type(X).__name__}. {ADVICE}"
    )


def _fit_transform(model: Any, X: Any, y: Any = None, **options: Any) -> Any:
    return model.fit(X, y, **options).transform(X)


def _score(model: Any, X: Any, y: Any = None, sample_weight: Any = None, **options: Any) -> float:
    kind = getattr(model, "_estimator_type", None)
    if options or kind not in ("classifier", "regressor"):
        raise TypeError(
            f"score of {type(model).__name__} is for rows in memory; got {type(X).__name__}. "
            f"{ADVICE}"
        )
    parts = as_parts(X, y, sample_weight)
    if kind == "classifier":
        right, total = parts.total(Work(accuracy_sums), without_row_attributes(model))
        return float(right / total)
    return parts.total(Work(r2_sums), without_row_attributes(model)).explained()


def accuracy_sums(columns: tuple[Any, ...], model: Any) -> Array:
    """Weights of the rows whose label is the predicted one, and of all."""
    X, y, weights = columns
    labels, codes = as_labels(y, len(X))
    weights = as_weights(weights, len(X))
    right = model.predict(X) == labels[codes]
    if weights is None:
        return np.array([np.count_nonzero(right), len(right)], float)
    return np.array([weights[right].sum(), weights.sum()])


class R2Sums:
    """Squares of residuals, means and squares about them, total weight; see `ColumnMoments`."""

    def __init__(self, *values: Any) -> None:
        self.values = values

    def __add__(self, other: R2Sums) -> R2Sums:
        residual, mean, spread, weight = self.values
        other_residual, other_mean, other_spread, other_weight = other.values
        total = weight + other_weight
        share = other_weight / total
        shift = other_mean - mean
        spread = spread + other_spread + weight * share * shift**2
        return R2Sums(residual + other_residual, mean + share * shift, spread, total)

    def explained(self) -> float:
        """The mean R squared of the targets."""
        residual, _, spread, _ = self.values
        constant = spread == 0.0
        share = np.where(constant, residual != 0.0, residual / np.where(constant, 1.0, spread))
        return float(np.mean(1.0 - share))


def r2_sums(columns: tuple[Any, ...], model: Any) -> R2Sums:
    """Squares of the residuals of a part, and about the mean."""
    X, y, weights = columns
    truth, _ = as_targets(y, len(X))
    w = as_weights(weights, len(X))
    w = np.ones(len(X)) if w is None else w
    residual = model.predict(X).reshape(len(X), -1) - truth
    total = w.sum()
    mean = (w @ truth) / total
    return R2Sums(w @ residual**2, mean, w @ (truth - mean) ** 2, total)


# ------------------------------------------------------------------ predictions


def without_row_attributes(model: Any) -> Any:
    """The model without what it says of rows, which need not travel."""
    out = copy.copy(model)
    out.__dict__ = {name: value for name, value in vars(model).items() if name != "labels_"}
    return out


def _mapped(name: str, model: Any, X: Any, *args: Any, **options: Any) -> Any:
    sent = without_row_attributes(model), name, args, options
    if model._takes_documents:
        X = as_documents(X)
    if isinstance(X, Parts):
        return X.mapped(apply, sent)
    if hasattr(X, "chunks"):
        return _of_array(X, sent)
    return _of_frame(X, sent)


def apply(columns: tuple[Any, ...], sent: tuple[Any, ...]) -> Any:
    """A method of a model on the rows of a part."""
    model, name, args, options = sent
    X = columns[0]
    if not len(X) and hasattr(X, "shape"):
        return _probe(sent, X.shape[1], X.dtype, None)[:0]
    return getattr(model, name)(X, *args, **options)


def _probe(sent: Sent, width: int, dtype: Any, names: Array | None) -> Any:
    """What a method makes of one row: its width and type are those of all."""
    model, name, args, options = sent
    for row in (np.zeros, np.ones):
        try:
            return getattr(model, name)(named_rows(row((1, width), dtype), names), *args, **options)
        except ValueError:
            if row is np.ones or not model.__sklearn_is_fitted__():
                raise
    raise AssertionError


def _of_array(X: Any, sent: Sent) -> Any:
    if X.ndim != 2 or len(X.chunks[1]) > 1:
        raise ValueError(
            f"X must be 2-d and not be cut by columns; got chunks {X.chunks[1:]}. Use "
            "X.rechunk({1: -1})."
        )
    probe = _probe(sent, X.shape[1], X.dtype, None)
    meta = np.empty((0,) * probe.ndim, probe.dtype)
    if probe.ndim == 1:
        return X.map_blocks(_on_block, sent, dtype=probe.dtype, drop_axis=1, meta=meta)
    chunks = (X.chunks[0], (probe.shape[1],))
    return X.map_blocks(_on_block, sent, dtype=probe.dtype, chunks=chunks, meta=meta)


def _on_block(block: Array, sent: Sent) -> Array:
    return np.asarray(apply((block,), sent))


def _of_frame(X: Any, sent: Sent) -> Any:
    import pandas

    names = column_names(X)
    probe = np.asarray(_probe(sent, len(X.columns), np.float64, names))
    columns = _column_labels(sent, probe)
    if probe.ndim == 1:
        meta = pandas.Series(probe[:0], index=X._meta.index[:0])
    else:
        meta = pandas.DataFrame(probe[:0], index=X._meta.index[:0], columns=columns)
    return X.map_partitions(_on_partition, sent, columns, probe.dtype, meta=meta)


def _on_partition(frame: Any, sent: Sent, columns: list[Any] | None, dtype: Any) -> Any:
    import pandas

    model, name, args, options = sent
    if len(frame):
        out = np.asarray(getattr(model, name)(frame, *args, **options))
    else:
        out = np.empty((0,) if columns is None else (0, len(columns)), dtype)
    if columns is None:
        return pandas.Series(out, index=frame.index)
    return pandas.DataFrame(out, index=frame.index, columns=columns)


def _column_labels(sent: Sent, probe: Array) -> list[Any] | None:
    model, name, *_ = sent
    if probe.ndim == 1:
        return None
    if name == "transform" and hasattr(model, "get_feature_names_out"):
        return [str(label) for label in model.get_feature_names_out()]
    classes = getattr(model, "classes_", None)
    if isinstance(classes, np.ndarray) and len(classes) == probe.shape[1]:
        return classes.tolist()
    return list(range(probe.shape[1]))
