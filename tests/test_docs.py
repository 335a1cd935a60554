# SPDX-License-Identifier: BSD-3-Clause
"""The documentation is complete, agrees with the code, and its examples run.

Every public name has a numpydoc docstring whose parameters are those of the signature; the examples
of the modules, of README.md and of docs/ give what they show.
"""

import doctest
import importlib
import inspect
import pkgutil
import re
from dataclasses import is_dataclass
from itertools import pairwise
from pathlib import Path

import pytest

import statfast

ROOT = Path(__file__).resolve().parents[1]
SHOWN = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
ESTIMATOR_SECTIONS = ["Attributes", "Notes", "References", "Examples"]


# ------------------------------------------------------------------ reading a docstring
def sections(docstring):
    """Title -> lines of each underlined section of a docstring; "" is what precedes them."""
    found, title = {"": []}, ""
    lines = inspect.cleandoc(docstring or "").splitlines()
    for line, below in pairwise([*lines, ""]):
        if line and set(below) == {"-"} and len(below) == len(line):
            title = line
            found[title] = []
        elif not (line and set(line) == {"-"}):
            found[title].append(line)
    return found


def described(lines):
    """The names that a Parameters or Attributes section describes, in order."""
    heads = [line.split(" : ")[0] for line in lines if line and not line.startswith(" ")]
    return [name.strip(" *") for head in heads for name in head.split(",")]


def signature_names(thing):
    names = inspect.signature(thing).parameters
    return [name for name in names if name not in ("self", "cls")]


def signature_faults(name, thing, found):
    wanted = signature_names(thing)
    if wanted and "Parameters" not in found:
        yield f"{name}: no Parameters section"
    elif wanted != (given := described(found.get("Parameters", []))):
        yield f"{name}: Parameters describes {given}, the signature has {wanted}"


def function_faults(name, function):
    """Sentences on what the docstring of a function or method lacks."""
    found = sections(function.__doc__)
    if not any(found[""]):
        yield f"{name}: no docstring"
        return
    yield from signature_faults(name, function, found)
    gives_none = inspect.signature(function).return_annotation in (None, "None")
    if not (gives_none or {"Returns", "Yields"} & set(found)):
        yield f"{name}: no Returns section"


def class_faults(name, kind):
    """The same for a class and its public methods."""
    found = sections(kind.__doc__)
    if not any(found[""]):
        yield f"{name}: no docstring"
        return
    if issubclass(kind, BaseException):
        return
    if is_dataclass(kind) or hasattr(
        kind, "_fields"
    ):  # a record: its attributes are its parameters
        found["Parameters"] = found.get("Attributes", [])
    yield from signature_faults(name, kind, found)
    needed = ESTIMATOR_SECTIONS if hasattr(kind, "fit") else []
    yield from (f"{name}: no {title} section" for title in needed if title not in found)
    for method, value in inspect.getmembers(kind, inspect.isfunction):
        if not method.startswith("_") and value.__module__.startswith("statfast"):
            yield from function_faults(f"{name}.{method}", value)


# ------------------------------------------------------------------ what is public
def modules():
    """The dotted name of every Python module of the package, imported or not."""
    waiting = [("statfast", Path(statfast.__file__).parent)]
    while waiting:
        package, folder = waiting.pop()
        yield package
        for found in pkgutil.iter_modules([str(folder)]):
            if found.ispkg:
                waiting.append((f"{package}.{found.name}", folder / found.name))
            elif package != "statfast._core":
                yield f"{package}.{found.name}"


def is_private(module):
    return any(part.startswith("_") for part in module.split("."))


def public():
    """Name -> object for all that the flat namespace and the families offer, each object once."""
    found = {}
    for module in sorted(modules()):
        if is_private(module) or module.count(".") > 1:
            continue
        offered = importlib.import_module(module)
        for name in getattr(offered, "__all__", ()):
            thing = getattr(offered, name)
            if not inspect.ismodule(thing) and callable(thing):
                found.setdefault(id(thing), (f"{module}.{name}", thing))
    return list(found.values())


PUBLIC = public()


@pytest.mark.parametrize(("name", "thing"), PUBLIC, ids=[name for name, _ in PUBLIC])
def test_public_name_is_documented(name, thing):
    faults = class_faults if inspect.isclass(thing) else function_faults
    assert not (found := list(faults(name, thing))), "\n".join(found)


@pytest.mark.parametrize("module", sorted(modules()))
def test_module_says_what_it_is(module):
    if module != "statfast.__main__":  # importing it runs the tour
        assert importlib.import_module(module).__doc__


def test_reference_lists_every_public_name():
    page = (ROOT / "docs" / "reference.rst").read_text("utf-8")
    listed = set(re.findall(r"^   ([\w.]+)$", page, re.MULTILINE))
    assert not {name.removeprefix("statfast.") for name, _ in PUBLIC} - listed


# ------------------------------------------------------------------ examples
def run_examples(test, **kwargs):
    """Run one doctest; the text of its failures."""
    said = []
    doctest.DocTestRunner(optionflags=SHOWN, verbose=False).run(test, out=said.append, **kwargs)
    return "".join(said)


@pytest.mark.parametrize("module", sorted(set(modules()) - {"statfast.__main__"}))
def test_module_examples_run(module, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    if module.startswith("statfast.plot"):
        pytest.importorskip("matplotlib")
    loaded = importlib.import_module(module)
    tests = doctest.DocTestFinder(exclude_empty=True).find(loaded, module)
    assert not (failures := "".join(run_examples(test) for test in tests)), failures


PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.rst"))]
CODE = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize(
    "page", [page for page in PAGES if page.exists()], ids=lambda page: str(page.relative_to(ROOT))
)
def test_page_examples_run(page, monkeypatch, tmp_path):
    """All examples of a page run in order, in one namespace and an empty folder."""
    monkeypatch.chdir(tmp_path)
    text, namespace = page.read_text("utf-8"), {}
    blocks = CODE.findall(text) if page.suffix == ".md" else [text]
    parse = doctest.DocTestParser().get_doctest
    for number, block in enumerate(blocks):
        if ">>>" in block:
            test = parse(block, namespace, page.name, str(page), number)
            failures = run_examples(test, clear_globs=False)
            assert not failures, failures
            namespace = test.globs
        elif page.suffix == ".md":
            exec(compile(block, f"{page.name}, python block {number}", "exec"), namespace)


ROOMS = re.compile(r"^- `([\w/]+)/`: (.*?\.)$(?! {2})", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"`(\w[\w*]*\.(?:py|pyx|pxd|c|h))`")


def test_contributing_names_the_rooms_there_are():
    rooms = ROOMS.findall((ROOT / "CONTRIBUTING.md").read_text("utf-8"))
    named = [(folder, file) for folder, row in rooms for file in FILE.findall(row)]
    source = ROOT / "src" / "statfast"
    assert named
    assert not [pair for pair in named if not list((source / pair[0]).glob(pair[1]))]


def test_readme_shows_an_example():
    assert CODE.search((ROOT / "README.md").read_text("utf-8"))


# ------------------------------------------------------------------ the checks themselves
def well_documented(rows, k=1):
    """Do it.

    Parameters
    ----------
    rows, k : int
        Two numbers.

    Returns
    -------
    int
    """


def forgets_a_parameter(rows, k=1):
    """Do it.

    Parameters
    ----------
    rows : int
        A number.

    Returns
    -------
    int
    """


def forgets_everything(rows):
    """Do it."""


def test_docstring_check_works():
    assert not list(function_faults("f", well_documented))
    assert list(function_faults("f", forgets_a_parameter)) == [
        "f: Parameters describes ['rows'], the signature has ['rows', 'k']"
    ]
    assert len(list(function_faults("f", forgets_everything))) == 2
    assert list(function_faults("f", lambda: None)) == ["f: no docstring"]


def test_example_check_works():
    wrong = doctest.DocTestParser().get_doctest(">>> 1 + 1\n3\n", {}, "wrong", None, 0)
    assert "Got:\n    2" in run_examples(wrong)
