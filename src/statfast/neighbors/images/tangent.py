# SPDX-License-Identifier: BSD-3-Clause
"""Tangent distance: neighbors among images that may each be shifted, turned or thickened a little.

Such motions of an image form a curved surface in pixel space, which its tangents at the image
approximate by a flat one. The tangent distance of two images is the distance of the flat surfaces.
It costs as much as a hundred Euclidean distances, so the classifier computes it only for the rows
that are nearest in Euclidean distance.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, Self

import numpy as np

from statfast._core.neighbors import vote
from statfast._distance import with_contiguous_rows
from statfast._estimator import (
    Classifier,
    Estimator,
    by_fit,
    count,
    fitted,
    flag,
    jobs,
    one_of,
    param,
    randomness,
    real,
)
from statfast._typing import Array, ArrayLike, Jobs, Rows, Seed
from statfast._validation import (
    as_count,
    as_generator,
    as_labels,
    as_rows,
    not_fitted,
    refuse_large,
    rows_for,
)
from statfast.neighbors.brute.brute import BruteIndex
from statfast.neighbors.brute.magnitude import require_size, size_of
from statfast.neighbors.brute.precomputed import without_self
from statfast.neighbors.images.tangent_space import Motion, as_shape, require_range
from statfast.neighbors.search.search import NATIVE_DTYPES, starts_of
from statfast.neighbors.spatial.spatial_tree import one_or_many
from statfast.neighbors.vote.weights import TIES

MAX_HELD_CANDIDATES = 1 << 22  # candidates held at once: 64 MB of distances and ids


def tangent_distance(
    a: ArrayLike,
    b: ArrayLike,
    *,
    image_shape: tuple[int, int] | None = None,
    sigma: float = 0.65,
    two_sided: bool = True,
    n_jobs: int | None = None,
) -> float | Any:
    """Tangent distances of images, pair by pair.

    Parameters
    ----------
    a : array-like of shape (n, d) or (d,)
        Images, finite; their pixels row after row of the image.
    b : array-like of shape (n, d) or (d,)
        As many images.
    image_shape : tuple of two int, optional
        Rows and columns of an image, of which one may be -1: as many as there are pixels for.
        None takes square images.
    sigma : float, default=0.65
        Standard deviation, in pixels, of the Gaussian by which the images are smoothed first;
        0 leaves them as they are. At most the longer side of an image.
    two_sided : bool, default=True
        Whether both images of a pair may move, or that of `a` alone.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Returns
    -------
    distances : ndarray of shape (n,), float64; or a float
        A number if `a` and `b` are one image each.

    Raises
    ------
    ValueError
        If `a` and `b` are not finite or not of one shape, if a parameter is out of its range, or
        if a squared distance overflows.
    TypeError
        If `a` or `b` is sparse, or a parameter has the wrong type.

    See Also
    --------
    TangentDistanceClassifier : Neighbors by this distance; its definition and references.

    Examples
    --------
    Two spots, half a pixel apart:

    >>> import numpy as np
    >>> from statfast.neighbors import tangent_distance
    >>> y, x = np.mgrid[:16, :16]
    >>> here = np.exp(-((x - 7.0) ** 2 + (y - 7.5) ** 2) / 8).ravel()
    >>> there = np.exp(-((x - 7.5) ** 2 + (y - 7.5) ** 2) / 8).ravel()
    >>> round(float(np.linalg.norm(here - there)), 2)
    0.62
    >>> round(tangent_distance(here, there), 2)
    0.01
    """
    first, single = one_or_many(a, "a")
    second, second_single = one_or_many(b, "b")
    if first.shape != second.shape:
        raise ValueError(
            f"a and b must be as many images of the same size; got shapes {first.shape} and "
            f"{second.shape}. Repeat the rows of the shorter one."
        )
    for images, name in ((first, "a"), (second, "b")):
        require_size(size_of(images), name)
    motion = Motion.checked(as_shape(image_shape, first.shape[1], "a"), sigma, two_sided)
    rows = with_contiguous_rows(second)
    itself = np.arange(len(first))[:, None]
    distances = np.sqrt(motion.squared(first, rows, itself, n_jobs, "a")[:, 0])
    return float(distances[0]) if single and second_single else distances


class TangentDistanceClassifier(Classifier, Estimator):
    """k-nearest-neighbors classifier of images in tangent distance.

    Of the `n_candidates` fitted images nearest in Euclidean distance, those nearest in tangent
    distance vote. The search is **approximate**: nearer images may not be among the candidates.

    Parameters
    ----------
    n_neighbors : int, default=1
        Neighbors that vote, k; at most `n_candidates`.
    image_shape : tuple of two int, optional
        Rows and columns of an image, of which one may be -1: as many as there are pixels for.
        None takes square images; (1, -1) takes each row as a signal, that may be shifted,
        stretched and have its slopes changed.
    n_candidates : int, default=100
        Samples, nearest in Euclidean distance, that are measured in tangent distance; all samples
        if there are fewer. More of them cost proportionally more time.
    sigma : float, default=0.65
        Standard deviation, in pixels, of the Gaussian by which images are smoothed before they
        are compared; 0 leaves them as they are. At most the longer side of an image. Candidates
        are found without smoothing.
    two_sided : bool, default=True
        Whether both images of a pair may move, or that to be classified alone, which takes a
        third of the time.
    ties : {"lowest", "nearest", "random"}, default="lowest"
        Which of the classes that share the largest vote wins: the lowest label; the one whose
        nearest member is nearest to the sample, and of those equally near the lowest label; or one
        drawn at random, always the same for the same sample.
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator of the draws of `ties="random"`; an integer makes the result reproducible.
        Taken at fit.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        The labels, ascending.
    image_shape_ : tuple of two int
        Rows and columns of an image.
    n_samples_fit_ : int
        Number of fitted samples, n.
    n_features_in_ : int
        Number of pixels, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    tangent_distance : The distance alone.
    KNeighborsClassifier : Neighbors in Euclidean distance.

    Notes
    -----
    With q and x the two smoothed images, and T and S the matrices of their tangents, each of
    length 1, the squared tangent distance is the minimum over a and b of::

        |q + T a - x - S b|^2 + 0.001 (|a|^2 + |b|^2)

    The tangents are those of horizontal and vertical shift, scaling, rotation, the two hyperbolic
    deformations (along the axes and along the diagonals) and the thickness of lines, made from
    central differences of the smoothed image; beyond its edge an image stays what it is there.
    Tangents that vanish, as those of a blank image, play no part, and the second term, which is
    small, keeps the distance continuous where some of them coincide. The distance is symmetric
    (if two-sided), 0 for equal images and never larger than the Euclidean distance of the smoothed
    images. It is computed in float64 and accurate to about 1e-14 of that one's square.

    **Rows at equal tangent distance are taken lowest index first**, as are candidates at equal
    Euclidean distance. Candidates are exact Euclidean neighbors; a nearer row in tangent distance
    that is not among them is not found.

    An image needs many more pixels than the 14 directions in which a pair may move: with fewer,
    all images look alike. float64, float32 and uint8 rows are kept by reference: do not modify
    the fitted array.

    On MNIST, 60000 images to learn from and 10000 to classify, errors by `n_candidates`:

    ============  ====  ====  ====  ====  ====  ====  ====
    candidates      10    20    50   100   200   500  1000
    two-sided      171   164   146   136   129   123   121
    one-sided      189   179   172   167   165   165   163
    ============  ====  ====  ====  ====  ====  ====  ====

    against 309 of the nearest Euclidean neighbor. `sigma` was chosen without the test images, on
    10000 of those to learn from.

    Cost: fit O(n d + n log n); m rows O(n m d) for the candidates and some 240 d flop for each of
    them. Memory: that of the search, and 64 MB of candidates at a time; no tangents are stored.

    References
    ----------
    .. [1] P. Simard, Y. LeCun and J. Denker (1993). Efficient pattern recognition using a new
       transformation distance. Advances in Neural Information Processing Systems 5, 50-58.
    .. [2] P. Y. Simard, Y. A. LeCun, J. S. Denker and B. Victorri (1998). Transformation
       invariance in pattern recognition: tangent distance and tangent propagation. Lecture Notes
       in Computer Science 1524, 239-274. doi:10.1007/3-540-49430-8_13

    Examples
    --------
    >>> from statfast.datasets import load_digits
    >>> from statfast.neighbors import TangentDistanceClassifier
    >>> digits = load_digits()
    >>> model = TangentDistanceClassifier().fit(digits.data[:1000], digits.target[:1000])
    >>> model.image_shape_
    (8, 8)
    >>> round(model.score(digits.data[1000:], digits.target[1000:]), 2)
    0.97
    """

    n_neighbors: int = param(count(), default=1, kw_only=False)
    image_shape: tuple[int, int] | None = param(by_fit, default=None)
    n_candidates: int = param(count(), default=100)
    sigma: float = param(real(0), default=0.65)
    two_sided: bool = param(flag, default=True)
    ties: Literal["lowest", "nearest", "random"] = param(one_of(*TIES), default="lowest")
    random_state: Seed = param(randomness, default=None)
    n_jobs: Jobs = param(jobs, default=None)

    _index: BruteIndex = fitted()
    _codes: np.ndarray = fitted()
    _seed: int = fitted()
    classes_: np.ndarray = fitted()
    image_shape_: tuple[int, int] = fitted()
    n_samples_fit_: int = fitted()

    def fit(self, X: Rows, y: ArrayLike) -> Self:
        """Store the training images and their labels.

        Parameters
        ----------
        X : array-like of shape (n, d)
            The images, finite, pixels row after row of the image. float64, float32 and uint8
            arrays are kept by reference.
        y : array-like of shape (n,)
            A label for each image, of any dtype that has an order; one class is enough.

        Returns
        -------
        self : TangentDistanceClassifier

        Raises
        ------
        ValueError
            If X is not a finite 2-d array with a row and a column, if its columns do not make an
            image of `image_shape`, if y is not one label for each row, or if a parameter is out
            of its range.
        TypeError
            If X is sparse, or a parameter has the wrong type.
        """
        params = self._checked()
        seed = int(as_generator(self.random_state).integers(2**63))
        as_count(params.n_neighbors, "n_neighbors", 1, params.n_candidates, limit="n_candidates")
        rows = as_rows(X, keep=NATIVE_DTYPES)
        require_size(size_of(rows))
        shape = as_shape(self.image_shape, rows.shape[1])
        Motion.checked(shape, self.sigma, self.two_sided)
        classes, codes = as_labels(y, rows.shape[0])
        return self._publish(
            X,
            classes_=classes,
            image_shape_=shape,
            n_samples_fit_=rows.shape[0],
            _codes=codes,
            _seed=seed,
            _index=BruteIndex.build(rows, self.n_jobs),
        )

    def kneighbors(
        self, X: Rows | None = None, n_neighbors: int | None = None, return_distance: bool = True
    ) -> Any:
        """Return the candidates nearest in tangent distance to each image.

        Parameters
        ----------
        X : array-like of shape (m, d), optional
            The images. None takes the fitted ones, each of them excluding itself.
        n_neighbors : int, optional
            Neighbors of each image; None takes the estimator's own.
        return_distance : bool, default=True
            Whether to return the distances as well.

        Returns
        -------
        distances : ndarray of shape (m, n_neighbors), float64
            Tangent distances in ascending order; only if `return_distance`.
        ids : ndarray of shape (m, n_neighbors), intp
            Indices of the fitted samples, ordered by (distance, index).

        Raises
        ------
        NotFittedError
            If called before fit.
        ValueError
            If X is not a finite 2-d array of the fitted width, if `n_neighbors` is not between
            1 and the number of candidates, if a parameter is out of its range, or if a squared
            distance overflows.
        MemoryError
            If the two results would take more than half the free memory.
        """
        rows, k, motion = self._queries(X, n_neighbors)
        m = rows.shape[0]
        refuse_large(16 * m * k, "The table of neighbors", "Pass the rows of X in parts.")
        distances, ids = np.empty((m, k)), np.empty((m, k), np.intp)
        for part, squared, nearest_ids in self._slices(rows, k, motion, itself=X is None):
            np.sqrt(squared, out=distances[part])
            ids[part] = nearest_ids
        return (distances, ids) if return_distance else ids

    def predict(self, X: Rows | None = None) -> Array:
        """Predict the class with the largest vote.

        Parameters
        ----------
        X : array-like of shape (m, d), optional
            The images to classify. None takes the fitted ones, each without its own vote: the
            leave-one-out prediction.

        Returns
        -------
        labels : ndarray of shape (m,), dtype of `classes_`

        Raises
        ------
        ValueError
            As for `kneighbors`.
        """
        ties = TIES[self._checked_value("ties")]
        rows, k, motion = self._queries(X)
        winners = np.empty(rows.shape[0], np.intp)
        for part, squared, ids in self._slices(rows, k, motion, itself=X is None):
            vote.winners(
                self._codes, starts_of(*ids.shape), ids.ravel(), squared.ravel(), None,
                len(self.classes_), ties, self._seed, winners[part],
            )  # fmt: skip
        return self.classes_.take(winners)

    def predict_proba(self, X: Rows | None = None) -> Array:
        """Return class probabilities: proportions of the vote.

        Parameters
        ----------
        X : array-like of shape (m, d), optional
            The images to classify; None takes the fitted ones, each without its own vote.

        Returns
        -------
        shares : ndarray of shape (m, K), float64
            Columns as in `classes_`; each row sums to 1.

        Raises
        ------
        ValueError
            As for `kneighbors`.
        MemoryError
            If the result would take more than half the free memory.
        """
        rows, k, motion = self._queries(X)
        shape = rows.shape[0], self.classes_.shape[0]
        refuse_large(8 * shape[0] * shape[1], "The table of shares", "Pass the rows of X in parts.")
        shares = np.zeros(shape)
        for part, _, ids in self._slices(rows, k, motion, itself=X is None):
            vote.shares(self._codes, starts_of(*ids.shape), ids.ravel(), None, shares[part])
        return shares

    def _queries(self, X: Any, n_neighbors: int | None = None) -> tuple[np.ndarray, int, Motion]:
        """Check a query; returns its rows, the number of neighbors of each, and the motion."""
        if X is not None:
            rows = rows_for(self, X, keep=NATIVE_DTYPES)
        elif self.__sklearn_is_fitted__():
            rows = self._index.rows
        else:
            raise not_fitted(self)
        k = self.n_neighbors if n_neighbors is None else n_neighbors
        most, limit = self.n_samples_fit_, "the number of fitted rows"
        if X is None:
            most, limit = most - 1, limit + " besides the row itself"
        candidates = self._checked_value("n_candidates")
        if candidates < most:
            most, limit = candidates, "n_candidates"
        motion = Motion.checked(self.image_shape_, self.sigma, self.two_sided)
        return rows, as_count(k, "n_neighbors", 1, most, limit=limit), motion

    def _slices(self, rows: Any, k: int, motion: Motion, *, itself: bool) -> Iterator[tuple]:
        """Yield (part, squared distances, ids) of the k nearest candidates, by slices of rows."""
        m = rows.shape[0]
        c = min(self._checked_value("n_candidates"), self.n_samples_fit_ - itself)
        step = max(64, MAX_HELD_CANDIDATES // (c + itself))
        for start in range(0, m, step):
            part = slice(start, min(start + step, m))
            d2, ids = self._index.query(rows[part], c + itself, self.n_jobs)
            require_range(d2, "X")
            if itself:
                ids = without_self(d2, ids, np.arange(part.start, part.stop))[1]
            squared = motion.squared(rows[part], self._index.rows, ids, self.n_jobs)
            order = np.lexsort((ids, squared), axis=1)[:, :k]
            nearest = (np.take_along_axis(table, order, axis=1) for table in (squared, ids))
            yield part, *nearest
