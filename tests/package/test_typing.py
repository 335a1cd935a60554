# SPDX-License-Identifier: BSD-3-Clause
"""Everything public is annotated, and a user's script passes mypy in its strict mode."""

import ast
import inspect
import os
import re
import subprocess
import sys
import tomllib
from functools import cached_property
from pathlib import Path

import pytest

import statfast
from statfast._estimator import Estimator
from tests.fuzz import surface
from tests.package.test_layers import PYTHON, ROOT, module_name

RIGHT = """
from typing import Any, assert_type

import numpy as np
from numpy.typing import NDArray

import statfast
from statfast import KMeans, LogisticRegression, StandardScaler, linkage
from statfast.datasets import Dataset, load_digits, load_iris
from statfast.metrics import accuracy_score, roc_curve
from statfast.neighbors import KNeighborsClassifier
from statfast.plot import Display

X: NDArray[np.float64] = np.random.default_rng(0).normal(size=(30, 3))
y = ["a", "b", "c"] * 10

model = assert_type(LogisticRegression(C=1.0).fit(X, y), LogisticRegression)
model.fit(X.tolist(), y, sample_weight=[1.0] * 30)
said = model.predict(X)
print(said.shape, accuracy_score(y, said) > 0.5, model.coef_.round(2), model.summary())
centers = KMeans(3, init="k-means++", random_state=np.random.default_rng(1)).fit(X).cluster_centers_
assert_type(KMeans(3).fit(X).labels_, NDArray[Any])
fpr, tpr, thresholds = roc_curve([0, 1] * 15, X[:, 0])
shown: Display = statfast.plot.dendrogram(linkage(X, "ward"))
scaled = StandardScaler().fit_transform(X)
KNeighborsClassifier(n_neighbors=3).set_params(n_neighbors=2).fit(scaled, y)
print(load_iris().data.mean(axis=0), statfast.__version__)
assert_type(load_iris(), Dataset)
assert_type(load_digits(n_class=3, as_frame=True), Dataset)
assert_type(load_iris(return_X_y=True), tuple[NDArray[Any], NDArray[Any]])
"""

WRONG = """
from statfast import KMeans
from statfast.datasets import load_iris
KMeans(n_clusters="three")
KMeans(algorithm="fastest")
KMeans().fit()
KMeans().fit([[0.0], [1.0]]).predict()
KMeans().fitt([[0.0], [1.0]])
KMeans().fit([[0.0], [1.0]]).label_
load_iris().targets
"""


def owners(thing):
    """A public class and its bases of ours, or a function."""
    if not inspect.isclass(thing):
        return [(thing.__name__, thing)] if callable(thing) else []
    found = []
    for base in thing.__mro__:
        if base.__module__.startswith("statfast"):
            found += [(f"{base.__name__}.{name}", value) for name, value in vars(base).items()]
    return found


def functions(thing):
    """The functions of ours behind it, as (name, function)."""
    for name, value in owners(thing):
        last = name.rpartition(".")[2]
        if last.startswith("_") and last not in ("__init__", "__call__"):
            continue
        if re.fullmatch(r"set_\w+_request", last):  # made for each class, for scikit-learn alone
            continue
        if isinstance(value, property):
            value = value.fget
        elif isinstance(value, cached_property):
            value = value.func
        elif isinstance(value, staticmethod | classmethod):
            value = value.__func__
        elif type(value).__module__.startswith("statfast") and not inspect.isclass(value):
            behind = [each for each in vars(value).values() if inspect.isfunction(each)]
            value = behind[0] if behind else None
        value = inspect.unwrap(value) if callable(value) else value
        if not inspect.isfunction(value) or not value.__module__.startswith("statfast"):
            continue
        if Path(value.__code__.co_filename).suffix == ".py":  # not made by dataclass
            yield name, value


def unannotated(function):
    """What it lacks."""
    signature = inspect.signature(function)
    for number, (name, parameter) in enumerate(signature.parameters.items()):
        bound = number == 0 and name in ("self", "cls")
        annotated = name in function.__annotations__  # signatures show less of constructors
        if not annotated and parameter.annotation is inspect.Parameter.empty and not bound:
            yield name
    made = "__signature__" in vars(function)
    if signature.return_annotation is inspect.Signature.empty and not made:
        yield "the result"


NAMES = [name for name in dir(statfast) if not name.startswith("_")]  # not kernels once loaded
HOMES = [statfast, *(getattr(statfast, name) for name in NAMES)]
PUBLIC = sorted(
    {(name, home) for home in HOMES if inspect.ismodule(home) for name in home.__all__},
    key=lambda pair: (pair[0], pair[1].__name__),
)


def test_all_that_is_public_is_annotated():
    lacking, seen = set(), set()
    for public, home in PUBLIC:
        for name, function in functions(getattr(home, public)):
            seen.add(function)
            for what in unannotated(function):
                lacking.add(f"{function.__module__}: {name} has no type for {what}")
    assert len(seen) > 700
    assert not lacking, "\n".join(sorted(lacking))


def test_signatures_say_types_by_their_names():
    long = set()
    for public, home in PUBLIC:
        for name, function in functions(getattr(home, public)):
            for parameter in inspect.signature(function).parameters.values():
                if len(str(parameter.annotation)) > 100:
                    long.add(f"{function.__module__}: {name} has {parameter}")
    assert not long, "\n".join(sorted(long))


def unannotated_functions(text):
    """(class or None, function) of all that lack a type, as mypy sees them."""

    def visit(node, home):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef):
                spec = child.args
                arguments = [*spec.posonlyargs, *spec.args, *spec.kwonlyargs]
                arguments += filter(None, (spec.vararg, spec.kwarg))
                bound = {"self", "cls"} if home else set()
                lacking = [a.arg for a in arguments if a.annotation is None and a.arg not in bound]
                plain = child.name == "__init__" and arguments and not spec.args[1:]
                if lacking or (child.returns is None and not plain):
                    yield home, child.name
            yield from visit(child, child.name if isinstance(child, ast.ClassDef) else home)

    yield from visit(ast.parse(text), None)


def test_every_method_of_an_estimator_is_annotated():
    """Private ones, too, and those of its bases and mixins: so that mypy checks them."""
    estimators = [thing.call for thing in surface.public().values() if thing.is_class]
    classes = {
        (base.__module__, base.__name__)
        for estimator in estimators
        if issubclass(estimator, Estimator)
        for base in estimator.__mro__
        if base.__module__.startswith("statfast")
    }
    assert len(classes) > 120
    lacking = [
        f"{module_name(path)}: {home}.{name}"
        for path in PYTHON
        for home, name in unannotated_functions(path.read_text("utf-8"))
        if (module_name(path), home) in classes
    ]
    assert not lacking, lacking


def test_modules_that_are_exempt_from_annotations():
    """The list of pyproject.toml names modules that still need it, and only those."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["mypy"]
    assert settings["disallow_untyped_defs"]
    assert settings["disallow_incomplete_defs"]
    exempt = [rule for rule in settings["overrides"] if rule.get("disallow_untyped_defs") is False]
    needed = {
        module_name(path) for path in PYTHON if any(unannotated_functions(path.read_text("utf-8")))
    }
    assert {name for rule in exempt for name in rule["module"]} == needed


def test_fitted_attributes_are_known_to_type_checkers():
    """Each that a docstring describes is declared, a property, or set by a constructor."""
    unknown = [
        f"{name}.{attribute}"
        for name, thing in surface.public().items()
        if thing.is_class and issubclass(thing.call, Estimator)
        for attribute in surface.attributes(thing.call)
        if not hasattr(thing.call, attribute)
        and not any(attribute in inspect.get_annotations(base) for base in thing.call.__mro__)
    ]
    assert unknown == []


@pytest.fixture(scope="module")
def messages(tmp_path_factory):
    """What mypy says of two scripts, as users run it: with the package, but not its settings."""
    pytest.importorskip("mypy")
    folder = tmp_path_factory.mktemp("scripts")
    (folder / "right.py").write_text(RIGHT)
    (folder / "wrong.py").write_text(WRONG)
    home = str(Path(statfast.__file__).parent.parent)
    where = {} if "site-packages" in home else {"MYPYPATH": home}
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "right.py", "wrong.py"],
        cwd=folder, env={**os.environ, **where}, capture_output=True, text=True,
    )  # fmt: skip
    return done.stdout.splitlines()


def test_a_script_passes_in_strict_mode(messages):
    assert messages[-1].endswith("in 1 file (checked 2 source files)")
    assert not [line for line in messages if line.startswith("right.py")]


@pytest.mark.parametrize("line", range(4, 11))
def test_a_wrong_call_is_found(messages, line):
    assert [text for text in messages if text.startswith(f"wrong.py:{line}: error:")]
