# SPDX-License-Identifier: BSD-3-Clause
"""The benchmarks' runner and report, on small shapes."""

import contextlib
import json
import os
import platform
import sys
import threading
from dataclasses import replace
from types import SimpleNamespace

import pytest

from benchmarks.harness import report, results, run, worker
from benchmarks.harness.machine import least_seconds
from benchmarks.harness.registry import SUITES
from benchmarks.harness.results import compare, geometric_means, merged
from benchmarks.harness.run import (
    MAX_RATIO_FOR_ROUNDS,
    MIN_SECONDS_ALLOWED,
    SECONDS_OF_SHORT_RUN,
    Racer,
    _allowed,
    _goes_on,
    _near,
    _turn,
    main,
)
from benchmarks.harness.suite import Library
from benchmarks.harness.worker import Job
from benchmarks.suites.evaluation import ranking

SUITE = SUITES["kmeans"]


class Here(Racer):
    """A worker in a thread of this process: the libraries are loaded once for all problems."""

    def __init__(self, job, environment):
        commands, replies = os.pipe(), os.pipe()
        ends = os.fdopen(commands[0], "rb"), os.fdopen(replies[1], "wb")

        def work():
            with ends[0], ends[1]:
                worker.serve(*ends)

        thread = threading.Thread(target=work, daemon=True)
        ours = os.fdopen(commands[1], "wb"), os.fdopen(replies[0], "rb")
        self.process = SimpleNamespace(
            stdin=ours[0], stdout=ours[1], wait=thread.join, kill=ends[1].close
        )
        thread.start()
        self._send(job)


@pytest.fixture
def here(monkeypatch):
    """A race without processes, pauses or repetitions: the harness, the works and the checks."""
    monkeypatch.setattr(run, "Racer", Here)
    monkeypatch.setattr(run, "SECONDS_OF_PAUSE", 0.0)
    monkeypatch.setattr(run.limits, "measure", lambda threads, quick: {})
    monkeypatch.setattr(worker, "ROUND_SECONDS", 1e-9)
    monkeypatch.setattr(ranking, "REPLICATES", 100)  # of those that are drawn one by one
    monkeypatch.setattr(worker, "_limited", lambda threads: contextlib.nullcontext([]))


@pytest.mark.filterwarnings("ignore")  # the peers', as in a process of their own
@pytest.mark.parametrize("suite", SUITES)
@pytest.mark.usefixtures("here")
def test_quick(suite, tmp_path):
    _quick(suite, tmp_path / "results.jsonl")


def test_quick_in_processes(tmp_path):
    _quick("moments", tmp_path / "results.jsonl")


def _quick(suite, out):
    few = ["--libraries", "statfast", "scikit-learn", "numpy"]
    main([suite, "--quick", "--rounds", "1", "--out", str(out), *few])
    document = results.read(out)
    assert document["suite"] == suite
    assert document["versions"]["numpy"]
    assert [row["name"] for row in document["problems"]] == [p.name for p in SUITES[suite].quick]
    missing = [row["skipped"] for row in document["problems"] if "skipped" in row]
    if any(note.startswith("FileNotFoundError") for note in missing):
        pytest.skip(f"{missing}; set STATFAST_DATA")
    for row in document["problems"]:
        ours = row["libraries"]["statfast"]
        assert ours["status"] == "ok", ours
        assert ours["min"] <= ours["median"]
        for name, entry in row["libraries"].items():
            assert entry["status"] in ("ok", "differs", "absent", "left out"), (name, entry)
            if "median" in entry:
                assert entry["rounds"] == 1
                assert entry["median"] > 0
        if "fastest_peer" in row:
            peer = row["libraries"][row["fastest_peer"]]
            assert row["ratio"] == pytest.approx(peer["median"] / ours["median"])


def test_the_environment_is_left_alone(tmp_path):
    before = dict(os.environ)
    main(["moments", "--quick", "--only", "no such", "--coretype", "Haswell", "--threads", "3"])
    assert dict(os.environ) == before


def test_the_settings_reach_the_libraries(tmp_path):
    pytest.importorskip("sklearn")
    out = tmp_path / "results.jsonl"
    few = ["--only", "K=20", "--libraries", "scikit-learn", "--rounds", "1"]
    main(["moments", "--quick", "--coretype", "Nehalem", "--out", str(out), *few])
    document = results.read(out)
    assert document["openblas_coretype"] == "Nehalem"
    blas = document["problems"][0]["libraries"]["scikit-learn"].get("blas")
    if platform.machine() in ("x86_64", "AMD64") and blas:
        assert blas == ["Nehalem"]


def test_each_library_runs_with_every_setting_and_its_better_run_counts(monkeypatch):
    class Racer:
        """A library that is fast with one core type and wrong with another."""

        def __init__(self, job, environment):
            self.seconds = {"A": 3.0, "B": 2.0, "C": 1.0}[environment]
            self.right = environment != "C"

        def reply(self):
            return {"status": "ready"}

        def ask(self, command, limit=None):
            times = {"fit": 0.0, "query": self.seconds, "total": self.seconds}
            times |= {"least": self.seconds} if command == "round" else {"answer": self.right}
            return times | {"status": "ok", "note": "", "extra_bytes": 0}

        def stop(self):
            pass

    class Raced:
        libraries = dict.fromkeys(["statfast", "scikit-learn"], Library({}))

        def checker(self, problem, data):
            return lambda right: {"wrong": 0.0 if right else 1.0}

        def verdict(self, problem, errors, *, ours):
            return errors["wrong"] == 0

    monkeypatch.setattr(run, "Racer", Racer)
    problem = SUITES["kmeans"].quick[0]
    found = run.race(Raced(), problem, dict.fromkeys(Raced.libraries), 2, {k: k for k in "ABC"})
    for entry in found["libraries"].values():
        assert (entry["status"], entry["median"], entry["coretype"]) == ("ok", 2.0, "B")


def test_part_of_a_suite(tmp_path, capsys):
    out = tmp_path / "results.jsonl"
    main(["moments", "--quick", "--only", "K=20", "--libraries", "statfast", "--out", str(out)])
    (row,) = results.read(out)["problems"]
    assert "K=20" in row["name"]
    assert list(row["libraries"]) == ["statfast"]
    assert row["name"] in capsys.readouterr().out


def _measured(commit, **seconds):
    """A run of problems of the suite kmeans: seconds of ours, a peer takes twice as long."""
    suite, rows = SUITES["kmeans"], []
    for number, ours in seconds.items():
        row = results.about(suite.problems[int(number[1:])]) | {"limit_seconds": 0.125}
        entry = {"status": "ok", "min": ours, "errors": {"wrong labels": 1e-5}, "note": "a remark"}
        entry |= {"extra_bytes": 8, "rounds": 3, "fit": ours / 2, "query": ours / 2}
        libraries = {"statfast": ours, "scikit-learn": 2 * ours}
        row["libraries"] = {name: entry | {"median": t} for name, t in libraries.items()}
        rows.append(compare(row, suite))
    document = {"suite": "kmeans", "quick": False, "commit": commit, "openblas_coretype": "Zen"}
    return document | {"problems": rows, "geometric_means": geometric_means(rows)}


def test_what_is_written_is_read(tmp_path):
    document = _measured("new", p1=1.0, p0=3.0)
    document["problems"].append(results.about(SUITES["kmeans"].problems[2]) | {"libraries": {}})
    document["problems"][-1] |= {"skipped": "no data", "limit_seconds": None}
    path = results.path_of("kmeans", tmp_path)
    results.write(document, path)
    assert results.read(path) == document
    assert results.load(tmp_path) == {"kmeans": document}
    lines = path.read_text().splitlines()
    assert len(lines) == 1 + 2 * 2 + 1  # the run; each problem and library; what was skipped
    path.write_text("\n".join([*lines, lines[1].replace("blobs", "gone")]))
    assert results.read(path) == document  # a problem that is no more


def test_parts_of_a_suite_are_put_together(tmp_path):
    path = tmp_path / "results.jsonl"
    part = _measured("new", p1=1.0, p0=1.0)
    assert merged(part, path) == part
    results.write(_measured("old", p0=5.0, p2=5.0), path)
    found = merged(part, path)
    results.write(found, path)
    for document in (found, results.read(path)):
        rows = document["problems"]
        assert [row["name"] for row in rows] == [p.name for p in SUITES["kmeans"].problems[:3]]
        assert [row.get("commit") for row in rows] == [None, None, "old"]
        assert [row["libraries"]["statfast"]["median"] for row in rows] == [1.0, 1.0, 5.0]
        assert document["geometric_means"]["all"]["problems"] == 3


def _reply(library, problem="LDA 5000x30 K=5 float64", suite="moments"):
    racer = Racer(Job(suite, True, problem, library, 1), os.environ)
    try:
        return racer.reply()
    finally:
        racer.stop()


def test_a_library_that_is_not_installed_is_absent(monkeypatch, tmp_path):
    (tmp_path / "sklearn.py").write_text("import no_such_library")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    reply = _reply("scikit-learn")
    assert reply["status"] == "absent"
    assert "no_such_library" in reply["note"]


def test_a_class_that_is_missing_has_failed(monkeypatch, tmp_path):
    (tmp_path / "sklearn").mkdir()
    (tmp_path / "sklearn" / "__init__.py").write_text("")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    assert _reply("scikit-learn")["status"] == "failed"


def test_what_takes_too_long_is_ended(monkeypatch, tmp_path):
    (tmp_path / "sklearn.py").write_text("import time; time.sleep(60)")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    job = Job("moments", True, "LDA 5000x30 K=5 float64", "scikit-learn", 1)
    racer = Racer(job, os.environ)
    try:
        reply = racer.reply(0.1)
    finally:
        racer.stop()
    assert reply == {"status": "ended", "note": "took more than 0.1 s"}


def test_a_peer_far_behind_another_is_given_less():
    problem = replace(SUITES["moments"].quick[0], hopeless=2.0, limit=100.0)
    found = {("statfast", "A"): {"status": "ok", "first": 1.0}, ("faiss", "A"): {"status": "ready"}}
    assert _allowed(problem, "scipy", found) == 100.0
    found["scikit-learn", "B"] = {"status": "differs", "first": 5.0}
    assert _allowed(problem, "scipy", found) == 100.0
    found["faiss", "A"] = {"status": "ok", "first": 10.0}
    assert _allowed(problem, "scipy", found) == 20.0
    assert _allowed(problem, "statfast", found) == 100.0
    found["faiss", "A"]["first"] = 0.1
    assert _allowed(problem, "scipy", found) == MIN_SECONDS_ALLOWED


def test_libraries_run_in_the_order_of_their_earlier_times(tmp_path):
    path = tmp_path / "results.jsonl"
    assert results.medians(path) == {}
    times = {"faiss": 2.0, "scipy": 1.0, "statfast": 3.0}
    lines = [{"problem": "a", "library": name, "median": time} for name, time in times.items()]
    lines = [{"suite": "kmeans"}, *lines, {"problem": "a", "library": "numpy", "status": "ended"}]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    earlier = results.medians(path)
    names = ["numpy", "faiss", "statfast", "scipy"]
    names.sort(key=lambda name: _turn(name, earlier.get(("a", name))))
    assert names == ["statfast", "scipy", "faiss", "numpy"]


def test_rounds_stop_when_the_budget_is_spent():
    problem = replace(SUITES["moments"].quick[0], budget=3.0)
    entry = {"status": "ok", "first": 1.0, "rounds": [{"total": 1.0}]}
    assert _goes_on(problem, entry)
    entry["rounds"].append({"total": 1.0})
    assert not _goes_on(problem, entry)
    assert not _goes_on(problem, {"status": "failed"})
    assert _goes_on(SUITES["moments"].quick[0], entry)
    assert not _goes_on(SUITES["moments"].quick[0], entry | {"first": 30.0})


def test_a_peer_that_cannot_be_the_fastest_gets_one_round():
    found = {("faiss", "A"): {"status": "ok", "first": 1.0}}
    assert _near("scipy", found)  # not run yet
    found["scipy", "A"] = {"status": "ok", "first": MAX_RATIO_FOR_ROUNDS + 0.1}
    assert not _near("scipy", found)
    found["statfast", "A"] = {"status": "ok", "first": 100.0}
    assert _near("statfast", found)
    found["scipy", "A"]["rounds"] = [
        {"total": MAX_RATIO_FOR_ROUNDS - 0.1}
    ]  # its first run was one of compiling
    assert _near("scipy", found)
    found["faiss", "A"]["status"] = "differs"
    found["scipy", "A"]["first"] = 50.0
    assert _near("scipy", found)  # no other one is right
    found = {("faiss", "A"): {"status": "ok", "first": SECONDS_OF_SHORT_RUN / 100}}
    found["scipy", "A"] = {"status": "ok", "first": SECONDS_OF_SHORT_RUN}
    assert _near("scipy", found)
    found["scipy", "A"] = {"status": "ended"}
    assert not _near("scipy", found)


def test_a_crash_is_reported(monkeypatch, tmp_path):
    (tmp_path / "sklearn.py").write_text("import os; os._exit(3)")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    reply = _reply("scikit-learn")
    assert reply["status"] == "failed"
    assert "exit code 3" in reply["note"]


def _row(beyond=False, **libraries):
    """Name -> (status, seconds)."""
    entries = {
        name.replace("_", "-"): {"status": status, "median": t, "min": t, "errors": {}, "note": ""}
        for name, (status, t) in libraries.items()
    }
    return {"name": "a problem", "beyond": beyond, "limit_seconds": 1.0, "libraries": entries}


def test_the_ratio_is_to_the_fastest_peer_that_is_right():
    row = compare(
        _row(statfast=("ok", 2.0), scikit_learn=("ok", 5.0), faiss=("differs", 1.0)), SUITE
    )
    assert row["fastest_peer"] == "scikit-learn"
    assert row["fastest"] == "faiss"
    assert row["ratio"] == 2.5
    assert row["share_of_limit"] == 0.5
    assert row["ratios"]["faiss"] == 0.5


def test_the_fma_loop_is_the_limit_of_its_own_rounds():
    row = _row(statfast=("ok", 2.0), numpy=("ok", 4.0))
    row["libraries"]["FMA loop"] = row["libraries"]["numpy"] | {"median": 1.5}
    assert compare(row, SUITES["tiles"])["share_of_limit"] == 0.75
    assert row["fastest_peer"] == "numpy"


def test_geometric_means():
    rows = [
        {"beyond": False, "ratio": 2.0},
        {"beyond": False, "ratio": 8.0},
        {"beyond": True, "ratio": 0.5},
        {"beyond": True},
    ]
    means = geometric_means(rows)
    assert means["bar"] == {"mean": pytest.approx(4.0), "least": 2.0, "problems": 2}
    assert means["beyond"]["problems"] == 1
    assert means["all"]["mean"] == pytest.approx(2.0)


def test_least_seconds_is_the_larger_of_arithmetic_and_reading():
    problem = SUITES["moments"].problems[0]
    slow_memory = {"float64": 1e30, "bandwidth": 1e9}
    fast_memory = {"float64": 1e9, "bandwidth": 1e30}
    assert least_seconds(problem, slow_memory, {"L3": 1}) == pytest.approx(200_000 * 30 * 16 / 1e9)
    assert least_seconds(problem, fast_memory, {"L3": 1}) == pytest.approx(problem.flops / 1e9)
    assert least_seconds(problem, slow_memory, {"L3": 10**12}) < 1e-6
    assert least_seconds(problem, {}, {}) is None


def _document(core, *rows):
    return {
        "suite": "kmeans",
        "quick": False,
        "date": "2020-02-02T00:00:00+00:00",
        "threads": 2,
        "openblas_coretype": core,
        "machine": {"cpu": "a processor", "usable_cores": 2, "isa": None},
        "versions": {"numpy": "2", "faiss-cpu": None},
        "limits": {},
        "problems": list(rows),
        "geometric_means": geometric_means(rows),
    }


@pytest.fixture
def documents():
    """Two suites of a family, run on different processors."""

    def row(seconds):
        out = compare(_row(statfast=("ok", 2.0), scikit_learn=("ok", seconds)), SUITE)
        for entry in out["libraries"].values():
            entry["extra_bytes"] = 0
        return out

    return {
        "kmeans": _document("unset", row(5.0)),
        "seeding": _document("unset, Zen", row(1.0)),
    }


def test_page_has_every_suite_what_is_slower_and_the_machines(documents):
    text = report.page(documents)
    assert "2.50x" in text
    assert "- a problem: scikit-learn is 2.00x as fast" in text
    assert "- a processor, 2 cores, None, OpenBLAS core type unset: kmeans." in text
    assert "- a processor, 2 cores, None, OpenBLAS core type unset, Zen: seeding." in text


def test_replace_between():
    text = "a\n<\nold\n>\nb\n"
    once = report.replace_between(text, "new", "<", ">")
    assert once == "a\n<\n\nnew\n\n>\nb\n"
    assert report.replace_between(once, "new", "<", ">") == once
    with pytest.raises(ValueError, match="markers"):
        report.replace_between("no markers", "new", "<", ">")


def test_readme_table_has_a_line_for_each_family(documents):
    (row,) = report.summary(documents)
    assert row == ("k-means", 2, pytest.approx((2.5 * 0.5) ** 0.5), 0.5, 1)
    assert "| k-means | 2        | 1.1x " in report.readme_table(documents)


def test_figure_has_a_bar_for_each_family(documents, tmp_path):
    pytest.importorskip("matplotlib")
    report.draw(documents, tmp_path / "new" / "figure.svg")
    text = (tmp_path / "new" / "figure.svg").read_text("utf-8")
    assert "k-means" in text
    report.draw(documents, tmp_path / "again.svg")
    assert (tmp_path / "again.svg").read_text("utf-8") == text


@pytest.mark.parametrize(
    ("value", "text"), [(2.5, "2.5 s"), (0.0125, "12.5 ms"), (3e-6, "3 µs"), (4e-8, "40 ns")]
)
def test_seconds(value, text):
    assert report.seconds(value) == text
