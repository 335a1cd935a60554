# SPDX-License-Identifier: BSD-3-Clause
"""Code matrices: which classes each binary classifier sees, and on which side.

A row of the matrix is a class and its codeword, a column is a binary classifier: it separates the
classes with +1 from those with -1, and the samples of classes with 0 are left out of its training.
With w the signs of the classifiers' values for a sample, its distance to the word c of a class is

    d(w, c) = sum (1 - c_i w_i) / 2.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, log2
from typing import Any

import numpy as np
from numpy.typing import NDArray

from statfast._typing import Array, ArrayLike, Seed
from statfast._validation import (
    MAX_REPEATS,
    as_count,
    as_generator,
    refuse_large,
    shown,
    wrong_type,
)

MAX_EXHAUSTIVE_CLASSES = 12  # which take 2047 classifiers
PRINTED_COLUMNS = 12  # classifiers that are printed
LONGEST_NAME = 15  # letters of the name of a column that is printed


@dataclass(frozen=True, eq=False)
class CodeMatrix:
    """Code matrix of an output code: a row for each class, a column for each binary classifier.

    Attributes
    ----------
    matrix : array-like of shape (K, L)
        Of 1, -1 and 0; kept as int8.
    classes : sequence of length K, optional
        What the rows are called; 0, 1, ... by default.
    name : str, default="code"
        Name that is printed.

    Examples
    --------
    >>> from statfast.multiclass import CodeMatrix
    >>> code = CodeMatrix([[1, 1, 0], [-1, 0, 1], [0, -1, -1]], classes=["red", "green", "blue"])
    >>> code
    code: 3 classes, 3 classifiers, minimum distance 2
           red|green   red|blue green|blue
    red           +1         +1          0
    green         -1          0         +1
    blue           0         -1         -1
    >>> code.n_classifiers, code.minimum_distance
    (3, 2.0)
    """

    matrix: NDArray[np.int8]
    classes: Sequence | None = None
    name: str = "code"

    def __post_init__(self) -> None:
        try:
            matrix = np.asarray(self.matrix)
        except ValueError as error:
            raise ValueError(
                f"code must be a matrix: {error} Give all rows the same length."
            ) from error
        if matrix.ndim != 2 or 0 in matrix.shape or len(matrix) < 2:
            raise ValueError(
                "code must be a matrix with a row for each of at least 2 classes and a column for "
                f"each classifier; got shape {matrix.shape}."
            )
        if matrix.dtype.kind not in "biuf" or not np.isin(matrix, (-1, 0, 1)).all():
            raise ValueError("code must hold 1, -1 and 0 alone. Replace other values.")
        matrix = matrix.astype(np.int8)
        sides = (matrix > 0).any(axis=0) & (matrix < 0).any(axis=0)
        if not sides.all():
            raise ValueError(
                f"Column {int(sides.argmin())} of code has no class on one of its sides, so that "
                "there is nothing to learn. Give it a 1 and a -1, or drop it."
            )
        _, first = np.unique(matrix, axis=0, return_index=True)
        if len(first) < len(matrix):
            second_row = next(k for k in range(len(matrix)) if k not in first)
            first_row = next(
                k for k in range(second_row) if (matrix[k] == matrix[second_row]).all()
            )
            raise ValueError(
                f"Rows {first_row} and {second_row} of code are equal, so that nothing separates "
                "these classes. Add a column in which they differ."
            )
        classes = range(len(matrix)) if self.classes is None else self.classes
        if len(classes) != len(matrix):
            raise ValueError(
                f"code has {len(matrix)} rows, one for each class, but there are {len(classes)} "
                "classes. Choose one of as many rows, or name a code."
            )
        matrix.flags.writeable = False
        object.__setattr__(self, "matrix", matrix)
        object.__setattr__(self, "classes", tuple(classes))

    @property
    def n_classifiers(self) -> int:
        """Number of binary classifiers."""
        return self.matrix.shape[1]

    @property
    def minimum_distance(self) -> float:
        """Least distance between the words of two classes. With a least distance of d and no zeros,
        (d - 1) / 2 classifiers may err and the class is still found."""
        between = self.distances(self.matrix)
        np.fill_diagonal(between, np.inf)
        return float(between.min())

    @property
    def columns(self) -> tuple[str, ...]:
        """What the columns are called: their numbers, or, where each is of two among more classes,
        "a|b" with class a on the side of +1 and b on that of -1."""
        of_pairs = (np.abs(self.matrix).sum(axis=0) == 2).all() and len(self.matrix) > 2
        if not of_pairs:
            return tuple(map(str, range(self.n_classifiers)))
        sides = zip(self.matrix.argmax(axis=0), self.matrix.argmin(axis=0), strict=True)
        names = [str(label) for label in self.classes or ()]
        return tuple(f"{names[first]}|{names[second]}" for first, second in sides)

    def distances(self, signs: ArrayLike) -> Array:
        """Return the distances of predictions to the codewords of all classes.

        Parameters
        ----------
        signs : array-like of shape (L,) or (m, L)
            The classifiers' answers w: 1, -1, or 0 for one that does not know.

        Returns
        -------
        ndarray of shape (K,) or (m, K)

        Raises
        ------
        ValueError
            If there is not one answer for each classifier, 1, -1 or 0.
        """
        try:
            signs = np.asarray(signs, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            raise wrong_type("signs", "an array of 1, -1 and 0", signs) from None
        if signs.ndim not in (1, 2) or signs.shape[-1] != self.n_classifiers:
            raise ValueError(
                f"signs must be an answer for each of {self.n_classifiers} classifiers; got shape "
                f"{signs.shape}. Pass one column for each."
            )
        if not np.isin(signs, (-1.0, 0.0, 1.0)).all():
            raise ValueError("signs must be 1, -1 and 0 alone. Take numpy.sign of decision values.")
        return 0.5 * (self.n_classifiers - signs @ self.matrix.T.astype(np.float64))

    def __str__(self):
        names, matrix = [str(label) for label in self.classes], self.matrix[:, :PRINTED_COLUMNS]
        name_width = max(map(len, names))
        columns = self.columns[:PRINTED_COLUMNS]
        if max(map(len, columns)) > LONGEST_NAME:
            columns = tuple(map(str, range(len(columns))))
        cell_width = max(3, *map(len, columns))
        ellipsis = "  ..." if self.n_classifiers > PRINTED_COLUMNS else ""
        head = "".join(f"{name:>{cell_width + 1}}" for name in columns) + ellipsis
        lines = [f"{'':<{name_width}}{head}"]
        for name, row in zip(names, matrix, strict=True):
            cells = "".join(f"{_SIGNS[int(c)]:>{cell_width + 1}}" for c in row)
            lines.append(f"{name:<{name_width}}{cells}{ellipsis}")
        return "\n".join([self._title(), *lines])

    __repr__ = __str__

    def _repr_html_(self):
        head = "".join(f"<th>{html.escape(name)}</th>" for name in self.columns)
        rows = f"<tr><th></th>{head}</tr>" + "".join(
            f"<tr><th>{html.escape(str(label))}</th>"
            + "".join(f"<td>{_SIGNS[int(c)]}</td>" for c in row)
            + "</tr>"
            for label, row in zip(self.classes, self.matrix, strict=True)
        )
        return f"<p>{html.escape(self._title())}</p><table>{rows}</table>"

    def _title(self) -> str:
        return (
            f"{self.name}: {len(self.matrix)} classes, {self.n_classifiers} classifiers, minimum "
            f"distance {self.minimum_distance:g}"
        )


_SIGNS = {1: "+1", 0: "0", -1: "-1"}


def _classes(n_classes: Any, learners: Callable[..., Any]) -> int:
    """A checked number of classes k, for a code of about ``learners(k)`` columns."""
    k = as_count(n_classes, "n_classes", 2, MAX_REPEATS)
    refuse_large(16 * k * learners(k), f"A code of n_classes={k}", "Lower n_classes.")
    return k


def one_vs_rest_code(n_classes: int, *, ordered: bool = False) -> CodeMatrix:
    """One-vs-rest code; or, ordered, each class against those after it.

    Parameters
    ----------
    n_classes : int
        Number of classes.
    ordered : bool, default=False
        The first class against the rest, the second against the rest without the first, and so on:
        one classifier less.

    Returns
    -------
    CodeMatrix

    Examples
    --------
    >>> from statfast.multiclass import one_vs_rest_code
    >>> code = one_vs_rest_code(3)
    >>> code
    one_vs_rest: 3 classes, 3 classifiers, minimum distance 2
       0   1   2
    0  +1  -1  -1
    1  -1  +1  -1
    2  -1  -1  +1
    >>> code.distances([1, -1, -1])
    array([0., 2., 2.])
    """
    k = _classes(n_classes, lambda k: k)
    if not ordered:
        return CodeMatrix(2 * np.eye(k, dtype=int) - 1, name="one_vs_rest")
    matrix = np.eye(k, dtype=int) - np.tri(k, k=-1, dtype=int)
    return CodeMatrix(matrix[:, :-1], name="ordered")


def one_vs_one_code(n_classes: int, *, asymmetric: bool = False) -> CodeMatrix:
    """One-vs-one code: every pair of classes.

    Parameters
    ----------
    n_classes : int
        Number of classes.
    asymmetric : bool, default=False
        Each pair twice, one after the other, with either class on the side of +1, for classifiers
        to which the sides are not alike.

    Returns
    -------
    CodeMatrix

    Examples
    --------
    >>> from statfast.multiclass import one_vs_one_code
    >>> one_vs_one_code(3)
    one_vs_one: 3 classes, 3 classifiers, minimum distance 2
      0|1 0|2 1|2
    0  +1  +1   0
    1  -1   0  +1
    2   0  -1  -1
    >>> one_vs_one_code(3, asymmetric=True)
    asymmetric: 3 classes, 6 classifiers, minimum distance 4
      0|1 1|0 0|2 2|0 1|2 2|1
    0  +1  -1  +1  -1   0   0
    1  -1  +1   0   0  +1  -1
    2   0   0  -1  +1  -1  +1
    """
    k = _classes(n_classes, lambda k: k * k)
    first, second = np.triu_indices(k, 1)
    matrix = np.zeros((k, len(first)), dtype=int)
    matrix[first, np.arange(len(first))] = 1
    matrix[second, np.arange(len(first))] = -1
    if asymmetric:
        both = np.stack([matrix, -matrix], axis=2).reshape(k, -1)
        return CodeMatrix(both, name="asymmetric")
    return CodeMatrix(matrix, name="one_vs_one")


def exhaustive_code(n_classes: int) -> CodeMatrix:
    """Exhaustive code: every partition of the classes in two (Dietterich and Bakiri 1995).

    Parameters
    ----------
    n_classes : int
        At most 12, which needs 2047 classifiers.

    Returns
    -------
    CodeMatrix
        With 2^(K - 1) - 1 columns.

    References
    ----------
    .. [1] Dietterich, T. G. and Bakiri, G. (1995). Solving multiclass learning problems via
       error-correcting output codes. Journal of Artificial Intelligence Research 2, 263-286.
       https://doi.org/10.1613/jair.105

    Examples
    --------
    >>> from statfast.multiclass import exhaustive_code
    >>> exhaustive_code(3)
    exhaustive: 3 classes, 3 classifiers, minimum distance 2
       0   1   2
    0  +1  +1  +1
    1  -1  -1  +1
    2  -1  +1  -1
    """
    k = as_count(n_classes, "n_classes", 2, MAX_EXHAUSTIVE_CLASSES)
    # Bit masks of the classes on the first class's side, except for all of them.
    partitions = np.arange(2 ** (k - 1) - 1)
    sides = partitions[None, :] >> np.arange(k - 2, -1, -1)[:, None] & 1
    return CodeMatrix(np.vstack([np.ones_like(partitions), 2 * sides - 1]), name="exhaustive")


def hadamard_code(n_classes: int) -> CodeMatrix:
    """Hadamard code: codewords at equal distances.

    Parameters
    ----------
    n_classes : int
        Number of classes.

    Returns
    -------
    CodeMatrix
        With N - 1 columns, N the least power of 2 that is not less than `n_classes`; words are
        N / 2 apart.

    Examples
    --------
    >>> from statfast.multiclass import hadamard_code
    >>> hadamard_code(4)
    hadamard: 4 classes, 3 classifiers, minimum distance 2
       0   1   2
    0  +1  +1  +1
    1  -1  +1  -1
    2  +1  -1  -1
    3  -1  -1  +1
    """
    k = _classes(n_classes, lambda k: 2 * k)
    matrix = np.ones((1, 1), dtype=int)
    while len(matrix) < k:
        matrix = np.block([[matrix, matrix], [matrix, -matrix]])
    return CodeMatrix(matrix[:k, 1:], name="hadamard")


def random_code(
    n_classes: int,
    n_classifiers: int | None = None,
    *,
    sparse: bool = False,
    n_trials: int = 1000,
    random_state: Seed = None,
) -> CodeMatrix:
    """Random code: the best separated of many draws (Allwein, Schapire and Singer 2000).

    Parameters
    ----------
    n_classes : int
        Number of classes.
    n_classifiers : int, optional
        10 log2(K) by default, or 15 log2(K) if sparse, rounded up.
    sparse : bool, default=False
        Half of the entries are 0; else there are none.
    n_trials : int, default=1000
        Matrices that are drawn; that with the largest minimum distance is kept, the first of
        equals.
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator; an integer makes the result reproducible.

    Returns
    -------
    CodeMatrix

    Raises
    ------
    ValueError
        If no draw separates all classes.

    References
    ----------
    .. [1] Allwein, E. L., Schapire, R. E. and Singer, Y. (2000). Reducing multiclass to binary: a
       unifying approach for margin classifiers. Journal of Machine Learning Research 1, 113-141.
       https://doi.org/10.1162/15324430152733133

    Examples
    --------
    >>> from statfast.multiclass import random_code
    >>> random_code(4, 6, random_state=0).minimum_distance
    3.0
    """
    n_columns = (
        None
        if n_classifiers is None
        else as_count(n_classifiers, "n_classifiers", high=MAX_REPEATS)
    )
    k = _classes(n_classes, lambda k: k + (n_columns or 15 * log2(k)))
    n_columns = n_columns or ceil((15 if sparse else 10) * log2(k))
    rng, best, farthest = as_generator(random_state), None, -1.0
    # An upper bound of the least distance of any draw: the mean over all pairs of classes where
    # every column halves the classes. Distances are whole numbers, and even without zeros.
    most = 4 * n_columns * (k // 2) * (k - k // 2) // (k * (k - 1))
    most -= 0 if sparse else most % 2
    for _ in range(as_count(n_trials, "n_trials", high=MAX_REPEATS)):
        matrix = _draw(rng, k, n_columns, sparse)
        between = n_columns - matrix @ matrix.T  # twice the distances
        np.fill_diagonal(between, 2 * n_columns + 1)
        if between.min() > farthest and len(np.unique(matrix, axis=0)) == k:
            best, farthest = matrix, between.min()
            # No draw can be better, and the first of equally good ones is kept.
            if farthest >= most:
                break
    if best is None and k <= 2**n_columns:
        best = _distinct_words(rng, k, n_columns)
    if best is None:
        raise ValueError(
            f"n_classifiers must be at least {(k - 1).bit_length()} to separate {k} classes; got "
            f"{n_columns}. Raise n_classifiers."
        )
    return CodeMatrix(best, name="sparse_random" if sparse else "dense_random")


def _distinct_words(rng: np.random.Generator, k: int, n_columns: int) -> Array:
    """A matrix of k different words of 1 and -1, drawn without replacement.

    This is for codes so short that words drawn one by one are seldom different. Where k is more
    than half of the number of words, each column has both signs; else draws are repeated until it
    has.
    """
    while True:
        words = rng.choice(2**n_columns, k, replace=False)
        matrix = ((words[:, None] >> np.arange(n_columns)) & 1) * 2 - 1
        if (np.abs(matrix.sum(axis=0)) < k).all():
            return matrix


def _draw(rng: np.random.Generator, k: int, n_columns: int, sparse: bool) -> Array:
    """A matrix with both signs in every column."""
    values, share = ((0, 0, 1, -1), 4) if sparse else ((1, -1), 2)
    columns = np.array(values)[rng.integers(share, size=(n_columns, k))]
    while len(bad := np.flatnonzero((columns.max(axis=1) < 1) | (columns.min(axis=1) > -1))):
        columns[bad] = np.array(values)[rng.integers(share, size=(len(bad), k))]
    return columns.T.astype(np.int64)


NAMED = {
    "one_vs_rest": one_vs_rest_code,
    "ordered": lambda k: one_vs_rest_code(k, ordered=True),
    "one_vs_one": one_vs_one_code,
    "asymmetric": lambda k: one_vs_one_code(k, asymmetric=True),
    "exhaustive": exhaustive_code,
    "hadamard": hadamard_code,
}
DRAWN = {"dense_random": False, "sparse_random": True}


def as_code(code, name):
    """The name of a code, or a CodeMatrix."""
    if isinstance(code, CodeMatrix) or (isinstance(code, str) and code in {*NAMED, *DRAWN}):
        return code
    if isinstance(code, str):
        names = ", ".join(map(repr, [*NAMED, *DRAWN]))
        raise ValueError(f"{name} must be a matrix or one of {names}; got {shown(code)}.")
    if not isinstance(code, np.ndarray | list | tuple):
        raise TypeError(f"{name} must be a name or a matrix; got {type(code).__name__}.")
    return CodeMatrix(code)


def code_of(code: Any, classes: Any, n_classifiers: Any, random_state: Any) -> CodeMatrix:
    """The CodeMatrix of a checked parameter `code`, with the classes as names."""
    if isinstance(code, CodeMatrix):
        code_matrix = code
    elif code in DRAWN:
        code_matrix = random_code(
            len(classes), n_classifiers, sparse=DRAWN[code], random_state=random_state
        )
    else:
        code_matrix = NAMED[code](len(classes))
    return CodeMatrix(code_matrix.matrix, classes, code_matrix.name)
