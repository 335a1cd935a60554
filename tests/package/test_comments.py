# SPDX-License-Identifier: BSD-3-Clause
"""What comments and docstrings name in backquotes exists: code that goes takes its name along.

A name that a kernel's comments mention must stand in the code of its folder of ``_core`` or of one
that it may use; one that others mention, anywhere in the source.
"""

import builtins
import keyword
import re
from collections import defaultdict
from pathlib import Path

import pytest

from tests.package.test_layers import CORE_BUILT_ON, CORE_SHARED

SOURCE = Path(__file__).resolve().parents[2] / "src" / "statfast"
CORE = SOURCE / "_core"
C_SUFFIXES = {".c", ".h"}
FILES = sorted(
    path for path in SOURCE.rglob("*") if path.suffix in C_SUFFIXES | {".py", ".pyx", ".pxd"}
)
FOREIGN = {  # functions and fields of R, LAPACK, SRILM and of compilers; columns of examples
    "anova.negbin", "bs", "bw.nrd", "bw.nrd0", "clusGap", "clusinfo", "confint", "cptable", "gecon",
    "hatvalues", "interface", "ldet", "lm", "MASS", "maxSE", "na.omit", "name_category", "plogis",
    "plot.lm", "plotcp", "ppl", "ppl1", "prcomp", "princomp", "scaling", "sdev", "sklearn.clone",
    "test_NAME", "trcon",
}  # fmt: skip

WORD = r"[A-Za-z_]\w*"
# A name in backquotes, but not of a role of the documentation, as in :func:`name`.
QUOTED = re.compile(
    rf"(?<![`:])``?({WORD}(?:\.{WORD})*)(?:\([^`\n]*\))?``?(?!`)"
)  # no :role:`name`
STRING_OR_COMMENT = re.compile(
    r'"""(?:.*?)"""|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|\#[^\n]*', re.DOTALL
)
VERBATIM_C = re.compile(r'extern from \*:\s*"""(.*?)"""', re.DOTALL)


def prose_and_code(text, suffix):
    """Comments and docstrings of a file, and what is left of it."""
    if suffix in C_SUFFIXES:
        comment = re.compile(r"/\*.*?\*/", re.DOTALL)
        return "\n".join(comment.findall(text)), comment.sub(" ", text)
    prose = []

    def take_out(match):
        if match[0].startswith(('"""', "#")):
            prose.append(match[0])
            return " "
        return match[0]

    code = STRING_OR_COMMENT.sub(take_out, text)
    return "\n".join(prose), code + "\n".join(VERBATIM_C.findall(text))


def scope_of(path):
    """What the names of a file are looked for in: a folder of kernels, or all of the source."""
    return path.relative_to(CORE).parts[0] if path.is_relative_to(CORE) else "statfast"


PROSE, NAMES = {}, defaultdict(set)
for path in FILES:
    PROSE[path], code = prose_and_code(path.read_text("utf-8"), path.suffix)
    for scope in {scope_of(path), "statfast"}:
        NAMES[scope] |= {*re.findall(WORD, code), *path.relative_to(SOURCE).with_suffix("").parts}
NAMES["statfast"] |= {*dir(builtins), *keyword.kwlist, *FOREIGN}


def unknown_names(prose, scope):
    """The names in backquotes that nothing in a scope has; a name of one letter is mathematics."""
    known = set(FOREIGN)
    for place in {scope} if scope == "statfast" else {scope} | CORE_SHARED:
        known |= NAMES[place]
    for place in CORE_BUILT_ON.get(scope, ()):
        known |= NAMES[place]
    for name in QUOTED.findall(prose):
        last = name.split(".")[-1]
        a_parameter = "__" in last.strip("_")  # as name__parameter of a nested estimator
        if len(last) > 1 and not a_parameter and not {name, last} & known:
            yield name


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_what_comments_name_exists(path):
    assert not sorted(set(unknown_names(PROSE[path], scope_of(path))))


def test_names_that_are_gone_are_found():
    text = (
        '"""As `gone_before` and ``lloyd.gone_away(x)``, see :func:`gone_far`; `k` is `range`."""\n'
    )
    prose, code = prose_and_code(text + "gone = 'a # b'  # as `gone_too`\n", ".py")
    assert "gone_before" not in code
    assert list(unknown_names(prose, "statfast")) == ["gone_before", "lloyd.gone_away", "gone_too"]
    prose, code = prose_and_code("/* As `sift` does. */\nint gone;", ".h")
    assert list(unknown_names(prose, "kmeans")) == ["sift"]
    assert code.split() == ["int", "gone;"]
