# SPDX-License-Identifier: BSD-3-Clause
"""A tree as text: indented conditions, or a rule for each leaf."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from statfast._estimator import weight_text
from statfast._typing import Array, ArrayLike
from statfast._validation import (
    as_choice,
    as_count,
    as_digits,
    as_feature_names,
    as_flag,
    not_fitted,
    shown,
    to_array,
    wrong_type,
)
from statfast.tree.cart.model import CartModel
from statfast.tree.structure.tree_arrays import TreeStructure

if TYPE_CHECKING:
    from statfast.tree.cart.classifier import DecisionTreeClassifier
    from statfast.tree.cart.regressor import DecisionTreeRegressor


def _names(model: Any, feature_names: Any) -> list[str]:
    if not isinstance(model, CartModel):
        wanted = "a DecisionTreeClassifier or DecisionTreeRegressor"
        raise wrong_type("decision_tree", wanted, model)
    if not model.__sklearn_is_fitted__():
        raise not_fitted(model)
    return as_feature_names(feature_names, model, model.n_features_in_, "feature_")


def _leaf_text(
    model: Any, node: int, decimals: int, show_weights: bool, classes: Array | None
) -> str:
    tree = model.tree_
    value = tree.value[node]
    if classes is None:
        labels = ", ".join(f"{x:.{decimals}f}" for x in value[:, 0])
        return f"value: [{labels}]"
    labels = np.atleast_1d(classes[node])
    text = f"class: {', '.join(str(label) for label in labels)}"
    if show_weights:
        several = isinstance(model.classes_, list)
        counts = model.node_counts()[node]
        counts = counts[0, : len(model.classes_[0])] if several else counts
        text = f"weights: [{', '.join(f'{x:.{decimals}f}' for x in counts)}] {text}"
    return text


def _class_names(model: Any, labels: Any, class_names: ArrayLike | None) -> Any:
    """The names of the classes of nodes."""
    names_of_classes = np.atleast_1d(
        to_array(class_names, "class_names", "a list of names")
    ).tolist()
    if isinstance(model.classes_, list) or len(names_of_classes) != len(model.classes_):
        raise ValueError(
            f"class_names must name each of the classes of one output, in the order of classes_; "
            f"got {len(names_of_classes)} names. Leave it out for the labels."
        )
    names = dict(zip(model.classes_.tolist(), names_of_classes, strict=True))
    return [names[label] for label in labels.tolist()]


def _conditions(model: Any, node: int, name: str, decimals: int) -> tuple[str, str]:
    """The conditions on the left and on the right of a node."""
    sets = model.split_categories(node)
    if sets is not None:
        return tuple(_is_one_of(name, labels) for labels in sets)
    threshold = f"{model.tree_.threshold[node]:.{decimals}f}"
    return f"{name} <= {threshold}", f"{name} >  {threshold}"


def _is_one_of(name: str, labels: Any) -> Any:
    return f"{name} in {{{', '.join(str(label) for label in labels)}}}"


def export_text(
    decision_tree: DecisionTreeClassifier | DecisionTreeRegressor,
    *,
    feature_names: ArrayLike | None = None,
    class_names: ArrayLike | None = None,
    max_depth: int = 10,
    spacing: int = 3,
    decimals: int = 2,
    show_weights: bool = False,
) -> str:
    """Text of a decision tree, a line for each node.

    Parameters
    ----------
    decision_tree : DecisionTreeClassifier or DecisionTreeRegressor
        Fitted tree.
    feature_names : array-like of str, shape (p,), optional
        Names of the columns; None takes those of the fit.
    class_names : array-like of str, shape (K,), optional
        What the classes are called, in the order of ``classes_``. None takes their labels.
    max_depth : int, default=10
        Deeper branches are cut short.
    spacing : int, default=3
        Columns of an indentation.
    decimals : int, default=2
        Of thresholds and values.
    show_weights : bool, default=False
        Show the weight of each class in a leaf.

    Returns
    -------
    str

    Raises
    ------
    ValueError
        If `feature_names` or `class_names` has another length than the fit knows, or a count is
        negative.
    TypeError
        If `decision_tree` is not a tree, or a parameter is of the wrong type.

    Examples
    --------
    >>> from statfast.datasets import load_iris
    >>> from statfast.tree import DecisionTreeClassifier, export_text
    >>> data = load_iris()
    >>> model = DecisionTreeClassifier(max_depth=1).fit(data.data, data.target)
    >>> print(export_text(model, feature_names=["sl", "sw", "pl", "pw"]))
    |--- pl <= 2.45
    |   |--- class: 0
    |--- pl >  2.45
    |   |--- class: 1
    <BLANKLINE>
    """
    names = _names(decision_tree, feature_names)
    most = as_count(max_depth, "max_depth", low=0)
    wide = as_count(spacing, "spacing", high=1000)
    digits = as_digits(decimals, "decimals")
    weights = as_flag(show_weights, "show_weights")
    tree, lines, waiting = decision_tree.tree_, [], [(0, 0, "")]
    bar = "|" + " " * wide
    node_classes = getattr(decision_tree, "node_classes", None)
    classes = None if node_classes is None else node_classes()
    if class_names is not None and classes is not None:
        classes = _class_names(decision_tree, classes, class_names)
    while waiting:
        node, depth, question = waiting.pop()
        lead = bar * (depth - 1) + "|" + "-" * wide + " "
        if question:
            lines.append(lead + question)
        indent = bar * depth + "|" + "-" * wide + " "
        if tree.children_left[node] < 0:
            lines.append(indent + _leaf_text(decision_tree, node, digits, weights, classes))
        elif depth > most:
            lines.append(f"{indent}truncated branch of depth {_height(tree, node) + 1}")
        else:
            yes, no = _conditions(decision_tree, node, names[tree.feature[node]], digits)
            waiting.append((tree.children_right[node], depth + 1, no))
            waiting.append((tree.children_left[node], depth + 1, yes))
    return "\n".join(lines) + "\n"


def _height(tree: TreeStructure, node: int) -> Any:
    height, level = 0, [node]
    while level := [c for n in level for c in (tree.children_left[n], tree.children_right[n])
                    if c >= 0]:  # fmt: skip
        height += 1
    return height


def tree_rules(
    decision_tree: DecisionTreeClassifier | DecisionTreeRegressor,
    *,
    feature_names: ArrayLike | None = None,
    class_names: ArrayLike | None = None,
    show: Literal["label", "odds", "proba", "counts"] = "label",
    weighted: bool = True,
    decimals: int = 3,
) -> list[str]:
    """Rules of the leaves of a decision tree: a range, or categories, for each feature.

    Parameters
    ----------
    decision_tree : DecisionTreeClassifier or DecisionTreeRegressor
        Fitted tree.
    feature_names : array-like of str, shape (p,), optional
        Names of the columns; None takes those of the fit.
    class_names : array-like of str, shape (K,), optional
        What the classes are called, in the order of ``classes_``. None takes their labels.
    show : {"label", "odds", "proba", "counts"}, default="label"
        What follows the predicted class: nothing; its odds in the leaf, p / (1 - p) ("inf" where
        the leaf has no other class); its probability p; or the weight of each class, in the order
        of ``classes_``. With `priors` of the tree, they are those that the priors imply. A
        regression has its mean alone.
    weighted : bool, default=True
        Let n be the weight of the training rows in the leaf: the sum of `sample_weight` times
        `class_weight`, so that a row of weight 2 counts as two. False counts rows of positive
        weight, whatever it is; a tree does not know them class by class, so that
        ``show="counts"`` is refused.
    decimals : int, default=3
        Of odds, probabilities, and weights that are not whole.

    Returns
    -------
    list of str
        Conditions and what follows from them, leaves from the left to the right.

    Raises
    ------
    ValueError
        If `feature_names` or `class_names` has another length than the fit knows, `class_names` or
        a `show` other than "label" is given for a regression, or ``show="counts"`` for rows in
        place of weights.
    TypeError
        If `decision_tree` is not a tree, or an argument is of the wrong type.

    Examples
    --------
    >>> from statfast.datasets import load_iris
    >>> from statfast.tree import DecisionTreeClassifier, tree_rules
    >>> data = load_iris()
    >>> model = DecisionTreeClassifier(max_depth=2).fit(data.data, data.target)
    >>> names = ["sl", "sw", "pl", "pw"]
    >>> tree_rules(model, feature_names=names)[1]
    'pl > 2.45 and pw <= 1.75: class: 1 (n = 54)'
    >>> tree_rules(model, feature_names=names, class_names=data.target_names, show="odds")[1]
    'pl > 2.45 and pw <= 1.75: class: versicolor (odds = 9.800, n = 54)'
    >>> tree_rules(model, feature_names=names, show="counts")[1]
    'pl > 2.45 and pw <= 1.75: class: 1 (counts = 0 / 49 / 5, n = 54)'
    """
    names = _names(decision_tree, feature_names)
    verdicts = _Verdicts.of_leaves(decision_tree, class_names, show, weighted, decimals)
    tree, rules = decision_tree.tree_, []
    waiting: list[tuple[int, dict[int, Any]]] = [(0, {})]
    while waiting:
        node, ranges = waiting.pop()
        if tree.children_left[node] < 0:
            conditions = [_condition(names[j], limits) for j, limits in ranges.items()]
            rules.append(f"{' and '.join(conditions) or 'always'}: {verdicts.text(node)}")
            continue
        j, cut = int(tree.feature[node]), float(tree.threshold[node])
        if (sets := decision_tree.split_categories(node)) is not None:
            waiting.append((tree.children_right[node], {**ranges, j: sets[1]}))
            waiting.append((tree.children_left[node], {**ranges, j: sets[0]}))
            continue
        low, high = ranges.get(j, (-np.inf, np.inf))
        waiting.append((tree.children_right[node], {**ranges, j: (cut, high)}))
        waiting.append((tree.children_left[node], {**ranges, j: (low, cut)}))
    return rules


@dataclass(frozen=True)
class _Verdicts:
    """What follows from the conditions of a leaf, as text."""

    model: Any
    classes: Any  # the names of the classes of nodes; None for a regression
    counts: list[Array]  # for each output the weights (node_count, K)
    leaf_sizes: Array  # (node_count,)
    show: str
    decimals: int

    @staticmethod
    def of_leaves(
        model: Any, class_names: Any, show: Any, weighted: Any, decimals: Any
    ) -> _Verdicts:
        """Check the arguments of `tree_rules`, and gather what it shows."""
        as_choice(show, "show", ("label", "odds", "proba", "counts"))
        by_weight = as_flag(weighted, "weighted")
        digits = as_digits(decimals, "decimals")
        if show == "counts" and not by_weight:
            raise ValueError(
                "weighted must be True for show='counts', as a tree knows the weight of each class "
                "in a leaf and not its rows; got False. Leave it out."
            )
        tree = model.tree_
        sizes = tree.weighted_n_node_samples if by_weight else tree.n_node_samples
        if not hasattr(model, "node_classes"):
            for name, value, none, is_other in (
                ("class_names", class_names, None, class_names is not None),
                ("show", show, "label", show != "label"),
            ):
                if is_other:
                    raise ValueError(
                        f"{name} must be {none!r} for a regression; got {shown(value)}. Leave it "
                        "out."
                    )
            return _Verdicts(model, None, [], sizes, show, digits)
        classes = model.node_classes()
        if class_names is not None:
            classes = _class_names(model, classes, class_names)
        counts = model.node_counts()
        several = isinstance(model.classes_, list)
        if by_weight and not several:
            sizes = counts.sum(axis=1)  # with priors, not the weights that chose splits
        widths = [len(labels) for labels in model.classes_] if several else [counts.shape[-1]]
        outputs = np.moveaxis(counts, 1, 0) if several else counts[None]
        counts = [output[:, :K] for output, K in zip(outputs, widths, strict=True)]
        return _Verdicts(model, classes, counts, sizes, show, digits)

    def text(self, leaf: int) -> str:
        """The prediction of a leaf, with what `show` asks for, and the size of the leaf."""
        facts = []
        if self.show != "label":
            details = ", ".join(self._detail(leaf, k) for k in range(len(self.counts)))
            facts.append(f"{self.show.replace('proba', 'p')} = {details}")
        facts.append(f"n = {weight_text(self.leaf_sizes[leaf], self.decimals)}")
        verdict = _leaf_text(self.model, leaf, 6, False, self.classes)
        return f"{verdict} ({', '.join(facts)})" if facts else verdict

    def _detail(self, leaf: int, output: int) -> str:
        """Odds or probability of the predicted class of an output, or the weights of all."""
        counts = self.counts[output][leaf]
        if self.show == "counts":
            return " / ".join(weight_text(weight, self.decimals) for weight in counts)
        rest = np.delete(counts, self._predicted(output)[leaf]).sum()
        likely = counts.sum() - rest if rest else counts.sum()
        if self.show == "odds":
            return f"{likely / rest:.{self.decimals}f}" if rest > 0 else "inf"
        return f"{likely / counts.sum():.{self.decimals}f}"

    def _predicted(self, output: int) -> Array:
        """The codes of the predicted classes of nodes."""
        return self.model._decided(self.model.tree_.value)[:, output]


def _condition(name: str, limits: tuple[float, float]) -> str:
    if isinstance(limits, list):
        return _is_one_of(name, limits)
    low, high = limits
    if np.isinf(low):
        return f"{name} <= {high:g}"
    return f"{name} > {low:g}" if np.isinf(high) else f"{low:g} < {name} <= {high:g}"
