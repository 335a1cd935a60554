# SPDX-License-Identifier: BSD-3-Clause
"""Imports from scikit-learn's modules: each public name is here, or says what to use."""

import ast
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import statfast
from statfast._scikit_learn import ABSENT
from tests.peers import scikit_learn_page

pytest.importorskip("sklearn")

# Modules whose names are for users of estimators; sklearn.utils is for those who write them.
MODULES = sorted({
    *statfast._MODULES_OF_SCIKIT_LEARN,
    "calibration", "cluster", "datasets", "decomposition", "ensemble",
    "feature_extraction.image", "feature_extraction.text", "feature_selection", "inspection",
    "metrics", "metrics.cluster", "metrics.pairwise", "mixture", "model_selection",
    "multiclass", "multioutput", "neighbors", "pipeline", "preprocessing", "svm", "tree",
})  # fmt: skip


def names_of(module):
    """Public names of one of scikit-learn's modules, without those it imports from others."""
    scikit_learn_page.enable_experiments()
    theirs = import_module(f"sklearn.{module}")
    listed = getattr(theirs, "__all__", None)
    if listed is None:
        homes = {name: getattr(getattr(theirs, name), "__module__", "") for name in dir(theirs)}
        listed = [
            name for name, home in homes.items()
            if name[0] != "_" and home.startswith(f"sklearn.{module}")
        ]  # fmt: skip
    return listed


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("module", MODULES)
def test_each_name_is_here_or_says_what_to_use(module):
    ours, absent = import_module(f"statfast.{module}"), set()
    for name in names_of(module):
        if not hasattr(ours, name):
            sentence = rf"^statfast\.{module} has no {name}: .*\.$"
            with pytest.raises(AttributeError, match=sentence):
                getattr(ours, name)
            with pytest.raises(ImportError, match=sentence):
                exec(f"from statfast.{module} import {name}", {})
            absent.add(name)
    assert absent == set(ABSENT.get(module, ())), "of the table and of scikit-learn"


def test_all_modules_of_scikit_learn_are_here():
    import sklearn

    folder = Path(sklearn.__file__).parent
    theirs = {path.stem for path in folder.iterdir() if path.suffix == ".py" or path.is_dir()}
    theirs = {name for name in theirs if name[0] not in "_." and name not in {
        "callback", "conftest", "experimental", "externals", "tests", "utils",
    }}  # fmt: skip
    assert theirs - {module.split(".")[0] for module in MODULES} == set()
    assert set(ABSENT) <= set(MODULES)


def test_a_name_is_the_object_that_a_family_has():
    for module in statfast._MODULES_OF_SCIKIT_LEARN:
        loaded = import_module(f"statfast.{module}")
        for name in loaded.__all__:
            thing = getattr(loaded, name)
            if module != "feature_extraction" and name in statfast.__all__:
                assert thing is getattr(statfast, name)


def test_names_that_scikit_learn_does_not_have_are_attribute_errors():
    for module in ("statfast.linear_model", "statfast.cluster", "statfast.manifold"):
        assert not hasattr(import_module(module), "NoSuchName")
    with pytest.raises(ImportError, match="cannot import name 'NoSuchName'"):
        from statfast.cluster import NoSuchName  # noqa: F401


def test_whether_a_name_is_here_may_be_asked():
    for module in (statfast, statfast.linear_model, import_module("statfast.cluster")):
        assert not hasattr(module, "SGDClassifier")
        assert not hasattr(module, "SpectralClustering")
        assert getattr(module, "Birch", None) is None


def test_the_flat_namespace_says_what_to_use_too():
    with pytest.raises(AttributeError, match=r"no SGDClassifier: use LogisticRegression"):
        statfast.SGDClassifier  # noqa: B018
    with pytest.raises(ImportError, match=r"no SGDClassifier: use LogisticRegression"):
        from statfast import SGDClassifier  # noqa: F401


def test_importing_the_package_loads_none_of_them():
    code = (
        "import statfast, sys; statfast.linear_model.Ridge; statfast.feature_extraction.text;"
        "print('sklearn' in sys.modules, statfast.linear_model.__name__)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "statfast.linear_model"]


def test_advice_names_what_is_here():
    """Words in capitals that look like classes, and functions behind ``statfast.``."""
    for module, names in ABSENT.items():
        for name, advice in names.items():
            for word in re.findall(r"\b(?:use|or) ([A-Z]\w+)", advice):
                assert hasattr(statfast, word), (module, name, advice)
            for path in re.findall(r"statfast\.([\w.]+\w)", advice):
                thing = statfast
                for part in path.split("."):
                    thing = getattr(thing, part)


def test_the_files_say_no_more_than_their_families():
    """Files of names hold imports and no code of their own."""
    for module in statfast._MODULES_OF_SCIKIT_LEARN:
        path = Path(import_module(f"statfast.{module}").__file__)
        kinds = {type(node) for node in ast.parse(path.read_text("utf-8")).body}
        assert kinds <= {ast.Expr, ast.ImportFrom, ast.Assign, ast.AnnAssign}, path.name


def test_lists_of_estimators_are_those_of_the_code():
    _, text, _ = scikit_learn_page.parts_of_page()
    assert text.strip() == scikit_learn_page.lists().strip(), (
        "run python -m tests.peers.scikit_learn_page"
    )
