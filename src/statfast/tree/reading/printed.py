# SPDX-License-Identifier: BSD-3-Clause
"""A tree as text: indented questions, or a rule for each leaf."""

import numpy as np

from statfast._validation import as_count, as_flag, not_fitted


def _names(model, feature_names):
    if not model.__sklearn_is_fitted__():
        raise not_fitted(model)
    p = model.n_features_in_
    if feature_names is None:
        feature_names = getattr(model, "feature_names_in_", [f"feature_{j}" for j in range(p)])
    names = [str(name) for name in feature_names]
    if len(names) != p:
        raise ValueError(f"feature_names must name {p} columns; got {len(names)}.")
    return names


def _verdict(model, node, decimals, show_weights):
    tree = model.tree_
    value = tree.value[node]
    if not hasattr(model, "classes_"):
        said = ", ".join(f"{x:.{decimals}f}" for x in value[:, 0])
        return f"value: [{said}]"
    several = isinstance(model.classes_, list)
    classes = model.classes_ if several else [model.classes_]
    said = [str(c[value[k, : len(c)].argmax()]) for k, c in enumerate(classes)]
    text = f"class: {', '.join(said)}"
    if show_weights:
        mass = value[0, : len(classes[0])] * tree.weighted_n_node_samples[node]
        text = f"weights: [{', '.join(f'{x:.{decimals}f}' for x in mass)}] {text}"
    return text


def export_text(
    decision_tree, *, feature_names=None, max_depth=10, spacing=3, decimals=2, show_weights=False
):  # fmt: skip
    """The questions and answers of a tree, a line each.

    Parameters
    ----------
    decision_tree : DecisionTreeClassifier or DecisionTreeRegressor
    feature_names : array-like of str, shape (p,), optional
        None takes those of the fit.
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
        If `feature_names` has another length than the rows of the fit, or a count is negative.

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
    wide = as_count(spacing, "spacing")
    digits = as_count(decimals, "decimals", low=0)
    weights = as_flag(show_weights, "show_weights")
    tree, lines, waiting = decision_tree.tree_, [], [(0, 0, "")]
    bar = "|" + " " * wide
    while waiting:
        node, depth, question = waiting.pop()
        lead = bar * (depth - 1) + "|" + "-" * wide + " "
        if question:
            lines.append(lead + question)
        own = bar * depth + "|" + "-" * wide + " "
        if tree.children_left[node] < 0:
            lines.append(own + _verdict(decision_tree, node, digits, weights))
        elif depth > most:
            lines.append(f"{own}truncated branch of depth {_height(tree, node) + 1}")
        else:
            asked = f"{tree.threshold[node]:.{digits}f}"
            name = names[tree.feature[node]]
            right = (tree.children_right[node], depth + 1, f"{name} >  {asked}")
            left = (tree.children_left[node], depth + 1, f"{name} <= {asked}")
            waiting += [right, left]
    return "\n".join(lines) + "\n"


def _height(tree, node):
    height, level = 0, [node]
    while level := [c for n in level for c in (tree.children_left[n], tree.children_right[n])
                    if c >= 0]:  # fmt: skip
        height += 1
    return height


def tree_rules(decision_tree, *, feature_names=None):
    """A rule for each leaf: the range that each column must be in.

    Parameters
    ----------
    decision_tree : DecisionTreeClassifier or DecisionTreeRegressor
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
    tree, found, waiting = decision_tree.tree_, [], [(0, {})]
    while waiting:
        node, ranges = waiting.pop()
        if tree.children_left[node] < 0:
            said = [_condition(names[j], *limits) for j, limits in ranges.items()]
            verdict = _verdict(decision_tree, node, 6, False)
            rows = tree.n_node_samples[node]
            found.append(f"{' and '.join(said) or 'always'}: {verdict} (n = {rows})")
            continue
        j, cut = int(tree.feature[node]), float(tree.threshold[node])
        low, high = ranges.get(j, (-np.inf, np.inf))
        waiting.append((tree.children_right[node], {**ranges, j: (cut, high)}))
        waiting.append((tree.children_left[node], {**ranges, j: (low, cut)}))
    return found


def _condition(name, low, high):
    if np.isinf(low):
        return f"{name} <= {high:g}"
    return f"{name} > {low:g}" if np.isinf(high) else f"{low:g} < {name} <= {high:g}"
