# SPDX-License-Identifier: BSD-3-Clause
"""What every estimator promises, on random problems: twins are its own answers, asked otherwise."""

import warnings

import numpy as np
from scipy import sparse

from statfast._engine import blocks
from tests.contract import test_contract as contract
from tests.fuzz.differential import TABLES, Words, blobs
from tests.fuzz.inputs import LAYOUTS, choose


def problem(rng, cls, n, d):
    X, codes = blobs(rng, n, d)
    numbers = X @ rng.normal(size=d) + rng.normal(size=n)
    return X, (numbers if contract.regresses(cls) else codes)


def drawn_estimator(rng, fits=lambda cls: True):
    return choose(rng, [cls for cls in contract.ESTIMATORS if fits(cls)])


def fitted(cls, X, y, weights=None, **params):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        more = {} if weights is None else {"sample_weight": weights}
        return contract.make(cls, **params).fit(X, y, **more)


def agree(words, what, first, second, A, B, rtol):
    pairs = zip(contract.answers(first, A), contract.answers(second, B), strict=True)
    for (name, a), (_, b) in pairs:
        if a.dtype == object:
            same = all(len(x) == len(z) for x, z in zip(a, b, strict=True))
            words.true(f"{what}: {name}", same)
        elif a.dtype.kind == "f":
            words.same(
                f"{what}: {name}", a, b, rtol, rtol * (1 + np.abs(a[np.isfinite(a)]).max(initial=0))
            )
        else:
            words.true(f"{what}: {name}", np.mean(a != b) <= (0.02 if rtol else 0))


def layouts(rng):
    """The same numbers in another layout give the same answers."""
    cls, kind = drawn_estimator(rng), choose(rng, TABLES)
    n = int(rng.integers(400, 900)) if rng.random() < 0.2 else int(rng.integers(30, 80))
    X, y = problem(rng, cls, n, int(rng.integers(3, 13)))
    plain, other = fitted(cls, X, y), fitted(cls, LAYOUTS[kind](X), y)
    words = Words()
    agree(words, f"{cls.__name__}, {kind} {X.shape}", plain, other, X, LAYOUTS[kind](X), 1e-6)
    return 8, words


def threads(rng):
    """1, 2 and 7 threads give the same bits."""
    cls = drawn_estimator(rng, lambda cls: "n_jobs" in cls().get_params())
    X, y = problem(rng, cls, int(rng.integers(40, 200)), int(rng.integers(2, 9)))
    words, small = Words(), blocks.MIN_FLOP_FOR_THREADS
    try:
        blocks.MIN_FLOP_FOR_THREADS = 0  # no work is too small for threads
        one, two, seven = (fitted(cls, X, y, n_jobs=jobs) for jobs in (1, 2, 7))
        for jobs, other in ((2, two), (7, seven)):
            for (name, a), (_, b) in zip(
                contract.answers(one, X), contract.answers(other, X), strict=True
            ):
                a, b = (np.concatenate(list(x)) if x.dtype == object else x for x in (a, b))
                words.true(
                    f"{cls.__name__} {X.shape}, {jobs} threads: {name}", a.tobytes() == b.tobytes()
                )
    finally:
        blocks.MIN_FLOP_FOR_THREADS = small
    return 12, words


def repetition(rng):
    """An integer weight is a repeated row."""
    drawn = {"KMeans", "BisectingKMeans", "MiniBatchKMeans", *contract.DRAW_ROWS, "CLARA"}
    drawn |= {"SphericalKMeans"}
    # These leave out a row with all of its weight.
    drawn |= {"RegularizedDiscriminantAnalysisCV", "RidgeCV"}
    drawn |= {"GaussianMixture"}
    drawn |= {"AdaBoostClassifier", "AdaBoostRegressor"}  # rounding chooses among equal stumps
    cls = drawn_estimator(
        rng, lambda cls: contract.takes(cls, "sample_weight") and "cv" not in cls().get_params()
    )
    X, y = problem(rng, cls, int(rng.integers(30, 70)), int(rng.integers(2, 6)))
    weights = np.arange(len(y)) % 4
    words = Words()
    if cls.__name__ not in drawn:  # starts, or rows, are drawn among the rows
        # gamma="scale" is that of the rows without their weights, as in scikit-learn.
        given = {"gamma": 0.3} if cls().get_params().get("gamma") == "scale" else {}
        weighted = fitted(cls, X, y, weights, **given)
        repeated = fitted(cls, X.repeat(weights, axis=0), y.repeat(weights), **given)
        # Two splits may part the rows that have weight alike: rounding chooses, and sends the other
        # rows to different sides.
        trees = ("HistGradientBoosting", "RandomForest", "ExtraTrees", "DecisionTree")
        A = X[weights > 0] if cls.__name__.startswith(trees) else X
        agree(words, f"{cls.__name__} {X.shape}", weighted, repeated, A, A, 1e-4)
    return 6, words


# Starts that are drawn among others, or rounding of rows over their lengths that decides ties.
NOT_OF_BAGS = ("BisectingKMeans", "MiniBatchKMeans", "RatingsFactorization", "SphericalKMeans")
LLOYDS = ("KMeans", "KMeansConstrained")


def bags(rng):
    """Sparse rows are answered as dense ones."""
    cls = drawn_estimator(rng, lambda cls: cls.__name__ in contract.SPARSE_AFTER_DENSE)
    X, y = problem(rng, cls, int(rng.integers(30, 80)), int(rng.integers(2, 9)))
    X[rng.random(X.shape) < 0.4] = 0
    kind = choose(rng, ("csr_array", "csc_matrix", "coo_array", "lil_array", "bsr_array"))
    S = getattr(sparse, kind)(X)
    words, starts = Words(), {"init": X[:3]} if cls.__name__ in LLOYDS else {}
    # Draws of the first differ; of ratings, those that are not stored are unknown.
    if cls.__name__ not in NOT_OF_BAGS:
        plain, bag = fitted(cls, X, y, **starts), fitted(cls, S, y, **starts)
        agree(words, f"{cls.__name__} {kind} {X.shape}", plain, bag, X, S, 1e-4)
    return 6, words


TWINS = {twin.__name__: twin for twin in (layouts, threads, repetition, bags)}
