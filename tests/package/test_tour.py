# SPDX-License-Identifier: BSD-3-Clause
"""The tour, ``python -m statfast``."""

import os
import subprocess
import sys

import numpy as np
import pytest

from statfast import __main__ as tour
from statfast._core.tile import tiles
from statfast._tour.finding import in_order_of_appearance
from statfast._tour.nearest import mnist
from tests.datasets.test_mnist import write_mnist


def test_one_screen_of_known_answers():
    plain = {name: value for name, value in os.environ.items() if name != "STATFAST_DATA"}
    run = subprocess.run(
        [sys.executable, "-m", "statfast"],
        env={**plain, "STATFAST_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    lines = run.stdout.splitlines()
    assert len(lines) <= 90
    assert max(map(len, lines)) <= 100
    assert "1 thread," in lines[0]
    assert tiles.isa() in lines[0]
    for answer in (
        "164 of 178", "78.851441", "769 of 797", "777 of 797", "[2.45, 1.75], leaves [50, 54, 46];",
        "woman of 1st 0.900730", "vote 547, stack 550, threshold 557;",
        "P(b|a a): -0.201029;", "mnist: data not found",
    ):  # fmt: skip
        assert answer in run.stdout
    assert not run.stderr


def test_a_missed_answer_is_said_and_returned(tmp_path, monkeypatch, capsys):
    rng = np.random.default_rng(0)
    write_mnist(tmp_path / "mnist", rng.integers(0, 256, (30, 4, 4)), rng.integers(0, 10, 30))
    monkeypatch.setenv("STATFAST_DATA", str(tmp_path))
    assert tour.main([]) == 1
    assert "known 309 = 3.09 %: NOT AS KNOWN" in capsys.readouterr().out


def test_mnist(shared_data, monkeypatch):
    monkeypatch.setenv("STATFAST_DATA", str(shared_data("mnist").parent))
    finding = mnist()
    assert finding.agrees
    assert finding.lines[1].split()[2:] == ["309", "283"]
    assert finding.lines[-1] == "1 nearest: 309 errors, known 309 = 3.09 %"


def test_clusters_are_numbered_as_they_appear():
    labels = np.array([2, 2, 0, 1, 0])
    np.testing.assert_array_equal(in_order_of_appearance(labels), [0, 0, 1, 2, 1])


def test_arguments(capsys):
    with pytest.raises(SystemExit):
        tour.main(["--help"])
    assert "STATFAST_DATA" in capsys.readouterr().out
