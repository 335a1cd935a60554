# SPDX-License-Identifier: BSD-3-Clause
"""What an audit sees, and what the program under it does not notice."""

import inspect
import pickle
import re
import subprocess
import sys
import threading
import warnings
from itertools import count
from types import SimpleNamespace

import numpy as np
import pytest

from statfast.datasets import load_iris

pytest.importorskip("sklearn")
from sklearn.base import BaseEstimator, clone
from sklearn.cluster import KMeans
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression, Ridge, SGDClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import NearestNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, StandardScaler
from sklearn.svm import SVC

import statfast
from statfast.audit import twins, watch
from statfast.audit.comparison import difference
from statfast.audit.explanation import deviations, differing_defaults
from statfast.audit.measurement import undisturbed
from statfast.audit.twins import sklearn_classes, twin_class


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


def row_of(report, call):
    return next(row for row in report.rows if row.call == call)


def test_calls_on_one_line_are_one_row(iris):
    X, y = iris
    with watch() as report:
        for alpha in (0.1, 1.0, 10.0):
            model = Ridge(alpha=alpha).fit(X, y)
        model.predict(X)
    fit, predict = report.rows
    assert (fit.call, fit.n_calls, fit.n_doubled) == ("Ridge.fit", 3, 3)
    assert (predict.call, predict.n_calls) == ("Ridge.predict", 1)
    assert fit.file == __file__
    assert predict.line == fit.line + 1
    assert fit.verdict == predict.verdict == "equal"
    assert 0 < fit.seconds < 100
    assert 0 < fit.twin_seconds < 100


def test_classes_are_as_before(iris):
    methods = {(cls, name): vars(cls).get(name) for cls in sklearn_classes() for name in dir(cls)}
    with watch() as report:
        Ridge().fit(*iris)
    report.stop()
    Ridge().fit(*iris)
    assert len(report.rows) == 1
    assert methods == {
        (cls, name): vars(cls).get(name) for cls in sklearn_classes() for name in dir(cls)
    }


def test_estimators_are_as_they_are_without(iris):
    X, y = iris
    signature = inspect.signature(Ridge().fit)
    with watch():
        model = Ridge(alpha=2.0).fit(X, y)
        assert inspect.signature(model.fit) == signature
        assert inspect.isfunction(Ridge.fit)
        assert not hasattr(SVC(), "predict_proba") or SVC().probability
        assert not hasattr(GridSearchCV(StandardScaler(), {}), "predict")
        again = pickle.loads(pickle.dumps(model))
        method = pickle.loads(pickle.dumps(model.predict))
        assert np.array_equal(again.predict(X), method(X))
        assert clone(model).get_params() == model.get_params()
    assert type(pickle.loads(pickle.dumps(model))) is Ridge


def test_results_are_scikit_learns(iris):
    X, y = iris
    alone = RandomForestClassifier(5, random_state=0).fit(X, y).predict_proba(X)
    with watch():
        beside = RandomForestClassifier(5, random_state=0).fit(X, y).predict_proba(X)
    assert np.array_equal(alone, beside)


def test_random_numbers_of_the_program_are_its_own(iris):
    X, _ = iris
    np.random.seed(3)  # noqa: NPY002
    KMeans(3).fit(X)
    alone = np.random.rand()  # noqa: NPY002
    with watch() as report:
        np.random.seed(3)  # noqa: NPY002
        KMeans(3).fit(X)
        assert np.random.rand() == alone  # noqa: NPY002
    assert report.rows[0].n_doubled == 1


def test_arguments_are_copied(iris):
    X, _ = iris
    values = X.copy()
    with watch() as report:
        scaled = StandardScaler(copy=False).fit(values).transform(values)
    assert scaled is values
    assert [row.verdict for row in report.rows] == ["equal", "equal"]


def test_a_failure_is_a_row(iris, monkeypatch):
    def fit(self, X, y=None, sample_weight=None):
        print("never seen")
        warnings.warn("never seen", stacklevel=1)
        raise ZeroDivisionError("as planned")

    monkeypatch.setattr(statfast.Ridge, "fit", fit)
    with watch() as report, warnings.catch_warnings():
        warnings.simplefilter("error")
        model = Ridge().fit(*iris)
        model.predict(iris[0])
    first, second = report.rows
    assert first.verdict == "failed"
    assert first.remarks == ["ZeroDivisionError: as planned"]
    assert second.remarks == ["its twin failed before"]
    assert "failed" in str(report)


def test_warnings_of_the_program_are_shown_once(capsys):
    def warn():
        warnings.warn("of the program", UserWarning, stacklevel=1)

    shown = []
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        warnings.showwarning = lambda *args, **more: shown.append(args[0])
        for _ in range(3):
            warn()
            with undisturbed():
                warnings.warn("of ours", UserWarning, stacklevel=1)
                print("of ours")
    assert len(shown) == 1
    assert capsys.readouterr().out == ""


def test_other_threads_print_meanwhile(capsys):
    with undisturbed():
        print("of ours")
        thread = threading.Thread(target=print, args=("of the program",))
        thread.start()
        thread.join()
    assert capsys.readouterr().out == "of the program\n"


def test_an_error_of_the_program_is_its_own(iris):
    X, y = iris
    with watch() as report, pytest.raises(ValueError, match="inconsistent"):
        Ridge().fit(X, y[:-1])
    (row,) = report.rows
    assert row.verdict == "not doubled"
    assert "scikit-learn raised ValueError" in row.remarks[0]
    Ridge().fit(X, y)


def test_what_is_not_doubled(iris):
    X, y = iris

    class Custom(Ridge):
        pass

    before = Ridge().fit(X, y)
    with watch() as report:
        before.predict(X)
        SGDClassifier(random_state=0).fit(X, y)
        Custom().fit(X, y)
        CountVectorizer().fit(word for word in ("a rose", "is a rose"))
        search = GridSearchCV(Ridge(), {"alpha": [1.0, 2.0]}).fit(X, y)
        search.best_estimator_.predict(X)
    remarks = {row.call: row.remarks for row in report.rows if row.verdict == "not doubled"}
    assert "before the audit" in remarks["Ridge.predict"][0]
    assert "use LogisticRegression" in remarks["SGDClassifier.fit"][0]
    assert "a class of the program" in remarks["Custom.fit"][0]
    assert "read once" in remarks["CountVectorizer.fit"][0]
    assert row_of(report, "GridSearchCV.fit").verdict == "equal"
    assert {row.call for row in report.rows} == {*remarks, "GridSearchCV.fit"}
    assert re.search(r"Calls inside others, part of them: \d+\.", str(report))


def test_a_parameter_that_is_not_taken(iris, monkeypatch):
    known = dict(statfast.audit.twins.defaults_of(statfast.Ridge))
    del known["positive"]
    plain = statfast.audit.twins.defaults_of
    monkeypatch.setattr(
        "statfast.audit.twins.defaults_of",
        lambda cls: known if cls is statfast.Ridge else plain(cls),
    )
    with watch() as report:
        Ridge(positive=True).fit(*iris)
    assert "positive=True is not taken here" in report.rows[0].remarks[0]


def test_differences_are_explained_by_a_row(iris):
    X, y = iris
    with watch() as report:
        LogisticRegression(max_iter=1000).fit(X, y)
        Ridge(alpha=0.5).fit(X, y)
        RandomForestClassifier(10, random_state=0).fit(X, y)
    default, same, forest = report.rows
    assert default.explained_by.startswith("LogisticRegression: C (scikit-learn: 1.0")
    assert same.verdict == "equal"
    assert forest.explained_by.startswith("an integer as random_state")


def test_a_difference_without_a_reason(iris, monkeypatch):
    plain = statfast.Ridge.predict
    monkeypatch.setattr(statfast.Ridge, "predict", lambda self, X: plain(self, X) + 0.01)
    with watch() as report:
        Ridge().fit(*iris).predict(iris[0])
    fit, predict = report.rows
    assert (fit.verdict, predict.verdict) == ("equal", "differs")
    assert "no row of the tables" in str(report)


def test_a_reason_that_is_not_sought_is_told(iris, monkeypatch):
    """After a call that took long: the difference may well be explained."""
    monkeypatch.setattr("statfast.audit.explanation.MAX_SECONDS", 0.0)
    with watch() as report:
        LogisticRegression(max_iter=1000).fit(*iris)
        Ridge(alpha=0.5).fit(*iris)
    differs, same = report.rows
    assert (differs.verdict, same.verdict) == ("differs", "equal")
    assert "no reason was sought" in str(report)


def test_a_search_that_is_not_finished_is_told(iris, monkeypatch):
    """Seeds are tried until the time is up: chance is neither named nor ruled out."""
    times = count(0, 9)  # seconds, from look to look at the clock
    clock = SimpleNamespace(perf_counter=lambda: next(times))
    monkeypatch.setattr("statfast.audit.explanation.time", clock)
    plain = statfast.RandomForestRegressor.predict
    monkeypatch.setattr(
        statfast.RandomForestRegressor, "predict", lambda self, X: plain(self, X) + 9.0
    )
    with watch() as report:
        RandomForestRegressor(5, random_state=0).fit(*iris).predict(iris[0])
    differs = report.rows[-1]
    assert differs.verdict == "differs"
    assert "of 15 seeds that would tell chance, 3 were tried" in differs.search
    assert "the search for a reason was not finished" in " ".join(str(report).split())
    assert report.to_frame()["search"].iloc[-1] == differs.search
    assert "no row of the tables explains it" not in str(report)


def test_what_needs_no_fit(iris):
    with watch() as report:
        Normalizer().transform(iris[0])
    assert report.rows[0].verdict == "equal"


def test_calls_of_threads_reach_the_program(iris):
    X, y = iris
    answers = []
    with watch() as report:
        threads = [
            threading.Thread(target=lambda: answers.append(Ridge().fit(X, y).predict(X)))
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(answers) == 4
    assert all(np.array_equal(answer, answers[0]) for answer in answers)
    assert not [row for row in report.rows if row.verdict in ("failed", "differs")]


def test_a_second_audit_ends_the_first(iris):
    first = watch()
    second = watch()
    Ridge().fit(*iris)
    second.stop()
    assert not first.rows
    assert len(second.rows) == 1


@pytest.mark.parametrize("width", [40, 72, 80, 100, 120])
def test_lines_of_the_table(iris, width):
    X, y = iris
    with watch() as report:
        model = make_pipeline(StandardScaler(), SVC()).fit(X, y)
        model.decision_function(X)
        LogisticRegression(max_iter=1000).fit(X, y).predict_log_proba(X)
        SGDClassifier(random_state=0).fit(X, y)
    text = report.text(width)
    assert max(map(len, text.splitlines())) <= max(width, 72) + 8  # of the numbers of notes
    assert re.search(r"^test_watch\.py:\d+", text, re.M)
    html = report._repr_html_()
    assert html.count("<tr>") == 1 + len(report.rows)
    counts = report.counts()
    assert counts["rows"] == len(report.rows) == 5
    assert counts["not doubled"] == 1
    assert counts["faster"] + counts["slower"] == 4


def test_an_empty_report():
    with watch() as report:
        pass
    assert str(report) == "No estimator of scikit-learn was called."


def test_frames(iris):
    pytest.importorskip("pandas")
    with watch() as report:
        Ridge().fit(*iris)
    frame = report.to_frame()
    assert frame["call"].tolist() == ["Ridge.fit"]
    assert frame["verdict"].tolist() == ["equal"]


# ------------------------------------------------------------------ differences
def test_differences_of_answers():
    a = np.array([[1.0, 2.0], [np.nan, 4.0]])
    assert difference(a, a.copy()).size == 0
    assert difference(a, a + 0.4).size == pytest.approx(0.1)
    assert difference(a, np.nan_to_num(a)).size == np.inf
    assert difference(a, a[:1]).size == np.inf
    assert not difference(a, a + 1e-9).matters
    assert difference(np.array(["a", "b"]), np.array(["a", "c"])).size == 0.5
    labels = np.array([0, 0, 1, 2, -1])
    other = np.array([2, 2, 0, 1, -1])
    assert difference(labels, other).size == pytest.approx(0.8)
    assert difference(labels, other, clusters=True).size == 0
    assert difference(labels, np.array([2, 2, 0, 1, 1]), clusters=True).size == pytest.approx(0.2)
    assert difference([a, a], [a, a + 1.0]).matters
    assert not difference((a, labels), (a, labels)).matters
    assert difference({"x": a, "y": 1}, {"x": a + 1.0}).where == "x"
    sparse = pytest.importorskip("scipy.sparse")
    one = sparse.csr_array(np.eye(3))
    assert difference(one, 2.0 * one).size == pytest.approx(1.0)
    assert not difference(one, sparse.csc_array(np.eye(3))).matters
    assert difference(one, sparse.csr_array(np.ones((2, 3)))).size == np.inf


# ------------------------------------------------------------------ tables and twins
def test_tables_are_read():
    rows = deviations()
    assert {row.table for row in rows} == {"defaults", "answers"}
    assert "C" in differing_defaults()["LogisticRegression"]
    assert not [row for row in rows if "`" in row.what + row.there + row.here]


def test_twins():
    assert twin_class(Ridge) is statfast.Ridge
    assert twin_class(SGDClassifier) == "use LogisticRegression, which takes rows in Chunks"
    assert all(isinstance(twin_class(cls), type | str) for cls in sklearn_classes())
    assert len([cls for cls in sklearn_classes() if isinstance(twin_class(cls), type)]) >= 130


# ------------------------------------------------------------------ scripts
SCRIPT = """
import sys
from sklearn.linear_model import Ridge
from sklearn.datasets import load_iris

class Here:
    number: int = 3

assert Here.__annotations__ == {"number": int}  # types, not their names

def main():
    import pickle
    assert type(pickle.loads(pickle.dumps(Here()))) is Here
    X, y = load_iris(return_X_y=True)
    print(sys.argv[1:], round(Ridge().fit(X, y).score(X, y), 3))

if __name__ == "__main__":
    main()
"""
ENDS = {
    "": (0, ""),
    "sys.exit(3)": (3, ""),
    "sys.exit('a word')": (1, "a word"),
    "sys.exit()": (0, ""),
    "raise KeyError('own')": (1, "KeyError: 'own'"),
    "raise KeyboardInterrupt": (130, "KeyboardInterrupt"),
}


@pytest.mark.parametrize("end", ENDS)
def test_scripts(end, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT + end, "utf-8")
    page = tmp_path / "page.html"
    done = subprocess.run(
        [sys.executable, "-m", "statfast.audit", "--html", str(page), str(script), "--a", "b"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    code, words = ENDS[end]
    assert done.returncode == code, done.stderr
    assert done.stdout == "['--a', 'b'] 0.93\n"
    assert words in done.stderr
    assert "script.py:15" in done.stderr
    assert "Ridge.score" in done.stderr
    assert "statfast/audit/__main__" not in done.stderr
    assert "<table>" in page.read_text("utf-8")


def test_a_parameter_by_its_name_in_an_earlier_version(monkeypatch):
    """scikit-learn 1.6 calls the estimator of a chain base_estimator."""

    class ClassifierChain(BaseEstimator):
        def __init__(self, base_estimator, *, order=None):
            self.base_estimator, self.order = base_estimator, order

    monkeypatch.setattr(twins, "twin_class", lambda kind: statfast.ClassifierChain)
    maker = twins.TwinMaker()
    made = maker.twin(ClassifierChain(statfast.Ridge(alpha=3.0)))
    assert isinstance(made, statfast.ClassifierChain)
    assert made.estimator is not None
    assert not maker.not_taken


def test_totals_are_a_sentence_for_any_number(iris):
    with watch() as report:
        Ridge().fit(*iris)
    total = " ".join(report.text().split())
    assert "Calls: 1, answered by both: 1;" in total
    assert re.search(r"Rows: 1\. Faster: [01], slower: [01]\. Answers equal: 1,", total)


def test_help_and_a_script_that_is_not_there():
    run = [sys.executable, "-m", "statfast.audit"]
    done = subprocess.run([*run, "--help"], capture_output=True, text=True, check=True)
    assert "python -m statfast.audit" in done.stdout
    for nothing in ([], ["--width", "90"]):
        done = subprocess.run([*run, *nothing], capture_output=True, text=True, check=False)
        assert done.returncode == 2
        assert "usage: python -m statfast.audit" in done.stderr
        assert "there is no script. Name the one to run" in done.stderr
    done = subprocess.run([*run, "no.py"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "there is no file no.py" in done.stderr


def test_scikit_learn_is_not_there(tmp_path):
    (tmp_path / "sklearn.py").write_text("raise ImportError('none')", "utf-8")
    script = tmp_path / "script.py"
    script.write_text("print(1)", "utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "statfast.audit", str(script)], capture_output=True, text=True,
        check=False, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.startswith("An audit compares with scikit-learn, which is not installed")


def test_a_sparse_answer_stays_as_it_is():
    X = np.random.default_rng(5).random((50, 3))
    expected = NearestNeighbors(n_neighbors=12).fit(X).kneighbors_graph(X, mode="distance")
    with watch():
        found = NearestNeighbors(n_neighbors=12).fit(X).kneighbors_graph(X, mode="distance")
    np.testing.assert_array_equal(found.indices, expected.indices)  # by distance, not by column
    np.testing.assert_array_equal(found.data, expected.data)
