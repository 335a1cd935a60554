# SPDX-License-Identifier: BSD-3-Clause
"""Results of several transformers as one matrix, sparse matrix or frame, and their names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from time import perf_counter
from typing import Any

import numpy as np

from statfast._estimator import (
    RoutesMetadata,
    Transformer,
    copied,
    is_frame,
    output_container,
)
from statfast._typing import Array, Matrix
from statfast._validation import as_real, is_sparse, shape_of, shown, wrong_type
from statfast.pipeline.step_arguments import StepArguments, fit_transformed

KEYWORDS = ("drop", "passthrough")


def as_factors(weights: dict[str, float], name: str) -> dict[str, float]:
    """Numbers by which the results of transformers are multiplied, by their names."""
    if not isinstance(weights, dict):
        raise wrong_type(name, "a dict of names and numbers", weights)
    return {key: as_real(weight, name) for key, weight in weights.items()}


def as_style(style: bool | str, name: str) -> bool | str:
    """How columns of the result are named: with or without the transformer's name, or a format."""
    if not isinstance(style, bool | str) and not callable(style):
        raise wrong_type(name, "True, False, a format or callable", style)
    return style


def as_transformer(step: Any, name: str) -> Any:
    """A checked transformer, or one of the keywords "drop" and "passthrough"."""
    if isinstance(step, str) and step in KEYWORDS:
        return step
    able = hasattr(step, "transform") and hasattr(step, "fit")
    if isinstance(step, type):
        raise TypeError(
            f"{name} must be a transformer, not its class; got {step.__name__}. Pass "
            f"{step.__name__}()."
        )
    if isinstance(step, str) or not able:
        raise TypeError(
            f"{name} must be a transformer, 'drop' or 'passthrough'; got {shown(step)}."
        )
    return step


class SideBySide(RoutesMetadata):
    """Mixin of `ColumnTransformer` and `FeatureUnion`: results of transformers side by side."""

    # What subclasses declare, or a fit sets.
    _checked_value: Callable[..., Any]
    sparse_output_: bool
    get_feature_names_out: Callable[..., Any]
    _pairs: Callable[[], list[tuple[str, Any]]]
    verbose: bool
    verbose_feature_names_out: bool | str | Callable[..., Any]

    def _boxes(self) -> list[tuple[str, Any]]:
        return [entry[:2] for entry in self.__dict__.get("transformers_", self._pairs())]

    def _check_names(self, names: list[str], taken: Iterable[str]) -> None:
        """Check the names of transformers, among the names of parameters that are taken."""
        for name in names:
            if "__" in name or not name or names.count(name) > 1 or name in taken:
                raise ValueError(
                    "Names of transformers must differ, hold no '__' and be no parameters; got "
                    f"{name!r}. Rename it."
                )

    def _fit_each(
        self, steps: Sequence[tuple[str, Any, Callable[[], Any]]], y: Any,
        arguments: dict[str, StepArguments],
    ) -> tuple[list[Any], dict[str, Any]]:  # fmt: skip
        """Fitted copies of transformers, and the results of those that are not dropped, by name.

        A step is a name, a transformer or word, and a function that gives the rows for it.
        """
        models, parts = [], {}
        for number, (name, step, rows) in enumerate(steps):
            if isinstance(step, str):
                models.append(step)
                if step == "passthrough":
                    parts[name] = rows()
                continue
            start = perf_counter()
            model, parts[name] = fit_transformed(copied(step), rows(), y, arguments[name])
            models.append(model)
            if self.verbose:
                print(
                    f"[{type(self).__name__}] ({number + 1} of {len(steps)}) {name}: "
                    f"{perf_counter() - start:.1f} s"
                )
        for name, part in parts.items():
            if getattr(part, "ndim", 2) != 2:
                raise ValueError(f"The output of the {name!r} transformer should be 2D.")
        return models, parts

    def _side_by_side(self, parts: dict[str, Any], table: Any) -> Matrix:
        weights = self._checked_value("transformer_weights") or {}
        parts = [part * weights[name] if name in weights else part for name, part in parts.items()]
        if not parts:
            return np.zeros((shape_of(table)[0], 0))
        if self.sparse_output_:
            from scipy.sparse import csr_array, hstack

            return csr_array(hstack([_numbers(part) for part in parts], format="csr"))
        if output_container(self) != "default" and any(is_frame(part) for part in parts):
            return self._as_frame(parts, table)
        return np.hstack([_dense(part) for part in parts])

    def _as_frame(self, parts: Any, table: Any) -> Any:
        """The results as one frame, each column of its own type."""
        names, start, frames = self.get_feature_names_out().tolist(), 0, []
        if output_container(self) == "pandas":
            import pandas

            index = table.index if isinstance(table, pandas.DataFrame) else None
            for part in parts:
                part_names = names[start : (start := start + part.shape[1])]
                frame = pandas.DataFrame(part, copy=False)
                frames.append(frame.set_axis(part_names, axis=1).set_axis(
                    range(table.shape[0]) if index is None else index))  # fmt: skip
            return pandas.concat(frames, axis=1)
        import polars

        for part in parts:
            part_names = names[start : (start := start + part.shape[1])]
            frame = polars.DataFrame(part)
            frame.columns = part_names
            frames.append(frame)
        return polars.concat(frames, how="horizontal")

    def _styled(self, named_columns: list[tuple[str, str]]) -> list[str]:
        """The names of columns, each given as a transformer's name and a feature's."""
        style = self.verbose_feature_names_out
        if style is False:
            counts = Counter(feature for _, feature in named_columns)
            repeated = sorted(feature for feature, count in counts.items() if count > 1)
            if repeated:
                raise ValueError(
                    f"Output feature names: {shown(repeated)} are not unique. Please set "
                    "verbose_feature_names_out=True to add prefixes to feature names."
                )
            return [feature for _, feature in named_columns]
        if callable(style):
            return [style(name, feature) for name, feature in named_columns]
        style = "{transformer_name}__{feature_name}" if style is True else style
        return [
            style.format(transformer_name=name, feature_name=feature)
            for name, feature in named_columns
        ]


def is_word(step: Transformer | str, word: str) -> bool:
    """Whether a step is this keyword ("drop" or "passthrough") in place of a transformer."""
    return isinstance(step, str) and step == word


def _dense(part: Any) -> Array:
    """A part of the result as an array; of a frame of nullable numbers, floats with NaN."""
    if is_sparse(part):
        return part.toarray()
    array = np.asarray(part)
    of_pandas = array.dtype == object and hasattr(part, "iloc")
    if of_pandas and all(kind.kind in "biuf" for kind in part.dtypes):
        return part.to_numpy(np.float64, na_value=np.nan)
    return array


def _numbers(part: Matrix) -> Matrix:
    """A part of the result as a sparse matrix."""
    from scipy.sparse import csr_array

    try:
        return part if is_sparse(part) else csr_array(np.asarray(part, dtype=np.float64))
    except (TypeError, ValueError) as error:
        raise ValueError(
            "For a sparse output, all columns should be a numeric or convertible to a numeric: "
            f"{error}. Pass sparse_threshold=0."
        ) from error
