# SPDX-License-Identifier: BSD-3-Clause
"""Rows whose squares overflow or vanish, and rows too few."""

import numpy as np
import pytest
from scipy import sparse

from statfast import Chunks
from statfast.decomposition import (
    PCA,
    IncrementalPCA,
    PrincipalComponentRegression,
    RatingsFactorization,
    TruncatedSVD,
)
from statfast.model_selection import cross_val_score


def table(n=40, d=6, scale=1.0):
    return np.random.default_rng(0).normal(size=(n, d)) * scale


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("shape", [(40, 6), (6, 40), (1100, 1050)])
@pytest.mark.parametrize(
    ("scale", "words"), [(1e154, "squares overflow"), (1e-162, "squares vanish")]
)
def test_squares_that_are_no_numbers(shape, scale, words):
    X = table(*shape, scale)
    models = [PCA(2), TruncatedSVD(2)]
    if shape[0] == 40:
        models += [IncrementalPCA(2), PrincipalComponentRegression(2)]
    for model in models:
        with pytest.raises(ValueError, match=words):
            model.fit(X, X[:, 0] / scale)


@pytest.mark.filterwarnings("error")
def test_any_size_whose_squares_are_numbers():
    X, more = table(), table(5)
    want = PCA(2).fit(X)
    for scale in (2.0**-440, 2.0**480):
        found = PCA(2).fit(X * scale)
        np.testing.assert_allclose(found.transform(more * scale) / scale, want.transform(more))
        y = X @ np.arange(6.0)
        line = PrincipalComponentRegression(6).fit(X * scale, y)
        np.testing.assert_allclose(line.predict(more * scale), more @ np.arange(6.0), rtol=1e-9)


@pytest.mark.filterwarnings("ignore:No column of X varies")
def test_rows_that_are_all_alike_have_no_components_of_any_size():
    for value in (0.0, 1e-200, 3.0):
        assert PCA(1).fit(np.full((5, 3), value)).explained_variance_.tolist() == [0.0]


def test_batches_too_far_apart_to_be_merged():
    for model in (IncrementalPCA(2), PCA(2)):
        model.partial_fit(table())
        with pytest.raises(ValueError, match="squares overflow"):
            model.partial_fit(table() + 1e200)
    with pytest.raises(ValueError, match="squares overflow"):
        IncrementalPCA(2, batch_size=20).fit(np.vstack([table(20), table(20) + 1e200]))


def test_one_row_in_chunks():
    with pytest.raises(ValueError, match="a minimum of 2 is required"):
        IncrementalPCA().fit(Chunks([table(1)]))


def test_users_and_items_are_lists_of_integers():
    model = RatingsFactorization(1).fit(sparse.csr_array(np.abs(table(6, 4))))
    for wrong in ([[0], [1, 2]], "a", None, 0, [0.5], [[0]]):
        with pytest.raises((TypeError, ValueError), match=r"^users "):
            model.ratings(wrong, [0])


def test_implicit_is_a_flag():
    with pytest.raises(TypeError, match="implicit must be True or False"):
        RatingsFactorization(1, implicit=np.array([1.0, 2.0])).held_out_errors(table())


def test_a_fold_of_one_row_has_no_components():
    X = np.random.default_rng(0).normal(size=(6, 2))
    with pytest.raises(ValueError, match=r"X has 1 sample\(s\) while a minimum of 2"):
        cross_val_score(
            PrincipalComponentRegression(), X, X[:, 0],
            cv=[([0], [1, 2]), ([3, 4], [5])], error_score="raise",
        )  # fmt: skip
