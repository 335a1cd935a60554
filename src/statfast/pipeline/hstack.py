# SPDX-License-Identifier: BSD-3-Clause
"""Results of several transformers as one matrix, sparse matrix or frame, and their names."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from statfast._estimator import Transformer, is_frame, output_container
from statfast._typing import Matrix
from statfast._validation import as_real, is_sparse, shown, wrong_type


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


class SideBySide:
    """Mixin of `ColumnTransformer`: its results beside one another."""

    # What subclasses declare, or a fit sets.
    _checked_value: Callable[..., Any]
    sparse_output_: bool
    get_feature_names_out: Callable[..., Any]
    transformers_: list[Any]
    _plan: Any
    verbose_feature_names_out: bool | str | Callable[..., Any]

    def _is_sparse(self, parts: Any) -> bool:
        stored = sum(part.nnz if is_sparse(part) else float(np.prod(part.shape)) for part in parts)
        total = sum(float(np.prod(part.shape)) for part in parts)
        threshold = self._checked_value("sparse_threshold")
        return any(is_sparse(part) for part in parts) and stored / total < threshold

    def _side_by_side(self, parts: dict[str, Any], table: Any) -> Matrix:
        weights = self._checked_value("transformer_weights") or {}
        parts = [part * weights[name] if name in weights else part for name, part in parts.items()]
        if not parts:
            return np.zeros((table.shape[0], 0))
        if self.sparse_output_:
            from scipy.sparse import csr_array, hstack

            return csr_array(hstack([_numbers(part) for part in parts], format="csr"))
        if output_container(self) != "default" and any(is_frame(part) for part in parts):
            return self._as_frame(parts, table)
        dense = [part.toarray() if is_sparse(part) else np.asarray(part) for part in parts]
        return np.hstack(dense)

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

    def _named(self, names: Any) -> Any:
        names = np.asarray(names, dtype=object)
        named_columns = []
        for name, step, _ in self.transformers_:
            places, _alone = self._plan[name]
            if not places or is_word(step, "drop"):
                continue
            part_names = names[places] if isinstance(step, str) else step.get_feature_names_out(
                names[places]
            )  # fmt: skip
            named_columns += [(name, feature) for feature in part_names]
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
    """Whether a step is this keyword ("drop" or "passthrough") in the place of a transformer."""
    return isinstance(step, str) and step == word


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
