# SPDX-License-Identifier: BSD-3-Clause
"""Rows for clusters of Dask's on this machine."""

import numpy as np

from statfast import Parts

N, D, STEP = 4000, 5, 700


def made_rows():
    """X, targets and labels."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(N, D))
    y = X @ np.arange(D) + rng.normal(size=N)
    return X, y, np.array(["a", "b", "c"])[np.digitize(y, [-2.0, 2.0])]


def in_parts(*columns):
    """The same in the parts of `collections`, here."""
    starts = range(0, len(columns[0]), STEP)
    return Parts([tuple(column[a : a + STEP] for column in columns) for a in starts])


def collections(*columns):
    """Arrays of Dask's, of new names: deaths in one test are not counted in another."""
    import dask.array as da

    chunks = [(STEP, *([-1] * (column.ndim - 1))) for column in columns]
    return [
        da.from_array(column, own, name=False) for column, own in zip(columns, chunks, strict=True)
    ]
