# SPDX-License-Identifier: BSD-3-Clause
"""A parameter that means the same in many places is described by the same words in all of them.

Docstrings are written out in full, as people read them in editors; this table is what they have in
common. A text begins with the words of its parameter, and may go on. Where a parameter of that name
means something else, the text begins with one of `OTHER_MEANINGS`, each with its reason.
"""

import inspect
import re

import pytest

from tests.package.test_docs import PUBLIC, sections, texts
from tests.package.test_words import docstrings

# Name -> the beginnings of its texts, as regular expressions, one for each meaning.
WORDS = {
    "n_jobs": [
        r"Threads; None and -1 take all usable cores, -2 all but one\. "
        r"The result has the same bits for any number\."
    ],
    "random_state": [r"Seed or generator( [^;]+)?; an integer makes the result reproducible\."],
    "max_iter": [r"Maximum number of "],
    "sample_weight": [
        r"Weights of the samples(, not negative|, positive|, of any sign)?; None is 1 for all\.",
        r"Weights of the samples(, if the score function takes them)?; an integer weight equals a "
        r"repeated sample\b",
        r"Weights of the samples; samples of weight 0 are left out\.",
        r"Passed to (the|each) [\w ]+\b",
        r"Weights of fits and scores\b",
    ],
    "groups": [r"Group of each sample, for splitters that keep groups together\b"],
    "level": [
        r"Confidence level (of the intervals?( of the difference)?|at each place by itself), "
    ],
    "fit_intercept": [r"Whether to fit (an intercept|intercepts)\b"],
    "copy": [r"Kept for scikit-learn's sake: input is never modified\."],
    "warm_start": [r"(Keep the \w+ of|Start with the \w+ of) the last fit, "],
    "verbose": [
        r"Above 0, ``fit`` shows a progress bar \(see `statfast\.progress_bar`\)\.",
        r"If not 0, each \w+ prints ",
        r"Print the seconds that each \w+ takes\.",
    ],
    "metric": [r"The distance\b"],
    "metric_params": [r"Further parameters of the metric\b"],
    "ax": [r"Where to draw\b"],
    "deep": [r"Also give the parameters of nested estimators, as ``name__parameter``\."],
    "feature_names": [r"Names of the columns; None "],
    "input_features": [r"Names of the columns; None takes those of the fit\."],
    "**fit_params": [
        r"Passed to ``fit``, such as ``sample_weight``\.",
        r"Further arguments of the (estimator|regressor)'s ``fit``",
    ],
}
REQUEST = "metadata routing asks for it by this name"
OTHER_MEANINGS = {
    "n_jobs": {
        "Threads of each fit, if": "a search fits with the threads of its estimator",
        "Threads, among which the": "fits are shared out, each with threads of its own",
        "Threads on which folds": "fits are shared out, each with threads of its own",
        "Threads; None takes what the tree": "a tree remembers it",
        "Kept for scikit-learn's sake: transformers": "it has no effect",
    },
    "sample_weight": {
        "True asks for it": REQUEST,
        "Weights, a column of the data": "a formula takes them from a table",
        "Weights, meant as `weight_type` says": "they may be analytic weights",
        "Taken as frequencies unless": "they may be analytic weights",
        "With a bootstrap, chances": "draws take them as probabilities",
        "Chances of the": "draws take them as probabilities",
        "Weights to begin with": "rounds change them",
        "Weights of rows, of the": "they reach several models and scores",
        "Weights of these rows beside": "rows of a prediction have weights, too",
        "Weights of the samples, those of the fit": "they are given again",
        "As given to `fit`": "they are given again",
        "Weights that samples have within": "classes are weighted beside them",
        "Weights of the fits": "scores are those of all rows alike",
        "Weights of the documents": "rows are documents",
        "How often each": "rows are documents",
        "Weights of the baskets": "rows are baskets",
        "Probability of each value": "they are a distribution",
        "Rows of weight 0 do not count": "a maximum knows no other weights",
    },
    "groups": {
        "All of them looked at only": "`get_n_splits` has scikit-learn's arguments",
        "True asks for them": REQUEST,
        "Clusters of the samples": "rows of a cluster depend on each other",
        "Labels of clusters": "rows of a cluster depend on each other",
        "Columns that make a term": "columns, not rows",
        "For a single model: columns": "columns, not rows",
        "A group for each row, such as": "a table has a line for each",
        "Rows of a group are kept": "folds are made inside",
    },
    "level": {
        "Probability that": "a promise on new rows",
        "Level of intervals, unless": "a promise on new rows",
        "Probability of the credible": "a posterior probability",
        "The level that was asked for": "it is drawn",
        "The share of the trees": "it is not about an error",
    },
    "metric": {
        "Euclidean distance of the features": "the only one, of rows with holes",
        "The measure that a rule": "rules are measured, too",
        '"linear", "poly"': "a kernel of `pairwise_kernels`",
    },
    "copy": {"True asks for it": REQUEST, "Whether to leave the graph": "it has an effect"},
    "verbose": {"1 prints a summary, 2": "it has two steps"},
    "ax": {"One for each model": "there are several"},
    "input_features": {"Not used; present": "columns are terms"},
    "feature_names": {"Names of the columns, which must differ": "items need names"},
    "**fit_params": {"Arguments that the estimator requests": "metadata routing"},
}
TYPES = {
    "n_jobs": r"int, optional",
    "random_state": r"int, RandomState, Generator or None(, default=(None|0))?",
    "max_iter": r"int, default=-?\d+",
    "fit_intercept": r"bool, default=(True|False)",
    "warm_start": r"bool, default=False",
}


def parameters():
    """Name, type, text and place of each described parameter of public objects."""
    for place, thing in PUBLIC:
        for docstring in {inspect.cleandoc(text) for text in docstrings(thing)}:
            for head, text in texts(sections(docstring).get("Parameters", [])).items():
                name, _, kind = head.partition(" : ")
                yield name, kind, text, place


DESCRIBED = sorted({entry for entry in parameters() if entry[0] in WORDS})


@pytest.mark.parametrize("name", WORDS)
def test_same_things_are_said_in_the_same_words(name):
    same = re.compile("|".join(WORDS[name]))
    others = tuple(OTHER_MEANINGS.get(name, ()))
    faults = {
        f"{place}: {text}"
        for called, _, text, place in DESCRIBED
        if called == name and not (same.match(text) or text.startswith(others or ("\0",)))
    }
    assert not faults


@pytest.mark.parametrize("name", TYPES)
def test_same_things_have_the_same_type(name):
    kinds = {kind for called, kind, _, _ in DESCRIBED if called == name}
    assert not {kind for kind in kinds if not re.fullmatch(TYPES[name], kind)}


@pytest.mark.parametrize("name", WORDS)
def test_the_tables_hold_what_is_used(name):
    found = [text for called, _, text, _ in DESCRIBED if called == name]
    assert all(any(re.match(words, text) for text in found) for words in WORDS[name])
    for other in OTHER_MEANINGS.get(name, ()):
        assert any(text.startswith(other) for text in found), other
