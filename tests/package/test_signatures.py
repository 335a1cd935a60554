# SPDX-License-Identifier: BSD-3-Clause
"""What was public in the last release still is, or the changelog says so."""

import re
from pathlib import Path

import pytest

from tests.signatures import broken, current, last_release, parameters, read

CHANGELOG = Path(__file__).resolve().parents[2] / "CHANGELOG.md"


def test_calls_of_the_last_release_are_still_right():
    file = last_release()
    if file is None:
        pytest.skip("there was no release yet")
    section = CHANGELOG.read_text("utf-8").split("\n## ")[1]
    named = set(re.findall(r"`(\w+)", section))
    faults = [words for name, words in broken(read(file), current()) if name not in named]
    assert faults == []


def test_the_list_has_classes_their_methods_and_functions():
    found = current()
    assert found["KMeans"][0] == "n_clusters=8"
    assert "*init='k-means++'" in found["KMeans"]
    assert found["KMeans.fit"][:2] == ["self", "X"]
    assert "linkage" in found
    assert not [name for name in found if "._" in name]


@pytest.mark.parametrize(
    ("function", "fault"),
    [
        (lambda a, b=1, *, c=2, d=3: None, None),
        (lambda a, b=1, c=2: None, None),  # by keyword, too
        (lambda b, a=1, *, c=2: None, "at place 0"),
        (lambda a, b=2, *, c=2: None, "f has b=2 where it had b=1."),
        (lambda a, b=1, *, c=3: None, "f no longer has c=2."),
        (lambda a, b=1: None, "f no longer has c=2."),
        (lambda a, *, c=2: None, "than b=1 at place 1"),
        (lambda a, b=1, *, c=2, d: None, "f asks for d"),
        (None, "f is gone."),
    ],
)
def test_what_breaks_a_call_is_found(function, fault):
    old = {"f": parameters(lambda a, b=1, *, c=2: None)}
    new = {} if function is None else {"f": parameters(function)}
    faults = [words for _, words in broken(old, new)]
    assert bool(faults) == (fault is not None)
    assert fault is None or any(fault in words for words in faults)
