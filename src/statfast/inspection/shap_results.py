# SPDX-License-Identifier: BSD-3-Clause
"""What `shap_values` returns: values with their rows, also as the library shap draws them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from statfast._estimator import CoefficientTable, Display, Tabled, picture
from statfast._typing import Array
from statfast._validation import as_choice

KINDS = ("beeswarm", "bar", "waterfall", "dependence")


@dataclass(frozen=True, repr=False, eq=False)
class ShapExplanation(Tabled):
    """Result of `shap_values`; the plots of the library shap take what `to_shap` returns.

    ``explanation[rows]``, ``explanation[:, columns]`` and ``explanation[..., output]`` are parts of
    it, columns and outputs by number or by name.

    Attributes
    ----------
    values : ndarray of shape (n, p), or (n, p, outputs)
        What each column adds to the answer for each row; of interactions (n, p, p), or
        (n, p, p, outputs).
    base_values : ndarray of shape (n,), or (n, outputs)
        The mean answer, from which values lead to that of the row.
    data : ndarray of shape (n, p)
        The rows.
    feature_names : list of str
        Of the columns.
    output_names : list of str, str, or None
        Of the outputs: classes of a classifier.
    standard_errors : ndarray of the shape of values, or None
        Of values from random permutations.
    method : str
        "tree", "linear", "exact" or "permutation".
    response : str
        The method of the model whose answers are explained; "raw": raw predictions of boosting;
        "link": linear predictors; "depth": mean depths in an isolation forest.

    Examples
    --------
    >>> from statfast import LinearRegression
    >>> from statfast.datasets import load_iris
    >>> from statfast.inspection import shap_values
    >>> X, width = load_iris().data[:, :3], load_iris().data[:, 3]
    >>> explanation = shap_values(LinearRegression().fit(X, width), X)
    >>> explanation[:2]
        Mean |value|      Mean
    x0       0.17479   0.17479
    x1       0.05571   0.04293
    x2       1.23579  -1.23579
    >>> explanation[:, "x2"].values[:2].round(2)
    array([-1.24, -1.24])
    """

    values: NDArray[np.float64]
    base_values: Any
    data: Any
    feature_names: list
    output_names: Any
    standard_errors: Any
    method: str
    response: str

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the values."""
        return self.values.shape

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, key: Any) -> ShapExplanation:
        keys = list(key) if isinstance(key, tuple) else [key]
        n_keys = self.values.ndim
        if Ellipsis in [k for k in keys if k is Ellipsis]:
            place = next(i for i, k in enumerate(keys) if k is Ellipsis)
            keys[place : place + 1] = [slice(None)] * (n_keys - len(keys) + 1)
        if len(keys) > n_keys:
            raise IndexError(
                f"ShapExplanation of shape {self.shape} take {n_keys} keys; got {key!r}."
            )
        keys += [slice(None)] * (n_keys - len(keys))
        has_rows = np.ndim(self.data) == 2
        if has_rows:
            rows, columns, *rest = keys
        else:
            rows, (columns, *rest) = slice(None), keys
        columns = _by_name(columns, self.feature_names)
        rest = [_by_name(k, self.output_names) for k in rest]
        names = self.feature_names
        values = _taken(self.values, [*([rows] if has_rows else []), columns, *rest])
        errors = self.standard_errors
        if errors is not None:
            errors = _taken(errors, [*([rows] if has_rows else []), columns, *rest])
        base = self.base_values
        if np.ndim(base) and rest:
            base = _taken(base, [*([rows] if has_rows else []), rest[-1]])
        elif np.ndim(base) and has_rows:
            base = np.asarray(base)[rows]
        outputs = self.output_names
        if rest and isinstance(outputs, list):
            outputs = _names(outputs, rest[-1])
        return replace(
            self,
            values=values,
            base_values=base,
            data=_taken(self.data, [*([rows] if has_rows else []), columns]),
            feature_names=_names(names, columns),
            output_names=outputs,
            standard_errors=errors,
        )

    def to_shap(self) -> Any:
        """The same as ``shap.Explanation``.

        Returns
        -------
        shap.Explanation

        Raises
        ------
        ImportError
            If the library shap is not installed.
        """
        try:
            explanation = import_module("shap").Explanation
        except ImportError as error:
            raise ImportError('to_shap needs the library shap: pip install "shap".') from error
        return explanation(
            self.values, self.base_values, self.data, feature_names=self.feature_names,
            output_names=self.output_names, error_std=self.standard_errors,
        )  # fmt: skip

    def table(self) -> CoefficientTable:
        """Mean sizes of the values of each column, and their means; a row for each column.

        Returns
        -------
        CoefficientTable
            With a pair of numbers for each output. Of interactions, those of rows' sums.
        """
        values = self.values if np.ndim(self.data) == 2 else self.values[None]
        if self.has_interactions:
            values = values.sum(axis=2)
        values = values.reshape(*values.shape[:2], -1)
        outputs = self.output_names if isinstance(self.output_names, list) else [None]
        columns = {}
        for k, output in enumerate(outputs):
            suffix = "" if len(outputs) == 1 else f" ({output})"
            columns[f"Mean |value|{suffix}"] = np.abs(values[:, :, k]).mean(axis=0)
            columns[f"Mean{suffix}"] = values[:, :, k].mean(axis=0)
        return CoefficientTable(list(map(str, self.feature_names)), columns)

    @property
    def has_interactions(self) -> bool:
        """Whether values are those of pairs of columns."""
        shape, p = self.values.shape[np.ndim(self.data) - 1 :], len(self.feature_names)
        outputs = isinstance(self.output_names, list)
        return len(shape) == 2 + outputs and shape[1] == p

    def plot(
        self,
        kind: Literal["beeswarm", "bar", "waterfall", "dependence"] = "beeswarm",
        **style: Any,
    ) -> Display:
        """Draw it: a picture of `statfast.plot` whose name begins with ``shap_``.

        Parameters
        ----------
        kind : {"beeswarm", "bar", "waterfall", "dependence"}, default="beeswarm"
            Which.
        **style : object
            Its other arguments, and the style of the main artist, passed on to matplotlib.

        Returns
        -------
        statfast.plot.Display
        """
        return picture(f"shap_{as_choice(kind, 'kind', KINDS)}")(self, **style)


def _by_name(key: Any, names: Any) -> Any:
    """A key with the number in place of a name."""
    if isinstance(key, str):
        if not isinstance(names, list) or key not in names:
            raise KeyError(f"{key!r} is not one of {names}.")
        return names.index(key)
    if isinstance(key, list | tuple) and any(isinstance(k, str) for k in key):
        return [_by_name(k, names) for k in key]
    return key


def _taken(array: Any, keys: list[Any]) -> Any:
    """Parts along each axis, one axis after the other."""
    array, axis = np.asarray(array), 0
    for key in keys:
        array = array[(slice(None),) * axis + (key,)]
        axis += not isinstance(key, int | np.integer)
    return array


def _names(names: Any, key: Any) -> Any:
    """The names that a key takes."""
    if isinstance(key, int | np.integer):
        return names[key]
    taken: Array = np.array(names, dtype=object)[key]
    return taken.tolist()
