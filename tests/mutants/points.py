# SPDX-License-Identifier: BSD-3-Clause
"""Where the source can be changed and how: small semantic changes, one place each.

Python is read by ``ast``, kernels (``.pyx``, ``.pxd``, C headers) by a tokenizer that knows code
from comments and text. Docstrings, annotations, messages, imports, C declarations, loop bounds
(past the end of an array nothing is defined) and constants that say they are about time or memory
alone are left as they are.
"""

import ast
import random
import re
from bisect import bisect
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path

KERNELS = {".pyx", ".pxd", ".h"}
SKIPPED = "__main__.py", "_table.h", "/tables.pxd"  # the tour; declarations
FLIP = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "+": "-", "-": "+",
        "*": "/", "/": "*", "and": "or", "or": "and", "&&": "||", "||": "&&", "gt": "ge",
        "ge": "gt", "min": "max", "max": "min", "is": "is not", "in": "not in",
        "is not": "is", "not in": "in", "True": "False", "False": "True"}  # fmt: skip
OPERATORS = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
    ast.Is: "is", ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in", ast.Add: "+",
    ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.And: "and", ast.Or: "or",
}  # fmt: skip
UNTOUCHED = ast.Raise, ast.JoinedStr, ast.Import, ast.ImportFrom, ast.Assert
CLAMPS = {"min", "max", "minimum", "maximum", "fmin", "fmax"}
PACE = re.compile(
    r"#.*\b(flops?|seconds?|milliseconds?|[KMG]B|bytes|caches?|costs?|time|quicker|faster|tasks?"
    r"|multiplications|threads?|pays?|piece|block|looked at|at a time|in one go|together)\b"
)
SILENT_NAMES = {"warn", "__repr__", "_repr_html_", "checkpoint", "TypeVar", "cast"}
STYLE = {
    "linewidth",
    "linewidths",
    "alpha",
    "fontsize",
    "s",
    "zorder",
    "stacklevel",
    "copy",
    "effort",
}


@dataclass(frozen=True)
class Mutant:
    """One change: characters from `column` on of a line, `old` to `new`; `text` is that line."""

    file: str  # within the package
    line: int  # from 1
    column: int
    old: str
    new: str
    text: str
    inside: str = field(compare=False)  # the function or class

    def __str__(self):
        return f"{self.file}:{self.line}: {self.old} -> {self.new}  in  {self.text.strip()}"

    def applied(self, source):
        """The source with the change."""
        lines = source.splitlines(keepends=True)
        line = lines[self.line - 1]
        if line[self.column : self.column + len(self.old)] != self.old:
            raise ValueError(f"{self.file}:{self.line} is not what it was: {line!r}")
        end = self.column + len(self.old)
        lines[self.line - 1] = line[: self.column] + self.new + line[end:]
        return "".join(lines)


def more(number):
    """Another constant: one more, or twice as much."""
    if number.isdigit():
        return str(int(number) + 1)
    return f"(2 * {number})" if re.search("[1-9]", number.removeprefix("0x")) else "1.0"


# ------------------------------------------------------------------ Python
class Python(ast.NodeVisitor):
    """Changes ``(node or place, old, new)`` of a module, by the places of its syntax tree."""

    def __init__(self, source, style=False):
        self.style = style  # whether numbers are about looks
        self.lines, self.changes, self.path = source.splitlines(), [], []
        self.visit(ast.parse(source))

    def note(self, line, column, old, new):
        if old and self.lines[line - 1][column:].startswith(old):
            self.changes.append((line, column, old, new, ".".join(self.path)))

    def text(self, node):
        """The code of a node on one line."""
        if node.lineno == node.end_lineno:
            raw = self.lines[node.lineno - 1].encode()
            return raw[node.col_offset : node.end_col_offset].decode()

    def replace(self, node, new):
        if (old := self.text(node)) is not None:
            column = len(self.lines[node.lineno - 1].encode()[: node.col_offset].decode())
            self.note(node.lineno, column, old, new(old))

    def between(self, first, second, sign):
        """The operator between two operands of one line."""
        if first.end_lineno != second.lineno:
            return
        raw = self.lines[first.end_lineno - 1].encode()
        gap = raw[first.end_col_offset : second.col_offset].decode()
        if (hit := re.search(rf"(?<![\w<>=!*/]){re.escape(sign)}(?![\w<>=*/])", gap)) is not None:
            before = len(raw[: first.end_col_offset].decode())
            self.note(first.end_lineno, before + hit.start(), sign, FLIP[sign])

    def generic_visit(self, node):
        named = isinstance(node, (ast.FunctionDef, ast.ClassDef))
        called = node.value if isinstance(node, ast.Expr) else node
        name = getattr(getattr(called, "func", called), "id", None) or getattr(node, "name", None)
        if name in SILENT_NAMES or isinstance(node, UNTOUCHED):
            return
        self.path += [node.name] if named else []
        getattr(self, f"on_{type(node).__name__}", lambda node: None)(node)
        for name, value in ast.iter_fields(node):
            if name not in ("annotation", "returns", "decorator_list", "bases", "slice"):
                for child in value if isinstance(value, list) else [value]:
                    if isinstance(child, ast.AST) and getattr(child, "arg", None) not in STYLE:
                        self.visit(child)
        if named:
            self.path.pop()

    def visit_Assign(self, node):
        paced = PACE.search(self.lines[node.lineno - 1]) or "__all__" in self.text(node.targets[0])
        if self.path or not paced:
            self.generic_visit(node)

    def on_Compare(self, node):
        operands = [node.left, *node.comparators]
        for i, operator in enumerate(node.ops):
            self.between(operands[i], operands[i + 1], OPERATORS[type(operator)])

    def on_BinOp(self, node):
        ends = {type(getattr(end, "value", end)) for end in (node.left, node.right)}
        if type(node.op) in OPERATORS and not ends & {str, ast.List, ast.Tuple, ast.JoinedStr}:
            self.between(node.left, node.right, OPERATORS[type(node.op)])

    def on_BoolOp(self, node):
        for left, right in zip(node.values, node.values[1:], strict=False):
            self.between(left, right, OPERATORS[type(node.op)])

    def on_UnaryOp(self, node):
        if isinstance(node.op, ast.Not):
            self.replace(node, lambda old: old.removeprefix("not "))
        if isinstance(node.op, ast.USub) and not isinstance(node.operand, ast.Constant):
            self.replace(node, lambda old: old.removeprefix("-"))

    def on_If(self, node):
        if not isinstance(node.test, (ast.Compare, ast.UnaryOp)):
            self.replace(node.test, lambda old: f"not ({old})")

    on_IfExp = on_While = on_If

    def on_Constant(self, node):
        if isinstance(node.value, (bool, int, float)) and not self.style:
            self.replace(node, lambda old: FLIP.get(old) or more(old.replace("_", "")))

    def on_Call(self, node):
        name = getattr(node.func, "id", getattr(node.func, "attr", None))
        if name in CLAMPS and len(node.args) == 2 and not node.keywords and self.text(node.args[0]):
            self.replace(node, lambda old: self.text(node.args[0]))

    def on_Attribute(self, node):
        if node.attr == "float64":
            self.replace(node, lambda old: old.replace("float64", "float32"))

    def on_AugAssign(self, node):
        self.replace(node, lambda old: "pass")

    def on_Expr(self, node):
        if isinstance(node.value, ast.Call):
            self.replace(node, lambda old: "pass")


# ------------------------------------------------------------------ kernels
BLANK = {
    ".h": r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'",
    ".pyx": r'""".*?"""|#[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'',
}
BLANK[".pxd"] = BLANK[".pyx"]
CAST = re.compile(r"<(?:const |unsigned )*[\w.]+(?:\[[^]]*\])?[ *]*>(?=[\w&(\-])")
NUMBER = r"(?<![\w.)\]\[:])(?:0x[\da-fA-F.]+p[-+]?\d+|\d+\.?\d*(?:e[-+]?\d+)?)(?![\w.\]:])"
CHANGES = (
    (re.compile(r"(?<= )(?:<=|>=|==|!=|<|>|\+|-|\*|/|and|or|&&|\|\|)(?= )"), FLIP.get),
    (re.compile(r"(?<=[_(])(?:gt|ge|min|max)(?=\)?\()"), FLIP.get),
    (re.compile(r"\b(?:min|max)(?=\()|\b(?:True|False)\b"), FLIP.get),
    (re.compile(NUMBER), more),
    (re.compile(r"\bnot (?=[\w(])|(?<=[( ])!(?=[\w(])"), lambda old: ""),
    (re.compile(r"\bdouble(?= \w+ =)"), lambda old: "float"),
)  # fmt: skip
DROPPED = re.compile(r"^ +([\w.\[\]>*+, -]+ (?:[-+*/|&^]|<<|>>)?= [^;{}]*?)(;?)$")
SILENT = re.compile(
    r"^\s*(#(?!define)|(?:UNROLL )?for \(|cdef extern|ctypedef|typedef|from |c?import |extern )"
)


def blanked(source, kind):
    """The source with spaces for comments and text, so that places stay."""

    def blank(hit):
        return re.sub(r"[^\n]", " ", hit[0])

    code = re.sub(BLANK[kind], blank, source, flags=re.DOTALL)
    return code if kind == ".h" else CAST.sub(blank, code)


def kernel(source, kind):
    """The changes of a kernel file, as `Python.found`."""
    inside = ""
    lines = zip(source.splitlines(), blanked(source, kind).splitlines(), strict=True)
    for number, (text, code) in enumerate(lines, 1):
        head = re.match(r"(?:static|cdef|cpdef|def|[A-Za-z]).*?(?:V\()?(\w+)\)?\(", code)
        if head and not code.startswith("#"):
            inside = head[1]
        if SILENT.match(code) or (code[:1].strip() and kind == ".h") or "POSSIBLE" in text:
            continue
        if PACE.search(text) and re.match(r"(DEF|cdef enum|cdef \w+ [A-Z_]+ =|[A-Z_]+ =)", code):
            continue
        for pattern, change in CHANGES:
            for hit in pattern.finditer(code):
                old, new = hit[0], change(hit[0])
                if "?" in code[hit.end() :] and old in ("<", ">", "<=", ">="):
                    new = {"<": ">", ">": "<"}[old[0]]  # a tie gives the same either way
                yield number, hit.start(), old, new, inside
        hit = DROPPED.match(code)
        if (
            hit
            and not re.match(r"\s*(cdef|const|static|\w+ \**\w+ =)", code)
            and "else" not in code
        ):
            yield (
                number,
                hit.start(1),
                text[hit.start(1) : hit.end(1)],
                "pass" if kind != ".h" else "",
                inside,
            )


def points(package, active=None):
    """All mutants of the package, by file. `active`: of C headers, the lines that are compiled."""
    mutants = {}
    for path in sorted(Path(package).rglob("*")):
        if path.suffix not in {".py", *KERNELS} or path.as_posix().endswith(SKIPPED):
            continue
        file, source = path.relative_to(package).as_posix(), path.read_text()
        changes = (
            kernel(source, path.suffix)
            if path.suffix in KERNELS
            else Python(source, "plot" in path.parts).changes
        )
        lines = source.splitlines()
        here = [Mutant(file, *c[:4], lines[c[0] - 1], c[4]) for c in changes]
        if path.suffix == ".h" and active is not None:
            here = [
                mutant
                for mutant in here
                if mutant.line in active.get(path.relative_to(package / "_core").as_posix(), ())
            ]
        if here:
            mutants[file] = here
    return mutants


# ------------------------------------------------------------------ the draw
def draw(mutants, seed):
    """Mutants without end, every third in a kernel, each of another line as long as there are.

    A file's share is proportional to the root of the number of its lines that can be changed; files
    take turns along the golden section, so that any number of mutants is spread over all of them.
    """
    rng = random.Random(seed)
    groups = []
    for kernels in (False, True):
        files = [file for file in mutants if (Path(file).suffix in KERNELS) == kernels]
        lines = {file: sorted({mutant.line for mutant in mutants[file]}) for file in files}
        weights = [len(lines[file]) ** 0.5 for file in files]
        groups.append((files, lines, weights, rng.random()))
    for turn in range(10**9):
        files, lines, weights, start = groups[turn % 3 == 2]
        mine = turn // 3 if turn % 3 == 2 else turn // 3 * 2 + turn % 3
        at = (start + mine * 0.6180339887498949) % 1
        file = files[bisect(list(accumulate(weights)), at * sum(weights))]
        if lines[file]:
            line = lines[file].pop(rng.randrange(len(lines[file])))
            yield rng.choice([mutant for mutant in mutants[file] if mutant.line == line])
        elif not any(any(lines_left.values()) for _, lines_left, *_ in groups):
            return
