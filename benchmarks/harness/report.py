# SPDX-License-Identifier: BSD-3-Clause
"""Tables from the results: ``python -m benchmarks.harness.report`` prints all, and rewrites that of
README.md, its figure, and the page of benchmarks of the documentation.

A ratio is the fastest peer's time divided by statfast's: above 1 statfast is the faster.
"""

import statistics
from collections.abc import Sequence
from functools import partial

from benchmarks.harness import bars, results
from benchmarks.harness.registry import SUITES
from benchmarks.harness.suite import EIGHTFOLD

README = results.ROOT / "README.md", "<!-- benchmarks:start -->", "<!-- benchmarks:end -->"
PAGE = results.ROOT / "docs/benchmarks.rst", ".. benchmarks:start", ".. benchmarks:end"
FIGURE = results.ROOT / "docs/pictures/benchmarks.svg"
SUMMARY = ("work", "problems", "geometric mean", "least", "faster in")
GROWTH_HEAD = ("suite", "largest problem", "an eighth", "whole", "growth", "plain", "extra memory")
FOOTPRINT_HEAD = ("part", "time of import", "kernels", "the rest", "both")
_GROWTH_WORDS = (
    "Each suite's largest problem and an eighth of it, by statfast alone. *Plain* is the growth of",
    "the plain algorithm: 8 if it is linear in what grows, 64 if it takes the square.",
)
_FOOTPRINT_WORDS = (
    "Imports are those of a new process, after numpy and scipy.linalg. Sizes are those of the",
    "compressed files; kernels that several families call stand for themselves.",
)


def seconds(value: float) -> str:
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= scale:
            return f"{value / scale:.3g} {unit}"
    return f"{value / 1e-9:.3g} ns"


def megabytes(value: float | None) -> str:
    return "-" if value is None else f"{value / 1e6:.3g} MB"


def lines(row: dict) -> str:
    """One problem in full, for the terminal."""
    out = [row["name"] + (f": skipped ({row['skipped']})" if "skipped" in row else "")]
    for name, entry in row["libraries"].items():
        remark = entry.get("note", "")
        if "median" not in entry:
            errors = f" {_errors(entry)}" if "errors" in entry else ""
            out.append(f"  {name:22} {entry['status']}{errors} {remark}".rstrip())
            continue
        mark = "~" if entry["status"] == "differs" else " "
        ratio = row.get("ratios", {}).get(name)
        out.append(
            f"  {name:22}{mark}{seconds(entry['median']):>9}  min {seconds(entry['min']):>9}"
            f"  {'' if ratio is None else f'{ratio:.2f}x':>8}"
            f"  +{megabytes(entry['extra_bytes']):>8}  {_errors(entry)} {remark}".rstrip()
        )
    return "\n".join(out)


def _errors(entry):
    return ", ".join(f"{name} {size:.3g}" for name, size in entry["errors"].items() if size)


def table(document: dict) -> str:
    """A suite: ours, the fastest peer, the ratio, the share of the hardware limit, the memory."""
    rows = [_row(row) for row in document["problems"]]
    head = ("problem", "statfast", "fastest peer", "ratio", "of limit", "extra memory")
    text = [_heading(document), "", *markdown(head, rows), ""]
    of_suite = SUITES[document["suite"]].bars
    if of_suite:
        text += [*markdown(bars.HEAD, bars.table(of_suite, document["problems"])), ""]
    text += [_mean(label, mean) for label, mean in document["geometric_means"].items()]
    if "sizes" in document:
        text.append(
            "Sizes: " + ", ".join(f"{k} {megabytes(v)}" for k, v in document["sizes"].items())
        )
    text += _slower([document])
    return "\n".join(text)


def _heading(document):
    machine, limits = document["machine"], document["limits"]
    peaks = (
        f"; limits {limits['float32'] / 1e9:.0f} GF/s float32, {limits['float64'] / 1e9:.0f} GF/s "
        f"float64, {limits['bandwidth'] / 1e9:.0f} GB/s"
        if limits
        else "; limits not measured"
    )
    return (
        f"### {document['suite']}: {document['threads']} thread(s), {machine['cpu']}, "
        f"{machine['isa'] or 'instruction set unknown'}, OpenBLAS core type "
        f"{document['openblas_coretype']}{peaks}; {document['date'][:10]}"
        + (" (quick: not figures to quote)" if document["quick"] else "")
    )


def _row(row):
    libraries, peer = row["libraries"], row.get("fastest_peer")
    ours = libraries.get("statfast", {})
    our_time = seconds(ours["median"]) if "median" in ours else ours.get("status", "skipped")
    memory = megabytes(ours.get("extra_bytes"))
    peer_time = "-"
    if peer:
        peer_time = f"{peer} {seconds(libraries[peer]['median'])}"
        memory += f" / {megabytes(libraries[peer]['extra_bytes'])}"
    if row.get("fastest") not in (None, peer):  # Another peer is faster, but its answer differs.
        peer_time += f" (~{row['fastest']} {seconds(libraries[row['fastest']]['median'])})"
    ratio = f"{row['ratio']:.2f}x" if "ratio" in row else "-"
    share = f"{row['share_of_limit']:.0%}" if "share_of_limit" in row else "-"
    name = row["name"] + (" *" if row["beyond"] else "")
    return name, our_time, peer_time, ratio, share, memory


def markdown(head, rows):
    widths = _widths(head, rows)

    def line(cells):
        return "| " + " | ".join(c.ljust(w) for c, w in zip(cells, widths, strict=True)) + " |"

    return [line(head), line(["-" * width for width in widths]), *map(line, rows)]


def _restructured(head, rows):
    """A simple table of reStructuredText."""
    widths = _widths(head, rows)
    rule = "  ".join("=" * width for width in widths)
    lines = ["  ".join(map(str.ljust, cells, widths)).rstrip() for cells in (head, *rows)]
    return [rule, lines[0], rule, *lines[1:], rule]


def _widths(head, rows):
    return [max(len(row[i]) for row in (head, *rows)) for i in range(len(head))]


def _mean(label, mean):
    return (
        f"Geometric mean, {label} ({mean['problems']} problems): {mean['mean']:.2f}x; "
        f"least {mean['least']:.2f}x"
    )


def _slower(documents):
    """Every problem on which a peer, counted or not, was faster than statfast."""
    lines = [
        f"- {row['name']}: {name} is {1 / ratio:.2f}x as fast{_remark(row['libraries'][name])}"
        for document in documents
        for row in document["problems"]
        for name, ratio in row.get("ratios", {}).items()
        if ratio < 1
    ]
    return ["", "Where statfast is slower:", "", *lines] if lines else []


def _remark(entry):
    remarks = [entry.get("note"), "its answer differs" if entry["status"] == "differs" else None]
    return f" ({', '.join(filter(None, remarks))})" if any(remarks) else ""


def growth(lines: list[dict]) -> list[tuple[str, ...]]:
    """A row for each suite under GROWTH_HEAD, from the lines of its two problems.

    "Plain" is how the plain algorithm grows: with n, its square, or another power.
    """
    by_problem = {(line["suite"], line["problem"]): line for line in lines}
    rows = []
    for name, suite in SUITES.items():
        pair = suite.growth.pair() if suite.growth else ()
        measured = [by_problem.get((name, problem.name), {}) for problem in pair]
        if any(measured):
            rows.append((name, pair[1].name, *_growth_cells(measured, suite.growth.power)))
    return rows


def _growth_cells(measured, power):
    times = [line.get("median") for line in measured]
    cells = [
        seconds(t) if t else m.get("status", "-") for t, m in zip(times, measured, strict=True)
    ]
    factor = f"{times[1] / times[0]:.1f}x" if all(times) else "-"
    memory = " to ".join(megabytes(line.get("extra_bytes")) for line in measured)
    return *cells, factor, f"{EIGHTFOLD**power}x", memory


def footprint(lines: list[dict]) -> list[tuple[str, ...]]:
    """A row for each part of the package under FOOTPRINT_HEAD; sizes are compressed."""
    rows = []
    for line in lines:
        kernels, rest = line.get("kernels_bytes", 0), line.get("other_bytes", 0)
        loaded = line["import_seconds"]
        sizes = (
            f"{size / 1e3:.0f} kB" if size else "-" for size in (kernels, rest, kernels + rest)
        )
        rows.append((line["part"], "-" if loaded is None else f"{1e3 * loaded:.3g} ms", *sizes))
    return rows


def footprint_sentence(head: dict) -> str:
    machine = head["machine"]
    built = (
        f", compiled and packed in {head['build_seconds']:.0f} s on {machine['usable_cores']} cores"
        if "build_seconds" in head
        else ""
    )
    return f"The wheel has {head['wheel_bytes'] / 1e6:.2f} MB{built}."


def _costs(grown: list[dict], parts: list[dict]) -> list[str]:
    """The sections on growth and on the package itself, from the lines of their files."""
    text = []
    if grown:
        text += ["How time grows", "--------------", "", *_GROWTH_WORDS, ""]
        text += [*_restructured(GROWTH_HEAD, growth(grown[1:])), ""]
    if parts:
        text += ["Size, import and build", "----------------------", "", *_FOOTPRINT_WORDS]
        text += [footprint_sentence(parts[0]), ""]
        text += [*_restructured(FOOTPRINT_HEAD, footprint(parts[1:])), ""]
    return text


def page(documents: dict[str, dict], grown: Sequence[dict] = (), parts: Sequence[dict] = ()) -> str:
    """Each suite: groups, or a line for each problem; then growth and what the package itself
    costs, from the lines of their files; what is slower; and the machines.

    What a group is to reach is for those who work on it: the table that is printed says it.
    """
    text = []
    for name, document in documents.items():
        suite = SUITES[name]
        title = suite.title[0].upper() + suite.title[1:]
        text += [title, "-" * len(title), ""]
        if suite.bars:
            groups = [line[:-2] for line in bars.table(suite.bars, document["problems"])]
            text += [*_restructured(bars.HEAD[:-2], groups), ""]
            continue
        head = ("problem", "statfast", "fastest peer", "ratio", "of hardware limit")
        rows = [_row({**row, "beyond": False})[:-1] for row in document["problems"]]
        means = document["geometric_means"]
        text += [*_restructured(head, rows), ""]
        text += [_mean("all", means["all"]) + ".", ""] if "all" in means else []
    text += _costs(grown, parts)
    slower = _slower(documents.values())
    if slower:
        text += [slower[1].rstrip(":"), "-" * len(slower[1].rstrip(":")), *slower[2:]]
    return "\n".join([*text, "", *_machine_lines(documents)] if documents else text).strip()


def summary(documents: dict[str, dict]) -> list[tuple[str, int, float, float, int]]:
    """For each family of suites how many problems were run, the geometric mean of the ratios and
    the least of them, and in how many statfast was faster; the largest mean first.
    """
    families: dict[str, list[float]] = {}
    for name, document in documents.items():
        ratios = [row["ratio"] for row in document["problems"] if "ratio" in row]
        if SUITES[name].family and ratios:
            families.setdefault(SUITES[name].family, []).extend(ratios)
    rows = [
        (
            family,
            len(ratios),
            statistics.geometric_mean(ratios),
            min(ratios),
            sum(r > 1 for r in ratios),
        )
        for family, ratios in families.items()
    ]
    return sorted(rows, key=lambda row: -row[2])


def readme_table(documents: dict[str, dict]) -> str:
    """A line for each family of suites."""
    rows = [
        (family, str(count), f"{mean:.1f}x", f"{least:.2g}x", f"{faster} of {count}")
        for family, count, mean, least, faster in summary(documents)
    ]
    return "\n".join([*markdown(SUMMARY, rows), "", _measured(documents)]) if rows else ""


def _measured(documents: dict[str, dict]) -> str:
    """A sentence: on which machines, and between which days."""
    shown = [document for name, document in documents.items() if SUITES[name].family]
    machines = sorted({
        f"{document['machine']['cpu']}, {document['machine']['usable_cores']} cores, "
        f"{document['machine']['isa']}"
        for document in shown
    })  # fmt: skip
    days = sorted(document["date"][:10] for document in shown)
    between = days[0] if days[0] == days[-1] else f"{days[0]} to {days[-1]}"
    return f"Measured on {'; '.join(machines)}; {between}."


def draw(documents, path) -> None:
    """The geometric means as bars, and the least ratios."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    rows = summary(documents)[::-1]
    figure = Figure(figsize=(7, 0.28 * len(rows) + 0.7), layout="constrained")
    ax = figure.subplots()
    places = range(len(rows))
    means, least = [row[2] for row in rows], [row[3] for row in rows]
    ax.barh(places, [mean - 1 for mean in means], left=1, color="#3572a5", height=0.6)
    ax.plot(least, places, "|", color="#e69f00", ms=9, mew=2.5, label="the slowest problem")
    for place, mean in zip(places, means, strict=True):
        ax.annotate(f"{mean:.1f}x", (mean, place), (4, 0), textcoords="offset points", va="center")
    ax.axvline(1, color="#888888", lw=0.8)
    ax.set(xscale="log", xlabel="times as fast as the fastest other library (geometric mean)")
    ax.set_yticks(places, [row[0] for row in rows])
    ax.xaxis.set_major_formatter(lambda x, _: f"{x:g}x")
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.tick_params(axis="y", length=0)
    ax.set_xlim(right=1.3 * max(means))
    ax.legend(frameon=False, loc="lower right")
    path.parent.mkdir(exist_ok=True)
    with rc_context({"svg.hashsalt": "statfast", "svg.fonttype": "none"}):
        figure.savefig(path, metadata={"Date": None})


def _machine_lines(documents):
    """The machines and the suites that ran on each, and the newest version of each package."""
    runs = sorted(documents.items(), key=lambda item: item[1]["date"])
    machines: dict[str, list[str]] = {}
    by_package: dict[str, str] = {}
    for name, document in runs:
        machine = document["machine"]
        about = f"{machine['cpu']}, {machine['usable_cores']} cores, {machine['isa']}"
        about += f", OpenBLAS core type {document['openblas_coretype']}"
        machines.setdefault(about, []).append(name)
        by_package |= {
            package: version for package, version in document["versions"].items() if version
        }
    python = by_package.pop("python", None)
    versions = ([("python", python)] if python else []) + sorted(by_package.items())
    lines = [f"- {about}: {', '.join(names)}." for about, names in machines.items()]
    return ["Machines", "--------", *lines, "", ", ".join(map(" ".join, versions)) + "."]


def replace_between(text: str, made: str, start: str, end: str) -> str:
    """The text with what stands between the two markers replaced."""
    head, marker, rest = text.partition(start)
    _, closed, tail = rest.partition(end)
    if not marker or not closed:
        raise ValueError(f"the text has no {start} ... {end}: put the two markers into it")
    return f"{head}{start}\n\n{made}\n\n{end}{tail}"


def main() -> None:
    documents = results.load()
    for document in documents.values():
        print(table(document), end="\n\n")
    grown, parts = map(results.read_lines, (results.GROWTH, results.FOOTPRINT))
    print(*markdown(GROWTH_HEAD, growth(grown[1:])), sep="\n", end="\n\n")
    costly_page = partial(page, grown=grown, parts=parts)
    for (path, *markers), made in ((README, readme_table), (PAGE, costly_page)):
        text = made(documents)
        print(text, end="\n\n")
        path.write_text(replace_between(path.read_text("utf-8"), text, *markers), "utf-8")
    draw(documents, FIGURE)


if __name__ == "__main__":
    main()
