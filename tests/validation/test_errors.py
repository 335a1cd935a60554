# SPDX-License-Identifier: BSD-3-Clause
"""Exceptions and warnings, with scikit-learn loaded and without."""

import pickle
import subprocess
import sys
import threading
import warnings
from contextvars import copy_context

import numpy as np
import pytest

import statfast as sf
from statfast._engine import each
from statfast._validation import errors


class Model:
    pass


@pytest.fixture
def alone(monkeypatch):
    """As if scikit-learn had never been loaded."""
    monkeypatch.delitem(sys.modules, "sklearn.exceptions", raising=False)


def test_not_fitted_alone(alone):
    error = errors.not_fitted(Model())
    assert type(error) is errors.NotFittedError
    assert isinstance(error, ValueError)
    assert isinstance(error, AttributeError)
    assert str(error) == "This Model instance is not fitted yet. Call fit before using it."


def test_not_fitted_beside_scikit_learn():
    theirs = pytest.importorskip("sklearn.exceptions").NotFittedError
    error = errors.not_fitted(Model())
    assert isinstance(error, theirs)
    assert isinstance(error, errors.NotFittedError)


def test_not_fitted_survives_a_pickle():
    theirs = pytest.importorskip("sklearn.exceptions").NotFittedError
    error = pickle.loads(pickle.dumps(errors.not_fitted(Model())))
    assert isinstance(error, theirs)
    assert "Model instance" in str(error)


def test_errors_never_load_scikit_learn():
    code = (
        "import sys; from statfast._validation import errors; errors.not_fitted(1); "
        "errors.warn_column_vector(); sys.exit('sklearn' in sys.modules)"
    )
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True)


def test_column_vector_has_scikit_learns_words():
    theirs = pytest.importorskip("sklearn.exceptions").DataConversionWarning
    with pytest.warns(theirs, match="A column-vector y was passed when a 1d array was expected"):
        errors.warn_column_vector()
    with pytest.warns(errors.DataConversionWarning, match="column-vector labels"):
        errors.warn_column_vector("labels")


def test_not_converged_alone(alone):
    with pytest.warns(errors.ConvergenceWarning) as caught:
        errors.warn_not_converged(Model(), 7)
    assert str(caught[0].message) == (
        "Model did not converge in 7 iterations. Raise max_iter or tol."
    )


def test_warnings_point_at_the_caller():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        errors.warn_user("look here")
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    ("value", "words"),
    [(2.5, "2.5 (float)"), ("two", "'two' (str)"), (None, "None (NoneType)")],
)
def test_wrong_type_says_what_it_got(value, words):
    error = errors.wrong_type("k", "an integer", value)
    assert isinstance(error, TypeError)
    assert str(error) == f"k must be an integer; got {words}."


def test_shown_is_short():
    assert errors.shown("abc") == "'abc'"
    assert len(errors.shown("x" * 10_000)) <= 80
    assert len(errors.shown(list(range(10_000)))) < 100


def test_shown_numbers_of_numpy_are_numbers():
    values = [np.float64(8.0), np.int32(3), np.True_, np.str_("a"), np.nan]
    assert errors.shown(values) == "[8.0, 3, True, 'a', nan]"
    assert errors.shown(np.float32(2.5)) == "2.5"
    assert errors.shown(np.datetime64("2020-01-01")) == repr(np.datetime64("2020-01-01"))


def test_warnings_pass_by_scipy_that_calls_us_back():
    from scipy.optimize import brentq

    inside = {"__name__": "statfast.somewhere", "brentq": brentq, "warn_user": errors.warn_user}
    exec(
        "def f(x):\n    warn_user('look here')\n    return x - 1\n"
        "def fit():\n    return brentq(f, 0, 3)\n",
        inside,
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        inside["fit"]()
    assert {one.filename for one in caught} == {__file__}


@pytest.mark.parametrize("n_jobs", [1, 2, 7])
def test_warnings_of_helper_threads_point_at_the_call(n_jobs):
    """Those of members of ensembles too, whichever thread fits them, once for a line."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 2, 60)
    member = sf.LogisticRegression(C=1e6, max_iter=1)
    model = sf.BaggingClassifier(member, 24, n_jobs=n_jobs, random_state=0)
    for how, count in (("always", 24), ("default", 1)):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter(how)
            model.fit(X, y)
        told = [one for one in said if one.category.__name__ == "ConvergenceWarning"]
        assert len(told) == count
        assert {one.filename for one in said} == {__file__}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning, match="did not converge"):
            model.fit(X, y)


def test_a_thread_is_told_the_place_of_another_call():
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        with errors.warning_at(errors.place_of_call()):
            call = copy_context().run
            thread = threading.Thread(target=call, args=(errors.warn_user, "as it were"))
            thread.start()
            thread.join()
    assert [one.filename for one in said] == [__file__]


def test_warnings_of_helpers_follow_filters_of_modules():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", module=__name__.replace(".", r"\."))
        each(errors.warn_user, [f"number {task}" for task in range(200)], n_jobs=4)
