# SPDX-License-Identifier: BSD-3-Clause
"""Tables from the results: ``python -m benchmarks.harness.report`` prints all, and rewrites the
README's.

A ratio is the fastest peer's time divided by statfast's: above 1 statfast is the faster.
"""

from benchmarks.harness import bars, results
from benchmarks.harness.registry import SUITES

UNSET = "unset"
START, END = "<!-- benchmarks:start -->", "<!-- benchmarks:end -->"


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
    text = [_heading(document), "", *_markdown(head, rows), ""]
    of_suite = SUITES[document["suite"]].bars
    if of_suite:
        text += [*_markdown(bars.HEAD, bars.table(of_suite, document["problems"])), ""]
    text += [_mean(label, mean) for label, mean in document["geometric_means"].items()]
    if "sizes" in document:
        text.append(
            "Sizes: " + ", ".join(f"{k} {megabytes(v)}" for k, v in document["sizes"].items())
        )
    text += _slower([document])
    return "\n".join(text)


def _heading(document):
    machine, found = document["machine"], document["limits"]
    peaks = (
        f"; limits {found['float32'] / 1e9:.0f} GF/s float32, {found['float64'] / 1e9:.0f} GF/s "
        f"float64, {found['bandwidth'] / 1e9:.0f} GB/s"
        if found
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
    own = libraries.get("statfast", {})
    mine = seconds(own["median"]) if "median" in own else own.get("status", "skipped")
    memory = megabytes(own.get("extra_bytes"))
    theirs = "-"
    if peer:
        theirs = f"{peer} {seconds(libraries[peer]['median'])}"
        memory += f" / {megabytes(libraries[peer]['extra_bytes'])}"
    if row.get("fastest") not in (None, peer):  # faster, but its answer differs
        theirs += f" (~{row['fastest']} {seconds(libraries[row['fastest']]['median'])})"
    ratio = f"{row['ratio']:.2f}x" if "ratio" in row else "-"
    share = f"{row['share_of_limit']:.0%}" if "share_of_limit" in row else "-"
    name = row["name"] + (" *" if row["beyond"] else "")
    return name, mine, theirs, ratio, share, memory


def _markdown(head, rows):
    widths = [max(len(row[i]) for row in (head, *rows)) for i in range(len(head))]

    def line(cells):
        return "| " + " | ".join(c.ljust(w) for c, w in zip(cells, widths, strict=True)) + " |"

    return [line(head), line(["-" * width for width in widths]), *map(line, rows)]


def _mean(label, mean):
    return (
        f"Geometric mean, {label} ({mean['problems']} problems): {mean['mean']:.2f}x; "
        f"least {mean['least']:.2f}x"
    )


def _slower(documents):
    """Every problem on which a peer, counted or not, was faster than statfast."""
    found = [
        f"- {row['name']}, core type {document['openblas_coretype']}: "
        f"{name} is {1 / ratio:.2f}x as fast{_remark(row['libraries'][name])}"
        for document in documents
        for row in document["problems"]
        for name, ratio in row.get("ratios", {}).items()
        if ratio < 1
    ]
    return ["", "Where statfast is slower:", "", *found] if found else []


def _remark(entry):
    told = [entry.get("note"), "its answer differs" if entry["status"] == "differs" else None]
    return f" ({', '.join(filter(None, told))})" if any(told) else ""


def readme_table(documents: dict[tuple[str, str], dict]) -> str:
    """The shapes with a bar, a line for those beyond, each core type, and all that is slower."""
    types = sorted({core for _, core in documents}, key=lambda core: (core != UNSET, core))
    text = []
    for name, suite in SUITES.items():
        of_suite = {core: documents[name, core] for core in types if (name, core) in documents}
        if not of_suite:
            continue
        leading = next(iter(of_suite.values()))
        text += [f"**{suite.title}**", ""]
        if suite.bars:
            text += [*_markdown(bars.HEAD, bars.table(suite.bars, leading["problems"])), ""]
            continue
        ratios = (f"ratio ({core})" for core in of_suite)
        head = ("problem", "statfast", "fastest peer", *ratios, "of hardware limit")
        rows = [_readme_row(row, of_suite) for row in leading["problems"] if not row["beyond"]]
        text += [*_markdown(head, rows), ""]
        for core, document in of_suite.items():
            means = document["geometric_means"]
            text += [f"{_mean(label, means[label])} ({core})  " for label in means]
        text.append("")
    slower = _slower(documents.values())
    if documents:
        text.append(_machine_line(documents.values()))
    return "\n".join([*text, *slower]).strip()


def _readme_row(row, of_suite):
    ratios = []
    for document in of_suite.values():
        same = next((one for one in document["problems"] if one["name"] == row["name"]), {})
        ratios.append(f"{same['ratio']:.2f}x" if "ratio" in same else "-")
    name, mine, theirs, _, share, _ = _row(row)
    return (name, mine, theirs, *ratios, share)


def _machine_line(documents):
    """The newest run's machine, and of each package the version of the newest run that has it."""
    runs = sorted(documents, key=lambda document: document["date"])
    machine = runs[-1]["machine"]
    found = {k: v for document in runs for k, v in document["versions"].items() if v}
    python = found.pop("python", None)
    versions = ([("python", python)] if python else []) + sorted(found.items())
    names = ", ".join(f"{name} {version}" for name, version in versions)
    return f"Machine: {machine['cpu']}, {machine['usable_cores']} cores, {machine['isa']}; {names}."


def replace_between(text: str, table: str) -> str:
    """The text with what stands between the two markers replaced."""
    head, start, rest = text.partition(START)
    _, end, tail = rest.partition(END)
    if not start or not end:
        raise ValueError(f"the text has no {START} ... {END}: put the two markers into it")
    return f"{head}{START}\n{table}\n{END}{tail}"


def main() -> None:
    documents = results.load()
    for document in documents.values():
        print(table(document), end="\n\n")
    text = readme_table(documents)
    print(text)
    readme = results.ROOT / "README.md"
    readme.write_text(replace_between(readme.read_text("utf-8"), text), "utf-8")


if __name__ == "__main__":
    main()
