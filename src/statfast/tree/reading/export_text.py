# SPDX-License-Identifier: BSD-3-Clause
"""A tree as text: indented conditions, or a rule for each leaf."""

from typing import TYPE_CHECKING, Any

import numpy as np

from statfast._typing import Array, ArrayLike
from statfast._validation import as_count, as_flag, not_fitted, to_array, wrong_type
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
    p = model.n_features_in_
    if feature_names is None:
        feature_names = getattr(model, "feature_names_in_", [f"feature_{j}" for j in range(p)])
    wanted = "a list of names"
    if to_array(feature_names, "feature_names", wanted).ndim != 1:
        raise wrong_type("feature_names", wanted, feature_names)
    names = [str(name) for name in feature_names]
    if len(names) != p:
        raise ValueError(f"feature_names must name {p} columns; got {len(names)}.")
    return names


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
    decision_tree: "DecisionTreeClassifier | DecisionTreeRegressor",
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
        None takes those of the fit.
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
        If `decision_tree` is no tree, or a parameter is of the wrong type.

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
    digits = as_count(decimals, "decimals", low=0)
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
    decision_tree: "DecisionTreeClassifier | DecisionTreeRegressor",
    *,
    feature_names: ArrayLike | None = None,
) -> list[str]:
    """Rules of the leaves of a decision tree: a range, or categories, for each feature.

    Parameters
    ----------
    decision_tree : DecisionTreeClassifier or DecisionTreeRegressor
        Fitted tree.
    feature_names : array-like of str, shape (p,), optional
        None takes those of the fit.

    Returns
    -------
    list of str
        Conditions and what follows from them, leaves from the left to the right.

    Raises
    ------
    ValueError
        If `feature_names` has another length than the rows of the fit.
    TypeError
        If `decision_tree` is no tree, or `feature_names` is no list.

    Examples
    --------
    >>> from statfast.datasets import load_iris
    >>> from statfast.tree import DecisionTreeClassifier, tree_rules
    >>> data = load_iris()
    >>> model = DecisionTreeClassifier(max_depth=2).fit(data.data, data.target)
    >>> tree_rules(model, feature_names=["sl", "sw", "pl", "pw"])[1]
    'pl > 2.45 and pw <= 1.75: class: 1 (n = 54)'
    """
    names = _names(decision_tree, feature_names)
    tree, rules = decision_tree.tree_, []
    waiting: list[tuple[int, dict[int, Any]]] = [(0, {})]
    node_classes = getattr(decision_tree, "node_classes", None)
    classes = None if node_classes is None else node_classes()
    while waiting:
        node, ranges = waiting.pop()
        if tree.children_left[node] < 0:
            conditions = [_condition(names[j], limits) for j, limits in ranges.items()]
            verdict = _leaf_text(decision_tree, node, 6, False, classes)
            rows = tree.n_node_samples[node]
            rules.append(f"{' and '.join(conditions) or 'always'}: {verdict} (n = {rows})")
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


def _condition(name: str, limits: tuple[float, float]) -> str:
    if isinstance(limits, list):
        return _is_one_of(name, limits)
    low, high = limits
    if np.isinf(low):
        return f"{name} <= {high:g}"
    return f"{name} > {low:g}" if np.isinf(high) else f"{low:g} < {name} <= {high:g}"
