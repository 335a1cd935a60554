# SPDX-License-Identifier: BSD-3-Clause
"""What is varied of an estimator: for each of its parameters and kinds of data, the levels.

A level is a name and a function of the setting (``cases.Setting``) that makes the value. The first
level of a parameter is its default, or what suits few rows. The declared check of a parameter gives
the others (`Check.levels`); what a check cannot know stands in ``exceptions``, with the reason.
"""

import inspect
from functools import cache

from scipy import sparse

from tests.contract import test_contract as contract
from tests.fuzz import surface, values
from tests.pairs import exceptions, problems
from tests.pairs.exceptions import LIKELIHOOD_ERRORS, values_of

VECTORIZERS = {"CountVectorizer", "HashingVectorizer", "TfidfVectorizer"}
OF_DOCUMENTS = VECTORIZERS | {"LanguageModelClassifier", "NGramLanguageModel"}
OF_COUNTS = contract.COUNTS | {"TfidfTransformer"}
TAKES_A_COLUMN = {"IsotonicRegression"}
OF_KERNELS = {"KernelCenterer"}  # whose rows are always products of rows


@cache
def estimators():
    """Name -> thing, for all public estimators."""
    return {
        name: thing
        for name, thing in surface.public().items()
        if thing.is_class
        and hasattr(thing.call, "fit")
        and hasattr(thing.call, "get_params")
        and name not in contract.OF_LABELS
    }


def parameter_levels(thing, parameter):
    """Name -> maker of the levels of a parameter."""
    instead, beside = exceptions.levels_of(thing, parameter)
    if instead is not None:
        return instead
    return values_of(*declared_levels(parameter)) | beside


def declared_levels(parameter):
    """The default, and what the check says that it accepts: of what costs much, little."""
    levels = () if parameter.required else (parameter.default,)
    levels += parameter.check.levels(parameter.default)
    cheap = values.COSTLY.get(parameter.name)
    if cheap is None:
        return levels
    cheap = [value for value in cheap if parameter.accepts(value)]
    return (parameter.default if parameter.default in cheap else cheap[-1], *cheap)


@cache
def factors(name):
    """Name of a factor -> its levels, for all that is varied of an estimator."""
    thing = estimators()[name]
    found = {key: parameter_levels(thing, p) for key, p in thing.parameters.items()}
    taken = inspect.signature(thing.call.fit).parameters
    if name in OF_DOCUMENTS:
        found["rows"] = problems.DOCUMENTS
    elif name not in TAKES_A_COLUMN:
        found["rows"] = dict(problems.CONTAINERS)
        tags = contract.make(thing.call).__sklearn_tags__()
        if not tags.input_tags.sparse:
            del found["rows"]["csr"]
        elif thing.family == "linear":
            found["rows"] |= dict.fromkeys(problems.SPARSE_STRATEGIES, sparse.csr_array)
        if takes_missing(thing):
            found["gaps"] = {"none": False, "some": True}
    targets = target_levels(thing)
    if targets:
        found["target"] = targets
    if "sample_weight" in taken and thing.name not in ("NGramLanguageModel",):
        found["sample_weight"] = problems.WEIGHTS
    if "offset" in taken:
        found["offset"] = problems.OFFSETS
    if "cov_type" in taken:
        found["cov_type"] = LIKELIHOOD_ERRORS
    if "groups" in taken and "cov_type" not in taken:
        found["groups"] = problems.GROUPS
    return found


def takes_missing(thing):
    parameters = thing.parameters
    return (
        contract.make(thing.call).__sklearn_tags__().input_tags.allow_nan
        or "missing" in parameters
        or "steps" in parameters
        or ("estimator" in parameters)
    )


def target_levels(thing):
    if "y" not in inspect.signature(thing.call.fit).parameters:
        return None
    tags = (
        thing.call().__sklearn_tags__()
        if thing.name in OF_DOCUMENTS
        else contract.make(thing.call).__sklearn_tags__()
    )
    several = tags.target_tags.multi_output
    if not tags.target_tags.single_output:
        return problems.SEVERAL_LABELS if tags.classifier_tags else problems.SEVERAL_NUMBERS
    if tags.estimator_type == "classifier":
        classes = problems.CLASSES
        if not tags.classifier_tags.multi_class:
            classes = {key: made for key, made in classes.items() if made.classes == 2}
        return classes | (problems.SEVERAL_CLASSES if several else {})
    if tags.estimator_type == "regressor":
        return problems.NUMBERS | (problems.SEVERAL_NUMBERS if several else {})
    return problems.CLASSES if tags.target_tags.required else None
