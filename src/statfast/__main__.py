# SPDX-License-Identifier: BSD-3-Clause
"""The tour, ``python -m statfast``: every family on real data, beside the known answers.

To add a family, write a function in `_tour` that returns a `Finding` (or None where its data are
missing), and name it in `FAMILIES`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence

import numpy as np

import statfast
from statfast._core.tile import tiles
from statfast._engine import usable_threads
from statfast._tour.combining import combining
from statfast._tour.evaluation import evaluation, model_selection
from statfast._tour.finding import Finding
from statfast._tour.generative import discriminant_analysis, language_models, naive_bayes
from statfast._tour.linear import (
    conformal_intervals,
    generalized_linear_model,
    support_vectors,
)
from statfast._tour.nearest import densities, mnist, nearest_neighbors
from statfast._tour.tables import feature_selection, selection, tables
from statfast._tour.trees import boosting, rules, trees
from statfast._tour.unsupervised import (
    clustering,
    item_sets,
    medoids_and_hierarchy,
    mixture,
    principal_components,
)

WIDTH = 90

FAMILIES: tuple[Callable[[], Finding | None], ...] = (
    discriminant_analysis,
    model_selection,
    principal_components,
    tables,
    feature_selection,
    selection,
    clustering,
    medoids_and_hierarchy,
    mixture,
    item_sets,
    nearest_neighbors,
    densities,
    generalized_linear_model,
    conformal_intervals,
    support_vectors,
    naive_bayes,
    language_models,
    trees,
    boosting,
    combining,
    rules,
    evaluation,
    mnist,
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tour; 0 if every known answer was met, else 1."""
    parser = argparse.ArgumentParser(
        prog="python -m statfast",
        description="Fit every family on real data and compare with the known answers. MNIST is "
        "classified too where the environment variable STATFAST_DATA names the folder above it.",
    )
    parser.parse_args(arguments)
    import scipy.linalg  # here, so that no family is charged for loading it

    threads = usable_threads()
    print(
        f"statfast {statfast.__version__}: {threads} thread{'s' if threads > 1 else ''}, "
        f"kernels for {tiles.isa()}, numpy {np.__version__}, scipy {scipy.__version__}"
    )
    agreed = True
    for family in FAMILIES:
        finding = family()
        if finding is None:
            print(f"\n{family.__name__}: data not found; set STATFAST_DATA to the folder above it")
            continue
        verdict = "as known" if finding.agrees else "NOT AS KNOWN"
        print(f"\n{finding.title}")
        for line in finding.lines[:-1]:
            print(f"    {line}")
        last = f"    {finding.lines[-1]}: {verdict}".ljust(WIDTH - 10)
        print(last + duration(finding.seconds), flush=True)
        agreed = agreed and finding.agrees
    print("\nEvery answer is the known one." if agreed else "\nSome answer is NOT the known one.")
    return 0 if agreed else 1


def duration(seconds: float) -> str:
    """Seconds in eight columns and a unit."""
    return f"{1e3 * seconds:8.1f} ms" if seconds < 1.0 else f"{seconds:8.2f} s"


if __name__ == "__main__":
    sys.exit(main())
