# SPDX-License-Identifier: BSD-3-Clause
"""Names in backquotes in comments and docstrings are names of things that exist."""

import builtins
import io
import keyword
import re
import tokenize
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[1] / "src" / "statfast"
SUFFIXES = {".py", ".pyx", ".pxd", ".h", ".c"}
IDENTIFIER = r"[A-Za-z_]\w*"
# `name`, `name(...)`, `module.name`, ``name``: one identifier, or several with dots between them.
QUOTED = re.compile(rf"``?({IDENTIFIER}(?:\.{IDENTIFIER})*)(?:\([^`\n]*\))?``?")
PARTS = re.compile(
    r'"""(?P<docstring>.*?)"""|/\*(?P<comment>.*?)\*/|(?<![\w"\'])#(?P<line>[^\n]*)', re.DOTALL
)
