# SPDX-License-Identifier: BSD-3-Clause
"""Integer parameters beyond all use: an answer, or a sentence that names the parameter."""

import re

import numpy as np
import pytest

import statfast
from statfast import kernels, multiclass
from statfast.kernels import kernel_matrix
from tests.contract import test_contract as contract
from tests.contract.test_contract import BINARY, ESTIMATORS, answers, make, regresses

HUGE = [2**31, 2**63 - 1, 2**63, 2**200]
# Integers whose default is none, beside those whose name begins with n_.
COUNT_NAMES = {"batch_size", "cv", "init_size", "leaf_size", "max_no_improvement", "sample_size"}
NOT_COUNTS = {"n_jobs", "random_state", "verbose"}

rng = np.random.default_rng(7)
y = np.repeat([0, 1, 2], 10)
X = rng.integers(-6, 7, (30, 3)) + 30.0 * np.eye(3)[y]


def counts(cls):
    for name, value in make(cls).get_params(deep=False).items():
        whole = isinstance(value, int) and not isinstance(value, bool)
        if (whole or name.startswith("n_") or name in COUNT_NAMES) and name not in NOT_COUNTS:
            yield name


def refusal(call):
    """The sentence with which something is refused, None if it is not."""
    try:
        call()
    except (ValueError, TypeError, MemoryError) as error:
        return str(error)
    return None


PARAMETERS = [(cls, name) for cls in ESTIMATORS for name in counts(cls)]


@pytest.mark.parametrize(
    ("cls", "name"), PARAMETERS, ids=[f"{cls.__name__}-{name}" for cls, name in PARAMETERS]
)
@pytest.mark.filterwarnings("ignore::UserWarning")  # but a RuntimeWarning of numpy's is an error
def test_of_an_estimator(cls, name):
    for value in HUGE:
        model = make(cls)
        if name == "degree" and "kernel" in model.get_params():
            model.set_params(kernel="poly")
        model.set_params(**{name: value})
        before = dict(model.__dict__)
        target = y + 1.0 if regresses(cls) else y  # positive, as some models ask
        target = y > 0 if cls.__name__ in BINARY else target
        rows = np.abs(X) if cls.__name__ in contract.COUNTS else X
        said = refusal(lambda m=model, X=rows, y=target: list(answers(m.fit(X, y), X)))
        about = "X" if name == "p" else name  # powers of differences overflow
        assert said is None or re.search(rf"\b{about}\b", said), (value, said)
        assert said is None or before.items() <= model.__dict__.items()


def test_there_are_such_parameters():
    assert len(PARAMETERS) > 50
    assert {"max_iter", "n_neighbors", "n_init", "alphas", "degree", "leaf_size"} <= {
        name for _, name in PARAMETERS
    }


FUNCTIONS = {
    "Spectrum k": lambda n: kernels.Spectrum(n).matrix(["ab", "ba"]),
    "Spectrum k features": lambda n: kernels.Spectrum(n).features(["ab", "ba"]),
    "Mismatch k m": lambda n: kernels.Mismatch(n, 1).matrix(["ab", "ba"]),
    "Mismatch m": lambda n: kernels.Mismatch(5, n).matrix(["ab", "ba"]),
    "Mismatch letters": lambda n: kernels.Mismatch(2, 1, letters=n).matrix(["ab", "ba"]),
    "spectrum degree": lambda n: kernel_matrix("spectrum", ["ab", "ba"], degree=n),
    "Polynomial degree": lambda n: kernels.Polynomial(n).matrix(X / 100),
    "Polynomial degree features": lambda n: kernels.Polynomial(n, coef0=1.0).features(X),
    "Power exponent": lambda n: (kernels.RBF() ** n).matrix(X),
    "one_vs_rest n_classes": multiclass.one_vs_rest_code,
    "one_vs_one n_classes": multiclass.one_vs_one_code,
    "exhaustive n_classes": multiclass.exhaustive_code,
    "hadamard n_classes": multiclass.hadamard_code,
    "random_code n_classes": lambda n: multiclass.random_code(n, 10),
    "random_code n_classifiers": lambda n: multiclass.random_code(3, n),
    "random_code n_trials": lambda n: multiclass.random_code(3, 5, n_trials=n),
    "kmeans_plusplus n_clusters": lambda n: statfast.kmeans_plusplus(X, n),
    "lasso_path alphas": lambda n: statfast.lasso_path(X, y, alphas=n),
    "lasso_path max_iter": lambda n: statfast.lasso_path(X, y, max_iter=n),
    "logistic_path alphas": lambda n: statfast.logistic_path(X, y > 0, alphas=n),
    "logistic_path max_iter": lambda n: statfast.logistic_path(X, y > 0, alphas=3, max_iter=n),
    "KDTree leaf_size": lambda n: statfast.KDTree(X, leaf_size=n).query(X, 1),
    "KDTree k": lambda n: statfast.KDTree(X).query(X, n),
    "BallTree leaf_size": lambda n: statfast.BallTree(X, leaf_size=n).query(X, 1),
    "BallTree k": lambda n: statfast.BallTree(X).query(X, n),
    "tune_n_neighbors ks": lambda n: (
        statfast.KNeighborsClassifier(1).fit(X, y).tune_n_neighbors([n])
    ),
}


@pytest.mark.parametrize("case", FUNCTIONS)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_of_a_function(case):
    words = rf"\b({'|'.join(case.split()[1:])})\b|in the direction|overflow"
    for value in HUGE:
        said = refusal(lambda value=value: FUNCTIONS[case](value))
        assert said is None or re.search(words, said), (value, said)
