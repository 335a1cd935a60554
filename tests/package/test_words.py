# SPDX-License-Identifier: BSD-3-Clause
"""Public text keeps to the field's terms: phrases that are right in no context are not in it.

Public text is the docstrings of public objects, what is raised and warned, README.md, CHANGELOG.md,
and the pages and scripts of docs/.
"""

import ast
import inspect
import re
from pathlib import Path

import pytest

from tests.package.test_docs import PUBLIC, ROOT, SOURCE

PHRASES = (Path(__file__).parent / "phrases.txt").read_text("utf-8").splitlines()
WRONG = re.compile(rf"\b({'|'.join(PHRASES)})\b", re.IGNORECASE)
BUILT = {"_build", "examples", "generated"}
PAGES = [
    ROOT / "README.md",
    ROOT / "CHANGELOG.md",
    *(
        page
        for suffix in ("rst", "py")
        for page in sorted((ROOT / "docs").rglob(f"*.{suffix}"))
        if page.relative_to(ROOT / "docs").parts[0] not in BUILT
    ),
]


def wrong(text):
    """The phrases in a text, each with some words about it."""
    plain = " ".join(text.split())
    return [plain[max(0, m.start() - 40) : m.end() + 30] for m in WRONG.finditer(plain)]


def docstrings(thing):
    """Of a public object and its public members."""
    yield thing.__doc__ or ""
    if inspect.isclass(thing):
        for name, value in inspect.getmembers_static(thing):
            if not name.startswith("_") and "statfast" in getattr(value, "__module__", "statfast"):
                yield getattr(value, "__doc__", None) or ""


def messages(path):
    """The strings of the exceptions and warnings that a module raises."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Raise) or (
            isinstance(node, ast.Call) and "warn" in ast.unparse(node.func)
        ):
            for part in ast.walk(node):
                if isinstance(part, ast.Constant) and isinstance(part.value, str):
                    yield part.value


def test_phrases_are_few_and_sorted():
    assert 0 < len(PHRASES) <= 80
    assert sorted(set(PHRASES)) == PHRASES


@pytest.mark.parametrize(("name", "thing"), PUBLIC, ids=[name for name, _ in PUBLIC])
def test_docstrings(name, thing):
    assert not [found for text in docstrings(thing) for found in wrong(text)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_pages(page):
    assert not wrong(page.read_text("utf-8"))


def test_messages():
    found = {
        str(path.relative_to(SOURCE)): faults
        for path in sorted(SOURCE.rglob("*.py"))
        if (faults := [fault for text in messages(path) for fault in wrong(text)])
    }
    assert not found


def test_a_phrase_is_found_across_lines():
    assert wrong("until the centers come\n    to rest")
    assert not wrong("rest")
