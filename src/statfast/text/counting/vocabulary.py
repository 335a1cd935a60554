# SPDX-License-Identifier: BSD-3-Clause
"""The choice of the terms of a vocabulary, and counts of terms of documents in parts."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np

from statfast._engine import Work
from statfast._estimator import copied
from statfast.text.counting.analysis import as_analysis
from statfast.text.counting.tables import counted

NO_TERMS = (
    "raw_documents have no terms: empty vocabulary; perhaps the documents only contain stop words. "
    "Change token_pattern or stop_words."
)


def within(seen: np.ndarray, low: Any, high: Any, n: int) -> np.ndarray:
    """Whether neither too few nor too many of n documents have a term."""
    least, most = (int(v) if isinstance(v, Integral) else v * n for v in (low, high))
    if most < least:
        raise ValueError(
            f"max_df corresponds to fewer documents than min_df ({most} < {least}). Raise it."
        )
    kept = (seen >= least) & (seen <= most)
    if not kept.any():
        raise ValueError(
            "min_df, max_df and max_features leave no terms: after pruning, no terms remain. "
            "Try a lower min_df or a higher max_df."
        )
    return kept


def count_terms(model: Any, parts: Any) -> PartTerms:
    """The number of documents in parts, and of those with each term."""
    terms = parts.total(Work(terms_of_part), copied(model))
    if terms is None:
        raise ValueError("raw_documents must hold at least one document; got none.")
    return terms


def terms_within(terms: PartTerms, params: Any) -> tuple[list[str], np.ndarray]:
    """The terms that a vectorizer keeps, in their order, and how many documents have each."""
    if not terms.counts:
        raise ValueError(NO_TERMS)
    names = sorted(terms.counts)
    n_having, totals = np.array([terms.counts[name] for name in names]).T
    kept = np.flatnonzero(within(n_having, params.min_df, params.max_df, terms.documents))
    limit = params.max_features
    if limit is not None and len(kept) > limit:
        frequency = n_having if params.binary else totals
        kept = np.sort(kept[np.argsort(-frequency[kept], kind="stable")[:limit]])
    return [names[place] for place in kept], n_having[kept]


class PartTerms:
    """The number of documents, and of each term the number of documents and of occurrences."""

    def __init__(self, documents: int, counts: dict[str, tuple[int, int]]) -> None:
        self.documents, self.counts = documents, counts

    def __add__(self, other: PartTerms) -> PartTerms:
        counts = dict(self.counts)
        for name, (seen, often) in other.counts.items():
            before = counts.get(name, (0, 0))
            counts[name] = before[0] + seen, before[1] + often
        return PartTerms(self.documents + other.documents, counts)


def terms_of_part(columns: tuple, model: Any) -> PartTerms:
    """The terms of the documents of a part."""
    documents = list(columns[0])
    term_counts = counted(as_analysis(model._checked()), documents, None)
    seen = term_counts.totals(True)
    terms = np.flatnonzero(seen).astype(np.int32)
    pairs = zip(seen[terms].tolist(), term_counts.totals(False)[terms].tolist(), strict=True)
    return PartTerms(len(documents), dict(zip(term_counts.names(terms), pairs, strict=True)))
