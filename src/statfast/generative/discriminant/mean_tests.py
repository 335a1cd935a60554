# SPDX-License-Identifier: BSD-3-Clause
"""Tests of normal classes: are their means equal, and are their covariances?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from statfast._engine import interruptible
from statfast._estimator import (
    ROW_DTYPES,
    CoefficientTable,
    FitState,
    Summary,
    Tabled,
    weighted_labels,
)
from statfast._typing import Array, ArrayLike, DataFrame, Rows, Weights
from statfast._validation import as_rows, column_names
from statfast.generative.discriminant.canonical import require_enough
from statfast.generative.discriminant.class_covariances import require_rows
from statfast.generative.discriminant.model import gather_moments, require_classes
from statfast.generative.normal.whitening import Whitening, list_columns, whiten

MIN_DEVIATION = 1e-7  # A standardized direction of a smaller standard deviation counts as constant.


@dataclass(frozen=True)
class ManovaResult:
    """Result of `manova`; ``print`` shows it as R does.

    Attributes
    ----------
    tests : CoefficientTable
        Wilks' lambda, Pillai's trace, the Hotelling-Lawley trace and Roy's largest root: the
        statistic, F, its two degrees of freedom, and the p value.
    dimensions : CoefficientTable
        Bartlett's tests that no more than 0, 1, ... canonical variates tell the classes apart:
        chi-square, its degrees of freedom, and the p value.
    eigenvalues : ndarray of shape (s,)
        Of W^-1 B, descending; s = min(d, K - 1).
    canonical_correlations : ndarray of shape (s,)
        Square roots of eigenvalue / (1 + eigenvalue).
    scalings : ndarray of shape (d, s)
        Canonical vectors: the eigenvectors, of variance 1 and uncorrelated within the classes.
    n_samples, n_classes, n_features : float, int, int
        Sum of the weights, K, and d.

    Examples
    --------
    >>> from statfast.datasets import load_iris
    >>> from statfast.generative import manova
    >>> iris = load_iris()
    >>> print(manova(iris.data, iris.target))
                      Multivariate analysis of variance, one way
    ==============================================================================
    Samples:                          150    Columns:                            4
    Classes:                            3    Largest canonical correlation:
    0.9848209
    ------------------------------------------------------------------------------
    Equal means
    <BLANKLINE>
                        value        F  df1  df2       P>F
    Wilks              0.0234   199.15    8  288  <2.2e-16  ***
    Pillai             1.1919    53.47    8  290  <2.2e-16  ***
    Hotelling-Lawley  32.4773   580.53    8  286  <2.2e-16  ***
    Roy               32.1919  1166.96    4  145  <2.2e-16  ***
    ------------------------------------------------------------------------------
    Canonical variates beyond
    <BLANKLINE>
         chi2  df    P>chi2
    0  546.12   8  <2.2e-16  ***
    1   36.53   3  5.79e-08  ***
    ------------------------------------------------------------------------------
    Significance: 0 *** 0.001 ** 0.01 * 0.05 . 0.1
    ==============================================================================
    """

    tests: CoefficientTable
    dimensions: CoefficientTable
    eigenvalues: NDArray[np.float64]
    canonical_correlations: NDArray[np.float64]
    scalings: NDArray[np.float64]
    n_samples: float
    n_classes: int
    n_features: int

    def summary(self) -> Summary:
        """Return the tests as a summary, in text and HTML.

        Returns
        -------
        Summary
        """
        facts = [
            ("Samples", self.n_samples),
            ("Classes", self.n_classes),
            ("Columns", self.n_features),
            ("Largest canonical correlation", float(self.canonical_correlations[0])),
        ]
        tables = {"Equal means": self.tests, "Canonical variates beyond": self.dimensions}
        return Summary("Multivariate analysis of variance, one way", facts, tables)

    def to_frame(self) -> DataFrame:
        """Return the four tests as a pandas data frame.

        Returns
        -------
        pandas.DataFrame
        """
        return self.tests.to_frame()

    def __str__(self) -> str:
        return str(self.summary())

    __repr__ = __str__

    def _repr_html_(self) -> Any:
        return self.summary()._repr_html_()


def manova(
    X: Rows, y: ArrayLike, sample_weight: Weights = None, *, n_jobs: int | None = None
) -> ManovaResult:
    """Multivariate analysis of variance (MANOVA): a test of equal means of several classes.

    Parameters
    ----------
    X : array-like of shape (n, d)
        The samples, finite.
    y : array-like of shape (n,)
        The class of each row, of at least two.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; an integer weight equals a repeated sample.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Returns
    -------
    ManovaResult

    Raises
    ------
    ValueError
        If X is not a finite 2-d array, if y is not one label for each row or holds one class, if
        there are no more rows than classes and columns together, or if columns are constant or
        collinear within the classes.

    Notes
    -----
    With W and B the scatter within and between the classes, the tests are of the eigenvalues of
    W^-1 B. F is Rao's, Pillai's, McKeon's approximation as R's ``summary.manova`` has them; that of
    Roy's root is an upper bound. For two classes all are Hotelling's T^2, exactly.
    Cost: one pass, n d^2 operations.

    References
    ----------
    .. [1] Rao, C. R. (1951). An asymptotic expansion of the distribution of Wilks' criterion.
       Bulletin of the International Statistical Institute 33, 177-180.
    .. [2] Pillai, K. C. S. (1955). Some new test criteria in multivariate analysis. Annals of
       Mathematical Statistics 26, 117-121. https://doi.org/10.1214/aoms/1177728599
    .. [3] Bartlett, M. S. (1947). Multivariate analysis. Supplement to the Journal of the Royal
       Statistical Society 9, 176-197. https://doi.org/10.2307/2984113

    Examples
    --------
    >>> from statfast.datasets import load_iris
    >>> from statfast.generative import manova
    >>> iris = load_iris()
    >>> result = manova(iris.data, iris.target)
    >>> [round(float(value), 6) for value in result.tests.columns["value"]]
    [0.023439, 1.191899, 32.47732, 32.191929]
    """
    classes, total, names = _moments(X, y, sample_weight, "pooled", n_jobs)
    n, n_classes = total.class_counts.sum(), len(classes)
    p, q = total.means.shape[1], n_classes - 1
    require_enough(classes, total.class_counts, True)
    if n - n_classes < p:
        raise ValueError(
            f"X must have more rows ({n:g}) than classes and columns together ({n_classes + p - 1}"
            "). Pass more rows, or drop columns."
        )
    white = _whitened(total.within / (n - n_classes), total.means, names, "within the classes")
    center = total.class_counts @ total.means / n
    distances = np.sqrt(total.class_counts)[:, None] * ((total.means - center) @ white.root)
    _, singular, vectors = interruptible(np.linalg.svd, distances, full_matrices=False)
    s = min(p, q)
    roots = singular[:s] ** 2 / (n - n_classes)
    return ManovaResult(
        tests=_four_tests(roots, p, q, n - n_classes),
        dimensions=_bartlett(roots, p, q, n),
        eigenvalues=roots,
        canonical_correlations=np.sqrt(roots / (1.0 + roots)),
        scalings=white.root @ vectors[:s].T,
        n_samples=float(n),
        n_classes=n_classes,
        n_features=p,
    )


def _four_tests(roots: Array, p: int, q: int, v: float) -> CoefficientTable:
    """Statistics of the eigenvalues, with F and its degrees of freedom."""
    from scipy.special import fdtrc

    s, m, n = min(p, q), (abs(p - q) - 1.0) / 2.0, (v - p - 1.0) / 2.0
    log_wilks = -np.log1p(roots).sum()
    pillai, hotelling, roy = (roots / (1.0 + roots)).sum(), roots.sum(), roots.max()

    inner = p * p + q * q - 5.0
    power = np.sqrt((p * p * q * q - 4.0) / inner) if inner > 0.0 else 1.0
    rao = (v - (p - q + 1.0) / 2.0) * power - (p * q - 2.0) / 2.0
    wide, tall = 2.0 * m + s + 1.0, 2.0 * n + s + 1.0
    trace = 2.0 * (s * n + 1.0)
    most = float(max(p, q))
    rows = [
        (np.exp(log_wilks), np.expm1(-log_wilks / power) * rao / (p * q), p * q, rao),
        (pillai, tall / wide * pillai / (s - pillai), s * wide, s * tall),
        (hotelling, trace * hotelling / (s * s * wide), s * wide, trace),
        (roy, (v - most + q) * roy / most, most, v - most + q),
    ]
    value, F, first, second = np.array(rows, dtype=float).T
    return CoefficientTable(
        ("Wilks", "Pillai", "Hotelling-Lawley", "Roy"),
        {
            "value": value,
            "F": F,
            "df1": first,
            "df2": second,
            "P>F": fdtrc(first, second, F),
        },
    )


def _bartlett(roots: Array, p: int, q: int, n: float) -> CoefficientTable:
    """Tests that the eigenvalues beyond the first 0, 1, ... are zero."""
    from scipy.special import chdtrc

    known = np.arange(len(roots))
    rest = np.cumsum(np.log1p(roots)[::-1])[::-1]
    chi2 = (n - 1.0 - (p + q + 1.0) / 2.0) * rest
    freedom = (p - known) * (q - known)
    return CoefficientTable(
        [str(k) for k in known],
        {"chi2": chi2, "df": freedom.astype(float), "P>chi2": chdtrc(freedom, chi2)},
    )


@dataclass(frozen=True, repr=False)
class BoxMResult(Tabled):
    """Result of `box_m`.

    Attributes
    ----------
    statistic : float
        Box's M: (n - K) log det S less the sum of (n_k - 1) log det S_k.
    chi2 : float
        The statistic times Box's correction.
    df : int
        Its degrees of freedom, d (d + 1) (K - 1) / 2.
    p_value : float
        p value.
    classes : ndarray of shape (K,)
        Class labels.
    log_determinants : ndarray of shape (K,)
        Of the unbiased covariances of the classes.
    pooled_log_determinant : float
        Logarithm of the determinant of the pooled covariance.

    Examples
    --------
    >>> from statfast.datasets import load_iris
    >>> from statfast.generative import box_m
    >>> iris = load_iris()
    >>> result = box_m(iris.data, iris.target)
    >>> print(f"{result.statistic:.1f}, p = {result.p_value:.0e}")
    146.7, p = 3e-20
    """

    statistic: float
    chi2: float
    df: int
    p_value: float
    classes: NDArray
    log_determinants: NDArray[np.float64]
    pooled_log_determinant: float

    def table(self) -> CoefficientTable:
        """One row: Box's M, chi-square, its degrees of freedom, and p.

        Returns
        -------
        CoefficientTable
        """
        numbers = {
            "M": self.statistic,
            "Chi-square": self.chi2,
            "df": self.df,
            "Pr(>Chi)": self.p_value,
        }
        return CoefficientTable(["Box's M"], {key: np.array([v]) for key, v in numbers.items()})


def box_m(
    X: Rows, y: ArrayLike, sample_weight: Weights = None, *, n_jobs: int | None = None
) -> BoxMResult:
    """Box's M test of equal covariance matrices (Box 1949).

    Parameters
    ----------
    X : array-like of shape (n, d)
        The samples, finite.
    y : array-like of shape (n,)
        The class of each row, of at least two.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; an integer weight equals a repeated sample.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Returns
    -------
    BoxMResult

    Raises
    ------
    ValueError
        If X is not a finite 2-d array, if y is not one label for each row or holds one class, or
        if the covariance of a class is singular, as with no more rows than columns.

    Notes
    -----
    The test also distinguishes classes that are not normal from those that are as readily as
    covariances that differ. Its chi-square approximation wants some 20 rows a class and at most 5
    columns. Cost: one pass, n d^2 operations.

    References
    ----------
    .. [1] Box, G. E. P. (1949). A general distribution theory for a class of likelihood criteria.
       Biometrika 36, 317-346. https://doi.org/10.1093/biomet/36.3-4.317

    Examples
    --------
    >>> from statfast.datasets import load_iris
    >>> from statfast.generative import box_m
    >>> iris = load_iris()
    >>> result = box_m(iris.data, iris.target)
    >>> round(result.chi2, 3), result.df
    (140.943, 20)
    """
    from scipy.special import chdtrc

    classes, total, names = _moments(X, y, sample_weight, "scatters", n_jobs)
    require_rows(classes, total.class_counts, True)
    n, p, n_classes = total.class_counts.sum(), total.means.shape[1], len(classes)
    dets = np.array(
        [
            _whitened(S / (m - 1.0), total.means, names, f"of the class {label!r}").log_det
            for S, m, label in zip(
                total.scatters, total.class_counts, classes.tolist(), strict=True
            )
        ]
    )
    pooled = total.scatters.sum(axis=0) / (n - n_classes)
    whole = _whitened(pooled, total.means, names, "within the classes").log_det
    statistic = (n - n_classes) * whole - ((total.class_counts - 1.0) * dets).sum()
    shrink = (1.0 / (total.class_counts - 1.0)).sum() - 1.0 / (n - n_classes)
    shrink *= (2.0 * p * p + 3.0 * p - 1.0) / (6.0 * (p + 1.0) * (n_classes - 1.0))
    df = p * (p + 1) * (n_classes - 1) // 2
    chi2 = float((1.0 - shrink) * statistic)
    return BoxMResult(float(statistic), chi2, df, float(chdtrc(df, chi2)), classes, dets, whole)


def _moments(
    X: Any, y: Any, sample_weight: Any, kind: str, n_jobs: Any
) -> tuple[Array, Any, Array | None]:
    """Classes, their moments, and the names of the columns."""
    rows = as_rows(X, keep=ROW_DTYPES, finite=False)
    classes, codes, weights = weighted_labels(y, rows.shape[0], sample_weight)
    require_classes(classes)
    names = column_names(X)
    state = FitState(rows.shape[1], names, classes, kind)
    total = gather_moments((rows, codes, weights), state, n_jobs)
    require_enough(classes, total.class_counts, False)
    return classes, total, names


def _whitened(covariance: Array, means: Array, names: Array | None, where: str) -> Whitening:
    """The whitening of a covariance that is refused if it is singular."""
    white = whiten(covariance, np.abs(means).max(axis=0), MIN_DEVIATION)
    if len(white.constant):
        columns = list_columns(white.constant, names)
        raise np.linalg.LinAlgError(
            f"The covariance {where} is singular: constant in {columns}. Drop them."
        )
    if white.n_lost:
        columns = list_columns(white.collinear, names)
        raise np.linalg.LinAlgError(
            f"The covariance {where} is singular: {white.n_lost} direction(s) of {columns} are "
            "collinear. Drop columns, or pass more rows."
        )
    return white
