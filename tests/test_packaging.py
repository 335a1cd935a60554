# SPDX-License-Identifier: BSD-3-Clause
"""The files around the package agree with it and with each other."""

import re
import tomllib
from pathlib import Path

import statfast

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
KINDS = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"]


def test_citation_is_of_this_version():
    cited = re.search(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text("utf-8"), re.MULTILINE)
    assert cited[1] == statfast.__version__


def test_changelog_keeps_its_form():
    """https://keepachangelog.com: versions newest first, and under each the kinds of changes."""
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    versions = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert versions
    for version in versions:
        assert re.fullmatch(r"\[Unreleased\]|\[\d+\.\d+\.\d+\] - \d{4}-\d{2}-\d{2}", version)
    for section in text.split("\n## ")[1:]:
        kinds = re.findall(r"^### (.+)$", section, re.MULTILINE)
        assert kinds == [kind for kind in KINDS if kind in kinds]
        groups = re.findall(r"^#### (.+)$", section, re.MULTILINE)
        assert len(groups) == len(set(groups)), "a group stands twice"


def test_pythons_of_classifiers_start_with_the_oldest():
    project = PROJECT["project"]
    minors = [int(m[1]) for c in project["classifiers"] if (m := re.search(r":: 3\.(\d+)$", c))]
    assert minors == list(range(minors[0], minors[-1] + 1))
    assert project["requires-python"] == f">=3.{minors[0]}"
