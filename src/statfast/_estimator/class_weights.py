# SPDX-License-Identifier: BSD-3-Clause
"""Weights of rows, of which some are those of their classes."""

from collections.abc import Mapping

import numpy as np

from statfast._validation import as_choice, as_real, shown, wrong_type


def class_weighted(weights, class_weight, classes, codes):
    """Sample weights times those of the classes, or None if all are 1; each class has some."""
    return _with_mass(times_classes(weights, class_weight, classes, codes), classes, codes)


def times_classes(weights, class_weight, classes, codes):
    """The same, of rows among which classes may be missing."""
    if class_weight is None:
        return weights
    factors = class_factors(class_weight, classes, np.bincount(codes, weights, len(classes)))
    return times_factors(weights, factors, codes)


def times_factors(weights, factors, codes):
    """Sample weights, None for ones, times the factor of each row's class."""
    return factors[codes] if weights is None else factors[codes] * weights


def class_factors(class_weight, classes, mass):
    """What the weights of the rows of each class are multiplied by; `mass` is their sum so far."""
    if isinstance(class_weight, str):
        as_choice(class_weight, "class_weight", (None, "balanced"))
        factors = mass.sum() / (len(classes) * np.where(mass > 0, mass, 1.0))
    elif isinstance(class_weight, Mapping):
        if not class_weight:
            raise ValueError("class_weight must name classes; got {}. Pass None for none.")
        known = dict.fromkeys(classes.tolist())
        for label in class_weight:
            if label not in known:
                raise ValueError(
                    f"class_weight names {shown(label)}, which is not a class of y "
                    f"({shown(classes.tolist())}). Drop it."
                )
        given = [(label, class_weight.get(label, 1.0)) for label in classes.tolist()]
        factors = np.array([as_real(w, f"class_weight[{shown(k)}]", 0.0) for k, w in given])
    else:
        raise wrong_type("class_weight", "None, 'balanced' or a dict", class_weight)
    return factors


def _with_mass(weights, classes, codes):
    if weights is not None:
        require_mass(np.bincount(codes, weights, len(classes)), classes)
    return weights


def require_mass(mass, classes):
    """Refuse classes without weight."""
    if not mass.all():
        lost = shown(classes.tolist()[int(mass.argmin())])
        raise ValueError(
            f"All rows of class {lost} have weight 0, so that it cannot be fitted. Leave "
            "them out, or give them weight."
        )
