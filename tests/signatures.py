# SPDX-License-Identifier: BSD-3-Clause
"""All that is public, one line each: ``python -m tests.signatures`` writes the list of a release.

A release's list stands in ``tests/released``; ``tests/package/test_signatures.py`` compares what is
there with the last of them. A line has the name, a tab, and each parameter with its default.
"""

import inspect
from pathlib import Path

import statfast

RELEASED = Path(__file__).parent / "released"


def current():
    """Name: parameters, of every public function, class and method of an estimator."""
    lines = {}
    for name in sorted(set(dir(statfast)) & set(statfast.__all__)):
        value = getattr(statfast, name)
        if not callable(value):
            continue
        lines[name] = parameters(value)
        methods = inspect.getmembers(value, inspect.isfunction) if inspect.isclass(value) else []
        for method, function in methods:
            if not method.startswith("_"):
                lines[f"{name}.{method}"] = parameters(function)
    return lines


def parameters(value):
    """Each parameter as ``name``, ``name=default`` or, where it is by keyword alone, ``*name``."""
    try:
        found = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):  # compiled, or without one
        return []
    words = []
    for each in found:
        default = "" if each.default is each.empty else f"={each.default!r}"
        star = {each.KEYWORD_ONLY: "*", each.VAR_POSITIONAL: "*", each.VAR_KEYWORD: "**"}
        words.append(f"{star.get(each.kind, '')}{each.name}{default}")
    return words


def broken(old, new):
    """Pairs (name, sentence) of calls that were right and no longer are, or mean something else."""
    for name, before in old.items():
        if name not in new:
            yield name, f"{name} is gone."
            continue
        after = new[name]
        positional = [word for word in before if not word.startswith("*")]
        for place, word in enumerate(positional):
            same = after[place : place + 1]
            if not same or same[0].partition("=")[0] != word.partition("=")[0]:
                yield name, f"{name} has another parameter than {word} at place {place}."
            elif same[0] != word:
                yield name, f"{name} has {same[0]} where it had {word}."
        plain = {word.lstrip("*") for word in after}
        for word in before:
            if word.startswith("*") and word.lstrip("*") not in plain:
                yield name, f"{name} no longer has {word.lstrip('*')}."
        known = {word.lstrip("*").partition("=")[0] for word in before}
        for word in after:
            if "=" not in word and not word.startswith("**") and word.lstrip("*") not in known:
                yield name, f"{name} asks for {word.lstrip('*')}, which it did not."


def read(file):
    """The list that a file holds."""
    lines = [line.split("\t") for line in file.read_text("utf-8").splitlines()]
    return {name: words for name, *words in lines}


def last_release():
    """The file of the newest release, or None before the first."""
    files = RELEASED.glob("*.tsv")
    return max(files, key=lambda file: [*map(int, file.stem.split("."))], default=None)


if __name__ == "__main__":
    RELEASED.mkdir(exist_ok=True)
    path = RELEASED / f"{statfast.__version__}.tsv"
    path.write_text("".join("\t".join([n, *w]) + "\n" for n, w in current().items()), "utf-8")
    print(path)
