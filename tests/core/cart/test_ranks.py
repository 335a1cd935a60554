# SPDX-License-Identifier: BSD-3-Clause
"""Ranks of columns are those of numpy's unique values, however close the values are."""

import numpy as np
import pytest

from statfast.tree.growing.columns import ranked_columns

KINDS = {
    "normal": lambda rng, n: rng.normal(size=n),
    "ties": lambda rng, n: rng.integers(-3, 4, n) * 0.1,
    "one in 32 bits": lambda rng, n: 1.0 + 1e-9 * rng.normal(size=n),
    "some one in 32 bits": lambda rng, n: (
        rng.integers(1, n // 9 + 2, n) + 1e-9 * rng.normal(size=n)
    ),
    "far": lambda rng, n: -1e9 + 1e-3 * rng.normal(size=n),
    "of all sizes": lambda rng, n: rng.normal(size=n) * 10.0 ** rng.integers(-300, 300, n),
    "zeros": lambda rng, n: rng.choice([-0.0, 0.0, 1e-320, -1e-320], n),
}


@pytest.mark.parametrize("missing", [0.0, 0.1, 1.0])
@pytest.mark.parametrize("n", [1, 2, 50, 3000])
@pytest.mark.parametrize("kind", list(KINDS))
def test_ranks_are_those_of_unique_values(kind, n, missing):
    rng = np.random.default_rng(n)
    X = np.column_stack([KINDS[kind](rng, n) for _ in range(3)])
    X[rng.random(X.shape) < missing] = np.nan
    ranked = ranked_columns(X, n_jobs=1)
    for j, column in enumerate(X.T):
        lost = np.isnan(column)
        values, rank = np.unique(column[~lost], return_inverse=True)
        own = ranked.values[ranked.first[j] : ranked.first[j + 1]]
        np.testing.assert_array_equal(own, values)
        np.testing.assert_array_equal(ranked.ranks[j][~lost], rank)
        np.testing.assert_array_equal(ranked.ranks[j][lost], len(values))
        assert ranked.missing[j] == (len(values) if lost.any() else -1)
        np.testing.assert_array_equal(ranked.codes[j], ranked.ranks[j] >> ranked.shift[j])
