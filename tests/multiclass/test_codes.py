# SPDX-License-Identifier: BSD-3-Clause
"""Code matrices: known ones, their distances, what they refuse."""

import numpy as np
import pytest

from statfast import GaussianNB, multiclass
from statfast.multiclass import (
    CodeMatrix,
    exhaustive_code,
    hadamard_code,
    one_vs_one_code,
    one_vs_rest_code,
    random_code,
)


def test_known_distances():
    """The catalog's: w = (+1, -1, -1) against the rows of one-vs-rest."""
    assert list(one_vs_rest_code(3).distances([1, -1, -1])) == [0, 2, 2]


def test_distances_are_their_definition():
    rng = np.random.default_rng(0)
    code = random_code(5, 9, sparse=True, random_state=1)
    w = rng.integers(-1, 2, size=(20, 9))
    want = [[sum((1 - c * a) / 2 for c, a in zip(row, x, strict=True)) for row in code.matrix]
            for x in w]  # fmt: skip
    np.testing.assert_array_equal(code.distances(w), want)


def test_ordered_and_pairs():
    ordered = one_vs_rest_code(4, ordered=True)
    assert ordered.matrix.tolist() == [[1, 0, 0], [-1, 1, 0], [-1, -1, 1], [-1, -1, -1]]
    pairs = one_vs_one_code(4)
    assert pairs.n_classifiers == 6
    assert (np.abs(pairs.matrix).sum(axis=0) == 2).all()
    both = one_vs_one_code(4, asymmetric=True)
    assert np.array_equal(both.matrix[:, ::2], pairs.matrix)
    assert np.array_equal(both.matrix[:, 1::2], -pairs.matrix)


@pytest.mark.parametrize("k", range(2, 9))
def test_exhaustive_parts_the_classes_in_every_way_once(k):
    code = exhaustive_code(k)
    assert code.n_classifiers == 2 ** (k - 1) - 1
    columns = {tuple(c) for c in code.matrix.T}
    assert len(columns | {tuple(-c) for c in code.matrix.T}) == 2 * code.n_classifiers
    assert code.minimum_distance == 2 ** (k - 2)


@pytest.mark.parametrize(("k", "n"), [(2, 2), (3, 4), (5, 8), (8, 8), (9, 16)])
def test_words_of_hadamard_are_equally_far_apart(k, n):
    code = hadamard_code(k)
    assert code.n_classifiers == n - 1
    between = code.distances(code.matrix)
    assert set(between[~np.eye(k, dtype=bool)]) == {n / 2}


def test_random_codes():
    dense, sparse = random_code(6, random_state=0), random_code(6, sparse=True, random_state=0)
    assert (dense.n_classifiers, sparse.n_classifiers) == (26, 39)
    assert (dense.matrix != 0).all()
    assert 0.3 < (sparse.matrix == 0).mean() < 0.7
    assert np.array_equal(dense.matrix, random_code(6, random_state=0).matrix)
    few = random_code(6, n_trials=1, random_state=0)
    assert dense.minimum_distance > few.minimum_distance
    with pytest.raises(ValueError, match="n_classifiers must be at least 3 to separate 6 classes"):
        random_code(6, 2, random_state=0)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("k", [2, 3, 4, 5])
def test_of_many_draws_the_first_of_the_best_is_kept(k, sparse):
    """The search ends early only where no draw can be better."""
    rng = np.random.default_rng(3)
    draws = [random_code(k, 12, sparse=sparse, n_trials=1, random_state=rng) for _ in range(300)]
    best = max(draws, key=lambda code: code.minimum_distance)
    found = random_code(k, 12, sparse=sparse, n_trials=300, random_state=3)
    assert np.array_equal(found.matrix, best.matrix)


def test_it_prints_as_a_table():
    code = CodeMatrix([[1, 0], [-1, 1], [-1, -1]], ["ash", "elm", "oak"], "ordered")
    assert str(code).splitlines() == [
        "ordered: 3 classes, 2 classifiers, minimum distance 1",
        "      0   1",
        "ash  +1   0",
        "elm  -1  +1",
        "oak  -1  -1",
    ]
    assert "<th>elm</th><td>-1</td><td>+1</td>" in code._repr_html_()
    assert "..." in str(random_code(4, 30, random_state=0))


@pytest.mark.parametrize(
    ("matrix", "words"),
    [
        ([[1, -1], [-1, -1]], "Column 1 of code has no class on one of its sides"),
        ([[1, 1], [1, -1], [1, 1]], "Column 0 of code"),
        ([[1, -1], [-1, 1], [1, -1]], "Rows 0 and 2 of code are equal"),
        ([[1, 2], [-1, 1]], "code must hold 1, -1 and 0"),
        ([1, -1], "code must be a matrix"),
        ([["a"], ["b"]], "code must hold"),
        ([[1, -1], [-1]], "code must be a matrix: .* Give all rows the same length"),
    ],
)
def test_what_is_no_code(matrix, words):
    with pytest.raises(ValueError, match=words):
        CodeMatrix(matrix)


@pytest.mark.parametrize(
    ("signs", "words"),
    [
        ([1, -1], r"an answer for each of 3 classifiers; got shape \(2,\)"),
        ([1, np.nan, 1], "signs must be 1, -1 and 0 alone"),
        ([0.3, 1, 1], r"Take numpy\.sign"),
        ([[1, 1, 1], [1]], "signs must be an array of 1, -1 and 0"),
        ([10**400, 1, 1], "signs must be an array of 1, -1 and 0"),
    ],
)
def test_what_no_learner_says(signs, words):
    with pytest.raises((TypeError, ValueError), match=words):
        one_vs_rest_code(3).distances(signs)


def test_number_of_names_and_classes():
    with pytest.raises(ValueError, match="code has 2 rows, one for each class, but there are 3"):
        CodeMatrix([[1], [-1]], "abc")
    with pytest.raises(ValueError, match="n_classes must be at least 2"):
        one_vs_rest_code(1)
    with pytest.raises(ValueError, match="n_classes must be between 2 and 12"):
        exhaustive_code(13)


def test_a_code_cannot_be_changed():
    code = hadamard_code(4)
    with pytest.raises(ValueError, match="read-only"):
        code.matrix[0, 0] = 0
    assert set(multiclass.__all__) >= {"CodeMatrix", "random_code"}


@pytest.mark.parametrize("code", ["dense_random", "sparse_random"])
@pytest.mark.parametrize("k", [2, 3, 5, 8, 16, 32])
def test_the_shortest_random_code_tells_all_classes_apart(code, k):
    many = (k - 1).bit_length()
    for seed in range(5):
        found = random_code(k, many, sparse=code == "sparse_random", random_state=seed)
        assert found.matrix.shape == (k, many)
        assert len(np.unique(found.matrix, axis=0)) == k
        assert (found.matrix.max(axis=0) == 1).all()
        assert (found.matrix.min(axis=0) == -1).all()


def test_a_small_code_size_is_enough_for_the_classes():
    y = np.repeat(np.arange(16), 3)
    X = np.eye(16)[y] + 0.01 * np.arange(3.0)[np.arange(48) % 3, None]
    for size in (0.01, 0.25, 0.4):
        model = multiclass.OutputCodeClassifier(GaussianNB(), code_size=size, random_state=0).fit(
            X, y
        )
        assert model.code_.n_classifiers == max(4, int(16 * size))
