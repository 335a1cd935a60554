# SPDX-License-Identifier: BSD-3-Clause
"""The fits of models with some of the terms, which comparisons and searches look at."""

from __future__ import annotations

import warnings
from inspect import signature
from typing import Any

import numpy as np

from statfast._typing import Array
from statfast._validation import CollinearityWarning, column_names, shown, wrong_type
from statfast.linear.design.design import has_no_columns, table_of
from statfast.linear.design.formula import design_of, fit_intercept_alone, rows_again
from statfast.linear.inference.inference import Inference


def as_groups(groups: Any, names: Any, d: int) -> dict[str, Array]:
    """Columns of each term, by its name: those given, else a term for each of d columns."""
    if groups is None:
        names = [f"x{j}" for j in range(d)] if names is None else [str(n) for n in names]
        groups = {name: [j] for j, name in enumerate(names)}
    elif not isinstance(groups, dict):
        raise wrong_type("groups", "a dict of names to columns", groups)
    terms = {str(name): np.atleast_1d(np.asarray(g)) for name, g in groups.items()}
    for name, columns in terms.items():
        if columns.dtype.kind not in "iu" or not ((columns >= 0) & (columns < d)).all():
            raise ValueError(
                f"groups must name columns from 0 to {d - 1}; got {shown(columns.tolist())} "
                f"for {name!r}."
            )
    return terms


def terms_of(model: Any) -> Any:
    """The terms of a model's formula, or None."""
    design = design_of(model)
    return None if design is None else design.terms


class TermFits:
    """The fits of a search, each made once."""

    def __init__(
        self,
        model: Any,
        X: Any,
        y: Any,
        sample_weight: Any,
        offset: Any,
        exposure: Any,
        groups: Any,
    ) -> None:
        if not isinstance(model, Inference):
            raise wrong_type("model", "an estimator that has a summary", model)
        for name, values in (("offset", offset), ("exposure", exposure)):
            if values is not None and name not in signature(model.fit).parameters:
                fix = (
                    "Subtract it from y" if name == "offset" else "Pass an offset, or leave it out"
                )
                raise ValueError(
                    f"{name} must be None for a {type(model).__name__}, which has none; got "
                    f"{shown(values)}. {fix}."
                )
        self.design = design_of(model)
        rows = rows_again(model, X, y, sample_weight, offset, exposure)
        X = rows.X
        if groups is None:
            groups = terms_of(model)
        names = column_names(X)
        self.X = np.zeros((X.shape[0], 0)) if has_no_columns(X) else table_of(X)
        self.model = model
        self.table = None if names is None else X  # Fits take the names of columns from this table.
        self.y = rows.y
        self.more = {"sample_weight": rows.sample_weight, **rows.added}
        self.terms = as_groups(groups, names, self.X.shape[1])
        self.done: dict[Any, Any] = {}

    def columns(self, terms: frozenset[Any]) -> Array:
        kept = [self.terms[term] for term in self.terms if term in terms]
        return np.concatenate([*kept, np.zeros(0, np.intp)]).astype(np.intp)

    def droppable(self, terms: Any) -> Any:
        """Of these terms, in order, those that are not part of another, as ``a`` is of ``a:b``."""
        return [t for t in self.terms if t in terms and not self.within(t) & terms]

    def addable(self, terms: frozenset[Any]) -> list[str]:
        """Terms beside these, in order, of which all parts are among these."""
        candidates = [t for t in self.terms if t not in terms]
        return [t for t in candidates if not any(t in self.within(part) for part in candidates)]

    def within(self, term: str) -> frozenset[Any]:
        """The terms that it is a part of."""
        if self.design is None:
            return frozenset()
        return self.design.within.get(term, frozenset())

    def _named(self, columns):
        """Some columns of a table, as a table."""
        if hasattr(self.table, "iloc"):  # pandas
            return self.table.iloc[:, columns]
        names = list(column_names(self.table))
        return self.table.select([names[j] for j in columns.tolist()])  # polars, pyarrow

    def fit(self, terms: frozenset[Any]) -> Any:
        if terms not in self.done:
            columns = self.columns(terms)
            fresh = type(self.model)(**self.model.get_params(deep=False))
            with warnings.catch_warnings():  # The model that was passed has warned already.
                warnings.simplefilter("ignore", CollinearityWarning)
                warnings.filterwarnings("ignore", "theta has no finite estimate")
                if len(columns) == 0:
                    fit_intercept_alone(fresh, self.X.shape[0], self.y, **self.more)
                else:
                    rows = self.X[:, columns] if self.table is None else self._named(columns)
                    fresh.fit(rows, self.y, **self.more)
                self.done[terms] = fresh
        return self.done[terms]
