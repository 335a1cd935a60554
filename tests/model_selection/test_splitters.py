# SPDX-License-Identifier: BSD-3-Clause
"""Folds are scikit-learn's where they are not drawn, and keep their promises where they are."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statfast import model_selection as ours
from statfast._estimator import as_folds
from statfast.model_selection.splitting.splitter import joined_rows

peer = pytest.importorskip("sklearn.model_selection")

PARTITIONS = ("KFold", "StratifiedKFold", "GroupKFold", "StratifiedGroupKFold")


def drawn(seed, n):
    rng = np.random.default_rng(seed)
    return rng.choice(["b", "a", "c"], n, p=[0.5, 0.3, 0.2]), rng.integers(0, max(2, n // 3), n)


def listed(splitter, X, y, groups):
    groups = groups if "Group" in type(splitter).__name__ else None  # else scikit-learn warns
    return [(a.tolist(), b.tolist()) for a, b in splitter.split(X, y, groups)]


@pytest.mark.filterwarnings("ignore:The least populated class")
@pytest.mark.parametrize("name", PARTITIONS)
@given(st.integers(8, 90), st.integers(2, 6), st.integers(0, 2**32))
def test_folds_are_those_of_scikit_learn(name, n, k, seed):
    y, groups = drawn(seed, n)
    X = np.zeros((n, 1))
    try:
        want = listed(getattr(peer, name)(k), X, y, groups)
    except ValueError:
        with pytest.raises(ValueError, match=r"n_splits|groups"):
            listed(getattr(ours, name)(k), X, y, groups)
        return
    assert listed(getattr(ours, name)(k), X, y, groups) == want


@given(st.integers(2, 60), st.integers(2, 5), st.integers(0, 3), st.integers(1, 9), st.booleans())
def test_time_series_are_split_as_scikit_learn_does(n, k, gap, most, sized):
    given_ = {"gap": gap, "max_train_size": most if sized else None}
    try:
        want = listed(peer.TimeSeriesSplit(k, **given_), np.zeros(n), None, None)
    except ValueError:
        with pytest.raises(ValueError, match=r"folds|splits"):
            listed(ours.TimeSeriesSplit(k, **given_), np.zeros(n), None, None)
        return
    assert listed(ours.TimeSeriesSplit(k, **given_), np.zeros(n), None, None) == want


def test_leaving_out_and_fold_arguments():
    y, groups = drawn(3, 20)
    X = np.zeros(20)
    fold = np.array([0, 1, -1, 2, 1] * 4)
    for name, args in (
        ("LeaveOneOut", ()), ("LeaveOneGroupOut", ()), ("PredefinedSplit", (fold,)),
        ("LeavePOut", (1,)), ("LeavePOut", (3,)), ("LeavePGroupsOut", (1,)),
        ("LeavePGroupsOut", (3,)),
    ):  # fmt: skip
        mine, other = getattr(ours, name)(*args), getattr(peer, name)(*args)
        assert listed(mine, X, y, groups) == listed(other, X, y, groups)
        more = (groups,) if "Group" in name else ()
        assert mine.get_n_splits(X, y, *more) == other.get_n_splits(X, y, *more)
    a, b, c, d = ours.train_test_split(X, y, test_size=0.3, shuffle=False)
    e = peer.train_test_split(X, y, test_size=0.3, shuffle=False)
    assert [len(p) for p in (a, b, c, d)] == [len(p) for p in e]
    assert c.tolist() == e[2].tolist()


DRAWN = [
    "RepeatedKFold", "RepeatedStratifiedKFold", "ShuffleSplit", "StratifiedShuffleSplit",
    "GroupShuffleSplit",
]  # fmt: skip


@pytest.mark.once
@pytest.mark.filterwarnings("ignore:The least populated class")
@pytest.mark.parametrize("name", [*PARTITIONS, *DRAWN])
@given(st.integers(12, 60), st.integers(2, 4), st.integers(0, 2**32 - 1), st.booleans())
def test_a_seed_draws_the_folds_of_scikit_learn(name, n, k, seed, as_state):
    rng = np.random.default_rng(seed)
    y, groups = rng.permutation(np.resize(["b", "a", "a", "c"], n)), rng.integers(0, 6, n)
    groups[:6] = range(6)
    more = {"shuffle": True} if name in PARTITIONS else {}
    more |= {"test_size": 0.31} if "Split" in name else {}
    state = np.random.RandomState if as_state else int
    mine, other = (
        getattr(home, name)(n_splits=k, random_state=state(seed), **more) for home in (ours, peer)
    )
    given_groups = groups if "Group" in name else None
    for _ in range(2):  # a RandomState goes on where it stood
        pairs = list(mine.split(y, y, given_groups))
        for (a, b), (c, d) in zip(pairs, other.split(y, y, given_groups), strict=True):
            np.testing.assert_array_equal(a, c)
            np.testing.assert_array_equal(b, d)


@given(st.integers(12, 60), st.integers(0, 2**32 - 1), st.booleans())
def test_a_seed_splits_rows_as_in_scikit_learn(n, seed, stratified):
    y = np.random.default_rng(seed).permutation(np.resize([0, 1, 1, 1, 2, 2], n))
    given = {"random_state": seed, "stratify": y if stratified else None, "test_size": 0.4}
    mine, other = (home.train_test_split(np.arange(n), y, **given) for home in (ours, peer))
    for a, b in zip(mine, other, strict=True):
        np.testing.assert_array_equal(a, b)


def test_seeds_beyond_32_bits_and_generators_are_taken():
    for seed in (2**32, np.random.default_rng(3), None):
        (_, test), _ = ours.KFold(2, shuffle=True, random_state=seed).split(range(8))
        assert len(test) == 4


@pytest.mark.filterwarnings("ignore:The least populated class")
@pytest.mark.parametrize("name", [*PARTITIONS, "RepeatedKFold", "RepeatedStratifiedKFold"])
@given(st.integers(12, 60), st.integers(2, 4), st.integers(0, 99))
def test_shuffled_folds_hold_each_row_out_once(name, n, k, seed):
    y, groups = np.resize(["b", "a", "c"], n), np.arange(n) % 6
    more = {"shuffle": True} if "Repeated" not in name else {"n_repeats": 3}
    splitter = getattr(ours, name)(n_splits=k, random_state=seed, **more)
    folds = listed(splitter, np.zeros(n), y, groups)
    assert folds == listed(splitter, np.zeros(n), y, groups)  # the seed tells all
    assert len(folds) == splitter.get_n_splits()
    for start in range(0, len(folds), k):
        held = [b for _, b in folds[start : start + k]]
        assert sorted(row for part in held for row in part) == list(range(n))
        for a, b in folds[start : start + k]:
            assert sorted(a + b) == list(range(n))
            if "Group" in name:
                assert not set(groups[a]) & set(groups[b])
            if name in ("StratifiedKFold", "RepeatedStratifiedKFold"):
                for label in "abc":
                    total = (y == label).sum() / k
                    assert abs((y[b] == label).sum() - total) < 1
    other = getattr(ours, name)(n_splits=k, random_state=seed + 1, **more)
    assert n < 20 or "Group" in name or folds != listed(other, np.zeros(n), y, groups)


@given(st.integers(12, 80), st.floats(0.15, 0.5), st.integers(0, 99))
def test_random_splits_have_their_sizes_and_shares(n, share, seed):
    y = np.resize([0, 0, 0, 1], n)
    for kind in (ours.ShuffleSplit, ours.StratifiedShuffleSplit):
        for train, test in kind(3, test_size=share, random_state=seed).split(y, y):
            assert len(test) == int(np.ceil(share * n))
            assert sorted([*train, *test]) == list(range(n))
            if kind is ours.StratifiedShuffleSplit:
                assert abs(y[test].sum() - len(test) * y.mean()) <= 1
    for train, test in ours.Bootstrap(5, random_state=seed).split(y):
        assert len(train) == n
        assert sorted({*train, *test}) == list(range(n))
        assert not set(train) & set(test)


def test_tables_and_lists_are_split_like_arrays():
    pandas, sparse = pytest.importorskip("pandas"), pytest.importorskip("scipy.sparse")
    polars = pytest.importorskip("polars")
    X = np.arange(24.0).reshape(12, 2)
    y = ["a", "b"] * 6
    frame = pandas.DataFrame(X, columns=["u", "v"], index=list("abcdefghijkl"))
    parts = ours.train_test_split(
        X, frame, sparse.csr_array(X), y, polars.DataFrame(X), random_state=0, stratify=y
    )
    train, test = parts[:2]
    for k, (a, b) in enumerate(zip(parts[2::2], parts[3::2], strict=True)):
        if k != 2:
            dense = [p.toarray() if hasattr(p, "toarray") else np.asarray(p) for p in (a, b)]
            want = [np.resize(["a", "b"], 12)[(p[:, 0] / 2).astype(int)] for p in (train, test)]
            want = want if k == 2 else [train, test]
            if k in (0, 1, 3):
                np.testing.assert_array_equal(dense[0], want[0])
                np.testing.assert_array_equal(dense[1], want[1])
    assert isinstance(parts[6], list)
    assert parts[7].count("a") in (1, 2)
    assert len(test) == 3


def test_scikit_learn_takes_our_splitters():
    from sklearn.linear_model import LinearRegression

    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((30, 2)), rng.standard_normal(30)
    got = peer.cross_val_score(LinearRegression(), X, y, cv=ours.KFold(3))
    np.testing.assert_array_equal(
        got, peer.cross_val_score(LinearRegression(), X, y, cv=peer.KFold(3))
    )


@pytest.mark.parametrize(
    ("splitter", "message"),
    [
        (ours.KFold(9), r"n_splits must be between 2 and the number of rows \(8\); got 9"),
        (ours.KFold(1), "n_splits must be between 2"),
        (ours.KFold(2, shuffle="yes"), "shuffle must be True or False"),
        (ours.StratifiedKFold(6), "n_splits=6 cannot be greater than .* has . rows"),
        (ours.GroupKFold(5), r"n_splits must be at most the number of groups \(3\); got 5"),
        (ours.StratifiedGroupKFold(4), "number of groups"),
        (ours.PredefinedSplit([0, 1]), "one fold for each of the 8 rows; got 2"),
        (ours.PredefinedSplit([-1] * 8), "at least one fold"),
        (ours.PredefinedSplit([0.5] * 8), "list of integers"),
        (ours.PredefinedSplit([[0, 1], [2]]), "Give all rows the same length"),
        (ours.ShuffleSplit(test_size=8), "train set would have 0 rows"),
        (ours.ShuffleSplit(test_size=0.0), "test_size must be greater than 0"),
        (ours.ShuffleSplit(test_size=9), "test_size must be between 1"),
        (ours.StratifiedShuffleSplit(test_size=1), "greater or equal to the number of classes"),
        (ours.TimeSeriesSplit(8), "Cannot have number of folds=9"),
        (ours.TimeSeriesSplit(3, test_size=3), "Too many splits=3"),
    ],
)
def test_what_does_not_fit_is_refused(splitter, message):
    y, groups = [0, 0, 0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2, 2, 2]
    with pytest.raises((ValueError, TypeError), match=message):
        list(splitter.split(np.zeros(8), y, groups))


def test_missing_labels_and_groups_are_refused():
    for kind, what in (
        (ours.StratifiedKFold, "y must be passed"),
        (ours.GroupKFold, "'groups' parameter should not be None"),
        (ours.LeaveOneGroupOut, "'groups' parameter should not be None"),
    ):
        with pytest.raises(ValueError, match=what):
            list(kind().split(np.zeros(8)))
    with pytest.raises(ValueError, match="fewer than 2 unique groups"):
        list(ours.LeaveOneGroupOut().split(np.zeros(3), groups=[1, 1, 1]))
    with pytest.raises(ValueError, match="at least 2 rows to leave one out"):
        list(ours.LeaveOneOut().split(np.zeros(1)))
    with pytest.raises(ValueError, match="at least 2 rows to hold some out"):
        list(ours.Bootstrap().split(np.zeros(1)))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        ours.train_test_split([1, 2], [1, 2, 3])
    with pytest.raises(ValueError, match="only 1 member"):
        ours.train_test_split([1, 2, 3, 4], stratify=[0, 0, 0, 1])
    with pytest.raises(ValueError, match="stratify needs shuffle=True"):
        ours.train_test_split([1, 2, 3, 4], stratify=[0, 0, 1, 1], shuffle=False)
    with pytest.warns(UserWarning, match="least populated class in y has only 2 members"):
        list(ours.StratifiedKFold(3).split(np.zeros(8), [0] * 6 + [1] * 2))


def test_what_is_taken_for_cv():
    y = np.array([0, 1] * 4)
    assert [b.tolist() for _, b in as_folds(2, None, y, 8)] == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert [b.tolist() for _, b in as_folds(2, None, y, 8, y)] == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert len(as_folds(ours.LeaveOneOut(), None, y, 8)) == 8
    mask = np.arange(8) < 3
    ((train, test),) = as_folds([(~mask, mask)], None, y, 8)
    assert (train.tolist(), test.tolist()) == ([3, 4, 5, 6, 7], [0, 1, 2])
    for cv, message in (
        (1, "cv must be between 2"),
        ("five", "cv must be an integer, a splitter or a list of index pairs"),
        (2.5, "cv must be an integer, a splitter or a list of index pairs"),
        ([1], "cv must be an integer, a splitter or a list of index pairs"),
        ([([0], [9])], "cv must hold places of the 8 rows, counted from 0; got 9"),
        ([([0], [])], "at least one fold with rows to hold out"),
    ):
        with pytest.raises((ValueError, TypeError), match=message):
            as_folds(cv, None, y, 8)


def test_a_splitter_shows_its_parameters():
    assert repr(ours.KFold(3)) == "KFold(n_splits=3, shuffle=False, random_state=None)"


@pytest.mark.parametrize("wrong", [np.array(2.5), len, 3])
def test_what_has_no_rows(wrong):
    with pytest.raises(TypeError, match="X must be an array-like of rows"):
        ours.KFold(2).get_n_splits(wrong)
    with pytest.raises(TypeError, match="X must be an array-like of rows"):
        list(ours.KFold(2).split(wrong))


def test_counts_of_repeated_folds_are_checked():
    with pytest.raises(TypeError, match="n_repeats must be an integer"):
        ours.RepeatedKFold(n_repeats=[1, 2]).get_n_splits()
    with pytest.raises(ValueError, match="n_splits must be at least 2"):
        ours.RepeatedKFold(n_splits=1).get_n_splits()


def test_as_few_rows_as_a_series_can_be_split_of():
    found = list(ours.TimeSeriesSplit(2).split(np.zeros((3, 1))))
    assert [(train.tolist(), test.tolist()) for train, test in found] == [([0], [1]), ([0, 1], [2])]
    with pytest.raises(ValueError, match="greater than the number of samples"):
        list(ours.TimeSeriesSplit(2).split(np.zeros((2, 1))))


def test_rows_of_different_kinds_are_not_joined():
    dates = np.array(["2020-01-01"] * 2, dtype="M8[D]")
    with pytest.raises(ValueError, match="y and y_new must be of one kind"):
        joined_rows(np.ones(2), dates, "y", "y_new")


@pytest.mark.parametrize(
    ("splitter", "message"),
    [
        (ours.LeavePOut(6), "p=6 must be strictly less than the number of samples=6"),
        (ours.LeavePOut(0), "p must be at least 1; got 0"),
        (ours.LeavePGroupsOut(3), r"fewer than \(or equal to\) n_groups \(3\) unique groups \(3\)"),
        (
            ours.GroupShuffleSplit(test_size=4),
            "between 1 and the number of groups",
        ),
        (ours.GroupShuffleSplit(test_size=2, train_size=2), "With n_groups=3, test_size=2"),
    ],
)
def test_what_cannot_be_left_out_is_told(splitter, message):
    with pytest.raises(ValueError, match=message):
        list(splitter.split(range(6), groups=[0, 0, 1, 1, 2, 2]))


@pytest.mark.parametrize("splitter", [ours.LeavePGroupsOut(2), ours.GroupShuffleSplit()])
def test_splitters_of_groups_ask_for_them(splitter):
    with pytest.raises(ValueError, match="'groups' parameter should not be None"):
        list(splitter.split(range(6)))
    with pytest.raises(ValueError, match="groups"):
        list(splitter.split(range(6), groups=[0, 1]))


def test_leaving_out_is_counted():
    assert ours.LeavePOut(3).get_n_splits(range(8)) == 56
    assert ours.LeavePGroupsOut(2).get_n_splits(groups=list("abcda")) == 6
    assert ours.GroupShuffleSplit(7).get_n_splits() == 7
    with pytest.raises(ValueError, match="'X' parameter should not be None"):
        ours.LeavePOut(3).get_n_splits()


@pytest.mark.parametrize("cv", [None, 3, np.int64(4)])
@pytest.mark.parametrize(
    "y", [None, [0, 1, 2] * 5, list("abc") * 5, [[0, 1]] * 15, [[1], [0], [0]] * 5]
)
@pytest.mark.parametrize("classifier", [False, True])
@pytest.mark.parametrize("shuffle", [False, True])
def test_check_cv_takes_what_scikit_learn_does(cv, y, classifier, shuffle):
    more = {"classifier": classifier, "shuffle": shuffle, "random_state": 5 if shuffle else None}
    mine, other = ours.check_cv(cv, y, **more), peer.check_cv(cv, y, **more)
    assert type(mine).__name__ == type(other).__name__
    labels = [0, 1, 2] * 5
    assert listed(mine, labels, labels, None) == listed(other, labels, labels, None)


def test_check_cv_keeps_splitters_and_reads_iterables_once():
    splitter = ours.GroupKFold(3)
    assert ours.check_cv(splitter, classifier=True) is splitter
    pairs = [([0, 1], [2, 3]), ([2, 3], [0, 1])]
    kept = ours.check_cv(pair for pair in pairs)
    for _ in range(2):
        assert listed(kept, None, None, None) == pairs
    assert kept.get_n_splits() == 2
    assert repr(kept) == "FixedFolds(of 2 pairs)"


@pytest.mark.parametrize("cv", ["five", 2.5, True, [1, 2], [([0], [1], [2])], [(None, [1])]])
def test_check_cv_refuses_what_is_no_cv(cv):
    with pytest.raises(TypeError, match="cv must be an integer, a splitter or an iterable"):
        ours.check_cv(cv)


def test_arrays_without_dimensions_are_no_folds():
    with pytest.raises(TypeError, match="cv must be an integer, a splitter"):
        ours.check_cv(np.array(object()))
