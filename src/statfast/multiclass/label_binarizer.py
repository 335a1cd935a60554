# SPDX-License-Identifier: BSD-3-Clause
"""Labels as columns of 0 and 1, a column for each class, and back."""

from typing import Any

import numpy as np

from statfast._estimator import codes_among
from statfast._typing import Array, Matrix
from statfast._validation import as_labels, as_sparse, is_sparse, shape_of, to_array


def indicators(y: Any) -> Array | None:
    """y as an int64 indicator matrix (n, K) of at least two labels; None if y is not such a
    matrix."""
    if is_sparse(y):
        Y = as_sparse(y, name="y").toarray()
    elif y is None or isinstance(y, str | bytes | dict | set):
        return None
    else:
        Y = to_array(y, "y", "an array of labels, or an indicator matrix")
    if Y.ndim != 2 or Y.shape[1] < 2:
        return None
    if Y.dtype.kind not in "biuf" or not np.isin(Y, (0, 1)).all():
        raise ValueError(
            "y of two dimensions must be an indicator matrix, 1 where a row has the label of a "
            f"column and 0 elsewhere; got others, in shape {Y.shape}. Pass one label for each row, "
            "or 0 and 1."
        )
    return Y.astype(np.int64)


class LabelBinarizer:
    """Labels as columns of 0 and 1, as `OneVsRestClassifier` read y in its fit.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        The labels, ascending; the numbers of the columns of an indicator matrix.
    y_type_ : {"binary", "multiclass", "multilabel-indicator"}
        What y was.
    sparse_input_ : bool
        Whether y was a sparse indicator matrix; `inverse_transform` then gives one.
    """

    def __init__(self, classes: Array, *, multilabel: bool = False, sparse: bool = False) -> None:
        kind = "binary" if len(classes) == 2 else "multiclass"
        self.classes_ = classes
        self.y_type_ = "multilabel-indicator" if multilabel else kind
        self.sparse_input_ = sparse

    def transform(self, y: Matrix | list[str]) -> Array:
        """Return the columns of labels.

        Parameters
        ----------
        y : array-like of shape (n,), or indicator matrix of shape (n, K)

        Returns
        -------
        ndarray of int64, shape (n, K); (n, 1) for two classes
        """
        if self.y_type_ == "multilabel-indicator":
            Y = indicators(y)
            if Y is None or Y.shape[1] != len(self.classes_):
                raise ValueError(
                    f"y must be an indicator matrix of {len(self.classes_)} columns, as that of "
                    f"the fit; got shape {shape_of(y)}. Pass a column for each label."
                )
            return Y
        codes = codes_among(self.classes_, *as_labels(y, None))
        if self.y_type_ == "binary":
            return codes.astype(np.int64)[:, np.newaxis]
        return (codes[:, np.newaxis] == np.arange(len(self.classes_))).astype(np.int64)

    def inverse_transform(self, Y: Array, threshold: float = 0.5) -> Matrix:
        """Return the labels of columns.

        Parameters
        ----------
        Y : array-like of shape (m, K), or (m, 1) or (m,) for two classes
            Indicators, probabilities or decision values.
        threshold : float, default=0.5
            What is more is a yes. Of several classes the largest wins, the lowest of equals.

        Returns
        -------
        ndarray of shape (m,), or indicator matrix of shape (m, K)
        """
        Y = np.asarray(Y)
        if self.y_type_ == "multiclass":
            return self.classes_.take(Y.argmax(axis=1))
        yes = (threshold < Y).astype(np.int64)
        if self.y_type_ == "binary":
            return self.classes_.take(yes.ravel())
        if not self.sparse_input_:
            return yes
        from scipy.sparse import csr_matrix

        return csr_matrix(yes)

    def __repr__(self) -> str:
        return f"LabelBinarizer({self.y_type_}, {len(self.classes_)} classes)"
