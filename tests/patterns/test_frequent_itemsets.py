# SPDX-License-Identifier: BSD-3-Clause
"""Item sets against every set tried, in all containers, and what is refused."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from statfast.patterns import frequent_itemsets
from statfast.patterns.itemsets import baskets as preparation
from statfast.patterns.itemsets import search
from tests.reference import item_sets as twin

KINDS = ("frequent", "closed", "maximal")
# The example of mlxtend's documentation.
RETAIL = [
    ["Milk", "Onion", "Nutmeg", "Kidney Beans", "Eggs", "Yogurt"],
    ["Dill", "Onion", "Nutmeg", "Kidney Beans", "Eggs", "Yogurt"],
    ["Milk", "Apple", "Kidney Beans", "Eggs"],
    ["Milk", "Unicorn", "Corn", "Kidney Beans", "Yogurt"],
    ["Corn", "Onion", "Onion", "Kidney Beans", "Ice cream", "Eggs"],
]


def flags(kind):
    return {} if kind == "frequent" else {kind: True}


def random_table(seed, n=None, d=None):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 40)) if n is None else n
    d = int(rng.integers(1, 9)) if d is None else d
    table = rng.random((n, d)) < rng.uniform(0.1, 0.95) * rng.random(d) ** 0.3
    table[rng.integers(n), rng.integers(d)] = True
    return rng, table


def lists_of(table):
    return [np.flatnonzero(row).tolist() for row in table]


def as_dict(sets):
    listed = sets.itemsets
    assert len(set(listed)) == len(listed)
    return dict(zip(listed, sets.counts.tolist(), strict=True))


# ------------------------------------------------------------------ known answers
def test_retail_example():
    sets = frequent_itemsets(RETAIL, 0.6)
    known = {
        ("Eggs",): 0.8, ("Kidney Beans",): 1.0, ("Milk",): 0.6, ("Onion",): 0.6, ("Yogurt",): 0.6,
        ("Eggs", "Kidney Beans"): 0.8, ("Onion", "Eggs"): 0.6, ("Milk", "Kidney Beans"): 0.6,
        ("Onion", "Kidney Beans"): 0.6, ("Kidney Beans", "Yogurt"): 0.6,
        ("Onion", "Eggs", "Kidney Beans"): 0.6,
    }  # fmt: skip
    found = dict(zip(sets.itemsets, sets.supports.tolist(), strict=True))
    assert found == {frozenset(items): support for items, support in known.items()}
    assert sets.total == 5
    maximal = frequent_itemsets(RETAIL, 0.6, maximal=True)
    assert set(maximal.itemsets) == {
        frozenset({"Onion", "Eggs", "Kidney Beans"}),
        frozenset({"Milk", "Kidney Beans"}),
        frozenset({"Kidney Beans", "Yogurt"}),
    }


def test_all_sets_of_items_that_all_have():
    table = np.ones((7, 10), bool)
    assert len(frequent_itemsets(table, 1.0)) == 2**10 - 1
    assert frequent_itemsets(table, 1.0, closed=True).itemsets == [frozenset(range(10))]
    assert frequent_itemsets(table, 1.0, maximal=True).itemsets == [frozenset(range(10))]
    assert len(frequent_itemsets(table, 7, max_length=2)) == 10 + 45
    assert len(frequent_itemsets(table, 7, max_length=2, closed=True)) == 0


def test_long_sets_are_found_by_their_maximal_ones():
    table = np.zeros((6, 120), bool)
    table[:3, :70] = table[3:, 50:] = True
    maximal = frequent_itemsets(table, 3, maximal=True)
    assert set(maximal.itemsets) == {frozenset(range(70)), frozenset(range(50, 120))}
    closed = frequent_itemsets(table, 3, closed=True)
    assert closed.counts.tolist() == [6, 3, 3]


# ------------------------------------------------------------------ against every set
@pytest.mark.parametrize("kind", KINDS)
@given(st.integers(0, 10**6))
def test_against_every_set(kind, seed):
    rng, table = random_table(seed)
    least = int(rng.integers(1, max(2, len(table) // 2)))
    limit = None if rng.random() < 0.5 else int(rng.integers(1, 4))
    weights = rng.integers(0, 4, len(table)) if rng.random() < 0.5 else None
    if weights is not None and not (weights > 0).any():
        weights[0] = 1
    listed = lists_of(table)
    wanted = twin.item_sets(listed, least, kind=kind, max_length=limit, weights=weights)
    for X in (table, listed):
        sets = frequent_itemsets(
            X, least, max_length=limit, sample_weight=weights, **flags(kind)
        )  # fmt: skip
        assert as_dict(sets) == wanted
        assert sets.itemsets == twin.in_order(wanted)


@pytest.mark.parametrize("reading", [1e-9, 1e9])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("weighted", [False, True])
def test_many_baskets_by_lists_and_by_bits(kind, reading, weighted, monkeypatch):
    """Vectors of many words, whose baskets are numbered anew; both first steps."""
    monkeypatch.setattr(preparation, "WORDS_PER_ITEM_READ", reading)
    rng = np.random.default_rng(3)
    weights = rng.integers(1, 3, 3000) if weighted else None
    for share in (0.1, 0.3):
        table = rng.random((3000, 14)) < share
        table[:, 7] |= table[:, 3]  # so that some sets are not closed
        for least in (12, 60):
            wanted = twin.item_sets(lists_of(table), least, kind=kind, weights=weights)
            for X in (table, np.asfortranarray(table), sparse.csr_array(table)):
                sets = frequent_itemsets(X, least, sample_weight=weights, **flags(kind))
                assert as_dict(sets) == wanted


def test_the_room_of_a_call_may_be_small(monkeypatch):
    _, table = random_table(5, n=900, d=12)
    whole = frequent_itemsets(table, 9)
    monkeypatch.setattr(search, "ITEMS_OF_CALL", 1)
    monkeypatch.setattr(search, "SETS_OF_CALL", 1)
    monkeypatch.setattr(search, "WORDS_OF_CALL", 1.0)
    for kind in KINDS:
        small = frequent_itemsets(sparse.csr_array(table), 9, **flags(kind))
        expected = twin.item_sets(lists_of(table), 9, kind=kind)
        assert as_dict(small) == expected
    assert len(whole) > 100


@given(st.integers(0, 10**6))
def test_relations(seed):
    rng, table = random_table(seed, n=int(np.random.default_rng(seed).integers(2, 60)))
    least = int(rng.integers(1, max(2, len(table) // 2)))
    every, closed, maximal = (as_dict(frequent_itemsets(table, least, **flags(k))) for k in KINDS)
    assert maximal.items() <= closed.items() <= every.items()
    for items, count in every.items():
        assert all(every[items - {item}] >= count for item in items if len(items) > 1)
        assert count == max(number for s, number in closed.items() if s >= items)
        assert any(s >= items for s in maximal)
    more = as_dict(frequent_itemsets(table, least + 1))
    assert more == {s: count for s, count in every.items() if count > least}
    shuffled = table[rng.permutation(len(table))]
    assert as_dict(frequent_itemsets(shuffled, least)) == every
    order = rng.permutation(table.shape[1])
    renamed = frequent_itemsets(table[:, order], least, feature_names=order.tolist())
    assert as_dict(renamed) == every
    repeats = rng.integers(1, 4, len(table))
    twice = frequent_itemsets(np.repeat(table, repeats, axis=0), least)
    weighed = frequent_itemsets(table, least, sample_weight=repeats)
    assert as_dict(twice) == as_dict(weighed)
    np.testing.assert_array_equal(twice.supports, weighed.supports)


@given(st.integers(0, 10**6), st.sampled_from([0.1, 0.3, 7.0, 1e-9]))
def test_weights_have_no_unit(seed, unit):
    rng, table = random_table(seed)
    weights = rng.integers(1, 5, len(table)).astype(float)
    share = float(rng.integers(1, 9)) / 10
    plain = frequent_itemsets(table, share, sample_weight=weights)
    scaled = frequent_itemsets(table, share, sample_weight=weights * unit)
    assert set(plain.itemsets) == set(scaled.itemsets)
    np.testing.assert_allclose(plain.supports, scaled.supports, rtol=1e-14)
    ones = frequent_itemsets(table, share, sample_weight=np.full(len(table), unit))
    assert ones.itemsets == frequent_itemsets(table, share).itemsets


def test_shares_are_compared_as_they_are_printed():
    """7 of 100 baskets are 0.07, although 0.07 * 100 is more than 7."""
    table = np.zeros((100, 2), bool)
    table[:7, 0] = table[:6, 1] = True
    assert frequent_itemsets(table, 0.07).itemsets == [frozenset({0})]
    for n in range(1, 60):
        column = np.zeros((n, 1), bool)
        for k in range(1, n + 1):
            column[k - 1] = True
            assert len(frequent_itemsets(column, k / n)) == 1
            assert len(frequent_itemsets(column, np.nextafter(k / n, 1))) == (k == n and k / n == 1)


@pytest.mark.parametrize("kind", KINDS)
def test_threads_give_the_same_bits(kind):
    rng = np.random.default_rng(0)
    table = rng.random((4000, 60)) < rng.random(60) ** 2
    weights = rng.random(4000)
    for X in (table, sparse.csr_array(table)):
        first, *others = (
            frequent_itemsets(X, 0.08, sample_weight=weights, n_jobs=jobs, **flags(kind))
            for jobs in (1, 2, 7)
        )
        assert len(first) > 20
        for other in others:
            for name in ("supports", "counts", "start", "items"):
                np.testing.assert_array_equal(getattr(first, name), getattr(other, name))


def test_lists_and_tables_give_the_same_bits():
    rng = np.random.default_rng(1)
    table = rng.random((3000, 30)) < 0.3
    weights = rng.random(3000)
    results = [
        frequent_itemsets(X, 0.02, sample_weight=weights)
        for X in (table, lists_of(table), sparse.csc_array(table), np.asfortranarray(table))
    ]
    for other in results[1:]:
        np.testing.assert_array_equal(results[0].counts, other.counts)
        np.testing.assert_array_equal(results[0].items, other.items)


# ------------------------------------------------------------------ containers
def test_tables_of_any_numbers():
    _, table = random_table(11, n=30, d=6)
    wanted = as_dict(frequent_itemsets(table, 3))
    for dtype in (np.float64, np.float32, np.float16, np.int64, np.uint8, np.int8, object):
        X = table.astype(dtype)
        X.flags.writeable = False
        assert as_dict(frequent_itemsets(X, 3)) == wanted
    assert as_dict(frequent_itemsets(np.repeat(table, 2, axis=1)[:, ::2], 3)) == wanted
    assert as_dict(frequent_itemsets(table[::-1][::-1], 3)) == wanted
    for kind in (sparse.csr_matrix, sparse.csc_array, sparse.coo_array, sparse.lil_array):
        assert as_dict(frequent_itemsets(kind(table.astype(int)), 3)) == wanted
    zeros = sparse.csr_array(table.astype(float))
    zeros.data[:2] = 0
    dense = zeros.toarray()
    assert as_dict(frequent_itemsets(zeros, 3)) == as_dict(frequent_itemsets(dense, 3))


def test_frames_name_their_items():
    pandas = pytest.importorskip("pandas")
    _, table = random_table(12, n=30, d=4)
    wanted = {frozenset("abcd"[i] for i in s): c for s, c in as_dict(
        frequent_itemsets(table, 3)
    ).items()}  # fmt: skip
    frame = pandas.DataFrame(table, columns=list("abcd"))
    assert as_dict(frequent_itemsets(frame, 3)) == wanted
    assert as_dict(frequent_itemsets(frame.astype(pandas.SparseDtype(bool, False)), 3)) == wanted
    assert as_dict(frequent_itemsets(frame.astype("boolean"), 3)) == wanted
    assert as_dict(frequent_itemsets(pandas.Series(lists_of(table)), 3)) == as_dict(
        frequent_itemsets(table, 3)
    )
    numbered = frequent_itemsets(pandas.DataFrame(table), 3)
    assert numbered.names == [0, 1, 2, 3]
    assert frequent_itemsets(frame, 3, feature_names=range(4)).names == [0, 1, 2, 3]
    polars = pytest.importorskip("polars")
    assert as_dict(frequent_itemsets(polars.DataFrame(dict(frame)), 3)) == wanted
    pyarrow = pytest.importorskip("pyarrow")
    assert as_dict(frequent_itemsets(pyarrow.table(dict(frame)), 3)) == wanted


def test_baskets_of_any_kind():
    wanted = as_dict(frequent_itemsets([["a", "b"], ["b", "c"], []], 1))
    assert wanted[frozenset("b")] == 2
    for X in (
        [("a", "b"), {"b", "c"}, frozenset()],
        iter([iter("ab"), iter("cb"), iter("")]),
        [["a", "b", "a"], ["c", "b", "b"], []],
    ):
        sets = frequent_itemsets(X, 1)
        assert as_dict(sets) == wanted
        assert sets.total == 3
    mixed = frequent_itemsets([[2, "a"], ["a", 2, (1, 2)]], 1)
    assert mixed.names == [2, "a", (1, 2)]
    assert frequent_itemsets([[1, 0], [0]], 1).names == [0, 1]


def test_nothing_is_frequent():
    sets = frequent_itemsets([["a"], ["b"]], 1.0)
    assert len(sets) == 0
    assert str(sets) == "no frequent item sets"
    assert "no frequent" in sets._repr_html_()
    for kind in KINDS:
        assert len(frequent_itemsets(np.eye(3), 2, **flags(kind))) == 0
        assert len(frequent_itemsets(np.eye(3), 9, sample_weight=[1, 2, 3], **flags(kind))) == 0


# ------------------------------------------------------------------ the result
def test_result():
    sets = frequent_itemsets(RETAIL, 0.6)
    assert sets[0] == frozenset({"Kidney Beans"})
    assert sets[-1] == frozenset({"Onion", "Eggs", "Kidney Beans"})
    assert list(sets[1:3]) == sets.itemsets[1:3]
    assert sets[sets.lengths == 3].itemsets == [sets[-1]]
    assert sets[[2, 0]].itemsets == [sets[2], sets[0]]
    assert sets.support({"Onion", "Eggs"}) == 0.6
    assert frequent_itemsets(RETAIL, 0.6, closed=True).support(["Onion"]) == 0.6
    assert len(sets.containing(["Onion", "Eggs"])) == 2
    assert len(sets.containing([])) == len(sets)
    with pytest.raises(IndexError):
        sets[11]
    with pytest.raises(ValueError, match="is not among the 11 sets"):
        sets.support(["Milk", "Eggs"])
    with pytest.raises(ValueError, match="'Tea' is not an item of the baskets"):
        sets.containing(["Tea"])
    with pytest.raises(TypeError, match="items must be a collection"):
        sets.support("Eggs")
    with pytest.raises(ValueError, match="read-only"):
        sets.counts[0] = 3
    assert pickle.loads(pickle.dumps(sets)).itemsets == sets.itemsets
    assert "Eggs, Kidney Beans, Onion" in str(sets)
    assert "<table>" in sets._repr_html_()


def test_frame_of_the_result():
    pytest.importorskip("pandas")
    sets = frequent_itemsets(RETAIL, 0.6)
    frame = sets.to_frame()
    assert list(frame) == ["support", "itemsets", "count", "length"]
    assert frame["itemsets"].tolist() == sets.itemsets
    assert frame["length"].tolist() == [1, 1, 2, 1, 1, 1, 2, 2, 2, 2, 3]


def test_long_results_print_their_first_rows():
    sets = frequent_itemsets(np.ones((3, 10)), 1.0)
    assert str(sets).endswith("... and 1003 more rows")
    assert len(str(sets).splitlines()) == 22
    assert "and 1003 more rows" in sets._repr_html_()


# ------------------------------------------------------------------ what is refused
@pytest.mark.parametrize(
    ("X", "options", "error", "words"),
    [
        ([[0.5, 1]], {}, None, None),
        (np.array([[0.5, 1]]), {}, ValueError, "got 0.5 at row 0, column 0"),
        (np.array([[1, 2]]), {}, ValueError, "got 2 at row 0, column 1"),
        (np.array([[1, np.nan]]), {}, ValueError, "X contains NaN, first at row 0, column 1"),
        (np.array([[1, np.inf]]), {}, ValueError, "infinity"),
        (np.array([["a", "b"]]), {}, ValueError, "numbers"),
        (np.array([[1j, 0]]), {}, ValueError, "Complex"),
        (np.zeros((0, 3)), {}, ValueError, "0 sample"),
        (np.zeros((3, 0)), {}, ValueError, "0 feature"),
        (np.zeros((3, 2, 2)), {}, ValueError, "2D"),
        (sparse.csr_array([[0, 3]]), {}, ValueError, "got 3 at row 0, column 1"),
        (sparse.csr_array([[0, np.nan]]), {}, ValueError, "NaN"),
        ([], {}, ValueError, "at least one basket"),
        ([[], []], {}, ValueError, "no items: all of its 2 baskets are empty"),
        (["ab", "b"], {}, TypeError, "got 'ab' for basket 0"),
        ([1, 2], {}, TypeError, "got 1 for basket 0"),
        ([["a", None]], {}, ValueError, "missing item, None"),
        ([[1.0, float("nan")]], {}, ValueError, "missing item, nan"),
        ([["a", ["b"]]], {}, TypeError, "must be hashable"),
        ("ab", {}, TypeError, "X must be baskets"),
        ({"a": 1}, {}, TypeError, "X must be baskets"),
        (None, {}, TypeError, "X must be baskets"),
        (7, {}, TypeError, "X must be baskets"),
        (RETAIL, {"min_support": 0.0}, ValueError, "min_support must be a share.*got 0.0"),
        (RETAIL, {"min_support": 1.5}, ValueError, "got 1.5"),
        (RETAIL, {"min_support": np.nan}, ValueError, "got nan"),
        (RETAIL, {"min_support": 0}, ValueError, "min_support must be at least 1; got 0"),
        (RETAIL, {"min_support": True}, TypeError, "min_support"),
        (RETAIL, {"min_support": "0.5"}, TypeError, "min_support"),
        (RETAIL, {"max_length": 0}, ValueError, "max_length"),
        (RETAIL, {"max_length": 1.5}, TypeError, "max_length"),
        (RETAIL, {"closed": 1}, TypeError, "closed"),
        (RETAIL, {"closed": True, "maximal": True}, ValueError, "must not both be True"),
        (RETAIL, {"feature_names": list("abcde")}, ValueError, "feature_names are for tables"),
        (np.eye(2), {"feature_names": ["a"]}, ValueError, "must name the 2 columns"),
        (np.eye(2), {"feature_names": ["a", "a"]}, ValueError, "distinct"),
        (np.eye(2), {"feature_names": [["a"], ["b"]]}, TypeError, "hashable"),
        (np.eye(2), {"feature_names": "ab"}, TypeError, "feature_names"),
        (RETAIL, {"sample_weight": [1, 2]}, ValueError, "sample_weight must have shape"),
        (RETAIL, {"sample_weight": [-1, 1, 1, 1, 1]}, ValueError, "negative"),
        (RETAIL, {"sample_weight": [0] * 5}, ValueError, "zero for every row"),
        (RETAIL, {"n_jobs": 0}, ValueError, "n_jobs"),
    ],
)  # fmt: skip
def test_refused(X, options, error, words):
    if error is None:
        assert len(frequent_itemsets(X, **options))
        return
    with pytest.raises(error, match=words):
        frequent_itemsets(X, **options)


def test_results_that_would_not_fit_are_refused(monkeypatch):
    def refuse(nbytes, what, instead):
        if nbytes > 1e6:
            raise MemoryError(f"{what} needs {nbytes}. {instead}")

    monkeypatch.setattr(search, "refuse_large", refuse)
    with pytest.raises(MemoryError, match=r"A table of .* item sets or more .* closed=True"):
        frequent_itemsets(np.ones((3, 60)), 1.0)
    assert len(frequent_itemsets(np.ones((3, 60)), 1.0, closed=True)) == 1
    monkeypatch.setattr(search, "free_memory", lambda: 20_000)
    monkeypatch.setattr(search, "MIN_BYTES_TO_LIMIT", 0)
    rng = np.random.default_rng(0)
    with pytest.raises(MemoryError, match=r"The search needs .* GiB for each thread"):
        frequent_itemsets(rng.random((5000, 40)) < 0.5, 0.1, n_jobs=1)
