# SPDX-License-Identifier: BSD-3-Clause
"""Why a naive Bayes model decides as it does: the log odds of two classes, column by column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from statfast._estimator import CoefficientTable, Tabled
from statfast._typing import Array, DataFrame
from statfast._validation import as_count, shown
from statfast.generative.naive_bayes.density import FittedDensity

COLUMNS_SHOWN = 6  # A printed table names so many columns.


@dataclass(frozen=True, repr=False)
class Explanation(Tabled):
    """Log odds of one class against another, as a sum over the features.

    Attributes
    ----------
    of, against : ndarray of shape (m,)
        The two classes of each row.
    log_odds : ndarray of shape (m,)
        Log of the posterior of `of` over that of `against`.
    base : ndarray of shape (m,)
        The part of it that the class probabilities have; infinite where one of them is 0.
    shares : ndarray of shape (m, d)
        The part of each column; infinite where one class cannot have the value.
    names : sequence of str
        What the columns are called.

    Examples
    --------
    >>> from statfast import GaussianNB
    >>> from statfast.datasets import load_iris
    >>> iris = load_iris()
    >>> model = GaussianNB().fit(iris.data, iris.target)
    >>> explanation = model.explain(iris.data[[70]], of=1, against=2)
    >>> explanation.log_odds.round(2), explanation.shares.round(2)
    (array([-1.7]), array([[ 0.8 , -0.68,  0.43, -2.26]]))
    >>> explanation
           log odds  base      x0       x1      x2      x3
    1 : 2    -1.700     0  0.8034  -0.6801  0.4343  -2.257
    """

    of: NDArray[Any]
    against: NDArray[Any]
    log_odds: NDArray[np.float64]
    base: NDArray[np.float64]
    shares: NDArray[np.float64]
    names: list[str]

    def top(self, row: int = 0, n: int = 10) -> list[tuple[str, float]]:
        """Return the features with the largest contributions to a prediction.

        Parameters
        ----------
        row : int, default=0
            Which of the explained samples.
        n : int, default=10
            How many columns.

        Returns
        -------
        list of (str, float)
            Names and shares, the largest in size first, the first of equals first.

        Raises
        ------
        ValueError
            If there is no such row, or `n` is negative.
        """
        row = as_count(row, "row", low=0, high=len(self.shares) - 1, limit="the last row")
        n = as_count(n, "n", low=0)
        share = self.shares[row]
        order = np.argsort(-np.abs(share), kind="stable")[:n]
        return [(self.names[j], float(share[j])) for j in order]

    def table(self) -> CoefficientTable:
        """A row for each sample: its log odds, their base, and the largest shares of columns.

        Returns
        -------
        CoefficientTable
        """
        names = [f"{a} : {b}" for a, b in zip(self.of, self.against, strict=True)]
        columns = {"log odds": self.log_odds, "base": self.base}
        largest = np.argsort(-np.abs(self.shares).max(axis=0), kind="stable")[:COLUMNS_SHOWN]
        columns |= {str(self.names[j]): self.shares[:, j] for j in np.sort(largest)}
        return CoefficientTable(names, columns)

    def to_frame(self) -> DataFrame:
        """Return the contributions as a pandas data frame.

        Returns
        -------
        pandas.DataFrame
        """
        import pandas

        head = {"of": self.of, "against": self.against, "log odds": self.log_odds}
        head["base"] = self.base
        return pandas.DataFrame(head).join(pandas.DataFrame(self.shares, columns=self.names))


def explain_odds(
    model: Any,
    rows: Array,
    fitted: FittedDensity,
    priors: Array,
    of: int | str | None,
    against: Any,
) -> Explanation:
    """The shares of the columns of checked rows."""
    classes = model.classes_
    if len(classes) < 2:
        raise ValueError("explain needs two classes; the model was fitted to one.")
    terms = fitted.terms(rows)  # (m, K, d)
    scores = priors + terms.sum(axis=2)
    m = len(scores)
    first = scores.argmax(axis=1) if of is None else np.full(m, _code(classes, of, "of"))
    rest = scores.copy()
    rest[np.arange(m), first] = -np.inf
    second = rest.argmax(axis=1)
    second = np.where(second == first, (first + 1) % len(classes), second)
    if against is not None:
        second = np.full(m, _code(classes, against, "against"))
    if (first == second).any():
        raise ValueError(
            f"of and against must differ; both are {shown(classes.tolist()[first[0]])}. Name "
            "another class."
        )
    here = np.arange(m)
    with np.errstate(invalid="ignore"):
        shares = terms[here, first] - terms[here, second]
        base = priors[first] - priors[second]
    shares = np.where(np.isnan(shares), 0.0, shares)  # The value is impossible in both classes.
    with np.errstate(invalid="ignore"):
        log_odds = base + shares.sum(axis=1)
    names = getattr(model, "feature_names_in_", None)
    names = [f"x{j}" for j in range(shares.shape[1])] if names is None else list(names)
    return Explanation(classes[first], classes[second], log_odds, base, shares, names)


def _code(classes: Array, label: int | str, name: str) -> int:
    try:
        code = {known: k for k, known in enumerate(classes.tolist())}.get(label)
    except TypeError:  # A list is not hashable.
        code = None
    if code is None:
        raise ValueError(
            f"{name} must be one of the classes ({shown(classes.tolist())}); got {shown(label)}."
        )
    return code
