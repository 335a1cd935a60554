# SPDX-License-Identifier: BSD-3-Clause
"""Pipelines and column transformers: models of models, which are converted each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from statfast import pipeline
from statfast._estimator import copied
from statfast.interchange.scikit_learn.shared_parameters import require

Convert = Callable[[Any], Any]
WORDS = ("passthrough", "drop")


def _is_word(step: Any) -> bool:
    return step is None or isinstance(step, str)


def _unfitted(step: Any) -> Any:
    return step if _is_word(step) else copied(step)


# ------------------------------------------------------------------ pipelines
def _read_pipeline(model: Any, convert: Convert) -> Any:
    fitted = [
        (name, "passthrough" if _is_word(step) else convert(step)) for name, step in model.steps
    ]
    models: list[Any] = [step for _, step in fitted if not _is_word(step)]
    learned = {"classes_": models[-1].classes_} if hasattr(models[-1], "classes_") else {}
    names = getattr(models[0], "feature_names_in_", None)
    if names is not None:
        learned["feature_names_in_"] = names
    made = pipeline.Pipeline([(name, _unfitted(step)) for name, step in fitted])
    return made._publish(None, steps_=fitted, n_features_in_=models[0].n_features_in_, **learned)


def _write_pipeline(model: Any, convert: Convert) -> Any:
    from sklearn.pipeline import Pipeline

    return Pipeline([(name, s if _is_word(s) else convert(s)) for name, s in model.steps_])


# ------------------------------------------------------------------ columns
def _columns(columns: Any) -> Any:
    """Columns as users name them: scikit-learn keeps those that remain in a list of its own."""
    if isinstance(columns, str | int | slice | np.ndarray):
        return columns
    kept = type(columns).__name__ == "_RemainderColsList"  # which warns of its items
    return list(columns.data if kept else columns)


def _read_columns(model: Any, convert: Convert) -> Any:
    asked: dict[str, Any] = {name: step for name, step, _ in model.transformers}
    asked["remainder"] = model.remainder
    fitted: list[Any] = []
    planned: list[Any] = []
    for name, step, columns in model.transformers_:
        places = [int(place) for place in model._transformer_to_input_indices[name]]
        if name == "remainder" and not places:
            continue
        if _is_word(asked[name]):
            step = asked[name]
        elif places:
            step = convert(step)
        alone = isinstance(columns, str | int | np.integer)
        fitted.append((name, step, _columns(columns)))
        planned.append((name, step, _columns(columns), places, alone))
    slices = model.output_indices_
    widths = {
        name: slices[name].stop - slices[name].start for name, step, *_ in planned if step != "drop"
    }
    unfitted = [(n, _unfitted(s), c) for n, s, c in fitted if n != "remainder"]
    rest = next((_unfitted(s) for n, s, _ in fitted if n == "remainder"), "drop")
    made = pipeline.ColumnTransformer(
        unfitted, remainder=rest if _is_word(model.remainder) is False else model.remainder,
        sparse_threshold=model.sparse_threshold, n_jobs=model.n_jobs,
        verbose_feature_names_out=model.verbose_feature_names_out,
    )  # fmt: skip
    names = getattr(model, "feature_names_in_", None)
    made._become(fitted, planned, widths, model.sparse_output_, model.n_features_in_, names)
    _copy_output(model, made)
    return made


def _write_columns(model: Any, convert: Convert) -> Any:
    """A column transformer that has passed columns of zeros through, with the real transformers."""
    from sklearn.base import clone
    from sklearn.compose import ColumnTransformer

    require(model.transformer_weights is None, model, "with transformer_weights", "Leave them out.")
    rows: Any = np.zeros((1, model.n_features_in_))
    if hasattr(model, "feature_names_in_"):
        import pandas

        rows = pandas.DataFrame(rows, columns=list(model.feature_names_in_))
    blank = [
        (name, step if step == "drop" else "passthrough", columns)
        for name, step, columns in model.transformers_ if name != "remainder"
    ]  # fmt: skip
    rest = next((step for name, step, _ in model.transformers_ if name == "remainder"), "drop")
    made = ColumnTransformer(
        blank, remainder=rest if rest == "drop" else "passthrough",
        sparse_threshold=model.sparse_threshold,
        verbose_feature_names_out=model.verbose_feature_names_out,
    ).fit(rows)  # fmt: skip
    steps = {n: convert(s) for n, s, _ in model.transformers_ if not _is_word(s)}
    made.transformers_ = [(n, steps.get(n, s), c) for n, s, c in made.transformers_]
    made.transformers = [(n, clone(steps[n]) if n in steps else s, c) for n, s, c in blank]
    if "remainder" in steps:
        made.remainder = clone(steps["remainder"])
    made.output_indices_ = {**made.output_indices_, **model.output_indices_}
    made.sparse_output_ = model.sparse_output_
    _copy_output(model, made)
    return made


def _copy_output(source: Any, made: Any) -> None:
    output = vars(source).get("_sklearn_output_config")
    if output:
        made._sklearn_output_config = dict(output)


CONVERSIONS_BY_CLASS = {  # functions that read it, and write it
    "Pipeline": (_read_pipeline, _write_pipeline),
    "ColumnTransformer": (_read_columns, _write_columns),
}
