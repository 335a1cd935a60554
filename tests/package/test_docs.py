# SPDX-License-Identifier: BSD-3-Clause
"""The documentation is complete, agrees with the code, and its examples run.

Every public name has a numpydoc docstring whose parameters are those of the signature; the examples
of the modules, of README.md and of docs/ give what they show; files begin by saying what is in
them, and pages name files that exist.
"""

import ast
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
from statfast._estimator import Estimator

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "statfast"
SHOWN = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
ESTIMATOR_SECTIONS = ["Attributes", "Notes", "References"]


# ------------------------------------------------------------------ reading a docstring
def sections(docstring):
    """Title -> lines of each underlined section of a docstring; "" is what precedes them."""
    content, title = {"": []}, ""
    lines = inspect.cleandoc(docstring or "").splitlines()
    for line, below in pairwise([*lines, ""]):
        if line and set(below) == {"-"} and len(below) == len(line):
            title = line
            content[title] = []
        elif not (line and set(line) == {"-"}):
            content[title].append(line)
    return content


def described(lines):
    """The names that a Parameters or Attributes section describes, in order."""
    heads = [line.split(" : ")[0] for line in lines if line and not line.startswith(" ")]
    return [name.strip(" *") for head in heads for name in head.split(",")]


def signature_names(thing):
    names = inspect.signature(thing).parameters
    return [name for name in names if name not in ("self", "cls")]


def defaults(lines):
    """The defaults that a Parameters section states, as they are written, by name."""
    stated_defaults = {}
    for line in lines:
        if " : " in line and not line.startswith(" "):
            names = [name.strip(" *") for name in line.split(" : ")[0].split(",")]
        if stated := re.search(r"\b(?:default=|Default (?=[\"\d]))(.+?)\.?$", line):
            stated_defaults |= dict.fromkeys(names, stated[1])
    return stated_defaults


POINTER = re.compile(
    r"((all|both|the last \w+|all others) )?as (in|of|for|there|above)\b|see `", re.IGNORECASE
)


def texts(lines):
    """The text below each entry of a Parameters or Attributes section, by the entry's head."""
    described_texts, head = {}, None
    for line in lines:
        if line and not line.startswith(" "):
            head = line
            described_texts[head] = ""
        elif head is not None:
            described_texts[head] = f"{described_texts[head]} {line.strip()}".strip()
    return described_texts


def text_faults(name, content):
    """Each page stands alone: every parameter has a text, which does not send elsewhere."""
    for title in ("Parameters", "Attributes"):
        for head, text in texts(content.get(title, [])).items():
            if not text:
                yield f"{name}: {head} has no text"
            elif POINTER.match(text):
                yield f"{name}: {head} is explained elsewhere: {text}"


def signature_faults(name, thing, content):
    wanted = signature_names(thing)
    if wanted and "Parameters" not in content:
        yield f"{name}: no Parameters section"
    elif wanted != (documented := described(content.get("Parameters", []))):
        yield f"{name}: Parameters describes {documented}, the signature has {wanted}"
    stated = defaults(content.get("Parameters", []))
    for parameter in inspect.signature(thing).parameters.values():
        written = stated.get(parameter.name)
        if isinstance(parameter.default, int | float | str) and (
            written != str(parameter.default)
            and (written is None or ast.literal_eval(written) != parameter.default)
        ):
            yield f"{name}: {parameter.name} is {parameter.default!r} by default, not {written}"


def function_faults(name, function):
    """Sentences on what the docstring of a function or method lacks."""
    content = sections(function.__doc__)
    if not any(content[""]):
        yield f"{name}: no docstring"
        return
    yield from signature_faults(name, function, content)
    yield from text_faults(name, content)
    gives_none = inspect.signature(function).return_annotation in (None, "None")
    if not (gives_none or {"Returns", "Yields"} & set(content)):
        yield f"{name}: no Returns section"


def class_faults(name, kind):
    """The same for a class and its public methods."""
    content = sections(kind.__doc__)
    if not any(content[""]):
        yield f"{name}: no docstring"
        return
    if "Examples" not in content:
        yield f"{name}: no Examples section"
    if issubclass(kind, BaseException):
        return
    if is_dataclass(kind) or hasattr(
        kind, "_fields"
    ):  # a record: its attributes are its parameters
        content["Parameters"] = content.get("Attributes", [])
    yield from signature_faults(name, kind, content)
    yield from text_faults(name, content)
    needed = ESTIMATOR_SECTIONS if hasattr(kind, "fit") else []
    if not fitted_attributes(kind):
        needed = [title for title in needed if title != "Attributes"]
    yield from (f"{name}: no {title} section" for title in needed if title not in content)
    for method, value in inspect.getmembers(kind, inspect.isfunction):
        if not method.startswith("_") and value.__module__.startswith("statfast"):
            yield from function_faults(f"{name}.{method}", value)


def fitted_attributes(kind):
    """The public attributes that a class and its bases, `Estimator` aside, have once fitted."""
    return {
        name
        for each in kind.__mro__
        if Estimator in each.__mro__ and each is not Estimator
        for name in vars(each).get("__annotations__", ())
        if name.endswith("_") and not name.startswith("_")
    }


# ------------------------------------------------------------------ what is public
def modules():
    """The dotted name of every Python module of the package, imported or not."""
    waiting = [("statfast", Path(statfast.__file__).parent)]
    while waiting:
        package, folder = waiting.pop()
        yield package
        for module in pkgutil.iter_modules([str(folder)]):
            name = f"{package}.{module.name}"
            if name == "statfast._core":  # kernels: `SOURCES` has what they are made of
                continue
            if module.ispkg:
                waiting.append((name, folder / module.name))
            else:
                yield name


def is_private(module):
    return any(part.startswith("_") for part in module.split("."))


def public():
    """Name -> object for all that the flat namespace and the families offer, each object once."""
    things = {}
    for module in sorted(modules()):
        if is_private(module) or module.count(".") > 1:
            continue
        offered = importlib.import_module(module)
        for name in getattr(offered, "__all__", ()):
            thing = getattr(offered, name)
            if not inspect.ismodule(thing) and callable(thing):
                known = things.setdefault(id(thing), (f"{module}.{name}", thing))[0]
                if known.count(".") > 1 and thing.__module__.startswith(f"{module}."):
                    things[id(thing)] = (f"{module}.{name}", thing)  # where it is made
    return list(things.values())


PUBLIC = public()


@pytest.mark.parametrize(("name", "thing"), PUBLIC, ids=[name for name, _ in PUBLIC])
def test_public_name_is_documented(name, thing):
    faults = class_faults if inspect.isclass(thing) else function_faults
    assert not (found := list(faults(name, thing))), "\n".join(found)


LICENSE = re.compile(r"(#|/\*) SPDX-License-Identifier: .*\n(# build: glue\n)?")
SAYS = re.compile(r'("""|/\* )\S')  # a docstring or a comment
SUFFIXES = {".py", ".pyx", ".pxd", ".h", ".c"}
SOURCES = sorted(
    path for path in SOURCE.rglob("*") if path.suffix in SUFFIXES and path.stat().st_size
)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_file_says_what_it_is(path):
    text = path.read_text("utf-8")
    assert SAYS.match(text, LICENSE.match(text).end()), f"{path.name} does not begin with a comment"


def test_reference_lists_every_public_name():
    """Each on one of the pages, all of which are reached."""
    index = (ROOT / "docs" / "reference.rst").read_text("utf-8")
    pages = sorted((ROOT / "docs" / "reference").glob("*.rst"))
    reached = re.findall(r"^   reference/(\w+)$", index, re.MULTILINE)
    assert sorted(reached) == [page.stem for page in pages]
    entry = re.compile(r"^   ([\w.]+)$", re.MULTILINE)
    listed = [name for page in pages for name in entry.findall(page.read_text("utf-8"))]
    assert not {name.removeprefix("statfast.") for name, _ in PUBLIC} - set(listed)
    assert len(listed) == len(set(listed))


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
    if module.endswith(".formula"):
        pytest.importorskip("formulaic")
    loaded = importlib.import_module(module)
    tests = doctest.DocTestFinder(exclude_empty=True).find(loaded, module)
    assert not (failures := "".join(run_examples(test) for test in tests)), failures


LOADERS = [name for name, thing in PUBLIC if "+SKIP" in (thing.__doc__ or "")]


@pytest.mark.parametrize("name", LOADERS)
def test_examples_of_data_that_are_not_shipped_run(name):
    """They are skipped where the data are not at hand: here, if they are."""
    loader = dict(PUBLIC)[name]
    try:
        loader()
    except FileNotFoundError as error:
        pytest.skip(str(error))
    text = loader.__doc__.replace("# doctest: +SKIP", "")
    test = doctest.DocTestParser().get_doctest(text, {}, name, None, None)
    assert not (failures := run_examples(test)), failures


ZERO_WITH_SIGN = re.compile(r"(?<![\d.e])-0\.?0*(?![\d.])")


def signed_zeros(text):
    """Answers of examples that show minus zero, whose sign another processor may not give."""
    examples = doctest.DocTestParser().get_examples(text)
    return [one.source for one in examples if ZERO_WITH_SIGN.search(one.want)]


def test_no_example_shows_the_sign_of_zero():
    assert signed_zeros(">>> x.round(1)\narray([-0. ,  1.5])\n")
    assert not signed_zeros(">>> x.round(1)\narray([-0.5,  0. ])\n")
    sources = [path.read_text("utf-8") for path in SOURCE.rglob("*.py")]
    pages = [path.read_text("utf-8") for path in PAGES if path.exists()]
    docs = [ast.get_docstring(node, clean=True) or "" for text in sources for node in nodes(text)]
    found = [source for text in (*docs, *pages) if ">>>" in text for source in signed_zeros(text)]
    assert not found, found


def nodes(text):
    """What of a module may have a docstring."""
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef)
    return (node for node in ast.walk(ast.parse(text)) if isinstance(node, kinds))


BUILT = {"_build", "examples", "generated"}  # by Sphinx
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md")),
    *(
        page
        for page in sorted((ROOT / "docs").rglob("*.rst"))
        if page.relative_to(ROOT / "docs").parts[0] not in BUILT
    ),
]
CODE = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize(
    "page", [page for page in PAGES if page.exists()], ids=lambda page: str(page.relative_to(ROOT))
)
def test_page_examples_run(page, monkeypatch, tmp_path):
    """All examples of a page run in order, in one namespace and an empty folder."""
    monkeypatch.chdir(tmp_path)
    text, namespace = page.read_text("utf-8"), {}
    if "from_formula(" in text:
        pytest.importorskip("formulaic")
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


SUFFIX = r"\.(?:pyx|pxd|py|c|h)\b"
IN_PAGES = re.compile(rf"(?<=`)(?:[\w.*-]+/)*[\w*-]+{SUFFIX}(?=`)")
IN_SOURCE = re.compile(rf"\b(?:\w+/)+\w+{SUFFIX}")  # a name without a folder may be a variable's
PLACES = [
    ROOT,
    ROOT / "src",
    SOURCE,
    SOURCE / "_core",
    ROOT / "tests" / "package",
]  # what paths may be relative to
EXAMPLES = re.compile(r"\bthing|\bfamily\b")  # of names, in recipes


def missing_files(text, pattern):
    """Files that a page or a comment names and that do not exist."""
    named = {name for name in pattern.findall(text) if not EXAMPLES.search(name)}
    return [name for name in named if not any(list(place.glob(name)) for place in PLACES)]


@pytest.mark.parametrize(
    "page",
    [page for page in [*PAGES, ROOT / "benchmarks" / "README.md"] if page.exists()],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_page_names_files_that_exist(page):
    assert not missing_files(page.read_text("utf-8"), IN_PAGES)


def test_source_names_files_that_exist():
    missing = {path.name: missing_files(path.read_text("utf-8"), IN_SOURCE) for path in SOURCES}
    assert not {name: found for name, found in missing.items() if found}


def test_missing_files_are_found():
    page = "`docs/conf.py`, ``tile/table.h``, `simd/vec_*.h`, `no/such.py`, `family/thing.py`"
    assert missing_files(page, IN_PAGES) == ["no/such.py"]
    assert missing_files("/* See tile/table.h and tile/tale.h. */", IN_SOURCE) == ["tile/tale.h"]


def test_contributing_is_short():
    assert len((ROOT / "CONTRIBUTING.md").read_text("utf-8").splitlines()) <= 200


def test_readme_is_short():
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 150


def test_readme_shows_an_example():
    assert CODE.search((ROOT / "README.md").read_text("utf-8"))


# ------------------------------------------------------------------ the checks themselves
def well_documented(rows, k=1):
    """Do it.

    Parameters
    ----------
    rows, k : int, default=1
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


def forgets_a_change(rows, k=2, unit="m"):
    """Do it.

    Parameters
    ----------
    rows : int
        A number.
    k : int, default=1
        Another.
    unit : str, default="m"
        Of both.

    Returns
    -------
    int
    """


def points_to_another(rows, k):
    """Do it.

    Parameters
    ----------
    rows : int
    k : int
        As in `well_documented`.

    Returns
    -------
    int
    """


def forgets_everything(rows):
    """Do it."""


def test_docstring_check_works():
    assert not list(function_faults("f", well_documented))
    assert list(function_faults("f", forgets_a_parameter)) == [
        "f: Parameters describes ['rows'], the signature has ['rows', 'k']",
        "f: k is 1 by default, not None",
    ]
    assert list(function_faults("f", forgets_a_change)) == ["f: k is 2 by default, not 1"]
    assert list(function_faults("f", points_to_another)) == [
        "f: rows : int has no text",
        "f: k : int is explained elsewhere: As in `well_documented`.",
    ]
    assert len(list(function_faults("f", forgets_everything))) == 2
    assert list(function_faults("f", lambda: None)) == ["f: no docstring"]


def test_example_check_works():
    wrong = doctest.DocTestParser().get_doctest(">>> 1 + 1\n3\n", {}, "wrong", None, 0)
    assert "Got:\n    2" in run_examples(wrong)
