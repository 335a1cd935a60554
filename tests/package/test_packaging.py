# SPDX-License-Identifier: BSD-3-Clause
"""The files around the package agree with it and with each other."""

import importlib.util
import json
import re
import tomllib
import zipfile
from pathlib import Path

import pytest

import statfast

ROOT = Path(__file__).resolve().parents[2]
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


def script(name):
    """A module of ``.ci``."""
    spec = importlib.util.spec_from_file_location(name, ROOT / ".ci" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


needs_scripts = pytest.mark.skipif(not (ROOT / ".ci").exists(), reason="a source distribution")


@needs_scripts
def test_support_page_says_what_the_runs_have_left():
    record = script("record")
    assert record.PAGE.read_text("utf-8") == record.page(), "run python .ci/record.py"
    names = [name for name, *_ in record.CLAIMS]
    assert {file.stem for file in record.RUNS.glob("*.json")} <= set(names)


@needs_scripts
def test_every_session_and_workflow_of_a_claim_is_there():
    sessions = (ROOT / "noxfile.py").read_text("utf-8")
    for _, _, how in script("record").CLAIMS:
        if how.endswith(".yml"):
            assert (ROOT / ".github/workflows" / how).exists()
        else:
            assert f"def {how.removeprefix('nox -s ')}(" in sessions


@needs_scripts
def test_versions_of_scikit_learn_that_are_converted_are_those_of_the_runs():
    """The session of nox, the table of runs, and the page of the converters name the same."""
    listed = re.search(r"^CONVERTED = (\[.+?\])", (ROOT / "noxfile.py").read_text("utf-8"), re.M)
    versions = json.loads(listed[1])
    minors = [version.rpartition(".")[0] for version in versions]
    record = script("record")
    claims = [name for name, _, how in record.CLAIMS if how == "nox -s converters"]
    assert claims == [f"scikit-learn-{minor}" for minor in minors]
    page = (ROOT / "docs/howto/models_in_and_out.rst").read_text("utf-8")
    told = re.search(r"Tested with scikit-learn ([\d.]+), .* to ([\d.]+):", page)
    assert told.groups() == (versions[0], minors[-1])
    for name, minor in zip(claims, minors, strict=True):
        run = json.loads((record.RUNS / f"{name}.json").read_text("utf-8"))
        assert run["passed"], f"{name}: nox -s converters"
        assert run["versions"]["scikit-learn"].startswith(f"{minor}.")


@needs_scripts
def test_actions_are_pinned_by_hash_and_jobs_say_what_they_may():
    files = sorted((ROOT / ".github/workflows").glob("*.yml"))
    assert files
    for file in files:
        text = file.read_text("utf-8")
        assert "\npermissions: {}\n" in text
        for line in re.findall(r"uses: (.+)", text):
            assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v\d+(\.\d+)*", line), line
        jobs = re.split(r"\n  (?=\w+:(?: #.*)?\n)", text.split("\njobs:\n")[1])
        assert all("    permissions:\n" in job for job in jobs)


@needs_scripts
def test_wheels_are_looked_into(tmp_path):
    wheel = script("check_wheel")
    good = {
        "statfast/py.typed": "",
        "statfast/__init__.pyi": "",
        "statfast/datasets/iris.csv.gz": "",
        "statfast/_core/a/b.abi3.so": "",
        "statfast-1.2.dist-info/METADATA": "[site](https://example.org), [above](#install)",
        "statfast-1.2.dist-info/licenses/LICENSE": "",
        "statfast-1.2.dist-info/licenses/src/statfast/datasets/README.md": "",
        "statfast-1.2.dist-info/sboms/statfast.cdx.json": json.dumps(
            {"metadata": {"component": {"version": "1.2"}}}
        ),
    }
    changes = [
        ({}, None),
        ({"statfast/py.typed": None}, "py.typed is missing"),
        ({"statfast/_core/a/b.pyx": ""}, "is a source of kernels"),
        ({"statfast/_core/a/c.cpython-311.so": ""}, "of 2 kinds"),
        ({"statfast-1.2.dist-info/licenses/LICENSE": None}, "license LICENSE is missing"),
        ({"statfast/datasets/iris.csv.gz": None}, "data sets are missing"),
        ({"statfast-1.2.dist-info/sboms/statfast.cdx.json": None}, "materials is expected"),
        ({"statfast-1.2.dist-info/METADATA": None}, "One METADATA is expected; got 0"),
        ({"statfast-1.2.dist-info/METADATA": "[guide](docs/a.rst)"}, "a link (docs/a.rst)"),
    ]
    for number, (change, fault) in enumerate(changes):
        path = tmp_path / f"{number}.whl"
        with zipfile.ZipFile(path, "w") as archive:
            for name, text in (good | change).items():
                if text is not None:
                    archive.writestr(name, text)
        with zipfile.ZipFile(path) as archive:
            faults = list(wheel.faults(archive))
        assert bool(faults) == (fault is not None)
        assert fault is None or any(fault in words for words in faults)
    assert list(wheel.differences(tmp_path / "0.whl", tmp_path / "0.whl")) == []
    assert any("py.typed" in w or "other files" in w for w in wheel.differences(
        tmp_path / "0.whl", tmp_path / "1.whl"))  # fmt: skip
