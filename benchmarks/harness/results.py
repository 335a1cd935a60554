# SPDX-License-Identifier: BSD-3-Clause
"""Results as lines: a run in the first, then one for each problem and library.

In memory a run is a document: what it was, and its problems, each a row with the entries of its
libraries. What a problem is stands in its suite, and what follows from the times is worked out
again, so that a line holds what was measured and no more.
"""

import json
import statistics
from pathlib import Path

from benchmarks.harness.problem import Problem
from benchmarks.harness.registry import SUITES
from benchmarks.harness.suite import OURS, Suite

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "benchmarks" / "results"
GROWTH, FOOTPRINT = FOLDER / "growth.jsonl", FOLDER / "footprint.jsonl"  # of all suites; of none
DIGITS = 7
MEASURED = (  # The measured fields of an entry.
    *("status", "median", "min", "fit", "query", "rounds", "extra_bytes", "errors", "note"),
    *("blas", "coretype"),
)
DERIVED = ("problems", "geometric_means")  # The fields of a document that are computed anew.


def path_of(suite: str, folder: Path = FOLDER) -> Path:
    return folder / f"{suite}.jsonl"


# --- lines ---


def write(document: dict, path: Path) -> None:
    lines = [{key: value for key, value in document.items() if key not in DERIVED}]
    for row in document["problems"]:
        about = {"problem": row["name"]}
        optional = {
            key: row[key] for key in ("limit_seconds", "commit") if row.get(key) is not None
        }
        entries = row["libraries"] or {None: {"status": "skipped", "note": row.get("skipped", "")}}
        for library, entry in entries.items():
            measured = {
                key: entry[key] for key in MEASURED if entry.get(key) not in (None, "", {}, [])
            }
            lines.append(about | {"library": library} | measured | optional)
    write_lines(lines, path)


def write_lines(lines: list[dict], path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(_short(line)) + "\n" for line in lines), "utf-8")


def _short(value):
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}")
    if isinstance(value, dict):
        return {key: _short(item) for key, item in value.items()}
    return value


def read(path: Path) -> dict:
    """The document of a file; a problem that its suite no longer has is left out."""
    document, *lines = read_lines(path)
    suite = SUITES[document["suite"]]
    of_problem: dict[str, list[dict]] = {}
    for line in lines:
        of_problem.setdefault(line["problem"], []).append(line)
    problems = {p.name: p for p in suite.find(quick=document["quick"])}
    document["problems"] = [
        compare(_row(problems[name], lines), suite)
        for name, lines in of_problem.items()
        if name in problems
    ]
    document["geometric_means"] = geometric_means(document["problems"])
    return document


def read_lines(path: Path) -> list[dict]:
    """The lines of a file; none if there is no file."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def medians(path: Path) -> dict[tuple[str, str], float]:
    """Seconds by problem and library that a file has, if there is one."""
    lines = read_lines(path)[1:]
    return {
        (line["problem"], line["library"]): line["median"] for line in lines if "median" in line
    }


def _row(problem, lines):
    row = about(problem) | {"limit_seconds": lines[0].get("limit_seconds"), "libraries": {}}
    if "commit" in lines[0]:
        row["commit"] = lines[0]["commit"]
    for line in lines:
        if line["library"] is None:
            row["skipped"] = line["note"]
        else:
            blank = {"extra_bytes": None, "errors": {}, "note": ""}
            measured = {key: line[key] for key in MEASURED if key in line}
            row["libraries"][line["library"]] = blank | measured
    return row


def load(folder: Path = FOLDER) -> dict[str, dict]:
    """The results by suite, in the order of the suites."""
    paths = {name: folder / f"{name}.jsonl" for name in SUITES}
    return {name: read(path) for name, path in paths.items() if path.exists()}


def merged(document: dict, path: Path) -> dict:
    """The document with the problems of an earlier run that it did not run again.

    A problem is replaced with all its libraries: ratios are of times from the same rounds.
    """
    if not path.exists():
        return document
    fresh = {row["name"]: row for row in document["problems"]}
    earlier = read(path)
    rows = {row["name"]: {"commit": earlier["commit"]} | row for row in earlier["problems"]} | fresh
    names = [problem.name for problem in SUITES[document["suite"]].find(quick=document["quick"])]
    kept = [rows[name] for name in names if name in rows]
    return document | {"problems": kept, "geometric_means": geometric_means(kept)}


# --- what follows from them ---


def about(problem: Problem) -> dict:
    """The row of a problem, without what was measured."""
    keys = ("name", "dtype", "beyond", "group", "baseline", "nbytes")
    return {key: getattr(problem, key) for key in keys}


def compare(row: dict, suite: Suite) -> dict:
    """The row with the fastest peer, the ratios to it and the share of the hardware limit.

    A peer counts if its answer passed the check and it does the same work; a faster one that
    does not count is named beside it.
    """
    timed = {name: entry for name, entry in row["libraries"].items() if "median" in entry}
    limits = [name for name in timed if suite.is_limit(name)]
    peers = [name for name in timed if suite.is_peer(name)]
    if limits:
        row["limit_seconds"] = timed[limits[0]]["median"]
    if peers:
        row["fastest"] = min(peers, key=lambda name: timed[name]["median"])
    right = [name for name in peers if timed[name]["status"] == "ok"]
    if right:
        row["fastest_peer"] = min(right, key=lambda name: timed[name]["median"])
    if OURS in timed:
        ours = timed[OURS]
        raced = (name for name in timed if name not in limits)
        row["ratios"] = {name: timed[name]["median"] / ours["median"] for name in raced}
        if right:
            row["ratio"] = row["ratios"][row["fastest_peer"]]
        if row.get("limit_seconds"):
            row["share_of_limit"] = row["limit_seconds"] / ours["median"]
    return row


def geometric_means(rows) -> dict:
    """Of the ratios to the fastest peer: over the shapes with a bar, those beyond, and all."""
    means = {}
    for label, wanted in (("bar", (False,)), ("beyond", (True,)), ("all", (False, True))):
        ratios = [row["ratio"] for row in rows if "ratio" in row and row["beyond"] in wanted]
        if ratios:
            mean = statistics.geometric_mean(ratios)
            means[label] = {"mean": mean, "least": min(ratios), "problems": len(ratios)}
    return means
