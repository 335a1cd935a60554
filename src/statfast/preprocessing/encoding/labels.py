# SPDX-License-Identifier: BSD-3-Clause
"""Labels as numbers, and as tables of zeros and ones."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

import numpy as np

from statfast._estimator import Estimator, array, count, fitted, flag, one_of, param
from statfast._typing import Array, ArrayLike, Matrix
from statfast._validation import (
    as_count,
    as_csr,
    as_rows,
    as_sparse,
    explain_nonfinite,
    is_iterable,
    is_sparse,
    not_fitted,
    shown,
    to_array,
    warn_user,
)
from statfast.preprocessing.encoding.categories import distinct, numbered

MIN_MARK = -(2**31)
MAX_NAMED_LABELS = 10  # so many labels that are unknown are named in a sentence


class LabelCoder(Estimator):
    """The base of transformers of labels, which take y and no X."""

    classes_: Array = fitted()

    def _require_fit(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)

    def _publish_classes(self, classes: Array, **more: Any) -> Self:
        return self._publish(None, n_features_in_=1, classes_=classes, **more)

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import TransformerTags

        tags = super().__sklearn_tags__()
        tags.transformer_tags = TransformerTags()
        tags.input_tags.two_d_array = False
        tags.target_tags.one_d_labels = True
        return tags


def as_label_column(y: Any) -> Array:
    """Labels as an array (n,): numbers, strings or objects, missing ones among them."""
    column = to_array(y, "y", "a 1d array-like of labels")
    if column.ndim == 2 and column.shape[1] == 1:
        column = column[:, 0]
    if column.ndim != 1:
        raise ValueError(f"y should be a 1d array, got an array of shape {column.shape} instead.")
    if column.dtype.kind not in "biufOUST":
        raise ValueError(f"y must hold numbers or strings; got dtype {column.dtype}.")
    if column.dtype.kind == "f":
        explain_nonfinite(np.where(np.isnan(column), 0.0, column), "y")
    return column.astype(object) if column.dtype.kind == "T" else column


def _named_labels(labels: Iterable[Any]) -> str:
    listed = list(labels)
    more = ", ..." if len(listed) > MAX_NAMED_LABELS else ""
    return f"[{', '.join(map(shown, listed[:MAX_NAMED_LABELS]))}{more}]"


class LabelEncoder(LabelCoder):
    """Labels as the numbers 0, ..., K - 1.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        The distinct labels, sorted; None and NaN come last.

    See Also
    --------
    statfast.preprocessing.OrdinalEncoder : The same for columns of X.

    Notes
    -----
    Classifiers here take labels of any type: this is for what does not. O(n log n) time.

    References
    ----------
    Hastie, Tibshirani & Friedman 2009, The Elements of Statistical Learning, section 2.2,
    doi:10.1007/978-0-387-84858-7 (codes of qualitative outputs).

    Examples
    --------
    >>> from statfast.preprocessing import LabelEncoder
    >>> coder = LabelEncoder().fit(["spam", "ham", "spam"])
    >>> coder.classes_
    array(['ham', 'spam'], dtype='<U4')
    >>> coder.transform(["ham", "spam"])
    array([0, 1])
    >>> coder.inverse_transform([1, 1, 0])
    array(['spam', 'spam', 'ham'], dtype='<U4')
    """

    def fit(self, y: ArrayLike) -> Self:
        """Find the distinct labels.

        Parameters
        ----------
        y : array-like of shape (n,)
            Numbers or strings.

        Returns
        -------
        self : LabelEncoder

        Raises
        ------
        ValueError
            If y is not one-dimensional, or holds other things.
        TypeError
            If y holds labels that have no order, such as numbers beside strings.
        """
        return self._publish_classes(distinct(as_label_column(y), "y")[0])

    def fit_transform(self, y: ArrayLike) -> Array:
        """Find the distinct labels, and return the number of each.

        Parameters
        ----------
        y : array-like of shape (n,)
            Numbers or strings.

        Returns
        -------
        ndarray of int, shape (n,)
        """
        classes, codes = distinct(as_label_column(y), "y")
        self._publish_classes(classes)
        return codes.astype(np.int64, copy=False)

    def transform(self, y: ArrayLike) -> Array:
        """Return the number of each label.

        Parameters
        ----------
        y : array-like of shape (m,)
            Labels that ``fit`` has seen.

        Returns
        -------
        ndarray of int, shape (m,)

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            If y has other labels.
        """
        self._require_fit()
        column = as_label_column(y)
        codes = numbered(column, self.classes_)
        if (codes < 0).any():
            unseen = dict.fromkeys(column[codes < 0].tolist())
            raise ValueError(f"y contains previously unseen labels: {_named_labels(unseen)}.")
        return codes.astype(np.int64, copy=False)

    def inverse_transform(self, y: ArrayLike) -> Array:
        """Return the labels of numbers.

        Parameters
        ----------
        y : array-like of int, shape (m,)
            Numbers from 0 to K - 1.

        Returns
        -------
        ndarray of shape (m,)

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            If a number is out of its range.
        """
        self._require_fit()
        codes = as_label_column(y)
        if not len(codes):
            return self.classes_[:0]
        places = numbered(codes, np.arange(len(self.classes_)))
        if (places < 0).any():
            unseen = dict.fromkeys(codes[places < 0].tolist())
            raise ValueError(
                f"y contains previously unseen labels: {_named_labels(unseen)}. Codes are from 0 "
                f"to {len(self.classes_) - 1}."
            )
        return self.classes_[places]


def label_binarize(
    y: ArrayLike,
    *,
    classes: ArrayLike,
    neg_label: int = 0,
    pos_label: int = 1,
    sparse_output: bool = False,
) -> Matrix:
    """Labels as a table with a column for each class.

    Parameters
    ----------
    y : array-like of shape (n,), or of shape (n, K)
        Labels; or a table of zeros and ones, for several labels a row.
    classes : array-like of shape (K,)
        The classes, in the order of the columns. Other labels are in none of them.
    neg_label : int, default=0
        What stands for "not of the class".
    pos_label : int, default=1
        What stands for "of the class"; greater than `neg_label`.
    sparse_output : bool, default=False
        Return a CSR matrix; `neg_label` must be 0.

    Returns
    -------
    ndarray or csr_array of int, shape (n, K), or (n, 1) for two classes
        The one column of two classes is that of the second.

    Raises
    ------
    ValueError
        If y is neither, has no rows, or the numbers are not in order.

    Examples
    --------
    >>> from statfast.preprocessing import label_binarize
    >>> label_binarize(["b", "c"], classes=["a", "b", "c"])
    array([[0, 1, 0],
           [0, 0, 1]])
    """
    low, high = _checked_marks(neg_label, pos_label, sparse_output)
    levels = as_label_column(classes)
    indicator = as_indicators(y)
    if indicator is not None:
        if indicator.shape[1] != len(levels):
            raise ValueError(
                f"classes must name the {indicator.shape[1]} columns of y; got {len(levels)}."
            )
        marks = indicator.astype(bool)
    else:
        column = _as_classes(y)
        ranked, rank = distinct(levels, "classes")
        column_of_rank = np.empty(len(ranked), dtype=np.intp)
        column_of_rank[rank] = np.arange(len(levels))
        ranks = numbered(column, ranked)
        rows = np.flatnonzero(ranks >= 0)
        columns = column_of_rank[ranks[rows]]
        marks = np.zeros((len(column), len(levels)), dtype=bool)
        marks[rows, columns] = True
        if len(levels) <= 2:
            marks = marks[:, 1:] if len(levels) == 2 else np.zeros((len(column), 1), dtype=bool)
    if sparse_output:
        from scipy.sparse import csr_array

        return csr_array(marks.astype(np.int64) * high)
    return np.where(marks, high, low)


def _checked_marks(neg_label: Any, pos_label: Any, sparse: bool) -> tuple[int, int]:
    low, high = (
        as_count(neg_label, "neg_label", MIN_MARK),
        as_count(pos_label, "pos_label", MIN_MARK),
    )
    if not low < high:
        raise ValueError(
            f"neg_label={shown(neg_label)} must be strictly less than pos_label={shown(pos_label)}."
        )
    if sparse and (pos_label == 0 or neg_label != 0):
        raise ValueError(
            "Sparse binarization is only supported with non zero pos_label and zero neg_label; got "
            f"pos_label={shown(pos_label)} and neg_label={shown(neg_label)}."
        )
    return low, high


def as_indicators(y: Any) -> Array | None:
    """y as an int64 table of zeros and ones (n, K) for at least two labels; None of other y."""
    if is_sparse(y):
        table = as_sparse(y, name="y").toarray()
    elif y is None or isinstance(y, str | bytes | dict | set):
        return None
    else:
        table = to_array(y, "y", "an array of labels, or an indicator matrix")
    if table.ndim != 2 or table.shape[1] < 2:
        return None
    if table.dtype.kind not in "biuf" or not np.isin(table, (0, 1)).all():
        raise ValueError(
            "y of two dimensions must be an indicator matrix, 1 where a row has the label of a "
            f"column and 0 elsewhere; got others, in shape {table.shape}. Pass one label for each "
            "row, or 0 and 1."
        )
    return table.astype(np.int64)


def _as_classes(y: Any) -> Array:
    column = as_label_column(y)
    if not len(column):
        raise ValueError("y has 0 samples: pass at least one label.")
    if column.dtype.kind == "f" and (np.isnan(column).any() or (column % 1.0 != 0.0).any()):
        raise ValueError("Unknown target data type: y is continuous, and must hold labels.")
    return column


class LabelBinarizer(LabelCoder):
    """Labels as a table with a column for each class.

    Parameters
    ----------
    neg_label : int, default=0
        What stands for "not of the class".
    pos_label : int, default=1
        What stands for "of the class"; greater than `neg_label`.
    sparse_output : bool, default=False
        Return CSR matrices; `neg_label` must be 0.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        The classes, sorted; of a table of zeros and ones the numbers of its columns.
    y_type_ : {"binary", "multiclass", "multilabel-indicator"}
        What ``fit`` was given.
    sparse_input_ : bool
        Whether it was sparse.

    See Also
    --------
    statfast.preprocessing.OneHotEncoder : The same for columns of X.
    statfast.multiclass.OneVsRestClassifier : Fits a classifier to each of the columns.

    Notes
    -----
    Two classes have one column, which is that of the second. Labels that ``fit`` has not seen are
    in no class. O(n K) time and memory; with `sparse_output` the table is made before it is packed.

    References
    ----------
    Hastie, Tibshirani & Friedman 2009, The Elements of Statistical Learning, section 4.2,
    doi:10.1007/978-0-387-84858-7 (indicator matrices).

    Examples
    --------
    >>> from statfast.preprocessing import LabelBinarizer
    >>> coder = LabelBinarizer().fit(["b", "a", "c"])
    >>> coder.transform(["c", "a"])
    array([[0, 0, 1],
           [1, 0, 0]])
    >>> coder.inverse_transform([[0.2, 0.7, 0.1]])
    array(['b'], dtype='<U1')
    """

    neg_label: int = param(count(MIN_MARK), default=0)
    pos_label: int = param(count(MIN_MARK), default=1)
    sparse_output: bool = param(flag, default=False)

    y_type_: str = fitted()
    sparse_input_: bool = fitted()

    def fit(self, y: ArrayLike) -> Self:
        """Find the classes.

        Parameters
        ----------
        y : array-like of shape (n,), or of shape (n, K)
            Labels; or a table of zeros and ones, sparse or not, for several labels a row.

        Returns
        -------
        self : LabelBinarizer

        Raises
        ------
        ValueError
            If y is neither, has no rows, or the parameters are not in order.
        """
        self._checked()
        _checked_marks(self.neg_label, self.pos_label, self.sparse_output)
        indicator = as_indicators(y)
        if indicator is not None:
            classes, kind = np.arange(indicator.shape[1]), "multilabel-indicator"
        else:
            classes = distinct(_as_classes(y), "y")[0]
            kind = "binary" if len(classes) <= 2 else "multiclass"
        return self._publish_classes(classes, y_type_=kind, sparse_input_=is_sparse(y))

    def fit_transform(self, y: ArrayLike) -> Matrix:
        """Find the classes, and return the table of the labels.

        Parameters
        ----------
        y : array-like of shape (n,), or of shape (n, K)
            Labels, or a table of zeros and ones.

        Returns
        -------
        ndarray or csr_array of int, shape (n, K), or (n, 1) for two classes
        """
        return self.fit(y).transform(y)

    def transform(self, y: ArrayLike) -> Matrix:
        """Return the table of labels.

        Parameters
        ----------
        y : array-like of shape (m,), or of shape (m, K)
            Labels, of which those that ``fit`` has not seen are in no class; or a table of zeros
            and ones, if it was given one.

        Returns
        -------
        ndarray or csr_array of int, shape (m, K), or (m, 1) for two classes

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            If y is of another kind than that of ``fit``.
        """
        self._require_fit()
        if self.y_type_ != "multilabel-indicator" and as_indicators(y) is not None:
            raise ValueError(
                "The object was not fitted with multilabel input: pass one label a row."
            )
        return label_binarize(
            y,
            classes=self.classes_,
            neg_label=self.neg_label,
            pos_label=self.pos_label,
            sparse_output=self.sparse_output,
        )

    def inverse_transform(self, Y: ArrayLike, threshold: float | None = None) -> Matrix:
        """Return the labels of a table.

        Parameters
        ----------
        Y : array-like or sparse matrix of shape (m, K), or (m, 1) for two classes
            What ``transform`` gave, or scores.
        threshold : float, optional
            Scores above it are of the class, where there are two classes or several labels a row;
            None is midway between `neg_label` and `pos_label`. Of more classes, the largest score
            wins, and the first of equal ones.

        Returns
        -------
        ndarray of shape (m,), or a table of zeros and ones of shape (m, K)
            The table is sparse if that of ``fit`` was.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            If Y has other columns than ``transform`` gives.
        """
        self._require_fit()
        if is_sparse(Y):
            scores = as_csr(Y, name="Y").toarray()
        else:
            scores = to_array(Y, "Y", "an array-like of numbers", numbers=True)
            scores = as_rows(scores[:, None] if scores.ndim == 1 else scores, name="Y")
        n_classes = len(self.classes_)
        if threshold is None:
            threshold = (self.pos_label + self.neg_label) / 2.0
        if self.y_type_ == "multiclass":
            self._require_columns(scores, n_classes)
            return self.classes_[scores.argmax(axis=1)]
        above = scores > threshold
        if self.y_type_ == "multilabel-indicator":
            self._require_columns(scores, n_classes)
            marks = above.astype(np.int64)
            if not self.sparse_input_:
                return marks
            from scipy.sparse import csr_array

            return csr_array(marks)
        if n_classes == 2 and above.shape[1] == 2:
            return self.classes_[above[:, 1].astype(np.intp)]
        self._require_columns(scores, 1)
        if n_classes == 1:
            return np.repeat(self.classes_, len(scores))
        return self.classes_[above[:, 0].astype(np.intp)]

    @staticmethod
    def _require_columns(scores: Array, n_columns: int) -> None:
        if scores.ndim != 2 or scores.shape[1] != n_columns:
            raise ValueError(f"Y must have {n_columns} column(s); got shape {scores.shape}.")


class MultiLabelBinarizer(LabelCoder):
    """Sets of labels as a table with a column for each label.

    Parameters
    ----------
    classes : array-like of shape (K,), optional
        The labels, in the order of the columns; None are those of ``fit``, sorted.
    sparse_output : bool, default=False
        Return CSR matrices.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        The labels of the columns.

    See Also
    --------
    statfast.multiclass.OneVsRestClassifier : Learns such a table.
    statfast.patterns : Item sets of such rows.

    Notes
    -----
    Time and memory in proportion to the labels of all rows; O(n K) memory for dense tables.

    References
    ----------
    Tsoumakas & Katakis 2007, Multi-label classification: an overview, International Journal of
    Data Warehousing and Mining 3(3), doi:10.4018/jdwm.2007070101.

    Examples
    --------
    >>> from statfast.preprocessing import MultiLabelBinarizer
    >>> coder = MultiLabelBinarizer()
    >>> coder.fit_transform([{"bread", "milk"}, {"milk"}, set()])
    array([[1, 1],
           [0, 1],
           [0, 0]])
    >>> coder.inverse_transform([[1, 0]])
    [('bread',)]
    """

    classes: ArrayLike | None = param(array | one_of(None), default=None)
    sparse_output: bool = param(flag, default=False)

    def fit(self, y: Iterable[Iterable[Any]]) -> Self:
        """Find the labels.

        Parameters
        ----------
        y : iterable of n iterables
            The labels of each row.

        Returns
        -------
        self : MultiLabelBinarizer

        Raises
        ------
        ValueError
            If `classes` names a label twice.
        TypeError
            If y is not of sets of labels, or labels have no order.
        """
        self._checked()
        return self._publish_classes(self._classes_of_rows(_label_sets(y)))

    def fit_transform(self, y: Iterable[Iterable[Any]]) -> Matrix:
        """Find the labels, and return the table of the rows.

        Parameters
        ----------
        y : iterable of n iterables
            The labels of each row.

        Returns
        -------
        ndarray or csr_array of int, shape (n, K)
        """
        rows = _label_sets(y)
        return self.fit(rows).transform(rows)

    def transform(self, y: Iterable[Iterable[Any]]) -> Matrix:
        """Return the table of rows of labels.

        Parameters
        ----------
        y : iterable of m iterables
            The labels of each row. Those that are not known are left out, with a warning.

        Returns
        -------
        ndarray or csr_array of int, shape (m, K)

        Raises
        ------
        NotFittedError
            Before ``fit``.
        """
        self._require_fit()
        rows = _label_sets(y)
        place = {label: k for k, label in enumerate(self.classes_.tolist())}
        found = [sorted({place[label] for label in row if label in place}) for row in rows]
        unknown = dict.fromkeys(label for row in rows for label in row if label not in place)
        if unknown:
            warn_user(f"unknown class(es) {_named_labels(unknown)} will be ignored")
        columns = np.array([k for row in found for k in row], dtype=np.intp)
        sizes = np.array([len(row) for row in found], dtype=np.intp)
        if self.sparse_output:
            from scipy.sparse import csr_array

            starts = np.append(0, np.cumsum(sizes))
            ones = np.ones(len(columns), dtype=np.int64)
            return csr_array((ones, columns, starts), shape=(len(rows), len(place)))
        table = np.zeros((len(rows), len(place)), dtype=np.int64)
        table[np.repeat(np.arange(len(rows)), sizes), columns] = 1
        return table

    def inverse_transform(self, yt: Matrix | ArrayLike) -> list[tuple[Any, ...]]:
        """Return the labels of rows of zeros and ones.

        Parameters
        ----------
        yt : array-like or sparse matrix of shape (m, K)
            Zeros and ones.

        Returns
        -------
        list of m tuples

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            If yt has other columns, or other numbers.
        """
        self._require_fit()
        if not is_sparse(yt):
            yt = to_array(yt, "yt", "an array-like of zeros and ones")
        shape = yt.shape
        if len(shape) != 2 or shape[1] != len(self.classes_):
            raise ValueError(f"yt must have {len(self.classes_)} columns; got shape {shape}.")
        if not shape[1]:
            return [()] * shape[0]
        table = as_csr(yt, name="yt").toarray() if is_sparse(yt) else as_rows(yt, name="yt")
        if not np.isin(table, (0, 1)).all():
            raise ValueError("Expected only 0s and 1s in label indicator yt.")
        return [tuple(self.classes_[row]) for row in table.astype(bool)]

    def _classes_of_rows(self, rows: list[list[Any]]) -> Array:
        if self.classes is None:
            labels = list(dict.fromkeys(label for row in rows for label in row))
            column = np.empty(len(labels), dtype=object)
            column[:] = labels
            ranked = distinct(column, "y")[0]
            integers = all(type(label) is int for label in labels)
            return ranked.astype(np.int64) if integers and labels else ranked
        listed = list(to_array(self.classes, "classes", "a list of labels").tolist())
        if len(set(listed)) < len(listed):
            raise ValueError(
                "The classes argument contains duplicate classes. Remove these duplicates before "
                "passing them to MultiLabelBinarizer."
            )
        integers = all(type(label) is int for label in listed)
        out = np.empty(len(listed), dtype=np.int64 if integers else object)
        out[:] = listed
        return out


def _label_sets(y: Any) -> list[list[Any]]:
    if isinstance(y, str | bytes) or not is_iterable(y):
        raise TypeError(f"y must be an iterable of sets of labels; got {type(y).__name__}.")
    rows = []
    for row in y:
        if not is_iterable(row):
            raise TypeError(
                f"y must hold a set of labels for each row; got {shown(row)}. Use LabelBinarizer "
                "for one label a row."
            )
        rows.append([label.item() if isinstance(label, np.generic) else label for label in row])
    return rows
