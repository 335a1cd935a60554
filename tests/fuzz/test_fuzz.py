# SPDX-License-Identifier: BSD-3-Clause
"""The fuzzer finds what is planted, and a seed gives the same case again."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.fuzz import cases, judge, planted, roles, surface, usual
from tests.fuzz.inputs import Data

ROOT = Path(__file__).resolve().parents[2]


def run(*arguments):
    """What a run prints; it found something. A process of its own, as polars does not fork."""
    command = [sys.executable, "-m", "tests.fuzz", "--jobs", "1", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 1, done.stdout + done.stderr
    return done.stdout


def test_planted_defects_are_found():
    said = run("--things", "tests.fuzz.planted:soon", "--calls", "120", "--timeout", "100")
    causes = set(re.findall(r"^ +\d+ x ([\w ]+): (\w+)", said, re.MULTILINE))
    assert {(kind, name) for name, kind in planted.KINDS.items()} <= causes, said
    assert "Sound" not in {name for _, name in causes}


def test_a_call_that_does_not_end_is_found():
    said = run("--things", "tests.fuzz.planted:late", "--only", "0", "--timeout", "0.5")
    assert re.search(r"1 x hang: Hangs", said), said


def test_a_seed_gives_the_same_case_again():
    for seed in range(40):
        assert cases.draw(seed).text == cases.draw(seed).text


def test_everything_public_is_drawn():
    drawn, _ = cases.stock()
    names = {thing.name for thing in drawn}
    answers = {name for name, thing in surface.public().items() if thing.is_record}
    assert names | answers == set(surface.public())
    assert {"SVC", "KDTree", "linkage", "rand_score", "RBF", "hadamard_code"} <= names
    assert answers
    assert all("Parameters" not in surface.public()[name].call.__doc__ for name in answers)


@pytest.mark.once
@pytest.mark.filterwarnings("ignore")
def test_every_public_name_answers_in_the_calm_rounds():
    """What is never answered is never tested: the names below all refuse what they are given."""
    answered, never = set(), surface.callable_names()
    for seed in range(cases.ROUNDS * len(cases.stock()[0])):
        answered |= judge.run(cases.draw(seed)).answered
    never -= answered
    # Files of some loaders, and a library, are not here.
    elsewhere = {"ShapExplanation.to_shap"} | {n for n in never if n.startswith("load_")}
    never -= elsewhere
    assert sorted(never - set(usual.UNANSWERED)) == []
    assert sorted(set(usual.UNANSWERED) - never) == []


def test_roles_are_names_of_parameters():
    names = set()
    for thing in surface.public().values():
        for one in [thing, *(surface.methods(thing.call).values() if thing.is_class else ())]:
            names |= set(one.parameters)
    assert set(roles.ROLES) <= names


def test_sizes_reach_the_kernels():
    sizes = [Data(np.random.default_rng(seed), large=True) for seed in range(20)]
    assert max(data.n * len(data.more()) * data.d for data in sizes) > 1_000_000
