# SPDX-License-Identifier: BSD-3-Clause
"""How many components: every usual rule side by side, and parallel analysis with p values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from statfast._engine import Chunks, checkpoint, report
from statfast._estimator import ROW_DTYPES, CoefficientTable, Display, Tabled, picture
from statfast._typing import Array, Axes, Rows, Seed
from statfast._validation import (
    MAX_REPEATS,
    as_choice,
    as_count,
    as_csr,
    as_flag,
    as_generator,
    as_real,
    as_rows,
    is_sparse,
)
from statfast.decomposition.components.decompose import (
    components_of_moments,
    decompose,
    most_components,
)
from statfast.decomposition.components.moments import moments_of
from statfast.decomposition.components.n_components import (
    broken_stick,
    by_share,
    leading,
    minka_evidence,
)


@dataclass(frozen=True, repr=False)
class ComponentChoice(Tabled):
    """Number of components by each rule.

    Attributes
    ----------
    eigenvalues : ndarray of shape (m,)
        Variances along all components, with divisor n - 1; m is the smaller of rows and columns.
    share, cumulative : ndarray of shape (m,)
        Their proportions of the whole, and the running sums of those.
    broken_stick : ndarray of shape (m,)
        Expected proportions of the pieces of a stick broken at random.
    evidence : ndarray of shape (m,)
        Minka's log evidence of 0 to m - 1 components; -inf where it is not defined.
    reference : ndarray of shape (m,) or None
        Parallel analysis: the quantile of the eigenvalues of rows without correlation.
    p_values : ndarray of shape (m,) or None
        The chance of an eigenvalue as large without correlation.
    n_by_share, n_by_kaiser, n_by_broken_stick, n_by_evidence : int
        Components by each rule. The broken stick may say 0.
    n_by_parallel_analysis : int or None
        Number of components by parallel analysis.

    Examples
    --------
    >>> from statfast.datasets import load_wine
    >>> from statfast.decomposition import choose_components
    >>> choice = choose_components(load_wine().data, correlation=True, random_state=0)
    >>> choice.n_by_kaiser, choice.n_by_broken_stick, choice.n_by_parallel_analysis
    (3, 2, 3)
    >>> choice.cumulative[:3].round(2)
    array([0.36, 0.55, 0.67])
    """

    eigenvalues: NDArray[np.float64]
    share: NDArray[np.float64]
    cumulative: NDArray[np.float64]
    broken_stick: NDArray[np.float64]
    evidence: NDArray[np.float64]
    reference: NDArray[np.float64] | None
    p_values: NDArray[np.float64] | None
    n_by_share: int
    n_by_kaiser: int
    n_by_broken_stick: int
    n_by_evidence: int
    n_by_parallel_analysis: int | None

    def table(self) -> CoefficientTable:
        """Return the figures of each component as a table.

        The evidence beside component k is that of k components.

        Returns
        -------
        CoefficientTable
        """
        names = ["eigenvalues", "share", "cumulative", "broken_stick", "evidence"]
        names += [] if self.reference is None else ["reference", "p_values"]
        rows = [f"PC{j + 1}" for j in range(len(self.eigenvalues))]
        columns = {name: getattr(self, name) for name in names}
        columns["evidence"] = np.append(self.evidence[1:], np.nan)
        return CoefficientTable(rows, columns)

    def __str__(self) -> str:
        rules = ("share", "kaiser", "broken_stick", "evidence", "parallel_analysis")
        words = ("share", "Kaiser's rule", "broken stick", "evidence", "parallel analysis")
        numbers = [
            (getattr(self, f"n_by_{rule}"), word) for rule, word in zip(rules, words, strict=True)
        ]
        listing = ", ".join(f"{n} by {rule}" for n, rule in numbers if n is not None)
        return f"Components: {listing}\n\n{super().__str__()}"

    __repr__ = __str__

    def plot(self, *, ax: Axes | None = None, **style: Any) -> Display:
        """Draw the scree with broken stick and parallel analysis: `statfast.plot.scree`.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; None draws on a new figure of pyplot.
        **style : object
            Style of the line of eigenvalues.

        Returns
        -------
        statfast.plot.Display
        """
        return picture("scree")(self, ax=ax, **style)


def choose_components(
    X: Rows,
    *,
    correlation: bool = True,
    share: float = 0.9,
    n_permutations: int = 99,
    null: Literal["permutation", "normal"] = "permutation",
    quantile: float = 0.95,
    random_state: Seed = None,
    n_jobs: int | None = None,
) -> ComponentChoice:
    """Choose the number of principal components by several rules.

    - *share*: the fewest that hold more than a share of the variance.
    - *Kaiser*: those above the mean eigenvalue (1, for correlations).
    - *broken stick* (Frontier 1976): those before the first that holds less than the expected
      piece of a stick broken at random.
    - *evidence* (Minka 2000): where the approximate evidence of probabilistic PCA is largest.
    - *parallel analysis* (Horn 1965): those before the first that is no larger than the `quantile`
      of its counterparts in rows without correlation, whose p value is the share of these that
      are as large, ``(1 + count) / (1 + n_permutations)``.

    Parameters
    ----------
    X : {array-like, sparse matrix, Chunks} of shape (n, d)
        Chunks without parallel analysis (``n_permutations=0``).
    correlation : bool, default=True
        Divide columns by their standard deviation, which Kaiser's rule and Horn's have in mind.
    share : float, default=0.9
        Proportion of the variance to be explained.
    n_permutations : int, default=99
        Samples without correlation; 0 leaves parallel analysis out.
    null : {"permutation", "normal"}, default="permutation"
        Each column in random order (Buja & Eyuboglu 1992), or normal numbers of its variance.
    quantile : float, default=0.95
        Quantile of the random eigenvalues in parallel analysis.
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator; an integer makes the result reproducible.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Returns
    -------
    ComponentChoice

    Raises
    ------
    ValueError
        If X is not a finite 2-d array of two rows or more, or no column of it varies.

    Notes
    -----
    A sample without correlation costs as much as the analysis, and a permutation of every column.

    References
    ----------
    Horn 1965, doi:10.1007/BF02289447. Buja & Eyuboglu 1992, doi:10.1207/s15327906mbr2704_2.
    Frontier 1976, doi:10.1016/0022-0981(76)90076-9. Minka 2000, Automatic choice of dimensionality
    for PCA, NIPS 13.

    Examples
    --------
    >>> from statfast.datasets import load_iris
    >>> from statfast.decomposition import choose_components
    >>> chosen = choose_components(load_iris().data, random_state=0)
    >>> chosen.n_by_kaiser, chosen.n_by_share, chosen.n_by_parallel_analysis
    (1, 2, 1)
    """
    correlation = as_flag(correlation, "correlation")
    share = as_real(share, "share", 0.0, 1.0, open_low=True, open_high=True)
    quantile = as_real(quantile, "quantile", 0.0, 1.0, open_low=True, open_high=True)
    repeats = as_count(n_permutations, "n_permutations", 0, MAX_REPEATS)
    as_choice(null, "null", ("permutation", "normal"))
    rng = as_generator(random_state)
    if isinstance(X, Chunks):
        if repeats:
            raise ValueError("X must be an array for parallel analysis. Pass n_permutations=0.")
        rows = X
    elif is_sparse(X):
        rows = as_csr(X, n_min=2).toarray()
    else:
        rows = as_rows(X, keep=ROW_DTYPES, n_min=2, finite=False)
    observed, total_weight = _spectrum(rows, correlation, n_jobs)
    if not observed.sum() > 0.0:
        raise ValueError("No column of X varies: there are no components to choose among.")
    reference = p_values = kept = None
    if repeats:
        samples = np.empty((repeats, len(observed)))
        for r in range(repeats):
            checkpoint()
            report(r, repeats)
            uncorrelated = _without_correlation(rows, null, rng)
            samples[r] = _spectrum(uncorrelated, correlation, n_jobs)[0]
        reference = np.quantile(samples, quantile, axis=0)
        p_values = (1.0 + (samples >= observed).sum(axis=0)) / (1.0 + repeats)
        kept = leading(observed > reference)
    parts, stick = observed / observed.sum(), broken_stick(len(observed))
    evidence = minka_evidence(observed * (total_weight - 1.0), total_weight)
    return ComponentChoice(
        eigenvalues=observed,
        share=parts,
        cumulative=np.cumsum(parts),
        broken_stick=stick,
        evidence=evidence,
        reference=reference,
        p_values=p_values,
        n_by_share=by_share(share, observed),
        n_by_kaiser=int((observed > observed.mean() * (1.0 + 1e-12)).sum()),
        n_by_broken_stick=leading(parts > stick),
        n_by_evidence=int(evidence.argmax()),
        n_by_parallel_analysis=kept,
    )


def _spectrum(rows, correlation, n_jobs):
    """All variances along components, and the number of rows."""

    def everything(values: Array, sample: Any) -> Any:
        return 1

    if isinstance(rows, Chunks):
        components = components_of_moments(moments_of(rows, None, n_jobs=n_jobs), everything,
                             correlation=correlation)  # fmt: skip
    else:
        components = decompose(rows, None, everything, correlation=correlation, n_jobs=n_jobs)
    most = most_components(components.n, components.total_weight, len(components.mean))
    return components.values[:most] / (components.total_weight - 1.0), components.total_weight


def _without_correlation(rows: Any, null: Any, rng: Any) -> Any:
    """Rows of the same columns, each in an order of its own; or of normal numbers."""
    n, d = rows.shape
    if null == "normal":
        return rng.standard_normal((n, d)) * np.std(rows, axis=0, dtype=np.float64)
    permuted = np.empty((n, d), rows.dtype)
    for j in range(d):
        checkpoint()
        permuted[:, j] = rng.permutation(rows[:, j])
    return permuted
