# SPDX-License-Identifier: BSD-3-Clause
"""Sets of labels of any classifier, which hold a new label as often as their level says."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, Self

import numpy as np

from statfast._engine import checkpoint
from statfast._estimator import (
    Classifier,
    Estimator,
    RankRule,
    by_fit,
    count,
    count_rows,
    fitted,
    flag,
    handed,
    handed_for,
    one_of,
    param,
    randomness,
    real,
    take_rows,
    weighted_labels,
    width_of,
    with_tags_of,
)
from statfast._typing import Array, ArrayLike, Rows, Seed, Weights
from statfast._validation import as_generator, column_names, shown, warn_user
from statfast.conformal.held_out_rows import (
    LEVEL,
    FoldModel,
    RowsOfFit,
    as_member,
    as_question,
    is_prefit,
    models_of_folds,
    parts_of_question,
    rows_of_fit,
    split_member,
    warn_unbounded,
    warn_unweighted,
    whole_fit,
    with_weight,
)
from statfast.linear import LogisticRegression

METHODS = ("split", "cv+")
SCORES = ("lac", "aps", "raps")


@dataclass(frozen=True)
class LabelScore:
    """The score of each label; labels with small scores are in the set.

    "lac": one less the label's probability. "aps": the probability of all labels that are at least
    as likely, the first of equals first. "raps": that and a penalty for each label beyond a rank.
    """

    name: str
    penalty: float
    penalty_rank: int

    def of_all(self, probabilities: Array, uniform: Array | None = None) -> Array:
        """Scores (m, K) of probabilities; `uniform` (m,) takes such a share of the label itself
        out of its sum."""
        if self.name == "lac":
            return 1.0 - probabilities
        order = np.argsort(-probabilities, axis=1, kind="stable")
        descending = np.take_along_axis(probabilities, order, axis=1)
        sums = np.cumsum(descending, axis=1)
        if uniform is not None:
            sums -= uniform[:, None] * descending
        if self.name == "raps":
            ranks = np.arange(1, probabilities.shape[1] + 1)
            sums += self.penalty * np.maximum(0, ranks - self.penalty_rank)
        scores = np.empty_like(sums)
        np.put_along_axis(scores, order, sums, axis=1)
        return scores


@dataclass(frozen=True)
class HeldLabels:
    """What is kept of the held-out rows, (n,): scores of their labels, and what goes with each."""

    scores: Array
    codes: Array
    fit_of_row: Array
    weights: Array | None
    categories: Array | None


class ConformalClassifier(Classifier, Estimator):
    """Conformal prediction sets around any classifier with probabilities.

    A set of level 0.9 holds the label of a new row with probability 0.9 or nearly so, whatever the
    distribution and however bad the probabilities, if rows are exchangeable.

    Parameters
    ----------
    estimator : classifier, optional
        Anything with ``fit`` and ``predict_proba``. None takes ``LogisticRegression(C=1.0)``.
    method : {"split", "cv+"}, default="split"
        How rows are held out: "split" fits some rows and scores the others, "cv+" holds out each
        fold.
    conformity_score : {"lac", "aps", "raps"}, default="lac"
        How little a label conforms: one less its probability, which gives the smallest sets [1]_;
        the probability of it and of all that are likelier, whose sets are as large as the row is
        hard [2]_; or that with a penalty for each label beyond a rank [3]_.
    cv : float, int, splitter, iterable or "prefit", optional
        For "split" the share of the rows that are held out, None for 0.25, or "prefit": the
        estimator is fitted already, to other rows. For "cv+" the folds, None for 5.
    level : float, default=0.9
        Probability that a set holds the label, unless ``predict_set`` gets another.
    by_class : bool, default=False
        Give each label a bound of its own, from the held-out rows with it: the level then holds for
        each label.
    randomized : bool, default=True
        For "aps" and "raps": take a share of the label's own probability, drawn for each row, out
        of its score, as the papers do. Sets are then as large as the level asks for, and may be
        empty; without, those of easy rows are far too large.
    penalty : float, default=0.01
        For "raps": what each label beyond `penalty_rank` adds to the score.
    penalty_rank : int, default=2
        For "raps": labels without a penalty.
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator of the rows that are held out, and of the shares of `randomized`; an
        integer makes the result reproducible.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        Labels, sorted.
    estimator_ : classifier
        Fitted, to all rows but with "split": to those that are not held out.
    strategy_ : str
        How the fits without some rows were made: "merged statistics", "closed form", "shared
        structure", "refit", or "split".
    n_held_out_ : int
        Held-out rows.
    n_features_in_ : int
        Columns.
    feature_names_in_ : ndarray of str
        Names of columns, if X had some.

    See Also
    --------
    statfast.conformal.coverage_report : How often sets hold the labels of other rows.

    Notes
    -----
    With exchangeable rows, the probability that a set holds a new label is at least `level` for
    "split", and mostly about `level` for "cv+", where 2 `level` - 1 is all that can be proved.
    These are probabilities over samples and new rows together: they do not hold for each x or,
    unless `by_class` is True, for each label.

    Without `randomized`, scores of "aps" and "raps" count the label's own probability, so that sets
    hold the label more often than they say. Labels of equal probability go lowest label first.

    A label that has too few held-out rows for a bound is in all sets, with a warning. Cost: that of
    the fits, and O(m K log n) for the sets of m rows.

    References
    ----------
    .. [1] M. Sadinle, J. Lei & L. Wasserman (2019), "Least ambiguous set-valued classifiers with
       bounded error levels". doi:10.1080/01621459.2017.1395341
    .. [2] Y. Romano, M. Sesia & E. J. Candes (2020), "Classification with valid and adaptive
       coverage". arXiv:2006.02544
    .. [3] A. Angelopoulos, S. Bates, J. Malik & M. I. Jordan (2021), "Uncertainty sets for image
       classifiers using conformal prediction". arXiv:2009.14193

    Examples
    --------
    >>> from statfast import ConformalClassifier, GaussianNB
    >>> from statfast.datasets import load_iris
    >>> iris = load_iris()
    >>> model = ConformalClassifier(GaussianNB(), method="cv+", level=0.95)
    >>> model.fit(iris.data, iris.target).predict_set(iris.data[[0, 70]])
    array([[ True, False, False],
           [False, False,  True]])
    """

    estimator: Any = param(by_fit, default=None, kw_only=False)
    method: Literal["split", "cv+"] = param(one_of(*METHODS), default="split")
    conformity_score: Literal["lac", "aps", "raps"] = param(one_of(*SCORES), default="lac")
    cv: Any = param(by_fit, default=None)
    level: float = param(LEVEL, default=0.9)
    by_class: bool = param(flag, default=False)
    randomized: bool = param(flag, default=True)
    penalty: float = param(real(0.0), default=0.01)
    penalty_rank: int = param(count(0), default=2)
    random_state: Seed = param(randomness, default=None)

    classes_: Array = fitted()
    estimator_: Any = fitted()
    strategy_: str = fitted()
    n_held_out_: int = fitted()
    _models: list[FoldModel] = fitted()
    _whole: FoldModel = fitted()
    _held_rows: HeldLabels = fitted()
    _rule: LabelScore = fitted()

    def fit(
        self,
        X: Rows,
        y: ArrayLike,
        sample_weight: Weights = None,
        *,
        categories: ArrayLike | None = None,
    ) -> Self:
        """Fit the classifier, and score the labels of held-out rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d), or what the estimator takes
            Samples.
        y : array-like of shape (n,)
            Labels.
        sample_weight : array-like of shape (n,), optional
            Weights of rows, of the estimator where its ``fit`` takes them, and of the scores. Under
            a shift of X they are the density of new rows over that of these.
        categories : array-like of shape (n,), optional
            The group of each row (Mondrian): levels then hold in each group, whose bounds come from
            its own rows.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If there are fewer than two classes or rows, folds that do not hold out each row once,
            or a label that an estimator of ``cv="prefit"`` does not know.
        TypeError
            If the estimator has no ``fit`` or ``predict_proba``.
        """
        params = self._checked()
        member = as_member(self.estimator, default_member, "predict_proba")
        handed_rows = handed(X)
        n = count_rows(handed_rows)
        prefit = isinstance(self.cv, str) and is_prefit(self.cv)
        if prefit and params.method != "split":
            raise ValueError(f"cv='prefit' goes with method='split'; got {params.method!r}.")
        classes, codes, weights = weighted_labels(y, n, sample_weight, least=1 if prefit else 2)
        all_rows = rows_of_fit(self, member, handed_rows, codes, weights, categories)
        rows, _ = with_weight(all_rows)
        rng = as_generator(self.random_state)
        warn_unweighted(member, rows.weights)
        labels = classes[rows.y]
        fold_of_row = np.zeros(len(rows), dtype=np.intp)
        if prefit:
            classes, held = among_known(member, classes, rows)
            whole, strategy, tests = FoldModel(member, None), "split", [np.arange(len(rows))]
            models = [whole]
        elif params.method == "split":
            whole, held, test = split_member(member, rows, labels, self.cv, rng)
            models, strategy = [whole], "split"
            fold_of_row, tests = fold_of_row[test], [np.arange(len(test))]
        else:
            models, tests, strategy = models_of_folds(member, all_rows, classes[codes], self.cv)
            whole, held = whole_fit(member, rows, labels), rows
        rule = LabelScore(params.conformity_score, params.penalty, params.penalty_rank)
        uniform = self._uniform(len(held), 1)
        scores = np.empty(len(held))
        for k, (fold, test) in enumerate(zip(models, tests, strict=True)):
            shares = probabilities(fold, take_rows(held.X, test), classes)
            of_all = rule.of_all(shares, take_rows(uniform, test))
            scores[test], fold_of_row[test] = of_all[np.arange(len(test)), held.y[test]], k
            checkpoint()
        self._warn_unseen(classes, held.y)
        names = column_names(X)
        return self._publish(
            None,
            classes_=classes,
            estimator_=whole.model,
            strategy_=strategy,
            n_held_out_=len(held),
            n_features_in_=width_of(rows.X, whole.model),
            **({} if names is None else {"feature_names_in_": names}),
            _models=models,
            _whole=whole,
            _held_rows=HeldLabels(scores, held.y, fold_of_row, held.weights, held.categories),
            _rule=rule,
        )

    def _uniform(self, m: int, stream: int) -> Array | None:
        """Shares between 0 and 1 of rows, where scores are randomized; rows of the fit and new ones
        have streams of their own."""
        if not self.randomized or self.conformity_score == "lac":
            return None
        rng = as_generator(self.random_state)
        return rng.spawn(2)[stream - 1].random(m)

    def _warn_unseen(self, classes: Array, codes: Array) -> None:
        counts = np.bincount(codes, minlength=len(classes))
        if not counts.all():
            unseen = shown(classes[counts == 0].tolist()[0])
            more = "it is in all sets" if self.by_class else "nothing is known of its coverage"
            warn_user(
                f"{(counts == 0).sum()} class(es), {unseen} the first, have no held-out row: {more}"
                ". Hold out more rows, or take method='cv+'."
            )

    def predict(self, X: Rows) -> Array:
        """Predict labels, those of the estimator.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d), or what the estimator takes
            Samples.

        Returns
        -------
        ndarray of shape (m,)
        """
        rows = handed_for(self, X)
        return self._whole.answers(rows, "predict")

    def predict_proba(self, X: Rows) -> Array:
        """Return the class probabilities of the estimator, to which no level applies.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d), or what the estimator takes
            Samples.

        Returns
        -------
        ndarray of shape (m, K)
        """
        rows = handed_for(self, X)
        return probabilities(self._whole, rows, self.classes_)

    def predict_set(
        self,
        X: Rows,
        *,
        level: float | None = None,
        sample_weight: Weights = None,
        categories: ArrayLike | None = None,
    ) -> Array:
        """Predict sets of labels.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d), or what the estimator takes
            Samples.
        level : float, optional
            Probability that a set holds the label; None is `level` of the model.
        sample_weight : array-like of shape (m,), optional
            Weights of these rows beside those of the fit, for sets of shifted rows; None is 1 for
            each.
        categories : array-like of shape (m,), optional
            The group of each row, where the fit had groups.

        Returns
        -------
        ndarray of bool, shape (m, K)
            Whether a label is in the set; all are, with a warning, where there are too few held-out
            rows.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            If X does not suit the estimator, `level` is not between 0 and 1, or `categories` are
            not as at fit.
        """
        rows = handed_for(self, X)
        question = as_question(self, level, sample_weight, categories, rows)
        held, m = self._held_rows, question.m
        uniform = self._uniform(m, 2)
        scores = [
            self._rule.of_all(probabilities(fold, rows, self.classes_), uniform)
            for fold in self._models
        ]
        sets = np.zeros((m, len(self.classes_)), dtype=bool)
        short = []
        for points, of_rows, rule in parts_of_question(question, held.categories, held.weights):
            out = np.arange(m) if points is None else points
            kept = np.arange(len(held.scores)) if of_rows is None else of_rows
            for c in range(len(self.classes_)) if self.by_class else (None,):
                mine = kept if c is None else kept[held.codes[kept] == c]
                columns = slice(None) if c is None else slice(c, c + 1)
                weights = take_rows(held.weights, mine)
                conform, least = self._conforming(
                    [score[out, columns] for score in scores],
                    mine,
                    RankRule(rule.level, weights, rule.new_weights),
                )
                sets[out, columns] = conform
                if least and len(out):
                    short.append((len(mine), c))
        if short:
            n, c = min(short, key=lambda pair: pair[0])
            label = "" if c is None else f" with label {shown(self.classes_[c].item())}"
            which = "all labels are in some sets" if c is None else "it is in all sets"
            warn_unbounded(question.level, n, which, label)
        return sets

    def _conforming(self, scores: list[Array], held: Array, rule: RankRule) -> tuple[Array, bool]:
        """Which labels conform, (m, columns), by scores of each fit; whether some have no bound.

        A label is out where held-out rows of so much weight as the level asks for have less.
        """
        known = self._held_rows
        below = np.zeros(scores[0].shape)
        for k, of_fit in enumerate(scores):
            rows = held[known.fit_of_row[held] == k]
            order = rows[np.argsort(known.scores[rows], kind="stable")]
            weights = np.ones(len(order)) if known.weights is None else known.weights[order]
            reached = np.append(0.0, np.cumsum(weights))
            # Scores of equal probabilities may differ in their last digits.
            slack = 1e-12 * (1.0 + np.abs(of_fit))
            below += reached[np.searchsorted(known.scores[order], of_fit - slack)]
        m = len(below)
        need = np.broadcast_to(rule.need(len(held)), m)
        total = float(len(held) if rule.weights is None else rule.weights.sum())
        return below < need[:, None], bool((need > total).any())

    def __sklearn_tags__(self) -> Any:
        member = default_member() if self.estimator is None else self.estimator
        return with_tags_of(super().__sklearn_tags__(), member)


def default_member() -> LogisticRegression:
    """What stands for no estimator: its penalty keeps it from certainty of separable classes."""
    return LogisticRegression(C=1.0)


def probabilities(fold: FoldModel, rows: Any, classes: Array) -> Array:
    """Probabilities (m, K) of all classes; 0 of those that a model has not seen."""
    shares = np.asarray(fold.answers(rows, "predict_proba"), dtype=np.float64)
    seen = np.asarray(getattr(fold.model, "classes_", classes))
    if shares.ndim != 2 or shares.shape[1] != len(seen):
        raise ValueError(
            f"estimator must give a probability for each of its {len(seen)} classes; got an array "
            f"of shape {shares.shape}."
        )
    if len(seen) == len(classes):
        return shares
    place = {label: c for c, label in enumerate(classes.tolist())}
    all_shares = np.zeros((len(shares), len(classes)))
    all_shares[:, [place[label] for label in seen.tolist()]] = shares
    return all_shares


def among_known(estimator: Any, classes: Array, rows: RowsOfFit) -> tuple[Array, RowsOfFit]:
    """The classes of a fitted estimator, and the rows with codes among them."""
    known = np.asarray(estimator.classes_)
    place = {label: c for c, label in enumerate(known.tolist())}
    unknown = [label for label in classes.tolist() if label not in place]
    if unknown:
        raise ValueError(
            f"y holds {shown(unknown[0])}, which the fitted estimator does not know. Leave out its "
            "rows, or fit the estimator with them."
        )
    codes = np.array([place[label] for label in classes.tolist()])[rows.y]
    return known, replace(rows, y=codes)
