# SPDX-License-Identifier: BSD-3-Clause
"""Tables from the results: ``python -m benchmarks.report`` rewrites the README's and prints all.

A ratio is the fastest peer's time divided by statfast's: above 1 statfast is the faster.
"""

import json
from pathlib import Path

from benchmarks import bars

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"
UNSET = "unset"
START, END = "<!-- benchmarks:start -->", "<!-- benchmarks:end -->"
TITLES = {
    "knn-brute": "k nearest neighbours, brute force (build + query)",
    "kdtree": "k nearest neighbours in few dimensions (build + query)",
    "lasso": "lasso path of 50 penalties, to a duality gap of 1e-6",
    "ols": "least squares (ours with inference) and ridge regression",
    "linkage": "hierarchical clustering",
    "kmedoids": "k-medoids by FasterPAM, from the same start",
    "silhouette": "silhouettes",
    "spectrum": "kernel matrices: the spectrum kernel of strings; kernels of rows",
    "kmeans": "k-means (20 iterations from the same start)",
    "convergence": "k-means (until no row changes its cluster, from the same start)",
    "seeding": "k-means++ and one iteration",
    "moments": "linear discriminant analysis (fit + posteriors)",
    "irls": "logistic regression by maximum likelihood, to 1e-8 (ours with the covariance)",
    "multinomial": "multinomial logistic regression with an l2 penalty, to 1e-8",
    "glm": "Poisson and gamma regression, log link, to 1e-8 (ours with the covariance)",
    "svc": "support vector classifiers, Gaussian kernel, to LIBSVM's default tolerance",
    "linear-svc": "linear support vector machines",
    "svc-predict": "decision values of support vector classifiers (after the fit)",
    "latency": "one row through `predict`",
    "import": "`import` after numpy and scipy.linalg",
    "tiles": "tile product with arg-min, one thread (peer: numpy's matmul alone)",
}


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
    if document["suite"] in bars.BARS:
        text += [*_markdown(bars.HEAD, bars.table(document)), ""]
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
        if ratio < 1 and name != "FMA loop"
    ]
    return ["", "Where statfast is slower:", "", *found] if found else []


def _remark(entry):
    told = [entry.get("note"), "its answer differs" if entry["status"] == "differs" else None]
    return f" ({', '.join(filter(None, told))})" if any(told) else ""


def load(folder: Path = RESULTS) -> dict[tuple[str, str], dict]:
    """The results by suite and core type; curves are no suite."""
    documents = [json.loads(path.read_text("utf-8")) for path in sorted(folder.glob("*.json"))]
    return {(one["suite"], one["openblas_coretype"]): one for one in documents if "suite" in one}


def readme_table(documents: dict[tuple[str, str], dict]) -> str:
    """The shapes with a bar, a line for those beyond, both core types, and all that is slower."""
    types = sorted({core for _, core in documents}, key=lambda core: (core != UNSET, core))
    head = ("problem", "statfast", "fastest peer", *(f"ratio ({core})" for core in types))
    head += ("of hardware limit",)
    text = []
    for suite, title in TITLES.items():
        of_suite = {core: documents[suite, core] for core in types if (suite, core) in documents}
        if not of_suite:
            continue
        leading = next(iter(of_suite.values()))
        text += [f"**{title}**", ""]
        if suite in bars.BARS:
            text += [*_markdown(bars.HEAD, bars.table(leading)), ""]
            continue
        rows = [
            _readme_row(row, of_suite, types) for row in leading["problems"] if not row["beyond"]
        ]
        text += [*_markdown(head, rows), ""]
        for core, document in of_suite.items():
            means = document["geometric_means"]
            text += [f"{_mean(label, means[label])} ({core})  " for label in means]
        text.append("")
    slower = _slower(documents.values())
    if documents:
        text.append(_machine_line(next(iter(documents.values()))))
    return "\n".join([*text, *slower]).strip()


def _readme_row(row, of_suite, types):
    ratios = []
    for core in types:
        problems = of_suite.get(core, {"problems": []})["problems"]
        same = next((other for other in problems if other["name"] == row["name"]), {})
        ratios.append(f"{same['ratio']:.2f}x" if "ratio" in same else "-")
    name, mine, theirs, _, share, _ = _row(row)
    return (name, mine, theirs, *ratios, share)


def _machine_line(document):
    machine, versions = document["machine"], document["versions"]
    names = ", ".join(f"{name} {version}" for name, version in versions.items() if version)
    return f"Machine: {machine['cpu']}, {machine['usable_cores']} cores, {machine['isa']}; {names}."


def replace_between(text: str, table: str) -> str:
    """The text with what stands between the two markers replaced."""
    head, start, rest = text.partition(START)
    _, end, tail = rest.partition(END)
    if not start or not end:
        raise ValueError(f"the text has no {START} ... {END}: put the two markers into it")
    return f"{head}{START}\n{table}\n{END}{tail}"


def main() -> None:
    documents = load()
    for document in documents.values():
        print(table(document), end="\n\n")
    text = readme_table(documents)
    print(text)
    readme = ROOT / "README.md"
    readme.write_text(replace_between(readme.read_text("utf-8"), text), "utf-8")


if __name__ == "__main__":
    main()
