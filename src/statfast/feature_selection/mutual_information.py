# SPDX-License-Identifier: BSD-3-Clause
"""Mutual information of single columns and a target, by nearest neighbors or by counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from statfast._core.neighbors.sorted_distances import (
    class_distances,
    counts_within,
    plane_distances,
)
from statfast._engine import checkpoint, each, interruptible
from statfast._estimator import ROW_DTYPES
from statfast._typing import Array, ArrayLike, Jobs, Rows, Seed
from statfast._validation import (
    as_count,
    as_csr,
    as_flag,
    as_generator,
    as_labels,
    as_rows,
    is_sparse,
    to_array,
    wrong_type,
)
from statfast.feature_selection.score_sums import as_single_target
from statfast.metrics import mutual_info_score

NOISE = 1e-10  # standard deviations, or of the mean size of a scaled column: it breaks ties
POINTS_OF_CALL = 1 << 14  # points that a kernel works on between two looks for Ctrl-C
POINTS_PER_NEIGHBOR = 4  # A strip of the plane has the root of so many times n k points.
SAFE_SIZE = 1e100  # Numbers up to this, and down to its inverse, have squares.


def mutual_info_classif(
    X: Rows,
    y: ArrayLike,
    *,
    discrete_features: str | bool | ArrayLike = "auto",
    n_neighbors: int = 3,
    copy: bool = True,
    random_state: Seed = None,
    n_jobs: Jobs = None,
) -> NDArray[np.float64]:
    """Mutual information of each column and the class, estimated.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d)
        The samples.
    y : array-like of shape (n,)
        A label for each row.
    discrete_features : {"auto"}, bool, or array-like, default="auto"
        Which columns hold discrete values, that are counted: all or none, a mask of shape (d,), or
        places of columns. "auto" are those of a sparse X, and none of a dense one.
    n_neighbors : int, default=3
        Nearest neighbors that densities are estimated by: more have less variance and more bias.
    copy : bool, default=True
        Kept for scikit-learn's sake: input is never modified.
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator of the noise that breaks ties of continuous columns; an integer makes the
        result reproducible.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits
        for any number.

    Returns
    -------
    ndarray of shape (d,), float64
        In nats, not negative: 0 where column and class are independent, as far as can be seen.

    Raises
    ------
    ValueError
        If X is not a 2-d array of finite numbers, or sparse with columns that are not discrete, if
        y is not one label for each row, if there is one class, or if `discrete_features` names
        columns that are not there.
    TypeError
        If a parameter is of the wrong type.

    See Also
    --------
    mutual_info_regression : For a target of numbers.
    f_classif : Finds differences of means alone, with p-values, in one pass.
    statfast.metrics.mutual_info_score : Of two columns of labels.

    Notes
    -----
    A continuous column is brought to standard deviation 1, and noise of 1e-10 times its mean size
    (at least 1) is added, so that no two values are equal. For each row i, d_i is the distance to
    the k-th nearest value of its class (to the farthest, in a class of no more than k rows), and
    m_i the number of all rows, itself among them, that are nearer than d_i. With N_i rows in the
    class of i, the estimate is [2]_ ::

        psi(n) + mean psi(min(k, N_i - 1)) - mean psi(N_i) - mean psi(m_i),

    and 0 where this is negative. Classes of one row are left out. Of discrete columns it is the
    mutual information of the table of counts.

    Neighbors are exact. They lie beside a value in the sorted column, so that there is no tree.
    Cost O(n log n + n k) for each column, memory O(n) for each thread beside X.

    References
    ----------
    .. [1] Kraskov, A., Stögbauer, H. and Grassberger, P. (2004). Estimating mutual information.
       Physical Review E 69, 066138. https://doi.org/10.1103/PhysRevE.69.066138
    .. [2] Ross, B. C. (2014). Mutual information between discrete and continuous data sets. PLoS
       ONE 9, e87357. https://doi.org/10.1371/journal.pone.0087357

    Examples
    --------
    The classes are rings about the origin. The means of the first two columns are the same in
    both, yet these columns tell of the class:

    >>> import numpy as np
    >>> from statfast.feature_selection import f_classif, mutual_info_classif
    >>> rng = np.random.default_rng(0)
    >>> angle, y = rng.uniform(0, 2 * np.pi, 400), rng.integers(0, 2, 400)
    >>> ring = (1.0 + y)[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    >>> X = np.column_stack([ring, rng.normal(size=400)])
    >>> mutual_info_classif(X, y, random_state=0).round(1)
    array([0.3, 0.3, 0. ])
    >>> f_classif(X, y)[1].round(1)  # p-values of equal means
    array([0.9, 0.5, 0.2])
    """
    rows, discrete = _columns_of(X, discrete_features, copy)
    labels, codes = as_labels(y, rows.shape[0])
    if len(labels) < 2:
        raise ValueError(
            f"y must hold at least 2 classes; got one class, {labels.tolist()[0]!r}. Pass rows of "
            "another class too."
        )
    neighbors = as_count(n_neighbors, "n_neighbors")

    def information(column: Array, is_discrete: bool, noise: np.random.Generator) -> float:
        if is_discrete:
            return information_of_counts(column, codes)
        return information_of_classes(spread_column(column, noise), codes, neighbors)

    return _scores(rows, discrete, information, as_generator(random_state), n_jobs)


def mutual_info_regression(
    X: Rows,
    y: ArrayLike,
    *,
    discrete_features: str | bool | ArrayLike = "auto",
    n_neighbors: int = 3,
    copy: bool = True,
    random_state: Seed = None,
    n_jobs: Jobs = None,
) -> NDArray[np.float64]:
    """Mutual information of each column and a target of numbers, estimated.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d)
        The samples.
    y : array-like of shape (n,)
        A number for each row.
    discrete_features : {"auto"}, bool, or array-like, default="auto"
        Which columns hold discrete values, that are counted: all or none, a mask of shape (d,), or
        places of columns. "auto" are those of a sparse X, and none of a dense one.
    n_neighbors : int, default=3
        Nearest neighbors that densities are estimated by: more have less variance and more bias.
    copy : bool, default=True
        Kept for scikit-learn's sake: input is never modified.
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator of the noise that breaks ties of y and of continuous columns; an integer
        makes the result reproducible.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits
        for any number.

    Returns
    -------
    ndarray of shape (d,), float64
        In nats, not negative: 0 where column and target are independent, as far as can be seen.

    Raises
    ------
    ValueError
        If X is not a 2-d array of finite numbers, or sparse with columns that are not discrete, if
        y is not one finite number for each row, if there are no more rows than neighbors, or if
        `discrete_features` names columns that are not there.
    TypeError
        If a parameter is of the wrong type.

    See Also
    --------
    mutual_info_classif : For classes.
    f_regression : Finds straight lines alone, with p-values, in one pass.

    Notes
    -----
    y and the continuous columns are brought to standard deviation 1 and have noise added as for
    `mutual_info_classif`. For each row i, d_i is the distance to its k-th nearest row in the plane
    of the column and y, by the larger of the two differences, and a_i and b_i are the numbers of
    rows, itself among them, that are nearer than d_i in the column and in y. The estimate is [1]_
    ::

        psi(n) + psi(k) - mean psi(a_i) - mean psi(b_i),

    and 0 where this is negative. For discrete columns it is that of `mutual_info_classif` with the
    roles of column and target changed.

    Neighbors are exact. They are searched for in strips of the plane that are sorted by y. Cost for
    each column O(n log n + n k), with more for points that lie on few lines across the strips;
    memory O(n) for each thread beside X.

    References
    ----------
    .. [1] Kraskov, A., Stögbauer, H. and Grassberger, P. (2004). Estimating mutual information.
       Physical Review E 69, 066138. https://doi.org/10.1103/PhysRevE.69.066138
    .. [2] Ross, B. C. (2014). Mutual information between discrete and continuous data sets. PLoS
       ONE 9, e87357. https://doi.org/10.1371/journal.pone.0087357

    Examples
    --------
    A parabola has no correlation with its argument:

    >>> import numpy as np
    >>> from statfast.feature_selection import mutual_info_regression, r_regression
    >>> x = np.linspace(-1, 1, 201)
    >>> X = np.column_stack([x, np.random.default_rng(0).normal(size=201)])
    >>> mutual_info_regression(X, x**2, random_state=0).round(1)
    array([2.4, 0. ])
    >>> abs(r_regression(X, x**2)[:1]).round(3)
    array([0.])
    """
    rows, discrete = _columns_of(X, discrete_features, copy)
    n = rows.shape[0]
    targets = as_single_target(y, n)
    neighbors = as_count(n_neighbors, "n_neighbors")
    if not discrete.all() and neighbors >= n:
        raise ValueError(
            f"n_neighbors must be less than the number of rows ({n}); got {neighbors}. Lower "
            "n_neighbors."
        )
    rng = as_generator(random_state)
    target = spread_column(targets, rng.spawn(1)[0])

    def information(column: Array, is_discrete: bool, noise: np.random.Generator) -> float:
        if is_discrete:
            return information_of_classes(target, distinct_codes(column), neighbors)
        return information_of_plane(spread_column(column, noise), target, neighbors)

    return _scores(rows, discrete, information, rng, n_jobs)


# ------------------------------------------------------------------ columns
def _columns_of(X: Any, discrete_features: Any, copy: bool) -> tuple[Any, NDArray[np.bool_]]:
    """Checked rows, dense or CSC, and which columns are discrete."""
    as_flag(copy, "copy")
    sparse = is_sparse(X)
    rows = as_csr(X).tocsc() if sparse else as_rows(X, keep=ROW_DTYPES)
    discrete = _discrete_mask(discrete_features, rows.shape[1], sparse)
    if sparse and not discrete.all():
        raise ValueError(
            "Sparse X must have discrete columns alone; got continuous ones. Pass "
            "discrete_features=True, or X.toarray()."
        )
    return rows, discrete


def _discrete_mask(discrete_features: Any, d: int, sparse: bool) -> NDArray[np.bool_]:
    """Which of d columns are discrete."""
    if isinstance(discrete_features, str):
        if discrete_features != "auto":
            raise ValueError(
                "discrete_features must be 'auto', True, False, a mask or places of columns; got "
                f"{discrete_features!r}."
            )
        return np.full(d, sparse)
    if isinstance(discrete_features, bool | np.bool_):
        return np.full(d, bool(discrete_features))
    wanted = to_array(discrete_features, "discrete_features", "a mask or places of columns")
    if wanted.ndim != 1 or (wanted.dtype.kind not in "biu" and len(wanted)):
        raise wrong_type(
            "discrete_features", "'auto', True, False, a mask or places of columns",
            discrete_features,
        )  # fmt: skip
    if wanted.dtype.kind == "b":
        if len(wanted) != d:
            raise ValueError(
                f"discrete_features must have an entry for each of the {d} columns of X; got "
                f"{len(wanted)}. Pass places of columns, or a longer mask."
            )
        return wanted.astype(bool)
    beyond = wanted[(wanted < -d) | (wanted >= d)] if len(wanted) else wanted
    if len(beyond):
        raise ValueError(
            f"discrete_features must name columns of X, which has {d}; got {beyond[0]}. Columns "
            "are counted from 0."
        )
    mask = np.zeros(d, bool)
    mask[wanted.astype(np.intp)] = True
    return mask


def _scores(
    rows: Any, discrete: Array, information: Callable[..., float], rng: Any, n_jobs: Jobs
) -> NDArray[np.float64]:
    """The information of each column, each with noise of its own."""
    n, d = rows.shape

    def score(task: tuple[int, np.random.Generator]) -> float:
        j, noise = task
        if hasattr(rows, "indptr"):
            column = np.zeros(n)
            stored = slice(rows.indptr[j], rows.indptr[j + 1])
            column[rows.indices[stored]] = rows.data[stored]
        else:
            column = rows[:, j].astype(np.float64)
        return max(0.0, information(column, bool(discrete[j]), noise))

    effort = 200.0 * n * d
    tasks = list(enumerate(rng.spawn(d)))
    return np.array(each(score, tasks, n_jobs=n_jobs, effort=effort), np.float64)


def spread_column(column: Array, noise: np.random.Generator) -> Array:
    """A column at standard deviation 1, with a little noise that tells equal values apart."""
    size = float(np.abs(column).max())
    if size > SAFE_SIZE or 0.0 < size < 1.0 / SAFE_SIZE:
        column = column / size
    deviation = column.std()
    scaled = column / (deviation if deviation > 0.0 else 1.0)
    level = NOISE * max(1.0, float(np.abs(scaled).mean()))
    return scaled + level * noise.standard_normal(len(column))


def distinct_codes(column: Array) -> NDArray[np.intp]:
    """The number of each value among those that are distinct, ascending."""
    return np.unique(column, return_inverse=True)[1].reshape(-1)


# ------------------------------------------------------------------ estimates
def information_of_counts(column: Array, codes: Array) -> float:
    """Mutual information of two discrete columns."""
    return float(mutual_info_score(distinct_codes(column), codes))


def information_of_classes(column: Array, codes: Array, n_neighbors: int) -> float:
    """Ross's estimate for a continuous column and classes."""
    sizes = np.bincount(codes)
    if (sizes == 1).any():
        kept = sizes[codes] > 1
        column, codes = column[kept], distinct_codes(codes[kept])
        sizes = np.bincount(codes)
    n = len(column)
    if not n:
        return 0.0
    order = interruptible(np.argsort, column)
    ascending = column[order]
    narrow = np.uint16 if len(sizes) <= 1 << 16 else np.intp  # which numpy sorts by its digits
    by_class = np.argsort(codes[order].astype(narrow), kind="stable")
    values = ascending[by_class]
    start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.intp)
    distance, count = np.empty(n), np.empty(n, np.intp)
    for first, last in _calls(n):
        class_distances(values, start, n_neighbors, first, last, distance)
        counts_within(ascending, by_class, distance, first, last, count)
    psi = _digamma_table(n)
    shared = np.minimum(n_neighbors, sizes - 1)
    of_classes = (sizes * (psi[shared] - psi[sizes])).sum()
    return float(psi[n] + (of_classes - _sum_over(psi, count)) / n)


def information_of_plane(column: Array, target: Array, n_neighbors: int) -> float:
    """The first estimate of Kraskov, Stögbauer and Grassberger for two continuous columns."""
    n = len(column)
    plane = _strips(column, target, n_neighbors)
    distance = np.empty(n)
    for first, last in _calls(n):
        plane_distances(
            plane.x, plane.y, plane.start, plane.low, plane.high, n_neighbors, first, last, distance
        )
    psi, total, count = _digamma_table(n), 0.0, np.empty(n, np.intp)
    for values in (plane.x, plane.y):
        order = interruptible(np.argsort, values)
        ascending, sorted_distance = values[order], distance[order]
        places = np.arange(n)
        for first, last in _calls(n):
            counts_within(ascending, places, sorted_distance, first, last, count)
        total += _sum_over(psi, count)
    return float(psi[n] + psi[n_neighbors] - total / n)


@dataclass(frozen=True)
class Strips:
    """Points of the plane, cut by x into strips in which they ascend by y."""

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    start: NDArray[np.intp]
    low: NDArray[np.float64]  # least and largest x of each strip
    high: NDArray[np.float64]


def _strips(x: Array, y: Array, n_neighbors: int) -> Strips:
    n = len(x)
    size = min(n, max(1, int(np.sqrt(float(POINTS_PER_NEIGHBOR) * n * n_neighbors))))
    by_x = interruptible(np.argsort, x)
    start = np.append(np.arange(0, n, size), n)
    order = np.empty(n, np.intp)
    for first, last in pairwise(start):
        checkpoint()
        strip = by_x[first:last]
        order[first:last] = strip[np.argsort(y[strip])]
    low, high = x[by_x[start[:-1]]], x[by_x[start[1:] - 1]]
    return Strips(x[order], y[order], start, low, high)


def _calls(n: int) -> Any:
    """Ranges of points for one call of a kernel each, with a look for Ctrl-C before."""
    for first in range(0, n, POINTS_OF_CALL):
        checkpoint()
        yield first, min(n, first + POINTS_OF_CALL)


def _digamma_table(n: int) -> Array:
    """psi(m) for m up to n; the first entry is not used."""
    from scipy.special import digamma

    return np.append(0.0, digamma(np.arange(1.0, n + 1.0)))


def _sum_over(psi: Array, count: Array) -> float:
    """The sum of psi(m_i), in an order that does not depend on that of the rows; not by BLAS, whose
    threads would be in the way of those of the columns."""
    return float((np.bincount(count, minlength=len(psi)) * psi).sum())
