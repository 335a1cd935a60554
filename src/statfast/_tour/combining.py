# SPDX-License-Identifier: BSD-3-Clause
"""Models of models: votes, stacks, thresholds and chains."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from statfast._tour.finding import Finding
from statfast.datasets import load_breast_cancer
from statfast.ensemble import StackingClassifier, VotingClassifier, majority_error
from statfast.generative import GaussianNB, LinearDiscriminantAnalysis
from statfast.linear import LogisticRegression
from statfast.model_selection import TunedThresholdClassifierCV
from statfast.multioutput import ClassifierChain, MultiOutputClassifier


def combining() -> Finding:
    """Tumors by two models and what is made of them, against scikit-learn; and exclusive or."""
    X, y = load_breast_cancer(return_X_y=True)
    members = [("lda", LinearDiscriminantAnalysis()), ("nb", GaussianNB())]
    bits = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    first, second = bits.T.astype(bool)
    outputs = np.column_stack([first & second, first | second, first ^ second]).astype(int)
    known, known_share, known_right = [547, 550, 557], 0.026, [False, True]

    start = time.perf_counter()
    models: list[Any] = [
        VotingClassifier(members, voting="soft", weights=[2, 1]),
        StackingClassifier(members, LogisticRegression(C=1.0), cv=5),
        TunedThresholdClassifierCV(members[0][1], scoring="balanced_accuracy", cv=5),
    ]
    right = [int((model.fit(X, y).predict(X) == y).sum()) for model in models]
    share = round(majority_error(21, 0.3), 3)
    line = LogisticRegression(C=100.0)
    chained = [
        bool((cls(line).fit(bits, outputs).predict(bits) == outputs).all())
        for cls in (MultiOutputClassifier, ClassifierChain)
    ]
    seconds = time.perf_counter() - start

    return Finding(
        "Votes, stacks and thresholds: 569 tumors, 30 measurements; chains: exclusive or",
        [
            f"21 judges who err in 3 of 10 cases: {share} by majority, known {known_share}",
            "correct: vote {}, stack {}, threshold {}; known {}, {}, {}".format(*right, *known),
            "lines find and, or, xor: alone {}, in a chain {}; known {}, {}".format(
                *("yes" if found else "no" for found in (*chained, *known_right))
            ),
        ],
        (right, share, chained) == (known, known_share, known_right),
        seconds,
    )
