# SPDX-License-Identifier: BSD-3-Clause
"""Growth of the suites' largest problems, and what the package itself costs, on small cases."""

import json
import zipfile
from dataclasses import replace

import pytest

from benchmarks.harness import footprint, growth, report, results
from benchmarks.harness.registry import SUITES
from benchmarks.harness.suite import Growth
from benchmarks.suites.generative.lda import _lda

MACHINE = {"cpu": "a processor", "usable_cores": 2, "isa": None}


@pytest.fixture
def small(monkeypatch):
    """The suite `moments` with a largest problem of 4000 rows."""
    suite = SUITES["moments"]
    largest = _lda(4_000, 4, 3)
    suite = replace(
        suite, problems=[*suite.problems, largest], growth=Growth(4_000, lambda n: _lda(n, 4, 3))
    )
    monkeypatch.setitem(SUITES, "moments", suite)
    return suite


def _line(suite, problem, **entry):
    return {"suite": suite, "problem": problem, "status": "ok", "threads": 2} | entry


# --- growth ---


def test_pair_is_an_eighth_and_the_whole(small):
    eighth, whole = small.growth.pair()
    assert len(eighth.data()["X"]) == 500
    assert len(whole.data()["X"]) == 4_000


@pytest.mark.usefixtures("small")
def test_both_problems_are_measured_and_other_suites_kept(monkeypatch, tmp_path):
    raced = []

    def race(suite, problem, jobs, rounds, environments):
        raced.append((problem.name, jobs["statfast"].problem, rounds, jobs["statfast"].threads))
        seconds = 0.25 if "500x" in problem.name else 2.0
        return {"libraries": {"statfast": {"status": "ok", "median": seconds, "blas": ["Zen"]}}}

    monkeypatch.setattr(growth.run, "race", race)
    out = tmp_path / "growth.jsonl"
    kept = _line("kmeans", "of before", median=1.0)
    stale = _line("moments", "of before", median=1.0)
    results.write_lines([{"date": "before"}, kept, stale], out)
    growth.main(["moments", "--out", str(out), "--rounds", "1", "--threads", "1"])
    head, *lines = results.read_lines(out)
    assert head["machine"]["cores"]
    assert [line["problem"] for line in lines] == [
        "of before", *(p.name for p in SUITES["moments"].growth.pair())
    ]  # fmt: skip
    assert [line.get("median") for line in lines] == [1.0, 0.25, 2.0]
    assert "blas" not in lines[1]
    names = [p.name for p in SUITES["moments"].growth.pair()]
    assert raced == [(name, name, 1, 1) for name in names]


def test_a_process_finds_the_eighth(tmp_path):
    """In a process of its own, where only the suites of the modules are known."""
    out = tmp_path / "growth.jsonl"
    growth.main(["latency", "--out", str(out), "--rounds", "1"])
    _, *lines = results.read_lines(out)
    assert [line["status"] for line in lines] == ["ok", "ok"]


def test_table_of_growth():
    eighth, whole = (problem.name for problem in SUITES["silhouette"].growth.pair())
    lines = [
        _line("silhouette", eighth, median=0.01, extra_bytes=1e6),
        _line("silhouette", whole, median=0.5, extra_bytes=8e6),
        _line("svc", SUITES["svc"].growth.pair()[0].name, status="absent"),
        _line("kmeans", "a problem that the suite no longer has", median=1.0),
    ]
    cells = {row[0]: row[2:] for row in report.growth(lines)}
    assert cells["silhouette"] == ("10 ms", "500 ms", "50.0x", "64x", "1 MB to 8 MB")
    assert cells["svc"] == ("absent", "-", "-", "64x", "- to -")
    assert set(cells) == {"silhouette", "svc"}


# --- footprint ---


def _wheel(path):
    """A wheel of four files, each 1000 bytes that do not shrink."""
    names = (
        "statfast/__init__.py",
        "statfast/cluster/kmeans/kmeans.py",
        "statfast/_core/medoids/swaps.so",
        "statfast/_core/rows/sums.so",
        "statfast-0.1.0.dist-info/METADATA",
    )
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, b"x" * 1000)
    return path


def test_kernels_of_one_family_count_for_it(tmp_path):
    sizes = footprint.wheel_bytes(_wheel(tmp_path / "a.whl"))
    assert sizes["cluster"] == {"other": 1000, "kernels": 1000}
    assert sizes["_core/rows"] == {"kernels": 1000}
    assert sizes["statfast (top, metadata)"] == {"other": 2000}
    assert set(sizes) == {"cluster", "_core/rows", "statfast (top, metadata)"}


def test_imports_are_timed_and_a_broken_one_is_none():
    times = footprint.import_seconds(["statfast", "statfast.no_such_family"], rounds=2)
    assert 0 < times["statfast"] < 60
    assert times["statfast.no_such_family"] is None


def test_every_public_package_is_a_family():
    families = footprint.families()
    assert {"cluster", "linear", "tree", "plot"} <= set(families)
    assert not any(name.startswith("_") for name in families)


def test_footprint_of_a_wheel_on_the_page(monkeypatch, tmp_path):
    monkeypatch.setattr(footprint, "families", lambda: ["cluster"])
    times = {"statfast": 0.002, "statfast.cluster": None}
    monkeypatch.setattr(footprint, "import_seconds", lambda modules, rounds: times)
    out = tmp_path / "footprint.jsonl"
    footprint.main(["--wheel", str(_wheel(tmp_path / "a.whl")), "--out", str(out)])
    head, *lines = results.read_lines(out)
    assert "build_seconds" not in head
    assert json.dumps(head)
    rows = report.footprint(lines)
    assert ("statfast", "2 ms", "-", "-", "-") in rows
    assert ("cluster", "-", "1 kB", "1 kB", "2 kB") in rows
    text = report.page({}, parts=[head | {"machine": MACHINE, "build_seconds": 61.0}, *lines])
    assert "compiled and packed in 61 s on 2 cores." in text
    assert "_core/rows" in text


def test_page_without_these_results_has_no_such_sections():
    assert report.page({}) == ""
