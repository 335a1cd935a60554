# SPDX-License-Identifier: BSD-3-Clause
"""The tables shipped in the package, which README.md credits."""

from __future__ import annotations

import gzip
from dataclasses import dataclass, field, replace
from html import escape
from importlib.resources import files
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from statfast._typing import Array
from statfast._validation import (
    as_count,
    as_flag,
    wrong_type,
)


@dataclass(frozen=True)
class Dataset:
    """A data set: features, class labels and names.

    Attributes
    ----------
    data : ndarray of shape (n, d)
        The measurements: float64, or uint8 for images.
    target : ndarray of shape (n,)
        The class of each row, intp, as an index into `target_names`; or a float64 number.
    feature_names : tuple of d str
        The name of each column.
    target_names : tuple of K str
        The name of each class; empty where the target is a number.
    source : str
        Whose data these are, where they are kept, and their license.
    frame : DataFrame of n rows, or None
        The measurements and, last, the column "target", with ``as_frame=True``.

    Examples
    --------
    >>> from statfast.datasets import load_iris
    >>> iris = load_iris()
    >>> iris.data.shape, iris.target.shape
    ((150, 4), (150,))
    >>> iris.feature_names
    ('sepal_length', 'sepal_width', 'petal_length', 'petal_width')
    >>> iris.target_names
    ('setosa', 'versicolor', 'virginica')
    """

    data: NDArray = field(repr=False)
    target: NDArray = field(repr=False)
    feature_names: tuple[str, ...] = field(repr=False)
    target_names: tuple[str, ...]
    source: str
    frame: Any = field(default=None, repr=False)

    def _repr_html_(self) -> str:
        cells = {
            "rows": len(self.data),
            "features": ", ".join(map(str, self.feature_names)),
            "classes": ", ".join(map(str, self.target_names)) or "none: the target is a number",
            "source": self.source,
        }
        lines = (f"<tr><th>{key}</th><td>{escape(str(cells[key]))}</td></tr>" for key in cells)
        return f"<table>{''.join(lines)}</table>"


def as_asked(table: Dataset, return_X_y: bool, as_frame: bool) -> Any:
    """The data set as the caller wants it."""
    if as_flag(as_frame, "as_frame"):
        import pandas

        data = pandas.DataFrame(table.data, columns=list(table.feature_names))
        target = pandas.Series(table.target, name="target")
        frame = pandas.concat([data, target], axis=1)
        table = replace(table, data=data, target=target, frame=frame)
    return (table.data, table.target) if as_flag(return_X_y, "return_X_y") else table


@overload
def load_wine(*, return_X_y: Literal[False] = ..., as_frame: bool = ...) -> Dataset: ...
@overload
def load_wine(
    *, return_X_y: Literal[True], as_frame: Literal[False] = ...
) -> tuple[Array, Array]: ...
@overload
def load_wine(*, return_X_y: bool = ..., as_frame: bool = ...) -> Any: ...
def load_wine(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Thirteen chemical measurements of 178 Italian wines from three cultivars.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return ``(data, target)`` alone.
    as_frame : bool, default=False
        Let data be a pandas data frame and target a series.

    Returns
    -------
    Dataset
        178 rows (59, 71 and 48 of the cultivars "1", "2" and "3"), 13 float64 columns.

    References
    ----------
    Aeberhard, S. and Forina, M. (1992). Wine. UCI Machine Learning Repository.
    https://doi.org/10.24432/C5PC7J. CC BY 4.0.

    Examples
    --------
    >>> from statfast.datasets import load_wine
    >>> wine = load_wine()
    >>> wine.data.shape, wine.feature_names[6]
    ((178, 13), 'flavanoids')
    """
    columns, rows = _read("wine")
    cultivar = rows[:, 0].astype(np.intp)
    table = Dataset(
        data=rows[:, 1:].astype(np.float64),
        target=cultivar - 1,
        feature_names=columns[1:],
        target_names=("1", "2", "3"),
        source="Aeberhard and Forina (1992), UCI, doi:10.24432/C5PC7J, CC BY 4.0",
    )
    return as_asked(table, return_X_y, as_frame)


@overload
def load_iris(*, return_X_y: Literal[False] = ..., as_frame: bool = ...) -> Dataset: ...
@overload
def load_iris(
    *, return_X_y: Literal[True], as_frame: Literal[False] = ...
) -> tuple[Array, Array]: ...
@overload
def load_iris(*, return_X_y: bool = ..., as_frame: bool = ...) -> Any: ...
def load_iris(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Length and width of sepal and petal, in cm, of 150 irises of three species.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return ``(data, target)`` alone.
    as_frame : bool, default=False
        Let data be a pandas data frame and target a series.

    Returns
    -------
    Dataset
        150 rows (50 of each species), 4 float64 columns.

    Notes
    -----
    The repository's main file departs from Fisher's paper in two flowers; here rows 34 and 37
    (counted from 0) hold Fisher's values, as in R and scikit-learn.

    References
    ----------
    Fisher, R. A. (1936). The use of multiple measurements in taxonomic problems. Annals of
    Eugenics 7, 179-188. https://doi.org/10.1111/j.1469-1809.1936.tb02137.x.
    Fisher, R. A. (1936). Iris. UCI Machine Learning Repository.
    https://doi.org/10.24432/C56C76. CC BY 4.0.

    Examples
    --------
    >>> from statfast.datasets import load_iris
    >>> iris = load_iris()
    >>> iris.data.shape, iris.target_names
    ((150, 4), ('setosa', 'versicolor', 'virginica'))
    """
    columns, rows = _read("iris")
    species, target = np.unique(rows[:, 4], return_inverse=True)
    table = Dataset(
        data=rows[:, :4].astype(np.float64),
        target=target.astype(np.intp),
        feature_names=columns[:4],
        target_names=tuple(map(str, species)),
        source="Fisher (1936), UCI, doi:10.24432/C56C76, CC BY 4.0, two flowers corrected",
    )
    return as_asked(table, return_X_y, as_frame)


@overload
def load_breast_cancer(*, return_X_y: Literal[False] = ..., as_frame: bool = ...) -> Dataset: ...
@overload
def load_breast_cancer(
    *, return_X_y: Literal[True], as_frame: Literal[False] = ...
) -> tuple[Array, Array]: ...
@overload
def load_breast_cancer(*, return_X_y: bool = ..., as_frame: bool = ...) -> Any: ...
def load_breast_cancer(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Thirty measurements of cell nuclei in images of 569 breast masses, of which 212 are cancer.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return ``(data, target)`` alone.
    as_frame : bool, default=False
        Let data be a pandas data frame and target a series.

    Returns
    -------
    Dataset
        569 rows of "malignant" (212) and "benign" (357), 30 float64 columns: of ten measurements of
        the nuclei of an image the mean, its standard error, and the mean of the three largest.

    References
    ----------
    Street, W. N., Wolberg, W. H. and Mangasarian, O. L. (1993). Nuclear feature extraction for
    breast tumor diagnosis. Proc. SPIE 1905, 861-870. https://doi.org/10.1117/12.148698.
    Wolberg, W., Mangasarian, O., Street, N. and Street, W. (1993). Breast Cancer Wisconsin
    (Diagnostic). UCI Machine Learning Repository. https://doi.org/10.24432/C5DW2B. CC BY 4.0.

    Examples
    --------
    >>> from statfast.datasets import load_breast_cancer
    >>> tumors = load_breast_cancer()
    >>> tumors.data.shape, tumors.target_names, tumors.feature_names[20]
    ((569, 30), ('malignant', 'benign'), 'worst radius')
    """
    columns, rows = _read("breast_cancer")
    names = ("malignant", "benign")
    table = Dataset(
        data=rows[:, 1:].astype(np.float64),
        target=(rows[:, 0] == names[1]).astype(np.intp),
        feature_names=columns[1:],
        target_names=names,
        source="Wolberg, Mangasarian, Street and Street (1993), UCI, doi:10.24432/C5DW2B, "
        "CC BY 4.0",
    )
    return as_asked(table, return_X_y, as_frame)


@overload
def load_digits(
    *, n_class: int = ..., dtype: Any = ..., return_X_y: Literal[False] = ..., as_frame: bool = ...
) -> Dataset: ...
@overload
def load_digits(
    *,
    n_class: int = ...,
    dtype: Any = ...,
    return_X_y: Literal[True],
    as_frame: Literal[False] = ...,
) -> tuple[Array, Array]: ...
@overload
def load_digits(
    *, n_class: int = ..., dtype: Any = ..., return_X_y: bool = ..., as_frame: bool = ...
) -> Any: ...
def load_digits(
    *, n_class: int = 10, dtype: Any = np.uint8, return_X_y: bool = False, as_frame: bool = False
) -> Any:
    """8 x 8 images of 1797 handwritten digits, gray levels 0 to 16.

    The pixels are uint8, whose differences wrap around: ``dtype=float`` has numbers to compute
    with, as scikit-learn's.

    Parameters
    ----------
    n_class : int, default=10
        The digits 0 to n_class - 1 alone.
    dtype : dtype, default=uint8
        Type of the pixels.
    return_X_y : bool, default=False
        Return ``(data, target)`` alone.
    as_frame : bool, default=False
        Let data be a pandas data frame and target a series.

    Returns
    -------
    Dataset
        1797 rows of 64 uint8 pixels, row after row of the image; the digits 0 to 9.

    Notes
    -----
    The test part of the repository's table, written by 13 people who wrote none of its training
    part. It is not MNIST: see `load_mnist` for that.

    References
    ----------
    Alpaydin, E. and Kaynak, C. (1998). Optical Recognition of Handwritten Digits. UCI Machine
    Learning Repository. https://doi.org/10.24432/C50P49. CC BY 4.0.

    Examples
    --------
    >>> from statfast.datasets import load_digits
    >>> digits = load_digits()
    >>> digits.data.shape, digits.data.dtype.name, int(digits.data.max())
    ((1797, 64), 'uint8', 16)
    """
    try:
        dtype = np.dtype(dtype)
    except TypeError:
        raise wrong_type("dtype", "a type of numbers", dtype) from None
    if dtype.kind not in "iuf":
        raise wrong_type("dtype", "a type of numbers", dtype)
    columns, rows = _read("digits")
    numbers = rows.astype(np.uint8)
    n_digits = as_count(n_class, "n_class", high=10)
    numbers = numbers[numbers[:, 64] < n_digits]
    table = Dataset(
        data=np.ascontiguousarray(numbers[:, :64], dtype=dtype),
        target=numbers[:, 64].astype(np.intp),
        feature_names=columns[:64],
        target_names=tuple("0123456789"[:n_digits]),
        source="Alpaydin and Kaynak (1998), UCI, doi:10.24432/C50P49, CC BY 4.0",
    )
    return as_asked(table, return_X_y, as_frame)


def _read(name: str) -> tuple[tuple[str, ...], NDArray[np.str_]]:
    """Column names and cells, still text, of a shipped table."""
    packed = files("statfast.datasets").joinpath(f"{name}.csv.gz").read_bytes()
    header, *lines = gzip.decompress(packed).decode().splitlines()
    return tuple(header.split(",")), np.array([line.split(",") for line in lines])
