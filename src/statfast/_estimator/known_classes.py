# SPDX-License-Identifier: BSD-3-Clause
"""The classes of ``partial_fit``, which the first call names and no later one changes."""

import numpy as np

from statfast._validation import as_labels, shown, wrong_type


def known_classes(estimator, classes, least=1):
    """The classes of all calls, (K,): those that are passed, or that the estimator has.

    Raises ValueError for none on the first call, others on a later one, or fewer than `least`.
    """
    known = estimator.__dict__.get("classes_")
    if classes is None:
        if known is None:
            raise ValueError(
                "classes must be passed on the first call to partial_fit; got None. "
                "Pass all labels that will ever come."
            )
        return known
    if not hasattr(classes, "__len__") or getattr(classes, "ndim", 1) == 0:
        raise wrong_type("classes", "a list of labels", classes)
    given, _ = as_labels(classes, None, name="classes")
    if known is not None and not np.array_equal(given, known):
        raise ValueError(
            f"classes must be those of the first call ({shown(known.tolist())}); got "
            f"{shown(given.tolist())}. Leave it out, or fit a new estimator."
        )
    if len(given) < least:
        raise ValueError(
            f"classes must hold at least {least} classes; got {shown(given.tolist())}. Name them "
            "all."
        )
    return given


def codes_among(known, labels, codes):
    """Codes of `labels` as codes of the known classes; ValueError for one that is not there."""
    place = {label: k for k, label in enumerate(known.tolist())}
    for label in labels.tolist():
        if label not in place:
            raise ValueError(
                f"y holds the class {shown(label)}, which is not among classes "
                f"({shown(known.tolist())}). Name every class in the first call."
            )
    return np.array([place[label] for label in labels.tolist()], np.intp)[codes]
